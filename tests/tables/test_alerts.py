"""Alerts: raised once, over when their state ends, there until somebody has seen them; by the house's own marks."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from tables.actions import alerts, asking, cage, cards, door, people
from tables.actions import house as house_actions
from tables.models import Alert, DeviceSight, FloorMarks, Pit
from tables.queries.people import device_of_token
from tests.tables.a_cage import Cage, a_cage
from tests.tables.a_game import STOS, a_game, bet, card
from tests.tables.a_house import PIN, T0, House, a_house
from tests.tables.test_luck import four_tables

pytestmark = pytest.mark.django_db


def told(house: Any, number: str = "P-1") -> list[tuple[str | None, str, str]]:
    found = house.session(number).get("/api/alerts").json()
    return [(each["table"], each["kind"], each["level"]) for each in found]


def attention(house: Any, code: str = "S") -> list[str]:
    tables = house.session("P-1").get("/api/floor").json()["tables"]
    return [each["code"] for table in tables if table["table"] == code for each in table["attention"]]


def see(house: Any, number: str, alert_id: int, note: str = "") -> Any:
    return house.session(number).post(f"/api/alerts/{alert_id}/seen", {"note": note}, format="json")


def test_a_low_float_is_told_once_and_again_when_it_is_low_again():
    cage = a_cage()
    cage.open(c1000=40)  # the table's maximum is 10 000: low below 50 000
    for _ in range(2):
        alerts.watch(timezone.now())
    assert told(cage.house) == [("S", "float_low", "amber")]

    cage.fill(c1000=20)
    alerts.watch(timezone.now())
    (alert,) = Alert.objects.all()
    assert alert.over_at is not None
    assert told(cage.house) == [("S", "float_low", "amber")]  # nobody has seen it yet
    assert attention(cage.house) == ["float_low"]

    credit(cage, c1000=20)
    alerts.watch(timezone.now())
    assert Alert.objects.filter(kind="float_low").count() == 2


def credit(of: Cage, **pieces: int) -> None:
    id = of.request("credit", **pieces).id
    cage.issue_slip(id, author=of["K-1"], now=T0)
    cage.carry_slip(id, author=of["D-1"], second=of["I-1"], now=T0)
    cage.receive_slip(id, author=of["K-1"], second=None, now=T0)


def test_who_has_seen_an_alert_is_kept_with_time_and_note_and_nobody_sees_it_twice():
    cage = a_cage()
    cage.open(c1000=40)
    alerts.watch(timezone.now())
    alert = Alert.objects.get()

    assert see(cage.house, "A-1", alert.pk).status_code == 403  # the auditor looks on
    assert see(cage.house, "I-1", alert.pk).status_code == 204
    assert see(cage.house, "P-1", alert.pk).json()["code"] == "already_done"
    assert see(cage.house, "I-1", alert.pk, "fill asked").status_code == 204
    assert see(cage.house, "I-1", alert.pk, "again").json()["code"] == "already_done"

    assert told(cage.house) == []
    assert attention(cage.house) == []  # it is still low, and somebody knows
    day = cage.house.session("P-1").get("/api/floor").json()["at"][:10]
    (kept,) = cage.house.session("P-1").get(f"/api/alerts?day={day}").json()
    assert (kept["seen_by"], kept["seen_name"], kept["note"]) == ("I-1", "Name of I-1", "fill asked")
    assert kept["seen_at"] is not None


def test_a_console_that_falls_silent_is_red_and_stays_until_it_is_seen_though_it_speaks_again():
    tablet = a_game()
    DeviceSight.objects.update(seen_at=timezone.now() - timedelta(minutes=3))
    alerts.watch(timezone.now())
    assert told(tablet.house) == [("S", "silent", "red")]
    assert tablet.house.client(tablet.device).get("/api/tables/S/state").status_code == 200
    alerts.watch(timezone.now())

    alert = Alert.objects.get()
    assert alert.over_at is not None
    assert attention(tablet.house) == ["silent"]
    DeviceSight.objects.update(seen_at=timezone.now() - timedelta(minutes=3))
    tablet.send({"type": "deal", "deal": "1"})  # who only sends and never asks is heard as well
    tiles = tablet.house.session("P-1").get("/api/floor").json()["tables"]
    assert next(each["console"] for each in tiles if each["table"] == "S") == "live"
    see(tablet.house, "P-1", alert.pk)
    assert attention(tablet.house) == []


def test_a_dispute_a_paroli_beyond_the_limit_and_a_large_payment_are_told_once_each():
    line = {
        "type": "table",
        "table": "F",
        "game": "pharaon",
        "currency": "RUB",
        "min": "100",
        "max": "1000",
        "chip": "1",
    }
    tablet = a_game(line)
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), {"type": "cut"}, card("2S"), card("QH"))
    tablet.send({"type": "paroli", "bet": "p", "of": "a"})
    tablet.send(card("3S"), card("QD"), {"type": "paroli", "bet": "q", "of": "p"}, card("4S"), card("QC"))
    tablet.send({"type": "paroli", "bet": "r", "of": "q"}, card("5S"), card("QS"))
    body = {"id": str(uuid.uuid4()), "deal": "1", "turn": 1, "reason": "paid too little", "bet": "a"}
    dispute = tablet.house.session("P-1").post("/api/tables/F/disputes", body, format="json")
    assert dispute.status_code == 201, dispute.content

    for _ in range(2):
        alerts.watch(timezone.now())
    found = tablet.house.session("P-1").get("/api/alerts").json()
    assert [(each["kind"], each["value"], each["limit"]) for each in found if each["kind"] != "over_limit"] == [
        ("mispay", None, None), ("big_win", 800_000, 100_000),
    ]  # fmt: skip
    assert sorted(each["value"] for each in found if each["kind"] == "over_limit") == [200_000, 400_000, 800_000]


def test_a_house_sets_its_own_marks_and_the_floor_goes_by_them():
    cage = a_cage()
    cage.open(c1000=40)
    marks = cage.house.session("S-1").get("/api/marks").json()
    assert marks["low_float_times"] == 5

    wanted = marks | {"low_float_times": 3, "turns": marks["turns"] | {"stos": 44}}
    assert cage.house.session("P-1").put("/api/marks", wanted, format="json").status_code == 403
    assert cage.house.session("S-1").put("/api/marks", wanted, format="json").status_code == 204
    assert FloorMarks.objects.get().author == "S-1"
    assert cage.house.journal()[-1] == ("floor_marks", "S-1")
    (table,) = (each for each in cage.house.session("P-1").get("/api/floor").json()["tables"] if each["table"] == "S")
    assert (table["low_mark_minor"], table["target_turns"], table["attention"]) == (3_000_000, 44, [])

    refused = cage.house.session("S-1").put("/api/marks", wanted | {"slow_percent": 120}, format="json")
    assert refused.json()["code"] == "bad_rules"
    assert cage.house.session("S-1").put("/api/marks", {"slow_percent": 1}, format="json").status_code == 400


def test_what_stands_out_among_all_tables_is_told_and_the_tile_says_check():
    tablet = four_tables()
    for _ in range(2):
        alerts.judge(timezone.now())

    assert ("S", "splits", "red") in told(tablet.house)
    assert ("V", "check", "red") in told(tablet.house)
    assert Alert.objects.filter(table__code="V", kind="check").count() == 1
    tables = tablet.house.session("P-1").get("/api/floor").json()["tables"]
    assert next(each["word"] for each in tables if each["table"] == "V") == "check"
    assert sorted(attention(tablet.house, "S")) == ["check", "splits"]


def test_a_count_beyond_what_the_house_lets_pass_and_decks_that_are_missing_are_told():
    of = a_cage()
    of.open(c1000=60)
    cage.count_float("S", {"1000": 59}, dealer=of["D-1"], inspector=of["I-1"], id=uuid.uuid4(), now=T0)
    cards.receive_decks(of.house.casino_id, ["A-1", "A-2"], 52, author=of["I-1"], second=of["A-1"], now=timezone.now())
    cards.count_decks(of.house.casino_id, {"received": 1}, author=of["I-1"], second=of["A-1"], now=timezone.now())
    for _ in range(2):
        alerts.watch(timezone.now())

    found = of.house.session("P-1").get("/api/alerts").json()
    assert {(each["table"], each["kind"], each["value"], each["limit"]) for each in found} == {
        ("S", "count", -100_000, 2_500), (None, "decks", 1, 2),
    }  # fmt: skip
    assert len(found) == 2


def test_a_pit_boss_is_told_nothing_of_another_pit_and_reads_the_history_as_a_page():
    tablet = a_game()
    house = tablet.house
    now = timezone.now()
    for code in ("S", "Z"):
        Alert.objects.create(
            casino_id=house.casino_id, table_id=house.tables[code], kind="silent", key="1", level="red", raised_at=now,
            since=now,
        )  # fmt: skip
    assert told(house) == [("S", "silent", "red")]
    assert told(house, "A-1") == [("S", "silent", "red"), ("Z", "silent", "red")]
    assert see(house, "P-1", Alert.objects.get(table__code="Z").pk).status_code == 403

    page = house.session("P-1").get("/alerts/").content.decode()
    assert "‼ Console silent since" in page
    assert "disabled" in page


def a_table_open_for_two_hours() -> House:
    house = a_house()
    pit = Pit.objects.select_related("casino").get(pk=house.pits["main"])
    with transaction.atomic():
        house.tables["S"] = house_actions.create_table(pit.casino, pit, STOS).pk
        opened = door.vouch([STOS, {"type": "open"}], author="P-1", happened_at=timezone.now() - timedelta(hours=2))
        door.record_for_house("S", opened)
    return house


def test_a_table_is_slow_or_fast_only_beyond_the_house_s_marks_and_only_while_somebody_plays():
    house = a_table_open_for_two_hours()
    at = timezone.now() - timedelta(minutes=30)
    cards = iter([rank + suit for _deck in range(6) for suit in "CDHS" for rank in "23456789TJQK"])

    def deal(turns: int) -> list[str]:
        """Deal so many turns more within this hour; say how the pace is told."""
        drawn = [card(next(cards)) for _ in range(2 * turns)]
        door.record_for_house("S", door.vouch(drawn, author="D-1", happened_at=at))
        alerts.watch(timezone.now())
        return [f"{each.kind} {each.value} of {each.limit}" for each in Alert.objects.filter(over_at=None)]

    door.record_for_house("S", door.vouch([{"type": "deal", "deal": "1"}], author="D-1", happened_at=at))
    assert deal(10) == []  # nobody plays: a dealer who shows cards to nobody is not slow
    door.record_for_house("S", door.vouch([bet("a", 1, "A")], author="D-1", happened_at=at))
    # Of stos 55 turns an hour are usual here: slow below 70 % of that, 38.5, fast above 130 %, 71.5.
    assert deal(28) == ["slow 38 of 55"]
    assert deal(1) == []
    assert deal(32) == []
    assert deal(1) == ["fast 72 of 55"]
    assert [each.kind for each in Alert.objects.exclude(over_at=None)] == ["slow"]
    assert told(house) == [("S", "slow", "amber"), ("S", "fast", "amber")]
    door.record_for_house("S", door.vouch([{"type": "pause"}], author="P-1"))
    assert deal(0) == []


def test_a_dealer_who_stays_too_long_at_one_table_is_told_until_he_is_relieved():
    house = a_table_open_for_two_hours()
    with transaction.atomic():
        token = people.issue_device_token(
            casino_id=house.casino_id, kind="console", table_id=house.tables["S"], code="T", by=None, now=T0
        ).token

    def sit(number: str, minutes_ago: int) -> list[tuple[str, int | None, int | None]]:
        people.sign_on(
            device=device_of_token(token), table_id=house.tables["S"], number=number, pin=PIN[number], role=None,
            relieve=True, now=timezone.now() - timedelta(minutes=minutes_ago),
        )  # fmt: skip
        alerts.watch(timezone.now())
        return [(each.kind, each.value, each.limit) for each in Alert.objects.filter(over_at=None)]

    assert sit("D-1", 92) == [("dealer_long", 92, 90)]
    assert attention(house) == ["dealer_long"]
    assert sit("D-2", 89) == []
    assert told(house) == [("S", "dealer_long", "amber")]  # it is over, and nobody has seen it


def test_what_waits_for_a_second_person_is_told_until_it_is_decided_and_a_short_closing_once():
    of = a_cage()
    of.open(c1000=60)
    id, now = uuid.uuid4(), timezone.now()
    asking.ask("S", "closer", {"chips": {"1000": 59}}, id=id, author=of["D-1"], now=now)
    alerts.watch(now)
    assert told(of.house) == [("S", "waiting", "amber")]
    asking.decide(id, of["P-1"], "approved", None, now)
    for _ in range(2):
        alerts.watch(timezone.now())
    found = {each.kind: (each.value, each.over_at is None) for each in Alert.objects.all()}
    assert found == {"waiting": (1, False), "count": (-100_000, False)}
    assert len(told(of.house)) == 2  # both until somebody has seen them
