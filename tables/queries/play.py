"""Deals as they were recorded and as they hold: turns, bets, settlements. It computes no money."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

_BETS = """
SELECT DISTINCT ON (b.deal_id, b.name) b.deal_id, b.name, b.seat, b.kind, b.rank, b.suit, b.amount_minor, b.after,
    b.ordinal, b.of, b.made, b.revision
FROM tables_bet b WHERE b.deal_id = ANY(%s) ORDER BY b.deal_id, b.name, b.revision DESC
"""
_REVEALED = """
SELECT DISTINCT ON (b.deal_id, b.name) b.deal_id, b.name, d.card
FROM tables_deed d JOIN tables_bet b ON b.id = d.bet_id
WHERE d.deal_id = ANY(%s) AND d.type = 'reveal' ORDER BY b.deal_id, b.name, d.sequence DESC
"""
_SETTLEMENTS = """
SELECT DISTINCT ON (s.bet_id, s.position, s.by_deed)
    s.deal_id, b.name, s.turn, s.position, s.by_deed, s.outcome, s.stake_minor, s.paid_minor, s.taken_minor,
    s.returned_minor, s.standing_minor, s.clause, s.sequence, s.revision, c.id IS NOT NULL,
    (SELECT min(d.sequence) FROM tables_deed d WHERE d.bet_id = s.bet_id AND d.type IN ('withdraw', 'refuse'))
FROM tables_settlement s JOIN tables_bet b ON b.id = s.bet_id
LEFT JOIN tables_correction c ON c.deal_id = s.deal_id AND c.sequence = s.sequence
WHERE s.deal_id = ANY(%s) ORDER BY s.bet_id, s.position, s.by_deed, s.revision DESC
"""
_LAST = 2**63  # later than every sequence


@dataclass(frozen=True, slots=True)
class BetView:
    """A bet as it holds, corrections included; `card` is the one that a sealed bet was opened with."""

    bet: str
    seat: int
    kind: str
    rank: str | None
    suit: str | None
    card: str | None
    amount_minor: int
    after: int
    ordinal: int
    of: str | None
    made: bool
    revision: int


@dataclass(frozen=True, slots=True)
class SettlementView:
    """A settlement as it holds, with the bet that it is of. `corrected`: a correction wrote it (C-12)."""

    deal: str
    turn: int
    position: int
    bet: str
    seat: int
    outcome: str
    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int
    clause: str
    corrected: bool
    sequence: int
    kind: str
    rank: str | None
    suit: str | None
    card: str | None
    amount_minor: int


@dataclass(frozen=True, slots=True)
class CardView:
    """A card as it holds; `revision` above 0: it was corrected."""

    position: int
    card: str
    pocket: bool
    revision: int


@dataclass(frozen=True, slots=True)
class DealView:
    """A deal and its totals as they hold."""

    id: int
    table: str
    deal: str
    number: int
    rules_version: int
    game: str
    game_digest: str
    bank_minor: int | None
    opening: int
    gaming_date: date
    opened_at: datetime
    sequence: int
    live: bool


@dataclass(frozen=True, slots=True)
class DealRecord:
    """Everything that holds of a deal; settlements in the order of C-14."""

    deal: DealView
    cards: tuple[CardView, ...]
    bets: tuple[BetView, ...]
    settlements: tuple[SettlementView, ...]


def deal_records(deals: list[DealView]) -> tuple[DealRecord, ...]:
    """Read what holds of these deals, in four queries for all of them."""
    ids = [deal.id for deal in deals]
    names = {deal.id: deal.deal for deal in deals}
    cards: dict[int, list[CardView]] = {id: [] for id in ids}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT ON (deal_id, position) deal_id, position, card, pocket, revision FROM tables_card"
            " WHERE deal_id = ANY(%s) ORDER BY deal_id, position, revision DESC",
            [ids],
        )
        for id, position, card, pocket, revision in cursor.fetchall():
            if card is not None:
                cards[id].append(CardView(position, card, pocket, revision))
        cursor.execute(_REVEALED, [ids])
        revealed = {(id, name): card for id, name, card in cursor.fetchall()}
        cursor.execute(_BETS, [ids])
        bets: dict[int, dict[str, BetView]] = {id: {} for id in ids}
        for id, name, seat, kind, rank, suit, *rest in cursor.fetchall():
            card = revealed.get((id, name)) if kind == "sealed" else (rank + suit if rank and suit else None)
            bets[id][name] = BetView(name, seat, kind, rank, suit, card, *rest)
        cursor.execute(_SETTLEMENTS, [ids])
        settlements = _ordered(cursor.fetchall(), names, bets)
    return tuple(
        DealRecord(
            deal,
            tuple(cards[deal.id]),
            tuple(sorted(bets[deal.id].values(), key=lambda bet: (bet.after, bet.ordinal))),
            tuple(settlements[deal.id]),
        )
        for deal in deals
    )


def _ordered(
    rows: list[tuple[Any, ...]], names: dict[int, str], bets: dict[int, dict[str, BetView]]
) -> dict[int, list[SettlementView]]:
    """Put settlements in the order in which their deal made them. Rules: C-14."""
    keyed: dict[int, list[tuple[Any, SettlementView]]] = {id: [] for id in names}
    for row in rows:
        id, name, turn, position, by_deed, outcome, stake, paid, taken, returned, standing, clause = row[:12]
        sequence, _revision, corrected, deed = row[12:]
        if outcome == "annulled":
            continue
        bet = bets[id][name]
        view = SettlementView(
            names[id], turn, position, name, bet.seat, outcome, stake, paid, taken, returned, standing, clause,
            corrected, sequence, bet.kind, bet.rank, bet.suit, bet.card, bet.amount_minor,
        )  # fmt: skip
        when = deed if outcome in ("withdrawn", "refused") else _LAST
        keyed[id].append(((position, by_deed, when if by_deed else 0, bet.after, bet.ordinal), view))
    return {id: [view for _, view in sorted(views, key=lambda pair: pair[0])] for id, views in keyed.items()}


_DEALS = """
SELECT d.id, t.code, d.name, d.number, v.number, v.game, v.game_digest, d.bank_minor, o.number, d.gaming_date,
    e.happened_at, d.sequence, h.live_deal_id IS NOT DISTINCT FROM d.id
FROM tables_deal d
JOIN tables_table t ON t.id = d.table_id JOIN tables_tablehead h ON h.table_id = t.id
JOIN tables_rulesversion v ON v.id = d.rules_version_id JOIN tables_opening o ON o.id = d.opening_id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = d.sequence
"""
_AT_TABLE = _DEALS + "WHERE t.code = %s"


def deals(code: str, *, after: int = 0, limit: int = 100) -> list[DealView]:
    """Read the deals of a table in their order, those numbered above `after`."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_TABLE + " AND d.number > %s ORDER BY d.number LIMIT %s", [code, after, limit])
        return [DealView(*row) for row in cursor.fetchall()]


def deals_of_openings(opening_ids: list[int]) -> list[DealView]:
    """Read the deals of these openings, by table and number."""
    with connection.cursor() as cursor:
        cursor.execute(_DEALS + "WHERE d.opening_id = ANY(%s) ORDER BY t.code, d.number", [opening_ids])
        return [DealView(*row) for row in cursor.fetchall()]


def deal(code: str, name: str) -> DealView | None:
    """Read one deal of a table."""
    with connection.cursor() as cursor:
        cursor.execute(_AT_TABLE + " AND d.name = %s", [code, name])
        row = cursor.fetchone()
    return None if row is None else DealView(*row)


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn: its two cards, the second None while it is awaited."""

    turn: int
    odd: str
    even: str | None


def turns(record: DealRecord) -> tuple[TurnView, ...]:
    """Return the turns of a deal. Its pocket is none."""
    cards = [card.card for card in record.cards if not card.pocket]
    return tuple(
        TurnView(place // 2 + 1, cards[place], cards[place + 1] if place + 1 < len(cards) else None)
        for place in range(0, len(cards), 2)
    )
