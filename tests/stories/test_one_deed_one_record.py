"""Every form of the books sent twice, as a hand that presses twice or a network that asks again sends it.

The second sending is answered as the first one was, and no journal of the house has moved. A form that nobody has told
here how to fill in fails the test: whatever is added to the books is sent twice as well.
"""

import re
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.test import Client
from django.urls import resolve
from rest_framework.test import APIClient

from tables import access
from tables.actions import people
from tables.models import CasinoHead, TableHead
from tables.queries import slips
from tests.browser.a_busy_house import BusyHouse, a_busy_house
from tests.stories.test_hostile_forms import forms
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, buy_in
from tests.tables.a_house import PIN
from tests.tables.test_books_pages import logged_in
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)

PINS = PIN | CAGE_PINS | {"A-1": "604918"}
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\?.*|\d+/(?=movements)|\d+/$")


def kind(path: str, form: dict[str, list[str]]) -> str:
    """Name a form by its page and by what it does there."""
    deed = next((form[name][0] for name in ("deed", "step", "what") if name in form), "")
    return f"{ID.sub('', path).replace('/A/', '/S/')} {deed}".strip()


def kinds(path: str, form: dict[str, list[str]]) -> set[str]:
    """Name what the buttons of one form do."""
    return {kind(path, form | {"deed": [deed]}) for deed in form["deed"]} if "deed" in form else {kind(path, form)}


def heads() -> dict[str, int]:
    """Say how far every journal has come."""
    named = ("journal__name", "sequence")
    return dict([*TableHead.objects.values_list(*named), *CasinoHead.objects.values_list(*named)])


@dataclass
class Twice:
    """Fills forms in and sends each of them twice."""

    house: BusyHouse
    clients: dict[str, Client] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def send(self, path: str, what: str, *signed: str, by: str = "", **fields: Any) -> None:
        """Find the form by what it does, fill it in, sign it and send it twice."""
        by = by or signed[0]
        client = self.clients.setdefault(by, logged_in(by))
        fixed = {name: value for name, value in fields.items() if name in ("slip", "drop", "kind", "player")}
        wanted = kind(path, {"deed": [what]})
        found = [
            form
            for form in forms(client, path)
            if wanted in kinds(path, form)
            and (what == "late" or all(form[name] == [str(value)] for name, value in fixed.items()))
        ]
        assert found, f"{by} is not offered {wanted} {fixed}"
        body: dict[str, Any] = {name: values if len(values) > 1 else values[0] for name, values in found[0].items()}
        body.pop("ask", None)  # not ticked: both stand here
        if "deed" in body:
            body["deed"] = what
        for place, number in enumerate(signed, start=1):
            body |= {f"staff{place}": number, f"pin{place}": PINS[number]}
        body |= {name.replace("_1", "-1").replace("_5", "-5"): value for name, value in fields.items()}
        before = heads()
        first = client.post(path, body)
        between = heads()
        again = client.post(path, body)
        if (first.status_code, again.status_code, heads() == between, before == between) != (302, 302, True, False):
            said = re.search(
                r'role="alert"[^>]*>([^<]*)', (first if first.status_code != 302 else again).content.decode()
            )
            moved = {name: heads()[name] - between[name] for name in between if heads()[name] != between[name]}
            self.faults.append(
                f"{wanted}: {first.status_code}, {again.status_code}, {moved} {said and said[1].strip()}"
            )
        self.done.add(wanted)


@pytest.mark.long
def test_every_form_of_the_books_sent_twice_is_one_deed():
    house = a_busy_house()
    twice = Twice(house)
    offered = {
        each
        for number, paths in house.pages().items()
        for path in paths
        for form in forms(logged_in(number), path)
        for each in kinds(path, form)
    }
    day, staff = house.day, house.table.house.staff
    with transaction.atomic():
        people.set_pin(staff_id=staff["A-1"], pin=PINS["A-1"], by=None, now=datetime.now(UTC))
    # At the table.
    twice.send("/float/S/", "colour", "I-1", seat="1", colour="red", value="50")
    twice.send("/float/S/", "buy_in", "I-1", seat="1", cash="1000", out_1000="1")
    twice.send("/float/S/", "exchange", "I-1", seat="1", in_1000="1", out_500="2")
    twice.send("/float/S/", "tip_exchange", "I-1", in_1000="1", out_500="2")
    twice.send("/float/S/", "fee", "I-1", seat="1", in_1000="1")
    twice.send("/float/S/", "count", "D-1", "I-1", by="I-1", **{"chip-1000": "90"})
    corrected = {"seat": "1", "cash": "1000", "out-1000": "1", "reason": "a nought too many"}
    twice.send("/float/S/1/movements/2/", "", "P-1", "S-1", **corrected)
    twice.send("/float/A/", "rollover", "D-1", "S-1", by="S-1", **{"chip-1000": "30"})
    twice.send("/limits/S/", "", "P-1", "S-1", max="9000")
    twice.send("/limits/S/", "console", "P-1", "S-1", check="500")
    # Slips: one declined, one void, one fill and one credit the whole way, one of paper.
    for slip_kind in ("fill", "credit", "fill"):
        twice.send("/float/S/", slip_kind, "I-1", **{"chip-100": "2"})
    declined, *wanted = [slip for slip in slips.open_slips() if slip.state == "requested"][:3]
    (void,) = (slip for slip in slips.open_slips() if slip.state == "issued")
    twice.send("/cage/", "declined", "K-1", slip=declined.id, reason="none left")
    twice.send("/cage/", "void", "K-1", "S-1", slip=void.id, reason="wrong table")
    for slip in wanted:
        twice.send("/cage/", "issued", "K-1", slip=slip.id)
        if slip.kind == "fill":
            twice.send("/cage/", "carried", "K-2", slip=slip.id)
            twice.send("/cage/", "received", "D-1", "I-1", by="I-1", slip=slip.id)
        else:
            twice.send("/cage/", "carried", "D-1", "I-1", by="I-1", slip=slip.id)
            twice.send("/cage/", "received", "K-1", slip=slip.id)
    fewer = {"chip-1000": "44", "reason": "one more fewer"}
    twice.send(f"/cage/slips/{house.slip}/", "", "S-1", "P-1", **fewer)
    local = (datetime.now(UTC) + timedelta(hours=3)).replace(tzinfo=None).isoformat(timespec="seconds")
    paper: dict[str, Any] = {"table": "S", "kind": "fill", "paper_number": "P-77", "happened_at": local}
    twice.send("/cage/", "late", "K-1", "S-1", **paper, **{"chip-100": "1"})
    # Boxes.
    full = next(drop for drop in slips.latest_drops() if drop.state == "counted")
    twice.send("/count-room/", "counted", "N-1", "N-2", drop=full.id, denomination=["500"], pieces=["39"])
    twice.send("/count-room/", "approved", "S-1", drop=full.id)
    (empty,) = (drop for drop in slips.latest_drops() if drop.state == "received")
    twice.send("/count-room/", "counted", "N-1", "N-2", drop=empty.id, denomination=["500"], pieces=["2"])
    twice.send("/float/S/", "box", "I-1", "D-1", box="BOX-9")
    (box,) = (drop for drop in slips.latest_drops() if drop.state == "attached")
    twice.send("/count-room/", "removed", "I-1", "D-1", drop=box.id)
    twice.send("/count-room/", "received", "N-1", "I-1", drop=box.id)
    # The house's chips.
    twice.send("/chips/", "deliver", "K-1", "K-2", **{"chip-1000": "5"})
    declared: dict[str, Any] = {"currency": "RUB", "chip_set": "high", "name": ["5000"], "value": ["5000"]}
    twice.send("/chips/", "declare", "S-1", **declared)
    twice.send("/chips/", "policy", "S-1", "A-1", notice="50", grave="200", tolerance="10")
    # Players, disputes, debts.
    twice.send("/players/", "sit", by="S-1", table="S", seat="2", alias="the Major")
    twice.send("/players/", "stand", by="S-1", table="S", seat="2")
    twice.send("/players/", "erase", "S-1", player="1")
    twice.send("/disputes/", "freeze", by="S-1", table="S", reason="he says the nine")
    for debt in ("adjustment", "ruling", "slip", "movement"):
        twice.send("/disputes/", "clear", "S-1", "P-1", kind=debt, how="written_off")
    ruling: dict[str, Any] = {"amount": "100", "to": "player", "reason": "the film shows it"}
    twice.send(f"/disputes/{house.open_dispute}/", "", "P-1", "S-1", **ruling)
    # Cards.
    twice.send("/cards/", "move", "K-1", "S-1", step="received", serials="BB-1, BB-2", size="52", table="")
    twice.send("/cards/", "move", "S-1", "I-1", step="in_service", serials="BB-1", table="S", size="52")
    twice.send("/cards/", "count", "S-1", "I-1", **{"counted-received": "5"})
    # What is written, and the shift.
    twice.send("/incidents/", "", by="I-1", text="It rains through the roof.")
    twice.send("/surveillance/", "", by="V-1", text="Camera 4 is blind.")
    twice.send("/alerts/", "", by="S-1", low_float_times="3")
    twice.send("/float/A/", "closer", "D-1", "S-1", by="S-1", **{"chip-1000": "30"})
    twice.send("/float/A/", "opener", "D-1", "S-1", by="S-1", **{"chip-1000": "30"})
    for code in ("A", "S"):
        twice.send(f"/float/{code}/", "closer", "D-1", "S-1", by="S-1", **{"chip-1000": "30"})
    twice.send(f"/shifts/?gaming_date={day}", "close", "S-1", gaming_date=day, shift="1")
    later = (datetime.fromisoformat(day) + timedelta(days=3)).date().isoformat()
    twice.send(f"/shifts/?gaming_date={day}", "plan", "S-1", "A-1", since=later, start=["06:00", "18:00"])
    assert twice.faults == []
    assert offered - twice.done == {"/me/"}  # a PIN that was changed is no longer the old one
    assert intact()


# What is named by what it decides, not by an id of its own; `events` carry theirs inside.
NAMED_OTHERWISE = {
    "api/tables/<str:code>/events", "api/tables/<str:code>/signons", "api/approvals/<uuid:approval_id>",
    "api/alerts/<int:alert_id>/seen", "api/tables/<str:code>/proposals/<uuid:proposal_id>/decline", "api/reports",
    "api/seals",
}  # fmt: skip


def test_every_deed_over_http_has_a_name_and_sent_again_under_it_is_answered_as_before():
    house = a_busy_house()
    with transaction.atomic():
        people.set_pin(staff_id=house.table.house.staff["A-1"], pin=PINS["A-1"], by=None, now=datetime.now(UTC))
    sent, faults = set(), []

    def send(path: str, by: str, *signed: str, **body: Any) -> Any:
        client = APIClient()  # which names nothing by itself
        client.force_login(get_user_model().objects.get(username=by))
        body |= {"signatures": [{"staff": number, "pin": PINS[number]} for number in signed]} if signed else {}
        nameless = client.post(f"/api/{path}", body, format="json")
        body["id"] = str(uuid.uuid4())
        before = heads()
        first = client.post(f"/api/{path}", body, format="json")
        between = heads()
        again = client.post(f"/api/{path}", body, format="json")
        told = (nameless.status_code, first.status_code // 100, again.status_code == first.status_code)
        if told != (400, 2, True) or "id" not in nameless.json() or before == between or heads() != between:
            faults.append(f"{path}: {nameless.content!r} {first.content!r} {again.content!r}")
        sent.add(resolve(f"/api/{path}").route)
        return first.json() if first.content else None

    send("chips", "S-1", currency="RUB", chip_set="high", chips={"5000": 500_000})
    amounts = {"notice_minor": 5_000, "grave_minor": 20_000, "tolerance_minor": 1_000}
    send("chips/policy", "S-1", "S-1", "A-1", **amounts)
    send("chips/bank", "K-1", "K-1", "K-2", currency="RUB", chips={"100": 7})
    send("tables/S/float/movements", "I-1", "I-1", event=buy_in("1000", c1000=1))
    send("tables/S/float/count", "I-1", "D-1", "I-1", chips={"1000": 93, "500": 1})
    opener = {"event": {"type": "opener", "chips": {"1000": 94}}, "known": 0, "reason": "a chip too many"}
    send("books/S/2/movements/1/corrections", "P-1", "P-1", "S-1", **opener)
    slip = send("slips", "I-1", "I-1", table="S", kind="fill", chips={"100": 2})
    send(f"slips/{slip['id']}/issued", "K-1", "K-1")
    fewer = {"chips": {"1000": 44}, "known": 1, "reason": "one more fewer"}
    send(f"slips/{house.slip}/corrections", "S-1", "S-1", "P-1", **fewer)
    paper = {"paper_number": "P-77", "happened_at": datetime.now(UTC).isoformat()}
    send("slips/late", "K-1", "K-1", "S-1", table="S", kind="fill", chips={"100": 1}, **paper)
    box = send("drops", "I-1", "I-1", "D-1", table="S", box="BOX-9")
    send(f"drops/{box['id']}/removed", "I-1", "I-1", "D-1")
    send("tables/S/rules/versions", "P-1", "P-1", "S-1", change={"max": "9000"})
    send("tables/S/options", "P-1", "P-1", "S-1", bets_down=False, confirm=True, check_minor=None)
    send("tables/S/disputes", "S-1", reason="he says the nine")
    send(f"disputes/{house.open_dispute}/ruling", "P-1", "P-1", "S-1", amount_minor=10_000, reason="the film shows it")
    debts = house.table.house.session("S-1").get("/api/debts").json()
    for debt in {each["kind"]: each for each in debts}.values():
        send(f"debts/{debt['kind']}/{debt['id']}/written_off", "S-1", "S-1", "P-1")
    send("tables/S/seats/2", "S-1", alias="the Major")
    send("players/1/erased", "S-1", "S-1")
    send("decks/steps/received", "K-1", "K-1", "S-1", serials=["BB-1", "BB-2"], size=52)
    send("decks/counts", "S-1", "S-1", "I-1", counted={"received": 5})
    send("incidents", "I-1", text="It rains through the roof.")
    send("surveillance", "V-1", text="Camera 4 is blind.")
    send("tables/A/floor/pause", "P-1", pin=PINS["P-1"])
    send("tables/A/floor/move", "S-1", pin=PINS["S-1"], pit=house.table.house.pits["high"])
    send("tables/S/float/closer", "I-1", "D-1", "I-1", chips={"1000": 94})
    send(f"shifts/{house.day}/1", "S-1", "S-1")
    later = (datetime.fromisoformat(house.day) + timedelta(days=3)).date().isoformat()
    send("shifts/plan", "S-1", "S-1", "A-1", since=later, starts=["06:00", "18:00"])
    assert faults == []
    sample = {"int": "1", "uuid": str(uuid.uuid4()), "str": "S", "path": "S"}
    views = {
        address: resolve("/" + re.sub(r"<(\w+):\w+>", lambda found: sample[found[1]], address)).func
        for address in access.URLS
        if address.startswith("api/")
    }
    walked = {address for address, view in views.items() if hasattr(getattr(view, "view_class", view), "post")}
    assert walked - sent == NAMED_OTHERWISE | {"api/tables/<str:code>/check"}  # a check is sent by a tablet
    assert intact()


def test_a_deed_under_the_id_of_another_is_refused_and_of_the_same_twice_at_once_one_is_recorded():
    house = a_busy_house()
    client, id = logged_in("S-1"), str(uuid.uuid4())
    count: dict[str, Any] = {
        "id": id, "deed": "count", "counted-received": "5", "staff1": "S-1", "pin1": PINS["S-1"],
        "staff2": "I-1", "pin2": PINS["I-1"],
    }  # fmt: skip
    assert client.post("/cards/", count).status_code == 302
    other = client.post("/cards/", count | {"counted-received": "4"})
    assert (other.status_code, "sent before with other contents" in other.content.decode()) == (409, True)
    assert client.post("/cards/", count | {"id": "none"}).status_code == 409
    body = {
        "id": str(uuid.uuid4()), "currency": "RUB", "chips": {"100": 7},
        "signatures": [{"staff": number, "pin": PINS[number]} for number in ("K-1", "K-2")],
    }  # fmt: skip
    session = house.table.house.session("K-1")
    before = chips_in_bank(house)

    def deliver() -> str:
        return str(session.post("/api/chips/bank", body, format="json").status_code)

    assert in_line([deliver] * 2) == ["201", "201"]
    assert chips_in_bank(house) - before == 7


def chips_in_bank(house: BusyHouse) -> int:
    return next(stock.pieces for stock in slips.bank(house.table.house.casino_id) if stock.chip == "100")
