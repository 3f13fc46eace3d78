"""Decks of the house from the day they come until they are destroyed: none comes or goes without two signatures."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tables.actions import cards
from tables.queries import cards as queries
from tables.rules.refusals import Refusal
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, fresh
from tests.tables.a_house import PIN
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)

MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)  # 15:00 in Moscow
SIX = ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6"]


def receive(table: Cage, *serials: str, now: datetime = MONDAY, second: str = "S-1") -> None:
    cards.receive_decks(table.house.casino_id, serials, 52, author=table["K-1"], second=table[second], now=now)


def move(
    table: Cage,
    step: str,
    *serials: str,
    now: datetime = MONDAY,
    by: str = "S-1",
    second: str = "I-1",
    reason: str = "",
) -> None:
    cards.move_decks(
        table.house.casino_id,
        serials,
        step,
        author=table[by],
        second=table[second],
        now=now,
        table="S" if step == "in_service" else "",
        reason=reason,
    )


def code_of(deed: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refusal:
        deed()
    return str(refusal.value.code)


def day(table: Cage, when: date) -> dict[str, tuple[int, int, int, int]]:
    return {
        each.state: (each.before, each.came, each.left, each.after)
        for each in queries.reconciliation(table.house.casino_id, when)
    }


def test_six_decks_of_a_shoe_are_followed_from_the_seal_to_the_shredder():
    table = a_cage()
    receive(table, *SIX, "A-7", "A-8")
    move(table, "in_service", *SIX)
    assert day(table, date(2026, 11, 30)) == {
        "received": (0, 8, 6, 2),
        "in_service": (0, 6, 0, 6),
        "retired": (0, 0, 0, 0),
        "retained": (0, 0, 0, 0),
        "destroyed": (0, 0, 0, 0),
    }
    # On the next gaming day one is retained, for a bent corner; five are retired and two of them shredded.
    tuesday = MONDAY + timedelta(days=1)
    assert code_of(lambda: move(table, "retained", "A-1", now=tuesday)) == "bad_line"
    move(table, "retained", "A-1", now=tuesday, reason="a bent corner")
    move(table, "retired", *SIX[1:], now=tuesday)
    move(table, "destroyed", "A-2", "A-3", now=tuesday, by="K-1", second="S-1")
    assert day(table, date(2026, 12, 1)) == {
        "received": (2, 0, 0, 2),
        "in_service": (6, 0, 6, 0),
        "retired": (0, 5, 2, 3),
        "retained": (0, 1, 0, 1),
        "destroyed": (0, 2, 0, 2),
    }
    life = [(each.step, each.table, each.reason) for each in queries.history(table.house.casino_id, "A-1")]
    assert life == [("received", None, None), ("in_service", "S", None), ("retained", None, "a bent corner")]
    # Monday is what it was.
    assert day(table, date(2026, 11, 30))["in_service"] == (0, 6, 0, 6)


def test_a_deck_that_nobody_received_or_that_is_elsewhere_goes_nowhere_and_takes_the_others_with_it():
    table = a_cage()
    receive(table, "A-1", "A-2")
    assert code_of(lambda: receive(table, "A-2", "A-3")) == "already_done"
    assert code_of(lambda: receive(table, "A-4", second="K-1")) == "not_allowed"
    assert code_of(lambda: move(table, "in_service", "A-1", "A-9")) == "step_missing"
    assert code_of(lambda: move(table, "retired", "A-1")) == "step_missing"
    assert code_of(lambda: move(table, "in_service", "A-1", by="D-1")) == "not_allowed"
    assert code_of(lambda: move(table, "in_service", "A-1", by="S-1", second="S-1")) == "not_allowed"
    assert code_of(lambda: move(table, "in_service", "A-1", "A-1")) == "bad_line"
    assert [(deck.serial, deck.state) for deck in queries.decks(table.house.casino_id)] == [
        ("A-1", "received"),
        ("A-2", "received"),
    ]
    # Two put the same deck in service at one moment: one of them does.
    both = [tried(move, table, "in_service", "A-1") for _ in range(2)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    assert [kind for kind, _by in table.house.journal() if kind.startswith("decks_")] == [
        "decks_received",
        "decks_in_service",
    ]


def test_a_count_that_misses_a_deck_stays_a_deck_short():
    table = a_cage()
    receive(table, *SIX)
    found = {"received": 5, "retired": 0}
    differs = cards.count_decks(table.house.casino_id, found, author=table["K-1"], second=table["A-1"], now=MONDAY)
    assert differs == 1
    (stock, *_others) = queries.reconciliation(table.house.casino_id, date(2026, 11, 30))
    assert (stock.after, stock.counted, stock.difference) == (6, 5, -1)
    # What moves afterwards makes it neither better nor worse.
    move(table, "in_service", "A-1")
    (stock, *_others) = queries.reconciliation(table.house.casino_id, date(2026, 11, 30))
    assert (stock.after, stock.difference) == (5, -1)


def test_decks_by_page_and_by_api():
    table = a_cage()
    manager = Client()
    manager.force_login(get_user_model().objects.get(username="S-1"))
    signed = {"staff1": "S-1", "pin1": CAGE_PINS["S-1"], "staff2": "I-1", "pin2": PIN["I-1"]}
    form = {"deed": "move", "step": "received", "serials": "B-1, B-2 B-3", "size": "52", "table": "S", "reason": ""}
    assert manager.post("/cards/", fresh(form | signed)).status_code == 302
    assert manager.post("/cards/", fresh(form | signed)).status_code == 409
    service = form | {"step": "in_service", "serials": "B-1 B-2"}
    assert manager.post("/cards/", fresh(service | signed)).status_code == 302
    assert manager.post("/cards/", fresh({"deed": "count", "counted-received": "0", **signed})).status_code == 302
    page = manager.get("/cards/?serial=B-1").content.decode()
    assert "in service · S: <b>S-1, I-1</b>" in page
    assert '<b class="red">\u22121</b>' in page
    session = table.house.session("S-1")
    body = {
        "serials": ["B-1"],
        "signatures": [{"staff": "S-1", "pin": CAGE_PINS["S-1"]}, {"staff": "I-1", "pin": PIN["I-1"]}],
    }
    answer = session.post("/api/decks/steps/retired", body, format="json")
    assert (answer.status_code, answer.json()[0]["state"]) == (201, "retired")
    read = session.get("/api/decks").json()
    assert {deck["serial"]: deck["state"] for deck in read["decks"]} == {
        "B-1": "retired", "B-2": "in_service", "B-3": "received",
    }  # fmt: skip
    assert [each["step"] for each in session.get("/api/decks/B-1").json()] == ["received", "in_service", "retired"]
    assert table.house.session("D-1").get("/api/decks").status_code == 403
