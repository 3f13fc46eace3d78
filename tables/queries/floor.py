"""The floor at a glance: every table, what stands on it, what its shift has brought; in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isqrt
from typing import Any, Final

from django.db import connection

from tables import marks
from tables.calendar import Calendar
from tables.marks import Marks, Notice, Seen
from tables.queries import books, theory
from tables.queries.alerts import OpenAlert, marks_of_houses, of_tables
from tables.queries.books import Books, CountFound
from tables.queries.people import OnDuty, on_duty
from tables.queries.shifts import calendar_of
from tables.queries.snapshot import one_moment
from tables.queries.theory import Theory

HOUR: Final = timedelta(hours=1)
# How long a slip that has not come to its end is looked for.
SLIPS_SINCE: Final = timedelta(days=2)
# A table that was opened less than this ago has no pace yet.
SETTLING_IN: Final = timedelta(minutes=10)
RARE: Final = 0.0455  # the chance of two deviations or more, either way
LUCKY: Final = 0.3173  # of one


@dataclass(frozen=True, slots=True)
class FloorTable:
    """A table now. Its figures are those of the shift that its last opening belongs to; money is the house's.

    game_win_minor, day_win_minor  of the shift, of the gaming day; nothing of a player's bank
    expected_minor, deviation_minor, z, one_in
                                   what the exact odds of every turn dealt let expect, in whole minor units; how far
                                   the win is from it, in deviations; once in how many shifts it would be as far
    word           check where it stands out among all tables (`tables.queries.luck`); else normal, luck_up, luck_down,
                   rare_up, rare_down; few: too few turns to say
    turns          complete ones; `splits_expected` with one decimal
    float_minor    what should lie in the float now; None where the opening began without a count
    residual_minor what the last count (`counted_at`) found more or less than it should have
    turns_an_hour  over the last hour; None for a table that was just opened, or is not open
    slips          fills and credits on their way that were asked for in the last two days: `fill carried`
    console        live, silent (`console_since`), or none where no console ever spoke
    beyond         what of it is beyond the house's marks now
    attention      what wants a look, the gravest first: what is beyond a mark and nobody has seen, and alerts that
                   nobody has seen, also where they are over
    """

    id: int
    table: str
    name: str
    pit: str | None
    pit_id: int | None
    game: str
    currency: str
    exponent: int
    min_minor: int
    max_minor: int
    state: str
    private_bank: bool
    opening: int | None
    gaming_date: date | None
    shift: int | None
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
    day_win_minor: int
    expected_minor: int
    deviation_minor: int
    z: str | None
    one_in: int | None
    word: str
    splits: int
    splits_expected: str
    float_minor: int | None
    low_mark_minor: int | None
    residual_minor: int | None
    counted_at: datetime | None
    turns_an_hour: int | None
    target_turns: int
    waiting: int
    slips: tuple[str, ...]
    sequence: int
    last_recorded_at: datetime | None
    dealer: str | None
    dealer_since: datetime | None
    inspector: str | None
    inspector_since: datetime | None
    console: str
    console_since: datetime | None
    beyond: tuple[Notice, ...]
    attention: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Win:
    """What tables of one currency have won in their shifts."""

    currency: str
    exponent: int
    game_win_minor: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Tables together. Money of different currencies is never added."""

    tables: int
    open: int
    seats_in_play: int
    wins: tuple[Win, ...]

    @classmethod
    def of(cls, tables: Collection["FloorTable"]) -> "Totals":
        """Add tables up."""
        won: dict[tuple[str, int], int] = defaultdict(int)
        for table in tables:
            won[table.currency, table.exponent] += table.game_win_minor
        is_open = [table for table in tables if table.state != "closed"]
        seats = sum(table.seats_in_play for table in is_open)
        return cls(len(tables), len(is_open), seats, tuple(Win(*key, win) for key, win in sorted(won.items())))


@dataclass(frozen=True, slots=True)
class Floor:
    """All tables at one moment."""

    at: datetime
    tables: tuple[FloorTable, ...]
    totals: Totals

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


# The last opening of each table, the day it belongs to, and everything that is one row a table. A console is heard when
# it asks, and when the last entry came from a device: one that only sends is not silent.
_TABLES = """
SELECT t.id, t.code, t.name, p.name, t.pit_id, t.game, t.currency, v.digits, v.min_minor, v.max_minor, h.state,
    v.bank_minor IS NOT NULL, o.id, o.number, o.gaming_date, COALESCE(o.shift, 1), o.opened_at, c.closed_at,
    h.live_deal_id, d.name, h.sequence, e.recorded_at,
    (SELECT count(*) FROM tables_waitingcorrection w WHERE w.table_id = t.id AND w.state = 'waiting')
        + (SELECT count(*) FROM tables_waitingdeed w JOIN tables_approval a ON a.id = w.approval_id
            WHERE a.table_id = t.id),
    GREATEST((SELECT max(n.seen_at) FROM tables_devicesight n JOIN tables_device g ON g.id = n.device_id
        WHERE g.revoked_at IS NULL AND g.kind = 'console' AND (g.table_id = t.id OR EXISTS (
            SELECT 1 FROM tables_signon s WHERE s.device_id = g.id AND s.table_id = t.id AND s.ended_at IS NULL))),
        CASE WHEN e.text::json ->> 'device' IS NOT NULL THEN e.recorded_at END),
    t.casino_id
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
_OPENINGS = """
SELECT o.id, o.table_id, COALESCE(o.shift, 1), o.opened_at
FROM unnest(%s::bigint[], %s::date[]) AS day(table_id, gaming_date) JOIN tables_opening o USING (table_id, gaming_date)
ORDER BY o.number
"""
# What was recorded first, and what corrections moved: together what holds. With a player's bank apart.
_MONEY = """
SELECT moved.opening_id, d.bank_minor IS NOT NULL, sum(moved.taken), sum(moved.paid) FROM (
    SELECT s.opening_id, s.deal_id, s.taken_minor AS taken, s.paid_minor AS paid
    FROM tables_settlement s WHERE s.opening_id = ANY(%s)
        AND NOT EXISTS (SELECT 1 FROM tables_correction c WHERE c.deal_id = s.deal_id AND c.sequence = s.sequence)
    UNION ALL
    SELECT a.opening_id, a.deal_id, a.taken_minor, a.paid_minor
    FROM tables_adjustment a WHERE a.opening_id = ANY(%s)
) moved JOIN tables_deal d ON d.id = moved.deal_id GROUP BY moved.opening_id, d.bank_minor IS NOT NULL
"""
# Bets that were withdrawn, refused or void before any card settled them count as bets, not in the handle.
_BETS = """
SELECT d.table_id, count(*), sum(b.amount_minor) FILTER (WHERE NOT EXISTS (
        SELECT 1 FROM tables_settlement s WHERE s.bet_id = b.first AND s.outcome IN ('withdrawn', 'refused', 'void'))
    OR EXISTS (
        SELECT 1 FROM tables_settlement s WHERE s.bet_id = b.first AND NOT s.by_deed AND s.outcome <> 'annulled'))
FROM tables_deal d
JOIN LATERAL (
    SELECT DISTINCT ON (name) made, amount_minor, first_value(id) OVER (PARTITION BY name ORDER BY revision) AS first
    FROM tables_bet WHERE deal_id = d.id ORDER BY name, revision DESC
) b ON b.made
WHERE d.opening_id = ANY(%s) GROUP BY d.table_id
"""
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


_SLIPS = """
SELECT s.table_id, s.kind || ' ' || COALESCE(
    (SELECT e.step FROM tables_slipstep e WHERE e.slip_id = s.id ORDER BY e.id DESC LIMIT 1), 'requested')
FROM tables_slip s
WHERE s.casino_id = ANY(%s) AND s.requested_at > %s AND s.table_id = ANY(%s) AND NOT EXISTS (
    SELECT 1 FROM tables_slipstep e WHERE e.slip_id = s.id AND e.step IN ('received', 'void', 'declined'))
ORDER BY s.requested_at, s.id
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


def pits_of(casino_id: int) -> tuple[tuple[int, str], ...]:
    """List the pits of a house by name: id and name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, name FROM tables_pit WHERE casino_id = %s ORDER BY name", [casino_id])
        return tuple(cursor.fetchall())


def floor(pit_ids: frozenset[int] | None = None, table_ids: Collection[int] | None = None) -> Floor:
    """Read the floor: all tables, or those of these pits, or these alone; by code."""
    with one_moment():
        return _floor(pit_ids, table_ids)


def _floor(pit_ids: frozenset[int] | None, table_ids: Collection[int] | None) -> Floor:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (now,) = cursor.fetchone()
        cursor.execute(_TABLES, {"all": table_ids is None, "some": list(table_ids or ())})
        rows = [_Row(*row) for row in cursor.fetchall()]
        rows = [row for row in rows if pit_ids is None or row.pit_id in pit_ids]
        opened = [row for row in rows if row.opening_id is not None]
        cursor.execute(_OPENINGS, [[row.id for row in opened], [row.gaming_date for row in opened]])
        of_day: dict[int, list[_OfDay]] = defaultdict(list)
        for opening_id, table_id, shift, opened_at in cursor.fetchall():
            of_day[table_id].append(_OfDay(opening_id, shift, opened_at))
        of_shift = {row.id: [each for each in of_day[row.id] if each.shift == row.shift] for row in opened}
        shift_ids = {each.id: table_id for table_id, openings in of_shift.items() for each in openings}
        day_ids = [each.id for openings in of_day.values() for each in openings]
        cursor.execute(_MONEY, [day_ids, day_ids])
        money: dict[tuple[int, bool], tuple[int, int]] = {
            (opening_id, of_player): (int(taken), int(paid)) for opening_id, of_player, taken, paid in cursor.fetchall()
        }
        cursor.execute(_BETS, [list(shift_ids)])
        bets = {table: (count, int(handle or 0)) for table, count, handle in cursor.fetchall()}
        cursor.execute(_LIVE, [[row.live_deal_id for row in rows if row.live_deal_id is not None]])
        live = {deal: _OnCloth(*map(int, rest)) for deal, *rest in cursor.fetchall()}
        houses = {row.casino_id for row in rows}
        cursor.execute(_SLIPS, [list(houses), now - SLIPS_SINCE, [row.id for row in rows]])
        slips: dict[int, list[str]] = defaultdict(list)
        for table_id, slip in cursor.fetchall():
            slips[table_id].append(slip)
    last = [row.opening_id for row in opened if row.opening_id is not None]
    read = _Read(
        now,
        marks_of_houses(),
        of_day,
        of_shift,
        money,
        bets,
        live,
        theory.of_openings(shift_ids, now - HOUR),
        {each.opening_id: each for each in books.books_of_openings(last)},
        books.last_counts(last),
        on_duty([row.id for row in rows]),
        {casino_id: calendar_of(casino_id) for casino_id in houses},
        slips,
        of_tables([row.id for row in rows]),
    )
    tables = tuple(_table(row, read) for row in rows)
    return Floor(now, tables, Totals.of(tables))


@dataclass(frozen=True, slots=True)
class _Row:
    """A table as `_TABLES` gives it."""

    id: int
    code: str
    name: str
    pit: str | None
    pit_id: int | None
    game: str
    currency: str
    digits: int
    min_minor: int
    max_minor: int
    state: str
    private_bank: bool
    opening_id: int | None
    opening: int | None
    gaming_date: date | None
    shift: int
    opened_at: datetime | None
    closed_at: datetime | None
    live_deal_id: int | None
    deal: str | None
    sequence: int
    recorded_at: datetime | None
    waiting: int
    seen_at: datetime | None
    casino_id: int


@dataclass(frozen=True, slots=True)
class _OfDay:
    """An opening of a table's gaming day."""

    id: int
    shift: int
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class _OnCloth:
    """What stands in a live deal."""

    cards: int = 0
    bets: int = 0
    standing_minor: int = 0
    seats: int = 0


@dataclass(frozen=True, slots=True)
class _Read:
    """Everything that was read of all tables, by table or by opening."""

    now: datetime
    marks: Mapping[int, Marks]
    of_day: Mapping[int, list[_OfDay]]
    of_shift: Mapping[int, list[_OfDay]]
    money: Mapping[tuple[int, bool], tuple[int, int]]
    bets: Mapping[int, tuple[int, int]]
    live: Mapping[int, _OnCloth]
    theory: Mapping[int, Theory]
    books: Mapping[int, Books]
    counts: Mapping[int, CountFound]
    duty: Mapping[int, tuple[OnDuty, ...]]
    calendars: Mapping[int, Calendar]
    slips: Mapping[int, list[str]]
    alerts: Mapping[int, tuple[OpenAlert, ...]]

    def moved(self, openings: Iterable[_OfDay], of_player: bool) -> tuple[int, int]:
        """Return what was taken and paid in these openings where the bank was the house's, or a player's."""
        sums = [self.money.get((each.id, of_player), (0, 0)) for each in openings]
        return sum(taken for taken, _ in sums), sum(paid for _, paid in sums)


def _table(row: _Row, read: _Read) -> FloorTable:
    shift, day = read.of_shift.get(row.id, []), read.of_day.get(row.id, [])
    (taken, paid), (players_take, players_pay) = read.moved(shift, False), read.moved(shift, True)
    day_taken, day_paid = read.moved(day, False)
    odds = theory.total(read.theory[each.id] for each in shift)
    cloth = _OnCloth() if row.live_deal_id is None else read.live.get(row.live_deal_id, _OnCloth())
    dealer, inspector = (_first(read.duty.get(row.id, ()), role) for role in ("dealer", "inspector"))
    book = None if row.opening_id is None else read.books.get(row.opening_id)
    count = None if row.opening_id is None else read.counts.get(row.opening_id)
    is_open = row.state != "closed"
    house = read.marks.get(row.casino_id, Marks())
    alerts = read.alerts.get(row.id, ())
    in_float = book.expected_float_minor if book is not None and is_open and not row.private_bank else None
    low_mark = None if in_float is None else house.low_float_times * row.max_minor
    pace = _pace(row, shift, odds, read.now) if is_open else None
    silent_after = timedelta(seconds=house.silent_seconds)
    silent = row.seen_at is not None and read.now - row.seen_at > silent_after
    seen = Seen(
        game=row.game,
        at=read.now,
        paused=row.state == "paused",
        playing=row.deal is not None and cloth.seats > 0,
        float_minor=in_float,
        low_mark_minor=low_mark,
        turns_an_hour=pace,
        dealer_since=dealer.since if dealer else None,
        silent_since=row.seen_at if silent else None,
        waiting=row.waiting,
        shift_over_since=_over_since(row, read) if is_open else None,
    )
    beyond = tuple(marks.notices(seen, house)) if is_open else ()
    return FloorTable(
        id=row.id,
        table=row.code,
        name=row.name,
        pit=row.pit,
        pit_id=row.pit_id,
        game=row.game,
        currency=row.currency,
        exponent=row.digits,
        min_minor=row.min_minor,
        max_minor=row.max_minor,
        state=row.state,
        private_bank=row.private_bank,
        opening=row.opening,
        gaming_date=row.gaming_date,
        shift=None if row.opening is None else row.shift,
        opened_at=row.opened_at,
        closed_at=row.closed_at,
        deal=row.deal,
        turn=(cloth.cards + 1) // 2,
        turn_open=row.deal is not None and cloth.cards % 2 == 1,
        standing_minor=cloth.standing_minor,
        standing_bets=cloth.bets,
        seats_in_play=cloth.seats,
        turns=odds.turns,
        bets=read.bets.get(row.id, (0, 0))[0],
        handle_minor=read.bets.get(row.id, (0, 0))[1],
        taken_minor=taken + players_take,
        paid_minor=paid + players_pay,
        game_win_minor=taken - paid,
        day_win_minor=day_taken - day_paid,
        expected_minor=round(odds.expectation),
        deviation_minor=isqrt(int(odds.variance)),
        z=None if odds.z is None else str(odds.z),
        one_in=one_in(odds.chance),
        word="check" if any(each.kind == "check" and not each.over for each in alerts) else word(odds),
        splits=odds.splits,
        splits_expected=str(Decimal(round(odds.splits_expected * 10)).scaleb(-1)),
        float_minor=in_float,
        low_mark_minor=low_mark,
        residual_minor=None if count is None else count.difference_minor,
        counted_at=None if count is None else count.counted_at,
        turns_an_hour=pace,
        target_turns=house.turns[row.game],
        waiting=row.waiting,
        slips=tuple(read.slips.get(row.id, ())),
        sequence=row.sequence,
        last_recorded_at=row.recorded_at,
        dealer=dealer.name if dealer else None,
        dealer_since=dealer.since if dealer else None,
        inspector=inspector.name if inspector else None,
        inspector_since=inspector.since if inspector else None,
        console="none" if row.seen_at is None else "silent" if silent else "live",
        console_since=row.seen_at if silent else None,
        beyond=beyond,
        attention=_attention(beyond, alerts),
    )


def _over_since(row: _Row, read: _Read) -> datetime | None:
    """Return since when the shift of a table's opening has been over; None while it runs."""
    if row.gaming_date is None:
        return None
    calendar = read.calendars[row.casino_id]
    current = calendar.shift_at(read.now)
    if (row.gaming_date, row.shift) >= (current.gaming_date, current.number):
        return None
    ends = (shift.until for shift in calendar.shifts(row.gaming_date) if shift.number == row.shift)
    return next(ends, current.since)


def _attention(beyond: tuple[Notice, ...], alerts: tuple[OpenAlert, ...]) -> tuple[Notice, ...]:
    """Leave out what somebody has seen; add what happened, and what nobody saw while it lasted."""
    seen = {each.kind for each in alerts if each.seen and not each.over}
    found = [each for each in beyond if each.code not in seen]
    now = {each.code for each in found}
    found += [
        Notice(each.kind, "red" if each.level == "red" else "amber", each.value, each.limit, each.since)
        for each in alerts
        if not each.seen and each.kind not in now
    ]
    return tuple(sorted(found, key=lambda each: each.level != "red"))


def _first(people: Iterable[OnDuty], role: str) -> OnDuty | None:
    """Return who of a role is there longest."""
    return next((each for each in people if each.role == role), None)


def _pace(row: _Row, openings: list[_OfDay], odds: Theory, now: datetime) -> int | None:
    """Return complete turns an hour, over the last hour or since the table was opened in this shift."""
    span = min(HOUR, now - openings[0].opened_at)
    return None if span < SETTLING_IN else round(odds.recent * HOUR / span)


def word(odds: Theory) -> str:
    """Say in one word how far from the expected win a win is, seen from the house."""
    chance = odds.chance
    if chance is None:
        return "few"
    if chance > LUCKY:
        return "normal"
    way = "up" if odds.win_minor > odds.expectation else "down"
    return f"luck_{way}" if chance > RARE else f"rare_{way}"


def one_in(chance: float | None) -> int | None:
    """Return once in how many times, to two figures, where that is rare."""
    if chance is None or chance > RARE:
        return None
    return int(float(f"{1 / max(chance, 1e-12):.2g}"))
