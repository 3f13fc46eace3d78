"""The shift report as data: a shift of the house, or its gaming day, a row a table.

Bets and cards say what play came to; what chips, boxes and slips say is read by the same queries as the pages of the
books, so that no figure has two origins. It counts what it is given, and reads nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from zoneinfo import ZoneInfo

from audit.checks import deals as checks
from audit.checks import sums
from audit.checks.records import DealRecord
from audit.checks.splits import pairs_of, split_chances
from audit.reports.payout_audit import JournalRange, correction_in_words
from audit.reports.sheet import Imprint
from tables import stats
from tables.queries.alerts import AlertView
from tables.queries.books import Books, IncidentView, Inventory, Total
from tables.queries.cards import StateOfDay
from tables.queries.console import MispayOnPaper
from tables.queries.devices import ClockDifference, FailedAttempts, OffLine
from tables.queries.disputes import DisputeView
from tables.queries.movements import MovementRecord
from tables.queries.notes import NoteView
from tables.queries.people import Duty
from tables.queries.shifts import Amendment
from tables.queries.slips import DropView, SeriesReport, SlipView
from tables.rules import odds
from tables.rules.terms import amount_text, minor_digits

# From here on a result is remarked, of all tables together: one false alarm in a hundred shifts, of each of both tests.
RARE = 0.01


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
    split_chances: Sequence[Fraction] = ()
    """Of each turn dealt, from the cards that were left just before it: the chance of a split."""
    exact_tail: float | None = None
    """As `tail`, by the law of the sum of all turns; None where it was not, or could not be, folded."""

    @property
    def splits_expected(self) -> Fraction:
        return sum(self.split_chances, Fraction())

    @property
    def splits_chance(self) -> float | None:
        """The exact chance of as many splits as were seen, or a rarer number; None without a turn."""
        return stats.chance_of_count(self.split_chances, self.splits) if self.split_chances else None

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
        """Chance of a game win at least as far from its expectation, either way: exact, or else by the normal law."""
        if self.exact_tail is not None or self.theoretical_minor is None or self.variance is None:
            return self.exact_tail
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
        split_chances=[chance for result in results for chance in result.split_chances],
    )


@dataclass(frozen=True, slots=True)
class Chips:
    """What chips and cash say of several openings together. What is not known of one of them is not known: None."""

    opener_minor: int | None
    fills_minor: int
    credits_minor: int
    closer_minor: int | None
    drop_minor: int | None
    win_minor: int | None
    residual_minor: int | None

    @property
    def hold(self) -> Fraction | None:
        return Fraction(self.win_minor, self.drop_minor) if self.win_minor is not None and self.drop_minor else None


def chips_of(books: Sequence[Books]) -> Chips | None:
    """Add the books of openings up; None where none of them was counted."""
    counted = [each for each in books if each.opener_minor is not None]
    if not counted:
        return None

    def together(name: str) -> int | None:
        amounts = [getattr(each, name) for each in counted]
        return None if None in amounts else sum(amounts)

    return Chips(
        opener_minor=together("opener_minor"),
        fills_minor=sum(each.fills_minor for each in counted),
        credits_minor=sum(each.credits_minor for each in counted),
        closer_minor=together("closer_minor"),
        drop_minor=together("drop_minor"),
        win_minor=together("win_minor"),
        residual_minor=together("residual_minor"),
    )


@dataclass(frozen=True, slots=True)
class Spell:
    """A table from its opener to its closer; `closed_at` None: it is open."""

    table: str
    opening: int
    opened_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Floor:
    """What is on record of a shift beside play, as the pages show it.

    `tables`: name, pit, game and currency of each table by its code. `open_for`: how long it was open in the shift.
    `played_minor`: what the books of its openings, counted or not, say that its own deals brought, by table code.
    `periods`: the counted openings of the shift, the day, the month and the year up to it, a sum for each currency.
    """

    tables: Mapping[str, tuple[str, str, str, str]] = field(default_factory=dict)
    open_for: Mapping[str, timedelta] = field(default_factory=dict)
    books: Sequence[Books] = ()
    played_minor: Mapping[str, int] = field(default_factory=dict)
    inventories: Sequence[Inventory] = ()
    slips: Sequence[SlipView] = ()
    movements: Sequence[MovementRecord] = ()
    """Those that were corrected."""
    series: Sequence[SeriesReport] = ()
    drops: Sequence[DropView] = ()
    duties: Sequence[Duty] = ()
    disputes: Sequence[DisputeView] = ()
    cards: Sequence[StateOfDay] = ()
    incidents: Sequence[IncidentView] = ()
    periods: Sequence[tuple[str, Sequence[Total]]] = ()
    amendments: Sequence[Amendment] = ()
    mispays: Sequence[MispayOnPaper] = ()
    off_line: Sequence[OffLine] = ()
    clocks: Sequence[ClockDifference] = ()
    failed_attempts: Sequence[FailedAttempts] = ()
    spells: Sequence[Spell] = ()
    notes: Sequence[NoteView] = ()
    """Incidents that people wrote down of the shift."""
    alerts: Sequence[AlertView] = ()
    """Those of the shift that nobody had acknowledged when the report was made."""
    replaces: Sequence[str] = ()
    """Serials of finished reports of the same shift in an earlier revision."""


@dataclass(frozen=True, slots=True)
class Large:
    """One of the largest bets of the shift, with what came of it."""

    table: str
    deal: str
    bet: str
    seat: int
    on: str
    amount_minor: int
    paid_minor: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in the shift. `bank_of_player`: what it won is the banker's, not the house's (C-13)."""

    table: str
    pit: str
    game: str
    bank_of_player: bool
    result: Result
    books: Sequence[Books] = ()
    open_for: timedelta = timedelta()

    @property
    def pace(self) -> Fraction | None:
        """Turns an hour while the table was open."""
        hours = Fraction(int(self.open_for.total_seconds()), 3600)
        return self.result.turns / hours if hours else None


# What somebody has still to settle; of the others the record says how they ended.
OPEN = frozenset(
    {
        "waiting",
        "journal",
        "differs",
        "not_judged",
        "unfinished",
        "residual",
        "books",
        "opener",
        "slip",
        "splits",
        "rare",
        "dispute",
        "decks",
        "alert",
    }
)
# A slip, a box that goes no further.
_SLIP_ENDS = frozenset({"received", "void", "declined"})


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
    count: int = 0
    """Of alerts: how many."""


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
    bets: Sequence[Large] = ()
    wins: Sequence[Large] = ()
    exact_tail: float | None = None
    """Of the total."""

    @property
    def chips(self) -> Chips | None:
        return chips_of([each for row in self.rows for each in row.books])

    @property
    def house_rows(self) -> Sequence[TableRow]:
        return [row for row in self.rows if not row.bank_of_player]

    @property
    def total(self) -> Result:
        """The house's own tables: a bank of a player wins for its banker."""
        return replace(summed([row.result for row in self.house_rows]), exact_tail=self.exact_tail)

    def games(self) -> Sequence[tuple[str, Sequence[TableRow]]]:
        """The house's own tables by game, in the order in which the games first appear."""
        codes = list(dict.fromkeys(row.game for row in self.house_rows))
        return [(code, [row for row in self.house_rows if row.game == code]) for code in codes]

    def pits(self) -> Sequence[tuple[str, Sequence[TableRow]]]:
        names = list(dict.fromkeys(row.pit for row in self.rows))
        return [(name, [row for row in self.rows if row.pit == name]) for name in names]


@dataclass(frozen=True, slots=True)
class ShiftReport:
    """The whole report: a part for each currency, for amounts of two are not added up."""

    imprint: Imprint
    gaming_date: date
    shift: int | None
    """Number of the shift; None: the whole gaming day."""
    planned: tuple[datetime, datetime] | None
    since: datetime
    until: datetime
    parts: Sequence[Part]
    exceptions: Sequence[Remark]
    journals: Sequence[JournalRange]
    rules: Sequence[str]
    floor: Floor = Floor()

    @property
    def open_exceptions(self) -> int:
        return sum(1 for remark in self.exceptions if remark.code in OPEN)

    def name_of(self, code: str) -> str:
        """Return a table's name by its code."""
        return self.floor.tables[code][0] if code in self.floor.tables else code

    def handed_over(self) -> Sequence["HandedOver"]:
        """Say of each opening how the table was left, and what of it the next shift has to see to.

        What belongs to a table and to no opening of it stands with its last one.
        """
        floor = self.floor
        books = {(each.table, each.opening): each for each in floor.books}
        last = {spell.table: spell for spell in floor.spells}
        return [
            HandedOver(
                spell,
                books.get((spell.table, spell.opening)),
                duties=[
                    duty
                    for duty in floor.duties
                    if spell is last[spell.table] and duty.until is None and duty.table == self.name_of(spell.table)
                ],
                slips=[
                    slip
                    for slip in floor.slips
                    if spell is last[spell.table] and slip.table == spell.table and slip.state not in _SLIP_ENDS
                ],
                boxes=[
                    drop
                    for drop in floor.drops
                    if (drop.table, drop.opening) == (spell.table, spell.opening) and not drop.counts
                ],
                disputes=[
                    dispute
                    for dispute in floor.disputes
                    if spell is last[spell.table] and dispute.table == spell.table and dispute.ruling is None
                ],
                remarks=[
                    remark
                    for remark in self.exceptions
                    if spell is last[spell.table]
                    and remark.table == self.name_of(spell.table)
                    and remark.code in ("waiting", "unfinished", "alert")
                ],
            )
            for spell in floor.spells
        ]


@dataclass(frozen=True, slots=True)
class HandedOver:
    """How a table was left at the end of the shift, and what of it is under way."""

    spell: Spell
    books: Books | None
    duties: Sequence[Duty]
    slips: Sequence[SlipView]
    boxes: Sequence[DropView]
    disputes: Sequence[DisputeView]
    remarks: Sequence[Remark]

    @property
    def float_minor(self) -> int | None:
        """The closer, or of an open table what should lie there."""
        if self.books is None:
            return None
        return self.books.closer_minor if self.spell.closed_at is not None else self.books.expected_float_minor


def put_shift_together(
    *,
    imprint: Imprint,
    gaming_date: date,
    shift: int | None,
    planned: tuple[datetime, datetime] | None,
    since: datetime,
    until: datetime,
    zone: ZoneInfo,
    currency: str,
    deals: Iterable[DealRecord],
    journals: Sequence[tuple[JournalRange, int, Sequence[str]]],
    waiting: Sequence[tuple[str, str, datetime, str]],
    floor: Floor = Floor(),
) -> ShiftReport:
    """Count every deal, work out what its turns were worth, and return the report.

    The part in `currency` comes first. `journals` is read after the deals are through, for it may be filled while
    they are read. `waiting`: table, deal, when and who of each correction that nobody has approved yet.
    """
    work = _Work(since, until)
    for record in deals:
        work.take(record)
    for part in work.parts.values():
        part.fold()
    work.seat(floor)
    remarks = work.remarks
    remarks.extend(Remark("waiting", table, deal, at, who, "", 0) for table, deal, at, who in waiting)
    for journal, _examined, found in journals:
        remarks.extend(Remark("journal", journal.name, "", until, "", what, 0) for what in found)
    codes = sorted(work.parts, key=lambda code: (code != currency, code)) or [currency]
    return ShiftReport(
        imprint=imprint,
        gaming_date=gaming_date,
        shift=shift,
        planned=planned,
        since=since,
        until=until,
        parts=tuple(work.parts.get(code, _PartWork()).part(code, since, until, zone) for code in codes),
        exceptions=tuple(sorted(remarks, key=lambda remark: (remark.at, remark.table, remark.deal, remark.code))),
        journals=tuple(journal for journal, _examined, _found in journals),
        rules=tuple(sorted(work.rules)),
        floor=floor,
    )


@dataclass(slots=True)
class _PartWork:
    """What has been read of one currency. `turns` of the house's own tables: when, actual, expected, variance."""

    results: dict[tuple[str, str, str, bool], list[Result]] = field(default_factory=dict)
    laws: dict[tuple[str, str, str, bool], list[sums.Law]] = field(default_factory=dict)
    """Of every turn; once they are folded, of their sum, or of none where that could not be."""
    turns: list[tuple[datetime, int, Fraction, Fraction]] = field(default_factory=list)
    amounts: set[int] = field(default_factory=set)
    books: dict[tuple[str, str, str, bool], list[Books]] = field(default_factory=dict)
    open_for: dict[str, timedelta] = field(default_factory=dict)
    bets: list[Large] = field(default_factory=list)
    wins: list[Large] = field(default_factory=list)

    def fold(self) -> None:
        """Fold the laws of each table's turns into one."""
        for row, laws in self.laws.items():
            folded = sums.law_of_sum(laws)
            self.laws[row] = [] if folded is None else [folded]

    def tail(self, rows: Sequence[tuple[str, str, str, bool]], result: Result) -> float | None:
        """Return the exact chance of the result of some rows; None where one is not known, or nothing varied."""
        laws = [law for row in rows if row in self.results for law in self.laws.get(row, ())]
        if len(laws) < sum(row in self.results for row in rows) or result.theoretical_minor is None:
            return None
        folded = sums.law_of_sum(laws) if result.variance else None
        return None if folded is None else sums.as_far(folded, result.game_win_minor, result.theoretical_minor)

    def part(self, currency: str, since: datetime, until: datetime, zone: ZoneInfo) -> Part:
        digits = minor_digits(currency)
        house = [row for row in self.results if not row[-1]]
        return Part(
            exact_tail=self.tail(house, summed([each for row in house for each in self.results[row]])),
            currency=currency,
            digits=digits,
            whole=not any(amount % 10**digits for amount in self.amounts),
            rows=tuple(self.rows()),
            hours=tuple(self._hours(since, until, zone)),
            bets=tuple(self.bets),
            wins=tuple(self.wins),
        )

    def rows(self) -> list[TableRow]:
        found = []
        for key in sorted({*self.results, *self.books}):
            pit, table, game, of_player = key
            result = summed(self.results.get(key, ()))
            result = replace(result, exact_tail=self.tail([key], result))
            books = tuple(self.books.get(key, ()))
            found.append(TableRow(table, pit, game, of_player, result, books, self.open_for.get(table, timedelta())))
        return found

    def keep(self, found: Iterable[Large]) -> None:
        """Keep the ten largest bets, and the ten that won most."""
        found = list(found)
        self.bets = sorted([*self.bets, *found], key=lambda one: -one.amount_minor)[:10]
        self.wins = sorted([*self.wins, *found], key=lambda one: -one.paid_minor)[:10]
        self.wins = [one for one in self.wins if one.paid_minor]

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
        settlements = record.settlements
        touched = {each.bet for each in settlements if not each.by_deed}
        undone = {each.bet for each in settlements if each.outcome in ("withdrawn", "refused", "void")} - touched
        pairs = pairs_of(record.cards)
        taken = sum(each.taken_minor for each in settlements)
        paid = sum(each.paid_minor for each in settlements)
        handle = sum(bet.amount_minor for bet in made if bet.name not in undone)
        steps = None if again.deal is None or again.refused else odds.deal_steps(again.deal)
        of_player = record.bank_minor is not None
        row = record.pit, record.table, record.game, of_player
        if steps is not None and again.deal is not None:
            part.laws.setdefault(row, []).extend(map(sums.law, odds.deal_laws(again.deal)))
        part.results.setdefault(row, []).append(
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
                split_chances=[] if again.terms is None else split_chances(pairs, again.terms.game),
            )
        )
        won = Counter[str]()
        for settled in settlements:
            won[settled.bet] += settled.paid_minor
        part.keep(
            Large(
                record.table,
                record.deal,
                bet.name,
                bet.seat,
                (bet.rank or "") + (bet.suit or ""),
                bet.amount_minor,
                won[bet.name],
            )
            for bet in made
            if bet.name not in undone
        )
        part.amounts.update((taken, paid, handle))
        drawn = checks.drawn_by(record)
        for step in steps or ():
            if not of_player:
                at = drawn[step.position].happened_at if step.position in drawn else self.until
                part.turns.append((at, step.actual, step.expectation, step.variance))
        self._remark(record, again, part)

    def seat(self, floor: Floor) -> None:
        """Set beside the results of each table what its chips say, and remark where the two do not meet."""
        for opening in floor.books:
            name, pit, game, _currency = floor.tables[opening.table]
            part = self.parts.setdefault(opening.currency, _PartWork())
            part.books.setdefault((pit, name, game, False), []).append(opening)
            amounts = (value for key, value in opening.data().items() if key.endswith("_minor") and value is not None)
            part.amounts.update(amounts)
            if opening.within_tolerance is False and opening.residual_minor is not None:
                at = opening.closed_at or self.until
                self._beside("residual", name, at, opening.residual_minor, opening.currency)
        for code, spell in floor.open_for.items():
            name, _pit, _game, currency = floor.tables[code]
            self.parts.setdefault(currency, _PartWork()).open_for[name] = spell
        for incident in floor.incidents:
            name = floor.tables[incident.table][0]
            moved = incident.found_minor - incident.expected_minor
            self.parts.setdefault(incident.currency, _PartWork()).amounts.add(moved)
            self._beside("opener", name, self.since, moved, incident.currency)
        for slip in floor.slips:
            name = floor.tables[slip.table][0] if slip.table in floor.tables else slip.table
            self.parts.setdefault(slip.currency, _PartWork()).amounts.add(slip.amount_minor)
            if slip.state == "void" or slip.late:
                last = slip.steps[-1] if slip.steps else None
                what = " ".join(filter(None, (slip.number, slip.paper_number)))
                reason = ". ".join(filter(None, (what, last.reason if last else "")))
                code = "void" if slip.state == "void" else "late_slip"
                who = " / ".join(filter(None, (last.author, last.second))) if last else slip.requested_by
                at = last.done_at if last else slip.requested_at
                self.remarks.append(Remark(code, name, "", at, who, reason, slip.amount_minor, slip.currency))
            for each in slip.corrections:
                who, why = f"{each.author} / {each.approver}", ". ".join(filter(None, (slip.number, each.reason)))
                moved, at = each.difference_minor, each.corrected_at
                self.parts[slip.currency].amounts.update((moved, each.amount_minor))
                self.remarks.append(Remark("slip_correction", name, "", at, who, why, moved, slip.currency))
        for found in floor.movements:
            name, digits, before = floor.tables[found.table][0], found.exponent, found.said.amount_minor
            for corrected in found.corrections:
                after = corrected.said.amount_minor
                change = f"№ {found.place}: {amount_text(before, digits)} → {amount_text(after, digits)}"
                why = ". ".join(filter(None, (change, corrected.reason)))
                who, at = f"{corrected.author} / {corrected.approver}", corrected.corrected_at
                moved = after - before
                self.parts.setdefault(found.currency, _PartWork()).amounts.update((moved, after))
                code = f"{found.kind}_correction"
                self.remarks.append(Remark(code, name, "", at, who, why, moved, found.currency))
                before = after
        for series in floor.series:
            if series.missing:
                numbers = ", ".join(map(str, series.missing))
                self.remarks.append(
                    Remark("slip", "", "", self.until, "", f"{series.kind} {series.year}: {numbers}", 0)
                )
        unseen: dict[str | None, list[AlertView]] = {}
        for alert in sorted(floor.alerts, key=lambda alert: alert.raised_at):
            unseen.setdefault(alert.name, []).append(alert)
        for of_table, alerts in unseen.items():
            first = alerts[0].raised_at
            self.remarks.append(Remark("alert", of_table or "", "", first, "", "", 0, count=len(alerts)))
        for dispute in floor.disputes:
            name = floor.tables[dispute.table][0]
            if dispute.ruling is None:
                where, why = dispute.deal, dispute.reason or ""
                self.remarks.append(Remark("dispute", name, where, dispute.opened_at, dispute.author, why, 0))
            else:
                self.parts.setdefault(dispute.currency, _PartWork()).amounts.add(dispute.ruling.amount_minor)
        for mispay in floor.mispays:
            self.parts.setdefault(mispay.currency, _PartWork()).amounts.add(mispay.mispay.error_minor)
        for state in floor.cards:
            if state.difference:
                self.remarks.append(Remark("decks", "", "", self.until, "", f"{state.state}: {state.difference:+d}", 0))
        for drop in floor.drops:
            amounts = (count.total_minor for count in drop.counts)
            self.parts.setdefault(drop.currency, _PartWork()).amounts.update(amounts)
        for currency, part in self.parts.items():
            rows = part.rows()
            for row in rows:
                self._judge(row, currency, len(rows))
                if row.books and not row.bank_of_player:
                    booked = sum(floor.played_minor.get(code, 0) for code in {each.table for each in row.books})
                    if booked != row.result.game_win_minor:
                        self._beside("books", row.table, self.until, booked - row.result.game_win_minor, currency)

    def _judge(self, row: TableRow, currency: str, tables: int) -> None:
        """Remark what is too rare to be luck, were any of so many tables as rare."""
        for code, chance in (("splits", row.result.splits_chance), ("rare", row.result.tail)):
            if chance is not None and chance * tables < RARE and not (code == "rare" and row.bank_of_player):
                self.remarks.append(Remark(code, row.table, "", self.until, "", f"p = {chance:.2g}", 0, currency))

    def _beside(self, code: str, table: str, at: datetime, amount: int, currency: str) -> None:
        self.remarks.append(Remark(code, table, "", at, "", "", amount, currency))

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
