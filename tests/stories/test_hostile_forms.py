"""Every form of the books filled in by somebody who means ill, or whose cat walks over the keyboard.

Whatever is typed, the answer is a page with a reason or a deed that stands in the journal: never an error of ours.
"""

import re
import uuid
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from tests.browser.a_busy_house import BusyHouse, a_busy_house
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_house import PIN
from tests.tables.test_books_pages import PINS, logged_in

pytestmark = pytest.mark.django_db(transaction=True)

HOSTILE = (
    "", "\0", "-1", "9" * 30, "٣²", "<script>alert(1)</script>", "'; DROP TABLE tables_slip; --", "x" * 10_000,
    "0001-01-01", "99999-01-01T00:00",
)  # fmt: skip
SIGNED = re.compile(r"(staff|pin)[12]")
KEPT = {"csrfmiddlewaretoken", "deed", "step"}


class Forms(HTMLParser):
    """The forms of a page: where each goes, and the fields with the values that it was handed out with."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, list[str]]] = []
        self.inside = False
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = given.get("method") == "post" and not given.get("action")
            if self.inside:
                self.found.append({})
        if not self.inside or tag not in ("input", "select", "textarea", "button", "option"):
            return
        if tag == "option" and self.select:
            self.found[-1].setdefault(self.select, [given.get("value", "S")])
        if tag == "select":
            self.select = given["name"]
        elif "name" in given:
            self.found[-1].setdefault(given["name"], []).append(given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        if tag == "select":
            self.select = ""


def forms(client: Client, path: str) -> list[dict[str, list[str]]]:
    parser = Forms()
    parser.feed(client.get(path).content.decode())
    return parser.found


def signatures(form: dict[str, list[str]], number: str) -> dict[str, Any]:
    second = {"S-1": "P-1", "K-1": "K-2", "N-1": "N-2", "I-1": "D-1"}.get(number, "")
    by = {"staff1": number, "pin1": (PIN | PINS).get(number, ""), "staff2": second, "pin2": PINS.get(second, "")}
    return {name: value for name, value in by.items() if name in form}


@pytest.mark.long
@pytest.mark.parametrize("number", ["S-1", "I-1", "K-1", "N-1", "V-1"])
def test_no_form_of_the_books_breaks_whatever_is_typed_into_it(number: str):
    house: BusyHouse = a_busy_house()
    client = logged_in(number)
    client.raise_request_exception = False
    broken: list[str] = []
    tried = 0
    for path in house.pages()[number]:
        for form in forms(client, path):
            fields = [name for name in form if name not in KEPT and not SIGNED.fullmatch(name)]
            for deed in form.get("deed", [""]):
                for value in HOSTILE:
                    body: dict[str, Any] = {name: values[0] for name, values in form.items()}
                    body |= signatures(form, number) | dict.fromkeys(fields, value) | {"deed": deed}
                    if "id" in body:
                        body["id"] = str(uuid.uuid4())
                    tried += 1
                    answer = client.post(path, body)
                    if answer.status_code not in (302, 400, 403, 404, 409):
                        broken.append(f"{path} {deed or form.get('step')} {value[:20]!r}: {answer.status_code}")
    assert tried > 0
    assert not broken, "\n".join(broken)
    assert intact()


def test_no_address_of_the_books_breaks_whatever_it_names():
    house = a_busy_house()
    huge = "9" * 30
    paths = (
        "books/S/{}", "books/{}/1", "drops/{}", "players/{}/erased", "debts/slip/{}/paid", "debts/ruling/{}/paid",
        "debts/adjustment/{}/paid", "shifts/2026-11-30/{}", "shifts/{}/1", "decks/{}", "tables/S/seats/{}",
        "slips/{}", "disputes/{}", "tables/{}/float", "drops/{}/counted",
        "books?gaming_date={}", "shifts?gaming_date={}", "books/S/1?at={}", "slips/numbers?year={}",
        "players?gaming_date={}", "duty?gaming_date={}", "decks?gaming_date={}", "chips/policy?currency={}",
    )  # fmt: skip
    signed = {"signatures": [{"staff": "S-1", "pin": PINS["S-1"]}]}
    broken = []
    session = house.table.house.session("S-1")
    session.raise_request_exception = False
    client = logged_in("S-1")
    client.raise_request_exception = False
    for path in paths:
        for value in ("0", huge, "%00", "..%2F..", "%F0%9F%83%8F", "x" * 300, "9999-12-31", "0001-01-01", "-1"):
            address = "/api/" + path.format(value)
            for answer in (session.get(address), session.post(address, signed, format="json")):
                if answer.status_code >= 500:
                    broken.append(f"{address[:60]}: {answer.status_code}")
    # An address that is only written to says so.
    assert session.get("/api/drops/1/counted").status_code == 405
    assert session.options("/api/drops/1/counted").status_code == 200
    for path in (
        "books/?gaming_date={}", "books/day.csv?gaming_date={}", "books/S/{}/", "books/{}/1/", "books/S/1/deals/{}/",
        "books/S/1/?at={}", "cage/numbers/?year={}", "cards/?serial={}", "cards/?gaming_date={}", "float/{}/",
        "limits/{}/", "shifts/?gaming_date={}", "duty/?gaming_date={}", "players/?gaming_date={}", "disputes/{}/",
    ):  # fmt: skip
        for value in ("0", huge, "%00", "..%2F..", "%F0%9F%83%8F", "x" * 300, "9999-12-31", "0001-01-01", "-1"):
            page = client.get("/" + path.format(value))
            if page.status_code >= 500:
                broken.append(f"/{path.format(value)[:60]}: {page.status_code}")
    bodies: tuple[Any, ...] = (
        [],
        "x",
        None,
        {"signatures": "x"},
        {"signatures": [1]},
        {"signatures": [{}, {}, {}]},
        {"chips": []},
    )
    for body in bodies:
        for path in ("chips", "slips", "slips/late", "drops", "chips/bank", "chips/policy", "tables/S/float/opener",
                     "tables/S/float/movements", f"slips/{house.slip}/corrections", f"slips/{house.slip}/void",
                     "shifts/plan", f"disputes/{house.dispute}/ruling", "decks/counts",
                     "decks/steps/received", "incidents", "tables/S/rules/versions"):  # fmt: skip
            refused = session.post(f"/api/{path}", body, format="json")
            if refused.status_code >= 500 or refused.status_code < 400:
                broken.append(f"{path} {body!r}: {refused.status_code}")
    assert not broken, "\n".join(broken)
    assert intact()
