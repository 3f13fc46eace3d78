"""Deeds from the floor: a table opened, paused, closed and moved by PIN, in the journal under his number."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tables import tokens
from tables.actions import door
from tables.models import Device, Entry, SignOn, Table
from tests.tables.a_cage import a_cage
from tests.tables.a_game import a_game, bet, card, statuses
from tests.tables.a_house import PIN

pytestmark = pytest.mark.django_db


def do(house: Any, deed: str, number: str = "P-1", table: str = "S", pin: str = "", **more: Any) -> Any:
    body = {"pin": pin or PIN[number], **more}
    return house.session(number).post(f"/api/tables/{table}/floor/{deed}", body, format="json")


def state(house: Any, table: str = "S") -> str:
    tables = house.session("P-1").get("/api/floor").json()["tables"]
    return str(next(each["state"] for each in tables if each["table"] == table))


def last_entry(table: str = "S") -> tuple[str, str]:
    entry = Entry.objects.filter(journal__table_head__table__code=table).latest("sequence")
    return entry.type, entry.author


def test_a_pit_boss_pauses_a_table_with_his_pin_and_the_journal_names_him():
    house = a_game().house
    assert do(house, "pause").status_code == 200
    assert (state(house), last_entry()) == ("paused", ("pause", "P-1"))
    assert do(house, "pause").json()["code"] == "paused"
    assert do(house, "resume", "I-1").status_code == 200
    assert (state(house), last_entry()) == ("open", ("resume", "I-1"))


def test_without_his_pin_or_as_a_dealer_nobody_does_anything():
    house = a_game().house
    assert do(house, "pause", pin="000000").json()["code"] == "wrong_pin"
    assert do(house, "pause", "D-1").status_code == 403
    assert do(house, "pause", table="Z").json()["code"] == "not_allowed"  # in another pit
    assert do(house, "card").json()["code"] == "not_offered"
    assert state(house) == "open"


def test_a_table_closes_between_deals_and_opens_again_and_a_deed_sent_twice_is_one():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"))
    assert do(tablet.house, "close").json()["code"] == "deal_not_finished"
    tablet.send({"type": "end"})
    assert do(tablet.house, "close").status_code == 200
    id = str(uuid.uuid4())
    assert [do(tablet.house, "open", id=id).json()["status"] for _ in range(2)] == ["recorded", "repeated"]
    assert state(tablet.house) == "open"


def tile(house: Any, table: str = "S") -> dict[str, Any]:
    tables = house.session("P-1").get("/api/floor").json()["tables"]
    return dict(next(each for each in tables if each["table"] == table))


def test_a_table_paused_inside_a_turn_keeps_its_odd_card_and_is_settled_when_it_plays_on():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("QS"))
    assert do(tablet.house, "pause").status_code == 200
    assert statuses(tablet.send(card("KH"))) == ["paused"]
    seen = tile(tablet.house)
    assert (seen["state"], seen["turn_open"], seen["standing_minor"], seen["game_win_minor"]) == (
        "paused", True, 50_000, 0,
    )  # fmt: skip
    assert do(tablet.house, "close").json()["code"] == "deal_not_finished"
    assert do(tablet.house, "resume").status_code == 200
    assert statuses(tablet.send(card("KH"))) == ["recorded"]
    seen = tile(tablet.house)
    assert (seen["state"], seen["turns"], seen["game_win_minor"]) == ("open", 1, 50_000)


def test_what_a_tablet_holds_back_of_a_table_that_is_closed_meanwhile_counts_in_its_shift_late():
    tablet = a_game()
    now = timezone.now()
    tablet.send({"type": "close"})
    door.record_for_house("S", door.vouch([{"type": "open"}], author="P-1", happened_at=now - timedelta(hours=1)))
    tablet.signon = tokens.make()
    SignOn.objects.create(
        staff_id=tablet.house.staff["D-2"], role="dealer", table_id=tablet.house.tables["S"],
        device=Device.objects.get(code=tablet.device), token_sha256=tokens.digest(tablet.signon),
        started_at=now - timedelta(hours=1), ended_at=now, ending="off",
    )  # fmt: skip
    held = [{"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("QS"), card("KH"), {"type": "end"}]
    before = {"at": (now - timedelta(minutes=5)).isoformat()}
    assert do(tablet.house, "close").status_code == 200

    envelopes = []
    for event, deal, position in zip(held, (None, *"1111"), (0, 0, 0, 1, 2), strict=True):
        tablet.after = {"deal": deal, "position": position, "take_backs": 0}
        envelopes.append(tablet.envelope(event, **before, sent_at=timezone.now().isoformat()))
    assert statuses(tablet.post(envelopes).json()["answers"]) == ["recorded"] * 5
    seen = tile(tablet.house)
    assert (seen["state"], seen["turns"], seen["game_win_minor"]) == ("closed", 1, 50_000)
    assert Entry.objects.filter(type="card", late=True).count() == 2


def test_what_was_opened_with_a_count_is_closed_with_one():
    cage = a_cage()
    cage.open(c1000=10)
    assert do(cage.house, "close").json()["code"] == "count_needed"


def test_a_table_is_carried_to_another_pit_by_who_may_in_the_whole_house():
    house = a_cage().house
    high = house.pits["high"]
    assert do(house, "move", pit=high).json()["code"] == "not_allowed"  # of one pit only
    assert do(house, "move", "S-1", pin="907318", pit=high).status_code == 204
    assert Table.objects.get(code="S").pit_id == high
    assert house.journal()[-1] == ("table_moved", "S-1")
    assert do(house, "move", "S-1", pin="907318", pit=high).json()["code"] == "already_done"
    assert do(house, "move", "S-1", pin="907318", pit=10**6).json()["code"] == "not_allowed"
