"""Who stood where on a gaming day, with reliefs and breaks, and how many tables each watches. It writes nothing."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import connection

from tables.queries.shifts import calendar_of


@dataclass(frozen=True, slots=True)
class Stand:
    """A person at a table in a role, from sign-on until it ended; `ending` says how."""

    table: str
    pit_id: int | None
    role: str
    since: datetime
    until: datetime | None
    ending: str | None
    relieved_by: str | None


@dataclass(frozen=True, slots=True)
class Duty:
    """A person's gaming day. `breaks`: when he stood at no table between two stands."""

    number: str
    name: str
    stands: tuple[Stand, ...]
    breaks: tuple[tuple[datetime, datetime], ...]

    @property
    def tables_now(self) -> tuple[str, ...]:
        """Name the tables at which he is signed on."""
        return tuple(sorted({stand.table for stand in self.stands if stand.until is None}))

    @property
    def rested(self) -> timedelta:
        return sum((until - since for since, until in self.breaks), timedelta())


def duty_of_day(casino_id: int, gaming_date: date) -> tuple[Duty, ...]:
    """Read everybody who stood at a table on a gaming day, by staff number."""
    calendar = calendar_of(casino_id)
    since, until = calendar.day_start(gaming_date), calendar.day_start(gaming_date + timedelta(days=1))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT f.number, f.name, t.code, t.pit_id, s.role, s.started_at, s.ended_at, s.ending, g.number"
            " FROM tables_signon s JOIN tables_staff f ON f.id = s.staff_id JOIN tables_table t ON t.id = s.table_id"
            " LEFT JOIN tables_signon r ON r.id = s.relieved_by_id LEFT JOIN tables_staff g ON g.id = r.staff_id"
            " WHERE f.casino_id = %s AND s.started_at < %s AND (s.ended_at IS NULL OR s.ended_at >= %s)"
            " ORDER BY f.number, s.started_at, s.id",
            [casino_id, until, since],
        )
        rows = cursor.fetchall()
    people: dict[tuple[str, str], list[Stand]] = defaultdict(list)
    for number, name, *stand in rows:
        people[number, name].append(Stand(*stand))
    return tuple(Duty(number, name, tuple(stands), _breaks(stands)) for (number, name), stands in people.items())


def _breaks(stands: list[Stand]) -> tuple[tuple[datetime, datetime], ...]:
    """Find the times between stands at which a person stood nowhere; at several tables at once he has none."""
    found, free_from = [], stands[0].until
    for stand in stands[1:]:
        if free_from is not None and stand.since > free_from:
            found.append((free_from, stand.since))
        if free_from is not None:
            free_from = None if stand.until is None else max(free_from, stand.until)
    return tuple(found)
