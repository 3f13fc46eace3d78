"""What waits for a second person: which slip, how much, from what to what, so that he can decide. It writes nothing."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection

from tables.queries import books, chips, movements, slips
from tables.rules.terms import minor_digits, parse_amount


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for. Amounts are in minor units of the table's currency; what does not belong to it is None.

    what            correct, or the deed as `tables.actions.asking` names it
    event           of a correction, as the table log says it
    kind, slip      fill or credit, and its number, or that of its paper; of a movement its kind and place
    holds, to_be    of a movement that is corrected: what it says now, and what it should have said
    amount_minor    what was counted, or what the slip is or should have been worth
    expected_minor  of a count: what should lie there, an opener's the closer before it; of a slip that is corrected:
                    what it says now
    limits          of a change of rules: what changes of minimum, maximum and chip, each from and to
    others          of a change of rules: what else changes
    """

    what: str
    currency: str
    exponent: int
    event: Mapping[str, Any] | None = None
    kind: str | None = None
    slip: str | None = None
    amount_minor: int | None = None
    expected_minor: int | None = None
    pieces: tuple[tuple[str, int], ...] = ()
    reason: str = ""
    limits: tuple[tuple[str, int, int], ...] = ()
    others: tuple[str, ...] = ()
    holds: "Moved | None" = None
    to_be: "Moved | None" = None


@dataclass(frozen=True, slots=True)
class Moved:
    """What a movement of a float says: cash, seat, and pieces by chip that came in, went out, were counted."""

    cash_minor: int
    seat: int | None
    came: tuple[tuple[str, int], ...]
    left: tuple[tuple[str, int], ...]
    counted: tuple[tuple[str, int], ...]


_WAITING = """
SELECT a.id, t.id, t.currency, t.casino_id, d.content, w.envelope, v.min_minor, v.max_minor, v.chip_minor,
    (SELECT o.id FROM tables_opening o WHERE o.table_id = t.id ORDER BY o.number DESC LIMIT 1)
FROM tables_approval a JOIN tables_table t ON t.id = a.table_id JOIN tables_tablehead h ON h.table_id = t.id
LEFT JOIN tables_rulesversion v ON v.id = h.rules_version_id
LEFT JOIN tables_waitingdeed d ON d.approval_id = a.id
LEFT JOIN tables_waitingcorrection w ON w.id = a.id AND w.state = 'waiting'
WHERE a.id = ANY(%s)
"""


def asked(approval_ids: Collection[UUID]) -> dict[UUID, Asked]:
    """Read what was asked for, of approvals that nobody has decided yet."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, [list(approval_ids)])
        rows = cursor.fetchall()
    contents = {row[0]: json.loads(row[4]) for row in rows if row[4] is not None}
    found_slips = slips.slips_of({UUID(each["slip"]) for each in contents.values() if "slip" in each})
    counted = {
        row[9] for row in rows if row[0] in contents and contents[row[0]]["what"] in ("closer", "rollover", "count")
    }
    floats = {each.opening_id: each.expected_float_minor for each in books.books_of_openings(counted)}
    house_chips = cache(chips.chips_of)
    found = {}
    for id, table_id, currency, casino_id, _content, envelope, *holds, opening_id in rows:
        of = {"currency": currency, "exponent": minor_digits(currency)}
        if envelope is not None:
            event = json.loads(envelope)["event"]
            found[id] = Asked("correct", **of, event=event, reason=event.get("reason", ""))
            continue
        content = contents.get(id)
        if content is None:
            continue  # decided meanwhile
        what, pieces = content["what"], content.get("chips", {})
        values = house_chips(casino_id, currency)
        said: dict[str, Any] = {**of, "pieces": _pieces(pieces), "reason": content.get("reason", "")}
        if what == "movement":
            said |= _movement(table_id, content, of["exponent"])
        elif what in ("request", "late"):
            said |= {"kind": content["kind"], "slip": content.get("paper_number", "")}
            said["amount_minor"] = _worth(values, pieces)
        elif what == "rules":
            said |= _change(content["change"], dict(zip(("min", "max", "chip"), holds, strict=True)), of["exponent"])
        elif "slip" in content:
            slip = found_slips[UUID(content["slip"])]
            corrected = what == "slip_correction"
            said |= {"kind": slip.kind, "slip": slip.number, "amount_minor": slip.amount_minor}
            if corrected:
                said["amount_minor"] = _worth(values, pieces)
                said["expected_minor"] = slip.standing_minor
        else:
            closer = chips.last_closer(table_id) if what == "opener" else None
            said["amount_minor"] = _worth(values, pieces)
            said["expected_minor"] = floats.get(opening_id) if closer is None else closer.counted_minor
        found[id] = Asked(what, **said)
    return found


# Where the chips of a movement go that names them once.
_SIDE = {"buy_in": "out", "fee": "in"}


def _movement(table_id: int, content: Mapping[str, Any], digits: int) -> dict[str, Any]:
    found = movements.movement_at(table_id, content["opening"], content["place"])
    assert found is not None, "a fact does not go"
    holds, event = found.standing, content["event"]
    to_be = {side: _pieces(event.get(side, {})) for side in ("in", "out")}
    to_be[_SIDE.get(found.kind, "counted")] = _pieces(event.get("chips", {}))
    cash = parse_amount(event["cash"], digits) if "cash" in event else 0
    assert isinstance(cash, int), "it was tried out when it was asked for"
    return {
        "kind": found.kind,
        "slip": str(found.place),
        "holds": Moved(holds.cash_minor, holds.seat, *(_pieces(holds.side(side)) for side in ("in", "out", "counted"))),
        "to_be": Moved(cash, event.get("seat"), to_be["in"], to_be["out"], to_be.get("counted", ())),
    }


def _pieces(of: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(of.items()))


def _worth(values: chips.HouseChips, pieces: Mapping[str, int]) -> int:
    return sum(values.value(name, {}, counting=True) * count for name, count in pieces.items())


def _change(change: Mapping[str, Any], holds: Mapping[str, int], digits: int) -> dict[str, Any]:
    limits = []
    for name, now in holds.items():
        to = parse_amount(change[name], digits) if name in change else now
        if isinstance(to, int) and to != now:
            limits.append((name, now, to))
    others = sorted(change.keys() - holds.keys())
    return {"limits": tuple(limits), "others": tuple(others)}
