"""Journals with the rows that their entries made, read in order and piece by piece, for whoever verifies them."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection

from tables.journal.chain import canonical, time_text

PIECE = 2000  # entries read at once

# What lies at another table, or in another deal, than it should is found by nobody, and so is missing.
_BET = "JOIN tables_bet b ON b.id = r.bet_id"
_BET_OF_DEAL = f"{_BET} AND b.deal_id = r.deal_id"
_OF_DEAL = (
    "JOIN tables_deal d ON d.id = r.deal_id JOIN tables_opening o ON o.id = r.opening_id AND o.table_id = d.table_id"
)
_STANDS = "d.name AS deal, o.number AS opening, r.gaming_date AS day"
_OF_OPENING = "JOIN tables_opening o ON o.id = r.opening_id"
_STANDS_OPEN = "o.number AS opening, r.gaming_date AS day"
# For each kind of fact: the columns that its entry names, and how its rows of one table are found.
_FACTS = {
    "card": (f"r.position, r.revision, r.card, r.pocket, {_STANDS}", f"tables_card r {_OF_DEAL}"),
    "bet": (
        'r.name, r.revision, r.made, r.seat, r.kind, r.rank, r.suit, r.amount_minor, r."after", r.ordinal, r."of",'
        f" {_STANDS}",
        f"tables_bet r {_OF_DEAL}",
    ),
    "settlement": (
        "b.name AS bet, r.turn, r.position, r.by_deed, r.revision, r.outcome, r.stake_minor, r.paid_minor,"
        f" r.taken_minor, r.returned_minor, r.standing_minor, r.clause, {_STANDS}",
        f"tables_settlement r {_BET_OF_DEAL} {_OF_DEAL}",
    ),
    "deed": (
        "r.type, r.position, CASE WHEN r.bet_id IS NOT NULL THEN COALESCE(b.name, '') END AS bet, r.card, r.seat,"
        f" {_STANDS}",
        f"tables_deed r LEFT {_BET_OF_DEAL} {_OF_DEAL}",
    ),
    "correction": (
        f"r.number, r.author, r.approver, r.alone, r.given, {_STANDS}",
        f"tables_correction r {_OF_DEAL}",
    ),
    "adjustment": (
        f"b.name AS bet, r.stake_minor, r.paid_minor, r.taken_minor, r.returned_minor, r.standing_minor, {_STANDS}",
        f"tables_adjustment r {_BET_OF_DEAL} {_OF_DEAL} JOIN tables_correction c ON c.id = r.correction_id"
        " AND c.sequence = r.sequence",
    ),
    "deal": (
        "d.name, d.number, v.number AS rules_version, d.bank_minor, d.name AS deal, o.number AS opening,"
        " d.gaming_date AS day",
        "tables_deal d JOIN tables_opening o ON o.id = d.opening_id AND o.table_id = d.table_id"
        " JOIN tables_rulesversion v ON v.id = d.rules_version_id AND v.table_id = d.table_id",
    ),
    "rules_version": (
        "r.number, r.game, r.currency, r.digits, r.min_minor, r.max_minor, r.chip_minor, r.seats, r.bank_minor,"
        " r.terms, r.author, r.approver, r.game_digest, encode(sha256(convert_to(r.game_data, 'UTF8')), 'hex')"
        " AS data_digest",
        "tables_rulesversion r",
    ),
    "opening": ("r.number, r.gaming_date, r.shift, r.opened_at", "tables_opening r"),
    "closing": (
        "o.number, r.closed_at",
        "tables_closing r JOIN tables_opening o ON o.id = r.opening_id",
    ),
    "movement": (
        f"r.kind, r.seat, r.slip, r.cash_minor, r.in_minor, r.out_minor, r.counted_minor, r.second, {_STANDS_OPEN}",
        f"tables_movement r {_OF_OPENING}",
    ),
    "movement_chip": (
        "c.side, c.chip, c.pieces, c.value_minor",
        f"tables_movementchip c JOIN tables_movement r ON r.id = c.movement_id {_OF_OPENING}",
    ),
    "movement_correction": (
        f"m.sequence AS movement, r.revision, r.seat, r.cash_minor, r.owed_minor, r.author, r.approver, {_STANDS_OPEN}",
        f"tables_movementcorrection r JOIN tables_movement m ON m.id = r.movement_id {_OF_OPENING}",
    ),
    "movement_correction_chip": (
        "c.side, c.chip, c.pieces, c.value_minor",
        f"tables_movementcorrectionchip c JOIN tables_movementcorrection r ON r.id = c.correction_id {_OF_OPENING}",
    ),
    "colour_value": (f"r.seat, r.chip, r.value_minor, {_STANDS_OPEN}", f"tables_colourvalue r {_OF_OPENING}"),
    "incident": (
        f"r.kind, r.level, r.expected_minor, r.found_minor, {_STANDS_OPEN}",
        f"tables_incident r {_OF_OPENING}",
    ),
    "mispay": (
        f"b.name AS bet, r.way, r.shown_minor, r.done_minor, r.error_minor, r.recovered, r.dealer,"
        f" l.name AS deal, {_STANDS_OPEN}",
        f"tables_mispay r {_BET} JOIN tables_deal l ON l.id = b.deal_id {_OF_OPENING} AND o.table_id = l.table_id",
    ),
}
_TABLE_OF = {
    "deal": "d",
    "closing": "o",
    "rules_version": "r",
    "opening": "r",
    **dict.fromkeys(
        [
            "movement",
            "movement_chip",
            "movement_correction",
            "movement_correction_chip",
            "colour_value",
            "incident",
            "mispay",
        ],
        "o",
    ),
}
_SEQUENCE_OF = {"deal": "d"}


@dataclass(frozen=True, slots=True)
class JournalAbout:
    """A journal, its head, and what the head says is live. It is a table's or a casino's, or nobody's."""

    id: int
    name: str
    table_id: int | None
    casino_id: int | None
    sequence: int
    hash: str
    state: str | None
    opening: int | None
    live_deal: str | None
    last_deal: str | None
    rules_version: int | None
    game: str | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as it is stored; `texts`: (field, salt in hex, text); `rows`: the facts there by kind."""

    sequence: int
    hash: str
    text: str
    columns: dict[str, Any]
    texts: list[tuple[str, str | None, str | None]]
    rows: dict[str, list[dict[str, Any]]]
    ids: list[tuple[str, str]]


def journals(name: str | None = None) -> list[JournalAbout]:
    """Read which journals there are, casinos' first, or the one of this name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT j.id, COALESCE(j.name, ''), h.table_id, c.casino_id, COALESCE(h.sequence, c.sequence, 0),"
            " COALESCE(h.hash, c.hash, ''),"
            " h.state, o.number, CASE WHEN h.live_deal_id IS NOT NULL THEN COALESCE(l.name, '') END, d.name, v.number,"
            " t.game, t.currency"
            " FROM tables_journal j LEFT JOIN tables_tablehead h ON h.journal_id = j.id"
            " LEFT JOIN tables_casinohead c ON c.journal_id = j.id LEFT JOIN tables_opening o ON o.id = h.opening_id"
            " AND o.table_id = h.table_id"
            " LEFT JOIN tables_deal l ON l.id = h.live_deal_id AND l.table_id = h.table_id"
            " LEFT JOIN tables_deal d ON d.id = h.last_deal_id AND d.table_id = h.table_id"
            " LEFT JOIN tables_rulesversion v ON v.id = h.rules_version_id AND v.table_id = h.table_id"
            " LEFT JOIN tables_table t ON t.id = h.table_id"
            " WHERE %s::text IS NULL OR j.name = %s ORDER BY h.table_id IS NOT NULL, j.name",
            [name, name],
        )
        return [JournalAbout(*row) for row in cursor.fetchall()]


def entries(journal: JournalAbout, *, since: int = 1, until: int | None = None) -> Iterator[StoredEntry]:
    """Read a journal's entries from `since` to `until`, both inclusive, with the rows they made."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT sequence, COALESCE(hash, ''), COALESCE(text, ''), type, author, recorded_at, happened_at, late"
                " FROM tables_entry"
                " WHERE journal_id = %s AND sequence >= %s AND (%s::bigint IS NULL OR sequence <= %s)"
                " ORDER BY sequence LIMIT %s",
                [journal.id, since, until, until, PIECE],
            )
            piece = cursor.fetchall()
            if not piece:
                return
            first, last = piece[0][0], piece[-1][0]
            texts = defaultdict(list)
            cursor.execute(
                "SELECT sequence, field, encode(salt, 'hex'), text FROM tables_text"
                " WHERE journal_id = %s AND sequence BETWEEN %s AND %s ORDER BY sequence, field",
                [journal.id, first, last],
            )
            for sequence, *text in cursor.fetchall():
                texts[sequence].append(tuple(text))
            rows = facts(journal.table_id, first, last) if journal.table_id is not None else {}
            ids = defaultdict(list)
            if journal.table_id is not None:
                cursor.execute(
                    "SELECT COALESCE(i.sequence, w.sequence), i.id::text, i.digest FROM tables_eventid i"
                    " LEFT JOIN tables_waitingcorrection w ON w.id = i.id"
                    " WHERE i.table_id = %s AND COALESCE(i.sequence, w.sequence) BETWEEN %s AND %s",
                    [journal.table_id, first, last],
                )
                for sequence, id, digest in cursor.fetchall():
                    ids[sequence].append((id, digest))
            for sequence, hash, text, type, author, recorded_at, happened_at, late in piece:
                columns = {
                    "type": type,
                    "author": author,
                    "recorded_at": recorded_at and time_text(recorded_at),
                    "happened_at": happened_at and time_text(happened_at),
                    "late": late,
                }
                yield StoredEntry(sequence, hash, text, columns, texts[sequence], rows.get(sequence, {}), ids[sequence])
            since = last + 1


def without_journal() -> list[str]:
    """Name the journals that tables and casinos should have, and that are gone or bear another name."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 'table:' || t.code FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE NOT"
            " EXISTS (SELECT 1 FROM tables_journal j WHERE j.id = h.journal_id AND j.name = 'table:' || t.code)"
            " UNION ALL SELECT 'casino:' || c.code"
            " FROM tables_casinohead h JOIN tables_casino c ON c.id = h.casino_id WHERE NOT EXISTS"
            " (SELECT 1 FROM tables_journal j WHERE j.id = h.journal_id AND j.name = 'casino:' || c.code)"
        )
        return [name for (name,) in cursor.fetchall()]


def texts_outside(journal_id: int, last: int) -> list[tuple[int, str]]:
    """Name the texts, (sequence, field), that lie beyond a journal: after its last entry or before 1."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COALESCE(sequence, 0), field FROM tables_text WHERE journal_id = %s"
            " AND (sequence > %s OR sequence < 1 OR sequence IS NULL)",
            [journal_id, last],
        )
        return list(cursor.fetchall())


def facts(table_id: int, first: int, last: int) -> dict[int, dict[str, list[dict[str, Any]]]]:
    """Read the facts of a table whose sequence lies between these two, by sequence and kind."""
    found: dict[int, dict[str, list[dict[str, Any]]]] = defaultdict(dict)
    with connection.cursor() as cursor:
        for kind, (columns, source) in _FACTS.items():
            of = _TABLE_OF.get(kind, "d")
            place = _SEQUENCE_OF.get(kind, "r")
            cursor.execute(
                f"SELECT {place}.sequence AS its_sequence, {columns} FROM {source}"  # noqa: S608 # our own text
                f" WHERE {of}.table_id = %s AND {place}.sequence BETWEEN %s AND %s ORDER BY {place}.sequence",
                [table_id, first, last],
            )
            names = [column.name for column in cursor.description]
            for row in cursor.fetchall():
                values = {name: _plain(value) for name, value in zip(names, row, strict=True)}
                sequence = values.pop("its_sequence")
                if kind == "rules_version":
                    values["terms"] = _read(values["terms"])
                found[sequence].setdefault(kind, []).append(values)
    return found


def facts_outside(table_id: int, last: int) -> list[tuple[int, str]]:
    """Name the facts of a table, (sequence, kind), that lie beyond its journal: after its last entry or before 1."""
    asked = []
    for kind, (_columns, source) in _FACTS.items():
        of, place = _TABLE_OF.get(kind, "d"), f"{_SEQUENCE_OF.get(kind, 'r')}.sequence"
        asked.append(
            f"SELECT COALESCE({place}, 0), '{kind}' FROM {source} WHERE {of}.table_id = %(table)s"  # noqa: S608 # our text
            f" AND ({place} > %(last)s OR {place} < 1 OR {place} IS NULL)"
        )
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked), {"table": table_id, "last": last})
        return list(cursor.fetchall())


def _read(text: str) -> Any:
    """Read what is kept as JSON in canonical text; a text that is none, or not canonical, stands for itself."""
    try:
        value = json.loads(text)
        return value if canonical(value) == text else text
    except (ValueError, TypeError, RecursionError):  # NULL too, where it must not be
        return text


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_text(value.astimezone(UTC))
    return value.isoformat() if hasattr(value, "isoformat") else value
