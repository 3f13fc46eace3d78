"""A counted table for tests: a stos table, its house's chips, a chip bank, a cage, a count room. It asserts nothing."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tables.access import Author
from tables.actions import cage, door, people
from tables.actions import house as floor
from tables.models import Pit
from tables.queries import books, slips
from tables.queries.answers import Answer
from tests.database.remembered import remembered
from tests.tables.a_game import STOS, Tablet, a_tablet
from tests.tables.a_house import PASSWORD, T0, House, a_house

CAGE_PINS = {"K-1": "118203", "K-2": "649017", "N-1": "730154", "N-2": "285640", "S-1": "907318"}
CHIPS: dict[str, int | None] = {"1000": 100_000, "500": 50_000, "100": 10_000, "red": None}


@dataclass
class Cage:
    """The people of a house with money to move, and its table S, closed and empty."""

    house: House
    table: str = "S"

    def __getitem__(self, number: str) -> Author:
        return self.house.author(number)

    def open(self, **pieces: int) -> Answer:
        """Open the table with a count, signed by D-1 and I-1."""
        return cage.open_counted(
            self.table, named(pieces), dealer=self["D-1"], inspector=self["I-1"], id=uuid.uuid4(), now=T0
        )

    def close(self, **pieces: int) -> Answer:
        """Close it with a count."""
        return cage.close_counted(
            self.table, named(pieces), dealer=self["D-1"], inspector=self["I-1"], id=uuid.uuid4(), now=T0
        )

    def request(self, kind: str, **pieces: int) -> slips.SlipView:
        """Request a slip for the table."""
        return cage.request_slip(self.table, kind, named(pieces), id=uuid.uuid4(), author=self["I-1"], now=T0)

    def fill(self, **pieces: int) -> slips.SlipView:
        """Bring a fill the whole way."""
        id = self.request("fill", **pieces).id
        cage.issue_slip(id, author=self["K-1"], now=T0)
        cage.carry_slip(id, author=self["K-2"], second=None, now=T0)
        return cage.receive_slip(id, author=self["D-1"], second=self["I-1"], now=T0)

    def credit(self, **pieces: int) -> slips.SlipView:
        """Bring a credit the whole way."""
        id = self.request("credit", **pieces).id
        cage.issue_slip(id, author=self["K-1"], now=T0)
        cage.carry_slip(id, author=self["D-1"], second=self["I-1"], now=T0)
        return cage.receive_slip(id, author=self["K-1"], second=None, now=T0)

    def drop(self, *counts: dict[int, int], box: str = "BOX-7") -> slips.DropView:
        """Put a box on the open table, take it to the count room and count it."""
        id = cage.attach_box(self.table, box, author=self["I-1"], second=self["D-1"], now=T0).id
        cage.remove_box(id, author=self["I-1"], second=self["D-1"], now=T0)
        found = cage.receive_box(id, author=self["N-1"], second=self["I-1"], now=T0)
        for lines in counts:
            found = cage.count_box(id, lines, author=self["N-1"], second=self["N-2"], now=T0)
        return found

    def tablet(self) -> Tablet:
        """A tablet at the table, D-1 signed on."""
        return a_tablet(self.house, self.table, "D-1", device="tablet-S")

    def books(self, opening: int = 1) -> books.Books:
        """The books of one of its openings."""
        found = books.books_of_opening(self.table, opening)
        assert found is not None
        return found


def named(pieces: dict[str, int]) -> dict[str, int]:
    """Chips as keywords: `c1000=5, red=3`."""
    return {name.removeprefix("c") if name[1:].isdigit() else name: count for name, count in pieces.items()}


def fresh(form: dict[str, Any]) -> dict[str, Any]:
    """A form as its page hands it out anew: under an id of its own."""
    return form | {"id": str(uuid.uuid4())}


def buy_in(cash: str, **pieces: int) -> dict[str, Any]:
    return {"type": "buy_in", "cash": cash, "chips": named(pieces), "seat": 1}


@remembered
def a_cage(line: dict[str, Any] = STOS) -> Cage:
    """Build the house, declare its chips, and put 100 of each with a value into the chip bank."""
    house = a_house()
    with transaction.atomic():
        for number, role, pit in (
            ("K-1", "cage", None),
            ("K-2", "cage", None),
            ("N-1", "count_room", None),
            ("N-2", "count_room", None),
            ("S-1", "shift_manager", None),
        ):
            user = get_user_model().objects.create_user(number, password=PASSWORD)
            house.staff[number] = people.hire(
                casino_id=house.casino_id, number=number, name=number, language="en", user_id=user.pk, by=None, now=T0
            )
            people.appoint(staff_id=house.staff[number], role=role, pit_id=pit, by=None, now=T0)
            people.set_pin(staff_id=house.staff[number], pin=CAGE_PINS[number], by=None, now=T0)
        pit = Pit.objects.select_related("casino").get(pk=house.pits["main"])
        house.tables[line["table"]] = floor.create_table(pit.casino, pit, line).pk
        door.record_for_house(line["table"], door.vouch([line], author="P-1"))
    cage.declare_chips(house.casino_id, "RUB", "main", CHIPS, by=None, now=T0)
    cage.deliver(house.casino_id, "RUB", {"1000": 100, "500": 100, "100": 100}, author=None, second=None, now=T0)
    return Cage(house, line["table"])
