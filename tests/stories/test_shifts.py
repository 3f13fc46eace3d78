"""Shifts of a house as its people live them: opened before the change, rolled over at it, closed, and amended after."""

import re
import threading
import uuid
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client

from tables.actions import cage, door, shifts
from tables.models import Casino, Closing, Opening, ShiftClosing
from tables.queries import books
from tables.queries import shifts as queries
from tables.rules.refusals import Refusal
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in, fresh
from tests.tables.a_game import bet, card, statuses
from tests.tables.a_house import PIN
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line, until_waiting

pytestmark = pytest.mark.django_db(transaction=True)

MOSCOW = ZoneInfo("Europe/Moscow")
TICK = timedelta(microseconds=1)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def plan(table: Cage, since: date, *starts: int, now: datetime = LONG_AGO) -> None:
    """Divide the day at these hours, by shift manager and auditor."""
    shifts.set_plan(
        table.house.casino_id,
        since=since,
        starts=[time(hour) for hour in starts],
        author=table["S-1"],
        approver=table["A-1"],
        now=now,
    )


def vouched(table: Cage, *events: dict[str, object], at: datetime) -> None:
    """Have something recorded at the table that happened then."""
    with transaction.atomic():
        door.record_for_house(table.table, door.vouch(events, author="D-1", happened_at=at))


def close_shift(table: Cage, day: date, number: int, now: datetime) -> queries.ShiftState:
    return shifts.close_shift(table.house.casino_id, day, number, author=table["S-1"], now=now)


def state(table: Cage, day: date, number: int) -> queries.ShiftState:
    found = queries.shift_state(table.house.casino_id, day, number)
    assert found is not None
    return found


def shift_now(table: Cage) -> tuple[date, int]:
    """The gaming day and the shift that run now."""
    now = queries.calendar_of(table.house.casino_id).shift_at(datetime.now(UTC))
    return now.gaming_date, now.number


def test_a_table_opened_a_microsecond_before_six_and_one_opened_at_six_are_of_two_gaming_days():
    table = a_cage()
    plan(table, date(2026, 3, 1), 6, 14, 22)
    six = datetime(2026, 3, 5, 6, tzinfo=MOSCOW)
    with connection.cursor() as cursor:
        cursor.execute("SET TIME ZONE 'Pacific/Kiritimati'")  # fourteen hours east: nothing asks the server
    for at in (six - TICK, six, six + timedelta(hours=8) - TICK, six + timedelta(hours=8)):
        vouched(table, {"type": "open"}, {"type": "close"}, at=at)
    with connection.cursor() as cursor:
        cursor.execute("SET TIME ZONE 'UTC'")
    assert list(Opening.objects.order_by("number").values_list("gaming_date", "shift")) == [
        (date(2026, 3, 4), 3),
        (date(2026, 3, 5), 1),
        (date(2026, 3, 5), 1),
        (date(2026, 3, 5), 2),
    ]
    assert intact()


def test_a_table_that_plays_past_the_change_is_counted_once_and_goes_on_in_the_next_shift():
    table = a_cage()
    now = datetime.now(UTC)
    opened_at = now - timedelta(days=1)
    vouched(table, {"type": "opener", "chips": {"1000": 80}, "inspector": "I-1"}, at=opened_at)
    day = table.books().gaming_date
    # The next day has begun, and the table still plays: it is asked for.
    change = queries.calendar_of(table.house.casino_id).day_start(day + timedelta(days=1))
    (due,) = queries.overdue(table.house.casino_id, change)
    assert (due.table, due.opening, due.gaming_date, due.shift) == ("S", 1, day, 1)
    assert queries.overdue(table.house.casino_id, change - TICK) == ()
    chips = {"1000": 80}
    with pytest.raises(Refusal) as early:
        cage.roll_over("S", chips, dealer=table["D-1"], inspector=table["I-1"], id=uuid.uuid4(), now=change - TICK)
    assert early.value.code == "already_done"
    # Inside a deal it waits for the end of it.
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), card("QS"))
    id = uuid.uuid4()
    with pytest.raises(Refusal) as playing:
        cage.roll_over("S", chips, dealer=table["D-1"], inspector=table["I-1"], id=id, now=now)
    assert playing.value.code == "deal_not_finished"
    tablet.send(card("KH"), {"type": "end"})
    # Two inspectors roll it over at the same moment: it is closed and opened once.
    both = [
        tried(cage.roll_over, "S", {"1000": 81}, dealer=table["D-1"], inspector=table["I-1"], id=each, now=now)
        for each in (id, uuid.uuid4())
    ]
    said = in_line(both)
    assert Closing.objects.count() == 1
    assert sorted(said) == ["already_done", "done"]
    first, second = table.books(1), table.books(2)
    # The queen lost: 80,000 + 1,000 are there, counted as closer and as opener.
    assert (first.opener_minor, first.closer_minor, first.float_difference_minor) == (8_000_000, 8_100_000, 0)
    assert (second.opener_minor, second.opener_difference_minor, second.closed_at) == (8_100_000, 0, None)
    assert first.closed_at == second.opened_at
    assert (second.gaming_date, second.shift) == shift_now(table)
    assert intact()


def test_the_shift_manager_closes_a_shift_once_when_every_table_of_it_is_closed():
    table = a_cage()
    table.open(c1000=10)
    day, number = shift_now(table)
    now = datetime.now(UTC)
    assert state(table, day, number).stage(now) == "running"
    assert state(table, day, number).revision == 0
    with pytest.raises(Refusal) as still_open:
        close_shift(table, day, number, now)
    assert (still_open.value.code, still_open.value.facts["value"]) == ("tables_open", "S")
    table.close(c1000=10)
    for number_of_none, when in ((number + 1, now), (number, datetime(2020, 1, 1, tzinfo=UTC))):
        with pytest.raises(Refusal) as none:
            close_shift(table, day, number_of_none, when)
        assert none.value.code == "bad_line"
    with pytest.raises(Refusal) as nobody:
        shifts.close_shift(table.house.casino_id, day, number, author=table["P-1"], now=now)
    assert nobody.value.code == "not_allowed"
    both = [tried(close_shift, table, day, number, now) for _ in range(2)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    assert ShiftClosing.objects.count() == 1
    closed = state(table, day, number)
    assert (closed.stage(now), closed.closed_by, closed.revision) == ("closed", "S-1", 1)
    assert [entry for entry in table.house.journal() if entry[0] == "shift_closed"] == [("shift_closed", "S-1")]
    assert intact()


def test_closing_a_shift_waits_for_whoever_writes_at_a_table():
    table = a_cage()
    table.open(c1000=10)
    day, number = shift_now(table)
    table.close(c1000=10)
    written = threading.Event()
    said: list[object] = []

    def closing() -> None:
        said.append(tried(close_shift, table, day, number, datetime.now(UTC))())
        said.append(written.is_set())
        connection.close()

    with transaction.atomic():
        # Somebody opens the table again and has not finished writing.
        door.record_for_house("S", door.vouch([{"type": "open"}], author="D-1"))
        waiting = threading.Thread(target=closing)
        waiting.start()
        until_waiting(1)
        written.set()
    waiting.join(10)
    # What was being written counts: the table is open, so the shift is not closed.
    assert said == ["tables_open", True]


def test_what_arrives_after_the_closing_goes_to_its_opening_is_marked_late_and_amends_the_shift():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    day, number = shift_now(table)
    table.close(c1000=50)
    close_shift(table, day, number, datetime.now(UTC))
    before = state(table, day, number)
    assert (before.revision, before.amendments) == (1, ())
    opened_at = table.books().opened_at
    # A tablet comes back on line with a buy-in of 5,000 that it took before the closer; the house learns of the cash.
    late = tablet.envelope(buy_in("5000", c1000=5))
    lag = datetime.now(UTC) - opened_at - timedelta(milliseconds=1)
    sent_at = datetime(2026, 6, 1, 12, tzinfo=UTC)
    late |= {"at": (sent_at - lag).isoformat(), "sent_at": sent_at.isoformat()}
    with connection.cursor() as cursor:  # its sign-on began with the opening
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SELECT started_at FROM tables_signon")
        (started_at,) = cursor.fetchone()
        cursor.execute("UPDATE tables_signon SET started_at = %s", [opened_at - timedelta(seconds=9)])
        cursor.execute("SET session_replication_role = origin")
    assert statuses(tablet.post([late]).json()["answers"]) == ["recorded"]
    with connection.cursor() as cursor:  # what was only done for this is found otherwise
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE tables_signon SET started_at = %s", [started_at])
        cursor.execute("SET session_replication_role = origin")
    after = state(table, day, number)
    assert after.stage(datetime.now(UTC)) == "amended"
    assert after.revision == 2
    (amendment,) = after.amendments
    assert (amendment.table, amendment.opening, amendment.what, amendment.author) == ("S", 1, "buy_in", "D-1")
    assert amendment.happened_at < table.books().closed_at < amendment.recorded_at
    # The books of the opening have it, and the float is 5,000 over what is now expected.
    found = table.books()
    assert (found.buy_ins_minor, found.expected_float_minor, found.float_difference_minor) == (
        500_000,
        4_500_000,
        500_000,
    )
    # A table that is opened again in the closed shift amends it too, and leaves it open while it plays.
    table.open(c1000=50)
    again = state(table, day, number)
    assert [each.what for each in again.amendments] == ["buy_in", "opener"]
    assert (again.revision, again.open_tables) == (3, (("S", 2),))
    assert intact()


def test_a_table_may_have_several_openings_in_a_shift_and_the_shift_adds_them_up():
    table = a_cage()
    for closer in (11, 9):
        table.open(c1000=10)
        table.drop({}, box=f"BOX-{closer}")
        table.close(c1000=closer)
    day, number = shift_now(table)
    of_shift = books.by_shift(books.books_of_day(table.house.casino_id, day))[number]
    (total,) = books.totals(books.by_table(of_shift)["S"])
    # 11,000 - 10,000 and 9,000 - 10,000: a thousand too much, then one too few, and nothing was bet.
    assert [each.residual_minor for each in of_shift] == [100_000, -100_000]
    assert (total.openings, total.win_minor, total.residual_minor, total.within_tolerance) == (2, 0, 0, True)


def test_a_plan_is_made_by_two_for_days_that_have_not_begun():
    table = a_cage()
    casino = Casino.objects.get(pk=table.house.casino_id)
    table.open(c1000=1)
    today = table.books().gaming_date
    now = datetime.now(UTC)
    with pytest.raises(Refusal) as begun:
        plan(table, today, 6, 14, 22, now=now)
    assert begun.value.code == "already_done"
    with pytest.raises(Refusal) as alone:
        shifts.set_plan(casino.pk, since=today, starts=[time(6)], author=table["S-1"], approver=table["S-1"], now=now)
    assert alone.value.code == "not_allowed"
    both = [tried(plan, table, today + timedelta(days=1), 6, 14, 22, now=now) for _ in range(2)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    plan(table, today + timedelta(days=30), 10, 22, now=now)
    calendar = queries.calendar_of(casino.pk)
    counts = [len(calendar.shifts(today + timedelta(days=days))) for days in (0, 1, 29, 30)]
    assert counts == [1, 3, 3, 2]
    assert [entry for entry in table.house.journal() if entry[0] == "shift_plan"] == [("shift_plan", "S-1")] * 2


def test_the_pages_ask_for_the_roll_over_and_close_the_shift():
    table = a_cage()
    yesterday = datetime.now(UTC) - timedelta(days=1)
    vouched(table, {"type": "opener", "chips": {"1000": 80}, "inspector": "I-1"}, at=yesterday)
    day = table.books().gaming_date

    def browser(number: str) -> Client:
        client = Client()
        client.force_login(get_user_model().objects.get(username=number))
        return client

    assert f"opening 1 is of shift 1, {day:%d.%m.%Y}" in browser("S-1").get("/shifts/").content.decode()
    inspector = browser("I-1")
    assert "Roll over with this count" in inspector.get("/float/S/").content.decode()
    assert table.house.session("P-1").get("/api/tables/S/float").json()["rollover_due"] is True

    def wanted() -> list[tuple[str, str | None]]:
        """What the tile of the table says that wants a look: what, and since when."""
        tiles = table.house.session("P-1").get("/api/floor").json()["tables"]
        (tile,) = [each for each in tiles if each["table"] == "S"]
        return [(each["code"], each["since"]) for each in tile["attention"] if each["code"] == "rollover"]

    over = queries.calendar_of(table.house.casino_id).day_start(day + timedelta(days=1))
    assert wanted() == [("rollover", f"{over:%Y-%m-%dT%H:%M:%SZ}")]
    signed = {"staff1": "D-1", "pin1": PIN["D-1"], "staff2": "I-1", "pin2": PIN["I-1"], "id": str(uuid.uuid4())}
    answer = inspector.post("/float/S/", {"deed": "rollover", "chip-1000": "80", **signed})
    assert answer.status_code == 302, answer.content.decode()
    assert table.house.session("P-1").get("/api/tables/S/float").json()["rollover_due"] is False
    assert wanted() == []
    manager = browser("S-1")
    closing = fresh({"deed": "close", "gaming_date": day.isoformat(), "shift": "1", "staff1": "S-1"})
    wrong = manager.post("/shifts/", closing | {"pin1": "000000"})
    assert (wrong.status_code, ShiftClosing.objects.count()) == (409, 0)
    assert manager.post("/shifts/", closing | {"pin1": CAGE_PINS["S-1"]}).status_code == 302
    page = manager.get(f"/shifts/?gaming_date={day}").content.decode()
    assert "06:00–06:00 (24 h) · closed" in page
    answer = table.house.session("S-1").get(f"/api/shifts?gaming_date={day}").json()
    assert [(each["shift"], each["stage"], each["revision"]) for each in answer["shifts"]] == [(1, "closed", 1)]
    # The same by the API is refused now, in words.
    again = table.house.session("S-1").post(
        f"/api/shifts/{day}/1", {"signatures": [{"staff": "S-1", "pin": CAGE_PINS["S-1"]}]}, format="json"
    )
    assert (again.status_code, again.json()["code"]) == (409, "already_done")
    assert inspector.get("/shifts/").status_code == 403


def test_the_nights_when_the_clocks_change_have_a_shift_an_hour_longer_and_an_hour_shorter_on_page_and_api():
    table = a_cage()
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE tables_casino SET time_zone = 'Europe/Berlin'")
        cursor.execute("SET session_replication_role = origin")
    manager = Client()
    manager.force_login(get_user_model().objects.get(username="S-1"))

    def said(day: str) -> list[str]:
        page = manager.get(f"/shifts/?gaming_date={day}").content.decode()
        return [f"{shift} {hours}" for shift, hours in re.findall(r"Shift (\d) · .{11} \((\S+ h)\)", page)]

    assert (said("2026-10-24"), said("2026-03-28"), said("2026-03-29")) == (["1 25 h"], ["1 23 h"], ["1 24 h"])
    plan(table, date(2026, 3, 1), 6, 14, 22)
    assert said("2026-10-24") == ["1 8 h", "2 8 h", "3 9 h"]
    assert said("2026-03-28") == ["1 8 h", "2 8 h", "3 7 h"]
    answer = table.house.session("S-1").get("/api/shifts?gaming_date=2026-10-24").json()["shifts"]
    assert [(each["since"], each["until"]) for each in answer][-1] == ("2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z")
