"""Who stood where and rested when; what was written down of the floor, and that nobody changes it."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import DatabaseError, connection, transaction
from django.test import Client

from tables.actions import notes, people
from tables.models import Note
from tables.queries import duty
from tables.queries.shifts import calendar_of
from tables.rules.refusals import Refusal
from tests.tables.a_cage import Cage, a_cage

pytestmark = pytest.mark.django_db(transaction=True)


def on_duty(table: Cage) -> dict[str, duty.Duty]:
    today = calendar_of(table.house.casino_id).gaming_date(datetime.now(UTC))
    return {each.number: each for each in duty.duty_of_day(table.house.casino_id, today)}


def test_a_dealer_is_relieved_rests_and_comes_back_and_the_inspector_watches_two_tables():
    table = a_cage()
    house = table.house
    for number, at, more in (
        ("D-1", "A", {}),
        ("I-1", "A", {"role": "inspector"}),
        ("I-1", "B", {"role": "inspector"}),
        ("D-2", "A", {"relieve": True}),
        ("D-1", "B", {}),
    ):
        answer = house.sign_on(at, number, **more)
        assert answer.status_code == 201, answer.content
    found = on_duty(table)
    first, second = found["D-1"].stands
    assert (first.table, first.ending, first.relieved_by, second.table, second.until) == (
        "A",
        "relief",
        "D-2",
        "B",
        None,
    )
    # He stood nowhere from his relief until he signed on again, and that is his break.
    assert found["D-1"].breaks == ((first.until, second.since),)
    assert found["D-1"].rested == second.since - first.until
    assert (found["I-1"].tables_now, found["I-1"].breaks) == (("A", "B"), ())
    answer = house.session("P-1").get("/api/duty").json()
    assert {each["number"]: each["tables_now"] for each in answer} == {"D-1": ["B"], "D-2": ["A"], "I-1": ["A", "B"]}
    boss = Client()
    boss.force_login(get_user_model().objects.get(username="P-1"))
    assert "now at 2: A, B" in boss.get("/duty/").content.decode()


def test_the_surveillance_log_is_read_by_nobody_on_the_floor_and_edited_by_nobody():
    table = a_cage()
    casino, now = table.house.casino_id, datetime.now(UTC)
    user = get_user_model().objects.create_user("V-1", password="a long enough password")
    with transaction.atomic():
        staff = people.hire(casino_id=casino, number="V-1", name="V", language="en", user_id=user.pk, by=None, now=now)
        people.appoint(staff_id=staff, role="surveillance", pit_id=None, by=None, now=now)
    watcher = Client()
    watcher.force_login(user)
    form = {"id": str(uuid.uuid4()), "text": "Seat 3 moved a chip after the card.", "table": "A", "about": ""}
    assert watcher.post("/surveillance/", form).status_code == 302
    assert watcher.post("/surveillance/", form).status_code == 302  # once
    correction = {"id": str(uuid.uuid4()), "text": "It was seat 4.", "table": "A", "about": "1"}
    assert watcher.post("/surveillance/", correction).status_code == 302
    assert watcher.post("/surveillance/", {**correction, "id": str(uuid.uuid4()), "about": "7"}).status_code == 409
    page = watcher.get("/surveillance/").content.decode()
    assert "<b>corrects 1:</b> <bdi>It was seat 4.</bdi>" in page
    assert Note.objects.count() == 2
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE tables_note SET author = 'nobody'")
    sessions = {number: table.house.session(number).get("/api/surveillance").status_code for number in ("P-1", "S-1")}
    assert sessions == {"P-1": 403, "S-1": 403}
    assert [each["about"] for each in table.house.session("A-1").get("/api/surveillance").json()] == [1, None]
    # An incident is the floor's: the pit boss writes it, surveillance reads it, nobody writes of tomorrow.
    written = table.house.session("P-1").post(
        "/api/incidents", {"text": "Wine on the layout.", "table": "A"}, format="json"
    )
    assert (written.status_code, written.json()) == (201, {"number": 3})
    assert "Wine on the layout." in watcher.get("/incidents/").content.decode()
    with pytest.raises(Refusal) as tomorrow:
        notes.write_note(
            casino, "incident", "x", id=uuid.uuid4(), author=table["P-1"], happened_at=now + timedelta(days=1), now=now
        )
    assert tomorrow.value.code == "bad_line"
