"""The books of a table: what its chips, its cash and its bets say, and whether they agree. It writes nothing.

Money of play is read from settlements as they were first recorded plus the adjustments of corrections; a deal with a
player's bank moves no chip of the house.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper

from tables.queries.movements import CLOSED_BEFORE
from tables.queries.slips import DropView, drops_of, filled
from tables.rules.terms import minor_digits


@dataclass(frozen=True, slots=True)
class Books:
    """The books of one opening of a table, in minor units. What is not known yet is None, never 0.

    taken, paid     of settlements where the house holds the bank, corrections included
    rulings         what rulings on disputes brought the house, or (less than 0) gave to players
    drop            what the count room counted, once every box of the opening has been counted
    opener_of       the closer that the opener should equal: two numbers, both kept
    """

    opening_id: int
    table: str
    pit_id: int | None
    opening: int
    gaming_date: date
    shift: int
    currency: str
    exponent: int
    opened_at: datetime
    closed_at: datetime | None
    opener_minor: int | None
    opener_of_minor: int | None
    closer_minor: int | None
    fills_minor: int
    credits_minor: int
    buy_ins_minor: int
    fees_minor: int
    rulings_minor: int
    boxes: int
    boxes_counted: int
    drop_counted_minor: int
    taken_minor: int
    paid_minor: int
    tolerance_minor: int

    @property
    def drop_minor(self) -> int | None:
        return self.drop_counted_minor if self.boxes and self.boxes == self.boxes_counted else None

    @property
    def game_win_minor(self) -> int:
        """Return what play brought the house, with what it takes as fees and what was ruled on."""
        return self.taken_minor - self.paid_minor + self.fees_minor + self.rulings_minor

    @property
    def expected_float_minor(self) -> int | None:
        """Return what should lie in the float after all this."""
        if self.opener_minor is None:
            return None
        moved = self.fills_minor - self.credits_minor - self.buy_ins_minor
        return self.opener_minor + moved + self.game_win_minor

    @property
    def float_difference_minor(self) -> int | None:
        """Return the closer less what was expected: the part of the residual that lies in the chips."""
        if self.closer_minor is None or self.expected_float_minor is None:
            return None
        return self.closer_minor - self.expected_float_minor

    @property
    def drop_variance_minor(self) -> int | None:
        """Return what was counted less what was bought in: the part of the residual that lies in the cash."""
        return None if self.drop_minor is None else self.drop_minor - self.buy_ins_minor

    @property
    def opener_difference_minor(self) -> int | None:
        if self.opener_minor is None or self.opener_of_minor is None:
            return None
        return self.opener_minor - self.opener_of_minor

    @property
    def win_minor(self) -> int | None:
        """Return closer + credits + drop - opener - fills."""
        if self.closer_minor is None or self.opener_minor is None or self.drop_minor is None:
            return None
        return self.closer_minor + self.credits_minor + self.drop_minor - self.opener_minor - self.fills_minor

    @property
    def hold(self) -> Fraction | None:
        """Return win / drop; nothing where the drop is 0."""
        return Fraction(self.win_minor, self.drop_minor) if self.win_minor is not None and self.drop_minor else None

    @property
    def residual_minor(self) -> int | None:
        """Return win - game win: what neither chips, cash nor bets explain."""
        return None if self.win_minor is None else self.win_minor - self.game_win_minor

    @property
    def within_tolerance(self) -> bool | None:
        return None if self.residual_minor is None else abs(self.residual_minor) <= self.tolerance_minor

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        hold = self.hold
        stored = {name: getattr(self, name) for name in self.__slots__ if name not in ("opening_id", "pit_id")}
        return stored | {
            "drop_minor": self.drop_minor,
            "game_win_minor": self.game_win_minor,
            "expected_float_minor": self.expected_float_minor,
            "float_difference_minor": self.float_difference_minor,
            "drop_variance_minor": self.drop_variance_minor,
            "opener_difference_minor": self.opener_difference_minor,
            "win_minor": self.win_minor,
            "hold": None if hold is None else f"{hold.numerator}/{hold.denominator}",
            "residual_minor": self.residual_minor,
            "within_tolerance": self.within_tolerance,
        }


@dataclass(frozen=True, slots=True)
class Total:
    """Several openings together, as far as each of them is known; `complete` where all are.

    `tolerance_minor` is what a house lets pass at one table.
    """

    currency: str
    exponent: int
    openings: int
    complete: bool
    drop_minor: int
    win_minor: int
    game_win_minor: int
    residual_minor: int
    tolerance_minor: int

    @property
    def hold(self) -> Fraction | None:
        return Fraction(self.win_minor, self.drop_minor) if self.drop_minor else None

    @property
    def within_tolerance(self) -> bool | None:
        return abs(self.residual_minor) <= self.tolerance_minor if self.complete else None


_OPENINGS = """
SELECT o.id, t.code, t.pit_id, o.number, o.gaming_date, COALESCE(o.shift, 1), t.currency, o.opened_at, c.closed_at,
    t.casino_id, t.id
FROM tables_opening o JOIN tables_table t ON t.id = o.table_id LEFT JOIN tables_closing c ON c.opening_id = o.id
WHERE {where} ORDER BY t.code, o.number
"""
# The sequence is that of a table's journal, so that every figure can also be read as it stood at an entry.
_MOVED = """
SELECT opening_id, kind, sum(cash_minor), sum(in_minor), sum(out_minor), sum(counted_minor) FROM tables_movement
WHERE opening_id = ANY(%s) AND kind <> 'count' GROUP BY opening_id, kind
"""
_PLAYED = """
SELECT opening_id, sequence, deal_id, sum(taken_minor) AS taken, sum(paid_minor) AS paid FROM (
    SELECT s.opening_id, s.sequence, s.deal_id, s.taken_minor, s.paid_minor
    FROM tables_settlement s JOIN tables_deal d ON d.id = s.deal_id
    WHERE s.opening_id = ANY(%s) AND d.bank_minor IS NULL
        AND NOT EXISTS (SELECT 1 FROM tables_correction c WHERE c.deal_id = s.deal_id AND c.sequence = s.sequence)
    UNION ALL
    SELECT a.opening_id, a.sequence, a.deal_id, a.taken_minor, a.paid_minor
    FROM tables_adjustment a JOIN tables_deal d ON d.id = a.deal_id
    WHERE a.opening_id = ANY(%s) AND d.bank_minor IS NULL
) moved GROUP BY opening_id, sequence, deal_id
"""
_BOOKED_ELSEWHERE = """
SELECT t.code, sum((a.taken_minor - a.paid_minor) * CASE WHEN a.opening_id = ANY(%(ids)s) THEN 1 ELSE -1 END)
FROM tables_adjustment a JOIN tables_deal d ON d.id = a.deal_id JOIN tables_table t ON t.id = d.table_id
WHERE d.bank_minor IS NULL AND (a.opening_id = ANY(%(ids)s)) <> (d.opening_id = ANY(%(ids)s)) GROUP BY t.code
"""
_DROPPED = """
SELECT d.opening_id, count(*), count(n.total_minor), COALESCE(sum(n.total_minor), 0) FROM tables_drop d
LEFT JOIN LATERAL (
    SELECT total_minor FROM tables_dropcount n WHERE n.drop_id = d.id ORDER BY number DESC LIMIT 1
) n ON true
WHERE d.opening_id = ANY(%s) GROUP BY d.opening_id
"""


def books_of_day(casino_id: int, gaming_date: date, pit_ids: frozenset[int] | None = None) -> tuple[Books, ...]:
    """Read the books of every opening of a house's gaming day, of all tables or those of these pits."""
    where = "t.casino_id = %s AND o.gaming_date = %s AND (%s::bigint[] IS NULL OR t.pit_id = ANY(%s))"
    return _books(where, casino_id, gaming_date, pit_ids)


def books_of_days(casino_id: int, first: date, last: date) -> tuple[Books, ...]:
    """Read the books of every opening of the gaming days from `first` to `last`, both included."""
    return _books("t.casino_id = %s AND o.gaming_date BETWEEN %s AND %s", casino_id, first, last)


def books_of_openings(opening_ids: Iterable[int]) -> tuple[Books, ...]:
    """Read the books of these openings."""
    return _books("o.id = ANY(%s)", list(opening_ids))


def books_of_opening(code: str, number: int) -> Books | None:
    """Read the books of one opening."""
    found = _books("t.code = %s AND o.number = %s", code, number)
    return found[0] if found else None


def _books(where: str, *values: Any) -> tuple[Books, ...]:
    parameters: list[Any] = []
    for value in values:
        if isinstance(value, frozenset):
            parameters += [list(value)] * 2
        elif value is None:
            parameters += [None, None]
        else:
            parameters.append(value)
    with connection.cursor() as cursor:
        cursor.execute(_OPENINGS.format(where=where), parameters)
        openings = cursor.fetchall()
        ids = [row[0] for row in openings]
        cursor.execute(_MOVED, [ids])
        moved = {(opening, kind): tuple(map(int, sums)) for opening, kind, *sums in cursor.fetchall()}
        cursor.execute(
            f"SELECT opening_id, sum(taken), sum(paid) FROM ({_PLAYED}) played GROUP BY opening_id",  # noqa: S608 # ours
            [ids, ids],
        )
        played = {opening: (int(taken), int(paid)) for opening, taken, paid in cursor.fetchall()}
        cursor.execute(_DROPPED, [ids])
        dropped = {opening: (boxes, counted, int(total)) for opening, boxes, counted, total in cursor.fetchall()}
        cursor.execute(CLOSED_BEFORE, [ids])
        before = {opening: int(minor) for opening, minor in cursor.fetchall()}
        cursor.execute(
            "SELECT DISTINCT ON (c.id, 2) c.id, COALESCE(NULLIF(p.currency, ''), c.currency), p.tolerance_minor"
            " FROM tables_chippolicy p JOIN tables_casino c ON c.id = p.casino_id ORDER BY c.id, 2, p.number DESC"
        )
        tolerance = {(casino_id, currency): minor for casino_id, currency, minor in cursor.fetchall()}
    none = (0, 0, 0, 0)

    def corrected(opening: int, kind: str) -> int:
        """Say what corrections of such movements brought into the float, or (less than 0) took out of it."""
        _cash, came, left, _counted = moved.get((opening, f"{kind}_correction"), none)
        return came - left

    def counted(opening: int, kind: str) -> int | None:
        return moved[opening, kind][3] + corrected(opening, kind) if (opening, kind) in moved else None

    return tuple(
        Books(
            opening_id=id,
            table=code,
            pit_id=pit_id,
            opening=number,
            gaming_date=day,
            shift=shift,
            currency=currency,
            exponent=minor_digits(currency),
            opened_at=opened_at,
            closed_at=closed_at,
            opener_minor=counted(id, "opener"),
            opener_of_minor=before.get(id),
            closer_minor=counted(id, "closer"),
            fills_minor=moved.get((id, "fill"), none)[1] + corrected(id, "fill"),
            credits_minor=moved.get((id, "credit"), none)[2] - corrected(id, "credit"),
            buy_ins_minor=moved.get((id, "buy_in"), none)[0] + moved.get((id, "buy_in_correction"), none)[0],
            fees_minor=moved.get((id, "fee"), none)[1] + corrected(id, "fee"),
            rulings_minor=moved.get((id, "ruling"), none)[1] - moved.get((id, "ruling"), none)[2],
            boxes=dropped.get(id, none)[0],
            boxes_counted=dropped.get(id, none)[1],
            drop_counted_minor=dropped.get(id, none)[2],
            taken_minor=played.get(id, none)[0],
            paid_minor=played.get(id, none)[1],
            tolerance_minor=tolerance.get((casino_id, currency), 0),
        )
        for id, code, pit_id, number, day, shift, currency, opened_at, closed_at, casino_id, _table_id in openings
    )


def booked_elsewhere(opening_ids: Iterable[int]) -> dict[str, int]:
    """Say, by table, by how much the game win in the books of these openings differs from that of their own deals.

    A deal may be corrected when its table has been closed and opened again: it is a deal of the first opening, and the
    money counts in the second.
    """
    ids = list(opening_ids)
    with connection.cursor() as cursor:
        cursor.execute(_BOOKED_ELSEWHERE, {"ids": ids})
        return {code: int(apart) for code, apart in cursor.fetchall()}


def by_shift(books: Iterable[Books]) -> dict[int, tuple[Books, ...]]:
    """Part the books of a day by shift: an opening belongs to the shift in which it was opened."""
    parts: dict[int, list[Books]] = defaultdict(list)
    for each in books:
        parts[each.shift].append(each)
    return {shift: tuple(of) for shift, of in sorted(parts.items())}


def by_table(books: Iterable[Books]) -> dict[str, tuple[Books, ...]]:
    """Part books by table: the openings that a table had in a shift or a day."""
    parts: dict[str, list[Books]] = defaultdict(list)
    for each in books:
        parts[each.table].append(each)
    return {table: tuple(of) for table, of in sorted(parts.items())}


def totals(books: Iterable[Books]) -> tuple[Total, ...]:
    """Add books up, a currency at a time. An opening that is not known in full adds what is known of it."""
    by_currency: dict[str, list[Books]] = defaultdict(list)
    for each in books:
        by_currency[each.currency].append(each)
    return tuple(
        Total(
            currency=currency,
            exponent=minor_digits(currency),
            openings=len(of),
            complete=all(each.win_minor is not None for each in of),
            drop_minor=sum(each.drop_minor or 0 for each in of),
            win_minor=sum(each.win_minor or 0 for each in of),
            game_win_minor=sum(each.game_win_minor for each in of),
            residual_minor=sum(each.residual_minor or 0 for each in of),
            tolerance_minor=max(each.tolerance_minor for each in of),
        )
        for currency, of in sorted(by_currency.items())
    )


@dataclass(frozen=True, slots=True)
class Inventory:
    """Chips of one name in a count that opened or closed a table. `value_minor` is a piece's; of a colour chip 0."""

    table: str
    opening: int
    kind: str
    currency: str
    chip: str
    pieces: int
    value_minor: int


# The chips of a count as last corrected, or as they were written.
_INVENTORIES = """
SELECT t.code, o.number, m.kind, t.currency, c.chip, c.pieces, c.value_minor FROM tables_movement m
JOIN tables_opening o ON o.id = m.opening_id JOIN tables_table t ON t.id = o.table_id
JOIN LATERAL (
    SELECT l.chip, l.pieces, l.value_minor FROM tables_movementcorrectionchip l WHERE l.correction_id = (
        SELECT k.id FROM tables_movementcorrection k WHERE k.movement_id = m.id ORDER BY k.revision DESC LIMIT 1)
    UNION ALL
    SELECT l.chip, l.pieces, l.value_minor FROM tables_movementchip l WHERE l.movement_id = m.id
        AND NOT EXISTS (SELECT 1 FROM tables_movementcorrection k WHERE k.movement_id = m.id)
) c ON true
WHERE m.opening_id = ANY(%s) AND m.kind IN ('opener', 'closer')
ORDER BY t.code, o.number, m.sequence, c.value_minor DESC, c.chip
"""


def inventories(opening_ids: Iterable[int]) -> tuple[Inventory, ...]:
    """Read openers and closers by denomination, as corrected, the most valuable chips first."""
    with connection.cursor() as cursor:
        cursor.execute(_INVENTORIES, [list(opening_ids)])
        return tuple(Inventory(*row) for row in cursor.fetchall())


# -- what lies behind them


@dataclass(frozen=True, slots=True)
class MovementView:
    """A movement with what should have lain in the float after it; `difference_minor` where it was counted.

    `place`: its number in the opening. Of a corrected one the figures stay those that were written; what it was
    corrected to is a movement of its own.
    """

    place: int
    sequence: int
    kind: str
    happened_at: datetime
    late: bool
    author: str
    second: str
    seat: int | None
    slip: str
    cash_minor: int
    in_minor: int
    out_minor: int
    counted_minor: int
    chips: tuple[tuple[str, str, int, int], ...]  # side, chip, pieces, value
    expected_minor: int | None

    @property
    def difference_minor(self) -> int | None:
        if self.kind not in ("closer", "count") or self.expected_minor is None:
            return None
        return self.counted_minor - self.expected_minor


@dataclass(frozen=True, slots=True)
class DealPlayed:
    """What a deal brought the house in this opening."""

    deal: str
    taken_minor: int
    paid_minor: int


@dataclass(frozen=True, slots=True)
class Account:
    """An opening with everything its figures are made of."""

    books: Books
    movements: tuple[MovementView, ...]
    deals: tuple[DealPlayed, ...]
    drops: tuple[DropView, ...]
    colours_out: Mapping[str, int]


def account(code: str, number: int) -> Account | None:
    """Read an opening down to its movements, deals and boxes."""
    books = books_of_opening(code, number)
    if books is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT m.id, row_number() OVER (ORDER BY m.sequence), m.sequence, m.kind, e.happened_at, e.late,"
            " e.author, m.second,"
            " m.seat, m.slip, m.cash_minor, m.in_minor, m.out_minor, m.counted_minor FROM tables_movement m"
            " JOIN tables_opening o ON o.id = m.opening_id JOIN tables_tablehead h ON h.table_id = o.table_id"
            " JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence"
            " WHERE m.opening_id = %s ORDER BY m.sequence",
            [books.opening_id],
        )
        rows = cursor.fetchall()
        cursor.execute(
            "SELECT movement_id, side, chip, pieces, value_minor FROM tables_movementchip WHERE movement_id = ANY(%s)"
            " ORDER BY side, value_minor DESC, chip",
            [[row[0] for row in rows]],
        )
        chips = defaultdict(list)
        for movement, *chip in cursor.fetchall():
            chips[movement].append(tuple(chip))
        corrected = _corrected(cursor, books.opening_id)
        cursor.execute(_PLAYED + " ORDER BY sequence", [[books.opening_id]] * 2)
        played = [(sequence, deal, int(taken), int(paid)) for _o, sequence, deal, taken, paid in cursor.fetchall()]
        cursor.execute(
            "SELECT id, name FROM tables_deal WHERE id = ANY(%s) ORDER BY number", [[each[1] for each in played]]
        )
        names = cursor.fetchall()
        cursor.execute(
            "SELECT c.name FROM tables_chip c JOIN tables_table t USING (casino_id, currency)"
            " WHERE t.code = %s AND c.value_minor IS NULL",
            [code],
        )
        colours = frozenset(name for (name,) in cursor.fetchall())
    deals = tuple(
        DealPlayed(
            name, sum(each[2] for each in played if each[1] == id), sum(each[3] for each in played if each[1] == id)
        )
        for id, name in names
    )
    shown = chips | {by: lines for by, _of, lines in corrected}
    standing = chips | {of: lines for _by, of, lines in corrected}  # the last correction of each is the last one here
    counts = {row[0] for row in rows if row[3] in ("opener", "closer", "count")}
    moved = {movement: lines for movement, lines in standing.items() if movement not in counts}
    return Account(
        books, _with_expected(rows, shown, played), deals, drops_of([books.opening_id]), _colours_out(moved, colours)
    )


def _corrected(cursor: CursorWrapper, opening_id: int) -> list[tuple[int, int, list[Any]]]:
    """Read the corrections of an opening's movements: which movement says so, of which, and the chips as corrected."""
    cursor.execute(
        "SELECT b.id, c.movement_id, COALESCE(json_agg(json_build_array(l.side, l.chip, l.pieces, l.value_minor)"
        " ORDER BY l.side, l.value_minor DESC, l.chip) FILTER (WHERE l.id IS NOT NULL), '[]')"
        " FROM tables_movementcorrection c JOIN tables_movement b"
        " ON b.opening_id = c.opening_id AND b.sequence = c.sequence"
        " LEFT JOIN tables_movementcorrectionchip l ON l.correction_id = c.id"
        " WHERE c.opening_id = %s GROUP BY b.id, c.id ORDER BY c.revision",
        [opening_id],
    )
    return [(by, of, [tuple(line) for line in lines]) for by, of, lines in cursor.fetchall()]


def _with_expected(
    rows: list[tuple[Any, ...]], chips: Mapping[int, list[Any]], played: list[tuple[int, int, int, int]]
) -> tuple[MovementView, ...]:
    """Say beside each movement what should have lain in the float after it, in the order of the journal."""
    views, expected, place = [], None, 0
    for id, number, sequence, kind, *rest in rows:
        came, left, counted = rest[-3:]
        if kind == "opener":
            expected = counted
        while place < len(played) and played[place][0] < sequence:
            if expected is not None:
                expected += played[place][2] - played[place][3]
            place += 1
        if expected is not None and kind != "closer_correction":  # what was found, not what should have been
            expected += came - left
        views.append(filled(MovementView, (number, sequence, kind, *rest), tuple(chips.get(id, ())), expected))
    return tuple(views)


def _colours_out(chips: Mapping[int, list[Any]], colours: frozenset[str]) -> dict[str, int]:
    """Say how many colour chips the players hold: those that went out and did not come back."""
    out: dict[str, int] = defaultdict(int)
    for lines in chips.values():
        for side, chip, pieces, _value in lines:
            if chip in colours and side != "counted":
                out[chip] += pieces if side == "out" else -pieces
    return {chip: pieces for chip, pieces in out.items() if pieces}


_EXPECTED_AT = """
WITH o AS (
    SELECT o.id, h.journal_id FROM tables_opening o
    JOIN tables_table t ON t.id = o.table_id JOIN tables_tablehead h ON h.table_id = t.id
    WHERE t.code = %(code)s AND o.number = %(number)s AND o.opened_at <= %(moment)s
), moved AS (
    SELECT m.sequence, CASE m.kind WHEN 'opener' THEN m.counted_minor ELSE m.in_minor - m.out_minor END AS amount,
        m.kind = 'opener' AS opener
    FROM tables_movement m JOIN o ON o.id = m.opening_id WHERE m.kind <> 'closer_correction'
    UNION ALL
    SELECT sequence, taken - paid, false FROM ({played}) played
)
SELECT CASE WHEN bool_or(moved.opener) THEN sum(moved.amount)::bigint END FROM moved
JOIN o ON true JOIN tables_entry e ON e.journal_id = o.journal_id AND e.sequence = moved.sequence
WHERE e.happened_at <= %(moment)s
"""


def expected_at(books: Books, moment: datetime) -> int | None:
    """Say what should have lain in the float of an opening at a moment; nothing without an opener before it.

    By when things happened, so that what came late counts where it belongs.
    """
    played = _PLAYED.replace("ANY(%s)", "ANY(%(ids)s)")
    with connection.cursor() as cursor:
        cursor.execute(
            _EXPECTED_AT.format(played=played),
            {"code": books.table, "number": books.opening, "moment": moment, "ids": [books.opening_id]},
        )
        (expected,) = cursor.fetchone()
    return None if expected is None else int(expected)


@dataclass(frozen=True, slots=True)
class CountFound:
    """The last count of an opening's float: when, and what it found more or less than should have lain there."""

    counted_at: datetime
    difference_minor: int


_LAST_COUNTS = """
WITH n AS (
    SELECT DISTINCT ON (m.opening_id) m.opening_id, m.sequence, m.counted_minor + CASE m.kind WHEN 'closer' THEN (
        SELECT COALESCE(sum(k.in_minor - k.out_minor), 0)::bigint FROM tables_movement k
        WHERE k.opening_id = m.opening_id AND k.kind = 'closer_correction') ELSE 0 END AS counted_minor
    FROM tables_movement m
    WHERE m.opening_id = ANY(%(ids)s) AND m.kind IN ('count', 'closer') ORDER BY m.opening_id, m.sequence DESC
), moved AS (
    SELECT m.opening_id, m.sequence, CASE m.kind WHEN 'opener' THEN m.counted_minor ELSE m.in_minor - m.out_minor END
        AS amount
    FROM tables_movement m WHERE m.opening_id = ANY(%(ids)s)
    UNION ALL
    SELECT opening_id, sequence, taken - paid FROM ({played}) played
)
SELECT n.opening_id, e.happened_at, n.counted_minor - sum(moved.amount)::bigint
FROM n JOIN moved ON moved.opening_id = n.opening_id AND moved.sequence < n.sequence
JOIN tables_opening o ON o.id = n.opening_id JOIN tables_tablehead h ON h.table_id = o.table_id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = n.sequence
WHERE EXISTS (SELECT 1 FROM tables_movement m WHERE m.opening_id = n.opening_id AND m.kind = 'opener')
GROUP BY n.opening_id, e.happened_at, n.counted_minor
"""


def last_counts(opening_ids: Iterable[int]) -> dict[int, CountFound]:
    """Read the last count of each of these openings, the closing one included, where it began with a count."""
    played = _PLAYED.replace("ANY(%s)", "ANY(%(ids)s)")
    with connection.cursor() as cursor:
        cursor.execute(_LAST_COUNTS.format(played=played), {"ids": list(opening_ids)})
        return {opening: CountFound(counted_at, int(found)) for opening, counted_at, found in cursor.fetchall()}


@dataclass(frozen=True, slots=True)
class IncidentView:
    """Two numbers that should have been one."""

    table: str
    pit_id: int | None
    opening: int
    gaming_date: date
    kind: str
    level: str
    expected_minor: int
    found_minor: int
    currency: str

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)


def incidents(casino_id: int, gaming_date: date, pit_ids: frozenset[int] | None = None) -> tuple[IncidentView, ...]:
    """List the incidents of a house's gaming day."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.code, t.pit_id, o.number, i.gaming_date, i.kind, i.level, i.expected_minor, i.found_minor,"
            " t.currency FROM tables_incident i JOIN tables_opening o ON o.id = i.opening_id"
            " JOIN tables_table t ON t.id = o.table_id WHERE t.casino_id = %s AND i.gaming_date = %s"
            " AND (%s::bigint[] IS NULL OR t.pit_id = ANY(%s)) ORDER BY t.code, i.sequence",
            [casino_id, gaming_date, *[None if pit_ids is None else list(pit_ids)] * 2],
        )
        return tuple(IncidentView(*row) for row in cursor.fetchall())
