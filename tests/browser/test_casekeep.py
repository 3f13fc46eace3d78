"""The players' side of a table: what is undealt, live and large, and nothing that is not on the cloth."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.a_desk import Desk
from tests.browser.a_floor import Floor
from tests.browser.barriers import barriers

CUT_OFF = """() => [...document.querySelectorAll("#casekeep *")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline")
    .map((each) => each.outerHTML.slice(0, 90))"""
SCROLLS = """() => document.documentElement.scrollWidth > innerWidth
    || document.documentElement.scrollHeight > innerHeight"""


def shown(page: Page, rank: str) -> str:
    return " ".join(page.locator(f".rank[data-rank='{rank}']").inner_text().split())


def test_the_display_follows_the_record_card_by_card(
    desk: Callable[..., Desk], other_page: Page, live_server: LiveServer
) -> None:
    at = desk("Stuss-1")
    other_page.goto(f"{live_server.url}/casekeep/Stuss-1/")
    expect(other_page.locator("#facts")).to_have_text("No deal has begun52 undealt")

    at.play({"type": "deal", "deal": "1"}, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "500"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.confirm("keys")
    at.play({"type": "card", "card": "9S"}, "keys")

    expect(other_page.locator("#facts")).to_have_text("deal 1turn 150 undealt")
    assert shown(other_page, "Q") == "Q 3/4 ♠ · ♦ ♣ ↓ odd card"
    assert shown(other_page, "9") == "9 3/4 · ♥ ♦ ♣ ↑ even card"
    assert shown(other_page, "K") == "K 4/4 ♠ ♥ ♦ ♣"


def test_anybody_may_ask_and_learns_no_bet_no_seat_no_sum_no_name_and_no_order(
    desk: Callable[..., Desk], other_page: Page, live_server: LiveServer
) -> None:
    at = desk("Stos-1")
    for line in (
        {"type": "deal", "deal": "1"},
        {"type": "bet", "bet": "a", "seat": 3, "rank": "K", "amount": "500"},
        {"type": "card", "card": "QH"},
        {"type": "card", "card": "QS"},
    ):
        at.play(line, "keys")

    answer = other_page.request.get(f"{live_server.url}/api/tables/Stos-1/casekeep")
    body = answer.json()

    assert set(body) == {
        "sequence", "table", "name", "game", "state", "deal", "turn", "finished", "undealt", "ranks",
    }  # fmt: skip
    assert {key for rank in body["ranks"] for key in rank} == {
        "rank", "state", "lies", "copies", "undealt", "full", "left",
    }  # fmt: skip
    assert (body["deal"], body["turn"], body["undealt"]) == ("1", 1, 310)
    assert [each for each in body["ranks"] if each["rank"] == "Q"] == [
        {
            "rank": "Q",
            "state": "live",
            "lies": "odd",
            "copies": 24,
            "undealt": 22,
            "full": [6, 6, 6, 6],
            "left": [6, 6, 5, 5],
        }
    ]
    assert not re.search("Serikova|Weber|500|50000", json.dumps(body))


def test_a_table_that_is_not_there_is_said_to_be_none(floor: Floor, page: Page, live_server: LiveServer) -> None:
    assert page.request.get(f"{live_server.url}/api/tables/Nowhere/casekeep").status == 404
    page.goto(f"{live_server.url}/casekeep/Nowhere/?language=ru")
    expect(page.locator("#live")).to_have_text("Такого стола нет.")


def test_a_display_without_its_server_keeps_the_counts_and_says_since_when(
    floor: Floor, page: Page, live_server: LiveServer
) -> None:
    page.goto(f"{live_server.url}/casekeep/Pharaon-1/")
    expect(page.locator("#facts")).to_have_text("No deal has begun52 undealt")

    def lose(route: Route) -> None:
        route.abort()

    page.route("**/api/**", lose)

    expect(page.locator("#live")).to_have_text(re.compile(r"not live since \d\d:\d\d"))
    assert shown(page, "A") == "A 4/4 ♠ ♥ ♦ ♣"


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080), (800, 1280)])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_nothing_is_cut_off_at_any_size_in_either_language_and_axe_finds_nothing(
    floor: Floor, page: Page, live_server: LiveServer, size: tuple[int, int], language: str
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})

    for table in ("Stos-1", "Stuss-1"):
        page.goto(f"{live_server.url}/casekeep/{table}/?language={language}")
        page.locator("[data-rank=Q] .head").wait_for()
        assert page.locator("html").get_attribute("lang") == language
        assert page.evaluate(SCROLLS) is False
        assert page.evaluate(CUT_OFF) == []
        assert barriers(page) == []
