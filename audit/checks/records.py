"""What the record says of a deal, as values: the input of every check. It comes from rows and never goes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple


class CardRow(NamedTuple):
    """The card at a position as it holds now; without a card it was taken back."""

    position: int
    card: str | None
    pocket: bool


class BetRow(NamedTuple):
    """A bet as it holds now, corrections included."""

    name: str
    made: bool
    seat: int
    kind: str
    rank: str | None
    suit: str | None
    amount_minor: int
    after: int
    of: str | None


class SettlementRow(NamedTuple):
    """A settlement as it holds now; `revision` above 0 or an entry made by a correction says it was corrected."""

    bet: str
    position: int
    by_deed: bool
    turn: int
    outcome: str
    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int
    corrected: bool


class EventEntry(NamedTuple):
    """An event of the deal in the journal: the table-log object as it was sent, erased texts as "[erased]"."""

    sequence: int
    type: str
    author: str
    happened_at: datetime
    late: bool
    event: Mapping[str, Any]


class CorrectionRow(NamedTuple):
    """A correction with what it changed for the bank."""

    sequence: int
    author: str
    approver: str
    alone: bool
    given: bool
    adjustment_minor: int


@dataclass(frozen=True, slots=True)
class DealRecord:
    """All that is on record of one deal."""

    id: int
    table: str
    pit: str
    deal: str
    game: str
    currency: str
    rules: str
    """The rules version that the deal names, in words: "stuss 4"."""
    terms: str
    """That version's `table` line."""
    digest: str
    """Digest of the built game that the version was stored with."""
    bank_minor: int | None
    live: bool
    entries: Sequence[EventEntry]
    cards: Sequence[CardRow]
    bets: Sequence[BetRow]
    settlements: Sequence[SettlementRow]
    corrections: Sequence[CorrectionRow]
