"""What chips a house has, what they are worth, and what counts of a float found. It writes nothing."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Value
from django.db.models.functions import Coalesce, NullIf

from tables.models import ChipPolicy
from tables.queries.movements import movements_of
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal
from tables.rules.terms import minor_digits, parse_amount
from tables.tablelog import CHIP_NAME

NOTICE, GRAVE = 25, 100  # units of the currency, where a house has not said otherwise


@dataclass(frozen=True, slots=True)
class Policy:
    """What differences mean to a house, in minor units. `number` 0: it has said nothing yet."""

    number: int
    notice_minor: int
    grave_minor: int
    tolerance_minor: int


def policy(casino_id: int, currency: str) -> Policy:
    """Read the policy that holds at the tables of a currency.

    Before a house has set one for it: notice above 25 of its units, grave above 100, no tolerance.
    """
    fields = ("number", "notice_minor", "grave_minor", "tolerance_minor")
    row = _policies(casino_id).filter(of=currency).values_list(*fields).first()
    if row is not None:
        return Policy(*row)
    unit = 10 ** minor_digits(currency)
    return Policy(0, NOTICE * unit, GRAVE * unit, 0)


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A version of the policy of a currency, with those who made it."""

    currency: str
    policy: Policy
    author: str
    approver: str


def policies(casino_id: int) -> tuple[PolicyVersion, ...]:
    """List the versions of a house's policies by currency, the one that holds there first."""
    fields = ("of", "number", "notice_minor", "grave_minor", "tolerance_minor", "author", "approver")
    rows = _policies(casino_id).order_by("of", "-number").values_list(*fields)
    return tuple(PolicyVersion(row[0], Policy(*row[1:5]), *row[5:]) for row in rows)


def _policies(casino_id: int) -> Any:
    of = Coalesce(NullIf("currency", Value("")), "casino__currency")
    return ChipPolicy.objects.filter(casino_id=casino_id).annotate(of=of).order_by("-number")


def currencies(casino_id: int) -> tuple[str, ...]:
    """List the currencies of a house: its own, then those of its tables and chips."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT currency FROM (SELECT currency, 0 AS place FROM tables_casino WHERE id = %s"
            " UNION SELECT currency, 1 FROM tables_table WHERE casino_id = %s"
            " UNION SELECT currency, 1 FROM tables_chip WHERE casino_id = %s) c"
            " GROUP BY currency ORDER BY min(place), currency",
            [casino_id] * 3,
        )
        return tuple(currency for (currency,) in cursor.fetchall())


@dataclass(frozen=True, slots=True)
class ChipShown:
    """A chip of the house; without a value a colour chip."""

    name: str
    chip_set: str
    value_minor: int | None
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class HouseChips:
    """The chips of a house in one currency, by name.

    A house that has declared none is taken at the names' word: a chip is worth what it is called.
    """

    currency: str
    values: Mapping[str, int]
    colours: frozenset[str]

    def value(self, name: str, at_seat: Mapping[str, int], *, counting: bool) -> int:
        """Say what a chip is worth in minor units; a colour what its seat says, and nothing where it is counted.

        Raises: unknown_chip.
        """
        if name in self.values:
            return self.values[name]
        if name in self.colours:
            if counting:
                return 0
            if name in at_seat:
                return at_seat[name]
            raise Refusal(DoorCode.UNKNOWN_CHIP, f"Colour {name!r} has no value at this seat yet.", value=name)
        if not self.values and not self.colours:
            try:
                value = parse_amount(name, minor_digits(self.currency))
            except ValueError:
                value = 0
            if isinstance(value, int) and 0 < value < 2**53:
                return value
        raise Refusal(DoorCode.UNKNOWN_CHIP, f"{name!r} is no chip of this house in {self.currency}.", value=name)


def chips_shown(casino_id: int) -> dict[str, tuple[ChipShown, ...]]:
    """List the chips of a house by currency, the most valuable first."""
    shown: dict[str, list[ChipShown]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT currency, name, chip_set, value_minor, withdrawn_at IS NOT NULL FROM tables_chip"
            " WHERE casino_id = %s ORDER BY currency, value_minor DESC NULLS LAST, name",
            [casino_id],
        )
        for currency, *row in cursor.fetchall():
            shown[currency].append(ChipShown(*row))
    return {currency: tuple(chips) for currency, chips in shown.items()}


def chips_of(casino_id: int, currency: str) -> HouseChips:
    """Read the chips that a house uses in a currency."""
    chips = [chip for chip in chips_shown(casino_id).get(currency, ()) if not chip.withdrawn]
    return HouseChips(
        currency,
        {chip.name: chip.value_minor for chip in chips if chip.value_minor is not None},
        frozenset(chip.name for chip in chips if chip.value_minor is None),
    )


def colours_at(opening_id: int, seat: int) -> dict[str, int]:
    """Read what each colour counts for at a seat in this opening."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (chip) chip, value_minor FROM tables_colourvalue"
            " WHERE opening_id = %s AND seat = %s ORDER BY chip, sequence DESC",
            [opening_id, seat],
        )
        return dict(cursor.fetchall())


# -- counts and movements


@dataclass(frozen=True, slots=True)
class Count:
    """What a count found in a float, chip by chip."""

    opening: int
    counted_minor: int
    chips: Mapping[str, int]


def last_closer(table_id: int) -> Count | None:
    """Read the closer that the next opener is proposed from: the last one of the table, as corrected."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.id, o.number FROM tables_movement m JOIN tables_opening o ON o.id = m.opening_id"
            " WHERE o.table_id = %s AND m.kind = 'closer' ORDER BY o.number DESC LIMIT 1",
            [table_id],
        )
        row = cursor.fetchone()
    if row is None:
        return None
    (closer,) = (each for each in movements_of(row[0]) if each.kind == "closer")
    return Count(row[1], closer.standing.total_minor("counted"), closer.standing.side("counted"))


def is_counted(opening_id: int) -> bool:
    """Say whether an opening began with a count."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM tables_movement WHERE opening_id = %s AND kind = 'opener'", [opening_id])
        return cursor.fetchone() is not None


def state_of(table_id: int) -> tuple[str, int | None]:
    """Say whether a table is open, paused or closed, and the number of its last opening."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT h.state, (SELECT max(o.number) FROM tables_opening o WHERE o.table_id = h.table_id)"
            " FROM tables_tablehead h WHERE h.table_id = %s",
            [table_id],
        )
        state, number = cursor.fetchone()
        return state, number


def is_name(text: str) -> bool:
    """Say whether the table log takes a text as the name of a chip."""
    return CHIP_NAME.fullmatch(text) is not None
