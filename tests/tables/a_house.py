"""A small house for tests: two pits, three tables, one person for each need. It asserts nothing."""

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from rest_framework.test import APIClient

from tables.access import Author
from tables.actions import door, people
from tables.actions import house as floor
from tables.models import Entry, Pit
from tables.queries import people as queries
from tests.database.remembered import remembered

T0 = datetime(2026, 1, 15, 18, 0, tzinfo=UTC)
PIN = {"D-1": "580214", "D-2": "771938", "D-9": "314159", "C-1": "440917", "I-1": "905522", "P-1": "263748"}
LIMITS = {"min": "100", "max": "10000", "chip": "50"}
PASSWORD = "a long enough password"


class Sender(APIClient):
    """A client that names each deed it sends, as every client has to; its answers are the service's."""

    def post(self, *args: Any, **more: Any) -> Any:
        named: list[Any] = [{"id": str(uuid.uuid4()), **each} if isinstance(each, dict) else each for each in args]
        return super().post(*named, **more)


@dataclass
class House:
    """Ids by the names of the floor: tables `A` and `B` in the main pit, `Z` in the high pit."""

    casino_id: int
    pits: dict[str, int] = field(default_factory=dict)
    tables: dict[str, int] = field(default_factory=dict)
    staff: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def author(self, number: str) -> Author:
        """A person with all his posts."""
        return Author(self.staff[number], number, queries.posts_of(self.staff[number]))

    def client(self, device: str) -> Sender:
        """A device that speaks to the API."""
        client = Sender()
        client.credentials(HTTP_AUTHORIZATION=f"Device {self.tokens[device]}")
        return client

    def session(self, number: str) -> Sender:
        """A person's browser, logged in."""
        client = Sender()
        client.force_login(get_user_model().objects.get(username=number))
        return client

    def sign_on(self, table: str, number: str, *, device: str | None = None, **more: Any) -> Any:
        """What the API answers to a sign-on at a table, by default on the table's own device."""
        body = {"staff": number, "pin": PIN[number], **more}
        return self.client(device or table).post(f"/api/tables/{table}/signons", body, format="json")

    def ended_at(self, signon: str) -> datetime:
        """When a sign-on ended."""
        found = queries.signon_of_token(signon)
        assert found is not None
        assert found.ended_at is not None
        return found.ended_at

    def journal(self) -> list[tuple[str, str]]:
        """What the casino's journal says: type and author of each entry."""
        rows = Entry.objects.filter(journal__casino_head__casino_id=self.casino_id).order_by("sequence")
        return list(rows.values_list("type", "author"))


@remembered
def a_house() -> House:
    """Build it through the actions, as the operator's shell would."""
    with transaction.atomic():
        casino = floor.create_casino(code="test", name="Test", currency="RUB", time_zone="Europe/Moscow")
        house = House(casino.pk)
        for name in ("main", "high"):
            house.pits[name] = Pit.objects.create(casino=casino, name=name).pk
        for code, of, game in (("A", "main", "stos"), ("B", "main", "stuss"), ("Z", "high", "stuss")):
            line = {"type": "table", "table": code, "game": game, "currency": "RUB", **LIMITS}
            table = floor.create_table(casino, Pit.objects.get(id=house.pits[of]), line)
            door.record_for_house(code, door.vouch([line], author=""))
            house.tables[code] = table.pk
        for number, role, pit in (
            ("D-1", "dealer", "main"),
            ("D-2", "dealer", "main"),
            ("D-9", "dealer", "high"),
            ("C-1", "bet_controller", None),
            ("I-1", "inspector", None),
            ("P-1", "pit_boss", "main"),
            ("A-1", "auditor", None),
            ("X-1", "admin", None),
        ):
            user = get_user_model().objects.create_user(number, password=PASSWORD)
            house.staff[number] = people.hire(
                casino_id=casino.pk,
                number=number,
                name=f"Name of {number}",
                language="en",
                user_id=user.pk,
                by=None,
                now=T0,
            )
            people.appoint(staff_id=house.staff[number], role=role, pit_id=house.pits.get(pit or ""), by=None, now=T0)
            if number in PIN:
                people.set_pin(staff_id=house.staff[number], pin=PIN[number], by=None, now=T0)
        for code, at in (("A", "A"), ("A2", "A"), ("B", "B"), ("Z", "Z"), ("loose", None)):
            issued = people.issue_device_token(
                casino_id=casino.pk,
                kind="console",
                table_id=house.tables.get(at or ""),
                code=f"tablet-{code}",
                by=None,
                now=T0,
            )
            house.tokens[code] = issued.token
    return house
