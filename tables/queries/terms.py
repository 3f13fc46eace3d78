"""The numbered versions of what holds at a table, with who made and who approved each. It writes nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from tables.queries.slips import filled
from tables.rules.terms import minor_digits


@dataclass(frozen=True, slots=True)
class TermsVersion:
    """What holds at a table from one version to the next; `terms` is the whole `table` line."""

    number: int
    since: datetime
    min_minor: int
    max_minor: int
    chip_minor: int
    seats: int
    bank_minor: int | None
    currency: str
    game: str
    terms: dict[str, Any]
    author: str
    approver: str

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)


def versions(code: str) -> tuple[TermsVersion, ...]:
    """List the versions of a table, the one that holds first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT v.number, e.happened_at, v.min_minor, v.max_minor, v.chip_minor, v.seats, v.bank_minor, v.currency,"
            " v.game, v.terms::json, v.author, v.approver FROM tables_rulesversion v"
            " JOIN tables_table t ON t.id = v.table_id JOIN tables_tablehead h ON h.table_id = t.id"
            " JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = v.sequence"
            " WHERE t.code = %s ORDER BY v.number DESC LIMIT 200",
            [code],
        )
        return tuple(filled(TermsVersion, row) for row in cursor.fetchall())


def terms_of_versions(code: str) -> dict[int, str]:
    """Read the `table` line of each version of a table, as text, by number."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT v.number, v.terms::text FROM tables_rulesversion v JOIN tables_table t ON t.id = v.table_id"
            " WHERE t.code = %s",
            [code],
        )
        return dict(cursor.fetchall())
