"""Watch the floor: raise what wants a look, end what is over, note who has seen it; and set a house's marks."""

import json
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max

from tables import access, live
from tables.access import Author
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.marks import HAPPENED, Marks
from tables.models import Alert, Casino, FloorMarks, Staff, Table
from tables.queries import alerts as queries
from tables.queries.chips import policy as chip_policy
from tables.queries.floor import FloorTable, floor
from tables.queries.luck import luck
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

LONGEST_NOTE = 500
_LOCK = 0xA1E7  # one process at a time watches


def watch(now: datetime) -> None:
    """Raise what is beyond the marks and what happened; end what is not any more."""
    times = {str(casino): marks.big_win_times for casino, marks in queries.marks_of_houses().items()}
    seen = floor()
    states = {(table.id, notice.code): notice for table in seen.tables for notice in table.beyond}
    told = queries.happened((now - timedelta(days=1)).date(), json.dumps(times), Marks().big_win_times)
    houses = dict(Table.objects.values_list("id", "casino_id"))
    found = []
    for (table_id, code), notice in states.items():
        of_state = {"value": notice.value, "limit": notice.limit, "since": notice.since}
        found.append(_state(houses[table_id], table_id, code, notice.level, now, **of_state))
    found += [Alert(**asdict(each), raised_at=now, over_at=now) for each in told]
    found += [alert for table in seen.tables if (alert := _counted(table, houses[table.id], now)) is not None]
    _raise(found, {"silent", "rollover", "waiting", "float_low", "dealer_long", "slow", "fast"}, set(states), now)


def _counted(table: FloorTable, casino_id: int, now: datetime) -> Alert | None:
    """Tell a count that found more or less than the house lets pass."""
    if not table.residual_minor or table.counted_at is None:
        return None
    policy = chip_policy(casino_id, table.currency)
    if abs(table.residual_minor) <= policy.notice_minor:
        return None
    return Alert(
        casino_id=casino_id,
        table_id=table.id,
        kind="count",
        key=table.counted_at.isoformat(),
        level="red" if abs(table.residual_minor) > policy.grave_minor else "amber",
        value=table.residual_minor,
        limit=policy.notice_minor,
        since=table.counted_at,
        raised_at=now,
        over_at=now,
    )


def judge(now: datetime) -> None:
    """Raise what stands out among all tables, wins and splits; end what does not any more."""
    tables = {(table.casino_id, table.code): table.pk for table in Table.objects.all()}
    found: list[Alert] = []
    states: set[tuple[int, str]] = set()
    for casino in Casino.objects.all():
        judged = luck(casino.pk, now)
        out = [("check", each.name, each.win_minor, each.expected_minor) for each in judged.results
               if each.kind == "table" and each.stands_out]  # fmt: skip
        out += [("splits", each.name, each.splits, round(each.expected)) for each in judged.splits
                if each.kind == "table" and each.stands_out]  # fmt: skip
        for kind, code, won, expected in out:
            table_id = tables[casino.pk, code]
            states.add((table_id, kind))
            found.append(_state(casino.pk, table_id, kind, "red", now, value=won, limit=expected))
    _raise(found, {"check", "splits"}, states, now)


def _state(casino_id: int, table_id: int, kind: str, level: str, now: datetime, **what: Any) -> Alert:
    """Make an alert of a state that holds since now, as far as we know."""
    of = {"casino_id": casino_id, "table_id": table_id, "kind": kind, "key": now.isoformat()}
    return Alert(level=level, raised_at=now, **of, **what)


def _raise(found: list[Alert], kinds: set[str], states: set[tuple[int, str]], now: datetime) -> None:
    """Insert what is new; whatever of these kinds is open and holds no more is over."""
    assert not kinds & HAPPENED, "what happened is over when it is told"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        standing = set(Alert.objects.filter(over_at=None, kind__in=kinds).values_list("table_id", "kind"))
        ended = [pair for pair in standing if pair not in states]
        for table_id, kind in ended:
            Alert.objects.filter(table_id=table_id, kind=kind, over_at=None).update(over_at=now)
        keys = {(each.table_id, each.kind, each.key) for each in found if each.over_at is not None}
        known = set(
            Alert.objects.filter(kind__in=HAPPENED, key__in=[key for _, _, key in keys]).values_list(
                "table_id", "kind", "key"
            )
        )
        new = [
            each
            for each in found
            if (each.table_id, each.kind, each.key) not in known and (each.table_id, each.kind) not in standing
        ]
        Alert.objects.bulk_create(new)
        for moved in {each.table_id for each in new} | {table for table, _ in ended}:
            if moved is not None:
                live.tell_on_commit(moved, 0)  # no journal has moved, the tile has


def see(alert_id: int, *, author: Author, note: str, now: datetime) -> None:
    """Note that somebody has seen an alert, once; whoever did may add a note.

    Raises: not_allowed, already_done, bad_line.
    """
    if len(note) > LONGEST_NOTE or "\0" in note:
        raise Refusal(Code.BAD_LINE, f"A note has at most {LONGEST_NOTE} signs.", limit=LONGEST_NOTE)
    with transaction.atomic():
        alert = Alert.objects.select_for_update(of=("self",)).select_related("table").filter(pk=alert_id).first()
        house = Staff.objects.values_list("casino_id", "name").get(pk=author.staff_id)
        if alert is None or alert.casino_id != house[0]:
            raise Refusal(DoorCode.NOT_ALLOWED, "There is no such alert.", value=alert_id)
        access.require(author, "alert.see", alert.table.pit_id if alert.table else None)
        if alert.seen_at is not None and (alert.seen_by != author.number or alert.note or not note):
            raise Refusal(DoorCode.ALREADY_DONE, f"{alert.seen_name} has seen this already.", value=alert.seen_by)
        alert.seen_at = alert.seen_at or now
        alert.seen_by, alert.seen_name, alert.note = author.number, house[1], note
        alert.save(update_fields=["seen_at", "seen_by", "seen_name", "note"])
        if alert.table_id is not None:
            live.tell_on_commit(alert.table_id, 0)


def set_marks(casino_id: int, marks: Marks, *, author: Author, now: datetime, id: UUID | None = None) -> None:
    """Set from where on a figure of the floor wants a look. The same id again sets nothing back.

    Raises: not_allowed, bad_rules, id_reused.
    """
    access.require(author, "marks.set", None)
    values = asdict(marks)
    turns = values.pop("turns")
    possible = (
        all(0 < value <= 100_000 for value in (*turns.values(), *values.values()))
        and marks.slow_percent < 100 < marks.fast_percent
        and marks.silent_seconds >= 15
    )
    if not possible:
        raise Refusal(Code.BAD_RULES, "A mark is above zero, slow is below 100 %, fast above, silence 15 s or more.")
    fields = values | {f"turns_{game}": value for game, value in turns.items()}
    with once(casino_id, id, "floor_marks", **fields, author=author.number) as repeated:
        if repeated:
            return
        number = (FloorMarks.objects.filter(casino_id=casino_id).aggregate(last=Max("number"))["last"] or 0) + 1
        receipt = append_to_casino(
            casino_id, "floor_marks", {"number": number, **fields}, author=author.number, happened_at=now
        )
        FloorMarks.objects.create(
            casino_id=casino_id, number=number, author=author.number, sequence=receipt.sequence, **fields
        )
