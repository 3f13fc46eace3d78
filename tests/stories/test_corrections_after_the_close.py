"""A deal that is corrected when its table has been counted already: where the money counts, and who is told."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from audit import queries as audit_queries
from audit.actions import Wish, request_report
from audit.models import Report
from audit.reports.shift_report import ShiftReport
from tables.actions import shifts
from tables.queries import shifts as queries
from tests.stories.test_disputes_and_debts import correct_the_queen, debts
from tests.stories.test_shifts import shift_now, state, vouched
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import Cage, a_cage
from tests.tables.a_game import Tablet, bet, card, statuses
from tests.tables.a_house import PIN

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_broker(settings) -> None:
    settings.CELERY_BROKER_URL = ""


def a_queen_is_paid(tablet: Tablet) -> None:
    """Deal 1: the queen wins 1,000."""
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), card("KS"), card("QH"), {"type": "end"})


def report(table: Cage, day: date) -> ShiftReport:
    with transaction.atomic():
        serial = request_report(Wish("shift_report", "en", gaming_date=day), author=table["S-1"], now=timezone.now())
    return audit_queries.shift_report(Report.objects.get(serial=serial).pk, timezone.now())


def test_a_correction_in_the_next_opening_counts_there_and_amends_the_shift_of_its_deal():
    table = a_cage()
    now = datetime.now(UTC)
    vouched(table, {"type": "opener", "chips": {"1000": 50}, "inspector": "I-1"}, at=now - timedelta(days=1))
    tablet = table.tablet()
    a_queen_is_paid(tablet)
    yesterday = table.books().gaming_date
    table.drop({}, box="B-1")
    table.close(c1000=49)
    shifts.close_shift(table.house.casino_id, yesterday, 1, author=table["S-1"], now=now)
    assert state(table, yesterday, 1).revision == 1
    table.open(c1000=49)
    correct_the_queen(table, tablet)
    # The queen was a jack: the 1,000 are to be collected, out of a float that is the second opening's.
    assert debts(table) == [("adjustment", "a", -1000, None)]
    first, second = table.books(1), table.books(2)
    assert (first.paid_minor, first.expected_float_minor, first.residual_minor) == (100_000, 4_900_000, 0)
    assert (second.paid_minor, second.expected_float_minor) == (-100_000, 5_000_000)
    # The record of yesterday's deal says something else now, so its shift is amended, and nobody finds books that
    # contradict the bets.
    after = state(table, yesterday, 1)
    assert ([each.what for each in after.amendments], after.revision) == (["correct"], 2)
    for day, game_win in ((yesterday, 0), (second.gaming_date, 0)):
        found = report(table, day)
        assert [remark.code for remark in found.exceptions if remark.code == "books"] == [], day
        assert sum(row.result.game_win_minor for part in found.parts for row in part.rows) == game_win
    assert intact()


def test_a_correction_that_waits_while_the_table_closes_is_approved_late_into_the_opening_it_was_asked_in():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    a_queen_is_paid(tablet)
    (asked,) = tablet.send({"type": "correct", "reason": "it was a jack", "cards": {"2": "JH"}})
    assert asked["status"] == "waiting"
    table.close(c1000=49)
    day, number = shift_now(table)
    shifts.close_shift(table.house.casino_id, day, number, author=table["S-1"], now=datetime.now(UTC))
    table.open(c1000=49)
    decision = {"decision": "approve", "pin": PIN["I-1"]}
    answer = table.house.session("I-1").post(f"/api/approvals/{asked['id']}", decision, format="json")
    assert (answer.status_code, answer.json()["answer"]["status"]) == (200, "recorded")
    # It was asked while the first opening ran: there it counts, late, and the shift has been amended by it.
    assert (table.books(1).paid_minor, table.books(2).paid_minor) == (0, 0)
    found = queries.shift_state(table.house.casino_id, day, number)
    assert found is not None
    assert [(each.what, each.opening) for each in found.amendments] == [("opener", 2), ("correct", 1)]
    assert debts(table) == [("adjustment", "a", -1000, None)]
    # And the tablet that asked gets the same answer when it asks again.
    assert statuses(tablet.send({"type": "deal", "deal": "2"})) == ["recorded"]
    assert intact()
