"""What each seat, and each player known by an alias, bought in, bet and played, from the bets themselves.

Nothing is estimated, and nothing is written.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from django.db import connection

from tables.queries.slips import filled
from tables.rules.terms import minor_digits


class _Play:
    """What follows from the figures of a play, whoever's it is."""

    __slots__ = ()
    currency: str
    bets: int
    handle_minor: int

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)

    @property
    def average_bet_minor(self) -> int | None:
        """Return the average bet to the nearest minor unit; nothing without a bet."""
        return round(Fraction(self.handle_minor, self.bets)) if self.bets else None


@dataclass(frozen=True, slots=True)
class SeatPlay(_Play):
    """A seat's play in an opening, or the part of it that one player sat there.

    alias           None where nobody was named, or where it has been erased
    turns           turns in which a bet of the seat stood
    played          from the first bet of the seat in a deal to its last settlement, added up over deals
    house_win_minor taken less paid: the banker's, where a player held the bank
    """

    table: str
    pit_id: int | None
    currency: str
    opening: int
    seat: int
    player: int | None
    alias: str | None
    buy_ins_minor: int
    bets: int
    handle_minor: int
    turns: int
    played: timedelta
    house_win_minor: int


@dataclass(slots=True)
class _Work:
    buy_ins: int = 0
    bets: int = 0
    handle: int = 0
    win: int = 0
    turns: set[tuple[int, int]] = field(default_factory=set)
    spans: dict[int, tuple[datetime, datetime]] = field(default_factory=dict)


_SITTINGS = """
SELECT s.opening_id, s.seat, s.sat_at, COALESCE(e.left_at, c.closed_at, 'infinity'::timestamptz) = 'infinity',
    COALESCE(e.left_at, c.closed_at, now()), p.number, x.text
FROM tables_sitting s JOIN tables_player p ON p.id = s.player_id LEFT JOIN tables_sittingend e ON e.sitting_id = s.id
LEFT JOIN tables_closing c ON c.opening_id = s.opening_id
JOIN tables_casinohead h ON h.casino_id = p.casino_id
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = p.sequence AND x.field = 'alias'
WHERE s.opening_id = ANY(%s) ORDER BY s.sat_at
"""
_BUY_INS = """
SELECT m.opening_id, COALESCE(last.seat, m.seat), e.happened_at, COALESCE(last.cash_minor, m.cash_minor)
FROM tables_movement m LEFT JOIN LATERAL (
    SELECT k.seat, k.cash_minor FROM tables_movementcorrection k WHERE k.movement_id = m.id
    ORDER BY k.revision DESC LIMIT 1
) last ON true
JOIN tables_opening o ON o.id = m.opening_id JOIN tables_tablehead h ON h.table_id = o.table_id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence
WHERE m.opening_id = ANY(%s) AND m.kind = 'buy_in' AND COALESCE(last.seat, m.seat) IS NOT NULL
    AND COALESCE(last.cash_minor, m.cash_minor) > 0
"""
# A bet as it holds, when it was placed, and what its settlements came to. A bet that has none still stands.
_BETS = """
SELECT b.opening_id, b.deal_id, last.seat, last.after, last.amount_minor, e.happened_at,
    s.turn, s.at, COALESCE(s.taken, 0)::bigint, COALESCE(s.paid, 0)::bigint, s.withdrawn,
    (SELECT max(c.position) / 2 FROM tables_card c WHERE c.deal_id = b.deal_id AND c.card IS NOT NULL)
FROM tables_bet b
JOIN LATERAL (
    SELECT l.seat, l.after, l.amount_minor, l.made FROM tables_bet l
    WHERE l.deal_id = b.deal_id AND l.name = b.name ORDER BY l.revision DESC LIMIT 1
) last ON last.made
JOIN tables_opening o ON o.id = b.opening_id JOIN tables_tablehead h ON h.table_id = o.table_id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = b.sequence
LEFT JOIN LATERAL (
    SELECT max(f.turn) AS turn, max(g.happened_at) AS at, sum(f.taken_minor) AS taken, sum(f.paid_minor) AS paid,
        bool_and(f.outcome IN ('withdrawn', 'refused', 'void')) AS withdrawn
    FROM (
        SELECT DISTINCT ON (t.position, t.by_deed) t.turn, t.outcome, t.taken_minor, t.paid_minor, t.sequence
        FROM tables_settlement t WHERE t.bet_id = b.id ORDER BY t.position, t.by_deed, t.revision DESC
    ) f JOIN tables_entry g ON g.journal_id = h.journal_id AND g.sequence = f.sequence WHERE f.outcome <> 'annulled'
) s ON true
WHERE b.opening_id = ANY(%s) AND b.revision = 0
"""


def play_of_day(casino_id: int, gaming_date: date) -> tuple[SeatPlay, ...]:
    """Say what every seat of a gaming day played, a row for each player who sat there.

    A bet that no card settled and that was withdrawn, refused or void counts for nothing.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.id, t.code, t.pit_id, t.currency, o.number FROM tables_opening o"
            " JOIN tables_table t ON t.id = o.table_id WHERE t.casino_id = %s AND o.gaming_date = %s",
            [casino_id, gaming_date],
        )
        openings = {row[0]: row[1:] for row in cursor.fetchall()}
        ids = [list(openings)]
        cursor.execute(_SITTINGS, ids)
        sittings = cursor.fetchall()
        cursor.execute(_BUY_INS, ids)
        buy_ins = cursor.fetchall()
        cursor.execute(_BETS, ids)
        bets = cursor.fetchall()
    who = _Sat(sittings)
    work: dict[tuple[int, int, int | None], _Work] = defaultdict(_Work)
    for opening, seat, player in who.places():
        work[opening, seat, player]
    for opening, seat, at, cash in buy_ins:
        work[opening, seat, who.at(opening, seat, at)].buy_ins += cash
    for opening, deal, seat, after, amount, at, turn, settled_at, taken, paid, withdrawn, dealt in bets:
        if withdrawn:
            continue
        of = work[opening, seat, who.at(opening, seat, at)]
        of.bets += 1
        of.handle += amount
        of.win += taken - paid
        of.turns.update((deal, each) for each in range(after // 2 + 1, (turn or dealt or 0) + 1))
        since, until = of.spans.get(deal, (at, at))
        of.spans[deal] = (min(since, at), max(until, settled_at or at))
    return tuple(
        filled(
            SeatPlay,
            openings[opening],
            seat,
            player,
            who.alias(player),
            of.buy_ins,
            of.bets,
            of.handle,
            len(of.turns),
            sum((until - since for since, until in of.spans.values()), timedelta()),
            of.win,
        )
        for (opening, seat, player), of in sorted(
            work.items(),
            key=lambda item: (openings[item[0][0]][0], openings[item[0][0]][3], item[0][1], item[0][2] or 0),
        )
    )


class _Sat:
    """Who sat where, and when."""

    def __init__(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self._spans: dict[tuple[int, int], list[tuple[datetime, datetime | None, int]]] = defaultdict(list)
        self._aliases: dict[int, str | None] = {}
        for opening, seat, since, still, until, player, alias in rows:
            self._spans[opening, seat].append((since, None if still else until, player))
            self._aliases[player] = alias

    def places(self) -> Iterable[tuple[int, int, int]]:
        return {(*place, player) for place, spans in self._spans.items() for _since, _until, player in spans}

    def at(self, opening: int, seat: int, moment: datetime) -> int | None:
        for since, until, player in reversed(self._spans[opening, seat]):
            if since <= moment and (until is None or moment < until):
                return player
        return None

    def alias(self, player: int | None) -> str | None:
        return None if player is None else self._aliases[player]


@dataclass(frozen=True, slots=True)
class PlayerPlay(_Play):
    """What one player played on all his seats of a gaming day, in one currency."""

    player: int
    alias: str | None
    currency: str
    buy_ins_minor: int
    bets: int
    handle_minor: int
    turns: int
    played: timedelta
    house_win_minor: int


def by_player(play: Iterable[SeatPlay]) -> tuple[PlayerPlay, ...]:
    """Add up the seats of each player."""
    of: dict[tuple[int, str], list[SeatPlay]] = defaultdict(list)
    for each in play:
        if each.player is not None:
            of[each.player, each.currency].append(each)
    return tuple(
        PlayerPlay(
            player,
            seats[0].alias,
            currency,
            sum(each.buy_ins_minor for each in seats),
            sum(each.bets for each in seats),
            sum(each.handle_minor for each in seats),
            sum(each.turns for each in seats),
            sum((each.played for each in seats), timedelta()),
            sum(each.house_win_minor for each in seats),
        )
        for (player, currency), seats in sorted(of.items())
    )


def player_named(casino_id: int, alias: str) -> int | None:
    """Find the row of the player who goes by an alias."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT p.id FROM tables_player p JOIN tables_casinohead h ON h.casino_id = p.casino_id"
            " JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = p.sequence AND x.field = 'alias'"
            " WHERE p.casino_id = %s AND x.text = %s",
            [casino_id, alias],
        )
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def live_sitting(opening_id: int, seat: int) -> tuple[int, int] | None:
    """Find who sits on a seat now: the sitting and the player's number."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.id, p.number FROM tables_sitting s JOIN tables_player p ON p.id = s.player_id"
            " LEFT JOIN tables_sittingend e ON e.sitting_id = s.id"
            " WHERE s.opening_id = %s AND s.seat = %s AND e.sitting_id IS NULL",
            [opening_id, seat],
        )
        row = cursor.fetchone()
    return None if row is None else (int(row[0]), int(row[1]))
