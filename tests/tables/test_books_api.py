"""A counted shift over HTTP, with PINs: who may sign what, who sees what, and what the answers say."""

import uuid
from typing import Any

import pytest

from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in
from tests.tables.a_game import statuses
from tests.tables.a_house import PIN

pytestmark = pytest.mark.django_db(transaction=True)  # a wrong PIN is remembered whatever becomes of the deed

PINS = PIN | CAGE_PINS


def signed(*numbers: str, **body: Any) -> dict[str, Any]:
    """A body with the signatures of these people."""
    return body | {"signatures": [{"staff": number, "pin": PINS[number]} for number in numbers]}


def post(table: Cage, number: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
    answer = table.house.session(number).post(f"/api/{path}", body, format="json")
    return answer.status_code, answer.json()


def test_a_counted_shift_over_the_api():
    table = a_cage()
    # No closer yet: nothing is proposed. The dealer alone opens nothing; with the inspector he does.
    session = table.house.session("P-1")
    assert session.get("/api/tables/S/float").json()["proposed"] is None
    opener = {"1000": 40}
    alone = post(table, "I-1", "tables/S/float/opener", signed("I-1", chips=opener))
    assert (alone[0], alone[1]["code"]) == (403, "not_allowed")
    wrong = signed("D-1", "I-1", chips=opener)
    wrong["signatures"][0]["pin"] = "000000"
    assert post(table, "I-1", "tables/S/float/opener", wrong)[1]["code"] == "wrong_pin"
    once = signed("D-1", "I-1", chips=opener, id=str(uuid.uuid4()))
    first = post(table, "I-1", "tables/S/float/opener", once)
    assert (first[0], first[1]["status"]) == (201, "recorded")
    # The same again is answered as before.
    again = post(table, "I-1", "tables/S/float/opener", once)
    assert (again[1]["status"], again[1]["sequence"]) == ("repeated", first[1]["sequence"])

    # What two must sign does not come in by a console's envelope; a buy-in does, if it is of equal value.
    tablet = table.tablet()
    assert statuses(tablet.send({"type": "fill", "slip": "F-1", "chips": {"1000": 5}})) == ["not_allowed"]
    assert statuses(tablet.send({"type": "closer", "chips": {}})) == ["not_allowed"]
    assert statuses(tablet.send(buy_in("500", c1000=1))) == ["not_equal"]
    assert statuses(tablet.send(buy_in("777", c777=1))) == ["unknown_chip"]
    assert statuses(tablet.send(buy_in("1000", c1000=1), {"type": "close"})) == ["recorded", "count_needed"]

    # A fill on its way: the cage cannot carry what it issued, nor the dealer receive what nobody carried.
    status, slip = post(table, "I-1", "slips", signed("I-1", table="S", kind="fill", chips={"500": 4}))
    assert (status, slip["state"], slip["number"], slip["amount_minor"]) == (201, "requested", "", 200_000)
    path = f"slips/{slip['id']}"
    assert post(table, "I-1", f"{path}/issued", signed("I-1"))[1]["code"] == "not_allowed"
    assert post(table, "K-1", f"{path}/issued", signed("K-1"))[1]["number"] == "F-2026-000001"
    assert post(table, "K-1", f"{path}/carried", signed("K-1"))[1]["code"] == "not_allowed"
    assert post(table, "I-1", f"{path}/received", signed("D-1", "I-1"))[1]["code"] == "step_missing"
    assert post(table, "K-2", f"{path}/carried", signed("K-2"))[1]["state"] == "carried"
    # The table's own tablet takes the last step.
    device = table.house.client("tablet-S")
    received = device.post(f"/api/{path}/received", signed("D-1", "I-1"), format="json").json()
    assert [step["step"] for step in received["steps"]] == ["issued", "carried", "received"]
    assert post(table, "K-1", f"{path}/void", signed("K-1", "S-1", reason="late"))[1]["code"] == "already_done"

    # The count room counts blind: it sees neither what was bought in nor the variance. The shift manager sees both.
    status, drop = post(table, "I-1", "drops", signed("I-1", "D-1", table="S", box="BOX-1"))
    assert status == 201
    box = f"drops/{drop['id']}"
    assert post(table, "I-1", f"{box}/removed", signed("I-1", "D-1"))[1]["state"] == "removed"
    assert post(table, "N-1", f"{box}/received", signed("N-1", "I-1"))[1]["state"] == "received"
    status, counted = post(table, "N-1", f"{box}/counted", signed("N-1", "N-2", lines={"90000": 1}))
    assert (status, counted["state"], counted["counts"][0]["total_minor"]) == (200, "counted", 90_000)
    assert {"expected_minor", "variance_minor"} & counted.keys() == set()
    assert table.house.session("N-1").get("/api/books").status_code == 403
    approved = post(table, "S-1", f"{box}/approved", signed("S-1"))[1]
    assert (approved["expected_minor"], approved["variance_minor"], approved["state"]) == (100_000, -10_000, "approved")

    # Closed with one chip of 500 too few: 40,000 + 2,000 - 1,000 = 41,000 expected, 40,500 there.
    closer = {"1000": 39, "500": 3}
    assert post(table, "I-1", "tables/S/float/closer", signed("D-1", "I-1", chips=closer))[1]["status"] == "recorded"
    assert session.get("/api/tables/S/float").json()["proposed"]["chips"] == closer
    books = table.house.session("S-1").get(f"/api/books?gaming_date={table.books().gaming_date}").json()
    (opening,) = books["openings"]
    money = {name: opening[f"{name}_minor"] for name in ("win", "game_win", "residual", "float_difference")}
    # Win 40,500 + 900 - 40,000 - 2,000 = -600 = 500 in the chips and 100 in the cash; hold -600 / 900.
    assert money == {"win": -60_000, "game_win": 0, "residual": -60_000, "float_difference": -50_000}
    assert (opening["drop_variance_minor"], opening["hold"]) == (-10_000, "-2/3")
    account = table.house.session("A-1").get("/api/books/S/1").json()
    assert [each["kind"] for each in account["movements"]] == ["opener", "buy_in", "fill", "closer"]


def test_a_slip_written_by_hand_while_the_system_was_down_is_entered_late_and_says_so():
    table = a_cage()
    table.open(c1000=10)
    at = table.books().opened_at.isoformat()
    late = signed("K-1", "S-1", table="S", kind="fill", chips={"1000": 5}, paper_number="A-17", happened_at=at)
    status, slip = post(table, "K-1", "slips/late", late)
    assert (status, slip["late"], slip["paper_number"], slip["state"]) == (201, True, "A-17", "received")
    assert slip["number"] == "F-2026-000001"
    assert post(table, "K-1", "slips/late", late)[1]["code"] == "already_done"
    assert table.books().fills_minor == 500_000
    (series,) = table.house.session("A-1").get("/api/slips/numbers?year=2026").json()
    assert (series["last"], series["missing"], series["late"]) == (1, [], [[1, "A-17"]])


def test_colour_chips_are_worth_what_their_seat_says():
    table = a_cage()
    table.open(c1000=10, red=20)
    tablet = table.tablet()
    colours = {"type": "buy_in", "cash": "500", "chips": {"red": 10}, "seat": 3}
    assert statuses(tablet.send(colours)) == ["unknown_chip"]
    answers = tablet.send(
        {"type": "colour", "seat": 3, "colour": "red", "value": "50"},
        colours,
        {"type": "exchange", "in": {"red": 8}, "out": {"100": 4}, "seat": 3},
    )
    assert statuses(answers) == ["recorded", "recorded", "recorded"]
    # Two reds are still with the player, and the books say so.
    account = table.house.session("S-1").get("/api/books/S/1").json()
    assert account["colours_out"] == {"red": 2}
    assert account["expected_float_minor"] == 950_000
