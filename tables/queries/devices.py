"""How devices and log-ins fared in a period: off line, with another clock, refused. It writes nothing."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import connection

from tables.models import Entry

# What the casino's journal says of attempts after which the next had to wait.
DELAYED = ("pin_delayed", "log_in_delayed")
# What a device says is late from then on; a round trip over a bad line is shorter.
OFF_LINE = timedelta(seconds=30)
# A clock that differs by less is as good as ours.
CLOCK_DIFFERS = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class OffLine:
    """A spell in which a device played on without the server, from the first event kept to the last one sent."""

    table: str
    device: str
    since: datetime
    until: datetime
    event_count: int


@dataclass(frozen=True, slots=True)
class ClockDifference:
    """How far a device's clock was from ours at most; above zero it was fast. The way of a message is part of it."""

    table: str
    device: str
    largest: timedelta
    doubted_count: int
    """Events whose times could not be believed, so that ours stand in their place."""


@dataclass(frozen=True, slots=True)
class FailedAttempts:
    """Wrong PINs or passwords in a row, so many that the next attempt had to wait. `where`: a device, or an address."""

    staff: str
    where: str
    count: int
    last_at: datetime


_EVENTS = (
    "SELECT t.code, e.text::jsonb->>'device', e.happened_at, e.recorded_at, (e.text::jsonb->>'sent_at')::timestamptz,"
    " COALESCE((e.text::jsonb->>'clock_doubted')::boolean, false)"
    " FROM tables_entry e JOIN tables_tablehead h ON h.journal_id = e.journal_id"
    " JOIN tables_table t ON t.id = h.table_id"
    " WHERE h.table_id = ANY(%s) AND e.recorded_at >= %s AND e.happened_at < %s"
    " AND e.text::jsonb->>'device' IS NOT NULL AND e.text::jsonb->'source' IS NULL ORDER BY t.code, e.sequence"
)


def fared(
    table_ids: Iterable[int], since: datetime, until: datetime
) -> tuple[tuple[OffLine, ...], tuple[ClockDifference, ...]]:
    """Return the spells off line and the clocks that differed, by table and device, of what happened in a period."""
    spells: dict[tuple[str, str], list[OffLine]] = {}
    clocks: dict[tuple[str, str], ClockDifference] = {}
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, [list(table_ids), since, until])
        while rows := cursor.fetchmany(2000):
            for table, device, happened_at, recorded_at, sent_at, doubted in rows:
                key = table, device
                if recorded_at - happened_at > OFF_LINE:
                    of_device = spells.setdefault(key, [])
                    if of_device and happened_at <= of_device[-1].until:
                        last = of_device[-1]
                        of_device[-1] = replace(
                            last, until=max(recorded_at, last.until), event_count=last.event_count + 1
                        )
                    else:
                        of_device.append(OffLine(table, device, happened_at, recorded_at, 1))
                difference = sent_at - recorded_at if sent_at is not None else timedelta()
                known = clocks.get(key, ClockDifference(table, device, timedelta(), 0))
                largest = max(known.largest, difference, key=abs)
                clocks[key] = ClockDifference(table, device, largest, known.doubted_count + doubted)
    differing = (each for each in clocks.values() if abs(each.largest) > CLOCK_DIFFERS or each.doubted_count)
    return tuple(each for of_device in spells.values() for each in of_device), tuple(differing)


def failed_attempts(casino_id: int, since: datetime, until: datetime) -> tuple[FailedAttempts, ...]:
    """Return where so many attempts in a row failed that the next had to wait, in a period, each spell once.

    What the journal does not hold, a failure or two before a success, is not counted anywhere.
    """
    rows = Entry.objects.filter(
        journal__casino_head__casino=casino_id, type__in=DELAYED, happened_at__gte=since, happened_at__lt=until
    )
    spells: dict[tuple[str, str, str], list[FailedAttempts]] = {}
    for kind, text, at in rows.order_by("sequence").values_list("type", "text", "happened_at"):
        said = json.loads(text)["body"]
        where = said.get("device") or said.get("address") or ""
        of_place = spells.setdefault((kind, said["staff"], where), [])
        found = FailedAttempts(said["staff"], where, said["failures"], at)
        if of_place and said["failures"] > of_place[-1].count:
            of_place[-1] = found
        else:
            of_place.append(found)
    return tuple(sorted((each for spell in spells.values() for each in spell), key=lambda each: each.last_at))
