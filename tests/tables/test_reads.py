"""Reads: the console's state, the floor, deals and rows page by page."""

from typing import Any

import pytest
from django.test import Client

from tests.tables.a_game import STOS, a_game, bet, card

pytestmark = pytest.mark.django_db


def read(tablet: Any, path: str) -> Any:
    response = tablet.house.client(tablet.device).get(f"/api/tables/S{path}")
    assert response.status_code == 200, response.content
    return response.json()


def on_the_floor(tablet: Any) -> Any:
    tables = tablet.house.session("P-1").get("/api/floor").json()["tables"]
    return next(table for table in tables if table["table"] == "S")


def in_play() -> Any:
    """A queen lay, a king won; seat 2 has a dormant suit bet, and a third card lies."""
    tablet = a_game()
    tablet.send(
        {"type": "deal", "deal": "1"},
        bet("a", 1, "Q", "500"),
        bet("b", 2, "K", "200"),
        {"type": "bet", "bet": "s", "seat": 2, "suit": "S", "amount": "200"},
        bet("c", 3, "7"),
    )
    tablet.send(card("QS"), card("KH"), card("7C"))
    return tablet


def test_a_console_is_told_what_stands_what_to_take_and_what_was_settled_last():
    state = read(in_play(), "/state")
    deal = state["deal"]
    assert (state["sequence"], state["after"]) == (10, {"deal": "1", "position": 3, "take_backs": 0})
    assert (deal["turn"], deal["turn_open"], deal["odd"], deal["even"]) == (2, True, "7C", None)
    assert [(each["bet"], each["standing_minor"], each["dormant"]) for each in deal["bets"]] == [
        ("s", 20000, True), ("c", 10000, False),
    ]  # fmt: skip
    assert [(each["bet"], each["taken_minor"], each["rank"]) for each in deal["takes"]] == [("c", 10000, "7")]
    assert [(each["bet"], each["outcome"], each["paid_minor"]) for each in deal["settlements"]] == [
        ("a", "lose", 0), ("b", "win", 20000),
    ]  # fmt: skip
    assert [(turn["odd"], turn["even"], turn["taken_minor"], turn["bank_minor"]) for turn in deal["last_turns"]] == [
        ("QS", "KH", 50000, 30000)
    ]
    assert deal["undealt"][10 * 4 + 3] == 5
    assert sum(deal["undealt"]) == 6 * 52 - 3
    assert state["bet_kinds"]["suit"] is True
    assert state["next_deal"] == "2"
    assert (state["table"]["min_minor"], state["table"]["rules"]["two_hits"]) == (10000, "sequence")


def test_a_console_that_knows_the_last_sequence_is_told_nothing():
    tablet = in_play()
    client = tablet.house.client(tablet.device)
    assert client.get("/api/tables/S/state?since=10").status_code == 204
    assert client.get("/api/tables/S/state?since=9").json()["sequence"] == 10


def test_the_answer_to_a_card_brings_the_new_state_with_it():
    tablet = in_play()
    body = tablet.post([tablet.envelope(card("8C"))], "?state=1").json()
    assert body["state"] == {**read(tablet, "/state"), "server_at": body["state"]["server_at"]}
    assert body["state"]["deal"]["position"] == 4


def on_floor(tablet: Any, number: str, code: str) -> Any:
    """A table as a person's floor shows it."""
    tables = tablet.house.session(number).get("/api/floor").json()["tables"]
    return next(table for table in tables if table["table"] == code)


def test_the_floor_shows_what_stands_and_what_the_day_has_brought():
    tablet = in_play()
    table = on_floor(tablet, "P-1", "S")
    expected = {
        "table": "S", "game": "stos", "state": "open", "deal": "1", "turn": 2, "turn_open": True,
        "standing_bets": 2, "standing_minor": 30000, "seats_in_play": 2, "turns": 1, "bets": 4,
        "handle_minor": 100000, "taken_minor": 50000, "paid_minor": 20000, "game_win_minor": 30000, "waiting": 0,
        "dealer": "Name of D-1", "sequence": 10, "private_bank": False,
    }  # fmt: skip
    assert {name: table[name] for name in expected} == expected


def test_a_correction_moves_the_floor_by_its_adjustment():
    tablet = in_play()
    tablet.send({"type": "correct", "cards": {"3": "8C"}, "reason": "misread"})
    tablet.send(card("7H"))
    table = on_floor(tablet, "P-1", "S")
    assert (table["taken_minor"], table["paid_minor"], table["standing_minor"]) == (50000, 30000, 20000)


def test_a_deal_is_read_whole_and_its_rows_page_by_page_in_a_total_order():
    tablet = in_play()
    deal = read(tablet, "/deals/1")
    assert deal["turns"] == [
        {"turn": 1, "odd": "QS", "even": "KH"},
        {"turn": 2, "odd": "7C", "even": None},
    ]
    assert [(each["bet"], each["outcome"]) for each in deal["settlements"]] == [("a", "lose"), ("b", "win")]
    whole = read(tablet, "/bets")
    assert ([row["bet"] for row in whole["results"]], whole["next"]) == (["a", "b", "s", "c"], None)
    pages: list[list[str]] = []
    address: str | None = "/bets?limit=3"
    while address is not None:
        page = read(tablet, address)
        pages.append([row["bet"] for row in page["results"]])
        address = page["next"] and f"/bets?limit=3&cursor={page['next']}"
    assert pages == [["a", "b", "s"], ["c"]]


def test_a_device_reads_its_own_table_and_the_journal_only_who_may():
    tablet = in_play()
    assert tablet.house.client("A").get("/api/tables/S/state").status_code == 403
    assert Client().get("/api/tables/S/state").status_code == 401
    assert tablet.house.session("P-1").get("/api/tables/S/entries").status_code == 403
    entries = tablet.house.session("A-1").get("/api/tables/S/entries").json()["results"]
    assert [entry["type"] for entry in entries][:3] == ["table", "open", "deal"]
    assert STOS["game"] in entries[0]["text"]


def test_the_description_names_every_address_and_its_page_asks_no_other_host():
    schema = Client().get("/api/schema", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    assert {"/api/tables/{code}/events", "/api/floor", "/api/tables/{code}/deals/{deal}"} <= schema["paths"].keys()
    page = Client().get("/api/docs").content.decode()
    assert "//" not in page.replace("</", "")
    assert "<style" not in page
