"""Four tables, one for each game, with their dealers, devices and a second person. It asserts nothing."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tables.access import Author, Post
from tables.actions import console, door, house, people
from tables.models import Pit, Staff
from tests.database.remembered import remembered

T0 = datetime(2026, 1, 15, 18, 0, tzinfo=UTC)
PASSWORD = "a long enough password"
PINS = {
    "D-1": "580214",
    "D-2": "771938",
    "D-3": "314159",
    "D-4": "440917",
    "I-1": "905522",
    "P-1": "263748",
    "V-1": "801357",
    "C-1": "158263",
}
NAMES = {
    "D-1": "A. Serikova",
    "D-2": "T. Omarov",
    "D-3": "L. Weber",
    "D-4": "K. Bekov",
    "I-1": "M. Marek",
    "P-1": "O. Orlova",
    "V-1": "R. Belov",
    "C-1": "S. Akhmetova",
}
ROLES = {"I-1": "inspector", "P-1": "pit_boss", "V-1": "surveillance", "C-1": "bet_controller"}
LINES: dict[str, dict[str, Any]] = {
    "Stuss-1": {"game": "stuss", "min": "100", "max": "5000", "chip": "50"},
    "Private-1": {"game": "private", "min": "500", "max": "50000", "chip": "500"},
    "Stos-1": {"game": "stos", "min": "100", "max": "10000", "chip": "50"},
    "Pharaon-1": {"game": "pharaon", "min": "200", "max": "20000", "chip": "50"},
}
DEALERS = dict(zip(LINES, ("D-1", "D-2", "D-3", "D-4"), strict=True))


@dataclass
class Floor:
    """Device tokens by table, and by `table/2` for a second tablet."""

    tokens: dict[str, str] = field(default_factory=dict)

    def table_line(self, table: str) -> dict[str, Any]:
        return {"type": "table", "table": table, "currency": "KZT", **LINES[table]}


@remembered
def a_floor() -> Floor:
    """Put it up through the actions, opened, without a deal."""
    floor = Floor()
    with transaction.atomic():
        casino = house.create_casino(code="test", name="Test", currency="KZT", time_zone="Asia/Almaty")
        pit = Pit.objects.create(casino=casino, name="Main")
        for code in LINES:
            table = house.create_table(casino, pit, floor.table_line(code))
            door.record_for_house(code, door.vouch([floor.table_line(code), {"type": "open"}], author="P-1"))
            for device in (code, f"{code}/2"):
                floor.tokens[device] = people.issue_device_token(
                    casino_id=casino.pk, kind="console", table_id=table.pk, code=f"tablet-{device}", by=None, now=T0
                ).token
        for number, name in NAMES.items():
            user = get_user_model().objects.create_user(number, password=PASSWORD)
            staff = people.hire(
                casino_id=casino.pk, number=number, name=name, language="en", user_id=user.pk, by=None, now=T0
            )
            people.appoint(staff_id=staff, role=ROLES.get(number, "dealer"), pit_id=None, by=None, now=T0)
            people.set_pin(staff_id=staff, pin=PINS[number], by=None, now=T0)
    return floor


def house_asks(table: str, *, bets_down: bool = False, confirm: bool = False, check_minor: int | None = None) -> None:
    """Set what the house asks for at a table's console."""
    ids = dict(Staff.objects.values_list("number", "id"))
    by_two = [Author(ids[number], number, (Post("shift_manager", None),)) for number in ("P-1", "I-1")]
    console.set_options(
        table,
        bets_down=bets_down,
        confirm=confirm,
        check_minor=check_minor,
        author=by_two[0],
        approver=by_two[1],
        now=datetime.now(UTC),
    )


def log(text: str) -> list[dict[str, Any]]:
    """Read a table log, one event a line."""
    return [json.loads(line) for line in text.strip().splitlines()]
