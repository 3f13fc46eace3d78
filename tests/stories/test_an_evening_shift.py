"""A whole shift at one table, through the API alone: dealers, a bet controller, an inspector, and what they did."""

import io
import json
import time
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from tables import tablelog
from tests.tables.a_house import PIN, House, a_house

pytestmark = pytest.mark.django_db


class Tablet:
    """A device at table A in somebody's hands. Each knows the last card, as consoles do that look once a second."""

    last_card: dict[str, Any]

    def __init__(self, house: House, code: str) -> None:
        self.code, self.client = f"tablet-{code}", house.client(code)
        self.signon = ""

    def sign_on(self, number: str, **more: Any) -> str:
        answer = self.client.post("/api/tables/A/signons", {"staff": number, "pin": PIN[number], **more}, format="json")
        assert answer.status_code == 201, answer.json()
        self.signon = str(answer.json()["signon"])
        return self.signon

    def send(
        self, *events: dict[str, Any], signon: str | None = None, at: datetime | None = None
    ) -> list[dict[str, Any]]:
        """Send events in one request, by default as they happen, and give the answers."""
        now = timezone.now()
        envelopes = [
            {
                "id": str(uuid.uuid4()),
                "device": self.code,
                "device_seq": None,
                "signon": signon or self.signon,
                "at": (at or now).isoformat(),
                "sent_at": now.isoformat(),
                "after": Tablet.last_card,
                "event": event,
            }
            for event in events
        ]
        answer = self.client.post("/api/tables/A/events", envelopes, format="json")
        assert answer.status_code == 200, answer.content
        Tablet.last_card = answer.json()["after"]
        return list(answer.json()["answers"])

    def card(self, card: str, **more: Any) -> dict[str, Any]:
        """Deal a card and give its answer."""
        (answer,) = self.send({"type": "card", "card": card}, **more)
        assert answer["status"] == "recorded", answer
        return answer


def bet(name: str, seat: int, rank: str, amount: str) -> dict[str, Any]:
    return {"type": "bet", "bet": name, "seat": seat, "rank": rank, "amount": amount}


def money(lines: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Bet, outcome, paid and taken of each settlement."""
    return [(line["bet"], line["outcome"], line["paid"], line["taken"]) for line in lines]


def test_an_evening_at_a_stos_table_from_open_to_close():
    house = a_house()
    Tablet.last_card = {"deal": None, "position": 0, "take_backs": 0}
    dealer, controller = Tablet(house, "A"), Tablet(house, "A2")

    # Dealer and bet controller sign on, each on a tablet of his own; the dealer opens table and deal.
    first_dealer = dealer.sign_on("D-1")
    controller.sign_on("C-1")
    assert [a["status"] for a in dealer.send({"type": "open"}, {"type": "deal", "deal": "1"})] == ["recorded"] * 2

    # Four bets; the third is below the minimum of 100, and what follows it is not tried.
    answers = controller.send(
        bet("a", 1, "Q", "500"), bet("b", 2, "K", "400"), bet("c", 3, "7", "50"), bet("d", 3, "8", "100")
    )
    assert [answer["status"] for answer in answers] == ["recorded", "recorded", "refused", "not_tried"]
    assert answers[2]["code"] == "below_minimum"
    # The controller deals no cards; and a sign-on is worth nothing on another tablet, whatever that one says it is.
    assert controller.send({"type": "card", "card": "KS"})[0]["code"] == "not_allowed"
    assert controller.send({"type": "card", "card": "KS"}, signon=first_dealer)[0]["code"] == "not_signed_on"
    controller.code = "tablet-A"
    assert controller.send({"type": "card", "card": "KS"}, signon=first_dealer)[0]["code"] == "not_signed_on"
    controller.code = "tablet-A2"

    # Turn 1. The dealer keys a queen where a king lies, and puts it right alone: the turn is still open.
    assert money(dealer.card("QS")["takes"]) == [("a", "lose", "0", "500")]
    (corrected,) = dealer.send({"type": "correct", "reason": "Wrong key", "cards": {"1": "KS"}})
    assert (corrected["status"], money(corrected["takes"])) == ("recorded", [("b", "lose", "0", "400")])
    assert money(dealer.card("QH")["settlements"]) == [("b", "lose", "0", "400"), ("a", "win", "500", "0")]

    # Turn 2: seat 1 goes on, and wins 200 with the ace.
    controller.send(bet("e", 1, "A", "200"))
    dealer.card("5D")
    assert money(dealer.card("AC")["settlements"]) == [("e", "win", "200", "0")]

    # Turn 3, a split with nobody on the nine. Between its cards the dealers change; the first authors nothing more.
    dealer.card("9C")
    dealer.sign_on("D-2", relieve=True)
    assert dealer.send({"type": "card", "card": "9H"}, signon=first_dealer)[0]["code"] == "not_signed_on"
    dealer.card("9H")

    # The fourth card was a ten: the second dealer asks, and only an inspector's PIN makes it so.
    (asked,) = dealer.send({"type": "correct", "reason": "The camera shows a ten", "cards": {"4": "TC"}})
    assert (asked["status"], asked["code"]) == ("waiting", "approval_needed")
    path = f"/api/approvals/{asked['id']}"
    own = dealer.client.post(path, {"decision": "approve", "staff": "D-2", "pin": PIN["D-2"]}, format="json")
    assert (own.status_code, own.json()["code"]) == (403, "not_allowed")
    listed = dealer.client.get("/api/approvals").json()
    assert [(each["id"], each["asked_by"]) for each in listed] == [(asked["id"], "D-2")]
    done = dealer.client.post(path, {"decision": "approve", "staff": "I-1", "pin": PIN["I-1"]}, format="json").json()
    assert (done["verdict"], done["asked_by"], done["decided_by"]) == ("approved", "D-2", "I-1")
    # Seat 1 gives back what the ace brought, 200 and its stake, and the stake stands again.
    (adjustment,) = done["answer"]["adjustments"]
    moved = {key: adjustment[key] for key in ("bet", "paid", "taken", "returned", "standing")}
    assert moved == {"bet": "e", "paid": "-200", "taken": "0", "returned": "-400", "standing": "200"}
    assert dealer.client.get("/api/approvals").json() == []

    # Turn 4: the ace comes for the bank. End of the deal, close of the table, good night.
    assert money(dealer.card("AH")["takes"]) == [("e", "lose", "0", "200")]
    assert money(dealer.card("2C")["settlements"]) == [("e", "lose", "0", "200")]
    assert [a["status"] for a in dealer.send({"type": "end"}, {"type": "close"})] == ["recorded"] * 2
    gone = dealer.client.delete("/api/tables/A/signons", {"signon": dealer.signon}, format="json")
    assert gone.status_code == 204

    # Handle 500 + 400 + 200; taken 400 + 200, paid 500: the house won 100.
    out = io.StringIO()
    call_command("export_log", "A", stdout=out)
    assert list(tablelog.settle(tablelog.lines(out.getvalue())))[-1] == {
        "type": "summary",
        "deals": 1,
        "turns": 4,
        "bets": 3,
        "handle": "1100",
        "taken": "600",
        "paid": "500",
        "result": "100",
    }
    # Everything bears its author, and the casino's own journal says who stood there when.
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["card"], line["by"]) for line in lines if line["type"] == "card"] == [
        ("QS", "D-1"),
        ("QH", "D-1"),
        ("5D", "D-1"),
        ("AC", "D-1"),
        ("9C", "D-1"),
        ("9H", "D-2"),
        ("AH", "D-2"),
        ("2C", "D-2"),
    ]
    assert {line["by"] for line in lines if line["type"] == "bet"} == {"C-1"}
    assert house.journal()[-5:] == [
        ("sign_on", "D-1"),
        ("sign_on", "C-1"),
        ("relief", "D-2"),
        ("approval", "I-1"),
        ("sign_off", "D-2"),
    ]


def test_cards_that_waited_off_line_are_their_dealers_although_he_was_relieved_meanwhile():
    house = a_house()
    Tablet.last_card = {"deal": None, "position": 0, "take_backs": 0}
    tablet, other = Tablet(house, "A"), Tablet(house, "A2")
    first = tablet.sign_on("D-1")
    tablet.send({"type": "open"}, {"type": "deal", "deal": "1"})
    # The first tablet goes off line with a card in its queue; four seconds later the relief signs on at the other.
    # What the answer takes on a busy machine counts as later: less than the four seconds.
    time.sleep(4)
    other.sign_on("D-2", relieve=True)
    queued_at = house.ended_at(first) - timedelta(seconds=3.9)
    # The pen went along: nobody's queue is applied by itself where another device enters the cards.
    (elsewhere,) = tablet.send({"type": "card", "card": "KS"}, signon=first, at=queued_at)
    assert (elsewhere["status"], elsewhere["code"]) == ("refused", "pen_elsewhere")
    tablet.sign_on("D-2", pen=True)
    (before,) = tablet.send({"type": "card", "card": "KS"}, signon=first, at=queued_at)
    (after,) = tablet.send({"type": "card", "card": "QS"}, signon=first)
    assert (before["status"], after["status"], after["code"]) == ("recorded", "refused", "not_signed_on")
    out = io.StringIO()
    call_command("export_log", "A", stdout=out)
    cards = [json.loads(line) for line in out.getvalue().splitlines() if '"card"' in line]
    assert [(line["card"], line["by"]) for line in cards] == [("KS", "D-1")]
