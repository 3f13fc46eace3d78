"""Sums as dealers read and type them, in the browser's own code."""

import json

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

MODULE = "async ([name, ...given]) => (await import('/static/tables/money.js'))[name](...given)"


@pytest.fixture
def money(page: Page, live_server: LiveServer) -> Page:
    page.goto(f"{live_server.url}/login/")
    return page


@pytest.mark.parametrize(
    ("minor", "language", "written"),
    [(1250000, "en", "12\u202f500"), (-70000, "ru", "\u2212700"), (1250, "en", "12.50"), (1250, "ru", "12,50"),
     (123456789012, "en", "1\u202f234\u202f567\u202f890.12"), (0, "ru", "0")],
)  # fmt: skip
def test_a_sum_has_narrow_spaces_and_a_true_minus(money: Page, minor: int, language: str, written: str) -> None:
    assert money.evaluate(MODULE, ["sum", minor, 2, language]) == written


@pytest.mark.parametrize(
    ("typed", "minor"),
    [("1 000", 100000), ("1\u00a0000", 100000), ("1\u202f000", 100000), ("1\u2009000", 100000), ("1 000,5", 100050),
     ("12.50", 1250), ("1,000.5", None), ("1,000", None), ("1 0", None), ("12 50", None), ("12.345", None), ("", None),
     ("1e3", None), ("-5", None), ("9" * 20, None)],
)  # fmt: skip
def test_a_typed_sum_is_read_whole_or_refused_never_cut_short(money: Page, typed: str, minor: int | None) -> None:
    assert money.evaluate(MODULE, ["read", typed, 2]) == minor


def test_chips_make_up_a_sum_from_the_largest_down_and_say_what_they_cannot(money: Page) -> None:
    made = money.evaluate(MODULE, ["stack", 265025, [5000, 10000, 50000, 100000]])

    assert json.dumps(made) == json.dumps(
        {"pieces": [{"count": 2, "value": 100000}, {"count": 1, "value": 50000}, {"count": 1, "value": 10000},
                    {"count": 1, "value": 5000}], "rest": 25}
    )  # fmt: skip
