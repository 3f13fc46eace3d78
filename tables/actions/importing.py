"""Bringing in the log of a session at a table: whole or not at all, through the door that the console uses."""

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import psycopg
from django.db import IntegrityError, connection, transaction

from tables import tablelog
from tables.actions import door, house
from tables.actions.door import Sent, Writer
from tables.ledger import terms_of
from tables.models import Casino, Table
from tables.rules.refusals import Code, Refusal

EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_NAMESPACE: Final = uuid.UUID("6f1cf0b0-3f0e-5d8a-9b59-6a4b4c1f7d7e")


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: how many of its lines were recorded now, or had been before, and the head after it."""

    table: str
    recorded: int
    repeated: int
    sequence: int
    hash: str


class StoppedError(Exception):
    """The line at which a file stopped, from 1, and why; nothing of it was recorded."""

    def __init__(self, line: int, refusal: Refusal) -> None:
        super().__init__(f"line {line}: {refusal}")
        self.line = line
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    sent: dict[str, Any]


def import_log(content: bytes, casino_code: str | None = None) -> Imported:
    """Record a table log. A table that is missing is put up; a closed one gets an opening of its own.

    `at` is taken as when it happened, `by` kept as claimed, the approval of corrections as given: the entries say so.
    The same file again is repeated, not doubled. In its own transaction.
    Raises: StoppedError; UnicodeDecodeError where it is no UTF-8.
    """
    lines = _read(content)
    digest = hashlib.sha256(content).hexdigest()
    try:
        return _import(digest, lines, casino_code)
    except (IntegrityError, psycopg.errors.UniqueViolation):
        # Somebody brought the same file in at the same moment, or put up the same table: now it is there.
        return _import(digest, lines, casino_code)


def _import(digest: str, lines: list[_Line], casino_code: str | None) -> Imported:
    try:
        with transaction.atomic():
            return _record(digest, lines, casino_code)
    except Refusal as refusal:
        raise StoppedError(lines[0].number, refusal) from None


def _read(content: bytes) -> list[_Line]:
    lines: list[_Line] = []
    for number, text in tablelog.lines(content.decode()):
        try:
            sent = dict(tablelog.decode(text))
            event = tablelog.parse_object(sent)
            if (not lines) != (sent["type"] == "table"):
                raise Refusal(Code.BAD_LINE, "The first line of a table log, and no other, is its table.")
            assert event is not None
        except Refusal as refusal:
            raise StoppedError(number, refusal) from None
        lines.append(_Line(number, sent))
    if not lines:
        raise StoppedError(1, Refusal(Code.BAD_LINE, "A table log begins with its table; this one is empty."))
    return lines


def _record(digest: str, lines: list[_Line], casino_code: str | None) -> Imported:
    line = lines[0].sent
    code = line["table"]
    ids = {each.number: _id(digest, each.number) for each in lines}
    known = _known(list(ids.values()))
    table = Table.objects.select_related("head").filter(code=code).first()
    if table is not None and known:
        return Imported(code, 0, len(lines), table.head.sequence, table.head.hash)
    sents: list[Sent] = []
    numbers: list[int] = []

    # Lines of the file have its numbers; 0 opens the table for it, -1 closes it.
    def add(number: int, event: Mapping[str, Any], happened_at: datetime | None) -> None:
        numbers.append(max(number, lines[0].number) if number >= 0 else lines[-1].number)
        sents.append(_sent(digest, number, event, happened_at))

    if table is None:
        table = house.create_table(_casino(casino_code, line["currency"]), None, line)
        add(lines[0].number, line, _at(line))
    elif (change := _change(table, line)) is not None:
        add(lines[0].number, change, _at(line))
    own_opening = not any(each.sent["type"] in ("open", "opener") for each in lines) and _is_closed(table)
    times = [at for each in lines if (at := _at(each.sent)) is not None]
    if own_opening and len(lines) > 1:
        add(0, {"type": "open"}, min(times) if times else None)
    for each in lines[1:]:
        add(each.number, each.sent, _at(each.sent))
    try:
        _, head, _ = door.record_for_house(code, sents)
        if own_opening and len(lines) > 1 and not _in_deal(table):
            add(-1, {"type": "close"}, max(times) if times else None)
            _, head, _ = door.record_for_house(code, sents[-1:])
    except Refusal as refusal:
        number = numbers[int(refusal.facts.pop("index"))]
        raise StoppedError(number, refusal) from None
    return Imported(code, len(lines), 0, head.sequence, head.hash)


def _id(digest: str, number: int) -> uuid.UUID:
    return uuid.uuid5(_NAMESPACE, f"{digest}:{number}")


def _sent(digest: str, number: int, event: Mapping[str, Any], happened_at: datetime | None) -> Sent:
    by = event.get("by", "")
    doubted = {"clock_doubted": True} if "at" in event and _at(event) is None else {}
    return Sent(
        _id(digest, number),
        dict(event),
        Writer(by, None, ""),
        {"source": {"file": digest, "line": number}, **doubted},
        happened_at,
        None,
        approval={"author": by, "approver": "", "given": True},
        vouched=True,
    )


def _at(event: Mapping[str, Any]) -> datetime | None:
    """Return when a line says it happened; None where it says nothing, or a time of no casino's books."""
    if "at" not in event:
        return None
    at = tablelog.read_time(event["at"])
    return at if EARLIEST.year < at.year < LATEST.year else None


def _casino(code: str | None, currency: str) -> Casino:
    """Return the casino a new table belongs to: the named one, or the only one; the first table founds one."""
    if code is not None:
        found = Casino.objects.filter(code=code).first()
        if found is None:
            raise Refusal(Code.BAD_LINE, f"There is no casino {code!r}.")
        return found
    found = Casino.objects.order_by("id").first()
    return found or house.create_casino(code="house", name="House", currency=currency)


def _known(ids: list[uuid.UUID]) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT 1 FROM tables_eventid WHERE id = ANY(%s))", [ids])
        return bool(cursor.fetchone()[0])


def _change(table: Table, line: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the `rules` line that makes a known table play on a file's terms; None where it does already."""
    if table.game != line["game"] or table.currency != line["currency"]:
        raise Refusal(
            Code.BAD_RULES,
            f"Table {table.code} plays {table.game} in {table.currency}.",
            value=f"{line['game']}, {line['currency']}",
        )
    head = table.head
    if head.live_deal_id is not None:
        raise Refusal(Code.DEAL_NOT_FINISHED, f"Table {table.code} has a live deal: a log is not brought in there.")
    ledger = door.ledgers.take(table.pk, head.journal_id, head.last_deal_id, head.sequence, head.hash).ledger
    terms = terms_of(line)
    if ledger.state.terms == terms and ledger.state.bank == terms.bank:
        return None
    change = {"type": "rules", "seats": terms.seats, "rules": {}, "banker": "house"}
    change.update(
        {key: line[key] for key in ("min", "max", "chip", "seats", "rules", "banker", "at", "by") if key in line}
    )
    return change


def _is_closed(table: Table) -> bool:
    return Table.objects.filter(pk=table.pk, head__state="closed").exists()


def _in_deal(table: Table) -> bool:
    return Table.objects.filter(pk=table.pk, head__live_deal__isnull=False).exists()
