"""Each shift's reports are asked for once in each revision, whether beat ran, slept, ran twice, or the clock jumped."""

import json
import threading
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from audit import actions, clock, queries
from audit.actions import Wish
from audit.models import Report
from casino.celery import app
from tables.actions import cage, shifts
from tables.actions.importing import import_log
from tables.models import Casino, Entry
from tables.queries.shifts import shifts_of_day
from tests.audit.test_revisions import table  # noqa: F401 # fixture
from tests.audit.test_shuffle_lab import STUSS
from tests.tables.a_house import T0

pytestmark = pytest.mark.django_db
LATER = timedelta(hours=30)  # every shift of the day is over by then


def asked(**only) -> list[tuple[str, int]]:
    """What the clock asked for: kind and revision, in order."""
    rows = Report.objects.filter(clock_revision__isnull=False, **only).order_by("id")
    return list(rows.values_list("kind", "clock_revision"))


def both(revision: int) -> list[tuple[str, int]]:
    return [("shift_report", revision), ("payout_audit", revision)]


def make_all() -> None:
    for pk in Report.objects.filter(state="requested").order_by("id").values_list("pk", flat=True):
        actions.make(pk, now=datetime.now(UTC))


def opened_and_closed(table) -> None:  # noqa: F811
    table.open(c1000=80)
    table.close(c1000=80)
    books = table.books()
    shifts.close_shift(
        table.house.casino_id, books.gaming_date, books.shift, author=table["S-1"], now=datetime.now(UTC)
    )


def test_a_running_shift_has_no_report_one_that_is_over_a_draft_and_a_closed_one_its_final(table):  # noqa: F811
    table.open(c1000=80)
    now = datetime.now(UTC)
    assert clock.ask_for_due(now, days=3) == 0
    assert clock.ask_for_due(now + LATER, days=3) == 2
    assert asked() == both(0)
    make_all()
    assert [clock.ask_for_due(now + LATER, days=3) for _ in range(3)] == [0, 0, 0]
    table.close(c1000=80)
    books = table.books()
    shifts.close_shift(table.house.casino_id, books.gaming_date, books.shift, author=table["S-1"], now=now)
    assert [clock.ask_for_due(now, days=3) for _ in range(3)] == [2, 0, 0]
    make_all()
    assert asked(state="done") == both(0) + both(1)
    serial = Report.objects.latest("id").serial
    report = queries.report_by_serial(serial)
    assert (report.stage, report.revision, report.asked_by) == ("final", 1, "")
    page = table.house.session("A-1").get(f"/audit/{serial}/").content.decode()
    assert "by the clock" in page


def test_what_arrives_late_is_reported_again_once_and_the_old_paper_names_the_new(table):  # noqa: F811
    table.open(c1000=80)
    box = cage.attach_box("S", "BOX-7", author=table["I-1"], second=table["D-1"], now=T0).id
    cage.remove_box(box, author=table["I-1"], second=table["D-1"], now=T0)
    table.close(c1000=80)
    books, now = table.books(), datetime.now(UTC)
    shifts.close_shift(table.house.casino_id, books.gaming_date, books.shift, author=table["S-1"], now=now)
    clock.ask_for_due(now, days=3)
    make_all()
    cage.receive_box(box, author=table["N-1"], second=table["I-1"], now=T0)
    cage.count_box(box, {100_000: 5}, author=table["N-1"], second=table["N-2"], now=T0)
    assert [clock.ask_for_due(now, days=3) for _ in range(2)] == [2, 0]
    make_all()
    assert asked(state="done") == both(1) + both(3)
    first, last = Report.objects.filter(kind="shift_report").order_by("id").values_list("serial", flat=True)[:2]
    assert queries.report_by_serial(first).successor == last


def test_what_changed_while_a_report_waited_leaves_one_paper_of_each_revision(table):  # noqa: F811
    table.open(c1000=80)
    box = cage.attach_box("S", "BOX-7", author=table["I-1"], second=table["D-1"], now=T0).id
    cage.remove_box(box, author=table["I-1"], second=table["D-1"], now=T0)
    table.close(c1000=80)
    books, now = table.books(), datetime.now(UTC)
    shifts.close_shift(table.house.casino_id, books.gaming_date, books.shift, author=table["S-1"], now=now)
    clock.ask_for_due(now, days=3)
    cage.receive_box(box, author=table["N-1"], second=table["I-1"], now=T0)
    clock.ask_for_due(now, days=3)
    assert asked() == both(1) + both(2)
    make_all()
    assert asked(state="done") == both(2)
    assert asked(state="cancelled") == both(1)
    assert Entry.objects.filter(type="report").count() == 2


def test_a_beat_that_slept_for_weeks_asks_for_what_it_missed(table):  # noqa: F811
    opened_and_closed(table)
    woke = datetime.now(UTC) + timedelta(days=40)
    assert clock.ask_for_due(woke, days=3) == 0
    assert clock.ask_for_due(woke, days=62) == 2
    assert asked() == both(1)


@pytest.mark.parametrize("jump", [timedelta(hours=-3), timedelta(hours=1), timedelta(days=-1), timedelta(days=1)])
def test_a_clock_that_jumps_asks_for_nothing_twice(table, jump):  # noqa: F811
    opened_and_closed(table)
    now = datetime.now(UTC)
    clock.ask_for_due(now, days=3)
    clock.ask_for_due(now + jump, days=3)
    clock.ask_for_due(now, days=3)
    assert asked() == both(1)


def test_a_revision_asked_for_twice_is_refused_by_the_database_and_leaves_no_gap(table):  # noqa: F811
    opened_and_closed(table)
    clock.ask_for_due(datetime.now(UTC), days=3)
    books = table.books()
    wish = Wish("shift_report", "en", gaming_date=books.gaming_date, shift=books.shift)
    with pytest.raises(IntegrityError, match="report_by_the_clock_once"), transaction.atomic():
        actions.request_report(wish, author=None, now=T0, clock_revision=1)
    with transaction.atomic():
        serial = actions.request_report(wish, author=None, now=datetime.now(UTC))
    assert serial.endswith("-000002")


@pytest.mark.parametrize(
    ("day", "over"),
    [
        # Clocks go back: the gaming day has 25 hours, and 02:30 comes twice in it.
        (date(2026, 10, 24), datetime(2026, 10, 25, 5, 0, tzinfo=UTC)),
        # Clocks go forward: it has 23, and 02:30 never comes.
        (date(2026, 3, 28), datetime(2026, 3, 29, 4, 0, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("beat", ["every twenty minutes", "twice each time", "slept through the change"])
def test_on_the_day_the_clocks_change_the_drafts_are_asked_for_once_at_its_end_by_the_new_time(table, day, over, beat):  # noqa: F811
    Casino.objects.update(time_zone="Europe/Berlin", day_start_hour=6)
    stamp = f"{day}T20:00:00+00:00"
    lines = [{**STUSS, "table": "B1"}, {"type": "deal", "deal": "1"}, {"type": "misdeal", "reason": "a card lay open"}]
    import_log("".join(json.dumps({**line, "at": stamp}) + "\n" for line in lines).encode())
    (state,) = shifts_of_day(table.house.casino_id, day)
    assert (state.openings, state.shift.until) == (1, over)
    now, asked_at = over - timedelta(hours=6), []
    while now <= over + timedelta(hours=3):
        if beat != "slept through the change" or now > over + timedelta(hours=2):
            for _ in range(2 if beat == "twice each time" else 1):
                asked_at += [now] * clock.ask_for_due(now, days=3)
        now += timedelta(minutes=20)
    first = over + timedelta(hours=2, minutes=20) if beat == "slept through the change" else over
    assert asked_at == [first, first]
    assert asked() == both(0)


@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_ask_once(table):  # noqa: F811
    opened_and_closed(table)
    start, now = threading.Barrier(2), datetime.now(UTC)

    def beat() -> None:
        start.wait()
        clock.ask_for_due(now, days=3)
        connection.close()

    beats = [threading.Thread(target=beat) for _ in range(2)]
    for each in beats:
        each.start()
    for each in beats:
        each.join()
    assert asked() == both(1)
    assert sorted(Report.objects.values_list("serial", flat=True)) == [
        f"PA-{now.year}-000001",
        f"SR-{now.year}-000001",
    ]


def test_beat_looks_every_minute_at_the_last_days_and_every_hour_at_two_months():
    looks = [each for each in app.conf.beat_schedule.values() if each["task"] == "audit.tasks.ask_for_due"]
    assert sorted((each["schedule"], each["kwargs"]["days"]) for each in looks) == [(60.0, 3), (3600.0, 62)]
