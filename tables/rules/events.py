"""What can happen at a table, as values: the vocabulary of docs/table-log.md. They carry texts as they were sent.

Whether a card, a rank or an amount is one, the table says when the event reaches it: a refusal has its place in the
order of codes, and a text that is no card comes late in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BankOf:
    """A player's bank, an amount. Rules: C-13."""

    bank: str


@dataclass(frozen=True, slots=True)
class Table:
    table: str
    game: str
    currency: str
    minimum: str
    maximum: str
    chip: str
    seats: int | None = None
    rules: Mapping[str, object] | None = None
    banker: str | BankOf | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    minimum: str | None = None
    maximum: str | None = None
    chip: str | None = None
    seats: int | None = None
    rules: Mapping[str, object] | None = None
    banker: str | BankOf | None = None


@dataclass(frozen=True, slots=True)
class OpenDeal:
    deal: str
    shuffle: str | None = None
    cut_by: str | None = None


@dataclass(frozen=True, slots=True)
class PlaceBet:
    """A bet on a rank, a card or a suit; on none of them it is sealed. Without an amount it is the minimum (C-8)."""

    bet: str
    seat: int
    amount: str | None = None
    rank: str | None = None
    card: str | None = None
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class Withdraw:
    bet: str


@dataclass(frozen=True, slots=True)
class Refuse:
    bet: str


@dataclass(frozen=True, slots=True)
class Cut:
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class DrawCard:
    card: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Reveal:
    """Opens a sealed bet with its card; `rank` alone only where a correction replaced the card by it (C-12)."""

    bet: str
    card: str | None
    rank: str | None = None


@dataclass(frozen=True, slots=True)
class Paroli:
    bet: str
    of: str


@dataclass(frozen=True, slots=True)
class ShowPocket:
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndDeal:
    pass


@dataclass(frozen=True, slots=True)
class Misdeal:
    reason: str


@dataclass(frozen=True, slots=True)
class CorrectCards:
    """Cards by position; None takes the last recorded card back."""

    reason: str
    cards: Mapping[int, str | None]


@dataclass(frozen=True, slots=True)
class CorrectBet:
    """The fields of a bet that were wrong; None: it was right. Rank, card and suit replace one another."""

    reason: str
    bet: str
    seat: int | None = None
    amount: str | None = None
    rank: str | None = None
    card: str | None = None
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class UnmadeBet:
    """A bet that was recorded but never made."""

    reason: str
    bet: str


@dataclass(frozen=True, slots=True)
class UnrecordedBet:
    """A bet that stood, unrecorded, after the even position `after` (0: before the first card)."""

    reason: str
    bet: PlaceBet
    after: int


Act = PlaceBet | Withdraw | Refuse | Cut | DrawCard | Reveal | Paroli | ShowPocket | EndDeal | Misdeal
Correction = CorrectCards | CorrectBet | UnmadeBet | UnrecordedBet
Event = Table | Rules | OpenDeal | Act | Correction
