"""Deeds with chips and cash that people sign by PIN: counts of a float, slips, the chip bank, drop boxes.

Each in a transaction of its own. Whoever signs has been found by his PIN at the edge and comes in as an `Author`; that
two who sign are two is asked here. The casino's head is locked first, which brings what touches the cage into an
order, then the table's.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from tables import access, live, tablelog
from tables.access import Author
from tables.actions import door, people
from tables.actions.door import Sent, Writer
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.journal.chain import time_text
from tables.models import (
    BankMovement,
    BankStock,
    CasinoHead,
    Chip,
    ChipPolicy,
    Drop,
    DropApproval,
    DropCount,
    DropCountLine,
    DropStep,
    EventId,
    Opening,
    Slip,
    SlipChip,
    SlipCorrection,
    SlipCorrectionChip,
    SlipNumber,
    SlipSeries,
    SlipStep,
    Table,
)
from tables.queries import chips as house_chips
from tables.queries import shifts as shift_queries
from tables.queries import slips as queries
from tables.queries.answers import Answer
from tables.queries.slips import DropView, SlipView
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

Pieces = Mapping[str, int]
MOST_PIECES = 10_000_000
MOVED_BY_ONE = frozenset({"buy_in", "exchange", "tip_exchange", "fee", "colour"})
# Whoever may do one of these sees what was bought in at a table, or the figures made of it.
_SHOW_WHAT_IS_EXPECTED = ("read.books", "read.players", "read.table", "read.floor", "chips.move", "movement.correct")
_NAMESPACE = UUID("0a3f5e6c-9d0b-5a55-8a4f-7b6f2f1d9c11")


def sign(
    casino_id: int,
    signatures: Sequence[tuple[str, str]],
    *,
    here: str | None,
    device_id: int | None,
    at_least: int,
    now: datetime,
) -> list[Author]:
    """Find out by their PINs who signs: pairs of staff number and PIN. Each PIN is tried in a transaction of its own.

    `here` is who is logged in: one of the signatures is his. Raises: wrong_pin, not_allowed.
    """
    numbers = [number.strip().upper() for number, _pin in signatures]
    if len(numbers) < at_least or len(set(numbers)) < len(numbers):
        raise Refusal(DoorCode.NOT_ALLOWED, "Two people sign this.")
    if here is not None and here not in numbers:
        raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {here} is logged in here and signs by his own PIN.", staff=here)
    return [
        people.verify_pin(casino_id=casino_id, number=number, pin=pin, device_id=device_id, now=now)
        for number, (_number, pin) in zip(numbers, signatures, strict=True)
    ]


# -- counting a float


def open_counted(code: str, chips: Pieces, *, dealer: Author, inspector: Author, id: UUID, now: datetime) -> Answer:
    """Open a table with the count of its float, which dealer and inspector sign.

    A count that differs from the last closer is recorded as it is, beside that closer.
    Raises: not_allowed, not_offered, unknown_chip, bad_line.
    """
    return _count(code, "opener", chips, dealer, inspector, id, now)


def close_counted(code: str, chips: Pieces, *, dealer: Author, inspector: Author, id: UUID, now: datetime) -> Answer:
    """Close a table with the count of its float. Of two closings one takes effect.

    Raises: not_allowed, table_closed, deal_not_finished, count_needed, unknown_chip, bad_line.
    """
    return _count(code, "closer", chips, dealer, inspector, id, now)


def roll_over(code: str, chips: Pieces, *, dealer: Author, inspector: Author, id: UUID, now: datetime) -> Answer:
    """Count a table that plays on past the change of shifts: its closer and the opener of its next opening, at once.

    What is counted once is both, so nothing can differ. An opening that began without a count ends without one.
    Of two at once one takes effect. Raises: not_allowed, already_done for a table that is in the running shift,
    table_closed, deal_not_finished, unknown_chip, bad_line.
    """
    table = Table.objects.get(code=code)
    access.require(dealer, "count.float", table.pit_id)
    access.require(inspector, "approve.count", table.pit_id)
    _require_two(dealer, inspector)
    counted = {"chips": dict(chips), "inspector": inspector.number}
    writer = Writer(dealer.number, dealer.staff_id, "")

    def sent(id: UUID, event: dict[str, Any]) -> Sent:
        return Sent(id, event, writer, {}, None, None, vouched=True)

    with transaction.atomic():
        _lock(table.casino_id)
        events = [sent(id, {"type": "opener", **counted})]
        if not EventId.objects.filter(id=id).exists():
            if not Opening.objects.filter(table=table, closing=None).exists():
                raise Refusal(DoorCode.TABLE_CLOSED, f"Table {code} is closed.", value=code)
            due = [each for each in shift_queries.overdue(table.casino_id, now) if each.table == code]
            if not due:
                raise Refusal(DoorCode.ALREADY_DONE, f"Table {code} is in the shift that runs now.", value=code)
            closes = {"type": "closer", **counted} if due[0].counted else {"type": "close"}
            events.insert(0, sent(uuid.uuid5(_NAMESPACE, f"{id} closes"), closes))
        answers, _head, _after = door.record_for_house(code, events)
        return answers[-1]


def count_float(code: str, chips: Pieces, *, dealer: Author, inspector: Author, id: UUID, now: datetime) -> Answer:
    """Record a spot count: what lies in the float now, also inside an open turn. It moves nothing.

    Raises: not_allowed, table_closed, unknown_chip, bad_line.
    """
    return _count(code, "count", chips, dealer, inspector, id, now)


def move_chips(code: str, event: dict[str, Any], *, id: UUID, author: Author) -> Answer:
    """Record at an open table what moves beside play and one person signs: `MOVED_BY_ONE` events of the table log.

    Raises: not_allowed, bad_line, table_closed, paused, and what the door refuses such an event with.
    """
    if event.get("type") not in MOVED_BY_ONE:
        raise Refusal(Code.BAD_LINE, f"{event.get('type')!r} is not signed by one person.")
    tablelog.parse_object(event, stamps=False)  # its author and its moment are not the sender's to say
    table = Table.objects.get(code=code)
    access.require(author, "chips.move", table.pit_id)
    with transaction.atomic():
        return _at_table(code, event, author, id)


def _count(code: str, type: str, chips: Pieces, dealer: Author, inspector: Author, id: UUID, now: datetime) -> Answer:
    table = Table.objects.get(code=code)
    access.require(dealer, "count.float", table.pit_id)
    access.require(inspector, "approve.count", table.pit_id)
    _require_two(dealer, inspector)
    event = {"type": type, "chips": dict(chips), "inspector": inspector.number}
    with transaction.atomic():
        return _at_table(code, event, dealer, id)


def _at_table(
    code: str,
    event: dict[str, Any],
    author: Author,
    id: UUID,
    happened_at: datetime | None = None,
    stamps: dict[str, Any] | None = None,
) -> Answer:
    """Have the door record at a table what has been signed; in the caller's transaction."""
    writer = Writer(author.number, author.staff_id, "")
    sent = Sent(id, event, writer, stamps or {}, happened_at, None, vouched=True)
    answers, _head, _after = door.record_for_house(code, [sent])
    return answers[0]


# -- the house's chips


def declare_chips(
    casino_id: int,
    currency: str,
    chip_set: str,
    values_minor: Mapping[str, int | None],
    *,
    by: Author | None,
    now: datetime,
    id: UUID | None = None,
) -> None:
    """Declare chips of the house: names with their values, None for colour chips. `by` None is the operator's shell.

    A chip that is known already stays as it is. The same id again declares nothing.
    Raises: not_allowed, bad_line, already_done for a chip with another value, id_reused.
    """
    if by is not None:
        access.require(by, "chips.declare", None)
    asked = {"currency": currency, "chip_set": chip_set, "values_minor": dict(values_minor)}
    with once(casino_id, id, "chips", **asked, author=by.number if by else "") as repeated:
        if repeated:
            return
        known = dict(Chip.objects.filter(casino_id=casino_id, currency=currency).values_list("name", "value_minor"))
        changed = [name for name, value in values_minor.items() if name in known and known[name] != value]
        if changed:
            raise Refusal(DoorCode.ALREADY_DONE, f"Chip {changed[0]!r} has another value already.", value=changed[0])
        new = {name: value for name, value in values_minor.items() if name not in known}
        if not new:
            return
        body = {
            "currency": currency,
            "chip_set": chip_set,
            "values_minor": {name: value for name, value in new.items() if value is not None},
            "colours": sorted(name for name, value in new.items() if value is None),
        }
        receipt = append_to_casino(casino_id, "chips", body, author=by.number if by else "", happened_at=now)
        Chip.objects.bulk_create(
            Chip(
                casino_id=casino_id,
                currency=currency,
                name=name,
                chip_set=chip_set,
                value_minor=value,
                sequence=receipt.sequence,
            )
            for name, value in new.items()
        )


def set_policy(
    casino_id: int,
    *,
    currency: str,
    notice_minor: int,
    grave_minor: int,
    tolerance_minor: int,
    author: Author,
    approver: Author,
    now: datetime,
    id: UUID | None = None,
) -> None:
    """Set, by two, above which difference a count is an incident and how much a residual may be, in a currency.

    At tables of another currency what holds there stays. The same id again is the same deed.
    Raises: not_allowed, bad_line, id_reused.
    """
    access.require(author, "chips.declare", None)
    access.require(approver, "approve.policy", None)
    _require_two(author, approver)
    if not 0 < notice_minor <= grave_minor < 2**53 or not 0 <= tolerance_minor < 2**53:
        raise Refusal(Code.BAD_LINE, "What is grave is not below what is noted, and both are above 0.")
    amounts = {"notice_minor": notice_minor, "grave_minor": grave_minor, "tolerance_minor": tolerance_minor}
    signed = {"author": author.number, "approver": approver.number}
    if currency not in house_chips.currencies(casino_id):
        raise Refusal(Code.BAD_LINE, f"The house has no table and no chip in {currency!r}.", value=currency)
    with once(casino_id, id, "chip_policy", currency=currency, **amounts, **signed) as repeated:
        if repeated:
            return
        last = ChipPolicy.objects.filter(casino_id=casino_id).aggregate(last=Max("number"))["last"] or 0
        body = {"approver": approver.number, "number": last + 1, "currency": currency, **amounts}
        receipt = append_to_casino(casino_id, "chip_policy", body, author=author.number, happened_at=now)
        ChipPolicy.objects.create(
            casino_id=casino_id,
            number=last + 1,
            currency=currency,
            author=author.number,
            approver=approver.number,
            sequence=receipt.sequence,
            **amounts,
        )


def deliver(
    casino_id: int,
    currency: str,
    chips: Pieces,
    *,
    author: Author | None,
    second: Author | None,
    now: datetime,
    id: UUID | None = None,
) -> None:
    """Put chips into the chip bank that come from outside, counted by two. Nobody named: the operator's shell.

    The same id again is the same delivery. Raises: not_allowed, unknown_chip, bad_line, id_reused.
    """
    if author is not None and second is not None:
        access.require(author, "bank.deliver", None)
        access.require(second, "approve.deliver", None)
        _require_two(author, second)
    _valued(casino_id, currency, chips)
    body = {"currency": currency, "chips": dict(chips), "second": second.number if second else ""}
    number = author.number if author else ""
    with once(casino_id, id, "chip_delivery", **body, author=number) as repeated:
        if repeated:
            return
        receipt = append_to_casino(casino_id, "chip_delivery", body, author=number, happened_at=now)
        _move_bank(casino_id, currency, chips, "delivery", None, receipt.sequence)


def _move_bank(casino_id: int, currency: str, chips: Pieces, why: str, slip_id: UUID | None, sequence: int) -> None:
    """Move chips into the chip bank, or (pieces below 0) out of it. Raises: bank_short, and then nothing has moved."""
    stocks = {
        stock.chip: stock
        for stock in BankStock.objects.select_for_update()
        .filter(casino_id=casino_id, currency=currency, chip__in=list(chips))
        .order_by("id")
    }
    for chip, pieces in chips.items():
        there = stocks[chip].pieces if chip in stocks else 0
        if there + pieces < 0:
            raise Refusal(
                DoorCode.BANK_SHORT,
                f"The chip bank holds {there} of chip {chip!r}, not {-pieces}.",
                value=-pieces,
                limit=there,
            )
    for chip, pieces in chips.items():
        if chip in stocks:
            BankStock.objects.filter(pk=stocks[chip].pk).update(pieces=stocks[chip].pieces + pieces, sequence=sequence)
        else:
            BankStock.objects.create(
                casino_id=casino_id, currency=currency, chip=chip, pieces=pieces, sequence=sequence
            )
    BankMovement.objects.bulk_create(
        BankMovement(
            casino_id=casino_id,
            currency=currency,
            chip=chip,
            pieces=pieces,
            why=why,
            slip_id=slip_id,
            sequence=sequence,
        )
        for chip, pieces in chips.items()
    )


# -- slips


def request_slip(code: str, kind: str, chips: Pieces, *, id: UUID, author: Author, now: datetime) -> SlipView:
    """Ask the cage for a fill, or offer it a credit. The same id again is the same slip.

    Raises: not_allowed, unknown_chip, bad_line, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "slip.request", table.pit_id)
    asked = {"kind": kind, "table": code, "chips": dict(chips), "author": author.number}
    with once(table.casino_id, id, "slip_requested", **asked) as repeated:
        if not repeated:
            _make_slip(table, kind, chips, id, author.number, now)
    return _slip(id)


def _make_slip(
    table: Table, kind: str, chips: Pieces, id: UUID, author: str, now: datetime, paper: str = "", second: str = ""
) -> None:
    valued = _valued(table.casino_id, table.currency, chips)
    amount = sum(valued[name] * pieces for name, pieces in chips.items())
    if amount >= 2**53:
        raise Refusal(Code.BAD_AMOUNT, "So many chips are worth more than the record can hold.")
    body: dict[str, Any] = {"slip": str(id), "kind": kind, "table": table.code, "chips": dict(chips)}
    body |= {"amount_minor": amount, "late": bool(paper), "paper": paper, "second": second}
    receipt = append_to_casino(table.casino_id, "slip_requested", body, author=author, happened_at=now)
    slip = Slip.objects.create(
        id=id,
        casino_id=table.casino_id,
        table=table,
        kind=kind,
        currency=table.currency,
        amount_minor=amount,
        late=bool(paper),
        paper_number=paper,
        requested_at=now,
        requested_by=author,
        sequence=receipt.sequence,
    )
    SlipChip.objects.bulk_create(
        SlipChip(slip=slip, chip=name, pieces=pieces, value_minor=valued[name]) for name, pieces in chips.items()
    )
    live.tell_on_commit(table.pk, 0)


def issue_slip(id: UUID, *, author: Author, now: datetime, step_id: UUID | None = None) -> SlipView:
    """Issue a slip at the cage: it gets the next number of its series, and a fill's chips leave the chip bank.

    Two fills that each fit the chip bank alone but not together: the second is refused.
    Raises: not_allowed, already_done, bank_short, id_reused.
    """
    access.require(author, "slip.issue", None)
    with _slip_once(id, step_id, "issued", author, None) as slip:
        if slip is not None:
            _require_step(slip, "requested", "issued")
            _issue(slip, author.number, "", now)
    return _slip(id)


def _issue(slip: SlipView, author: str, second: str, now: datetime) -> None:
    year = shift_queries.calendar_of(slip.casino_id).gaming_date(now).year
    SlipSeries.objects.get_or_create(casino_id=slip.casino_id, kind=slip.kind, year=year)
    series = SlipSeries.objects.select_for_update().get(casino_id=slip.casino_id, kind=slip.kind, year=year)
    number = series.last + 1
    sequence = _step(slip, "issued", author, second, now, year=year, number=number)
    if slip.kind == Slip.Kind.FILL:
        out = {chip: -pieces for chip, pieces in _pieces(slip).items()}
        _move_bank(slip.casino_id, slip.currency, out, "fill", slip.id, sequence)
    SlipSeries.objects.filter(pk=series.pk).update(last=number)
    SlipNumber.objects.create(slip_id=slip.id, casino_id=slip.casino_id, kind=slip.kind, year=year, number=number)


def decline_slip(id: UUID, *, reason: str, author: Author, now: datetime, step_id: UUID | None = None) -> SlipView:
    """Decline at the cage what was requested; it never gets a number.

    Raises: not_allowed, already_done, id_reused.
    """
    access.require(author, "slip.issue", None)
    with _slip_once(id, step_id, "declined", author, None) as slip:
        if slip is not None:
            _require_step(slip, "requested", "declined")
            _step(slip, "declined", author.number, "", now, reason=reason)
    return _slip(id)


def carry_slip(
    id: UUID, *, author: Author, second: Author | None, now: datetime, step_id: UUID | None = None
) -> SlipView:
    """Carry a slip's chips: a fill's from the cage, by one who did not issue it; a credit's off the table.

    A credit's chips are handed out by a dealer (`author`) under the eyes of an inspector (`second`): they leave the
    float now. Raises: not_allowed, already_done, step_missing, table_closed, id_reused.
    """
    before = _slip(id)
    if before.kind == Slip.Kind.FILL:
        access.require(author, "slip.carry", before.pit_id)
        with _slip_once(id, step_id, "carried", author, None) as slip:
            if slip is not None:
                _require_step(slip, "issued", "carried")
                if author.number == slip.steps[-1].author:
                    raise _same_person(author)
                _step(slip, "carried", author.number, "", now)
    else:
        second = _signed_at_table(before, author, second)
        with _slip_once(id, step_id, "carried", author, second) as slip:
            if slip is not None:
                _require_step(slip, "issued", "carried")
                _step(slip, "carried", author.number, second.number, now)
                _slip_at_table(slip, author, second)
    return _slip(id)


def receive_slip(
    id: UUID, *, author: Author, second: Author | None, now: datetime, step_id: UUID | None = None
) -> SlipView:
    """Receive a slip's chips: a fill's at the table, by dealer and inspector; a credit's at the cage.

    Of two receipts one takes effect. Raises: not_allowed, already_done, step_missing, table_closed, id_reused.
    """
    before = _slip(id)
    if before.kind == Slip.Kind.FILL:
        second = _signed_at_table(before, author, second)
        with _slip_once(id, step_id, "received", author, second) as slip:
            if slip is not None:
                _require_step(slip, "carried", "received")
                _step(slip, "received", author.number, second.number, now)
                _slip_at_table(slip, author, second)
    else:
        access.require(author, "slip.issue", None)
        with _slip_once(id, step_id, "received", author, None) as slip:
            if slip is not None:
                _require_step(slip, "carried", "received")
                sequence = _step(slip, "received", author.number, "", now)
                _move_bank(slip.casino_id, slip.currency, _pieces(slip), "credit", slip.id, sequence)
    return _slip(id)


def void_slip(
    id: UUID, *, reason: str, author: Author, approver: Author, now: datetime, step_id: UUID | None = None
) -> SlipView:
    """Void an issued slip whose chips have not moved at the table; a fill's go back into the chip bank.

    The approver has had no part in the slip. Number and slip stay. What has moved is put right by a correction.
    Raises: not_allowed, already_done, step_missing, bad_line without a reason, id_reused.
    """
    if not reason.strip():
        raise Refusal(Code.BAD_LINE, "A slip is made void for a reason.")
    before = _slip(id)
    access.require(approver, "approve.void", before.pit_id)
    _require_two(author, approver)
    access.require(author, "slip.void", before.pit_id)
    with _slip_once(id, step_id, "void", author, approver) as slip:
        if slip is None:
            return _slip(id)
        movable = ("issued", "carried") if slip.kind == Slip.Kind.FILL else ("issued",)
        if slip.state not in movable:
            raise _wrong_step(slip, "void")
        if approver.number in slip.people:
            raise _same_person(approver)
        sequence = _step(slip, "void", author.number, approver.number, now, reason=reason)
        if slip.kind == Slip.Kind.FILL:
            _move_bank(slip.casino_id, slip.currency, _pieces(slip), "void", slip.id, sequence)
    return _slip(id)


def correct_slip(
    id: UUID,
    chips: Pieces,
    *,
    correction_id: UUID,
    known: int,
    reason: str,
    author: Author,
    approver: Author,
    now: datetime,
) -> SlipView:
    """Say what a received slip should have said (no chips: nothing moved), by two. The slip stays as it was written.

    What differs moves in the chip bank and in the float, in the opening that the slip belongs to, late where that is
    over; chips of that worth are then owed until the debt is cleared. `known` is how many corrections of the slip the
    author has seen: of two at once one takes effect. The same `correction_id` again is the same correction.
    Raises: not_allowed, already_done, step_missing, bank_short, unknown_chip, id_reused, bad_line.
    """
    if not reason.strip():
        raise Refusal(Code.BAD_LINE, "A slip is corrected for a reason.")
    if not all(0 < pieces <= MOST_PIECES for pieces in chips.values()):
        raise Refusal(Code.BAD_LINE, "Chips are pieces by name, each above 0.")
    before = _slip(id)
    access.require(approver, "approve.slip_correction", before.pit_id)
    _require_two(author, approver)
    access.require(author, "slip.correct", before.pit_id)
    with _slip_once(id, correction_id, "corrected", author, approver, chips=dict(chips)) as slip:
        if slip is None:
            return _slip(id)
        if slip.state != "received":
            raise _wrong_step(slip, "corrected")
        if approver.number in slip.people:
            raise _same_person(approver)
        if known != len(slip.corrections):
            raise Refusal(DoorCode.ALREADY_DONE, f"Slip {slip.number} was corrected meanwhile.", value=slip.number)
        _correct(slip, chips, correction_id, reason, author, approver, now)
    return _slip(id)


def _correct(
    slip: SlipView, chips: Pieces, correction_id: UUID, reason: str, author: Author, approver: Author, now: datetime
) -> None:
    values = _valued(slip.casino_id, slip.currency, chips) if chips else {}
    held = {name: pieces for name, pieces, _value in slip.standing_chips}
    to_table = 1 if slip.kind == Slip.Kind.FILL else -1
    moves = {name: to_table * (chips.get(name, 0) - held.get(name, 0)) for name in sorted({*chips, *held})}
    moves = {name: pieces for name, pieces in moves.items() if pieces}
    if not moves:
        raise Refusal(Code.BAD_LINE, f"Slip {slip.number} says so already.", value=slip.number)
    amount = sum(values[name] * pieces for name, pieces in chips.items())
    if amount >= 2**53:
        raise Refusal(Code.BAD_AMOUNT, "So many chips are worth more than the record can hold.")
    last = SlipCorrection.objects.filter(casino_id=slip.casino_id).aggregate(last=Max("number"))["last"] or 0
    amounts = {"amount_minor": amount, "difference_minor": to_table * (amount - slip.standing_minor)}
    numbers = {"number": last + 1, "revision": len(slip.corrections) + 1}
    body: dict[str, Any] = {"slip": str(slip.id), "kind": slip.kind, "table": slip.table, "chips": dict(chips)}
    from_bank = {name: -pieces for name, pieces in moves.items()}
    body |= {"correction": str(correction_id), "approver": approver.number, "from_bank": from_bank}
    receipt = append_to_casino(
        slip.casino_id,
        "slip_corrected",
        {**body, **numbers, **amounts},
        author=author.number,
        texts={"reason": reason},
        happened_at=now,
    )
    _move_bank(slip.casino_id, slip.currency, from_bank, "correction", slip.id, receipt.sequence)
    came = {name: pieces for name, pieces in moves.items() if pieces > 0}
    left = {name: -pieces for name, pieces in moves.items() if pieces < 0}
    event = {"type": f"{slip.kind}_correction", "slip": slip.number, "in": came, "out": left}
    event = {key: value for key, value in event.items() if value} | {"inspector": approver.number}
    stamps = {"entered_at": time_text(now)}
    answer = _at_table(slip.table, event, author, correction_id, queries.moved_at(slip), stamps)
    assert answer.sequence is not None, "the house's own event is recorded or refused"
    correction = SlipCorrection.objects.create(
        id=correction_id,
        casino_id=slip.casino_id,
        slip_id=slip.id,
        opening=Opening.objects.get(
            table_id=slip.table_id, movements__kind=event["type"], movements__sequence=answer.sequence
        ),
        author=author.number,
        approver=approver.number,
        corrected_at=now,
        sequence=receipt.sequence,
        **numbers,
        **amounts,
    )
    SlipCorrectionChip.objects.bulk_create(
        SlipCorrectionChip(correction=correction, chip=name, pieces=pieces, value_minor=values[name])
        for name, pieces in chips.items()
    )


def take_step(
    id: UUID,
    step: str,
    *,
    author: Author,
    second: Author | None,
    reason: str,
    now: datetime,
    step_id: UUID | None = None,
) -> SlipView:
    """Take the named step of a slip; the same `step_id` again is the same step.

    Raises what the step raises; not_allowed to make void alone.
    """
    if step == "issued":
        return issue_slip(id, author=author, now=now, step_id=step_id)
    if step == "declined":
        return decline_slip(id, reason=reason, author=author, now=now, step_id=step_id)
    if step == "carried":
        return carry_slip(id, author=author, second=second, now=now, step_id=step_id)
    if step == "received":
        return receive_slip(id, author=author, second=second, now=now, step_id=step_id)
    if second is None:
        raise _same_person(author)
    return void_slip(id, reason=reason, author=author, approver=second, now=now, step_id=step_id)


def enter_late_slip(
    code: str,
    kind: str,
    chips: Pieces,
    *,
    id: UUID,
    paper_number: str,
    happened_at: datetime,
    author: Author,
    second: Author,
    now: datetime,
) -> SlipView:
    """Enter a slip that was written by hand while nothing could be recorded, with all its steps, marked late.

    It gets the next number beside that of its paper, and goes to the table's opening that contains `happened_at`.
    The same id again is the same slip.
    Raises: not_allowed, already_done for a paper that was entered, bank_short, table_closed, bad_line, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "slip.issue", None)
    access.require(second, "approve.void", table.pit_id)
    _require_two(author, second)
    if not paper_number.strip() or len(paper_number) > 40 or happened_at > now:
        raise Refusal(Code.BAD_LINE, "A slip on paper has a number, and a time that has passed.")
    asked = {"kind": kind, "table": code, "chips": dict(chips), "paper": paper_number, "at": time_text(happened_at)}
    signed = {"author": author.number, "second": second.number}
    with once(table.casino_id, id, "slip_late", **asked, **signed) as repeated:
        if repeated:
            return _slip(id)
        if Slip.objects.filter(casino_id=table.casino_id, kind=kind, paper_number=paper_number).exists():
            raise Refusal(DoorCode.ALREADY_DONE, f"Paper {paper_number!r} was entered already.", value=paper_number)
        _make_slip(table, kind, chips, id, author.number, happened_at, paper_number, second.number)
        slip = _slip(id)
        _issue(slip, author.number, second.number, happened_at)
        for step in ("carried", "received"):
            sequence = _step(slip, step, author.number, second.number, happened_at)
        if kind == Slip.Kind.CREDIT:
            _move_bank(slip.casino_id, slip.currency, chips, "credit", id, sequence)
        stamps = {"paper": paper_number, "entered_at": time_text(now)}
        _slip_at_table(_slip(id), author, second, happened_at, stamps)
    return _slip(id)


def _slip_at_table(
    slip: SlipView,
    author: Author,
    second: Author,
    happened_at: datetime | None = None,
    stamps: dict[str, Any] | None = None,
) -> None:
    """Move a slip's chips at its table. The casino's head is locked already."""
    number = slip.number or _slip(slip.id).number
    event = {"type": slip.kind, "slip": number, "chips": _pieces(slip), "inspector": second.number}
    _at_table(slip.table, event, author, uuid.uuid5(_NAMESPACE, str(slip.id)), happened_at, stamps)


def _signed_at_table(slip: SlipView, author: Author, second: Author | None) -> Author:
    if second is None:
        raise Refusal(DoorCode.NOT_ALLOWED, "At a table dealer and inspector sign.", staff=author.number)
    access.require(second, "approve.count", slip.pit_id)
    _require_two(author, second)
    return second


def _slip(id: UUID) -> SlipView:
    slip = queries.slip(id)
    if slip is None:
        raise Refusal(DoorCode.STEP_MISSING, f"There is no slip {id}.", value=id)
    return slip


@contextmanager
def _slip_once(
    id: UUID, step_id: UUID | None, step: str, author: Author, second: Author | None, **content: Any
) -> Iterator[SlipView | None]:
    """Take the casino's turn and read the slip as it stands then; nothing if this step was taken under this id."""
    signed = {"author": author.number, "second": second.number if second else ""}
    with once(_slip(id).casino_id, step_id, f"slip_{step}", slip=str(id), **signed, **content) as repeated:
        yield None if repeated else _slip(id)


def _require_step(slip: SlipView, before: str, step: str) -> None:
    if slip.state != before:
        raise _wrong_step(slip, step)


def _wrong_step(slip: SlipView, step: str) -> Refusal:
    done = any(each.step == step for each in slip.steps) or slip.state in ("received", "void", "declined")
    code = DoorCode.ALREADY_DONE if done else DoorCode.STEP_MISSING
    return Refusal(code, f"Slip {slip.number or slip.id} is {slip.state}: not {step}.", value=slip.state, limit=step)


def _step(slip: SlipView, step: str, author: str, second: str, now: datetime, *, reason: str = "", **more: int) -> int:
    """Write down a step; return its sequence in the casino's journal."""
    body: dict[str, Any] = {"slip": str(slip.id), "kind": slip.kind, "table": slip.table, "second": second, **more}
    texts = {"reason": reason} if reason else {}
    receipt = append_to_casino(slip.casino_id, f"slip_{step}", body, author=author, texts=texts, happened_at=now)
    SlipStep.objects.create(
        slip_id=slip.id, step=step, author=author, second=second, done_at=now, sequence=receipt.sequence
    )
    live.tell_on_commit(slip.table_id, 0)  # its journal has not moved, but who waits for whom
    return receipt.sequence


def _pieces(slip: SlipView) -> dict[str, int]:
    return {name: pieces for name, pieces, _value in slip.chips}


# -- drop boxes


def attach_box(
    code: str, box: str, *, author: Author, second: Author, now: datetime, id: UUID | None = None
) -> DropView:
    """Put a drop box on an open table; the one before has been taken off. The same id again is the same box.

    Raises: not_allowed, table_closed, already_done, bad_line, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "box.move", table.pit_id)
    access.require(second, "count.float", table.pit_id)
    _require_two(author, second)
    if not box.strip() or len(box) > 40:
        raise Refusal(Code.BAD_LINE, "A box has a name of at most 40 signs.")
    signed = {"author": author.number, "second": second.number}
    with once(table.casino_id, id, "box_attached", box=box, table=code, **signed) as repeated:
        if repeated:
            return _drop(Drop.objects.filter(box=box, opening__table=table).latest("pk").pk)
        opening = Opening.objects.filter(table=table, closing=None).first()
        if opening is None:
            raise Refusal(DoorCode.TABLE_CLOSED, f"Table {code} is closed.", value=code)
        elsewhere = Drop.objects.filter(opening__table__casino_id=table.casino_id)
        if elsewhere.filter(opening=opening).exclude(steps__step="removed").exists():
            raise Refusal(DoorCode.ALREADY_DONE, f"Table {code} has a box already.", value=code)
        if (
            elsewhere.filter(box=box).exclude(counts__isnull=False).exists()
            or Drop.objects.filter(opening=opening, box=box).exists()
        ):
            raise Refusal(DoorCode.ALREADY_DONE, f"Box {box!r} is in use and not counted yet.", value=box)
        body = {"box": box, "table": code, "opening": opening.number, "second": second.number}
        receipt = append_to_casino(table.casino_id, "box_attached", body, author=author.number, happened_at=now)
        drop = Drop.objects.create(box=box, opening=opening, sequence=receipt.sequence)
        DropStep.objects.create(
            drop=drop,
            step="attached",
            author=author.number,
            second=second.number,
            done_at=now,
            sequence=receipt.sequence,
        )
    return _drop(drop.pk)


def remove_box(id: int, *, author: Author, second: Author, now: datetime, step_id: UUID | None = None) -> DropView:
    """Take a box off its table. Raises: not_allowed, already_done, id_reused."""
    before = _drop(id)
    access.require(second, "count.float", before.pit_id)
    _require_two(author, second)
    access.require(author, "box.move", before.pit_id)
    with _box_once(id, step_id, "removed", author, second) as drop:
        if drop is not None:
            if drop.state != "attached":
                raise _wrong_box(drop, "removed")
            _box_step(drop, "removed", author, second, now)
    return _drop(id)


def receive_box(id: int, *, author: Author, second: Author, now: datetime, step_id: UUID | None = None) -> DropView:
    """Receive a box in the count room, from whoever brings it.

    Raises: not_allowed, already_done, step_missing, id_reused.
    """
    before = _drop(id)
    access.require(second, "box.step", before.pit_id)
    _require_two(author, second)
    access.require(author, "box.receive", None)
    with _box_once(id, step_id, "received", author, second) as drop:
        if drop is not None:
            if drop.state != "removed":
                raise _wrong_box(drop, "received")
            _box_step(drop, "received", author, second, now)
    return _drop(id)


def _box_step(drop: DropView, step: str, author: Author, second: Author, now: datetime) -> None:
    body = {"box": drop.box, "table": drop.table, "opening": drop.opening, "second": second.number}
    receipt = append_to_casino(drop.casino_id, f"box_{step}", body, author=author.number, happened_at=now)
    DropStep.objects.create(
        drop_id=drop.id,
        step=step,
        author=author.number,
        second=second.number,
        done_at=now,
        sequence=receipt.sequence,
    )


def count_box(
    id: int,
    lines: Mapping[int, int],
    *,
    author: Author,
    second: Author,
    now: datetime,
    step_id: UUID | None = None,
) -> DropView:
    """Record what two of the count room found in a box: pieces by denomination in minor units; empty: nothing.

    Blind: whoever may see what is expected may not count. Before the approval it may be counted again; every count
    stays. The same `step_id` again is the same count.
    Raises: not_allowed, already_done, step_missing, bad_line, id_reused.
    """
    for counter in (author, second):
        access.require(counter, "box.count", None)
        if any(access.may_somewhere(counter, deed) for deed in _SHOW_WHAT_IS_EXPECTED):
            raise Refusal(
                DoorCode.NOT_ALLOWED,
                f"Staff {counter.number} may see what is expected, and counts no box.",
                staff=counter.number,
            )
    _require_two(author, second)
    if not all(0 < value < 2**40 and 0 < pieces <= MOST_PIECES for value, pieces in lines.items()):
        raise Refusal(Code.BAD_LINE, "A count has pieces of a denomination, each above 0.")
    written = [[value, lines[value]] for value in sorted(lines, reverse=True)]
    with _box_once(id, step_id, "counted", author, second, lines=written) as drop:
        if drop is None:
            return _drop(id)
        if drop.state not in ("received", "counted"):
            raise _wrong_box(drop, "counted")
        total = sum(value * pieces for value, pieces in lines.items())
        body: dict[str, Any] = {
            "box": drop.box,
            "table": drop.table,
            "opening": drop.opening,
            "total_minor": total,
            "lines": written,
            "number": len(drop.counts) + 1,
            "second": second.number,
        }
        receipt = append_to_casino(drop.casino_id, "box_counted", body, author=author.number, happened_at=now)
        count = DropCount.objects.create(
            drop_id=id,
            number=len(drop.counts) + 1,
            total_minor=total,
            author=author.number,
            second=second.number,
            counted_at=now,
            sequence=receipt.sequence,
        )
        DropCountLine.objects.bulk_create(
            DropCountLine(count=count, denomination_minor=value, pieces=pieces) for value, pieces in lines.items()
        )
    return _drop(id)


def approve_count(id: int, *, approver: Author, now: datetime, step_id: UUID | None = None) -> DropView:
    """Take note of a box's last count and of its variance, which stays what it is. Of two approvals one takes effect.

    Raises: not_allowed for whoever counted, already_done, step_missing, id_reused.
    """
    access.require(approver, "approve.drop", _drop(id).pit_id)
    with _box_once(id, step_id, "approved", approver, None) as drop:
        if drop is None:
            return _drop(id)
        if drop.state != "counted":
            raise _wrong_box(drop, "approved")
        count = drop.counts[-1]
        if approver.number in (count.author, count.second):
            raise _same_person(approver)
        assert drop.variance_minor is not None
        amounts = {
            "expected_minor": drop.expected_minor,
            "counted_minor": count.total_minor,
            "variance_minor": drop.variance_minor,
        }
        body = {"box": drop.box, "table": drop.table, "opening": drop.opening, "count": count.number, **amounts}
        receipt = append_to_casino(drop.casino_id, "box_approved", body, author=approver.number, happened_at=now)
        DropApproval.objects.create(
            drop_id=id,
            count=DropCount.objects.get(drop_id=id, number=count.number),
            approver=approver.number,
            approved_at=now,
            sequence=receipt.sequence,
            **amounts,
        )
    return _drop(id)


def take_box_step(
    id: int,
    step: str,
    *,
    lines: Mapping[int, int],
    author: Author,
    second: Author,
    now: datetime,
    step_id: UUID | None = None,
) -> DropView:
    """Take the named step of a box; an approval is the author's alone. The same `step_id` again is the same step.

    Raises what the step raises.
    """
    if step == "removed":
        return remove_box(id, author=author, second=second, now=now, step_id=step_id)
    if step == "received":
        return receive_box(id, author=author, second=second, now=now, step_id=step_id)
    if step == "counted":
        return count_box(id, lines, author=author, second=second, now=now, step_id=step_id)
    return approve_count(id, approver=author, now=now, step_id=step_id)


def _drop(id: int) -> DropView:
    drop = queries.drop(id)
    if drop is None:
        raise Refusal(DoorCode.STEP_MISSING, f"There is no box {id}.", value=id)
    return drop


@contextmanager
def _box_once(
    id: int, step_id: UUID | None, step: str, author: Author, second: Author | None, **content: Any
) -> Iterator[DropView | None]:
    """Take the casino's turn and read the box as it stands then; nothing if this step was taken under this id."""
    signed = {"author": author.number, "second": second.number if second else ""}
    with once(_drop(id).casino_id, step_id, f"box_{step}", box=id, **signed, **content) as repeated:
        yield None if repeated else _drop(id)


def _wrong_box(drop: DropView, step: str) -> Refusal:
    order = ("attached", "removed", "received", "counted", "approved")
    done = order.index(drop.state) >= order.index(step)
    code = DoorCode.ALREADY_DONE if done else DoorCode.STEP_MISSING
    return Refusal(code, f"Box {drop.box} is {drop.state}: not {step}.", value=drop.state, limit=step)


# -- shared


def _valued(casino_id: int, currency: str, chips: Pieces) -> dict[str, int]:
    """Say what each chip is worth. Raises: unknown_chip (a colour is worth nothing away from its seat), bad_line."""
    if not chips or not all(0 < pieces <= MOST_PIECES for pieces in chips.values()):
        raise Refusal(Code.BAD_LINE, "Chips are pieces by name, each above 0.")
    known = house_chips.chips_of(casino_id, currency)
    return {name: known.value(name, {}, counting=False) for name in chips}


def _lock(casino_id: int) -> None:
    CasinoHead.objects.select_for_update().get(casino_id=casino_id)


def _require_two(first: Author, second: Author) -> None:
    if first.staff_id == second.staff_id:
        raise _same_person(first)


def _same_person(author: Author) -> Refusal:
    return Refusal(
        DoorCode.NOT_ALLOWED,
        f"Staff {author.number} has signed this already: another person does.",
        staff=author.number,
    )
