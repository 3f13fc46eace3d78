"""The payout audit as data: what was recorded, what it comes to when settled again, where they differ.

Plain values in a fixed order: the same record gives the same data, and the same data the same pages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from audit.reports.sheet import Imprint

Favour = Literal["house", "player", "none"]
DifferenceClass = Literal["amounts", "missing", "unexpected", "outcome", "order"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the audit covers. Tables by name; times in UTC, the end excluded."""

    tables: Sequence[str]
    deal: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Population:
    """What was audited of one game (or, with an empty game, of all)."""

    game: str
    tables: int
    deals: int
    turns: int
    bets: int
    settlements: int
    handle_minor: int
    taken_minor: int
    paid_minor: int

    @property
    def game_win_minor(self) -> int:
        return self.taken_minor - self.paid_minor


@dataclass(frozen=True, slots=True)
class IntegrityTest:
    """One test over the whole population. `code` names it; `examined` None means "all rows"."""

    code: str
    examined: int | None
    found: int
    note: str = ""


class Amounts(NamedTuple):
    """The five amounts of a settlement, in minor units."""

    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A settlement whose recorded and recomputed amounts or outcome are not the same.

    `recorded` is None for a settlement that should be there and is not, `recomputed` for one that should not.
    """

    number: int
    table: str
    deal: str
    turn: int
    position: int
    bet: str
    seat: int
    on: str
    recorded: Amounts | None
    recomputed: Amounts | None
    recorded_outcome: str
    recomputed_outcome: str
    kind: DifferenceClass
    corrected: bool

    @property
    def difference_minor(self) -> int:
        """What the players were given beyond what was due to them; negative: what they were short of."""
        return _players_gain(self.recorded) - _players_gain(self.recomputed)

    @property
    def favour(self) -> Favour:
        difference = self.difference_minor
        return "player" if difference > 0 else "house" if difference < 0 else "none"


def _players_gain(amounts: Amounts | None) -> int:
    return amounts.paid_minor - amounts.taken_minor if amounts else 0


class SettlementLine(NamedTuple):
    """One settlement as recorded, for the annex. `card` is empty where no card settled it."""

    deal: str
    turn: int
    position: int
    card: str
    bet: str
    seat: int
    on: str
    outcome: str
    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int
    difference: int
    """Number of the difference it belongs to; 0 = agrees."""
    corrected: bool = False


class Casekeep(NamedTuple):
    """A deal's cards against its shoe: how many it held, how many came out, and what does not fit."""

    table: str
    deal: str
    shoe: int
    recorded: int
    undealt: int
    turns: int
    beyond: str
    """Cards recorded more often than the shoe holds them ("QS 5 of 4"); empty where none is."""
    missing: str
    """Positions without a card; empty where none is missing."""


@dataclass(frozen=True, slots=True)
class DealSettlements:
    """A deal with its settlements in the order in which it settled them."""

    table: str
    deal: str
    rules: str
    """Game and version of the rules that the deal names."""
    cards: str
    """The cards as recorded, a turn after the other."""
    lines: Sequence[SettlementLine]


@dataclass(frozen=True, slots=True)
class Correction:
    """What was put right in the period, by whom, and what it changed for the bank."""

    table: str
    deal: str
    at: datetime
    asked_by: str
    approved_by: str
    what: str
    reason: str
    adjustment_minor: int
    entry: int


@dataclass(frozen=True, slots=True)
class JournalRange:
    """The part of a journal the report rests on. An empty part has `last` 0."""

    name: str
    first: int
    last: int
    head: str
    """SHA-256 of the last entry, hexadecimal."""
    broken: str = ""
    """Where the chain breaks; empty where it holds."""


@dataclass(frozen=True, slots=True)
class RoundingAccount:
    """What fractions of a chip cost, by C-7."""

    paid_up_cases: int
    paid_up_minor: int
    taken_down_cases: int
    taken_down_minor: int


@dataclass(frozen=True, slots=True)
class KindOfBet:
    """Results of one kind of bet of one game."""

    game: str
    kind: str
    settlements: int
    handle_minor: int
    game_win_minor: int
    differences: int


@dataclass(frozen=True, slots=True)
class PayoutAudit:
    """The whole report."""

    imprint: Imprint
    scope: Scope
    currency: str
    engine: str
    """Version of the engine that recorded, and recomputed."""
    populations: Sequence[Population]
    total: Population
    tests: Sequence[IntegrityTest]
    differences: Sequence[Difference]
    kinds: Sequence[KindOfBet]
    casekeeps: Sequence[Casekeep]
    corrections: Sequence[Correction]
    journals: Sequence[JournalRange]
    rules: Sequence[tuple[str, str]]
    """Rules version and its digest, for each that a deal of the period names."""
    deals: Sequence[DealSettlements]
    decimals: int

    @property
    def agreeing(self) -> int:
        """Settlements that agree to the last chip."""
        return self.total.settlements - sum(1 for item in self.differences if item.recorded is not None)

    @property
    def failed_tests(self) -> int:
        return sum(1 for test in self.tests if test.found)
