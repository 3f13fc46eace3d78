"""Chips of the house, and chips that move at a table, by forms alone: what a person types, and what comes of it."""

import re
import uuid
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from tables.actions import people
from tables.models import Incident, Movement
from tables.queries import chips as queries
from tables.queries import slips
from tests.stories.test_slip_corrections import bank
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import Cage, a_cage
from tests.tables.a_game import STOS
from tests.tables.a_house import T0
from tests.tables.test_books_pages import PINS, logged_in, signed

pytestmark = pytest.mark.django_db(transaction=True)


def said(client: Client, path: str, form: dict[str, Any]) -> str:
    """Post a form; return "" where it was done, and else the alert."""
    answer = client.post(path, form)
    if answer.status_code == 302:
        return ""
    assert answer.status_code == 409
    return answer.content.decode().split('role="alert"><b>')[1].split("</b>")[0]


def movements(table: Cage) -> list[tuple[str, int | None, int, int, int]]:
    rows = Movement.objects.exclude(kind="opener").order_by("sequence")
    return list(rows.values_list("kind", "seat", "cash_minor", "in_minor", "out_minor"))


def test_an_inspector_records_buy_ins_exchanges_tips_a_fee_and_a_colour_by_the_form_of_the_table():
    table = a_cage()
    table.open(c1000=50, c100=50, red=40)
    inspector = logged_in("I-1")

    def move(deed: str, **fields: str) -> str:
        return said(
            inspector, "/float/S/", signed("I-1", deed=deed, **{k.replace("_", "-"): v for k, v in fields.items()})
        )

    assert move("buy_in", seat="3", cash="2 000", out_1000="2") == ""
    assert move("buy_in", seat="3", cash="2000", out_1000="1") == (
        "Not done: what comes in and what goes out are not worth the same."
    )
    assert "no such chip" in move("buy_in", seat="4", cash="500", out_red="10")  # it has no value there yet
    assert move("colour", seat="4", colour="red", value="50") == ""
    assert move("buy_in", seat="4", cash="500", out_red="10") == ""
    assert move("exchange", seat="4", in_red="10", out_100="5") == ""
    assert move("tip_exchange", in_100="10", out_1000="1") == ""
    assert move("fee", seat="3", in_100="1") == ""
    # What cannot be read leaves no trace, and what was typed is given back.
    for wrong in (
        {"seat": "x"},
        {"seat": "0"},
        {"seat": "3", "cash": "-5"},
        {"seat": "3", "cash": "1e3"},
        {"out_1000": "1.5"},
    ):
        assert "cannot be read" in move("buy_in", **{"cash": "1000", "out_1000": "1"} | wrong)
    kept = inspector.post(
        "/float/S/", signed("I-1", deed="buy_in", **{"cash": "777", "out-1000": "9"})
    ).content.decode()
    assert 'value="777"' in kept
    assert 'name="out-1000" inputmode="numeric" autocomplete="off" value="9"' in kept
    assert movements(table) == [
        ("buy_in", 3, 200_000, 0, 200_000),
        ("buy_in", 4, 50_000, 0, 50_000),
        ("exchange", 4, 0, 50_000, 50_000),
        ("tip_exchange", None, 0, 100_000, 100_000),
        ("fee", 3, 0, 10_000, 0),
    ]
    assert table.books().expected_float_minor == 5_500_000 - 250_000 + 10_000
    # The same form twice, as from a second tab, is one buy-in.
    once = signed("I-1", deed="buy_in", seat="3", cash="1000", **{"out-1000": "1"})
    assert [said(inspector, "/float/S/", once) for _ in range(2)] == ["", ""]
    assert len(movements(table)) == 6
    # Nobody moves chips under another's name, nor from where he has no post.
    other = signed("D-1", deed="fee", **{"in-100": "1"})
    assert "two people sign" in said(inspector, "/float/S/", other)
    assert "Chips and cash at the table" not in logged_in("K-1").get("/float/S/").content.decode()
    table.close(c1000=47, c100=59)
    assert "Chips and cash at the table" not in inspector.get("/float/S/").content.decode()
    assert intact()


def test_the_same_over_the_api_and_no_sender_says_when_it_was_or_whose_it_is():
    table = a_cage()
    table.open(c1000=50)
    path = "/api/tables/S/float/movements"
    event = {"type": "buy_in", "cash": "1000", "chips": {"1000": 1}, "seat": 1}

    def send(event: dict[str, Any], number: str = "P-1", **more: Any) -> tuple[int, Any]:
        body = {"event": event, "signatures": [{"staff": number, "pin": PINS[number]}], **more}
        answer = table.house.session(number).post(path, body, format="json")
        return answer.status_code, answer.json()

    id = str(uuid.uuid4())
    assert send(event, id=id)[1]["status"] == "recorded"
    assert send(event, id=id)[1]["status"] == "repeated"
    assert send({**event, "cash": "2000", "chips": {"1000": 2}}, id=id)[1]["code"] == "id_reused"
    for more in ({"at": "2026-01-01T00:00:00Z"}, {"by": "D-1"}, {"type": "fill"}, {"type": "closer"}, {"type": "card"}):
        assert send({**event, **more})[1]["code"] == "bad_line", more
    assert send(event, number="K-1")[0] == 403
    table.tablet()
    tablet = table.house.client("tablet-S").post(
        path, {"event": event, "signatures": [{"staff": "D-1", "pin": PINS["D-1"]}]}, format="json"
    )
    assert tablet.json()["status"] == "recorded"
    assert [each[0] for each in movements(table)] == ["buy_in", "buy_in"]


def test_chips_are_declared_delivered_and_thresholds_set_by_forms():
    table = a_cage()
    manager, cashier = logged_in("S-1"), logged_in("K-1")

    def declare(names: list[str], values: list[str], **fields: str) -> str:
        form = signed("S-1", deed="declare", currency="RUB", chip_set="high", **fields)
        return said(manager, "/chips/", form | {"name": names, "value": values})

    assert declare(["5000", "blue", ""], ["5 000", "", ""]) == ""
    assert "somebody has done this" in declare(["5000"], ["4000"])  # a chip keeps its value
    for names, values in ((["a b"], ["1"]), (["x", "x"], ["1", "2"]), (["z"], ["-1"]), ([""], [""])):
        assert "cannot be read" in declare(names, values)
    chips = {chip.name: chip.value_minor for chip in queries.chips_shown(table.house.casino_id)["RUB"]}
    assert chips == {"5000": 500_000, "1000": 100_000, "500": 50_000, "100": 10_000, "red": None, "blue": None}

    delivery = {"deed": "deliver", "currency": "RUB", "chip-5000": "20"}
    once = signed("K-1", "K-2", **delivery)
    assert [said(cashier, "/chips/", once) for _ in range(2)] == ["", ""]  # a double tap is one delivery
    assert "sent before with other contents" in said(cashier, "/chips/", once | {"chip-5000": "21"})
    assert "two people sign" in said(cashier, "/chips/", signed("K-1", **delivery))
    assert "cannot be read" in said(cashier, "/chips/", signed("K-1", "K-2", deed="deliver", currency="XXX"))
    assert bank(table)["5000"] == 20
    assert "two people sign" in said(
        cashier, "/chips/", signed("K-1", "S-1", deed="policy", notice="1", grave="1", tolerance="0")
    )

    def policy(second: str, **amounts: str) -> str:
        return said(manager, "/chips/", signed("S-1", second, deed="policy", **amounts))

    assert "two people sign" in policy("P-1", notice="10", grave="50", tolerance="5")
    first = '<td class="n"><b>0</b></td><td class="n">25</td><td class="n">100</td><td class="n">0</td>'
    assert first in manager.get("/chips/").content.decode()
    with transaction.atomic():
        people.set_pin(staff_id=table.house.staff["A-1"], pin="492817", by=None, now=T0)

    def with_auditor(**amounts: str) -> str:
        form = signed("S-1", deed="policy", staff2="A-1", pin2="492817", **amounts)
        return said(manager, "/chips/", form)

    for notice, grave, tolerance in (("60", "50", "5"), ("0", "50", "5"), ("10", "50", "-5"), ("ten", "50", "5")):
        assert "cannot be read" in with_auditor(notice=notice, grave=grave, tolerance=tolerance)
    twice = signed("S-1", deed="policy", staff2="A-1", pin2="492817", notice="10", grave="1 000,50", tolerance="0")
    assert [said(manager, "/chips/", twice) for _ in range(2)] == ["", ""]
    page = manager.get("/chips/").content.decode()
    held = '<td class="n"><b>1</b></td><td class="n">10</td><td class="n">1\u202f000.50</td><td class="n">0</td>'
    assert held in page
    assert "S-1, A-1" in page
    assert "≠" not in page
    # A float that differs by 11 is an incident now.
    table.open(c1000=1)
    table.close(c1000=1)
    table.open(c500=1, c100=4)
    assert list(Incident.objects.values_list("level", "found_minor")) == [("notice", 90_000)]
    assert logged_in("N-1").get("/chips/").status_code == 403


def test_what_a_difference_means_at_a_table_of_another_currency_is_its_own():
    table = a_cage(STOS | {"currency": "EUR"})
    manager, casino = logged_in("S-1"), table.house.casino_id
    with transaction.atomic():
        people.set_pin(staff_id=table.house.staff["A-1"], pin="492817", by=None, now=T0)

    def policy(**fields: str) -> str:
        amounts = {"deed": "policy", "staff2": "A-1", "pin2": "492817", **fields}
        return said(manager, "/chips/", signed("S-1", **amounts))

    # In roubles the house lets a thousand pass; a euro table has 25 and 100 of its own until the house says otherwise.
    assert policy(currency="RUB", notice="1000", grave="5000", tolerance="500") == ""
    assert (queries.policy(casino, "RUB").notice_minor, queries.policy(casino, "EUR").notice_minor) == (100_000, 2_500)
    table.open(c100=10)
    table.close(c100=10)
    table.open(c100=9, c10=7)  # 30 fewer
    assert list(Incident.objects.values_list("level", "found_minor")) == [("notice", 97_000)]
    assert table.books(2).tolerance_minor == 0
    assert policy(currency="EUR", notice="50", grave="60", tolerance="10,50") == ""
    assert (table.books(2).tolerance_minor, queries.policy(casino, "RUB").tolerance_minor) == (1_050, 50_000)
    table.close(c100=10)
    table.open(c100=10, c10=3)  # 30 more, which pass now
    assert Incident.objects.count() == 1
    assert "cannot be read" in policy(currency="XXX", notice="50", grave="60", tolerance="0")
    shown = manager.get("/chips/").content.decode()
    assert re.findall(r"<tr><td>(RUB|EUR)</td><td[^>]*><b>(\d)</b>", shown) == [("RUB", "1"), ("EUR", "2")]
    answer = table.house.session("S-1").get("/api/chips/policy?currency=EUR").json()
    assert (answer["currency"], answer["number"], answer["notice_minor"]) == ("EUR", 2, 5_000)


def test_a_count_of_a_box_sent_twice_is_one_count_and_counted_again_it_is_two():
    table = a_cage()
    table.open(c1000=50)
    box = table.drop().id
    counter = logged_in("N-1")
    lines = {"drop": str(box), "step": "counted", "denomination": ["1000", ""], "pieces": ["3", ""]}
    once = signed("N-1", "N-2", **lines)
    assert [said(counter, "/count-room/", once) for _ in range(2)] == ["", ""]
    assert "sent before with other contents" in said(counter, "/count-room/", once | {"pieces": ["4", ""]})
    assert said(counter, "/count-room/", signed("N-1", "N-2", **lines)) == ""
    found = slips.drop(box)
    assert found is not None
    assert [count.total_minor for count in found.counts] == [300_000, 300_000]
    body = {
        "id": str(uuid.uuid4()), "lines": {"100000": 2},
        "signatures": [{"staff": number, "pin": PINS[number]} for number in ("N-1", "N-2")],
    }  # fmt: skip
    session = table.house.session("N-1")
    for _again in range(2):
        assert session.post(f"/api/drops/{box}/counted", body, format="json").status_code == 200
    found = slips.drop(box)
    assert found is not None
    assert len(found.counts) == 3
