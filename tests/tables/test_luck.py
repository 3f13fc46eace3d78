"""Luck or leak: who is judged, among whom, and by which distribution."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from tables import stats
from tables.actions import door, odds
from tables.actions import house as floor
from tables.models import Deck, DeckStep, Pit
from tables.queries.luck import luck
from tests.tables.a_game import STOS, Tablet, a_game, bet, card

pytestmark = pytest.mark.django_db
RANKS = "23456789TJQKA"


def play(events: list[dict[str, Any]], table: str, author: str = "D-1", at: datetime | None = None) -> None:
    door.record_for_house(table, door.vouch(events, author=author, happened_at=at))


def a_deal(name: str, turns: int, *, split_all: bool = False, loses: bool = True) -> list[dict[str, Any]]:
    """Every turn seat 1 bets 500 on a rank and loses it, or wins; every turn a split, or none."""
    events: list[dict[str, Any]] = [{"type": "deal", "deal": name}]
    for turn in range(turns):
        rank, other = RANKS[turn % 13], RANKS[(turn + 1) % 13]
        suits = "CDHS"[turn // 13 % 4], "DHSC"[turn // 13 % 4]
        odd, even = (rank + suits[0], (rank if split_all else other) + suits[1])
        events.append(bet(f"b{turn}", 1, (odd if loses else even)[0], "500"))
        events += [card(odd), card(even)]
    return [*events, {"type": "end"}]


def four_tables() -> Tablet:
    """Four tables: at S every turn is a split, at the others none; the house loses at the last one."""
    tablet = a_game()
    pit = Pit.objects.select_related("casino").get(pk=tablet.house.pits["main"])
    for code in ("T", "U", "V"):
        line = STOS | {"table": code}
        with transaction.atomic():
            floor.create_table(pit.casino, pit, line)
            play([line, {"type": "open"}], code)
    play(a_deal("1", 30, split_all=True), "S")
    for code, loses in (("T", True), ("U", True), ("V", False)):
        play(a_deal("1", 30, loses=loses), code, author="D-2")
    return tablet


def judged(tablet: Tablet) -> Any:
    return tablet.house.session("P-1").get("/api/luck").json()


def test_the_splits_of_one_table_stand_out_among_four_and_its_dealer_s_among_two():
    tablet = four_tables()
    odds.keep_odds()
    found = judged(tablet)

    of_tables = {each["name"]: each for each in found["splits"] if each["kind"] == "table"}
    assert {name: (each["turns"], each["splits"], each["stands_out"]) for name, each in of_tables.items()} == {
        "S": (30, 30, True), "T": (30, 0, False), "U": (30, 0, False), "V": (30, 0, False),
    }  # fmt: skip
    assert [(each["name"], each["stands_out"]) for each in found["splits"] if each["kind"] == "dealer"] == [
        ("D-1", True), ("D-2", True),
    ]  # fmt: skip
    assert next(each["name"] for each in found["splits"] if each["kind"] == "deal") == "S · 1"


def test_the_chance_of_a_table_s_splits_is_that_of_its_own_turns():
    tablet = four_tables()
    chances, left = [], dict.fromkeys(RANKS, 24)
    for turn in range(30):
        cards = sum(left.values())
        chances.append(sum(copies * (copies - 1) for copies in left.values()) / (cards * (cards - 1)))
        left[RANKS[turn % 13]] -= 1
        left[RANKS[(turn + 1) % 13]] -= 1
    for _kept in range(2):
        (found,) = (each for each in judged(tablet)["splits"] if (each["kind"], each["name"]) == ("table", "T"))
        assert found["chance"] == pytest.approx(stats.chance_of_count(chances, 0))
        assert found["expected"] == round(sum(chances), 1)
        odds.keep_odds()


def test_results_are_judged_by_table_shift_day_and_dealer_and_the_lost_ones_stand_out():
    found = judged(four_tables())
    results = {(each["kind"], each["name"]): each for each in found["results"]}

    assert {name for kind, name in results if kind == "table"} == {"S", "T", "U", "V"}
    lost = results["table", "V"]
    assert (lost["win_minor"], lost["word"], lost["stands_out"]) == (-1_500_000, "check", True)
    house = results["shift", "1"]
    assert house["turns"] == 120
    assert house["win_minor"] == sum(results["table", name]["win_minor"] for name in "STUV") == 3_000_000
    assert results["day", found["gaming_date"]] == house | {"kind": "day", "name": found["gaming_date"]}
    assert results["dealer", "D-2"]["turns"] == 90


def test_a_shoe_is_judged_since_its_decks_came_to_the_table():
    tablet = four_tables()
    deck = Deck.objects.create(casino_id=tablet.house.casino_id, serial="A-1", size=52, sequence=1)
    since = timezone.now()
    DeckStep.objects.create(
        deck=deck, number=2, step="in_service", table_id=tablet.house.tables["S"], done_at=since, author="I-1",
        second="P-1", sequence=1,
    )  # fmt: skip
    play(a_deal("2", 3), "S", at=since + timedelta(seconds=1))

    found = luck(tablet.house.casino_id, timezone.now()).splits
    assert [(each.name, each.turns, each.splits) for each in found if each.kind == "shoe"] == [("S", 3, 0)]


def test_a_pit_boss_is_judged_nothing_of_another_pit_and_reads_the_page_in_his_language():
    tablet = four_tables()
    play([{"type": "open"}, *a_deal("1", 2)[:-1]], "Z")
    assert "Z" not in {each["name"] for each in judged(tablet)["results"]}
    assert "Z" in {each["name"] for each in tablet.house.session("A-1").get("/api/luck").json()["results"]}

    page = tablet.house.session("P-1").get("/luck/").content.decode()
    assert "‼ check" in page
    assert ">−15\u202f000<" in page
