"""One table's shift as the API gives it: turn by turn, by rank and seat, people, chips and the last entries."""

from typing import Any

import pytest

from tables.actions import odds
from tables.queries import theory
from tests.tables.a_cage import a_cage
from tests.tables.a_game import a_game, bet, card

pytestmark = pytest.mark.django_db


def shift(tablet: Any, number: str = "P-1", code: str = "S") -> Any:
    response = tablet.house.session(number).get(f"/api/tables/{code}/shift")
    assert response.status_code == 200, response.content
    return response.json()


def two_deals() -> Any:
    """Seat 1 loses 500 on a queen, seat 2 wins 200 on a king; then sevens split, and seat 3 takes its bet back."""
    tablet = a_game()
    tablet.send(
        {"type": "deal", "deal": "1"},
        bet("a", 1, "Q", "500"),
        bet("b", 2, "K", "200"),
        {"type": "bet", "bet": "s", "seat": 2, "suit": "S", "amount": "300"},
    )
    tablet.send(card("QS"), card("KH"), {"type": "withdraw", "bet": "s"}, {"type": "end"})
    tablet.send({"type": "deal", "deal": "2"}, bet("c", 3, "7", "100"), card("7C"), card("7D"), card("2C"))
    return tablet


@pytest.mark.parametrize("kept", [False, True])
def test_the_win_goes_turn_by_turn_beside_what_could_be_expected(kept):
    tablet = two_deals()
    if kept:
        odds.keep_odds()
        theory._following._kept.clear()
    view = shift(tablet)

    curve = view["curve"]
    assert [(each["deal"], each["turn"], each["win_minor"], each["split"]) for each in curve] == [
        ("1", 1, 30000, False),
        ("2", 1, 40000, True),
    ]
    assert [each["expected_minor"] for each in curve] == sorted(each["expected_minor"] for each in curve)
    last, tile = curve[-1], view["table"]
    assert (last["win_minor"], last["expected_minor"], last["deviation_minor"]) == (
        tile["game_win_minor"], tile["expected_minor"], tile["deviation_minor"],
    )  # fmt: skip


def test_ranks_and_seats_say_what_was_staked_and_what_the_bank_got_the_worst_first():
    view = shift(two_deals())

    assert [(each["kind"], each["what"], each["bets"], each["staked_minor"], each["bank_minor"])
            for each in view["ranks"]] == [
        ("rank", "K", 1, 20000, -20000),
        ("suit", "S", 1, 0, 0),
        ("rank", "7", 1, 10000, 10000),
        ("rank", "Q", 1, 50000, 50000),
    ]  # fmt: skip
    assert [(each["what"], each["bets"], each["average_minor"], each["bank_minor"]) for each in view["seats"]] == [
        ("2", 2, 10000, -20000),
        ("3", 1, 10000, 10000),
        ("1", 1, 50000, 50000),
    ]


def test_the_table_s_people_and_its_last_entries_are_there_the_newest_first():
    view = shift(two_deals())

    assert [(each["role"], each["number"], each["turns"], each["until"]) for each in view["people"]] == [
        ("dealer", "D-1", 2, None)
    ]
    assert [(each["type"], each["event"].get("card")) for each in view["entries"]][:3] == [
        ("card", "2C"), ("card", "7D"), ("card", "7C"),
    ]  # fmt: skip
    assert len(view["entries"]) == 12


def test_chips_that_moved_and_slips_on_their_way_are_the_table_s():
    cage = a_cage()
    cage.open(c1000=10, c500=10)
    cage.fill(c1000=5)
    cage.request("credit", c500=2)
    view = shift(cage)

    assert [(each["kind"], each["amount_minor"]) for each in view["chips"]] == [
        ("fill", 500_000), ("opener", 1_500_000),
    ]  # fmt: skip
    assert [(each["kind"], each["amount_minor"], each["to_float_minor"], each["state"]) for each in view["slips"]] == [
        ("credit", 100_000, -100_000, "requested")
    ]


def test_a_pit_boss_looks_into_no_table_of_another_pit_and_a_table_never_opened_has_no_shift():
    tablet = a_game()
    boss = tablet.house.session("P-1")
    assert boss.get("/api/tables/Z/shift").status_code == 403
    assert boss.get("/pit/Z/").status_code == 404
    assert boss.get("/api/tables/A/shift").status_code == 404
    assert boss.get("/pit/S/").status_code == 200


def test_what_could_be_expected_of_a_rank_is_exact_and_its_z_is_the_table_s_where_no_other_was_bet_on():
    tablet = a_game()
    shown = iter([rank + suit for _deck in range(6) for suit in "CDHS" for rank in "23456789TJQK"])
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "A", "500"))
    tablet.send(*(card(next(shown)) for _ in range(58)))
    (of_rank,) = shift(tablet)["ranks"]
    assert (of_rank["z"], of_rank["expected_minor"] > 0) == (None, True)  # 29 turns are too few to say

    tablet.send(card("AS"), card("AH"), bet("b", 2, "K", "300"), bet("c", 3, "7"))
    tablet.send(card("2S"), card("KS"), card("7S"), card("3S"))
    view = shift(tablet)
    found = {each["what"]: each for each in view["ranks"]}
    assert abs(sum(each["expected_minor"] for each in found.values()) - view["table"]["expected_minor"]) <= 1
    assert found["A"]["bank_minor"] == 50000
    # On the ace alone until it came: 30 turns, whose expectation and variance are those of the curve.
    ace = view["curve"][29]
    assert found["A"]["expected_minor"] == ace["expected_minor"]
    assert float(found["A"]["z"]) == pytest.approx(
        (ace["win_minor"] - ace["expected_minor"]) / ace["deviation_minor"], abs=0.006
    )


def test_a_rank_counts_sealed_bets_and_parolis_as_the_table_does():
    line = {
        "type": "table", "table": "F", "game": "pharaon", "currency": "RUB", "min": "100", "max": "1000", "chip": "1",
        "rules": {"deck": 32, "bonus": "1/2"},
    }  # fmt: skip
    tablet = a_game(line)
    tablet.send({"type": "deal", "deal": "1"}, {"type": "bet", "bet": "a", "seat": 1, "amount": "200"})
    tablet.send(bet("b", 2, "9"), {"type": "cut"}, card("8S"), card("QH"))
    tablet.send({"type": "reveal", "bet": "a", "card": "QS"}, {"type": "paroli", "bet": "p", "of": "a"})
    tablet.send(card("KS"), card("9D"), card("QD"), card("JD"))
    view = shift(tablet, code="F")
    assert {each["what"]: each["bank_minor"] for each in view["ranks"]} == {"Q": 20000, "9": -10000}
    expected = sum(each["expected_minor"] for each in view["ranks"])
    assert abs(expected - view["table"]["expected_minor"]) <= 1
