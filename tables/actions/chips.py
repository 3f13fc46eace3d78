"""What a table's chip events make: movements and corrections of them, chips by name, colour values, incidents.

In the caller's transaction.

It is the door's own hand for these events and for no others: the play path asks it nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from tables.ledger import Facts
from tables.models import (
    ColourValue,
    Incident,
    Movement,
    MovementChip,
    MovementCorrection,
    MovementCorrectionChip,
)
from tables.queries import chips as queries
from tables.queries import movements
from tables.queries.chips import Policy
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal
from tables.rules.terms import minor_digits, parse_amount
from tables.tablelog import ChipEvent

LONGEST_SLIP = 40
LONGEST_NUMBER = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where chips move: a table with its currency, and its opening (None: the one that this event opens)."""

    casino_id: int
    table_id: int
    currency: str
    opening_id: int | None


def judge(event: ChipEvent, place: Place, author: str) -> Facts:
    """Say which facts a chip event makes. Inserts nothing.

    Raises: bad_line, bad_amount, unknown_chip, not_equal.
    """
    if len(event.slip) > LONGEST_SLIP or len(event.inspector) > LONGEST_NUMBER:
        raise Refusal(Code.BAD_LINE, "The number of a slip or of a person is too long.")
    if event.type == "colour":
        return {"colour_value": [_colour(event, place)]}
    if event.movement:
        return _corrected(event, place, author)
    chips = queries.chips_of(place.casino_id, place.currency)
    colours = queries.colours_at(place.opening_id, event.seat) if place.opening_id and event.seat else {}
    lines = []
    totals = {"in": 0, "out": 0, "counted": 0}
    for side, named in (("in", event.into), ("out", event.out), ("counted", event.counted)):
        for name, pieces in sorted(named.items()):
            value = chips.value(name, colours, counting=side == "counted")
            totals[side] += value * pieces
            lines.append({"side": side, "chip": name, "pieces": pieces, "value_minor": value})
    if event.type == "ruling":
        side, amount = ("out", event.cash) if event.cash else ("in", event.value)
        totals[side] = _amount(amount, place.currency)
    if max(totals.values()) >= 2**53:
        raise Refusal(Code.BAD_AMOUNT, "So many chips are worth more than the record can hold.")
    cash = _amount(event.cash, place.currency) if event.type == "buy_in" else 0
    paid = cash if event.type == "buy_in" else totals["in"]
    if event.type in ("buy_in", "exchange", "tip_exchange") and paid != totals["out"]:
        raise Refusal(
            DoorCode.NOT_EQUAL,
            f"What comes in is worth {paid} minor units, what goes out {totals['out']}: an exchange is of equal value.",
            value=paid,
            limit=totals["out"],
        )
    movement = {
        "kind": event.type,
        "seat": event.seat,
        "slip": event.slip,
        "cash_minor": cash,
        "in_minor": totals["in"],
        "out_minor": totals["out"],
        "counted_minor": totals["counted"],
        "second": event.inspector,
    }
    facts: Facts = {"movement": [movement]}
    if lines:
        facts["movement_chip"] = lines
    if event.type == "opener":
        facts |= _opener_differs(place, totals["counted"])
    return facts


def _corrected(event: ChipEvent, place: Place, author: str) -> Facts:
    """Say what a movement should have said, and by how much the float differs for it."""
    kind = event.type.removesuffix("_correction")
    found = movements.movement(place.opening_id, event.movement) if place.opening_id is not None else None
    if found is None or found.kind != kind:
        raise Refusal(Code.BAD_LINE, f"Movement {event.movement} of this opening is no {kind}.", value=event.movement)
    before, known = found.standing, found.values_minor
    seat = event.seat if event.seat is not None else before.seat
    chips = queries.chips_of(place.casino_id, place.currency)
    colours = queries.colours_at(found.opening_id, seat) if seat else {}
    lines = tuple(
        (side, name, pieces, known[name] if name in known else chips.value(name, colours, counting=side == "counted"))
        for side, named in (("in", event.into), ("out", event.out), ("counted", event.counted))
        for name, pieces in sorted(named.items())
    )
    said = movements.Said(_amount(event.cash, place.currency) if event.cash else 0, seat, lines)
    if (said.cash_minor, said.seat, set(said.chips)) == (before.cash_minor, before.seat, set(before.chips)):
        raise Refusal(Code.BAD_LINE, f"Movement {event.movement} says so already.", value=event.movement)
    if max(said.total_minor(side) for side in ("in", "out", "counted")) >= 2**53:
        raise Refusal(Code.BAD_AMOUNT, "So many chips are worth more than the record can hold.")
    more = cash = 0
    if kind in ("opener", "closer"):
        more = said.total_minor("counted") - before.total_minor("counted")
    elif kind == "fee":
        more = said.total_minor("in") - before.total_minor("in")
    elif kind == "buy_in":
        cash = said.cash_minor - before.cash_minor
        more = -cash
    exchanges = kind in ("buy_in", "exchange", "tip_exchange")
    movement = {
        "kind": event.type,
        "seat": seat,
        "slip": "",
        "cash_minor": cash,
        "in_minor": max(more, 0),
        "out_minor": max(-more, 0),
        "counted_minor": 0,
        "second": event.inspector,
    }
    correction = {
        "movement": found.sequence,
        "revision": len(found.corrections) + 1,
        "seat": seat,
        "cash_minor": said.cash_minor,
        "owed_minor": said.imbalance_minor - before.imbalance_minor if exchanges else 0,
        "author": author,
        "approver": event.inspector,
    }
    facts: Facts = {"movement": [movement], "movement_correction": [correction]}
    if lines:
        facts["movement_correction_chip"] = [
            {"side": side, "chip": name, "pieces": pieces, "value_minor": value} for side, name, pieces, value in lines
        ]
    counted = said.total_minor("counted")
    if kind == "opener":
        facts |= _differs(place, kind, movements.closer_before(found.opening_id), counted)
    if kind == "closer":
        facts |= _differs(place, kind, movements.opener_after(found.opening_id), counted)
    return facts


def _amount(text: str, currency: str) -> int:
    try:
        amount = parse_amount(text, minor_digits(currency))
    except ValueError:
        amount = 0
    if not isinstance(amount, int) or not 0 < amount < 2**53:
        raise Refusal(Code.BAD_AMOUNT, f"{text!r} is no amount of {currency}.", value=text)
    return amount


def _colour(event: ChipEvent, place: Place) -> dict[str, object]:
    chips = queries.chips_of(place.casino_id, place.currency)
    if event.colour not in chips.colours:
        raise Refusal(DoorCode.UNKNOWN_CHIP, f"{event.colour!r} is no colour chip of this house.", value=event.colour)
    return {"seat": event.seat, "chip": event.colour, "value_minor": _amount(event.value, place.currency)}


def _opener_differs(place: Place, counted: int) -> Facts:
    closed_with = queries.last_closer(place.table_id)
    return _differs(place, "opener", None if closed_with is None else closed_with.counted_minor, counted)


def _differs(place: Place, kind: str, expected: int | None, found: int) -> Facts:
    """Make an incident of two counts that should be one, where they differ by more than the house lets pass."""
    if expected is None:
        return {}
    level = level_of(found - expected, queries.policy(place.casino_id, place.currency))
    if not level:
        return {}
    row = {"kind": f"{kind}_differs", "level": level, "expected_minor": expected, "found_minor": found}
    return {"incident": [row]}


def level_of(difference_minor: int, policy: Policy) -> str:
    """Say what a difference is to the house: nothing (""), "notice" or "grave"."""
    if abs(difference_minor) > policy.grave_minor:
        return "grave"
    return "notice" if abs(difference_minor) > policy.notice_minor else ""


def insert(facts: Mapping[str, list[dict[str, object]]], *, opening_id: int, day: date, sequence: int) -> None:
    """Insert the facts that `judge` made of one event, under its entry's sequence."""
    about = {"opening_id": opening_id, "gaming_date": day, "sequence": sequence}
    for row in facts.get("movement", ()):
        movement = Movement.objects.create(**about, **row)
        MovementChip.objects.bulk_create(
            MovementChip(movement=movement, **line) for line in facts.get("movement_chip", ())
        )
    for row in facts.get("movement_correction", ()):
        about_it = {name: value for name, value in row.items() if name != "movement"}
        correction = MovementCorrection.objects.create(
            movement=Movement.objects.get(opening_id=opening_id, **{"sequence": row["movement"]}), **about, **about_it
        )
        MovementCorrectionChip.objects.bulk_create(
            MovementCorrectionChip(correction=correction, **line) for line in facts.get("movement_correction_chip", ())
        )
    ColourValue.objects.bulk_create(ColourValue(**about, **row) for row in facts.get("colour_value", ()))
    Incident.objects.bulk_create(Incident(**about, **row) for row in facts.get("incident", ()))
