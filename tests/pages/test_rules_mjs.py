"""The browser's interpreter says what the engine says: every case, random evenings, step by step, word by word.

It runs in Node.js, see in_node.py.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tables import tablelog
from tables.ledger import BY_DEED
from tables.queries.console import deal_view, settled_view
from tables.rules.deal import Deal
from tables.rules.events import CorrectCards, Event, Rules, Table
from tables.rules.refusals import Code, Refusal
from tables.rules.table import CORRECTIONS, TableState
from tests.pages.evenings import evening
from tests.pages.in_node import node
from tests.rules.floor import events

CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.jsonl"))
EVENINGS = 200
OUTCOMES = {"win", "lose", "split", "push", "pocket", "half_win", "half_lose"} | BY_DEED
Json = dict[str, Any]


def terms_data(state: TableState) -> Json:
    """Return terms as the API gives them under `table`."""
    terms = state.terms
    assert terms is not None
    return {
        "digits": terms.digits,
        "min_minor": terms.minimum,
        "max_minor": terms.maximum,
        "chip_minor": terms.chip,
        "seats": terms.seats,
        "bank_minor": terms.bank,
    }


class Played:
    """A log as the engine plays it: the steps for the interpreter and what each must answer.

    stopped  the first refusal, where the log stops at it
    beyond   corrections of more than the odd card of an open turn, which are left out
    """

    def __init__(self, lines: Iterable[str], stop: bool) -> None:
        self.steps: list[Json] = []
        self.expected: list[Json] = []
        self.stopped: Refusal | None = None
        self.beyond = 0
        self.lines: list[Json] = []
        self._state = TableState()
        self._deals = 0
        for line in lines:
            try:
                self._step(json.loads(line))
            except Refusal as refusal:
                if stop:
                    self.stopped = refusal
                    break
        self._print(self._state.deal)

    def _print(self, deal: Deal | None) -> None:
        if deal is not None:
            self.lines += [tablelog.settlement_object(each, deal.terms.digits) for each in deal.settlements]

    def _step(self, sent: Json) -> None:
        state, deal_before = self._state, self._state.deal
        of_terms = sent.get("type") in ("table", "rules")
        try:
            event = tablelog.parse_object(sent)
            assert not isinstance(event, tablelog.FloorEvent)
            if self._is_beyond(event):
                self.beyond += 1
                return
            outcome = state.apply(event)
        except Refusal as refusal:
            if not of_terms:
                self._expect(sent, {"code": str(refusal.code), "facts": refusal.facts})
            raise
        if isinstance(event, Table | Rules):
            assert state.terms is not None
            bank = {"bank": state.bank} if event.banker is not None else {}
            self.steps.append({"terms": terms_data(state), "game": state.terms.game.data(), **bank})
            self.expected.append({"settlements": [], "takes": []})
            return
        if sent["type"] == "deal":
            self._deals += 1
            self._print(deal_before)
        assert state.deal is not None
        self._expect(
            sent,
            {
                "settlements": [asdict(settled_view(state.deal, each)) for each in outcome.settlements],
                "takes": [asdict(settled_view(state.deal, each)) for each in outcome.takes],
                "bank": state.bank,
                "after": {
                    "deal": state.deal.name,
                    "position": state.deal.position,
                    "take_backs": state.deal.take_backs,
                },
            },
        )

    def _expect(self, sent: Json, answer: Json) -> None:
        kept = len(self.steps) % 12 == 0
        event = {key: value for key, value in sent.items() if key not in ("at", "by")}
        self.steps.append({"event": event, "kept": kept})
        if kept and "code" not in answer:
            assert self._state.deal is not None
            answer["deal"] = json.loads(json.dumps(asdict(deal_view(self._state.deal, self._deals))))
        self.expected.append(answer)

    def _is_beyond(self, event: Event) -> bool:
        deal = self._state.deal
        if deal is None or not isinstance(event, CORRECTIONS):
            return False
        return not (isinstance(event, CorrectCards) and len(deal.cards) % 2 and set(event.cards) == {len(deal.cards)})


def compare(played: Played, answers: list[Json]) -> None:
    *answers, last = answers
    for step, expected, answer in zip_longest(played.steps, played.expected, answers):
        assert answer == expected, step
    assert last["lines"] == played.lines


NO_TABLE = "L-first-line-no-table"  # without a table there is nothing that could be played


@pytest.fixture(scope="module")
def cases() -> dict[str, Played]:
    return {case.stem: Played(_lines(case), stop=True) for case in CASES if case.stem != NO_TABLE}


def _lines(case: Path) -> Iterator[str]:
    return (line for _, line in tablelog.lines(case.read_text(encoding="utf-8")))


def test_every_case_is_settled_in_the_browser_as_settle_does(cases: dict[str, Played]) -> None:
    for (name, played), answers in zip_longest(cases.items(), node("settle.mjs", [p.steps for p in cases.values()])):
        compare(played, answers)
        case = CASES[0].with_name(name)
        if not played.beyond:
            printed = [json.loads(line) for line in case.with_suffix(".out").read_text(encoding="utf-8").splitlines()]
            assert answers[-1]["lines"] == [line for line in printed if line.get("type") != "summary"], name
            assert (played.stopped is not None) == case.with_suffix(".err").exists()


def test_only_corrections_of_more_than_the_odd_card_are_left_to_the_server(cases: dict[str, Played]) -> None:
    left = {name for name, played in cases.items() if played.beyond}
    corrected = {name for name in cases if name.startswith(("C-12-", "gen-"))}
    assert left == corrected - {"C-12-odd-card-taken-back"}


def test_a_correction_of_more_than_the_odd_card_is_left_to_the_server_and_changes_nothing() -> None:
    played = Played(map(json.dumps, events("stuss", "deal 1; bet a 1 500 Q; bet b 2 500 K; QC KD 3H")), stop=True)
    fixes = events("stuss", "fix 1=AC; fix 1=AC 3=2H; fix 3=-; fix a rank=K; unmade a; stood c 3 500 9 after 2")[1:]
    *_, one, two, alone, changed, unmade, stood, end = node("settle.mjs", [[*played.steps, *_steps(fixes)]])[0]
    beyond = {"beyond": "a correction of more than the odd card"}
    assert [one, two, changed, unmade, stood] == [beyond] * 5
    assert alone["after"] == {"deal": "1", "position": 2, "take_backs": 1}
    assert end["lines"] == played.lines


def test_an_amount_that_no_number_of_the_browser_holds_exactly_is_left_to_the_server() -> None:
    terms = {"min": "90000000000000", "max": "90000000000000", "rules": {"bonus": "1/2"}}
    played = Played(map(json.dumps, events("pharaon", "deal 1; bet a 1 - Q; cut; 3C", **terms)), stop=True)
    *_, won, waits, end = node("settle.mjs", [[*played.steps, *_steps(events("pharaon", "QH; 4C")[1:])]])[0]
    assert won == {"beyond": "an amount beyond 2^53 - 1"}
    assert (waits["after"]["position"], waits["takes"], end["lines"]) == (2, [], []), (
        "the state stayed at the 3 of clubs"
    )


def test_a_turn_with_thirty_bets_late_in_a_shoe_takes_less_than_two_milliseconds() -> None:
    played = Played(map(json.dumps, events("stos", "")), stop=True)
    (timed,) = node("speed.mjs", played.steps)
    assert timed["bets"] == 2810
    # The fastest of the last ones: what the code takes, not what else this machine is doing.
    assert min(timed["turns"][-20:]) < 2000


def _steps(lines: list[Json]) -> list[Json]:
    return [{"event": line, "kept": True} for line in lines]


def test_random_evenings_are_played_in_the_browser_as_by_the_engine() -> None:
    dice = Random(2)
    evenings = [Played(map(json.dumps, evening(dice)), stop=False) for _ in range(EVENINGS)]
    seen: Counter[str] = Counter()
    for played, answers in zip_longest(evenings, node("settle.mjs", [played.steps for played in evenings])):
        compare(played, answers)
        seen.update(answer["code"] for answer in played.expected if "code" in answer)
        seen.update(each["outcome"] for answer in played.expected for each in answer.get("settlements", ()))
    of_terms = {"bad_rules"}  # asked of the server only
    assert set(Code) - of_terms | OUTCOMES == set(seen), "each happened at all"
