"""One table's shift as a pit boss looks into it: win by turn, who bet on what, chips, people, last entries."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from fractions import Fraction
from math import isqrt
from typing import Any, Final

from django.db import connection

from tables.queries import play, slips, theory
from tables.queries.by_rank import by_rank
from tables.queries.floor import FloorTable, floor
from tables.queries.play import DealRecord
from tables.queries.record import event_of
from tables.queries.slips import SlipView
from tables.queries.snapshot import one_moment
from tables.queries.terms import terms_of_versions
from tables.queries.theory import Theory, Turn

ENTRIES: Final = 12


class NoShiftError(Exception):
    """There is no such table, or it was never opened."""


@dataclass(frozen=True, slots=True)
class Point:
    """The shift after a turn: the win so far, what could be expected of it, and one deviation of that."""

    at: datetime
    deal: str
    turn: int
    pocket: bool
    split: bool
    win_minor: int
    expected_minor: int
    deviation_minor: int


@dataclass(frozen=True, slots=True)
class Backed:
    """Bets on one rank, on one suit, or of one seat: how many, what was staked, what the bank got of them.

    staked_minor leaves out bets that were withdrawn, refused or void before a card settled them.
    expected_minor, z  of a rank, exact: what the bank could expect, and how many deviations what it got is from that;
                       no z with too few turns to say, and neither of a suit or a seat
    """

    what: str
    kind: str
    bets: int
    staked_minor: int
    average_minor: int
    bank_minor: int
    expected_minor: int | None = None
    z: str | None = None


@dataclass(frozen=True, slots=True)
class Stand:
    """A person at the table in this shift; of a dealer the turns whose second card he drew, of anybody corrections."""

    role: str
    number: str
    name: str
    since: datetime
    until: datetime | None
    turns: int
    corrections: int


@dataclass(frozen=True, slots=True)
class Moved:
    """Chips that moved into the float (above 0) or out of it; of a count, what was found."""

    kind: str
    slip: str
    amount_minor: int
    at: datetime
    author: str
    second: str


@dataclass(frozen=True, slots=True)
class OpenSlip:
    """A slip of the table that is on its way, and how far it is. `to_float_minor`: what it will add to the float."""

    id: str
    kind: str
    amount_minor: int
    to_float_minor: int
    state: str
    requested_by: str
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class EntryShown:
    """An entry of the table's journal with its event."""

    sequence: int
    type: str
    author: str
    happened_at: datetime
    late: bool
    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShiftView:
    """A table and the shift of its last opening. `table` is what the floor's tile says."""

    at: datetime
    since: datetime
    table: FloorTable
    curve: tuple[Point, ...]
    ranks: tuple[Backed, ...]
    seats: tuple[Backed, ...]
    people: tuple[Stand, ...]
    chips: tuple[Moved, ...]
    slips: tuple[OpenSlip, ...]
    entries: tuple[EntryShown, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


_OPENINGS = """
SELECT o.id, o.table_id, o.opened_at, h.journal_id FROM tables_table t
JOIN tables_tablehead h ON h.table_id = t.id
JOIN LATERAL (SELECT * FROM tables_opening o WHERE o.table_id = t.id ORDER BY o.number DESC LIMIT 1) l ON true
JOIN tables_opening o ON o.table_id = t.id AND o.gaming_date = l.gaming_date
    AND COALESCE(o.shift, 1) = COALESCE(l.shift, 1)
WHERE t.code = %s ORDER BY o.number
"""
_PEOPLE = """
SELECT s.role, f.number, f.name, s.started_at, s.ended_at FROM tables_signon s
JOIN tables_staff f ON f.id = s.staff_id
WHERE s.table_id = %s AND (s.ended_at IS NULL OR s.ended_at > %s) ORDER BY s.started_at DESC, s.id DESC
"""
_CORRECTED = """
SELECT e.happened_at FROM tables_correction c JOIN tables_entry e ON e.journal_id = %s AND e.sequence = c.sequence
WHERE c.opening_id = ANY(%s)
"""
_MOVED = """
SELECT m.kind, m.slip, CASE WHEN m.kind IN ('opener', 'closer', 'count') THEN m.counted_minor
    ELSE m.in_minor - m.out_minor END, e.happened_at, e.author, m.second
FROM tables_movement m JOIN tables_entry e ON e.journal_id = %s AND e.sequence = m.sequence
WHERE m.opening_id = ANY(%s) AND m.kind NOT IN ('buy_in', 'buy_in_correction') ORDER BY m.sequence DESC
"""
_ENTRIES = """
SELECT e.sequence, e.type, e.author, e.happened_at, e.late, e.text, x.texts FROM tables_entry e
LEFT JOIN LATERAL (
    SELECT json_object_agg(field, text)::text AS texts FROM tables_text x
    WHERE x.journal_id = e.journal_id AND x.sequence = e.sequence AND x.text IS NOT NULL
) x ON true
WHERE e.journal_id = %s ORDER BY e.sequence DESC LIMIT %s
"""


def shift_view(code: str) -> ShiftView:
    """Read a table's shift. Raises: NoShiftError."""
    with one_moment():
        with connection.cursor() as cursor:
            cursor.execute(_OPENINGS, [code])
            openings = cursor.fetchall()
            if not openings:
                raise NoShiftError(code)
            ids = [row[0] for row in openings]
            _id, table_id, since, journal_id = openings[0]
            cursor.execute(_PEOPLE, [table_id, since])
            people = cursor.fetchall()
            cursor.execute(_CORRECTED, [journal_id, ids])
            corrected = [moment for (moment,) in cursor.fetchall()]
            cursor.execute(_MOVED, [journal_id, ids])
            moved = tuple(Moved(*row) for row in cursor.fetchall())
            cursor.execute(_ENTRIES, [journal_id, ENTRIES])
            entries = tuple(_entry(*row) for row in cursor.fetchall())
        seen = floor(table_ids=[table_id])
        turns = theory.turns_of_openings(dict.fromkeys(ids, table_id))
        records = play.deal_records(play.deals_of_openings(ids))
        terms = terms_of_versions(code)
        waiting = [slip for slip in slips.open_slips() if slip.table_id == table_id]
    theories = _theories(records, terms)
    return ShiftView(
        at=seen.at,
        since=since,
        table=seen.tables[0],
        curve=tuple(_curve(turns)),
        ranks=tuple(_judged(each, theories) for each in _backed(records, by_seat=False)),
        seats=_backed(records, by_seat=True),
        people=tuple(_stand(row, turns, corrected) for row in people),
        chips=moved,
        slips=tuple(map(_open_slip, waiting)),
        entries=entries,
    )


def _open_slip(slip: SlipView) -> OpenSlip:
    to_float = slip.amount_minor if slip.kind == "fill" else -slip.amount_minor
    return OpenSlip(
        str(slip.id), slip.kind, slip.amount_minor, to_float, slip.state, slip.requested_by, slip.requested_at
    )


def _curve(turns: Sequence[Turn]) -> Iterable[Point]:
    """Add the house's turns up, one after the other."""
    win, expectation, variance = 0, Fraction(0), Fraction(0)
    for turn in turns:
        if turn.of_player:
            continue
        win += turn.step.actual
        expectation += turn.step.expectation
        variance += turn.step.variance
        yield Point(
            at=turn.happened_at,
            deal=turn.deal,
            turn=turn.step.turn,
            pocket=turn.step.pocket,
            split=turn.step.split,
            win_minor=win,
            expected_minor=round(expectation),
            deviation_minor=isqrt(int(variance)),
        )


def _backed(records: Sequence[DealRecord], *, by_seat: bool) -> tuple[Backed, ...]:
    """Sum bets by seat, or by what they are on; the largest loss of the bank first."""
    bets: dict[tuple[str, str], int] = defaultdict(int)
    staked: dict[tuple[str, str], int] = defaultdict(int)
    bank: dict[tuple[str, str], int] = defaultdict(int)
    for record in records:
        results: dict[str, int] = defaultdict(int)
        touched: set[str] = set()
        undone: set[str] = set()
        for each in record.settlements:
            results[each.bet] += each.taken_minor - each.paid_minor
            (undone if each.outcome in ("withdrawn", "refused", "void") else touched).add(each.bet)
        for bet in record.bets:
            if not bet.made:
                continue
            key = ("seat", str(bet.seat)) if by_seat else _on(bet.rank or (bet.card or "")[:1], bet.kind, bet.suit)
            bets[key] += 1
            staked[key] += 0 if bet.bet in undone - touched else bet.amount_minor
            bank[key] += results[bet.bet]
    found = (
        Backed(
            what, kind, bets[kind, what], staked[kind, what], staked[kind, what] // bets[kind, what], bank[kind, what]
        )
        for kind, what in bets
    )
    return tuple(sorted(found, key=lambda each: (each.bank_minor, -each.staked_minor, each.what)))


def _theories(records: Sequence[DealRecord], terms: Mapping[int, str]) -> dict[str, Theory]:
    """Sum what could be expected of the bets on each rank over all deals."""
    found: dict[str, Theory] = defaultdict(Theory)
    for record in records:
        for rank, of_deal in by_rank(record, terms[record.deal.rules_version]).items():
            found[rank] = found[rank].plus(of_deal)
    return found


def _judged(backed: Backed, theories: Mapping[str, Theory]) -> Backed:
    """Put what could be expected beside what the bank got of a rank."""
    if backed.kind != "rank" or backed.what not in theories:
        return backed
    of_rank = theories[backed.what]
    z = of_rank.z if of_rank.at_stake >= theory.ENOUGH else None
    return replace(backed, expected_minor=round(of_rank.expectation), z=None if z is None else str(z))


def _on(rank: str, kind: str, suit: str | None) -> tuple[str, str]:
    """Say what a bet is on: a suit, a rank, or a card that nobody has seen yet."""
    if kind == "suit":
        return "suit", suit or ""
    return ("rank", rank) if rank else ("sealed", "")


def _stand(row: tuple[Any, ...], turns: Sequence[Turn], corrected: Sequence[datetime]) -> Stand:
    role, number, name, since, until = row

    def here(moment: datetime) -> bool:
        return since <= moment and (until is None or moment < until)

    dealt = sum(turn.dealer == number and here(turn.happened_at) and not turn.step.pocket for turn in turns)
    return Stand(role, number, name, since, until, dealt if role == "dealer" else 0, sum(map(here, corrected)))


def _entry(
    sequence: int, type: str, author: str, happened_at: datetime, late: bool, text: str, texts: str | None
) -> EntryShown:
    event = event_of(json.loads(text), json.loads(texts) if texts else {})
    return EntryShown(sequence, type, author, happened_at, late, event)
