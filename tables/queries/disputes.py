"""Disputes with their rulings, the debts that are open, and what is known of a turn. It writes nothing."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from tables import tablelog
from tables.queries import log, play
from tables.queries.slips import filled
from tables.rules.table import TableState
from tables.rules.terms import minor_digits

MARGIN = timedelta(minutes=1)
_AMOUNTS = ("stake", "paid", "taken", "returned", "standing")


@dataclass(frozen=True, slots=True)
class Frozen:
    """What is known of a turn: the film's time window, and everything else as plain data."""

    deal_id: int
    turn: int
    since: datetime
    until: datetime
    data: dict[str, Any]


def what_is_known(code: str, deal: str | None, turn: int | None) -> Frozen | None:
    """Read a turn of a table, the last one of its last deal where none is named; None where there is none.

    Both computations stand in it: the settlements as they were recorded, and as the engine makes them again now from
    the deal's own log.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT h.table_id, h.journal_id, h.sequence, h.hash, d.name FROM tables_tablehead h"
            " JOIN tables_table t ON t.id = h.table_id LEFT JOIN tables_deal d ON d.id = h.last_deal_id"
            " WHERE t.code = %s",
            [code],
        )
        table_id, journal_id, sequence, hash, last = cursor.fetchone()
    found = play.deal(code, deal if deal is not None else last or "")
    if found is None:
        return None
    (record,) = play.deal_records([found])
    turns = play.turns(record)
    if turn is None:
        turn = max(1, len(turns))
    if not 1 <= turn <= max(1, len(turns)):
        return None
    odd, even = 2 * turn - 1, 2 * turn
    recorded = [_plain(each) for each in record.settlements if each.turn == turn]
    again = [_plain(each) for each in _computed_again(code, found.deal) if each.turn == turn]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT min(e.happened_at), max(e.happened_at) FROM tables_card c"
            " JOIN tables_entry e ON e.journal_id = %s AND e.sequence = c.sequence"
            " WHERE c.deal_id = %s AND c.position IN (%s, %s)",
            [journal_id, found.id, odd, even],
        )
        first, last_at = cursor.fetchone()
        first, last_at = first or found.opened_at, last_at or found.opened_at
        cursor.execute(
            "SELECT f.number, s.role, d.code FROM tables_signon s JOIN tables_staff f ON f.id = s.staff_id"
            " JOIN tables_device d ON d.id = s.device_id WHERE s.table_id = %s AND s.started_at <= %s"
            " AND (s.ended_at IS NULL OR s.ended_at >= %s) ORDER BY s.role, f.number, d.code",
            [table_id, last_at, first],
        )
        staff = [{"staff": number, "role": role, "device": device} for number, role, device in cursor.fetchall()]
    data = {
        "table": code,
        "deal": found.deal,
        "opening": found.opening,
        "rules_version": found.rules_version,
        "game": found.game,
        "game_digest": found.game_digest,
        "turn": turn,
        "cards": [card.card for card in record.cards if card.position <= even],
        "bets": [asdict(bet) for bet in record.bets if bet.made and bet.after < even],
        "recorded": recorded,
        "computed_again": again,
        "agrees": recorded == again,
        "staff": staff,
        "journal": {"sequence": sequence, "hash": hash},
    }
    return Frozen(found.id, turn, first - MARGIN, last_at + MARGIN, data)


def _computed_again(code: str, deal: str) -> Iterable[Any]:
    state = TableState()
    for line in log.export_log(code, deal=deal):
        event = tablelog.parse_object(line)
        if not isinstance(event, tablelog.FloorEvent):
            state.apply(event)
    return state.deal.settlements if state.deal is not None else ()


def _plain(settlement: Any) -> dict[str, Any]:
    """Write a settlement, of the record or of the engine, in the same plain words."""
    data = {name: getattr(settlement, name) for name in ("turn", "position", "bet", "seat", "outcome", "clause")}
    for name in _AMOUNTS:
        data[f"{name}_minor"] = getattr(settlement, f"{name}_minor", None)
        if data[f"{name}_minor"] is None:
            data[f"{name}_minor"] = getattr(settlement, name)
    return data


# -- disputes


@dataclass(frozen=True, slots=True)
class RulingView:
    """How a dispute was decided."""

    amount_minor: int
    opening: int | None
    author: str
    approver: str
    ruled_at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute with what was frozen and how it was decided."""

    id: UUID
    casino_id: int
    number: int
    table: str
    pit_id: int | None
    currency: str
    deal: str
    turn: int
    bet: str
    since: datetime
    until: datetime
    snapshot: dict[str, Any]
    digest: str
    author: str
    opened_at: datetime
    reason: str | None
    ruling: RulingView | None

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)


_DISPUTES = """
SELECT s.id, s.casino_id, s.number, t.code, t.pit_id, t.currency, d.name, s.turn, s.bet, s.since, s.until, s.snapshot,
    s.digest, s.author, s.opened_at, x.text, r.amount_minor, o.number, r.author, r.approver, r.ruled_at, y.text
FROM tables_dispute s JOIN tables_table t ON t.id = s.table_id JOIN tables_deal d ON d.id = s.deal_id
JOIN tables_casinohead h ON h.casino_id = s.casino_id
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = s.sequence AND x.field = 'reason'
LEFT JOIN tables_ruling r ON r.dispute_id = s.id LEFT JOIN tables_opening o ON o.id = r.opening_id
LEFT JOIN tables_text y ON y.journal_id = h.journal_id AND y.sequence = r.sequence AND y.field = 'reason'
WHERE {where} ORDER BY s.number DESC
"""


def disputes(casino_id: int) -> tuple[DisputeView, ...]:
    """List the last disputes of a house, newest first."""
    return _disputes("s.casino_id = %s", casino_id)


def disputes_of_deals(deal_ids: Iterable[int]) -> tuple[DisputeView, ...]:
    """List every dispute about these deals, oldest first."""
    return _disputes("s.deal_id = ANY(%s)", list(deal_ids), limit=None)[::-1]


def dispute(id: UUID) -> DisputeView | None:
    """Read a dispute."""
    found = _disputes("s.id = %s", id)
    return found[0] if found else None


def _disputes(where: str, *values: Any, limit: int | None = 200) -> tuple[DisputeView, ...]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_DISPUTES.format(where=where)} LIMIT %s", [*values, limit])
        return tuple(
            filled(
                DisputeView,
                row[:11],
                json.loads(row[11]),
                *row[12:16],
                None if row[18] is None else filled(RulingView, row[16:]),
            )
            for row in cursor.fetchall()
        )


# -- debts


@dataclass(frozen=True, slots=True)
class Debt:
    """Money that a correction or a ruling moves: to the player, or (less than 0) from him.

    Of a corrected slip (`slip`, whose number is in `bet`) it is owed by the cage to the table, or the other way round.
    Of a corrected buy-in or exchange (`movement`, whose kind is in `bet`) it is what came in less what went out.
    `kind` and `id` name a debt: an adjustment by its row, a ruling by its dispute's number, a slip's or a movement's
    correction by its own.
    """

    kind: str
    id: int
    table: str
    pit_id: int | None
    currency: str
    opening: int
    deal: str
    bet: str
    seat: int | None
    amount_minor: int
    author: str
    approver: str
    since: datetime
    how: str | None
    cleared_by: str | None
    second: str | None
    cleared_at: datetime | None

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)


_DEBTS = """
SELECT * FROM (
    SELECT 'adjustment' AS kind, a.id, t.code, t.pit_id, t.currency, o.number, d.name, b.name AS bet, b.seat,
        a.paid_minor - a.taken_minor AS amount, c.author, c.approver, e.happened_at AS since, k.how,
        k.author AS cleared_by, k.second, k.cleared_at, t.casino_id
    FROM tables_adjustment a JOIN tables_correction c ON c.id = a.correction_id AND NOT c.given
    JOIN tables_deal d ON d.id = a.deal_id JOIN tables_table t ON t.id = d.table_id
    JOIN tables_tablehead h ON h.table_id = t.id JOIN tables_opening o ON o.id = a.opening_id
    JOIN tables_bet b ON b.id = a.bet_id JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = a.sequence
    LEFT JOIN tables_clearing k ON k.adjustment_id = a.id
    WHERE a.paid_minor <> a.taken_minor
    UNION ALL
    SELECT 'ruling', s.number, t.code, t.pit_id, t.currency, o.number, d.name, s.bet, r.seat, r.amount_minor, r.author,
        r.approver, r.ruled_at, k.how, k.author, k.second, k.cleared_at, t.casino_id
    FROM tables_ruling r JOIN tables_dispute s ON s.id = r.dispute_id JOIN tables_table t ON t.id = s.table_id
    JOIN tables_deal d ON d.id = s.deal_id JOIN tables_opening o ON o.id = r.opening_id
    LEFT JOIN tables_clearing k ON k.ruling_id = r.dispute_id
    UNION ALL
    SELECT 'slip', c.number, t.code, t.pit_id, t.currency, o.number, '',
        upper(left(s.kind, 1)) || '-' || n.year || '-' || lpad(n.number::text, 6, '0'), NULL, c.difference_minor,
        c.author, c.approver, c.corrected_at, k.how, k.author, k.second, k.cleared_at, t.casino_id
    FROM tables_slipcorrection c JOIN tables_slip s ON s.id = c.slip_id JOIN tables_slipnumber n ON n.slip_id = s.id
    JOIN tables_table t ON t.id = s.table_id JOIN tables_opening o ON o.id = c.opening_id
    LEFT JOIN tables_clearing k ON k.slip_correction_id = c.id
    WHERE c.difference_minor <> 0
    UNION ALL
    SELECT 'movement', c.id, t.code, t.pit_id, t.currency, o.number, '', m.kind, c.seat, c.owed_minor, c.author,
        c.approver, e.recorded_at, k.how, k.author, k.second, k.cleared_at, t.casino_id
    FROM tables_movementcorrection c JOIN tables_movement m ON m.id = c.movement_id
    JOIN tables_opening o ON o.id = c.opening_id JOIN tables_table t ON t.id = o.table_id
    JOIN tables_tablehead h ON h.table_id = t.id
    JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = c.sequence
    LEFT JOIN tables_clearing k ON k.movement_correction_id = c.id
    WHERE c.owed_minor <> 0
) debts WHERE casino_id = %s AND {where} ORDER BY how IS NOT NULL, since DESC, kind, id LIMIT 300
"""


def debts(casino_id: int) -> tuple[Debt, ...]:
    """List the debts of a house, open ones first, newest first."""
    return _debts("true", casino_id)


def debt(casino_id: int, kind: str, id: int) -> Debt | None:
    """Read one debt."""
    found = _debts("kind = %s AND id = %s", casino_id, kind, id)
    return found[0] if found else None


def debts_of_opening(casino_id: int, code: str, opening: int) -> tuple[Debt, ...]:
    """List the debts that count in an opening: while they are open, its float differs by them."""
    return _debts("code = %s AND number = %s", casino_id, code, opening)


def _debts(where: str, *values: Any) -> tuple[Debt, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_DEBTS.format(where=where), list(values))
        return tuple(filled(Debt, row[:-1]) for row in cursor.fetchall())
