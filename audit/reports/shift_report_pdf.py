"""The shift report's pages (the stiff sheet). Says what the data says: its only sums are the data's own."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import IO
from zoneinfo import ZoneInfo

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from audit.reports import masthead, words
from audit.reports.dispute_lines import dispute_cells, dispute_columns, mispay_cells, mispay_columns
from audit.reports.figures import NONE, Figures
from audit.reports.fonts import TEXT
from audit.reports.pen import ACCENT, BAND, DIM, HAIR, INK, MM, PAPER, wrap
from audit.reports.sheet import LANDSCAPE, Column, Head, Row, Sheet
from audit.reports.shift_report import (
    OPEN,
    Chips,
    HandedOver,
    Hour,
    Part,
    Remark,
    Result,
    ShiftReport,
    TableRow,
    chips_of,
    summed,
)
from tables.queries.alerts import IN_MONEY, AlertView
from tables.queries.slips import SlipView

# So many lines of the grid leave the first page room for the pictures and, beside them, the exceptions.
_ROWS_OF_FIRST_PAGE = 19
_BAND_OUTER = (0xE3, 0xE8, 0xE9)
# Millimetres from line to line of the pictures that have one for each table.
_BAR, _NARROWEST_BAR = 3.4, 2.8


def write_shift_report(
    report: ShiftReport,
    file: IO[bytes],
    *,
    language: str,
    zone: ZoneInfo,
    on_page: Callable[[int], None] = lambda _page: None,
) -> int:
    """Write the report as PDF into the file and return its number of pages."""
    with translation.override(language):
        return _Pages(report, file, language, zone, on_page).write()


class _Pages:
    def __init__(
        self,
        report: ShiftReport,
        file: IO[bytes],
        language: str,
        zone: ZoneInfo,
        on_page: Callable[[int], None],
    ) -> None:
        self.report = report
        self.part = report.parts[0]
        self._bar = _BAR
        self._language, self._zone = language, zone
        figures = self.figures
        entries = sum(item.last - item.first + 1 for item in report.journals if item.last)
        whole = sum(1 for item in report.journals if not item.broken)
        rules = ", ".join(report.rules[:6]) + (", …" if len(report.rules) > 6 else "") or NONE
        continuous = _("%(whole)d of %(count)d continuous, %(entries)s entries") % {
            "whole": whole,
            "count": len(report.journals),
            "entries": figures.count(entries),
        }
        self.sheet = Sheet(
            file,
            LANDSCAPE,
            report.imprint,
            Head(
                _("Shift report"),
                self._scope(),
                masthead.note(report.imprint, figures, [part.currency for part in report.parts]),
                masthead.facts(
                    report.imprint,
                    figures,
                    rules=(_("Rules versions"), rules, False),
                    last=[(_("Journals"), continuous, False)],
                ),
            ),
            language,
            masthead.journals_line(report.journals, _("all ranges and heads in section %(number)d") % {"number": 12}),
            on_page,
        )

    def write(self) -> int:
        for part in self.report.parts:
            self.part = part
            if part is not self.report.parts[0]:
                self.sheet.new_page()
            if len(self.report.parts) > 1:
                self.sheet.heading(_("Tables in %(currency)s") % {"currency": words.currency(part.currency)})
            self._executive()
            first = part is self.report.parts[0]
            # Whatever the grid takes, the first page says what must be looked at.
            short = len(part.rows) + len(part.pits()) + len(part.games()) <= _ROWS_OF_FIRST_PAGE
            if first and not short:
                self._exceptions_in_brief()
            self._grid()
            self._pictures(exceptions=first and short)
        self._section(_("1  Chips and cash, opening by opening"), self._books)
        self._section(_("2  Chips by denomination, openers and closers"), self._inventory)
        self._section(_("3  Fills and credits"), self._slips)
        if not self.report.floor.slips:
            for line in self._series():
                self.sheet.note(line)
        self._section(_("4  Drop boxes and counts"), self._drops)
        self._staff()
        self._section(_("6  Game statistics"), self._statistics)
        self._cards()
        self._section(_("8  Disputes and rulings"), self._disputes)
        self._exceptions()
        self._beside_exceptions()
        self._amendments()
        self._handover()
        masthead.write_journals(self.sheet, self.figures, _("12  Journals this report rests on"), self.report.journals)
        self._certification()
        return self.sheet.finish()

    def _section(self, heading: str, write: Callable[[], bool]) -> None:
        """Write a section for each currency that has something of it, or say that there is nothing."""
        self.sheet.heading(heading)
        found = False
        for part in self.report.parts:
            self.part = part
            found = write() or found
        if not found:
            self.sheet.paragraph(_("None."))

    @property
    def figures(self) -> Figures:
        """How the amounts of the part in hand are written."""
        return self._figures_of(self.part)

    def _figures_of(self, part: Part) -> Figures:
        return Figures(self._language, self._zone, part.digits, part.whole)

    def _scope(self) -> str:
        report, figures = self.report, self.figures
        said = _("Gaming day %(day)s, %(shift)s") % {
            "day": figures.day(report.gaming_date),
            "shift": _("all shifts") if report.shift is None else _("shift %(name)s") % {"name": report.shift},
        }
        if report.planned is not None:
            since, until = (figures.clock(moment)[:5] for moment in report.planned)
            said += ". " + _("Planned %(since)s–%(until)s") % {"since": since, "until": until}
        # Where the gaming day says which day it is, the clock alone is read faster.
        write = figures.clock if report.until - report.since < timedelta(days=1) else figures.moment
        actual = _("actual %(since)s to %(until)s, %(zone)s") % {
            "since": write(report.since),
            "until": write(report.until),
            "zone": figures.offset(report.since),
        }
        return f"{said}, {actual}"

    def _theory(self, result: Result) -> str:
        return NONE if result.theoretical_minor is None else self.figures.rounded(result.theoretical_minor)

    def _deviation(self, result: Result) -> str:
        return NONE if result.deviation_minor is None else self.figures.rounded(result.deviation_minor)

    def _z(self, result: Result) -> str:
        return NONE if result.z is None else self.figures.ratio(result.z, 2, sign=True)

    def _hold(self, ratio: Fraction | None) -> str:
        return NONE if ratio is None else self.figures.ratio(float(ratio * 100), 1)

    def _known(self, minor: int | None) -> str:
        return NONE if minor is None else self.figures.amount(minor)

    def _executive(self) -> None:
        report, figures = self.report, self.figures
        total, chips = self.part.total, self.part.chips
        z = self._z(total) + ("" if total.tail is None else f"; {figures.chance(total.tail)}")
        exceptions = (_("Open exceptions"), figures.count(report.open_exceptions) if report.exceptions else _("none"))
        if chips is None:
            first = [
                (_("Handle"), figures.amount(total.handle_minor)),
                (_("Taken"), figures.amount(total.taken_minor)),
                (_("Paid"), figures.amount(total.paid_minor)),
                (_("Game win"), figures.amount(total.game_win_minor)),
            ]
        else:
            counted = chips.drop_minor is not None
            hold = self._hold(chips.hold)
            first = [
                (_("Drop, counted") if counted else _("Drop, not counted yet"), self._known(chips.drop_minor)),
                (_("Win"), self._known(chips.win_minor)),
                (_("Hold"), hold if chips.hold is None else f"{hold}\u202f%"),
                (_("Handle"), figures.amount(total.handle_minor)),
            ]
        last = (_("Residual"), self._known(chips.residual_minor)) if chips else (_("Turns"), figures.count(total.turns))
        law = _("z; tail chance, normal law") if total.exact_tail is None else _("z; exact tail chance")
        theory = [(_("Theoretical win"), self._theory(total)), (law, z)]
        self.sheet.executive([*first, *theory, last, exceptions])

    def _cells(self, name: str, rows: Sequence[TableRow], counted: bool) -> list[str]:
        """Write a line of the grid: a table, or several together."""
        figures = self.figures
        result = summed([row.result for row in rows])
        cells = [name]
        if counted:
            chips = chips_of([each for row in rows for each in row.books])
            cells += (
                [NONE] * 7
                if chips is None
                else [
                    self._known(chips.opener_minor),
                    self._moved(chips.fills_minor),
                    self._moved(chips.credits_minor),
                    self._known(chips.closer_minor),
                    self._known(chips.drop_minor),
                    self._known(chips.win_minor),
                    self._hold(chips.hold),
                ]
            )
            cells.append(figures.amount(result.game_win_minor))
            cells.append(NONE if chips is None else self._known(chips.residual_minor))
            cells.append(figures.amount(result.handle_minor))
        else:
            cells += map(figures.count, (result.deals, result.bets))
            amounts = (result.handle_minor, result.taken_minor, result.paid_minor, result.game_win_minor)
            cells += map(figures.amount, amounts)
        cells += [self._theory(result), self._deviation(result), self._z(result)]
        expected = figures.ratio(float(result.splits_expected), 1)
        return [*cells, figures.count(result.turns), figures.count(result.splits), expected]

    def _moved(self, minor: int) -> str:
        return self.figures.amount(minor) if minor else NONE

    def _grid(self) -> None:
        part = self.part
        counted = part.chips is not None
        rows: list[Row | list[str]] = []
        pits = part.pits()
        for pit, tables in pits:
            for row in tables:
                name = " ".join(filter(None, (row.table, pit, "¹" if row.bank_of_player else "")))
                rows.append(self._cells(name, [row], counted))
            house = [row for row in tables if not row.bank_of_player]
            if len(pits) > 1 and house:
                rows.append(Row(self._cells(_("Pit %(name)s") % {"name": pit or NONE}, house, counted), "sub"))
        for code, of_game in part.games():
            rows.append(Row(self._cells(_("%(game)s, all") % {"game": words.game(code)}, of_game, counted), "game"))
        rows.append(Row(self._cells(_("All tables"), part.house_rows, counted), "total"))
        notes = []
        if any(row.bank_of_player for row in part.rows):
            notes.append(_("¹ Bank of a player: its win is the banker’s and in no sum of the house."))
        if counted:
            notes.append(
                _(
                    "Win = closer + credits + drop − opener − fills, as counted. Residual = win − game win: what "
                    "neither chips, cash nor bets explain. A dash: not known yet."
                )
            )
        notes.append(
            _(
                "Game win = taken − paid, by bets. Theoretical win and standard deviation: exact expectation and "
                "variance of every turn dealt, given the bets that stood and the cards left, rounded to whole units; "
                "z = (game win − theoretical win) / standard deviation."
            )
        )
        if part.exact_tail is not None:
            notes.append(
                _(
                    "Exact tail chance: of a game win at least as far from the theoretical win, either way; the laws "
                    "of all turns, each as it was given all before it, added up as independent ones."
                )
            )
        money = (
            [_("Opener"), _("Fills"), _("Credits"), _("Closer"), _("Drop"), _("Win"), _("Hold, %"), _("Game win"),
             _("Residual"), _("Handle")]
            if counted
            else [_("Deals"), _("Bets"), _("Handle"), _("Taken"), _("Paid"), _("Game win")]
        )  # fmt: skip
        bold = {_("Win")} if counted else {_("Game win")}
        theory = [
            _("Theoretical win"),
            _("Standard deviation"),
            "z",
            _("Turns"),
            _("Splits seen"),
            _("Splits expected"),
        ]
        self.sheet.table(
            [
                Column(_("Table"), "left", stretch=1.4),
                *(Column(head, stretch=1, bold=head in bold) for head in [*money, *theory]),
            ],
            rows,
            note=" ".join(notes),
        )

    def _exceptions_in_brief(self) -> None:
        """Name the exceptions in two lines, the open ones first."""
        said = self._named_or_counted(6, lines=2) or _("None.")
        self.sheet.paragraph(_("Exceptions, open ones first: %(what)s") % {"what": said}, size=7.9)
        if self.report.exceptions:
            self.sheet.note(_("In words: section 9."))

    def _named_or_counted(self, most: int, *, lines: int) -> str:
        """Name the exceptions, the open ones first; where there are more than so many, say how many of each kind."""
        exceptions = self.report.exceptions
        found = sorted(exceptions, key=lambda item: item.code not in OPEN)
        if len(found) <= most:
            return "; ".join(
                f"{exceptions.index(item) + 1} {words.finding(item.code)}: "
                + ", ".join(filter(None, (item.table, item.deal)))
                for item in found
            )
        kinds = Counter(item.code for item in found)
        codes = sorted(kinds, key=lambda code: (code not in OPEN, -kinds[code]))
        named = [f"{words.finding(code)}: {self.figures.count(kinds[code])}" for code in codes]
        face = self.sheet.pen.face(TEXT)
        for left_out in range(len(named)):
            rest = sum(kinds[code] for code in codes[len(codes) - left_out :])
            more = [_("+%(count)d more") % {"count": rest}] if rest else []
            said = "; ".join([*named[: len(named) - left_out], *more])
            if len(wrap(face, said, 7.9, self.sheet.room)) <= lines:
                return said
        return _("+%(count)d more") % {"count": len(found)}

    def _pictures(self, *, exceptions: bool) -> None:
        judged = [row for row in self.part.rows if row.result.z is not None]
        held = [
            (row, chips) for row in self.part.house_rows if (chips := chips_of(row.books)) and chips.hold is not None
        ]
        drawn = min(len(held) if held else len(judged), 24)
        # Lines a little closer rather than a page without its pictures.
        room = (self.sheet.y - self.sheet.floor) / MM
        self._bar = min(_BAR, max(_NARROWEST_BAR, (room - 11.0) / max(drawn, 1)))
        self.sheet.need(max(45.0, 11.0 + self._bar * drawn) * MM)
        self.sheet.beside(
            (0.36, lambda: self._hours(self.part.hours)),
            (0.34, lambda: self._holds(held) if held else self._bands(judged)),
            (0.30, lambda: self._right_column(exceptions)),
        )

    def _right_column(self, exceptions: bool) -> None:
        self._periods()
        if exceptions:
            self._first_exceptions()

    def _periods(self) -> None:
        """Set the shift beside the day, the month and the year it belongs to."""
        names = {"shift": _("Shift"), "day": _("Gaming day"), "month": _("Month to date"), "year": _("Year to date")}
        rows = []
        for code, sums in self.report.floor.periods:
            if code == "shift" and self.report.shift is None:
                continue
            for total in sums:
                if total.currency == self.part.currency:
                    drop, win = (
                        (self.figures.rounded(total.drop_minor), self.figures.rounded(total.win_minor))
                        if total.complete
                        else (NONE, NONE)
                    )
                    rows.append([names[code], drop, win, self._hold(total.hold if total.complete else None)])
        if rows:
            self.sheet.heading(_("Periods, counted tables"), keep=0)
            heads = [Column(_("Period"), "left"), Column(_("Drop")), Column(_("Win")), Column(_("Hold, %"))]
            self.sheet.table(heads, rows, size=7.4, row=3.8 * MM)

    def _books(self) -> bool:
        """Say of every counted opening what chips and cash say, and what neither they nor the bets explain."""
        found = [opening for opening in self.report.floor.books if opening.currency == self.part.currency]
        if not found:
            return False
        amount = self._known
        rows: list[Row | list[str]] = [
            [
                f"{self.report.name_of(opening.table)}, {opening.opening}",
                amount(opening.opener_minor),
                amount(opening.fills_minor),
                amount(opening.credits_minor),
                amount(opening.drop_minor),
                amount(opening.closer_minor),
                amount(opening.win_minor),
                self._hold(opening.hold),
                amount(opening.game_win_minor),
                amount(opening.residual_minor),
                amount(opening.float_difference_minor),
                amount(opening.drop_variance_minor),
                amount(opening.expected_float_minor),
            ]
            for opening in found
        ]
        self.sheet.table(
            [
                Column(_("Table, opening"), "left", stretch=1.6),
                *(
                    Column(head, stretch=1, bold=head in (_("Win"), _("Residual")))
                    for head in (
                        _("Opener"),
                        _("Fills"),
                        _("Credits"),
                        _("Drop"),
                        _("Closer"),
                        _("Win"),
                        _("Hold, %"),
                        _("Game win"),
                        _("Residual"),
                        _("in the chips"),
                        _("in the cash"),
                        _("Expected float"),
                    )
                ),
            ],
            rows,
            note=_("Game win here is that of the books: table fees and rulings are in it."),
        )
        return True

    def _inventory(self) -> bool:
        """Count the chips of each opener and closer, a column for each denomination."""
        figures = self.figures
        found = [line for line in self.report.floor.inventories if line.currency == self.part.currency]
        if not found:
            return False
        values = {line.chip: line.value_minor for line in found}
        chips = sorted(values, key=lambda chip: (-values[chip], chip))
        kinds = {"opener": _("Opener"), "closer": _("Closer")}
        counts = dict.fromkeys((line.table, line.opening, line.kind) for line in found)
        rows = []
        for table, opening, kind in counts:
            mine = [line for line in found if (line.table, line.opening, line.kind) == (table, opening, kind)]
            pieces = {line.chip: line.pieces for line in mine}
            total = sum(line.pieces * line.value_minor for line in mine)
            cells = [figures.count(pieces[chip]) if chip in pieces else NONE for chip in chips]
            name = f"{self.report.name_of(table)}, {opening}"
            rows.append([name, kinds[kind], *cells, figures.amount(total)])
        heads = [chip if values[chip] else _("%(chip)s (colour)") % {"chip": chip} for chip in chips]
        self.sheet.table(
            [
                Column(_("Table, opening"), "left", stretch=2),
                Column(_("Opener or closer"), "left"),
                *(Column(head, stretch=1) for head in heads),
                Column(_("Total"), stretch=1, bold=True),
            ],
            rows,
            note=_("Pieces; the total is their value. A colour chip has the value that it was sold at, and none here."),
        )
        return True

    def _slips(self) -> bool:
        figures = self.figures
        found = [slip for slip in self.report.floor.slips if slip.currency == self.part.currency]
        if not found:
            return False

        def step(slip: SlipView, name: str) -> str:
            for each in slip.steps:
                if each.step == name:
                    who = " / ".join(filter(None, (each.author, each.second)))
                    return f"{figures.clock(each.done_at)[:5]} {who}"
            return NONE

        rows = []
        for slip in found:
            reason = next((each.reason for each in slip.steps if each.step in ("void", "declined") and each.reason), "")
            ended = words.slip_state(slip.state)
            if slip.corrections:
                ended += ", " + _("corrected from %(amount)s") % {"amount": figures.amount(slip.amount_minor)}
            rows.append(
                [
                    slip.number or NONE,
                    words.slip_kind(slip.kind) + (f", {slip.paper_number}" if slip.late else ""),
                    self.report.name_of(slip.table),
                    figures.amount(slip.standing_minor),
                    f"{figures.clock(slip.requested_at)[:5]} {slip.requested_by}",
                    step(slip, "issued"),
                    step(slip, "carried"),
                    step(slip, "received"),
                    f"{ended}: {reason}" if reason else ended,
                ]
            )
        self.sheet.table(
            [
                Column(_("Number"), "left"),
                Column(_("Kind"), "left"),
                Column(_("Table"), "left", stretch=1),
                Column(_("Amount")),
                Column(_("Requested"), "left"),
                Column(_("Issued"), "left"),
                Column(_("Carried"), "left"),
                Column(_("Received"), "left"),
                Column(_("State"), "left", stretch=2),
            ],
            rows,
            note="\n".join(self._series()) if found[-1].currency == self._last_with_slips() else "",
        )
        return True

    def _last_with_slips(self) -> str:
        currencies = {slip.currency for slip in self.report.floor.slips}
        return [part.currency for part in self.report.parts if part.currency in currencies][-1]

    def _series(self) -> Iterator[str]:
        """Say of each series of the year that no number of it is missing, or which."""
        for series in self.report.floor.series:
            missing = ", ".join(map(str, series.missing)) or _("none")
            void = ", ".join(map(str, series.void)) or _("none")
            unused = ", ".join(map(str, series.unused)) or _("none")
            yield _(
                "%(kind)s, series %(year)d: 1–%(last)d; missing: %(missing)s; void: %(void)s; under way: %(unused)s."
            ) % {
                "kind": words.slip_kind(series.kind),
                "year": series.year,
                "last": series.last,
                "missing": missing,
                "void": void,
                "unused": unused,
            }

    def _drops(self) -> bool:
        figures = self.figures
        found = [drop for drop in reversed(self.report.floor.drops) if drop.currency == self.part.currency]
        if not found:
            return False
        rows = []
        for drop in found:
            steps = {each.step: each for each in drop.steps}
            custody = [
                f"{figures.clock(steps[name].done_at)[:5]} {steps[name].author} / {steps[name].second}"
                if name in steps
                else NONE
                for name in ("attached", "removed", "received")
            ]
            counts = "; ".join(
                f"{figures.amount(count.total_minor)} ({count.author} / {count.second})" for count in drop.counts
            )
            variance = NONE if drop.variance_minor is None else figures.signed(drop.variance_minor)
            bought = figures.amount(drop.expected_minor)
            name = f"{self.report.name_of(drop.table)}, {drop.opening}"
            rows.append([drop.box, name, *custody, counts or NONE, bought, variance, drop.approver or NONE])
        self.sheet.table(
            [
                Column(_("Box"), "left"),
                Column(_("Table, opening"), "left", stretch=1),
                Column(_("Attached"), "left"),
                Column(_("Taken off"), "left"),
                Column(_("Received"), "left"),
                Column(_("Counted, each time"), "left", stretch=2),
                Column(_("Bought in")),
                Column(_("Difference")),
                Column(_("Approved"), "left"),
            ],
            rows,
        )
        return True

    def _staff(self) -> None:
        figures = self.figures
        self.sheet.heading(_("5  Staff and reliefs"))
        endings = {
            "off": _("signed off"),
            "relief": _("relieved"),
            "again": _("signed on again"),
            "moved": _("moved to another table"),
            "revoked": _("device revoked"),
        }
        rows = []
        for duty in self.report.floor.duties:
            ending = endings.get(duty.ending, NONE)
            if duty.relieved_by:
                ending = _("relieved by %(number)s") % {"number": duty.relieved_by}
            until = figures.clock(duty.until) if duty.until else _("on duty")
            span = (duty.until or self.report.until) - duty.since
            minutes = figures.count(max(0, int(span.total_seconds()) // 60))
            since = figures.clock(duty.since)
            rows.append([duty.table, words.role(duty.role), duty.number, duty.name, since, until, minutes, ending])
        if not rows:
            self.sheet.paragraph(_("None."))
            return
        self.sheet.table(
            [
                Column(_("Table"), "left", stretch=1),
                Column(_("Role"), "left"),
                Column(_("Number"), "left"),
                Column(_("Name"), "left", stretch=2),
                Column(_("From")),
                Column(_("Until")),
                Column(_("Minutes")),
                Column(_("How it ended"), "left", stretch=2),
            ],
            rows,
        )

    def _statistics(self) -> bool:
        figures, part = self.figures, self.part
        if not part.rows:
            return False
        rows = []
        for row in part.rows:
            result = row.result
            average = Fraction(result.handle_minor, result.bets) if result.bets else None
            chance = result.splits_chance
            rows.append(
                [
                    row.table,
                    figures.count(result.deals),
                    figures.count(result.turns),
                    NONE if row.pace is None else figures.ratio(float(row.pace), 1),
                    figures.count(result.bets),
                    NONE if average is None else figures.rounded(average),
                    figures.amount(result.handle_minor),
                    figures.amount(result.taken_minor),
                    figures.amount(result.paid_minor),
                    figures.count(result.splits),
                    figures.ratio(float(result.splits_expected), 1),
                    NONE if chance is None else figures.chance(chance),
                ]
            )
        self.sheet.table(
            [
                Column(_("Table"), "left", stretch=1.4),
                *(
                    Column(head, stretch=1)
                    for head in (
                        _("Deals"),
                        _("Turns"),
                        _("Turns an hour"),
                        _("Bets"),
                        _("Average bet"),
                        _("Handle"),
                        _("Taken"),
                        _("Paid"),
                        _("Splits seen"),
                        _("Splits expected"),
                        _("Exact chance"),
                    )
                ),
            ],
            rows,
            note=_(
                "Splits expected: the sum of the chances of each turn dealt, from the cards left before it. Exact "
                "chance: that so many, or a rarer number, are seen (two-sided, no approximation)."
            ),
        )
        for title, found in ((_("The largest bets"), part.bets), (_("The largest wins of players"), part.wins)):
            if not found:
                continue
            self.sheet.space(2)
            self.sheet.table(
                [
                    Column(title, "left", stretch=2),
                    Column(_("Bet"), "left", stretch=1),
                    Column(_("Seat"), stretch=0.4),
                    Column(pgettext("head", "On"), "left", stretch=0.4),
                    Column(_("Stake"), stretch=1),
                    Column(_("Paid"), stretch=1),
                ],
                [
                    [
                        f"{one.table}, {one.deal}",
                        one.bet,
                        figures.count(one.seat),
                        words.cards(one.on),
                        figures.amount(one.amount_minor),
                        figures.amount(one.paid_minor),
                    ]
                    for one in found
                ],
            )
        return True

    def _cards(self) -> None:
        """Reconcile the decks of the gaming day, state by state."""
        figures = self.figures
        self.sheet.heading(_("7  Card control"))
        found = [state for state in self.report.floor.cards if state.before or state.came or state.counted]
        if not found:
            self.sheet.paragraph(_("None."))
            return
        rows = []
        for state in found:
            moved = map(figures.count, (state.before, state.came, state.left, state.after))
            counted = NONE if state.counted is None else figures.count(state.counted)
            difference = NONE if state.difference is None else figures.count(state.difference)
            rows.append([words.deck_state(state.state), *moved, counted, difference])
        heads = (_("Before"), _("Came"), _("Left"), _("After"), _("Counted"), _("Difference"))
        columns = [Column(_("Decks of the gaming day"), "left", stretch=2)]
        self.sheet.table([*columns, *(Column(head, stretch=1) for head in heads)], rows)

    def _disputes(self) -> bool:
        found = [item for item in self.report.floor.disputes if item.currency == self.part.currency]
        if found:
            rows = [dispute_cells(item, self.report.name_of(item.table), self.figures) for item in found]
            self.sheet.table(dispute_columns(), rows)
        return bool(found)

    def _first_exceptions(self) -> None:
        """Say on the first page what must be looked at; the whole list is section 9."""
        sheet = self.sheet
        found = sorted(self.report.exceptions, key=lambda item: item.code not in OPEN)
        sheet.heading(_("Exceptions, open ones first"), keep=0)
        if not found:
            sheet.paragraph(_("None."))
            return
        # As many as this page has room for, or else how many of each kind.
        fit = max(1, int((sheet.y - sheet.floor - 4.5 * MM) / (3.8 * MM)))
        if len(found) > min(fit, 6):
            sheet.paragraph(self._named_or_counted(0, lines=fit), size=7.9, gap=0)
        else:
            for item in found:
                place = f"{item.table}, {item.deal}" if item.deal else item.table
                number = self.report.exceptions.index(item) + 1
                sheet.paragraph(f"{number}  {words.finding(item.code)}: {place}", size=7.9, gap=0)
        sheet.note(_("In words: section 9."))

    def _hours(self, hours: Sequence[Hour]) -> None:
        """Draw the game win against its expectation and its band of one and two standard deviations."""
        sheet, pen, figures = self.sheet, self.sheet.pen, self.figures
        sheet.heading(_("Game win by hour in its band of ±1, ±2 sd"), keep=0)
        if len(hours) < 2:
            sheet.paragraph(_("Less than two hours of play: no curve."), ink=DIM)
            return
        top, height, gutter = sheet.y - 2 * MM, 28 * MM, 17 * MM
        left, width = sheet.left + gutter, sheet.room - gutter - 3 * MM
        mean = [float(hour.theoretical_minor) for hour in hours]
        spread = [float(hour.variance) ** 0.5 for hour in hours]
        win = [float(hour.game_win_minor) for hour in hours]
        high = max(*(m + 2 * s for m, s in zip(mean, spread, strict=True)), *win, 0.0)
        low = min(*(m - 2 * s for m, s in zip(mean, spread, strict=True)), *win, 0.0)
        if high == low:
            sheet.paragraph(_("No turn with a bet on it."), ink=DIM)
            return
        step = _round_step((high - low) / 4)
        low, high = step * (low // step), step * -(-high // step)
        begin, end = self.report.since, hours[-1].until

        def at(moment: datetime, value: float) -> tuple[float, float]:
            share = (moment - begin) / (end - begin) if end > begin else 0.0
            return left + width * share, top - height + height * (value - low) / (high - low)

        moments = [begin, *(hour.until for hour in hours)]
        mean, spread, win = [0.0, *mean], [0.0, *spread], [0.0, *win]
        for times, ink in ((2, _BAND_OUTER), (1, BAND)):
            upper = [at(t, m + times * s) for t, m, s in zip(moments, mean, spread, strict=True)]
            lower = [at(t, m - times * s) for t, m, s in zip(moments, mean, spread, strict=True)]
            pen.area([*upper, *reversed(lower)], ink=ink)
        level = low
        while level <= high + step / 2:
            _x, y = at(begin, level)
            pen.rules([(left, width, y)], weight=0.25, ink=HAIR)
            pen.text(
                sheet.left,
                y - 2,
                figures.count(round(level / 10**figures.digits)),
                room=gutter - 2 * MM,
                size=6.8,
                ink=DIM,
                align="right",
            )
            level += step
        pen.path([at(t, m) for t, m in zip(moments, mean, strict=True)], weight=0.7, ink=INK, dashed=True)
        pen.path([at(t, w) for t, w in zip(moments, win, strict=True)], weight=1.2, ink=ACCENT)
        pen.fill(
            [(x - 1.3, y - 1.3, 2.6, 2.6) for x, y in (at(t, w) for t, w in zip(moments, win, strict=True))],
            ink=ACCENT,
        )
        every = max(1, -(-len(moments) // 12))
        free = 0.0  # a first hour may be a short one
        for index in range(0, len(moments), every):
            x, _y = at(moments[index], 0)
            if x < free:
                continue
            free = x + 7 * MM
            pen.text(
                x - 6 * MM,
                top - height - 3.4 * MM,
                figures.clock(moments[index])[:5],
                room=12 * MM,
                size=6.8,
                ink=DIM,
                align="centre",
            )
        sheet.y = top - height - 5 * MM

    def _holds(self, held: Sequence[tuple[TableRow, Chips]]) -> None:
        """Draw what each table held of its drop: a bar from nought, hollow for a loss, and a mark where expected."""
        sheet, pen, figures = self.sheet, self.sheet.pen, self.figures
        sheet.heading(_("Hold by table, %; mark: expected"), keep=0)
        shares: list[tuple[str, float, float | None]] = []
        for row, chips in held:
            assert chips.hold is not None, "only tables with a hold are drawn"
            theory = row.result.theoretical_minor
            due = float(theory / chips.drop_minor * 100) if theory is not None and chips.drop_minor else None
            shares.append((row.table, float(chips.hold * 100), due))
        far = sorted(shares, key=lambda share: -abs(share[1]))[:24]
        shown = [share for share in shares if share in far]
        reach = max(abs(value) for _name, hold, due in shown for value in (hold, due or 0.0)) or 1.0
        top, row_height = sheet.y - 1 * MM, self._bar * MM
        label, value = 26 * MM, 11 * MM
        left = sheet.left + label + value + 2 * MM
        width = sheet.room - label - value - 4 * MM
        below = any(hold < 0 or (due or 0) < 0 for _name, hold, due in shown)
        nought = left + (width / 2 if below else 0)
        unit = (width / 2 if below else width) / reach
        for index, (name, hold, due) in enumerate(shown):
            base = top - (index + 1) * row_height + 1.0 * MM
            pen.text(sheet.left, base, name, room=label - 1 * MM, size=6.8)
            pen.text(sheet.left + label, base, figures.ratio(hold, 1), room=value, size=6.8, align="right")
            x, wide = (nought, hold * unit) if hold >= 0 else (nought + hold * unit, -hold * unit)
            if hold >= 0:
                pen.fill([(x, base - 0.3 * MM, wide, 2.2 * MM)], ink=ACCENT)
            else:
                pen.frame(x, base - 0.3 * MM, wide, 2.2 * MM, weight=0.7, ink=ACCENT)
            if due is not None:
                mark = nought + due * unit
                pen.path([(mark, base - 0.8 * MM), (mark, base + 2.4 * MM)], weight=1.1)
        height = row_height * len(shown)
        pen.path([(nought, top), (nought, top - height)], weight=0.6)
        sheet.y = top - height - 2 * MM
        if len(shares) > len(shown):
            sheet.note(_("+%(count)d tables nearer to nought: see the grid.") % {"count": len(shares) - len(shown)})

    def _bands(self, rows: Sequence[TableRow]) -> None:
        """Draw each table's z on one scale: luck is the normal case and looks like it."""
        sheet, pen, figures = self.sheet, self.sheet.pen, self.figures
        sheet.heading(_("Luck by table: distance from expected, in sd"), keep=0)
        if not rows:
            sheet.paragraph(_("No turn with a bet on it."), ink=DIM)
            return
        # With more tables than fit, those farthest from their expectation, in the order of the grid.
        far = sorted(rows, key=lambda row: -abs(float(row.result.z or 0)))[:24]
        shown = [row for row in rows if row in far]
        top, row = sheet.y - 1 * MM, self._bar * MM
        label, value = 26 * MM, 11 * MM
        left = sheet.left + label + value + 2 * MM
        width = sheet.room - label - value - 4 * MM
        unit = width / 8
        middle = left + width / 2
        height = row * len(shown)
        pen.fill([(middle - 2 * unit, top - height, 4 * unit, height)], ink=_BAND_OUTER)
        pen.fill([(middle - unit, top - height, 2 * unit, height)], ink=BAND)
        pen.path([(middle, top), (middle, top - height)], weight=0.5)
        for index, item in enumerate(shown):
            z = float(item.result.z or 0)
            base = top - (index + 1) * row + 1.0 * MM
            pen.text(sheet.left, base, item.table, room=label - 1 * MM, size=6.8)
            pen.text(sheet.left + label, base, figures.ratio(z, 2, sign=True), room=value, size=6.8, align="right")
            x = middle + unit * max(-4.0, min(4.0, z))
            y = base + 0.8 * MM
            half = 1.0 * MM
            pen.area(
                [(x - half, y), (x, y + half), (x + half, y), (x, y - half)],
                ink=ACCENT if abs(z) < 2 else INK,
            )
            if abs(z) < 2:
                inner = 0.45 * MM
                pen.area([(x - inner, y), (x, y + inner), (x + inner, y), (x, y - inner)], ink=PAPER)
        for mark in range(-4, 5):
            pen.text(
                middle + mark * unit - 5 * MM,
                top - height - 3.2 * MM,
                figures.ratio(mark, 0, sign=True),
                room=10 * MM,
                size=6.8,
                ink=DIM,
                align="centre",
            )
        sheet.y = top - height - 5 * MM
        if len(rows) > len(shown):
            sheet.note(_("+%(count)d tables nearer to it: see the grid.") % {"count": len(rows) - len(shown)})

    def _exceptions(self) -> None:
        figures = self.figures
        self.sheet.heading(_("9  Exceptions"))
        if not self.report.exceptions:
            self.sheet.paragraph(_("None."))
            return
        self.sheet.table(
            [
                Column(_("No.")),
                Column(_("At"), "left"),
                Column(_("Table, deal"), "left", stretch=1),
                Column(_("What"), "left"),
                Column(_("Who"), "left"),
                Column(_("In words"), "left", stretch=4),
                Column(_("State"), "left"),
                Column(_("Amount")),
            ],
            [
                [
                    figures.count(number),
                    figures.moment(item.at),
                    f"{item.table}, {item.deal}" if item.deal else item.table,
                    words.finding(item.code),
                    item.who or NONE,
                    _in_words(item, figures.point),
                    _("open") if item.code in OPEN else _("noted"),
                    self._amount(item),
                ]
                for number, item in enumerate(self.report.exceptions, start=1)
            ],
        )

    def _beside_exceptions(self) -> None:
        """Write mispays, and how devices and log-ins fared; nothing where nothing happened."""
        figures, floor, sheet = self.figures, self.report.floor, self.sheet
        if floor.mispays:
            sheet.heading(_("Mispays"))
            of_currency = {part.currency: self._figures_of(part) for part in self.report.parts}
            sheet.table(
                mispay_columns(),
                [mispay_cells(item, of_currency.get(item.currency, figures)) for item in floor.mispays],
            )
        if floor.off_line or floor.clocks:
            sheet.heading(_("Devices off line, and clocks that differ"))
            rows = [
                (
                    each.table,
                    each.device,
                    figures.moment(each.since),
                    figures.moment(each.until),
                    str(each.event_count),
                    "",
                )
                for each in floor.off_line
            ]
            rows += [
                (each.table, each.device, "", "", figures.count(each.doubted_count), _seconds(each.largest, figures))
                for each in floor.clocks
            ]
            sheet.table(
                [
                    Column(_("Table"), "left", stretch=1),
                    Column(_("Device"), "left", stretch=1),
                    Column(_("Off line from"), "left"),
                    Column(_("to"), "left"),
                    Column(_("Events")),
                    Column(_("Clock, s")),
                ],
                [[self.report.name_of(table), *rest] for table, *rest in sorted(rows)],
                note=_(
                    "Off line: events that reached us more than 30 s after they happened. Clock: how far the "
                    "device's was from ours at most, above zero fast; its events are those whose times could not "
                    "be believed."
                ),
            )
        if floor.alerts:
            sheet.heading(_("Alerts not acknowledged"))
            sheet.table(
                [
                    Column(_("Raised"), "left"),
                    Column(_("Table"), "left", stretch=1),
                    Column(_("What"), "left", stretch=3),
                    Column(_("Over"), "left"),
                ],
                [
                    [
                        figures.moment(alert.raised_at),
                        alert.name or NONE,
                        self._alert(alert),
                        figures.moment(alert.over_at) if alert.over_at else _("not yet"),
                    ]
                    for alert in sorted(floor.alerts, key=lambda alert: (alert.raised_at, alert.id))
                ],
                note=_(
                    "As the floor raised them in the shift; when this report was made nobody had confirmed to have "
                    "seen them."
                ),
            )
        if floor.failed_attempts:
            sheet.heading(_("Log-ins that failed"))
            sheet.table(
                [
                    Column(_("Last at"), "left"),
                    Column(_("Staff number"), "left"),
                    Column(_("Device or address"), "left", stretch=1),
                    Column(_("In a row")),
                ],
                [
                    [
                        figures.moment(each.last_at),
                        each.staff,
                        each.where or _("own session"),
                        figures.count(each.count),
                    ]
                    for each in floor.failed_attempts
                ],
                note=_("From the fifth wrong PIN or password in a row on, as the casino's journal has it."),
            )

    def _alert(self, alert: AlertView) -> str:
        figures = self.figures
        part = next((part for part in self.report.parts if part.currency == alert.currency), self.part)
        money = alert.kind in IN_MONEY

        def written(value: int | None) -> str:
            if value is None:
                return NONE
            return (
                Figures(self._language, self._zone, part.digits, False).amount(value) if money else figures.count(value)
            )

        since = figures.clock(alert.since)[:5] if alert.since else NONE
        return words.notice(alert.kind, value=written(alert.value), limit=written(alert.limit), since=since)

    def _amount(self, item: Remark) -> str:
        if not item.amount_minor:
            return NONE
        part = next(part for part in self.report.parts if part.currency == item.currency)
        text = self._figures_of(part).signed(item.amount_minor)
        return text if len(self.report.parts) == 1 else f"{text} {item.currency}"

    def _amendments(self) -> None:
        """Say what arrived after the shift was closed, and which papers no longer hold."""
        figures, floor = self.figures, self.report.floor
        self.sheet.heading(_("10  Arrived after the closing"))
        if floor.replaces:
            self.sheet.paragraph(_("This revision supersedes %(serials)s.") % {"serials": ", ".join(floor.replaces)})
        if not floor.amendments:
            self.sheet.paragraph(_("None."))
            return
        self.sheet.table(
            [
                Column(_("Recorded"), "left"),
                Column(_("Happened"), "left"),
                Column(_("Table, opening"), "left", stretch=1),
                Column(_("What"), "left", stretch=2),
                Column(_("Who"), "left"),
            ],
            [
                [
                    figures.moment(item.recorded_at),
                    figures.moment(item.happened_at),
                    f"{self.report.name_of(item.table)}, {item.opening}",
                    words.arrived(item.what),
                    item.author or NONE,
                ]
                for item in floor.amendments
            ],
        )

    def _handover(self) -> None:
        """Say how each table was left, what the next shift has to see to, and what was written down."""
        figures, report, sheet = self.figures, self.report, self.sheet
        sheet.heading(_("11  Handover"))
        left = report.handed_over()
        if left:
            sheet.table(
                [
                    Column(_("Table, opening"), "left", stretch=1),
                    Column(pgettext("table", "Left"), "left"),
                    Column(_("Float")),
                    Column(_("On duty"), "left", stretch=1),
                    Column(_("For the next shift"), "left", stretch=4),
                ],
                [
                    [
                        f"{report.name_of(item.spell.table)}, {item.spell.opening}",
                        _("closed %(time)s") % {"time": figures.clock(item.spell.closed_at)[:5]}
                        if item.spell.closed_at
                        else _("open since %(time)s") % {"time": figures.clock(item.spell.opened_at)[:5]},
                        self._float(item),
                        ", ".join(duty.number for duty in item.duties) or NONE,
                        "; ".join(self._under_way(item)) or _("nothing"),
                    ]
                    for item in left
                ],
                note=_("Float: the closer; of an open table what should lie there after all that was recorded."),
            )
        elsewhere = [
            _in_words(item, figures.point) for item in report.exceptions if item.code == "alert" and not item.table
        ]
        if elsewhere:
            sheet.paragraph(_("Of the house: %(what)s.") % {"what": "; ".join(elsewhere)})
        if report.floor.notes:
            sheet.space(2)
            sheet.table(
                [
                    Column(_("Incident")),
                    Column(_("At"), "left"),
                    Column(_("Table"), "left"),
                    Column(_("Written by"), "left"),
                    Column(_("In words"), "left", stretch=1),
                ],
                [
                    [
                        figures.count(note.number),
                        figures.moment(note.happened_at),
                        report.name_of(note.table) if note.table else NONE,
                        note.author,
                        _("erased") if note.text is None else note.text,
                    ]
                    for note in sorted(report.floor.notes, key=lambda note: note.number)
                ],
            )
        elif not left:
            sheet.paragraph(_("None."))
        sheet.need(22 * MM)
        sheet.signatures([_("Handed over: name, time, signature"), _("Taken over: name, time, signature")])

    def _float(self, item: HandedOver) -> str:
        if item.books is None or item.float_minor is None:
            return NONE
        part = next(part for part in self.report.parts if part.currency == item.books.currency)
        return self._figures_of(part).amount(item.float_minor)

    def _under_way(self, item: HandedOver) -> Iterator[str]:
        point = self.figures.point
        for slip in item.slips:
            yield f"{words.slip_kind(slip.kind)} {slip.number or NONE}: {words.slip_state(slip.state)}"
        for box in item.boxes:
            yield _("box %(box)s: %(state)s") % {"box": box.box, "state": words.box_state(box.state)}
        for dispute in item.disputes:
            yield _("dispute %(number)d not ruled on") % {"number": dispute.number}
        for remark in item.remarks:
            what = words.finding(remark.code) + (f" ({remark.deal})" if remark.deal else "")
            yield _in_words(remark, point) if remark.code == "alert" else what

    def _certification(self) -> None:
        self.sheet.heading(_("13  Certification"), keep=22 * MM)
        self.sheet.paragraph(
            _(
                "I have compared this report with what I saw of the shift. What differs is noted on it by hand, with "
                "my initials."
            )
        )
        self.sheet.signatures(
            [
                _("Pit boss: name, date, signature"),
                _("Shift manager: name, date, signature"),
                _("Auditor: name, date, signature"),
            ]
        )


def _seconds(length: timedelta, figures: Figures) -> str:
    """Write a clock's difference in whole seconds, with its sign."""
    seconds = round(length.total_seconds())
    return ("+" if seconds > 0 else "") + figures.count(seconds)


def _in_words(item: Remark, point: str) -> str:
    if item.code == "alert":
        return ngettext("%(count)d alert not acknowledged", "%(count)d alerts not acknowledged", item.count) % {
            "count": item.count
        }
    parts = [words.corrected(item.kind, item.what, point) if item.kind else "", item.text]
    return ". ".join(filter(None, parts))


def _round_step(raw: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten that is no smaller."""
    power = 100.0
    while power * 10 <= raw:
        power *= 10
    for times in (1, 2, 5, 10):
        if power * times >= raw:
            return power * times
    raise AssertionError(raw)
