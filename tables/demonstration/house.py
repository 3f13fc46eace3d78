"""The demonstration house: one casino, one pit, a table for each game, somebody of every role. Known passwords.

It is built through the same actions as a real one, and never beside a real one.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tables import access
from tables.actions import cage, door, house, people
from tables.models import Casino, Device, Pit

CASINO = "demo"
PIT = "Main"


class OtherHouseError(Exception):
    """The database holds a casino that is no demonstration."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the demonstration, with what a real house would keep to itself."""

    number: str
    name: str
    role: str
    language: str
    pin: str
    # A table brought in from a file stands in no pit: whoever has a post in the whole house alone sees it.
    whole_house: bool = True

    @property
    def password(self) -> str:
        """Long enough for the rules of passwords, and no secret at all."""
        return f"stoss-{self.number.lower()}"


PEOPLE = (
    Person("D-01", "Алия Серикова", access.DEALER, "ru", "410726"),
    Person("D-02", "Тимур Омаров", access.DEALER, "ru", "583019"),
    Person("D-03", "Василь Петренко", access.DEALER, "ru", "926471"),
    Person("D-04", "Klaus Weber", access.DEALER, "en", "174850"),
    Person("D-05", "Вера Орлова", access.DEALER, "ru", "639208"),
    Person("D-06", "Anna Melnyk", access.DEALER, "en", "205793", whole_house=False),
    Person("C-01", "Ержан Касымов", access.BET_CONTROLLER, "ru", "861534"),
    Person("I-01", "Pavel Marek", access.INSPECTOR, "en", "370962"),
    Person("I-02", "Светлана Громова", access.INSPECTOR, "ru", "748115", whole_house=False),
    Person("P-01", "Георгий Лаврентьев", access.PIT_BOSS, "ru", "592830"),
    Person("S-01", "Мария Соколова", access.SHIFT_MANAGER, "ru", "318647"),
    Person("K-01", "Ольга Юн", access.CAGE, "ru", "450271"),
    Person("K-02", "Пётр Ким", access.CAGE, "ru", "276405"),
    Person("N-01", "Зарина Алиева", access.COUNT_ROOM, "ru", "913582"),
    Person("N-02", "Jakub Nowak", access.COUNT_ROOM, "en", "650937"),
    Person("A-01", "Helen Marsh", access.AUDITOR, "en", "697304"),
    Person("V-01", "Руслан Белов", access.SURVEILLANCE, "ru", "823569"),
    Person("X-01", "Ирина Зайцева", access.ADMIN, "ru", "164092"),
)

# What its chips are worth, in roubles; 500 of each lie in the chip bank.
CHIPS = (50, 100, 500, 1_000, 5_000, 25_000)

TABLES: tuple[dict[str, Any], ...] = (
    {"table": "Stuss-1", "game": "stuss", "min": "100", "max": "5000", "chip": "50", "seats": 10},
    {"table": "Private-1", "game": "private", "min": "1000", "max": "50000", "chip": "500", "seats": 1},
    {
        "table": "Stos-1",
        "game": "stos",
        "min": "100",
        "max": "10000",
        "chip": "50",
        "seats": 8,
        "rules": {"decks": 6, "suit_multiple": 2},
    },
    {
        "table": "Pharaon-1",
        "game": "pharaon",
        "min": "200",
        "max": "20000",
        "chip": "100",
        "seats": 6,
        "rules": {"split_take": "1/2", "last_card_void": True},
    },
)


@dataclass(frozen=True, slots=True)
class Console:
    """A table with its console's token; None where the token was made earlier and is not known any more."""

    table: str
    device: str
    token: str | None


def build(now: datetime) -> tuple[Console, ...]:
    """Build the house, or find it built. All of it or nothing.

    Raises: OtherHouseError.
    """
    with transaction.atomic():
        if Casino.objects.filter(code=CASINO).exists():
            devices = Device.objects.filter(casino__code=CASINO, table__isnull=False).order_by("id")
            found = devices.filter(code__startswith="console-").values_list("table__code", "code")
            return tuple(Console(table, code, None) for table, code in found)
        if Casino.objects.exists():
            raise OtherHouseError
        return _build(now)


def _build(now: datetime) -> tuple[Console, ...]:
    casino = house.create_casino(
        code=CASINO,
        name="Казино «Подкова» (демонстрация)",
        currency="RUB",
        time_zone="Europe/Moscow",
        day_start_hour=6,
        licence="DEMONSTRATION, no licence",
        demonstration=True,
    )
    pit = Pit.objects.create(casino=casino, name=PIT)
    for person in PEOPLE:
        user = get_user_model().objects.create_user(person.number, password=person.password, first_name=person.name)
        staff_id = people.hire(
            casino_id=casino.pk,
            number=person.number,
            name=person.name,
            language=person.language,
            user_id=user.pk,
            by=None,
            now=now,
        )
        people.appoint(
            staff_id=staff_id, role=person.role, pit_id=None if person.whole_house else pit.pk, by=None, now=now
        )
        people.set_pin(staff_id=staff_id, pin=person.pin, by=None, now=now)
    values = {str(value): value * 100 for value in CHIPS}
    cage.declare_chips(casino.pk, casino.currency, "main", values, by=None, now=now)
    cage.deliver(casino.pk, casino.currency, dict.fromkeys(values, 500), author=None, second=None, now=now)
    return tuple(_put_up(casino, pit, line, now) for line in TABLES)


def _put_up(casino: Casino, pit: Pit, line: dict[str, Any], now: datetime) -> Console:
    event = {"type": "table", "currency": casino.currency, **line}
    table = house.create_table(casino, pit, event, name=str(line["table"]).replace("-", " "))
    manager = next(person.number for person in PEOPLE if person.role == access.SHIFT_MANAGER)
    door.record_for_house(table.code, door.vouch([event, {"type": "open"}], author=manager, happened_at=now))
    device = people.issue_device_token(
        casino_id=casino.pk,
        kind=Device.Kind.CONSOLE,
        table_id=table.pk,
        code=f"console-{table.code}",
        by=None,
        now=now,
    )
    return Console(table.code, device.code, device.token)
