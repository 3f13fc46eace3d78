"""Gaming days and shifts by the clock on the wall, exact to the microsecond, also where the clocks change."""

import os
import time as clock
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.calendar import Calendar, Plan, founding

BERLIN = ZoneInfo("Europe/Berlin")
THREE = (time(6), time(14), time(22))
TICK = timedelta(microseconds=1)


def berlin(*starts: time) -> Calendar:
    return Calendar("Europe/Berlin", [Plan(date.min, starts or (time(6),))])


def hours(calendar: Calendar, day: date) -> list[float]:
    return [(shift.until - shift.since) / timedelta(hours=1) for shift in calendar.shifts(day)]


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Tokyo"])
def server_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server whose own clock stands somewhere else."""
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", request.param)
    clock.tzset()
    yield
    if before is None:
        monkeypatch.delenv("TZ")
    else:
        monkeypatch.setenv("TZ", before)
    clock.tzset()


@pytest.mark.usefixtures("server_zone")
def test_the_gaming_day_of_24_october_2026_in_berlin_has_25_hours_wherever_the_server_stands():
    (day,) = berlin().shifts(date(2026, 10, 24))
    # From 6:00 summer time (4:00 UTC) to 6:00 winter time (5:00 UTC).
    assert (day.since, day.until) == (
        datetime(2026, 10, 24, 4, tzinfo=UTC),
        datetime(2026, 10, 25, 5, tzinfo=UTC),
    )
    assert hours(berlin(), date(2026, 10, 24)) == [25]
    # The hour between two and three o'clock comes twice, both times on the same gaming day.
    for fold in (0, 1):
        twice = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=fold)
        assert berlin().gaming_date(twice) == date(2026, 10, 24)


@pytest.mark.usefixtures("server_zone")
def test_the_gaming_day_of_28_march_2026_in_berlin_has_23_hours_wherever_the_server_stands():
    (day,) = berlin().shifts(date(2026, 3, 28))
    # From 6:00 winter time (5:00 UTC) to 6:00 summer time (4:00 UTC).
    assert (day.since, day.until) == (
        datetime(2026, 3, 28, 5, tzinfo=UTC),
        datetime(2026, 3, 29, 4, tzinfo=UTC),
    )
    assert hours(berlin(), date(2026, 3, 28)) == [23]


def test_of_three_shifts_the_night_shift_is_the_longer_or_shorter_one():
    assert hours(berlin(*THREE), date(2026, 10, 24)) == [8, 8, 9]
    assert hours(berlin(*THREE), date(2026, 3, 28)) == [8, 8, 7]
    assert hours(berlin(*THREE), date(2026, 11, 30)) == [8, 8, 8]


def test_a_microsecond_before_six_is_the_day_before_and_six_is_the_day():
    six = datetime(2026, 11, 30, 6, tzinfo=BERLIN)
    found = [berlin(*THREE).shift_at(at) for at in (six - TICK, six, six + timedelta(hours=8) - TICK)]
    assert [(shift.gaming_date.isoformat(), shift.number) for shift in found] == [
        ("2026-11-29", 3), ("2026-11-30", 1), ("2026-11-30", 1),
    ]  # fmt: skip


def test_shifts_that_begin_in_the_hour_that_is_skipped_or_doubled_still_follow_one_another():
    # 2:30 never comes on 29 March: the shift begins when the clocks jump over it, at 1:30 UTC = 3:30 summer time.
    spring = berlin(time(18), time(2, 30)).shifts(date(2026, 3, 28))
    assert spring[1].since == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    # And comes twice on 25 October: the first time counts.
    autumn = berlin(time(18), time(2, 30)).shifts(date(2026, 10, 24))
    assert autumn[1].since == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert hours(berlin(time(18), time(2, 30)), date(2026, 10, 24)) == [8.5, 16.5]


def test_a_plan_with_another_first_hour_makes_one_longer_day_and_leaves_the_days_before_alone():
    calendar = founding("Europe/Berlin", 6, [Plan(date(2026, 12, 1), (time(9), time(21)))])
    assert hours(calendar, date(2026, 11, 29)) == [24]
    assert hours(calendar, date(2026, 11, 30)) == [27]
    assert hours(calendar, date(2026, 12, 1)) == [12, 12]
    # The last plan that holds on a day decides.
    later = founding("Europe/Berlin", 6, [*calendar.plans[1:], Plan(date(2026, 12, 1), (time(8),))])
    assert hours(later, date(2026, 12, 1)) == [24]


def test_shifts_that_do_not_follow_one_another_are_no_plan():
    for starts in ((time(6), time(22), time(14)), (time(6), time(6)), (time(6), time(14), time(22), time(7)), ()):
        with pytest.raises(ValueError, match="follow one another"):
            Plan(date(2026, 1, 1), starts)


@given(
    st.integers(0, 120 * 366 * 24 * 60).map(
        lambda minutes: datetime(1980, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    ),
    st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Almaty"]),
    st.sampled_from([(time(6),), (time(0),), (time(2, 15), time(10), time(18)), (time(23), time(3))]),
)
def test_every_instant_is_in_exactly_one_shift_and_the_shifts_of_a_day_leave_no_gap(instant, zone, starts):
    calendar = Calendar(zone, [Plan(date.min, starts)])
    day = calendar.gaming_date(instant)
    around = [shift for off in (-1, 0, 1) for shift in calendar.shifts(day + timedelta(days=off))]
    assert [shift.until for shift in around[:-1]] == [shift.since for shift in around[1:]]
    assert [shift for shift in around if shift.since <= instant < shift.until] == [calendar.shift_at(instant)]
