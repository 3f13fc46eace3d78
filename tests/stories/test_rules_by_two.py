"""Limits and house rules change by two, between deals, in numbered versions; and every deal keeps what held."""

import json
import uuid
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from tables.actions import terms
from tables.queries import console
from tables.queries import terms as queries
from tables.queries.answers import Answer
from tables.rules.refusals import Refusal
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage
from tests.tables.a_game import bet, card, statuses
from tests.tables.a_house import PIN
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)


def change(table: Cage, by: str = "P-1", approver: str = "S-1", **what: Any) -> Answer:
    return terms.change_rules(
        "S", what, id=uuid.uuid4(), author=table[by], approver=table[approver], now=datetime.now(UTC)
    )


def refused(table: Cage, *people: str, **what: Any) -> str:
    with pytest.raises(Refusal) as refusal:
        change(table, *people, **what)
    return str(refusal.value.code)


def held(table: Cage) -> list[tuple[int, int, str, str]]:
    return [(each.number, each.min_minor // 100, each.author, each.approver) for each in queries.versions("S")]


def test_limits_change_between_deals_by_two_and_the_deal_before_keeps_its_own():
    table = a_cage()
    table.open()
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "100"))
    # Not inside a deal, not alone, not by an inspector, not approved by a pit boss, and not by the console.
    assert refused(table, min="200") == "deal_not_finished"
    tablet.send(card("KS"), card("QH"), {"type": "end"})
    assert refused(table, "S-1", "S-1", min="200") == "not_allowed"
    assert refused(table, "I-1", "S-1", min="200") == "not_allowed"
    assert refused(table, "S-1", "P-1", min="200") == "not_allowed"
    assert refused(table, min="200", at="2026-01-01T00:00:00Z") == "bad_line"
    assert refused(table, min="200", max="100") == "bad_rules"
    assert statuses(tablet.send({"type": "rules", "min": "200"})) == ["not_allowed"]
    assert held(table) == [(1, 100, "P-1", "")]

    answer = change(table, min="200")
    assert answer.status == "recorded"
    assert held(table) == [(2, 200, "P-1", "S-1"), (1, 100, "P-1", "")]
    answers = tablet.send({"type": "deal", "deal": "2"}, bet("a", 1, "Q", "100"))
    assert statuses(answers) == ["recorded", "below_minimum"]
    # Each deal begins, in its export, with what held.
    minimums = []
    for deal in ("1", "2"):
        out = StringIO()
        call_command("export_log", "S", "--deal", deal, stdout=out)
        minimums.append(json.loads(out.getvalue().splitlines()[0])["min"])
    assert minimums == ["100", "200"]
    assert intact()


def test_two_changes_at_one_moment_make_two_versions_one_after_the_other():
    table = a_cage()
    said = in_line([tried(change, table, min=minimum) for minimum in ("200", "300")])
    assert said == ["done", "done"]
    assert sorted(number for number, *_rest in held(table)) == [1, 2, 3]
    assert intact()


def test_the_page_shows_the_versions_and_changes_the_rules_with_two_pins():
    table = a_cage()
    boss = Client()
    boss.force_login(get_user_model().objects.get(username="P-1"))
    page = boss.get("/limits/S/").content.decode()
    assert "Half colour wins, reduced bet" in page
    form = {
        "id": str(uuid.uuid4()), "min": "200", "max": "10000", "chip": "1", "seats": "8", "bank": "",
        "rule-fractions": "player", "rule-decks": "8", "rule-ratio": "10", "rule-suit_multiple": "1",
        "rule-two_hits": "sequence", "rule-half_win": "close", "rule-half_win_reduced": "restore",
        "staff1": "P-1", "pin1": PIN["P-1"], "staff2": "S-1", "pin2": CAGE_PINS["S-1"],
    }  # fmt: skip
    assert boss.post("/limits/S/", form | {"pin2": "000000"}).status_code == 409
    assert boss.post("/limits/S/", form).status_code == 302
    holds = queries.versions("S")[0]
    assert holds.terms["rules"] == {"decks": 8, "half_win_reduced": "restore"}
    assert (holds.seats, holds.author, holds.approver) == (8, "P-1", "S-1")
    # The same form again is the same deed.
    assert boss.post("/limits/S/", form).status_code == 302
    assert len(queries.versions("S")) == 2
    # By the API too; the dealer has no business here.
    session = table.house.session("P-1")
    signed = [{"staff": "P-1", "pin": PIN["P-1"]}, {"staff": "S-1", "pin": CAGE_PINS["S-1"]}]
    answer = session.post(
        "/api/tables/S/rules/versions", {"change": {"max": "20000"}, "signatures": signed}, format="json"
    )
    assert (answer.status_code, answer.json()["status"]) == (201, "recorded")
    versions = session.get("/api/tables/S/rules/versions").json()
    assert (versions[0]["number"], versions[0]["max_minor"]) == (3, 2_000_000)
    assert table.house.session("D-1").get("/api/tables/S/rules/versions").status_code == 403


def test_what_the_house_asks_for_at_the_console_is_set_on_the_same_page_with_two_pins():
    a_cage()
    boss = Client()
    boss.force_login(get_user_model().objects.get(username="P-1"))
    form = {
        "id": str(uuid.uuid4()), "what": "console", "bets_down": "on", "check": "1000,50",
        "staff1": "P-1", "pin1": PIN["P-1"], "staff2": "S-1", "pin2": CAGE_PINS["S-1"],
    }  # fmt: skip
    assert boss.post("/limits/S/", form | {"staff2": "I-1", "pin2": PIN["I-1"]}).status_code == 409
    assert boss.post("/limits/S/", form | {"check": "a lot"}).status_code == 409
    assert boss.post("/limits/S/", form).status_code == 302
    assert boss.post("/limits/S/", form).status_code == 302  # the same form again is the same deed

    (held,) = console.options_of("S")
    assert (held.bets_down, held.confirm, held.check_minor, held.author, held.approver) == (
        True, False, 100050, "P-1", "S-1",
    )  # fmt: skip
    assert 'value="1000.5"' in boss.get("/limits/S/").content.decode()
    assert "P-1, S-1" in boss.get("/limits/S/").content.decode()
    assert intact()
