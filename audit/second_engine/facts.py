"""What is known of a deal, as columns and rows, and what the second engine says of it. It computes nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class BetRow(NamedTuple):
    """A bet as it holds after all corrections. `of` names the won bet whose corner was bent."""

    name: str
    kind: str  # rank, suit or sealed
    seat: int
    rank: str | None
    suit: str | None
    amount: int
    after: int
    of: str | None = None


class Departure(NamedTuple):
    """A bet that was withdrawn or refused: after which position, and as which deed of its deal."""

    outcome: str
    position: int
    order: int


@dataclass(frozen=True, slots=True)
class Facts:
    """A deal's facts as they hold.

    ranks, suits   one letter a card, by position from 1, the pocket's at the end
    pocket         how many of these cards are the pocket
    bets           in the order in which they were placed; those never made left out
    departures     by the bet's name
    opened         the card with which each sealed bet was opened, by the bet's name
    closing        `end`, `misdeal`, or nothing where the deal is live or ended by itself
    """

    ranks: str
    suits: str
    pocket: int
    bets: Sequence[BetRow]
    departures: Mapping[str, Departure] = field(default_factory=dict)
    opened: Mapping[str, str] = field(default_factory=dict)
    closing: str | None = None


class Settled(NamedTuple):
    """What a card or a deed did to a bet, in minor units. Always stake + paid = taken + returned + standing (C-6)."""

    turn: int
    position: int
    bet: str
    outcome: str
    stake: int
    paid: int
    taken: int
    returned: int
    standing: int
