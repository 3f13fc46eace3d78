"""A table's log, read back out of its journal, line by line as it was brought in."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connection

from tables import tablelog
from tables.ledger import Row
from tables.queries.record import event_of
from tables.rules.terms import amount_text


class NotRecordedError(Exception):
    """There is no such table, or no such deal of it."""


def export_log(code: str, *, deal: str | None = None, floor: bool = False, until: int | None = None) -> Iterator[Row]:
    """Yield the log of a table, or of one deal of it beginning with what held, as objects in their order.

    Floor events only where asked for. `until` is the last entry of the journal that counts. Texts that were erased
    come out as `[erased]`. Raises: NotRecordedError.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT h.journal_id FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE t.code = %s",
            [code],
        )
        found = cursor.fetchone()
        if found is None:
            raise NotRecordedError(f"There is no table {code}.")
        (journal_id,) = found
        since = 0
        if deal is not None:
            cursor.execute(
                "SELECT d.sequence, d.bank_minor, v.terms, v.digits FROM tables_deal d"
                " JOIN tables_table t ON t.id = d.table_id"
                " JOIN tables_rulesversion v ON v.id = d.rules_version_id"
                " WHERE t.code = %s AND d.name = %s",
                [code, deal],
            )
            found = cursor.fetchone()
            if found is None:
                raise NotRecordedError(f"There is no deal {deal} at table {code}.")
            since, bank, terms, digits = found
            line = json.loads(terms)
            if bank is not None:
                line["banker"] = {"bank": amount_text(bank, digits)}
            yield line
        yield from _lines(journal_id, since, deal, floor, until)


def _lines(journal_id: int, since: int, deal: str | None, floor: bool, until: int | None) -> Iterator[Row]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.text, x.texts FROM tables_entry e LEFT JOIN LATERAL ("
            " SELECT json_object_agg(field, text) AS texts FROM tables_text x"
            " WHERE x.journal_id = e.journal_id AND x.sequence = e.sequence AND x.text IS NOT NULL) x ON true"
            " WHERE e.journal_id = %s AND e.sequence >= %s AND (%s::bigint IS NULL OR e.sequence <= %s)"
            " ORDER BY e.sequence",
            [journal_id, since, until, until],
        )
        while rows := cursor.fetchmany(2000):
            for text, texts in rows:
                entry = json.loads(text)
                if deal is not None and entry.get("deal") != deal:
                    if entry["type"] == "deal":
                        return
                    continue
                if floor or entry["type"] not in tablelog.FLOOR_TYPES:
                    if isinstance(texts, str):
                        texts = json.loads(texts)
                    yield _line(entry, texts or {})


def _line(entry: Mapping[str, Any], texts: Mapping[str, str]) -> Row:
    """Return an entry's event as a line; stamps that a file brought stay, an envelope's are filled in."""
    event = event_of(entry, texts)
    line = {"type": event.pop("type")}
    line.update(event)
    if "source" not in entry:
        line["at"] = entry.get("at", entry["happened_at"])
        if entry["author"]:
            line["by"] = entry["author"]
    return line
