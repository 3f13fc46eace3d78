"""The house's own deeds: a table put up, its rules versions, its openings. Each in the caller's transaction."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from django.db.models import Max

from tables import tablelog
from tables.journal import begin_casino
from tables.journal.chain import START, canonical
from tables.ledger import terms_of
from tables.models import Casino, Closing, Journal, Opening, Pit, RulesVersion, Table, TableHead
from tables.queries.record import OpeningView
from tables.rules.events import Table as TableLine
from tables.rules.refusals import Code, Refusal


def create_casino(
    *, code: str, name: str, currency: str, time_zone: str = "UTC", day_start_hour: int = 6, **more: Any
) -> Casino:
    """Found a casino, with its journal."""
    casino = Casino.objects.create(
        code=code, name=name, currency=currency, time_zone=time_zone, day_start_hour=day_start_hour, **more
    )
    begin_casino(casino)
    return casino


def create_table(casino: Casino, pit: Pit | None, line: Mapping[str, Any], *, name: str = "") -> Table:
    """Put up the table that a `table` line names, closed, with an empty journal.

    Its first entry is that line: have `door.record_for_house` record it in the same transaction.
    Raises: bad_line, bad_rules.
    """
    event = tablelog.parse_object(line)
    if not isinstance(event, TableLine):
        raise Refusal(Code.BAD_LINE, "A table is put up by its `table` line.")
    terms = terms_of(line)
    # It stands in addresses, and alone on lines that people read.
    if len(event.table) > 200 or "/" in event.table or event.table in (".", "..") or not event.table.isprintable():
        raise Refusal(Code.BAD_LINE, "The name of a table has at most 200 signs, each to be seen, and no slash.")
    if len(event.currency) > 40:
        raise Refusal(Code.BAD_LINE, "The name of a currency has at most 40 signs.")
    table = Table.objects.create(
        casino=casino,
        pit=pit,
        code=event.table,
        name=name or event.table,
        game=terms.game_code,
        currency=terms.currency,
    )
    TableHead.objects.create(
        table=table, journal=Journal.objects.create(name=f"table:{table.code}"), sequence=0, hash=START
    )
    return table


def insert_rules_version(
    table_id: int, sequence: int, row: Mapping[str, Any], *, game_data: str, author: str, approver: str
) -> int:
    """Insert a numbered version of what holds at a table; return its row's id."""
    fields = {**row, "terms": canonical(row["terms"])}
    version = RulesVersion.objects.create(
        table_id=table_id, sequence=sequence, game_data=game_data, author=author, approver=approver, **fields
    )
    return version.pk


def insert_opening(table_id: int, sequence: int, opened_at: datetime, day: date, shift: int) -> OpeningView:
    """Insert the next opening of a table."""
    last = Opening.objects.filter(table_id=table_id).aggregate(last=Max("number"))["last"] or 0
    opening = Opening.objects.create(
        table_id=table_id, number=last + 1, sequence=sequence, opened_at=opened_at, gaming_date=day, shift=shift
    )
    return OpeningView(opening.pk, opening.number, day, opened_at)


def insert_closing(opening_id: int, sequence: int, closed_at: datetime) -> None:
    """Insert the end of an opening."""
    Closing.objects.create(opening_id=opening_id, sequence=sequence, closed_at=closed_at)
