"""Slips with their steps, the series of their numbers, the chip bank, and drop boxes. It writes nothing."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection

from tables import access
from tables.access import Author
from tables.models import Staff, WaitingDeed
from tables.queries import people
from tables.rules.terms import minor_digits

V = TypeVar("V")


def filled(view: Callable[..., V], row: Iterable[Any], *more: Any) -> V:
    """Make a view out of the columns of a row and what was read beside it."""
    return view(*row, *more)


# -- slips and the chip bank


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a slip or of a box: who and when."""

    step: str
    author: str
    second: str
    done_at: datetime
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class CorrectionView:
    """What a slip should have said. `difference_minor`: what that adds to the table's float, or (below 0) takes."""

    number: int
    revision: int
    amount_minor: int
    difference_minor: int
    author: str
    approver: str
    corrected_at: datetime
    reason: str | None
    how: str | None
    chips: tuple[tuple[str, int, int], ...]  # chip, pieces, value


@dataclass(frozen=True, slots=True)
class SlipView:
    """A slip with all its steps. `series`: year and number, once it is issued.

    `amount_minor` and `chips` are what was written on it; what holds since it was corrected is the `standing` ones.
    """

    id: UUID
    casino_id: int
    kind: str
    table: str
    table_id: int
    pit_id: int | None
    currency: str
    amount_minor: int
    late: bool
    paper_number: str
    requested_at: datetime
    requested_by: str
    series: tuple[int, int] | None
    chips: tuple[tuple[str, int, int], ...]  # chip, pieces, value
    steps: tuple[StepView, ...]
    corrections: tuple[CorrectionView, ...]

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)

    @property
    def standing_minor(self) -> int:
        return self.corrections[-1].amount_minor if self.corrections else self.amount_minor

    @property
    def standing_chips(self) -> tuple[tuple[str, int, int], ...]:
        return self.corrections[-1].chips if self.corrections else self.chips

    @property
    def number(self) -> str:
        """The number as it is printed: F for a fill, C for a credit slip."""
        return "" if self.series is None else f"{self.kind[0].upper()}-{self.series[0]}-{self.series[1]:06d}"

    @property
    def state(self) -> str:
        """Where it stands: the last step done, or `requested`."""
        return self.steps[-1].step if self.steps else "requested"

    @property
    def people(self) -> frozenset[str]:
        """Everybody who has had this slip in hand."""
        signed = {name for step in self.steps for name in (step.author, step.second) if name}
        return frozenset(signed | {self.requested_by})


_SLIPS = """
SELECT s.id, s.casino_id, s.kind, t.code, t.id, t.pit_id, s.currency, s.amount_minor, s.late, s.paper_number,
    s.requested_at, s.requested_by, n.year, n.number
FROM tables_slip s JOIN tables_table t ON t.id = s.table_id LEFT JOIN tables_slipnumber n ON n.slip_id = s.id
WHERE {where} ORDER BY s.requested_at DESC, s.id
"""
_CORRECTIONS = """
SELECT c.slip_id, c.number, c.revision, c.amount_minor, c.difference_minor, c.author, c.approver, c.corrected_at,
    x.text, k.how,
    (SELECT json_agg(json_build_array(l.chip, l.pieces, l.value_minor) ORDER BY l.value_minor DESC, l.chip)
        FROM tables_slipcorrectionchip l WHERE l.correction_id = c.id)
FROM tables_slipcorrection c JOIN tables_casinohead h ON h.casino_id = c.casino_id
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = c.sequence AND x.field = 'reason'
LEFT JOIN tables_clearing k ON k.slip_correction_id = c.id
WHERE c.slip_id = ANY(%s) ORDER BY c.revision
"""


def slip(id: UUID) -> SlipView | None:
    """Read a slip."""
    found = _slips("s.id = %s", id)
    return found[0] if found else None


def slips_of(ids: Collection[UUID]) -> dict[UUID, SlipView]:
    """Read these slips, by id."""
    return {slip.id: slip for slip in _slips("s.id = ANY(%s)", list(ids), limit=None)}


def moved_at(slip: SlipView) -> datetime | None:
    """Say when the chips of a slip moved at its table; nothing before they have."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT e.happened_at FROM tables_movement m JOIN tables_opening o ON o.id = m.opening_id"
            " JOIN tables_tablehead h ON h.table_id = o.table_id"
            " JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence"
            " WHERE o.table_id = %s AND m.kind = %s AND m.slip = %s",
            [slip.table_id, slip.kind, slip.number],
        )
        row = cursor.fetchone()
    return None if row is None else row[0]


def open_slips() -> tuple[SlipView, ...]:
    """List the slips that have not come to their end, newest first."""
    return _slips(
        "NOT EXISTS (SELECT 1 FROM tables_slipstep e WHERE e.slip_id = s.id"
        " AND e.step IN ('received', 'void', 'declined'))"
    )


@dataclass(frozen=True, slots=True)
class Due:
    """A step of a slip that somebody may take now by his PIN: alone, or at the table with its dealer beside him.

    state, by, since  how far it is, who brought it there (by name, where he has one here), and when
    dealer            whose PIN comes first, with his name; None where it needs nobody else
    """

    slip: UUID
    number: str
    kind: str
    table: str
    currency: str
    exponent: int
    amount_minor: int
    chips: tuple[tuple[str, int, int], ...]
    step: str
    state: str
    by: str
    since: datetime
    dealer: str | None
    dealer_name: str | None


# By kind and state: the next step, and what whoever takes it alone must be allowed.
_ALONE = {
    ("fill", "requested"): ("issued", "slip.issue"),
    ("fill", "issued"): ("carried", "slip.carry"),
    ("credit", "requested"): ("issued", "slip.issue"),
    ("credit", "carried"): ("received", "slip.issue"),
}
# Dealer and somebody over the table sign these together.
_WITH_DEALER = {("fill", "carried"): "received", ("credit", "issued"): "carried"}


def due(author: Author, casino_id: int) -> tuple[Due, ...]:
    """List the steps of slips that wait for this person, the oldest first; none that waits as an approval already."""
    asked_for = set(WaitingDeed.objects.exclude(slip=None).values_list("slip_id", flat=True))
    names = dict(Staff.objects.filter(casino_id=casino_id).values_list("number", "name"))
    found = [slip for slip in open_slips() if slip.casino_id == casino_id and slip.id not in asked_for]
    duty = people.on_duty({slip.table_id for slip in found})
    dealers = {
        table_id: next((each for each in there if each.role == access.DEALER), None) for table_id, there in duty.items()
    }
    steps = (_due(slip, author, dealers.get(slip.table_id), names) for slip in found)
    return tuple(sorted(filter(None, steps), key=lambda each: each.since))


def _due(slip: SlipView, author: Author, dealer: people.OnDuty | None, names: Mapping[str, str]) -> Due | None:
    by, since = (
        (slip.steps[-1].author, slip.steps[-1].done_at) if slip.steps else (slip.requested_by, slip.requested_at)
    )
    first = None
    if (alone := _ALONE.get((slip.kind, slip.state))) is not None:
        step, deed = alone
        if not access.may(author, deed, slip.pit_id) or (step == "carried" and author.number == by):
            return None
    else:
        step, first = _WITH_DEALER[slip.kind, slip.state], dealer
        if first is None or first.number == author.number or not access.may(author, "approve.count", slip.pit_id):
            return None
    return Due(
        slip=slip.id,
        number=slip.number,
        kind=slip.kind,
        table=slip.table,
        currency=slip.currency,
        exponent=slip.exponent,
        amount_minor=slip.amount_minor,
        chips=slip.chips,
        step=step,
        state=slip.state,
        by=names.get(by, by),
        since=since,
        dealer=None if first is None else first.number,
        dealer_name=None if first is None else first.name,
    )


def latest_slips(kind: str | None = None) -> tuple[SlipView, ...]:
    """List the last slips, newest first."""
    return _slips("%s::text IS NULL OR s.kind = %s", kind, kind)


def slips_between(casino_id: int, since: datetime, until: datetime) -> tuple[SlipView, ...]:
    """List every slip of a house that was requested, or went a step, in this time, oldest first."""
    found = _slips(
        "s.casino_id = %s AND (s.requested_at >= %s AND s.requested_at < %s OR EXISTS (SELECT 1 FROM tables_slipstep e"
        " WHERE e.slip_id = s.id AND e.done_at >= %s AND e.done_at < %s))",
        *[casino_id, since, until, since, until],
        limit=None,
    )
    return found[::-1]


def _slips(where: str, *values: Any, limit: int | None = 200) -> tuple[SlipView, ...]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_SLIPS.format(where=where)} LIMIT %s", [*values, limit])
        rows = cursor.fetchall()
        ids = [row[0] for row in rows]
        cursor.execute(
            "SELECT slip_id, chip, pieces, value_minor FROM tables_slipchip WHERE slip_id = ANY(%s)"
            " ORDER BY value_minor DESC, chip",
            [ids],
        )
        chips = defaultdict(list)
        for id, *chip in cursor.fetchall():
            chips[id].append(tuple(chip))
        cursor.execute(
            "SELECT e.slip_id, e.step, e.author, e.second, e.done_at, x.text FROM tables_slipstep e"
            " JOIN tables_slip s ON s.id = e.slip_id JOIN tables_casinohead h ON h.casino_id = s.casino_id"
            " LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = e.sequence"
            " AND x.field = 'reason' WHERE e.slip_id = ANY(%s) ORDER BY e.id",
            [ids],
        )
        steps = defaultdict(list)
        for id, *step in cursor.fetchall():
            steps[id].append(StepView(*step))
        cursor.execute(_CORRECTIONS, [ids])
        corrections = defaultdict(list)
        for id, *correction, corrected in cursor.fetchall():
            corrections[id].append(filled(CorrectionView, correction, tuple(map(tuple, corrected or ()))))
    return tuple(
        filled(
            SlipView,
            row[:12],
            None if row[12] is None else (row[12], row[13]),
            tuple(chips[row[0]]),
            tuple(steps[row[0]]),
            tuple(corrections[row[0]]),
        )
        for row in rows
    )


@dataclass(frozen=True, slots=True)
class SeriesReport:
    """A yearly series of slips: what is missing from it, void, or not yet at its end. `missing` is always empty."""

    kind: str
    year: int
    last: int
    used: int
    missing: tuple[int, ...]
    void: tuple[int, ...]
    unused: tuple[int, ...]
    late: tuple[tuple[int, str], ...]  # number, and the number on the paper


def series_report(casino_id: int, year: int) -> tuple[SeriesReport, ...]:
    """Report missing, void and unused numbers of a year, a series for each kind."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT kind, last FROM tables_slipseries WHERE casino_id = %s AND year = %s ORDER BY kind DESC",
            [casino_id, year],
        )
        series = cursor.fetchall()
        cursor.execute(
            "SELECT n.kind, n.number, s.late, s.paper_number, (SELECT e.step FROM tables_slipstep e"
            " WHERE e.slip_id = s.id AND e.step IN ('received', 'void')) FROM tables_slipnumber n"
            " JOIN tables_slip s ON s.id = n.slip_id WHERE n.casino_id = %s AND n.year = %s ORDER BY n.number",
            [casino_id, year],
        )
        numbers = cursor.fetchall()
    reports = []
    for kind, last in series:
        of = {number: (late, paper, end) for its, number, late, paper, end in numbers if its == kind}
        reports.append(
            SeriesReport(
                kind,
                year,
                last,
                len(of),
                tuple(number for number in range(1, max([last, *of]) + 1) if number not in of),
                tuple(number for number, (_l, _p, end) in of.items() if end == "void"),
                tuple(number for number, (_l, _p, end) in of.items() if end is None),
                tuple((number, paper) for number, (late, paper, _e) in of.items() if late),
            )
        )
    return tuple(reports)


@dataclass(frozen=True, slots=True)
class Stock:
    """Chips of one name in the chip bank: as kept, and as the movements add up."""

    currency: str
    chip: str
    pieces: int
    value_minor: int
    moved: int

    @property
    def agrees(self) -> bool:
        return self.pieces == self.moved


def bank(casino_id: int) -> tuple[Stock, ...]:
    """Read the chip bank, the most valuable chips first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT s.currency, s.chip, s.pieces, COALESCE(c.value_minor, 0),"
            " (SELECT COALESCE(sum(m.pieces), 0)::bigint FROM tables_bankmovement m"
            "  WHERE m.casino_id = s.casino_id AND m.currency = s.currency AND m.chip = s.chip)"
            " FROM tables_bankstock s LEFT JOIN tables_chip c"
            " ON c.casino_id = s.casino_id AND c.currency = s.currency AND c.name = s.chip"
            " WHERE s.casino_id = %s ORDER BY s.currency, c.value_minor DESC NULLS LAST, s.chip",
            [casino_id],
        )
        return tuple(Stock(*row) for row in cursor.fetchall())


# -- drop


@dataclass(frozen=True, slots=True)
class DropCountView:
    """One count of a box."""

    number: int
    total_minor: int
    author: str
    second: str
    counted_at: datetime
    lines: tuple[tuple[int, int], ...]  # denomination, pieces


@dataclass(frozen=True, slots=True)
class DropView:
    """A box with its custody and its counts. Only whoever does not count may see `expected_minor` and what follows."""

    id: int
    box: str
    table: str
    pit_id: int | None
    casino_id: int
    opening: int
    opening_id: int
    gaming_date: date
    currency: str
    expected_minor: int
    approver: str | None
    approved_at: datetime | None
    approved_variance_minor: int | None
    steps: tuple[StepView, ...]
    counts: tuple[DropCountView, ...]

    @property
    def exponent(self) -> int:
        return minor_digits(self.currency)

    @property
    def state(self) -> str:
        """Where it is: attached, removed, received, counted, approved."""
        if self.approver is not None:
            return "approved"
        return "counted" if self.counts else self.steps[-1].step

    @property
    def variance_minor(self) -> int | None:
        """Return the last count less the cash that was bought in with: an approval changes nothing of it."""
        return self.counts[-1].total_minor - self.expected_minor if self.counts else None


_DROPS = """
SELECT d.id, d.box, t.code, t.pit_id, t.casino_id, o.number, o.id, o.gaming_date, t.currency,
    (SELECT COALESCE(sum(m.cash_minor), 0)::bigint FROM tables_movement m
     JOIN tables_tablehead h ON h.table_id = o.table_id
     JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = m.sequence
     WHERE m.opening_id = o.id AND m.kind IN ('buy_in', 'buy_in_correction') AND e.happened_at >= COALESCE(
        (SELECT max(p.done_at) FROM tables_dropstep p JOIN tables_drop b ON b.id = p.drop_id
         WHERE b.opening_id = o.id AND b.id < d.id AND p.step = 'removed'), '-infinity')
     AND e.happened_at < COALESCE(CASE WHEN EXISTS (
            SELECT 1 FROM tables_drop l WHERE l.opening_id = o.id AND l.id > d.id
        ) THEN (SELECT done_at FROM tables_dropstep p WHERE p.drop_id = d.id AND p.step = 'removed')
        END, 'infinity')),
    a.approver, a.approved_at, a.variance_minor
FROM tables_drop d JOIN tables_opening o ON o.id = d.opening_id JOIN tables_table t ON t.id = o.table_id
LEFT JOIN tables_dropapproval a ON a.drop_id = d.id
WHERE {where} ORDER BY d.id DESC
"""


def drops_of(opening_ids: list[int]) -> tuple[DropView, ...]:
    """List the boxes of these openings, all of them."""
    return _drops("d.opening_id = ANY(%s)", opening_ids, limit=None)


def drop(id: int) -> DropView | None:
    """Read a box in its time at one opening."""
    found = _drops("d.id = %s", id)
    return found[0] if found else None


def denominations(casino_id: int) -> dict[str, tuple[int, ...]]:
    """List, by currency, what the last fifty counts found in boxes of a house, in minor units, largest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.currency, array_agg(DISTINCT l.denomination_minor ORDER BY l.denomination_minor DESC)"
            " FROM tables_dropcountline l JOIN tables_dropcount c ON c.id = l.count_id"
            " JOIN tables_drop d ON d.id = c.drop_id JOIN tables_opening o ON o.id = d.opening_id"
            " JOIN tables_table t ON t.id = o.table_id"
            " WHERE t.casino_id = %s AND c.id > (SELECT max(id) - 50 FROM tables_dropcount) GROUP BY t.currency",
            [casino_id],
        )
        return {currency: tuple(values) for currency, values in cursor.fetchall()}


def latest_drops() -> tuple[DropView, ...]:
    """List the last boxes, newest first."""
    return _drops("true")


def _drops(where: str, *values: Any, limit: int | None = 200) -> tuple[DropView, ...]:
    with connection.cursor() as cursor:
        cursor.execute(f"{_DROPS.format(where=where)} LIMIT %s", [*values, limit])
        rows = cursor.fetchall()
        ids = [row[0] for row in rows]
        cursor.execute(
            "SELECT drop_id, step, author, second, done_at FROM tables_dropstep WHERE drop_id = ANY(%s) ORDER BY id",
            [ids],
        )
        steps = defaultdict(list)
        for id, *step in cursor.fetchall():
            steps[id].append(StepView(*step))
        cursor.execute(
            "SELECT c.drop_id, c.number, c.total_minor, c.author, c.second, c.counted_at,"
            " (SELECT json_agg(json_build_array(l.denomination_minor, l.pieces) ORDER BY l.denomination_minor DESC)"
            "  FROM tables_dropcountline l WHERE l.count_id = c.id)"
            " FROM tables_dropcount c WHERE c.drop_id = ANY(%s) ORDER BY c.number",
            [ids],
        )
        counts = defaultdict(list)
        for id, *count, lines in cursor.fetchall():
            counts[id].append(filled(DropCountView, count, tuple(map(tuple, lines or ()))))
    return tuple(filled(DropView, row, tuple(steps[row[0]]), tuple(counts[row[0]])) for row in rows)
