"""Gaming day and shift of an instant. Plain Python: instants, zone and plans come in; it reads no clock.

A wall clock says when a shift begins, so a day has 23 or 25 hours where the clocks change. The zone is always the
house's own: neither the server's nor the database's time zone has a say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

MOST_SHIFTS: Final = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """How gaming days from `since` on are divided: when each shift begins; the first begins the day."""

    since: date
    starts: tuple[time, ...]

    def __post_init__(self) -> None:
        after_first = [_after(start, self.starts[0]) for start in self.starts]
        if not 1 <= len(self.starts) <= MOST_SHIFTS or after_first != sorted(set(after_first)):
            raise ValueError("the shifts of a plan follow one another within a day")


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift of a gaming day, the `number`th of `of`: from `since`, until before `until`."""

    gaming_date: date
    number: int
    of: int
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Calendar:
    """The gaming days of a house. Of the plans that hold on a day, the last one in the list decides."""

    time_zone: str
    plans: Sequence[Plan]

    def gaming_date(self, instant: datetime) -> date:
        """Return the gaming day of an aware instant."""
        today = instant.astimezone(ZoneInfo(self.time_zone)).date()
        return today if self.day_start(today) <= instant else today - timedelta(days=1)

    def day_start(self, day: date) -> datetime:
        """Return when a gaming day begins."""
        return self._instant(day, self._plan(day).starts[0])

    def shifts(self, day: date) -> tuple[Shift, ...]:
        """Return the shifts of a gaming day. Together they are the whole day, up to the start of the next."""
        starts, end = self._plan(day).starts, self.day_start(day + timedelta(days=1))
        marks = [self.day_start(day)]
        for start in starts[1:]:
            on = day if start > starts[0] else day + timedelta(days=1)
            # Where clocks or the plan change, a shift may shrink to nothing, but never begin before the one before it.
            marks.append(min(max(self._instant(on, start), marks[-1]), end))
        return tuple(
            Shift(day, number, len(starts), since, until)
            for number, (since, until) in enumerate(zip(marks, [*marks[1:], end], strict=True), start=1)
        )

    def shift_at(self, instant: datetime) -> Shift:
        """Return the shift that contains an aware instant."""
        return [shift for shift in self.shifts(self.gaming_date(instant)) if shift.since <= instant][-1]

    def _plan(self, day: date) -> Plan:
        return [plan for plan in self.plans if plan.since <= day][-1]

    def _instant(self, day: date, start: time) -> datetime:
        """Return when the clock on the wall shows `start`: the first time, or where it never does, the jump over it."""
        return datetime.combine(day, start, ZoneInfo(self.time_zone)).astimezone(UTC)


def founding(time_zone: str, day_start_hour: int, later: Sequence[Plan] = ()) -> Calendar:
    """Return the calendar of a house that began with one shift of 24 hours and made later plans."""
    return Calendar(time_zone, (Plan(date.min, (time(day_start_hour),)), *later))


def _after(start: time, first: time) -> int:
    minutes = [60 * each.hour + each.minute for each in (start, first)]
    return (minutes[0] - minutes[1]) % (24 * 60)
