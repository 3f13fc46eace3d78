"""Rows as they were recorded, page by page in a total order that later rows do not change."""

from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True, slots=True)
class TableAbout:
    """A table and what holds at it."""

    id: int
    casino_id: int
    pit_id: int | None
    table: str
    name: str
    pit: str | None
    game: str
    currency: str
    digits: int
    state: str
    rules_version: int
    min_minor: int
    max_minor: int
    chip_minor: int
    seats: int
    bank_minor: int | None
    terms: dict[str, Any]
    game_digest: str
    sequence: int
    hash: str

    def data(self) -> dict[str, Any]:
        """Return it as the API gives it."""
        data = asdict(self)
        for internal in ("id", "casino_id", "pit_id"):
            del data[internal]
        return data


_TABLE = """
SELECT t.id, t.casino_id, t.pit_id, t.code, t.name, p.name, t.game, t.currency, v.digits, h.state, v.number,
    v.min_minor, v.max_minor, v.chip_minor, v.seats, v.bank_minor, v.terms::json, v.game_digest, h.sequence, h.hash
FROM tables_table t JOIN tables_tablehead h ON h.table_id = t.id
JOIN tables_rulesversion v ON v.id = h.rules_version_id LEFT JOIN tables_pit p ON p.id = t.pit_id
"""


def table(code: str) -> TableAbout | None:
    """Read one table."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLE + " WHERE t.code = %s", [code])
        row = cursor.fetchone()
    return None if row is None else TableAbout(*row)


def tables(*, after: int, limit: int, pit_ids: frozenset[int] | None) -> list[TableAbout]:
    """Read tables in the order in which they were put up, those of these pits if any are named."""
    with connection.cursor() as cursor:
        cursor.execute(
            _TABLE + " WHERE t.id > %s AND (%s::bigint[] IS NULL OR t.pit_id = ANY(%s)) ORDER BY t.id LIMIT %s",
            [after, None if pit_ids is None else list(pit_ids), list(pit_ids or ()), limit],
        )
        return [TableAbout(*row) for row in cursor.fetchall()]


_COLUMNS = {
    "card": "position, revision, card, pocket",
    "bet": 'r.name AS bet, revision, made, seat, kind, rank, suit, amount_minor, "after", ordinal, "of"',
    "settlement": (
        "(SELECT b.name FROM tables_bet b WHERE b.id = r.bet_id) AS bet, turn, position, by_deed, revision, outcome,"
        " stake_minor, paid_minor, taken_minor, returned_minor, standing_minor, clause"
    ),
    "deed": "type, position, (SELECT b.name FROM tables_bet b WHERE b.id = r.bet_id) AS bet, card, seat",
    "adjustment": (
        "(SELECT b.name FROM tables_bet b WHERE b.id = r.bet_id) AS bet,"
        " (SELECT c.number FROM tables_correction c WHERE c.id = r.correction_id) AS correction,"
        " stake_minor, paid_minor, taken_minor, returned_minor, standing_minor"
    ),
    "correction": "r.number, author, approver, alone, given",
}


def recorded(kind: str, table_id: int, *, after: tuple[int, ...], limit: int, deal: str | None) -> list[dict[str, Any]]:
    """Read facts of a table's deals in the order of its journal, and of their ids within one entry."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT r.id, d.name AS deal, r.sequence, r.gaming_date, {_COLUMNS[kind]}"  # noqa: S608 # our own text
            f" FROM tables_{kind} r JOIN tables_deal d ON d.id = r.deal_id"
            " WHERE d.table_id = %s AND (r.sequence, r.id) > (%s, %s) AND (%s::text IS NULL OR d.name = %s)"
            " ORDER BY r.sequence, r.id LIMIT %s",
            [table_id, *after, deal, deal, limit],
        )
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def entries(table_id: int, *, after: int, limit: int) -> list[dict[str, Any]]:
    """Read a table's journal."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.sequence, e.hash, e.type, e.author, e.recorded_at, e.happened_at, e.late, e.text"
            " FROM tables_entry e JOIN tables_tablehead h ON h.journal_id = e.journal_id"
            " WHERE h.table_id = %s AND e.sequence > %s ORDER BY e.sequence LIMIT %s",
            [table_id, after, limit],
        )
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
