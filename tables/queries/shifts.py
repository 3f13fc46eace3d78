"""The calendar of a house, its shifts with who closed them, and what arrived after that. It writes nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.db import connection

from tables import calendar
from tables.calendar import Calendar, Plan, Shift


@dataclass(frozen=True, slots=True)
class PlanView:
    """A version of the shift plan."""

    number: int
    since: date
    starts: tuple[time, ...]
    author: str
    approver: str


def plans(casino_id: int) -> tuple[PlanView, ...]:
    """List the versions of a house's shift plan, oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.number, p.since_date, array_agg(s.starts_at ORDER BY s.number), p.author, p.approver"
            " FROM tables_shiftplan p JOIN tables_shiftstart s ON s.plan_id = p.id"
            " WHERE p.casino_id = %s GROUP BY p.number, p.since_date, p.author, p.approver ORDER BY p.number",
            [casino_id],
        )
        return tuple(
            PlanView(number, since, tuple(starts), author, approver)
            for number, since, starts, author, approver in cursor.fetchall()
        )


def calendar_of(casino_id: int) -> Calendar:
    """Read the calendar of a house."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT time_zone, day_start_hour FROM tables_casino WHERE id = %s", [casino_id])
        zone, hour = cursor.fetchone()
    return calendar.founding(zone, hour, [Plan(plan.since, plan.starts) for plan in plans(casino_id)])


# -- how far a shift is


@dataclass(frozen=True, slots=True)
class Amendment:
    """Something that arrived after its shift was closed. `table` alone where it is of the casino's own journal."""

    table: str
    opening: int
    what: str
    author: str
    happened_at: datetime
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class ShiftState:
    """A shift and how far it is.

    open_tables   tables of the shift that are still open: code and opening
    openings      how many openings it has
    amendments    what arrived after the closing, in the order in which it was recorded
    """

    shift: Shift
    openings: int
    open_tables: tuple[tuple[str, int], ...]
    closed_at: datetime | None
    closed_by: str
    amendments: tuple[Amendment, ...]

    @property
    def revision(self) -> int:
        """Return 0 while the shift is open, 1 from its closing on, and one more for everything that arrives later.

        A report of a shift is final while the shift still has the revision that it had when the report was made.
        """
        return 0 if self.closed_at is None else 1 + len(self.amendments)

    def stage(self, now: datetime) -> str:
        """Say in one word where the shift stands: coming, running, over, closed, amended."""
        if self.closed_at is not None:
            return "amended" if self.amendments else "closed"
        if now < self.shift.since:
            return "coming"
        return "running" if now < self.shift.until else "over"


_OPENINGS = """
SELECT COALESCE(o.shift, 1), o.id, t.code, o.number, c.opening_id IS NULL FROM tables_opening o
JOIN tables_table t ON t.id = o.table_id LEFT JOIN tables_closing c ON c.opening_id = o.id
WHERE t.casino_id = %s AND o.gaming_date = %s ORDER BY t.code, o.number
"""
_CLOSINGS = """
SELECT shift, id, closed_at, author FROM tables_shiftclosing WHERE casino_id = %s AND gaming_date = %s
"""
# Of a table: what was recorded late, and an opening or closing that came after the shift was closed. What was played
# between these two is theirs. Of a later opening: what a deal of this one was corrected to. Of the casino: what became
# of the boxes.
_AMENDMENTS = """
WITH o AS (
    SELECT s.id AS closing_id, s.sequence AS casino_sequence, o.id, o.number, o.sequence AS opened,
        c.sequence AS closed, t.code, h.journal_id, COALESCE(k.sequence, 0) AS until
    FROM tables_shiftclosing s
    JOIN tables_table t ON t.casino_id = s.casino_id JOIN tables_tablehead h ON h.table_id = t.id
    JOIN tables_opening o ON o.table_id = t.id AND o.gaming_date = s.gaming_date AND COALESCE(o.shift, 1) = s.shift
    LEFT JOIN tables_closing c ON c.opening_id = o.id
    LEFT JOIN tables_shiftclosingtable k ON k.closing_id = s.id AND k.table_id = t.id
    WHERE s.id = ANY(%(closings)s)
), found AS (
    SELECT o.closing_id, o.code, o.number, e.type, e.author, e.happened_at, e.recorded_at
    FROM o JOIN tables_entry e ON e.journal_id = o.journal_id AND e.sequence > o.until AND e.late
        AND (e.text::json ->> 'opening')::int = o.number
    UNION ALL
    SELECT o.closing_id, o.code, o.number, e.type, e.author, e.happened_at, e.recorded_at
    FROM o JOIN tables_entry e ON e.journal_id = o.journal_id AND e.sequence IN (o.opened, o.closed)
        AND e.sequence > o.until
    UNION ALL
    SELECT o.closing_id, o.code, o.number, e.type, e.author, e.happened_at, e.recorded_at
    FROM o JOIN tables_deal d ON d.opening_id = o.id
    JOIN tables_correction c ON c.deal_id = d.id AND c.sequence > o.until
    JOIN tables_entry e ON e.journal_id = o.journal_id AND e.sequence = c.sequence AND NOT e.late
    UNION ALL
    SELECT o.closing_id, o.code, o.number, e.type, e.author, e.happened_at, e.recorded_at
    FROM o JOIN tables_drop d ON d.opening_id = o.id
    JOIN (
        SELECT drop_id, sequence FROM tables_dropstep UNION ALL SELECT drop_id, sequence FROM tables_dropcount
        UNION ALL SELECT drop_id, sequence FROM tables_dropapproval
    ) b ON b.drop_id = d.id AND b.sequence > o.casino_sequence
    JOIN tables_casinohead ch ON ch.casino_id = %(casino)s
    JOIN tables_entry e ON e.journal_id = ch.journal_id AND e.sequence = b.sequence
)
SELECT closing_id, code, number, type, author, happened_at, recorded_at FROM found ORDER BY recorded_at, code
"""


def shifts_of_day(casino_id: int, gaming_date: date) -> tuple[ShiftState, ...]:
    """Read every shift of a gaming day: those of the plan, and any other that an opening still belongs to."""
    planned = calendar_of(casino_id).shifts(gaming_date)
    with connection.cursor() as cursor:
        cursor.execute(_OPENINGS, [casino_id, gaming_date])
        openings: dict[int, list[tuple[str, int, bool]]] = defaultdict(list)
        for number, _id, code, opening, is_open in cursor.fetchall():
            openings[number].append((code, opening, is_open))
        cursor.execute(_CLOSINGS, [casino_id, gaming_date])
        closings = {number: closing for number, *closing in cursor.fetchall()}
        amended: dict[int, list[Amendment]] = defaultdict(list)
        if closings:
            ids = [closing[0] for closing in closings.values()]
            cursor.execute(_AMENDMENTS, {"closings": ids, "casino": casino_id})
            for closing_id, *amendment in cursor.fetchall():
                amended[closing_id].append(Amendment(*amendment))
    return tuple(
        _state(shift, openings[shift.number], closings.get(shift.number), amended)
        for shift in _with_more(planned, openings)
    )


def _with_more(planned: Sequence[Shift], openings: dict[int, Any]) -> list[Shift]:
    """Add shifts that the plan no longer has, as long as the last one: what was opened in them must be found."""
    last = planned[-1]
    more = [number for number in sorted(openings) if number > last.number]
    return [*planned, *(Shift(last.gaming_date, number, last.of, last.since, last.until) for number in more)]


def _state(
    shift: Shift,
    openings: Sequence[tuple[str, int, bool]],
    closing: Sequence[Any] | None,
    amended: dict[int, list[Amendment]],
) -> ShiftState:
    id, closed_at, author = closing or (None, None, "")
    return ShiftState(
        shift,
        len(openings),
        tuple((code, opening) for code, opening, is_open in openings if is_open),
        closed_at,
        author,
        tuple(amended.get(id, ())) if id is not None else (),
    )


def shift_state(casino_id: int, gaming_date: date, number: int) -> ShiftState | None:
    """Read one shift; None where the day has none of that number."""
    return next((each for each in shifts_of_day(casino_id, gaming_date) if each.shift.number == number), None)


# -- tables that play on past the change


@dataclass(frozen=True, slots=True)
class Overdue:
    """An open table whose opening belongs to a shift that is over."""

    table: str
    pit_id: int | None
    opening: int
    gaming_date: date
    shift: int
    counted: bool


def overdue(casino_id: int, now: datetime) -> tuple[Overdue, ...]:
    """List the open tables that should be counted and rolled over into the shift that runs now."""
    current = calendar_of(casino_id).shift_at(now)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.code, t.pit_id, o.number, o.gaming_date, COALESCE(o.shift, 1),"
            " EXISTS (SELECT 1 FROM tables_movement m WHERE m.opening_id = o.id AND m.kind = 'opener')"
            " FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id"
            " JOIN tables_opening o ON o.id = h.opening_id"
            " WHERE t.casino_id = %s AND (o.gaming_date, COALESCE(o.shift, 1)) < (%s, %s) ORDER BY t.code",
            [casino_id, current.gaming_date, current.number],
        )
        return tuple(Overdue(*row) for row in cursor.fetchall())
