"""Decks, where they are, and whether a day's movements add up. It writes nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db import connection

from tables.queries.shifts import calendar_of
from tables.queries.slips import filled

COUNTED = ("received", "in_service", "retired", "retained")


@dataclass(frozen=True, slots=True)
class DeckView:
    """A deck and where it is: its last step, by whom, and at which table it is in service."""

    serial: str
    size: int
    state: str
    table: str | None
    pit_id: int | None
    author: str
    second: str
    since: datetime
    reason: str | None


_DECKS = """
SELECT d.serial, d.size, s.step, t.code, t.pit_id, s.author, s.second, s.done_at, x.text
FROM tables_deck d
JOIN LATERAL (SELECT * FROM tables_deckstep s WHERE s.deck_id = d.id ORDER BY s.number DESC LIMIT 1) s ON true
JOIN tables_casinohead h ON h.casino_id = d.casino_id LEFT JOIN tables_table t ON t.id = s.table_id
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = s.sequence AND x.field = 'reason'
WHERE d.casino_id = %s AND {where} ORDER BY t.code NULLS LAST, d.serial LIMIT 2000
"""


def decks(casino_id: int) -> tuple[DeckView, ...]:
    """List the decks that have not been destroyed, those in service first."""
    return _decks("s.step <> 'destroyed'", casino_id)


def decks_named(casino_id: int, serials: Sequence[str]) -> dict[str, DeckView]:
    """Read decks by their serials."""
    return {deck.serial: deck for deck in _decks("d.serial = ANY(%s)", casino_id, list(serials))}


def _decks(where: str, *values: Any) -> tuple[DeckView, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_DECKS.format(where=where), list(values))
        return tuple(filled(DeckView, row) for row in cursor.fetchall())


@dataclass(frozen=True, slots=True)
class DeckEvent:
    """A step of a deck's life."""

    step: str
    table: str | None
    author: str
    second: str
    done_at: datetime
    reason: str | None


def history(casino_id: int, serial: str) -> tuple[DeckEvent, ...]:
    """Tell the life of a deck from its receipt on; empty where there is no such deck."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.step, t.code, s.author, s.second, s.done_at, x.text FROM tables_deck d"
            " JOIN tables_deckstep s ON s.deck_id = d.id JOIN tables_casinohead h ON h.casino_id = d.casino_id"
            " LEFT JOIN tables_table t ON t.id = s.table_id LEFT JOIN tables_text x ON x.journal_id = h.journal_id"
            " AND x.sequence = s.sequence AND x.field = 'reason'"
            " WHERE d.casino_id = %s AND d.serial = %s ORDER BY s.number",
            [casino_id, serial],
        )
        return tuple(DeckEvent(*row) for row in cursor.fetchall())


@dataclass(frozen=True, slots=True)
class StateOfDay:
    """The decks in one state over a gaming day: before + came - left = after."""

    state: str
    before: int
    came: int
    left: int
    after: int
    counted: int | None
    expected_then: int | None

    @property
    def difference(self) -> int | None:
        """Return what the day's last count found less what should have been there at that moment."""
        if self.counted is None or self.expected_then is None:
            return None
        return self.counted - self.expected_then


_OVER_THE_DAY = """
SELECT s.step, s.before, count(*) FROM (
    SELECT s.step, s.done_at, lag(s.step) OVER (PARTITION BY s.deck_id ORDER BY s.number) AS before
    FROM tables_deckstep s JOIN tables_deck d ON d.id = s.deck_id WHERE d.casino_id = %s
) s WHERE s.done_at >= %s AND s.done_at < %s GROUP BY s.step, s.before
"""
_BEFORE_THE_DAY = """
SELECT step, count(*) FROM (
    SELECT DISTINCT ON (s.deck_id) s.step FROM tables_deckstep s JOIN tables_deck d ON d.id = s.deck_id
    WHERE d.casino_id = %s AND s.done_at < %s ORDER BY s.deck_id, s.number DESC
) last GROUP BY step
"""
_COUNTED = """
SELECT DISTINCT ON (state) state, counted, expected FROM tables_deckcount
WHERE casino_id = %s AND gaming_date = %s ORDER BY state, number DESC
"""


def reconciliation(casino_id: int, gaming_date: date) -> tuple[StateOfDay, ...]:
    """Reconcile a gaming day: what each state held before it, what came, left and stayed, and what was counted."""
    calendar = calendar_of(casino_id)
    since, until = calendar.day_start(gaming_date), calendar.day_start(gaming_date + timedelta(days=1))
    came: dict[str, int] = defaultdict(int)
    left: dict[str, int] = defaultdict(int)
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE_THE_DAY, [casino_id, since])
        before = dict(cursor.fetchall())
        cursor.execute(_OVER_THE_DAY, [casino_id, since, until])
        for step, from_state, count in cursor.fetchall():
            came[step] += count
            if from_state is not None:
                left[from_state] += count
        cursor.execute(_COUNTED, [casino_id, gaming_date])
        counted = {state: (number, expected) for state, number, expected in cursor.fetchall()}
    return tuple(
        StateOfDay(
            state,
            before.get(state, 0),
            came[state],
            left[state],
            before.get(state, 0) + came[state] - left[state],
            *counted.get(state, (None, None)),
        )
        for state in (*COUNTED, "destroyed")
    )
