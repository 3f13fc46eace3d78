"""The floor at a glance: every table, what stands on it and what its day has brought, in a fixed number of queries."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from tables.queries.people import on_duty


@dataclass(frozen=True, slots=True)
class FloorTable:
    """A table now. Its figures of the day are those of the gaming date of its last opening.

    `game_win_minor` is the house's: 0 where a player holds the bank. `turns` counts complete ones.
    """

    id: int
    table: str
    name: str
    pit: str | None
    game: str
    currency: str
    exponent: int
    min_minor: int
    max_minor: int
    state: str
    private_bank: bool
    opening: int | None
    gaming_date: date | None
    opened_at: datetime | None
    closed_at: datetime | None
    deal: str | None
    turn: int
    turn_open: bool
    standing_minor: int
    standing_bets: int
    seats_in_play: int
    turns: int
    bets: int
    handle_minor: int
    taken_minor: int
    paid_minor: int
    game_win_minor: int
    waiting: int
    sequence: int
    last_recorded_at: datetime | None
    dealer: str | None
    dealer_since: datetime | None


@dataclass(frozen=True, slots=True)
class Floor:
    """All tables at one moment."""

    at: datetime
    tables: tuple[FloorTable, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


# The last opening of each table, the day it belongs to, and everything that is one row a table.
_TABLES = """
SELECT t.id, t.code, t.name, p.name, t.pit_id, t.game, t.currency, v.digits, v.min_minor, v.max_minor, h.state,
    v.bank_minor IS NOT NULL, o.number, o.gaming_date, o.opened_at, c.closed_at, h.live_deal_id, d.name, h.sequence,
    e.recorded_at, clock_timestamp(),
    (SELECT count(*) FROM tables_waitingcorrection w WHERE w.table_id = t.id AND w.state = 'waiting')
FROM tables_table t JOIN tables_tablehead h ON h.table_id = t.id
LEFT JOIN tables_pit p ON p.id = t.pit_id
LEFT JOIN tables_rulesversion v ON v.id = h.rules_version_id
LEFT JOIN tables_deal d ON d.id = h.live_deal_id
LEFT JOIN LATERAL (
    SELECT * FROM tables_opening o WHERE o.table_id = t.id ORDER BY o.number DESC LIMIT 1
) o ON true
LEFT JOIN tables_closing c ON c.opening_id = o.id
LEFT JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = h.sequence
WHERE v.id IS NOT NULL AND (%(all)s OR t.id = ANY(%(some)s)) ORDER BY t.code
"""
_DAYS = "unnest(%s::bigint[], %s::date[]) AS day(table_id, gaming_date)"
# What was recorded first, and what corrections moved: together what holds.
_MONEY = f"""
SELECT table_id, sum(taken), sum(paid) FROM (
    SELECT o.table_id, s.taken_minor AS taken, s.paid_minor AS paid
    FROM {_DAYS} JOIN tables_opening o USING (table_id, gaming_date)
    JOIN tables_settlement s ON s.opening_id = o.id
    WHERE NOT EXISTS (SELECT 1 FROM tables_correction c WHERE c.deal_id = s.deal_id AND c.sequence = s.sequence)
    UNION ALL
    SELECT o.table_id, a.taken_minor, a.paid_minor
    FROM {_DAYS} JOIN tables_opening o USING (table_id, gaming_date)
    JOIN tables_adjustment a ON a.opening_id = o.id
) moved GROUP BY table_id
"""  # noqa: S608 # our own text
_TURNS = f"""
SELECT table_id, sum(cards / 2) FROM (
    SELECT o.table_id, k.deal_id, count(*) FILTER (WHERE k.card IS NOT NULL) AS cards
    FROM {_DAYS} JOIN tables_opening o USING (table_id, gaming_date)
    JOIN tables_deal d ON d.opening_id = o.id
    JOIN LATERAL (
        SELECT DISTINCT ON (position) deal_id, card FROM tables_card
        WHERE deal_id = d.id AND NOT pocket ORDER BY position, revision DESC
    ) k ON true
    GROUP BY o.table_id, k.deal_id
) dealt GROUP BY table_id
"""  # noqa: S608 # our own text
# Bets that were withdrawn, refused or void before any card settled them count as bets, not in the handle.
_BETS = f"""
SELECT d.table_id, count(*), sum(b.amount_minor) FILTER (WHERE NOT EXISTS (
        SELECT 1 FROM tables_settlement s WHERE s.bet_id = b.first AND s.outcome IN ('withdrawn', 'refused', 'void'))
    OR EXISTS (
        SELECT 1 FROM tables_settlement s WHERE s.bet_id = b.first AND NOT s.by_deed AND s.outcome <> 'annulled'))
FROM {_DAYS} JOIN tables_opening o USING (table_id, gaming_date) JOIN tables_deal d ON d.opening_id = o.id
JOIN LATERAL (
    SELECT DISTINCT ON (name) made, amount_minor, first_value(id) OVER (PARTITION BY name ORDER BY revision) AS first
    FROM tables_bet WHERE deal_id = d.id ORDER BY name, revision DESC
) b ON b.made
GROUP BY d.table_id
"""  # noqa: S608 # our own text
_LIVE = """
SELECT d.id,
    (SELECT count(*) FROM (
        SELECT DISTINCT ON (position) card FROM tables_card WHERE deal_id = d.id ORDER BY position, revision DESC
    ) k WHERE k.card IS NOT NULL),
    count(b.standing), COALESCE(sum(b.standing), 0), count(DISTINCT b.seat)
FROM tables_deal d LEFT JOIN LATERAL (
    SELECT b.seat, COALESCE(s.standing_minor, b.amount_minor) AS standing
    FROM (
        SELECT DISTINCT ON (name) made, seat, amount_minor,
            first_value(id) OVER (PARTITION BY name ORDER BY revision) AS first
        FROM tables_bet WHERE deal_id = d.id ORDER BY name, revision DESC
    ) b
    LEFT JOIN LATERAL (
        SELECT l.standing_minor FROM (
            SELECT DISTINCT ON (position, by_deed) position, by_deed, outcome, standing_minor FROM tables_settlement
            WHERE bet_id = b.first ORDER BY position, by_deed, revision DESC
        ) l WHERE l.outcome <> 'annulled' ORDER BY l.position DESC, l.by_deed DESC LIMIT 1
    ) s ON true
    WHERE b.made AND COALESCE(s.standing_minor, b.amount_minor) > 0
) b ON true
WHERE d.id = ANY(%s) GROUP BY d.id
"""


_HEADS = """
SELECT t.id, t.pit_id, h.sequence FROM tables_table t JOIN tables_tablehead h ON h.table_id = t.id
WHERE h.rules_version_id IS NOT NULL
"""
_CASINOS = "SELECT casino_id, sequence FROM tables_casinohead"


@dataclass(frozen=True, slots=True)
class Heads:
    """How far every journal is. `tables`: id to pit and sequence; `casinos`: id to sequence."""

    tables: dict[int, tuple[int | None, int]]
    casinos: dict[int, int]


def heads() -> Heads:
    """Read how far every journal is: what has moved on since somebody looked, he finds table by table."""
    with connection.cursor() as cursor:
        cursor.execute(_HEADS)
        tables = {table: (pit, sequence) for table, pit, sequence in cursor.fetchall()}
        cursor.execute(_CASINOS)
        return Heads(tables, dict(cursor.fetchall()))


def floor(pit_ids: frozenset[int] | None = None, table_ids: Collection[int] | None = None) -> Floor:
    """Read the floor: all tables, or those of these pits, or these alone; by code."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES, {"all": table_ids is None, "some": list(table_ids or ())})
        rows = [row for row in cursor.fetchall() if pit_ids is None or row[4] in pit_ids]
        days = [(row[0], row[13]) for row in rows if row[13] is not None]
        tables, dates = [table for table, _ in days], [day for _, day in days]
        cursor.execute(_MONEY, [tables, dates, tables, dates])
        money = {table: (int(taken), int(paid)) for table, taken, paid in cursor.fetchall()}
        cursor.execute(_TURNS, [tables, dates])
        turns = {table: int(count) for table, count in cursor.fetchall()}
        cursor.execute(_BETS, [tables, dates])
        bets = {table: (count, int(handle or 0)) for table, count, handle in cursor.fetchall()}
        cursor.execute(_LIVE, [[row[16] for row in rows if row[16] is not None]])
        live = {deal: tuple(map(int, rest)) for deal, *rest in cursor.fetchall()}
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
    duty = on_duty([row[0] for row in rows])
    return Floor(
        now,
        tuple(
            _table(
                row,
                live.get(row[16], (0, 0, 0, 0)),
                turns.get(row[0], 0),
                *bets.get(row[0], (0, 0)),
                *money.get(row[0], (0, 0)),
                next(((each.name, each.since) for each in duty.get(row[0], ()) if each.role == "dealer"), (None, None)),
            )
            for row in rows
        ),
    )


def _table(
    row: tuple[Any, ...],
    live: tuple[int, ...],
    turns: int,
    bets: int,
    handle: int,
    taken: int,
    paid: int,
    dealer: tuple[str | None, datetime | None],
) -> FloorTable:
    id, code, name, pit, _pit_id, game, currency, digits, minimum, maximum, state, private = row[:12]
    opening, day, opened_at, closed_at, _deal_id, deal, sequence, recorded_at, _now, waiting = row[12:]
    cards, standing_bets, standing, seats = live
    return FloorTable(
        id=id,
        table=code,
        name=name,
        pit=pit,
        game=game,
        currency=currency,
        exponent=digits,
        min_minor=minimum,
        max_minor=maximum,
        state=state,
        private_bank=private,
        opening=opening,
        gaming_date=day,
        opened_at=opened_at,
        closed_at=closed_at,
        deal=deal,
        turn=(cards + 1) // 2,
        turn_open=deal is not None and cards % 2 == 1,
        standing_minor=standing,
        standing_bets=standing_bets,
        seats_in_play=seats,
        turns=turns,
        bets=bets,
        handle_minor=handle,
        taken_minor=taken,
        paid_minor=paid,
        game_win_minor=0 if private else taken - paid,
        waiting=waiting,
        sequence=sequence,
        last_recorded_at=recorded_at,
        dealer=dealer[0],
        dealer_since=dealer[1],
    )
