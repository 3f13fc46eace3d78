"""The shift report as data: one shift of the house, a row a table, as far as bets and cards tell it.

What chips, drop boxes and counts tell stands beside it, an opening a row, where a table was counted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from zoneinfo import ZoneInfo

from audit.checks import deals as checks
from audit.checks.records import DealRecord
from audit.reports.payout_audit import JournalRange, correction_in_words
from audit.reports.sheet import Imprint
from tables import stats
from tables.queries.books import Books
from tables.rules import odds
from tables.rules.terms import minor_digits


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
    def z(self) -> Decimal | None:
        """Distance of the game win from its expectation in standard deviations; None without a spread."""
        if self.theoretical_minor is None or self.variance is None:
            return None
        return stats.z(self.game_win_minor, self.theoretical_minor, self.variance)

    @property
    def tail(self) -> float | None:
        """Chance of a game win at least as far from its expectation, either way."""
        if self.theoretical_minor is None or self.variance is None:
            return None
        return stats.chance_so_far(self.game_win_minor, self.theoretical_minor, self.variance)

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
class Remark:
    """Something of the shift that a person must look at."""

    code: str
    table: str
    deal: str
    at: datetime
    who: str
    text: str
    amount_minor: int
    currency: str = ""
    kind: str = ""
    what: str = ""
    """Of a correction: what kind it is and what it changed, in the notation of the table log; `text` is the reason."""


@dataclass(frozen=True, slots=True)
class Hour:
    """Game win of the floor up to the end of an hour of the shift, with what was expected of it."""

    until: datetime
    game_win_minor: int
    theoretical_minor: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class Part:
    """The tables of one currency. Rows come by pit and name; the sums over them are the part's own."""

    currency: str
    digits: int
    whole: bool
    """No amount of the part needs the digits of the minor unit."""
    rows: Sequence[TableRow]
    hours: Sequence[Hour]

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


@dataclass(frozen=True, slots=True)
class ShiftReport:
    """The whole report: a part for each currency, for amounts of two are not added up."""

    imprint: Imprint
    gaming_date: date
    shift: str
    since: datetime
    until: datetime
    parts: Sequence[Part]
    exceptions: Sequence[Remark]
    journals: Sequence[JournalRange]
    rules: Sequence[str]
    books: Sequence[Books] = ()


def put_shift_together(
    *,
    imprint: Imprint,
    gaming_date: date,
    shift: str,
    since: datetime,
    until: datetime,
    zone: ZoneInfo,
    currency: str,
    deals: Iterable[DealRecord],
    journals: Sequence[tuple[JournalRange, int, Sequence[str]]],
    waiting: Sequence[tuple[str, str, datetime, str]],
    books: Sequence[Books] = (),
) -> ShiftReport:
    """Count every deal, work out what its turns were worth, and return the report.

    The part in `currency` comes first. `journals` is read after the deals are through, for it may be filled while
    they are read. `waiting`: table, deal, when and who of each correction that nobody has approved yet.
    """
    work = _Work(since, until)
    for record in deals:
        work.take(record)
    for opening in books:
        amounts = (value for name, value in opening.data().items() if name.endswith("_minor") and value is not None)
        work.parts.setdefault(opening.currency, _PartWork()).amounts.update(amounts)
    remarks = work.remarks
    remarks.extend(Remark("waiting", table, deal, at, who, "", 0) for table, deal, at, who in waiting)
    for journal, _examined, found in journals:
        remarks.extend(Remark("journal", journal.name, "", until, "", what, 0) for what in found)
    codes = sorted(work.parts, key=lambda code: (code != currency, code)) or [currency]
    return ShiftReport(
        imprint=imprint,
        gaming_date=gaming_date,
        shift=shift,
        since=since,
        until=until,
        parts=tuple(work.parts.get(code, _PartWork()).part(code, since, until, zone) for code in codes),
        exceptions=tuple(sorted(remarks, key=lambda remark: (remark.at, remark.table, remark.deal, remark.code))),
        journals=tuple(journal for journal, _examined, _found in journals),
        rules=tuple(sorted(work.rules)),
        books=tuple(books),
    )


@dataclass(slots=True)
class _PartWork:
    """What has been read of one currency. `turns` of the house's own tables: when, actual, expected, variance."""

    results: dict[tuple[str, str, str, bool], list[Result]] = field(default_factory=dict)
    turns: list[tuple[datetime, int, Fraction, Fraction]] = field(default_factory=list)
    amounts: set[int] = field(default_factory=set)

    def part(self, currency: str, since: datetime, until: datetime, zone: ZoneInfo) -> Part:
        digits = minor_digits(currency)
        return Part(
            currency=currency,
            digits=digits,
            whole=not any(amount % 10**digits for amount in self.amounts),
            rows=tuple(
                TableRow(table, pit, game, of_player, summed(results))
                for (pit, table, game, of_player), results in sorted(self.results.items())
            ),
            hours=tuple(self._hours(since, until, zone)),
        )

    def _hours(self, since: datetime, until: datetime, zone: ZoneInfo) -> list[Hour]:
        """Add the turns up, from full hour to full hour by the clock on the wall."""
        marks: list[datetime] = []
        mark = since.astimezone(zone).replace(minute=0, second=0, microsecond=0).astimezone(since.tzinfo)
        while mark < until:
            mark += timedelta(hours=1)
            marks.append(min(mark, until))
        found: list[Hour] = []
        left = sorted(self.turns)
        win, theory, spread, at = 0, Fraction(), Fraction(), 0
        for number, mark in enumerate(marks, start=1):
            while at < len(left) and (left[at][0] <= mark or number == len(marks)):
                win, theory, spread = win + left[at][1], theory + left[at][2], spread + left[at][3]
                at += 1
            found.append(Hour(mark, win, theory, spread))
        return found


@dataclass(slots=True)
class _Work:
    """What has been read so far."""

    since: datetime
    until: datetime
    parts: dict[str, _PartWork] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    rules: set[str] = field(default_factory=set)

    def take(self, record: DealRecord) -> None:
        again = checks.settle_again(record)
        self.rules.add(record.rules)
        part = self.parts.setdefault(record.currency, _PartWork())
        made = [bet for bet in record.bets if bet.made]
        touched = {row.bet for row in record.settlements if not row.by_deed}
        undone = {row.bet for row in record.settlements if row.outcome in ("withdrawn", "refused", "void")} - touched
        cards = [row.card for row in record.cards if row.card and not row.pocket]
        pairs = [(cards[at], cards[at + 1]) for at in range(0, len(cards) - 1, 2)]
        taken = sum(row.taken_minor for row in record.settlements)
        paid = sum(row.paid_minor for row in record.settlements)
        handle = sum(bet.amount_minor for bet in made if bet.name not in undone)
        steps = None if again.deal is None or again.refused else odds.deal_steps(again.deal)
        of_player = record.bank_minor is not None
        part.results.setdefault((record.pit, record.table, record.game, of_player), []).append(
            Result(
                deals=1,
                turns=len(pairs),
                splits=sum(odd[0] == even[0] for odd, even in pairs),
                bets=len(made),
                handle_minor=handle,
                taken_minor=taken,
                paid_minor=paid,
                theoretical_minor=None if steps is None else sum((step.expectation for step in steps), Fraction()),
                variance=None if steps is None else sum((step.variance for step in steps), Fraction()),
            )
        )
        part.amounts.update((taken, paid, handle))
        times = _card_times(record)
        for step in steps or ():
            if not of_player:
                at = times.get(step.position, self.until)
                part.turns.append((at, step.actual, step.expectation, step.variance))
        self._remark(record, again, part)

    def _remark(self, record: DealRecord, again: checks.SettledAgain, part: _PartWork) -> None:
        last = record.entries[-1].happened_at if record.entries else self.until

        def add(code: str, at: datetime, who: str, text: str, amount: int = 0, kind: str = "", what: str = "") -> None:
            remark = Remark(code, record.table, record.deal, at, who, text, amount, record.currency, kind, what)
            self.remarks.append(remark)

        entries = {entry.sequence: entry for entry in record.entries}
        for row in record.corrections:
            entry = entries.get(row.sequence)
            if entry is not None:
                kind, what = correction_in_words(entry)
                reason = str(entry.event.get("reason", ""))
                who = f"{row.author} / {row.approver}" if row.approver else row.author
                add("correction", entry.happened_at, who, reason, row.adjustment_minor, kind, what)
                part.amounts.add(row.adjustment_minor)
        for entry in record.entries:
            if entry.type == "misdeal":
                add("misdeal", entry.happened_at, entry.author, str(entry.event.get("reason", "")))
            if entry.late:
                add("late", entry.happened_at, entry.author, entry.type)
        if again.refused:
            add("not_judged", last, "", again.refused[0].message)
        differing = [item for item in checks.compare_settlements(record, again.deal) if not item.same]
        if differing:
            named = (item.recorded or item.recomputed for item in differing)
            bets = ", ".join(dict.fromkeys(settled.bet for settled in named if settled))
            add("differs", last, "", bets)
        if again.deal is not None and not again.deal.finished and not record.live:
            add("unfinished", last, "", "")


def _card_times(record: DealRecord) -> dict[int, datetime]:
    """Return when the card of each position was drawn, the one that lies there now."""
    times: dict[int, datetime] = {}
    position = 0
    for entry in record.entries:
        if entry.type == "card":
            position += 1
            times[position] = entry.happened_at
        elif entry.type == "pocket":
            for _card in range(4):
                position += 1
                times[position] = entry.happened_at
        elif entry.type == "correct":
            cards = entry.event.get("cards")
            if isinstance(cards, dict) and any(card is None for card in cards.values()):
                times.pop(position, None)
                position -= 1
    return times
