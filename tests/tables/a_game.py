"""A table in play for tests: a house with a stos table, a dealer and an inspector, who speak to the API."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.test import Client

from tables.actions import door, house, people
from tables.models import Pit, Table
from tests.database.remembered import remembered
from tests.tables.a_house import T0, House, a_house

STOS = {"type": "table", "table": "S", "game": "stos", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"}


def put_up(line: dict[str, Any], pit: Pit) -> Table:
    """Put up a table and open it, as the operator's shell would."""
    with transaction.atomic():
        table = house.create_table(pit.casino, pit, line)
        door.record_for_house(line["table"], door.vouch([line, {"type": "open"}], author="P-1"))
    return table


@dataclass
class Tablet:
    """A tablet at a table: it sends what its dealer does, and knows the last card as a tablet does."""

    house: House
    table: str
    device: str
    token: str
    signon: str = ""
    after: dict[str, Any] = field(default_factory=lambda: {"deal": None, "position": 0, "take_backs": 0})
    sent: int = 0

    def envelope(self, event: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Wrap an event, on the sender's word about the last card."""
        self.sent += 1
        return {
            "id": str(uuid.uuid4()),
            "device": self.device,
            "device_seq": self.sent,
            "signon": self.signon,
            "at": "2026-01-15T18:00:00Z",
            "sent_at": "2026-01-15T18:00:00Z",
            "after": dict(self.after),
            "event": event,
            **more,
        }

    def post(self, envelopes: Any, query: str = "") -> Any:
        """Post a body of envelopes as it is."""
        return Client().post(
            f"/api/tables/{self.table}/events{query}",
            envelopes,
            content_type="application/json",
            headers={"Authorization": f"Device {self.token}"},
        )

    def send(self, *events: dict[str, Any]) -> list[dict[str, Any]]:
        """Send events as one request, each knowing what the ones before it did; return the answers."""
        envelopes = []
        for event in events:
            envelopes.append(self.envelope(event))
            if event["type"] == "card":
                self.after["position"] += 1
            elif event["type"] == "deal":
                self.after = {"deal": event["deal"], "position": 0, "take_backs": 0}
        response = self.post(envelopes)
        assert response.status_code == 200, response.content
        self.after = response.json()["after"]
        answers: list[dict[str, Any]] = response.json()["answers"]
        return answers


def bet(name: str, seat: int, rank: str, amount: str = "100") -> dict[str, Any]:
    return {"type": "bet", "bet": name, "seat": seat, "rank": rank, "amount": amount}


def card(text: str) -> dict[str, Any]:
    return {"type": "card", "card": text}


def statuses(answers: list[dict[str, Any]]) -> list[str]:
    """Say how each answer stands, refusals by their code."""
    return [answer.get("code", answer["status"]) for answer in answers]


@remembered
def a_game(line: dict[str, Any] = STOS) -> Tablet:
    """Put up a house and a table in it; D-1 deals there, signed on at the table's own tablet."""
    the_house = a_house()
    table = put_up(line, Pit.objects.select_related("casino").get(pk=the_house.pits["main"]))
    the_house.tables[line["table"]] = table.pk
    return a_tablet(the_house, line["table"], "D-1")


def a_tablet(the_house: House, table: str, number: str, device: str = "") -> Tablet:
    """Issue a tablet for a table and sign a person on there."""
    code = device or f"tablet-{table}"
    with transaction.atomic():
        issued = people.issue_device_token(
            casino_id=the_house.casino_id, kind="console", table_id=the_house.tables[table], code=code, by=None, now=T0
        )
    the_house.tokens[code] = issued.token
    tablet = Tablet(the_house, table, code, issued.token)
    answer = the_house.sign_on(table, number, device=code)
    assert answer.status_code == 201, answer.content
    tablet.signon = answer.json()["signon"]
    return tablet
