"""The pages of inspector, cage, count room and shift manager: a counted shift by forms alone, in both languages."""

import re
import uuid
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tables.models import Staff
from tables.queries import slips
from tests.browser.barriers import barriers
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in, fresh
from tests.tables.a_house import PASSWORD, PIN

pytestmark = pytest.mark.django_db(transaction=True)

PINS = PIN | CAGE_PINS


def logged_in(number: str) -> Client:
    client = Client()
    client.force_login(get_user_model().objects.get(username=number))
    return client


def signed(first: str, second: str = "", **fields: Any) -> dict[str, Any]:
    """A form with its signatures."""
    form = {"staff1": first, "pin1": PINS[first], "id": str(uuid.uuid4()), **fields}
    return form | ({"staff2": second, "pin2": PINS[second]} if second else {})


def by_forms_alone(table: Cage) -> None:
    """Play a counted shift through the pages: 600 short, 500 of it in the chips and 100 in the cash."""
    inspector, cashier, runner, counter = (logged_in(number) for number in ("I-1", "K-1", "K-2", "N-1"))
    chips = {"chip-1000": "40", "chip-500": "", "chip-100": ""}
    assert inspector.post("/float/S/", signed("D-1", "I-1", deed="opener", **chips)).status_code == 302
    table.tablet().send(buy_in("1000", c1000=1))
    assert inspector.post("/float/S/", signed("I-1", deed="fill", **{"chip-500": "4"})).status_code == 302
    (slip,) = slips.open_slips()
    issue = signed("K-1", slip=str(slip.id), step="issued")
    assert cashier.post("/cage/", issue).status_code == 302
    assert cashier.post("/cage/", issue).status_code == 302  # the same form again is the same deed
    again = cashier.post("/cage/", fresh(issue))
    assert (again.status_code, "somebody has done this already" in again.content.decode()) == (409, True)
    assert runner.post("/cage/", signed("K-2", slip=str(slip.id), step="carried")).status_code == 302
    assert inspector.post("/cage/", signed("D-1", "I-1", slip=str(slip.id), step="received")).status_code == 302
    broken = inspector.post("/float/S/", signed("I-1", "D-1", deed="box", box="BOX\0"))
    assert (broken.status_code, "cannot be read" in broken.content.decode()) == (409, True)
    assert inspector.post("/float/S/", signed("I-1", "D-1", deed="box", box="BOX-1")).status_code == 302
    (drop,) = slips.latest_drops()
    assert inspector.post("/count-room/", signed("I-1", "D-1", drop=drop.id, step="removed")).status_code == 302
    assert counter.post("/count-room/", signed("N-1", "I-1", drop=drop.id, step="received")).status_code == 302
    count = signed("N-1", "N-2", drop=drop.id, step="counted", denomination=["500", "100", ""], pieces=["1", "4", ""])
    assert counter.post("/count-room/", count).status_code == 302
    assert logged_in("S-1").post("/count-room/", signed("S-1", drop=drop.id, step="approved")).status_code == 302
    closer = {"chip-1000": "39", "chip-500": "3"}
    assert inspector.post("/float/S/", signed("D-1", "I-1", deed="closer", **closer)).status_code == 302


def test_a_counted_shift_by_forms_alone_and_what_its_pages_show():
    table = a_cage()
    by_forms_alone(table)
    # The next opener is proposed from the closer.
    page = logged_in("I-1").get("/float/S/").content.decode()
    assert re.search(r'name="chip-1000"[^>]* value="39"', page)
    # Blind: the count room sees its count and no expectation; the shift manager sees both.
    blind = logged_in("N-1").get("/count-room/").content.decode()
    assert "Counting 1: <b>900</b>" in blind
    assert "Variance" not in blind
    assert "Variance: <b>−100</b>" in logged_in("S-1").get("/count-room/").content.decode()
    day = table.books().gaming_date
    books = logged_in("S-1").get(f"/books/?gaming_date={day}").content.decode()
    assert '<b class="red">−600</b>' in books
    account = logged_in("S-1").get("/books/S/1/").content.decode()
    assert "in the chips −500, in the cash −100" in account
    assert "F-2026-000001" in account
    used = logged_in("A-1").get("/cage/numbers/?year=2026").content.decode()
    assert "Last number: <b>1</b>" in used
    # Who has no business there sees nothing.
    assert [logged_in(number).get("/books/").status_code for number in ("N-1", "I-1", "D-1")] == [403, 403, 403]
    assert logged_in("K-1").get("/count-room/").status_code == 403


def test_the_pages_speak_russian_and_hold_no_barrier(page, live_server):
    table = a_cage()
    by_forms_alone(table)
    table.open(c1000=39, c500=3)
    Staff.objects.filter(number="S-1").update(language="ru")
    page.goto(f"{live_server.url}/login/")
    page.fill("#id_username", "S-1")
    page.fill("#id_password", PASSWORD)
    page.click("main button")
    day = table.books().gaming_date
    for path, words in (
        (f"/books/?gaming_date={day}", "Книги"),
        ("/books/S/1/", "Выигрыш и расхождение"),
        ("/cage/", "Запас фишек кассы"),
        ("/count-room/", "Отклонение"),
        ("/float/S/", "Закрыть с этим пересчётом"),
    ):
        page.goto(live_server.url + path)
        assert words in page.locator("main").inner_text()
        assert barriers(page) == []
