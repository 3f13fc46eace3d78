"""The shift report as data: one shift of the house, a row a table, as far as bets and cards tell it.

What needs chips, drop boxes and counts is not in it before those are on record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from math import sqrt

from audit.reports.payout_audit import JournalRange
from audit.reports.sheet import Imprint


@dataclass(frozen=True, slots=True)
class Result:
    """What bets and cards came to: of a table, of a game, of the floor.

    `theoretical_minor` and `variance` are exact sums over the turns dealt, in minor units and their square;
    None where some turn of it could not be judged.
    """

    deals: int
    turns: int
    splits: int
    bets: int
    handle_minor: int
    taken_minor: int
    paid_minor: int
    theoretical_minor: Fraction | None
    variance: Fraction | None

    @property
    def game_win_minor(self) -> int:
        return self.taken_minor - self.paid_minor

    @property
    def z(self) -> float | None:
        """Distance of the game win from its expectation in standard deviations; None without a spread."""
        if self.theoretical_minor is None or not self.variance:
            return None
        return float(self.game_win_minor - self.theoretical_minor) / sqrt(self.variance)

    @property
    def deviation_minor(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)


def summed(results: Sequence[Result]) -> Result:
    """Add results up. What one of them does not know, the sum does not know."""
    theory = [result.theoretical_minor for result in results if result.theoretical_minor is not None]
    spread = [result.variance for result in results if result.variance is not None]
    return Result(
        deals=sum(result.deals for result in results),
        turns=sum(result.turns for result in results),
        splits=sum(result.splits for result in results),
        bets=sum(result.bets for result in results),
        handle_minor=sum(result.handle_minor for result in results),
        taken_minor=sum(result.taken_minor for result in results),
        paid_minor=sum(result.paid_minor for result in results),
        theoretical_minor=sum(theory, Fraction()) if len(theory) == len(results) else None,
        variance=sum(spread, Fraction()) if len(spread) == len(results) else None,
    )


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in the shift. `bank_of_player`: what it won is the banker's, not the house's (C-13)."""

    table: str
    pit: str
    game: str
    bank_of_player: bool
    result: Result


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the shift that a person must look at."""

    code: str
    table: str
    deal: str
    at: datetime
    who: str
    text: str
    amount_minor: int


@dataclass(frozen=True, slots=True)
class Hour:
    """Game win of the floor up to the end of an hour of the shift, with what was expected of it."""

    until: datetime
    game_win_minor: int
    theoretical_minor: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class ShiftReport:
    """The whole report. Rows come by pit and name; the sums over them are the report's own."""

    imprint: Imprint
    gaming_date: date
    shift: str
    since: datetime
    until: datetime
    currency: str
    rows: Sequence[TableRow]
    hours: Sequence[Hour]
    exceptions: Sequence[Finding]
    journals: Sequence[JournalRange]
    rules: Sequence[str]
    decimals: int

    @property
    def house_rows(self) -> Sequence[TableRow]:
        return [row for row in self.rows if not row.bank_of_player]

    @property
    def total(self) -> Result:
        """The house's own tables: a bank of a player wins for its banker."""
        return summed([row.result for row in self.house_rows])

    def games(self) -> Sequence[tuple[str, Result]]:
        """Sums by game of the house's own tables, in the order in which the games first appear."""
        codes = list(dict.fromkeys(row.game for row in self.house_rows))
        return [(code, summed([row.result for row in self.house_rows if row.game == code])) for code in codes]

    def pits(self) -> Sequence[tuple[str, Sequence[TableRow]]]:
        names = list(dict.fromkeys(row.pit for row in self.rows))
        return [(name, [row for row in self.rows if row.pit == name]) for name in names]
