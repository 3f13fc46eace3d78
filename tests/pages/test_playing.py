"""What the server hands out plays on in the browser: the same deal, seen by both, after whatever was recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from tables.actions.importing import import_log
from tests.pages.in_node import node
from tests.tables.a_game import Tablet, a_game, bet, card
from tests.tables.a_house import a_house

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parent.parent / "cases"
Json = dict[str, Any]


def read(tablet: Tablet, path: str) -> Any:
    response = tablet.house.client(tablet.device).get(f"/api/tables/{tablet.table}/{path}")
    assert response.status_code in (200, 204), response.content
    return response.json() if response.status_code == 200 else None


def seen(state: Json) -> Json:
    """Return of the console's state what the browser works out by itself."""
    return {"deal": state["deal"], "bank": state["table"]["bank_minor"], "after": state["after"]}


def test_a_browser_takes_over_every_deal_as_the_record_has_it_corrections_included() -> None:
    reader = a_house().session("A-1")
    steps, states = [], []
    for case in sorted(CASES.glob("*.jsonl")):
        if case.with_suffix(".err").exists() or not case.stem.startswith(("C-", "F-", "P-", "gen-")):
            continue
        table, *others = case.read_text(encoding="utf-8").splitlines()
        renamed = json.dumps(json.loads(table) | {"table": case.stem})
        import_log("\n".join([renamed, *others]).encode())
        steps.append([{"resume": reader.get(f"/api/tables/{case.stem}/rules").json()}])
        states.append(seen(reader.get(f"/api/tables/{case.stem}/state").json()))
    answers = node("settle.mjs", steps)
    assert len(answers) == len(states) > 20
    for step, state, (answer, _) in zip(steps, states, answers, strict=True):
        assert answer == state, step


def test_a_browser_follows_what_others_enter_by_the_events_since_and_plays_on() -> None:
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), bet("b", 2, "K", "200"), card("QS"))
    tablet.send({"type": "correct", "cards": {"1": "QH"}, "reason": "misread"})
    whole = read(tablet, "rules")
    tablet.send(card("KH"), {"type": "bet", "bet": "c", "seat": 3, "rank": "7"})
    since = read(tablet, f"rules?since={whole['sequence']}")
    assert since["events"] == [card("KH"), {"type": "bet", "bet": "c", "seat": 3, "rank": "7"}]
    assert read(tablet, f"rules?since={since['sequence']}") is None
    steps = [{"resume": whole}, *({"event": event, "kept": True} for event in since["events"])]
    answer = node("settle.mjs", [steps])[0][-2]
    state = seen(read(tablet, "state"))
    assert {name: answer[name] for name in state} == state
    assert since["sequence"] == read(tablet, "state")["sequence"]


def test_after_a_correction_the_deal_is_handed_out_anew() -> None:
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("QS"))
    before = read(tablet, "rules")["sequence"]
    tablet.send({"type": "correct", "cards": {"1": "KS"}, "reason": "misread"})
    again = read(tablet, f"rules?since={before}")
    assert [act for act in again["deal"]["acts"] if act["type"] == "card"] == [card("KS")]


def test_a_table_that_never_dealt_is_handed_out_without_a_deal() -> None:
    rules = read(a_game(), "rules")
    assert (rules["deal"], rules["number"], rules["game"]["game"]) == (None, 0, "stos")
    assert rules["terms"] == {
        "digits": 2, "min_minor": 10000, "max_minor": 1000000, "chip_minor": 100, "seats": 10, "bank_minor": None,
    }  # fmt: skip


def test_only_the_table_s_own_device_and_who_may_read_it_are_handed_its_rules() -> None:
    tablet = a_game()
    assert tablet.house.client("A").get("/api/tables/S/rules").status_code == 403
    assert tablet.house.session("P-1").get("/api/tables/S/rules").status_code == 200
