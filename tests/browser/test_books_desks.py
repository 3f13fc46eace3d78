"""The pages of inspector, cage, count room, shift manager and surveillance on their screens, in both languages.

None holds a barrier (axe, in both themes), none is wider than the screen, lying or upright, and the bar is one line.
"""

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from tables.models import Staff
from tests.browser.a_busy_house import BusyHouse, a_busy_house
from tests.browser.barriers import barriers, watched
from tests.tables.a_cage import CAGE_PINS
from tests.tables.a_house import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)

LYING: ViewportSize = {"width": 1280, "height": 800}
UPRIGHT: ViewportSize = {"width": 800, "height": 1280}
# By how much the page is wider than the screen, and how high its bar is.
MEASURE = """() => [document.documentElement.scrollWidth - document.documentElement.clientWidth,
    document.querySelector('header.nav').getBoundingClientRect().height]"""
THEME = """() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
    return red + green + blue < 384 ? "dark" : "light";
}"""
UNFOLD = "() => document.querySelectorAll('main details').forEach((each) => { each.open = true })"


def log_in(page: Page, url: str, number: str) -> None:
    page.goto(f"{url}/login/")
    page.fill("#id_username", number)
    page.fill("#id_password", PASSWORD)
    page.click("main button")
    page.wait_for_function("() => !location.pathname.startsWith('/login')")


# Colours do not come from words, nor words from colours: each theme is looked at once, and so is each language.
@pytest.mark.long
@pytest.mark.parametrize(("language", "theme"), [("en", "dark"), ("ru", "light")])
def test_no_page_of_the_books_holds_a_barrier_or_is_wider_than_its_screen(
    language: str, theme: str, browser: Browser, live_server: LiveServer
) -> None:
    house: BusyHouse = a_busy_house()
    Staff.objects.update(language=language)
    faults: dict[str, object] = {}
    for number, paths in house.pages().items():
        context = browser.new_context(viewport=LYING)
        page = watched(context)
        log_in(page, live_server.url, number)
        if theme == "light":
            page.click("[data-theme-switch]")
        for path in paths:
            answer = page.goto(live_server.url + path)
            assert answer is not None
            assert answer.status == 200, path
            assert page.locator("html").get_attribute("lang") == language
            assert page.evaluate(THEME) == theme
            page.evaluate(UNFOLD)
            for size in (UPRIGHT, LYING):
                page.set_viewport_size(size)
                over, bar = page.evaluate(MEASURE)
                faults[f"{number} {path} at {size['width']}"] = (over, bar) if over > 0 or bar > 60 else None
            faults[f"{number} {path}, barriers"] = barriers(page)
        context.close()
    assert {where: found for where, found in faults.items() if found} == {}


def test_the_bar_is_short_opens_one_menu_at_a_time_and_is_walked_by_keyboard(
    page: Page, live_server: LiveServer
) -> None:
    a_busy_house()
    log_in(page, live_server.url, "S-1")
    page.goto(f"{live_server.url}/books/")
    bar = page.locator("header.nav")
    words = bar.locator("nav > a, nav > details > summary").all_inner_texts()
    assert words == ["Floor", "Tables", "Chips and cash", "Books", "People"]
    tables, people = bar.get_by_text("Tables", exact=True), bar.get_by_text("People", exact=True)
    tables.click()
    assert bar.locator("details[open] a").all_inner_texts() == [
        "Floats", "Players", "Disputes and debts", "Card control",
    ]  # fmt: skip
    people.click()
    assert bar.locator("details[open] a").all_inner_texts() == ["Duty", "Incidents"]
    page.keyboard.press("Escape")
    assert bar.locator("details[open]").count() == 0
    assert page.evaluate("() => document.activeElement.textContent") == "People"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/incidents/")
    bar.get_by_text("Books", exact=True).first.click()
    page.locator("h1").click()
    assert bar.locator("details[open]").count() == 0
    # Whoever has one page of a group has it in the bar itself.
    page.context.clear_cookies()
    log_in(page, live_server.url, "N-1")
    assert page.locator("header.nav nav > *").all_inner_texts()[-1:] == ["Count room"]
    assert page.locator("header.nav nav details").count() == 0


def test_a_form_that_was_refused_stands_again_as_it_was_filled_in_with_the_reason_in_it_and_without_its_pins(
    page: Page, live_server: LiveServer
) -> None:
    a_busy_house()
    log_in(page, live_server.url, "N-1")
    page.goto(f"{live_server.url}/count-room/")
    box = page.locator("section", has_text="BOX-8-OF-THE-MAIN-PIT").first
    box.locator("summary").click()
    # What earlier boxes held is written there already: a note of 1,000 and one of 500; a counter adds one of 200.
    found = box.locator("[name=denomination]")
    assert [found.nth(place).input_value() for place in range(3)] == ["1\u202f000", "500", ""]
    found.nth(2).fill("200")
    for place, pieces in enumerate(("7", "", "3")):
        box.locator("[name=pieces]").nth(place).fill(pieces)
    for name, text in (("pin1", CAGE_PINS["N-1"]), ("staff2", "N-2"), ("pin2", "000000")):
        box.locator(f"[name={name}]").fill(text)
    box.locator("form button").click()
    expect(box.locator("form [role=alert]")).to_have_text("Not done: a staff number or a PIN is wrong.")
    expect(box.locator("[name=pin1]")).to_be_focused()
    assert [box.locator(f"[name={name}]").input_value() for name in ("pin1", "staff2", "pin2")] == ["", "N-2", ""]
    kept = [(found.nth(place).input_value(), box.locator("[name=pieces]").nth(place).input_value()) for place in (0, 2)]
    assert kept == [("1\u202f000", "7"), ("200", "3")]
    box.locator("[name=pin1]").fill(CAGE_PINS["N-1"])
    box.locator("[name=pin2]").fill(CAGE_PINS["N-2"])
    box.locator("form button").click()
    expect(page.locator("main")).to_contain_text("Counting 1: 7\u202f600 RUB 7 × 1\u202f000, 3 × 200")
