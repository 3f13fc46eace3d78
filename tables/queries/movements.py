"""One movement of a float: what it said, and everything that it was corrected to. It writes nothing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.backends.utils import CursorWrapper

from tables.queries.slips import filled
from tables.rules.terms import minor_digits

CORRECTABLE = ("opener", "closer", "buy_in", "exchange", "tip_exchange", "fee")
Lines = tuple[tuple[str, str, int, int], ...]  # side, chip, pieces, value


@dataclass(frozen=True, slots=True)
class Said:
    """What a movement says: cash, seat, and chips by side (in, out, counted)."""

    cash_minor: int
    seat: int | None
    chips: Lines

    def side(self, side: str) -> dict[str, int]:
        """Give the pieces of one side by chip."""
        return {chip: pieces for its, chip, pieces, _value in self.chips if its == side}

    def total_minor(self, side: str) -> int:
        return sum(pieces * value for its, _chip, pieces, value in self.chips if its == side)

    @property
    def amount_minor(self) -> int:
        """Return what it is about: what was counted, or the cash, or else what went out or came in."""
        sides = ("counted", "out", "in")
        return self.cash_minor or next((total for side in sides if (total := self.total_minor(side))), 0)

    @property
    def imbalance_minor(self) -> int:
        """Return what came in, cash included, less what went out."""
        return self.cash_minor + self.total_minor("in") - self.total_minor("out")


@dataclass(frozen=True, slots=True)
class MovementCorrectionView:
    """What a movement should have said, by whom, and how what it left owing ended."""

    id: int
    revision: int
    said: Said
    owed_minor: int
    author: str
    approver: str
    corrected_at: datetime
    reason: str | None
    how: str | None


@dataclass(frozen=True, slots=True)
class MovementRecord:
    """A movement with all its corrections. `place`: its number among the movements of its opening, from 1."""

    id: int
    place: int
    opening_id: int
    opening: int
    table: str
    pit_id: int | None
    casino_id: int
    currency: str
    sequence: int
    kind: str
    happened_at: datetime
    author: str
    second: str
    said: Said
    corrections: tuple[MovementCorrectionView, ...]

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)

    @property
    def standing(self) -> Said:
        """Return what holds since it was corrected."""
        return self.corrections[-1].said if self.corrections else self.said

    @property
    def values_minor(self) -> Mapping[str, int]:
        """Return what each chip that it ever named was worth then."""
        of = (self.said, *(each.said for each in self.corrections))
        return {chip: value for said in of for _side, chip, _pieces, value in said.chips}


_MOVEMENTS = """
SELECT * FROM (
    SELECT m.id, row_number() OVER (PARTITION BY m.opening_id ORDER BY m.sequence) AS place, o.id AS opening_id,
        o.number, t.code, t.pit_id, t.casino_id, t.currency, m.sequence, m.kind, e.happened_at, e.author, m.second,
        m.cash_minor, m.seat
    FROM tables_movement m JOIN tables_opening o ON o.id = m.opening_id JOIN tables_table t ON t.id = o.table_id
    JOIN tables_tablehead h ON h.table_id = t.id
    JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence
    WHERE o.id = ANY(%s)
) m WHERE %s::int IS NULL OR place = %s ORDER BY opening_id, place
"""
_CORRECTIONS = """
SELECT c.movement_id, c.id, c.revision, c.cash_minor, c.seat, c.owed_minor, c.author, c.approver, e.recorded_at, x.text,
    k.how
FROM tables_movementcorrection c JOIN tables_opening o ON o.id = c.opening_id
JOIN tables_tablehead h ON h.table_id = o.table_id
JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = c.sequence
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = c.sequence AND x.field = 'reason'
LEFT JOIN tables_clearing k ON k.movement_correction_id = c.id
WHERE c.movement_id = ANY(%s) ORDER BY c.revision
"""

# The closer before each of these openings, as corrected.
CLOSED_BEFORE = """
SELECT o.id, before.counted FROM tables_opening o CROSS JOIN LATERAL (
    SELECT m.counted_minor + (SELECT COALESCE(sum(k.in_minor - k.out_minor), 0)::bigint FROM tables_movement k
        WHERE k.opening_id = e.id AND k.kind = 'closer_correction') AS counted
    FROM tables_movement m JOIN tables_opening e ON e.id = m.opening_id
    WHERE e.table_id = o.table_id AND e.number < o.number AND m.kind = 'closer' ORDER BY e.number DESC LIMIT 1
) before WHERE o.id = ANY(%s)
"""


def movement(opening_id: int, place: int) -> MovementRecord | None:
    """Read a movement of an opening by its number."""
    found = _movements([opening_id], place)
    return found[0] if found else None


def movement_at(table_id: int, opening: int, place: int) -> MovementRecord | None:
    """Read a movement of a table by the numbers of its opening and of itself."""
    if max(opening, place) >= 2**31:
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM tables_opening WHERE table_id = %s AND number = %s", [table_id, opening])
        row = cursor.fetchone()
    return None if row is None else movement(row[0], place)


def movements_of(opening_id: int) -> tuple[MovementRecord, ...]:
    """Read every movement of an opening, in the order of the journal; corrections are movements too."""
    return _movements([opening_id], None)


def corrected_movements(opening_ids: Iterable[int]) -> tuple[MovementRecord, ...]:
    """Read those movements of these openings that were corrected."""
    return tuple(each for each in _movements(list(opening_ids), None) if each.corrections)


def _movements(opening_ids: list[int], place: int | None) -> tuple[MovementRecord, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_MOVEMENTS, [opening_ids, place, place])
        rows = cursor.fetchall()
        ids = [row[0] for row in rows]
        said = _lines(cursor, "tables_movementchip", "movement_id", ids)
        cursor.execute(_CORRECTIONS, [ids])
        corrected = cursor.fetchall()
        lines = _lines(cursor, "tables_movementcorrectionchip", "correction_id", [row[1] for row in corrected])
    corrections = defaultdict(list)
    for of, id, revision, cash, seat, *rest in corrected:
        view = filled(MovementCorrectionView, (id, revision, Said(cash, seat, tuple(lines[id])), *rest))
        corrections[of].append(view)
    return tuple(
        filled(MovementRecord, row[:-2], Said(row[-2], row[-1], tuple(said[row[0]])), tuple(corrections[row[0]]))
        for row in rows
    )


def _lines(cursor: CursorWrapper, table: str, of: str, ids: list[int]) -> dict[int, list[tuple[str, str, int, int]]]:
    cursor.execute(
        f"SELECT {of}, side, chip, pieces, value_minor FROM {table} WHERE {of} = ANY(%s)"  # noqa: S608 # our own names
        " ORDER BY side, value_minor DESC, chip",
        [ids],
    )
    found = defaultdict(list)
    for id, *line in cursor.fetchall():
        found[id].append(tuple(line))
    return found


def closer_before(opening_id: int) -> int | None:
    """Say with how much, as corrected, the table was closed before this opening."""
    with connection.cursor() as cursor:
        cursor.execute(CLOSED_BEFORE, [[opening_id]])
        row = cursor.fetchone()
    return None if row is None else int(row[1])


def opener_after(opening_id: int) -> int | None:
    """Say with how much, as corrected, the table was opened after this opening."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.id FROM tables_opening o JOIN tables_opening e ON e.table_id = o.table_id AND o.number > e.number"
            " WHERE e.id = %s ORDER BY o.number LIMIT 1",
            [opening_id],
        )
        row = cursor.fetchone()
    found = None if row is None else next((each for each in movements_of(row[0]) if each.kind == "opener"), None)
    return None if found is None else found.standing.total_minor("counted")
