"""The shift report's pages (the stiff sheet). Says what the data says: its only sums are the data's own."""

from collections.abc import Callable, Sequence
from datetime import datetime
from fractions import Fraction
from typing import IO
from zoneinfo import ZoneInfo

from django.utils import translation
from django.utils.translation import gettext as _

from audit.reports import words
from audit.reports.figures import NONE, Figures
from audit.reports.fonts import MONO
from audit.reports.pen import ACCENT, BAND, DIM, HAIR, INK, MM, PAPER
from audit.reports.sheet import LANDSCAPE, Column, Head, Row, Sheet, short_hash
from audit.reports.shift_report import Hour, Part, Remark, Result, ShiftReport, TableRow, summed
from tables.queries.books import totals

_BAND_OUTER = (0xE3, 0xE8, 0xE9)


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
        self._language, self._zone = language, zone
        figures = self.figures
        imprint = report.imprint
        entries = sum(item.last - item.first + 1 for item in report.journals if item.last)
        whole = sum(1 for item in report.journals if not item.broken)
        facts = [
            (
                _("Serial, revision"),
                _("%(serial)s, rev. %(revision)d") % {"serial": imprint.serial, "revision": imprint.revision},
                False,
            ),
            (
                _("Rules versions"),
                ", ".join(report.rules[:6]) + (", …" if len(report.rules) > 6 else "") or NONE,
                False,
            ),
            (_("Software, build"), f"{imprint.version}, {imprint.build}", False),
            (_("Generated"), figures.moment(imprint.generated_at), False),
            (_("Asked by"), imprint.asked_by or _("scheduled"), False),
            (
                _("Journals"),
                _("%(whole)d of %(count)d continuous, %(entries)s entries")
                % {"whole": whole, "count": len(report.journals), "entries": figures.count(entries)},
                False,
            ),
        ]
        currencies = ", ".join(words.currency(part.currency) for part in report.parts)
        note = _("All amounts in %(currency)s.") % {"currency": currencies}
        if imprint.demonstration:
            note += " " + _("Demonstration: no real house.")
        self.sheet = Sheet(
            file,
            LANDSCAPE,
            imprint,
            Head(_("Shift report"), self._scope(), note, facts),
            language,
            self._heads_line(),
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
            self._grid()
            self._pictures()
            self._books()
        self._exceptions()
        self._journals()
        self._certification()
        return self.sheet.finish()

    @property
    def figures(self) -> Figures:
        """How the amounts of the part in hand are written."""
        return self._figures_of(self.part)

    def _figures_of(self, part: Part) -> Figures:
        return Figures(self._language, self._zone, part.digits, part.whole)

    def _scope(self) -> str:
        report, figures = self.report, self.figures
        return _("Gaming day %(day)s, %(shift)s, actual %(since)s to %(until)s, %(zone)s") % {
            "day": figures.day(report.gaming_date),
            "shift": _("shift %(name)s") % {"name": report.shift} if report.shift else _("all shifts"),
            "since": figures.moment(report.since),
            "until": figures.moment(report.until),
            "zone": figures.offset(report.since),
        }

    def _heads_line(self) -> str:
        journals = self.report.journals
        if not journals:
            return _("no journal")
        first = journals[0]
        line = _("journal %(name)s %(first)d–%(last)d, head %(head)s") % {
            "name": first.name,
            "first": first.first,
            "last": first.last,
            "head": short_hash(first.head),
        }
        return line + ("; " + _("all ranges and heads in section 3") if len(journals) > 1 else "")

    def _theory(self, result: Result) -> str:
        return NONE if result.theoretical_minor is None else self.figures.rounded(result.theoretical_minor)

    def _deviation(self, result: Result) -> str:
        return NONE if result.deviation_minor is None else self.figures.rounded(result.deviation_minor)

    def _z(self, result: Result) -> str:
        return NONE if result.z is None else self.figures.ratio(result.z, 2, sign=True)

    def _executive(self) -> None:
        report, figures = self.report, self.figures
        total = self.part.total
        tail = total.tail
        self.sheet.executive(
            [
                (_("Handle"), figures.amount(total.handle_minor)),
                (_("Taken"), figures.amount(total.taken_minor)),
                (_("Paid"), figures.amount(total.paid_minor)),
                (_("Game win"), figures.amount(total.game_win_minor)),
                (_("Theoretical win"), self._theory(total)),
                (_("z; tail chance"), self._z(total) + ("" if tail is None else f"; {figures.chance(tail)}")),
                (_("Turns"), figures.count(total.turns)),
                (_("Exceptions"), figures.count(len(report.exceptions)) if report.exceptions else _("none")),
            ]
        )

    def _cells(self, name: str, pit: str, result: Result) -> list[str]:
        figures = self.figures
        return [
            name,
            pit,
            figures.count(result.deals),
            figures.count(result.turns),
            figures.count(result.splits),
            figures.count(result.bets),
            figures.amount(result.handle_minor),
            figures.amount(result.taken_minor),
            figures.amount(result.paid_minor),
            figures.amount(result.game_win_minor),
            self._theory(result),
            self._deviation(result),
            self._z(result),
        ]

    def _grid(self) -> None:
        report = self.part
        rows: list[Row | list[str]] = []
        pits = report.pits()
        for pit, tables in pits:
            rows.extend(
                self._cells(row.table + (" ¹" if row.bank_of_player else ""), pit, row.result) for row in tables
            )
            house = [row for row in tables if not row.bank_of_player]
            if len(pits) > 1 and house:
                rows.append(Row(self._cells(_("Pit %(name)s") % {"name": pit or NONE}, "", _sum(house)), "sub"))
        for code, result in report.games():
            rows.append(Row(self._cells(_("%(game)s, all") % {"game": words.game(code)}, "", result), "game"))
        rows.append(Row(self._cells(_("All tables"), "", report.total), "total"))
        notes = []
        if any(row.bank_of_player for row in report.rows):
            notes.append(_("¹ Bank of a player: its win is the banker’s and in no sum of the house."))
        notes.append(
            _(
                "Game win = taken − paid, by bets. Theoretical win and standard deviation: exact expectation and "
                "variance of every turn dealt, given the bets that stood and the cards left, rounded to whole units; "
                "z = (game win − theoretical win) / standard deviation."
            )
        )
        self.sheet.table(
            [
                Column(_("Table"), "left", stretch=2),
                Column(_("Pit"), "left"),
                Column(_("Deals")),
                Column(_("Turns")),
                Column(_("Splits")),
                Column(_("Bets")),
                Column(_("Handle"), stretch=1),
                Column(_("Taken"), stretch=1),
                Column(_("Paid"), stretch=1),
                Column(_("Game win"), stretch=1, bold=True),
                Column(_("Theoretical win"), stretch=1),
                Column(_("Standard deviation"), stretch=1),
                Column("z", stretch=0.6),
            ],
            rows,
            note=" ".join(notes),
        )

    def _pictures(self) -> None:
        judged = [row for row in self.part.rows if row.result.z is not None]
        height = max(46.0, 9.0 + 3.4 * min(len(judged), 24)) * MM
        self.sheet.need(height)
        self.sheet.beside(
            (0.38, lambda: self._hours(self.part.hours)),
            (0.36, lambda: self._bands(judged)),
            (0.26, self._first_exceptions if self.part is self.report.parts[0] else lambda: None),
        )

    def _books(self) -> None:
        """Say of every counted opening what chips and cash say, and what neither they nor the bets explain."""
        found = [opening for opening in self.report.books if opening.currency == self.part.currency]
        if not found:
            return
        figures = self.figures

        def amount(minor: int | None) -> str:
            return NONE if minor is None else figures.amount(minor)

        def hold(ratio: Fraction | None) -> str:
            return NONE if ratio is None else figures.ratio(float(ratio * 100), 1) + "\u202f%"

        rows: list[Row | list[str]] = [
            [
                f"{opening.table}, {opening.opening}",
                amount(opening.opener_minor),
                amount(opening.fills_minor),
                amount(opening.credits_minor),
                amount(opening.drop_minor),
                amount(opening.closer_minor),
                amount(opening.win_minor),
                hold(opening.hold),
                amount(opening.game_win_minor),
                amount(opening.residual_minor),
                amount(opening.expected_float_minor),
            ]
            for opening in found
        ]
        for total in totals(found):
            sums = (total.win_minor, total.game_win_minor, total.residual_minor)
            win, game_win, residual = (amount(minor) if total.complete else NONE for minor in sums)
            drop = amount(total.drop_minor) if total.complete else NONE
            ratio = hold(total.hold) if total.complete else NONE
            cells = [_("All counted openings"), "", "", "", drop, "", win, ratio, game_win, residual, ""]
            rows.append(Row(cells, "total"))
        self.sheet.heading(_("Chips and cash"))
        self.sheet.table(
            [
                Column(_("Table, opening"), "left", stretch=2),
                Column(_("Opener"), stretch=1),
                Column(_("Fills"), stretch=1),
                Column(_("Credits"), stretch=1),
                Column(_("Drop"), stretch=1),
                Column(_("Closer"), stretch=1),
                Column(_("Win"), stretch=1, bold=True),
                Column(_("Hold"), stretch=1),
                Column(_("Game win"), stretch=1),
                Column(_("Residual"), stretch=1, bold=True),
                Column(_("Expected float"), stretch=1),
            ],
            rows,
            note=_(
                "Win = closer + credits + drop − opener − fills, as counted. Residual = win − game win: what neither "
                "chips, cash nor bets explain. A dash: not known yet."
            ),
        )

    def _first_exceptions(self) -> None:
        """Say on the first page what must be looked at; the whole list is section 2."""
        sheet, found = self.sheet, self.report.exceptions
        sheet.heading(_("Exceptions"), keep=0)
        if not found:
            sheet.paragraph(_("None."))
            return
        for number, item in enumerate(found[:6], start=1):
            place = f"{item.table}, {item.deal}" if item.deal else item.table
            sheet.paragraph(f"{number}  {words.finding(item.code)}: {place}", size=7.9, gap=0)
        if len(found) > 6:
            sheet.paragraph(_("+%(count)d more") % {"count": len(found) - 6}, size=7.9, gap=0)
        sheet.note(_("In words: section 2."))

    def _hours(self, hours: Sequence[Hour]) -> None:
        """Draw the game win against its expectation and its band of one and two standard deviations."""
        sheet, pen, figures = self.sheet, self.sheet.pen, self.figures
        sheet.heading(_("Game win by hour in its band of ±1, ±2 sd"), keep=0)
        if len(hours) < 2:
            sheet.paragraph(_("Less than two hours of play: no curve."), ink=DIM)
            return
        top, height, gutter = sheet.y - 2 * MM, 32 * MM, 17 * MM
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
        for index in range(0, len(moments), every):
            x, _y = at(moments[index], 0)
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
        top, row = sheet.y - 1 * MM, 3.4 * MM
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
        self.sheet.heading(_("2  Exceptions in words"))
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
                Column(_("Change of game win")),
            ],
            [
                [
                    figures.count(number),
                    figures.moment(item.at),
                    f"{item.table}, {item.deal}" if item.deal else item.table,
                    words.finding(item.code),
                    item.who or NONE,
                    _in_words(item, figures.point),
                    self._amount(item),
                ]
                for number, item in enumerate(self.report.exceptions, start=1)
            ],
        )

    def _amount(self, item: Remark) -> str:
        if not item.amount_minor:
            return NONE
        part = next(part for part in self.report.parts if part.currency == item.currency)
        text = self._figures_of(part).signed(item.amount_minor)
        return text if len(self.report.parts) == 1 else f"{text} {item.currency}"

    def _journals(self) -> None:
        figures = self.figures
        self.sheet.heading(_("3  Journals this report rests on"))
        self.sheet.table(
            [
                Column(_("Journal"), "left", stretch=1),
                Column(_("Entries")),
                Column(_("Head, SHA-256"), "left", name=MONO),
                Column(_("Chain"), "left", stretch=1),
            ],
            [
                [
                    item.name,
                    f"{figures.count(item.first)}{NONE}{figures.count(item.last)}" if item.last else _("empty"),
                    item.head or NONE,
                    item.broken or _("holds"),
                ]
                for item in self.report.journals
            ],
            size=7.2,
            empty=_("none"),
        )

    def _certification(self) -> None:
        self.sheet.heading(_("4  Certification"), keep=22 * MM)
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


def _in_words(item: Remark, point: str) -> str:
    parts = [words.corrected(item.kind, item.what, point) if item.kind else "", item.text]
    return ". ".join(filter(None, parts))


def _sum(rows: Sequence[TableRow]) -> Result:
    return summed([row.result for row in rows])


def _round_step(raw: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten that is no smaller."""
    power = 100.0
    while power * 10 <= raw:
        power *= 10
    for times in (1, 2, 5, 10):
        if power * times >= raw:
            return power * times
    raise AssertionError(raw)
