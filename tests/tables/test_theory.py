"""What turns could expect, from the record: kept or not, in one query for all, and corrected with their deal."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables import tablelog
from tables.actions import door, odds
from tables.models import OddsHead, Opening, Pit, TurnOdds
from tables.queries import theory
from tables.queries.floor import floor, word
from tables.queries.theory import Theory
from tables.rules.odds import deal_steps
from tables.rules.table import TableState
from tests.tables.a_game import STOS, a_game, bet, card, put_up
from tests.tables.a_house import a_house

pytestmark = pytest.mark.django_db
AGES_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def deal(name: str, *cards: str, rank: str = "Q") -> list[dict[str, Any]]:
    """A deal with a bet of 500 of seat 1 and one of 200 of seat 2, ended."""
    bets = [bet("a", 1, rank, "500"), bet("b", 2, "K", "200"), {"type": "bet", "bet": "s", "seat": 2, "suit": "S"}]
    return [{"type": "deal", "deal": name}, *bets, *map(card, cards), {"type": "end"}]


def play(events: list[dict[str, Any]], table: str = "S") -> None:
    sent = door.vouch(events, author="D-1")
    given = {"author": "D-1", "approver": "", "given": True}
    door.record_for_house(table, [replace(each, approval=given) for each in sent])


def steps_of(*deals: list[dict[str, Any]]) -> Theory:
    """Sum the steps of deals as the rules alone see them."""
    state, found = TableState(), Theory()
    for events in ([STOS], *deals):
        for event in map(tablelog.parse_object, events):
            assert not isinstance(event, tablelog.FloorEvent)
            state.apply(event)
        if events == [STOS]:
            continue
        assert state.deal is not None
        for step in deal_steps(state.deal):
            found.turns += 1
            found.at_stake += step.variance > 0
            found.recent += 1
            found.splits += step.split
            found.splits_expected += step.split_chance
            found.win_minor += step.actual
            found.expectation += step.expectation
            found.variance += step.variance
    return found


FIRST = deal("1", "QS", "KH", "7C", "7D")
SECOND = deal("2", "2S", "QH", "KS", "3D", "4H", "5H")
THIRD = deal("3", "9S", "9H")


def theory_of_s() -> Theory:
    opening = Opening.objects.get(table__code="S")
    return theory.of_openings({opening.pk: opening.table_id}, AGES_AGO)[opening.pk]


def test_the_theory_of_an_opening_is_that_of_its_turns_before_it_is_kept_and_after():
    a_game()
    play([*FIRST, *SECOND, *THIRD])
    expected = steps_of(FIRST, SECOND, THIRD)
    assert (expected.turns, expected.splits) == (6, 2)

    assert theory_of_s() == expected
    assert odds.keep_odds() == 6
    assert list(OddsHead.objects.values_list("table__code", "deal_number")) == [("S", 2)]
    theory._following._kept.clear()  # as a process that has just begun
    assert theory_of_s() == expected
    assert odds.keep_odds() == 0


def test_a_correction_makes_what_was_kept_of_its_deal_worthless():
    a_game()
    play([*FIRST, *SECOND[:-1]])
    odds.keep_odds()
    play([{"type": "correct", "reason": "misread", "cards": {"2": "KD"}}, SECOND[-1]])
    corrected = [*SECOND[:-1], {"type": "correct", "reason": "misread", "cards": {"2": "KD"}}, SECOND[-1]]

    assert theory_of_s() == steps_of(FIRST, corrected)
    odds.keep_odds()
    theory._following._kept.clear()
    assert theory_of_s() == steps_of(FIRST, corrected)
    play(THIRD)
    odds.keep_odds()
    assert theory_of_s() == steps_of(FIRST, corrected, THIRD)


def test_a_turn_is_his_who_drew_its_second_card_and_keeps_its_moment():
    tablet = a_game()
    tablet.send(*FIRST[:6])
    odds.keep_odds()
    (kept,) = TurnOdds.objects.all()
    assert (kept.dealer, kept.turn, kept.position, kept.undealt, kept.split, kept.win_minor) == (
        "D-1", 1, 2, 312, False, 30000,
    )  # fmt: skip
    # Turn 1: any two of 13 ranks with 24 copies each.
    assert kept.split_ways == 13 * 24 * 23


def test_what_a_player_banks_is_not_the_house_s_but_its_splits_are_counted():
    line = STOS | {"table": "S", "banker": {"bank": "100000"}}
    house = a_house()
    put_up(line, Pit.objects.select_related("casino").get(pk=house.pits["main"]))
    play(FIRST)
    odds.keep_odds()
    found = theory_of_s()
    assert (found.turns, found.splits, found.win_minor, found.expectation) == (2, 1, 0, Fraction(0))


def test_the_floor_asks_as_often_for_one_table_as_for_four():
    tablet = a_game()
    play(FIRST)

    def asked(*codes: str) -> int:
        ids = [tablet.house.tables[code] for code in codes]
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert len(floor(table_ids=ids).tables) == len(codes)
        return len(queries)

    for code in ("A", "B", "Z"):
        play([{"type": "open"}], code)
    play([{"type": "deal", "deal": "1"}, bet("a", 1, "Q"), card("QS"), card("KH")], "B")
    floor()  # follow both deals
    assert asked("S") == asked("A", "B", "S", "Z")


def on_the_floor(tablet: Any) -> Any:
    tables = tablet.house.session("P-1").get("/api/floor").json()["tables"]
    return next(table for table in tables if table["table"] == "S")


def test_the_floor_says_what_the_shift_could_expect_and_in_what_word():
    tablet = a_game()
    play([*FIRST, *SECOND])
    expected = steps_of(FIRST, SECOND)
    table = on_the_floor(tablet)

    assert table["expected_minor"] == round(expected.expectation)
    assert table["deviation_minor"] == int(float(expected.variance) ** 0.5)
    assert (table["z"], table["word"], table["one_in"]) == (str(expected.z), "few", None)
    assert (table["splits"], table["splits_expected"]) == (1, "0.4")
    assert (table["shift"], table["turns"]) == (1, 5)


def test_thirty_turns_with_money_at_stake_are_enough_for_a_word():
    few = Theory(at_stake=29, win_minor=-300, expectation=Fraction(0), variance=Fraction(10000))
    assert few.chance is None
    words = {win: word_of(win) for win in (0, 90, 110, -150, 210, -210)}
    assert words == {
        0: "normal", 90: "normal", 110: "luck_up", -150: "luck_down", 210: "rare_up", -210: "rare_down",
    }  # fmt: skip


def word_of(win: int) -> str:
    return word(Theory(at_stake=30, win_minor=win, variance=Fraction(10000)))


def test_a_pace_is_that_of_the_last_hour_and_a_table_just_opened_has_none():
    tablet = a_game()
    play(FIRST)
    assert on_the_floor(tablet)["turns_an_hour"] is None

    now = datetime.now(UTC)
    opening = Opening.objects.get(table__code="S")
    assert theory.of_openings({opening.pk: opening.table_id}, now - timedelta(hours=1))[opening.pk].recent == 2
    assert theory.of_openings({opening.pk: opening.table_id}, now)[opening.pk].recent == 0
