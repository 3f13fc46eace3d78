"""Deeds with shifts: the plan that divides the gaming day, by two, and the closing of a shift. Never a table's play.

Each in a transaction of its own, under the casino's head. Who signs has been found by his PIN at the edge.
"""

from collections.abc import Sequence
from datetime import date, datetime, time
from uuid import UUID

from django.db.models import Max, Q

from tables import access
from tables.access import Author
from tables.actions.once import once
from tables.calendar import Plan
from tables.journal import append_to_casino
from tables.models import (
    Opening,
    ShiftClosing,
    ShiftClosingTable,
    ShiftPlan,
    ShiftStart,
    TableHead,
)
from tables.queries import shifts as queries
from tables.queries.shifts import ShiftState
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal


def set_plan(
    casino_id: int,
    *,
    since: date,
    starts: Sequence[time],
    author: Author,
    approver: Author,
    now: datetime,
    id: UUID | None = None,
) -> None:
    """Divide the gaming days from `since` on anew, by two: the first start begins the day.

    What has been opened keeps its day and shift, so a plan begins after all of that. The same id again is the same
    plan. Raises: not_allowed, bad_line, already_done, id_reused.
    """
    access.require(author, "shift.plan", None)
    access.require(approver, "approve.shift_plan", None)
    if author.staff_id == approver.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, "Another person than the author approves a plan.", staff=author.number)
    try:
        plan = Plan(since, tuple(starts))
    except ValueError:
        raise Refusal(Code.BAD_LINE, "The shifts of a plan follow one another within a day, six at most.") from None
    asked = {"since": since.isoformat(), "starts": [start.isoformat() for start in plan.starts]}
    signed = {"author": author.number, "approver": approver.number}
    with once(casino_id, id, "shift_plan", **asked, **signed) as repeated:
        if repeated:
            return
        calendar = queries.calendar_of(casino_id)
        begins = type(calendar)(calendar.time_zone, [*calendar.plans, plan]).day_start(since)
        opened = Opening.objects.filter(table__casino_id=casino_id)
        if since < calendar.gaming_date(now) or (
            opened.filter(Q(gaming_date__gte=since) | Q(opened_at__gte=begins)).exists()
            or ShiftClosing.objects.filter(casino_id=casino_id, gaming_date__gte=since).exists()
        ):
            raise Refusal(
                DoorCode.ALREADY_DONE, f"Gaming day {since} has begun under the plan that holds.", value=since
            )
        if calendar.plans[-1] == plan:
            raise Refusal(DoorCode.ALREADY_DONE, f"The plan from {since} says so already.", value=since)
        number = (ShiftPlan.objects.filter(casino_id=casino_id).aggregate(last=Max("number"))["last"] or 0) + 1
        body = {
            "number": number,
            "since_date": since.isoformat(),
            "starts": [start.isoformat("minutes") for start in plan.starts],
            "approver": approver.number,
        }
        receipt = append_to_casino(casino_id, "shift_plan", body, author=author.number, happened_at=now)
        row = ShiftPlan.objects.create(
            casino_id=casino_id,
            number=number,
            since_date=since,
            author=author.number,
            approver=approver.number,
            sequence=receipt.sequence,
        )
        ShiftStart.objects.bulk_create(
            ShiftStart(plan=row, number=place, starts_at=start) for place, start in enumerate(plan.starts, start=1)
        )


def close_shift(
    casino_id: int, gaming_date: date, number: int, *, author: Author, now: datetime, id: UUID | None = None
) -> ShiftState:
    """Close a shift once every table of it is closed. Of two closings one takes effect; the same id again is the same.

    The heads of all tables are locked, so whoever is writing at one is waited for, and what was written before is in.
    Raises: not_allowed, bad_line for a shift that is none or has not begun, already_done, tables_open, id_reused.
    """
    access.require(author, "shift.close", None)
    about: dict[str, str | int] = {"gaming_date": gaming_date.isoformat(), "shift": number}
    with once(casino_id, id, "shift_closed", **about, author=author.number) as repeated:
        state = queries.shift_state(casino_id, gaming_date, number)
        if repeated and state is not None:
            return state
        if state is None or now < state.shift.since:
            raise Refusal(Code.BAD_LINE, f"There is no shift {number} of {gaming_date} to be closed.", value=number)
        if state.closed_at is not None:
            raise Refusal(
                DoorCode.ALREADY_DONE, f"Shift {number} of {gaming_date} was closed by {state.closed_by}.", value=number
            )
        heads = TableHead.objects.select_for_update(of=("self",)).select_related("table").order_by("table_id")
        heads = heads.filter(table__casino_id=casino_id)
        reached = sorted((head.table.code, head.table_id, head.sequence) for head in heads)
        state = queries.shift_state(casino_id, gaming_date, number)
        assert state is not None
        if state.open_tables:
            named = ", ".join(code for code, _opening in state.open_tables)
            raise Refusal(DoorCode.TABLES_OPEN, f"Still open in this shift: {named}.", value=named)
        until = [[code, sequence] for code, _table_id, sequence in reached]
        body = about | {"openings": state.openings, "tables": until}
        receipt = append_to_casino(casino_id, "shift_closed", body, author=author.number, happened_at=now)
        closing = ShiftClosing.objects.create(
            casino_id=casino_id,
            gaming_date=gaming_date,
            shift=number,
            closed_at=now,
            author=author.number,
            sequence=receipt.sequence,
        )
        ShiftClosingTable.objects.bulk_create(
            ShiftClosingTable(closing=closing, table_id=table_id, sequence=sequence)
            for _code, table_id, sequence in reached
        )
    closed = queries.shift_state(casino_id, gaming_date, number)
    assert closed is not None
    return closed
