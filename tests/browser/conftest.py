"""A floor on a live server, and a desk at one of its tables."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.a_desk import Desk
from tests.browser.a_floor import DEALERS, PINS, Floor, a_floor

# How soon something shows depends on the machine (`./run bench live`); this bounds how long a fault is waited for.
expect.set_options(timeout=60_000)


@pytest.fixture
def floor(live_server: LiveServer) -> Floor:
    """Four open tables; nobody signed on."""
    return a_floor()


@pytest.fixture
def desk(floor: Floor, live_server: LiveServer, page: Page) -> Callable[..., Desk]:
    """A table's console with its dealer signed on: desk("Stos-1"), desk("Stos-1", language="ru", by_hand=True)."""

    def sit(table: str, *, by_hand: bool = False, **more: str) -> Desk:
        dealer, at = DEALERS[table], Desk(page, live_server.url, table)
        return (at.open_by_hand if by_hand else at.open)(floor.tokens[table], dealer, PINS[dealer], **more)

    return sit


@pytest.fixture
def other_page(browser: Browser) -> Iterator[Page]:
    """A second tablet: another browser context, with nothing remembered."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    yield opened
    context.close()
