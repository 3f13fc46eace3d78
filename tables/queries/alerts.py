"""Alerts as they stand, what happened that nobody was told of yet, and a house's marks. It writes nothing."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final

from django.db import connection

from tables.marks import Marks
from tables.rules.terms import minor_digits

_MARKS = (
    "low_float_times",
    "big_win_times",
    "slow_percent",
    "fast_percent",
    "dealer_minutes",
    "silent_seconds",
)
IN_MONEY: Final = frozenset({"float_low", "over_limit", "big_win", "count", "check", "mispaid", "differs"})
_GAMES: Final = ("stuss", "private", "stos", "pharaon")


def marks_of_houses() -> dict[int, Marks]:
    """Read the marks of every house that has set any."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT ON (casino_id) casino_id, {', '.join(_MARKS)},"  # noqa: S608 # our own names
            f" {', '.join(f'turns_{game}' for game in _GAMES)} FROM tables_floormarks ORDER BY casino_id, number DESC"
        )
        return {
            row[0]: Marks(
                **dict(zip(_MARKS, row[1 : 1 + len(_MARKS)], strict=True)),
                turns=dict(zip(_GAMES, row[1 + len(_MARKS) :], strict=True)),
            )
            for row in cursor.fetchall()
        }


@dataclass(frozen=True, slots=True)
class AlertView:
    """An alert. Without a table it is of the house; `value` and `limit` are in the unit of its kind."""

    id: int
    table: str | None
    name: str | None
    pit_id: int | None
    currency: str | None
    kind: str
    level: str
    value: int | None
    limit: int | None
    since: datetime | None
    raised_at: datetime
    over_at: datetime | None
    seen_at: datetime | None
    seen_by: str
    seen_name: str
    note: str

    @property
    def exponent(self) -> int:
        return 0 if self.currency is None else minor_digits(self.currency)

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self) | {"exponent": self.exponent}


_ALERTS = """
SELECT a.id, t.code, t.name, t.pit_id, t.currency, a.kind, a.level, a.value, a."limit", a.since, a.raised_at, a.over_at,
    a.seen_at, a.seen_by, a.seen_name, a.note
FROM tables_alert a LEFT JOIN tables_table t ON t.id = a.table_id
WHERE a.casino_id = %s AND (a.table_id IS NULL OR %s::bigint[] IS NULL OR t.pit_id = ANY(%s)) AND {where}
ORDER BY {order} LIMIT %s
"""
MOST: Final = 500


def unseen(casino_id: int, pit_ids: frozenset[int] | None) -> tuple[AlertView, ...]:
    """List the alerts that nobody has seen, of these pits and of the house; red first, then the oldest."""
    pits = None if pit_ids is None else list(pit_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            _ALERTS.format(where="a.seen_at IS NULL", order="a.level DESC, a.raised_at, a.id"),
            [casino_id, pits, pits, MOST],
        )
        return tuple(AlertView(*row) for row in cursor.fetchall())


def raised_between(
    casino_id: int, pit_ids: frozenset[int] | None, since: datetime, until: datetime, *, most: int | None = MOST
) -> tuple[AlertView, ...]:
    """List the alerts of a time, the newest first; `most` None: all of them."""
    pits = None if pit_ids is None else list(pit_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            _ALERTS.format(where="a.raised_at >= %s AND a.raised_at < %s", order="a.raised_at DESC, a.id DESC"),
            [casino_id, pits, pits, since, until, most],
        )
        return tuple(AlertView(*row) for row in cursor.fetchall())


@dataclass(frozen=True, slots=True)
class OpenAlert:
    """An alert of a table that nobody has seen, or whose state still holds."""

    kind: str
    level: str
    value: int | None
    limit: int | None
    since: datetime | None
    seen: bool
    over: bool


def of_tables(table_ids: Collection[int]) -> dict[int, tuple[OpenAlert, ...]]:
    """Read what is open of each of these tables, red first, then the oldest."""
    found: dict[int, list[OpenAlert]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            'SELECT table_id, kind, level, value, "limit", since, seen_at IS NOT NULL, over_at IS NOT NULL'
            " FROM tables_alert WHERE table_id = ANY(%s) AND (seen_at IS NULL OR over_at IS NULL)"
            " ORDER BY table_id, level DESC, raised_at, id",
            [list(table_ids)],
        )
        for table_id, *row in cursor.fetchall():
            found[table_id].append(OpenAlert(*row))
    return {table: tuple(alerts) for table, alerts in found.items()}


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened and wants a look; `key` names it."""

    casino_id: int
    table_id: int | None
    kind: str
    key: str
    level: str
    value: int | None
    limit: int | None
    since: datetime


# Of bets only those of the last deals: what was told before is told once, whatever is read again.
# In the order in which it happened; of one moment in that of the places in the record that the keys name.
_HAPPENED = """
SELECT * FROM (
SELECT t.casino_id, t.id AS table_id, 'over_limit' AS kind, b.name || '@' || b.deal_id AS key, 'amber' AS level,
    b.amount_minor AS value, v.max_minor AS "limit", e.happened_at AS since
FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id JOIN tables_deal d ON d.id = h.last_deal_id
JOIN tables_rulesversion v ON v.id = d.rules_version_id
JOIN tables_bet b ON b.deal_id = d.id AND b.made AND b.amount_minor > v.max_minor
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = b.sequence
WHERE d.gaming_date >= %(since)s
UNION ALL
SELECT t.casino_id, t.id, 'big_win', s.bet_id || '@' || s.position, 'amber', s.paid_minor, v.max_minor, e.happened_at
FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id JOIN tables_deal d ON d.id = h.last_deal_id
JOIN tables_rulesversion v ON v.id = d.rules_version_id
JOIN tables_settlement s ON s.deal_id = d.id
    AND s.paid_minor >= v.max_minor * COALESCE((%(times)s::json ->> t.casino_id::text)::bigint, %(big)s)
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = s.sequence
WHERE d.gaming_date >= %(since)s
UNION ALL
SELECT t.casino_id, t.id, 'mispay', p.id::text, 'red', NULL, NULL, p.opened_at
FROM tables_dispute p JOIN tables_table t ON t.id = p.table_id WHERE p.opened_at >= %(since)s
UNION ALL
SELECT t.casino_id, t.id, 'mispaid', o.number || '@' || m.sequence, CASE WHEN m.recovered THEN 'amber' ELSE 'red' END,
    -m.error_minor, NULL, e.happened_at
FROM tables_mispay m JOIN tables_opening o ON o.id = m.opening_id JOIN tables_table t ON t.id = o.table_id
JOIN tables_tablehead h ON h.table_id = t.id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence
WHERE m.gaming_date >= %(since)s
UNION ALL
SELECT t.casino_id, t.id, 'count', o.number || '@' || i.sequence, CASE i.level WHEN 'grave' THEN 'red' ELSE 'amber' END,
    i.found_minor - i.expected_minor, NULL, e.happened_at
FROM tables_incident i JOIN tables_opening o ON o.id = i.opening_id JOIN tables_table t ON t.id = o.table_id
JOIN tables_tablehead h ON h.table_id = t.id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = i.sequence
WHERE i.gaming_date >= %(since)s
UNION ALL
SELECT c.casino_id, NULL, 'decks', c.number || ' ' || c.state, 'red', c.counted, c.expected, c.counted_at
FROM tables_deckcount c WHERE c.gaming_date >= %(since)s AND c.counted <> c.expected
) AS each
ORDER BY since, table_id, kind, length(key), key
"""


def happened(since: date, times: str, big: int) -> list[Happened]:
    """Find what happened since a date and wants a look. `times`: JSON of houses to their mark for a big win."""
    with connection.cursor() as cursor:
        cursor.execute(_HAPPENED, {"since": since, "times": times, "big": big})
        return [Happened(*row) for row in cursor.fetchall()]
