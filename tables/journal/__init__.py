"""Writing to the journals, inside the caller's transaction. It never decides what may be written."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from tables.journal.chain import SALT_BYTES, START, Receipt, Sealed, check, salted, seal
from tables.models import Casino, CasinoHead, Entry, Journal, Text

__all__ = ["Receipt", "append_to_casino", "begin_casino", "leave_out", "store"]


def leave_out(
    body: Mapping[str, Any], texts: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[tuple[str, bytes, str], ...]]:
    """Put each text under its key as `{"sha256": ...}` and return the body with what was left out of it."""
    sealed_body = dict(body)
    left_out = []
    for field, text in texts.items():
        salt = secrets.token_bytes(SALT_BYTES)
        sealed_body[field] = {"sha256": salted(salt, text)}
        left_out.append((field, salt, text))
    return sealed_body, tuple(left_out)


def store(journal_id: int, entries: list[Sealed]) -> None:
    """Insert sealed entries and their texts. The caller holds the head's lock and moves the head."""
    Entry.objects.bulk_create(
        Entry(
            journal_id=journal_id,
            sequence=entry.sequence,
            type=entry.type,
            author=entry.author,
            recorded_at=entry.recorded_at,
            happened_at=entry.happened_at,
            late=entry.late,
            hash=entry.hash,
            text=entry.text,
        )
        for entry in entries
    )
    Text.objects.bulk_create(
        Text(journal_id=journal_id, sequence=entry.sequence, field=field, salt=salt, text=text)
        for entry in entries
        for field, salt, text in entry.texts
    )


def append_to_casino(
    casino_id: int,
    type: str,
    body: Mapping[str, Any],
    *,
    author: str,
    texts: Mapping[str, str] | None = None,
    happened_at: datetime | None = None,
) -> Receipt:
    """Append one entry to a casino's journal, in the caller's transaction, whose lock on the head it takes.

    Take it before the head of any table. `body` has ASCII keys, integers below 2^53 and strings; names of people and
    free text go into `texts`, so that the entry carries their salted hash and they can be erased.
    """
    assert transaction.get_connection().in_atomic_block, "a journal is written inside a transaction"
    body, left_out = leave_out(body, texts or {})
    check(body)
    head = CasinoHead.objects.select_for_update(of=("self",)).select_related("journal").get(casino_id=casino_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (recorded_at,) = cursor.fetchone()
    entry = seal(
        head.journal.name,
        Receipt(head.sequence, head.hash),
        type=type,
        author=author,
        recorded_at=recorded_at,
        happened_at=happened_at or recorded_at,
        body={"body": body},
        texts=left_out,
    )
    store(head.journal_id, [entry])
    CasinoHead.objects.filter(casino_id=casino_id).update(sequence=entry.sequence, hash=entry.hash)
    return Receipt(entry.sequence, entry.hash)


def begin_casino(casino: Casino) -> CasinoHead:
    """Give a new casino its journal, empty."""
    journal = Journal.objects.create(name=f"casino:{casino.code}")
    return CasinoHead.objects.create(casino=casino, journal=journal, sequence=0, hash=START)
