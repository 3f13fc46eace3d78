"""One movement of a float as a page: what was written, everything that it was corrected to, and its correction."""

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import movements
from tables.models.house import Table
from tables.pages.books import chips_used, pieces_named
from tables.pages.desk import Desk, asks, desk_of, done, form_id, signers, waiting
from tables.pages.floats import COUNTS, MOVE_SIDES, MOVES, move_named, movement_row
from tables.pages.people import deed_required
from tables.queries import movements as queries
from tables.queries.chips import ChipShown
from tables.queries.movements import MovementRecord
from tables.rules.terms import amount_text


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.chips")
def one(request: HttpRequest, author: Author, code: str, number: int, place: int) -> HttpResponse:
    """Show a movement with its corrections; correct it."""
    desk = desk_of(author)
    table = get_object_or_404(Table, code=code, casino_id=desk.casino_id)
    found = queries.movement_at(table.pk, number, place)
    if found is None or found.kind not in queries.CORRECTABLE or not access.may(author, "read.chips", table.pit_id):
        raise Http404
    chips = chips_used(table)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _correct(request, desk, found, chips))
        if not problem:
            return redirect("movement", code=code, number=number, place=place)
    fields = MOVES[found.kind][1] if found.kind in MOVES else ("counted",)
    holds = found.standing
    cash = amount_text(holds.cash_minor, found.exponent) if holds.cash_minor else ""

    def typed(name: str, held: object) -> str:
        return request.POST.get(name, "") if request.method == "POST" else str(held or "")

    context = {
        "table": table,
        "row": movement_row(desk, found),
        "asks": fields,
        "seat": typed("seat", holds.seat),
        "cash": typed("cash", cash),
        "sides": [
            (
                side,
                MOVE_SIDES.get(side, ""),
                [(chip.name, typed(f"{side}-{chip.name}", holds.side(side).get(chip.name))) for chip in chips],
            )
            for side in ("in", "out", "counted")
            if side in fields
        ],
        "known": len(found.corrections),
        "may_correct": access.may(author, "movement.correct", table.pit_id),
        "waiting": waiting(desk, [table.pk]),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/movement.html", context, status=409 if problem else 200)


def _correct(request: HttpRequest, desk: Desk, found: MovementRecord, chips: tuple[ChipShown, ...]) -> None:
    id, known = form_id(request), int(request.POST["known"])
    event: dict[str, Any]
    if found.kind in COUNTS:
        event = {"type": found.kind, "chips": pieces_named(request, chips, "counted")}
    else:
        event = move_named(request, found.kind, chips)
        if not event.get("cash"):
            event.pop("cash", None)
    reason = request.POST.get("reason", "")[:500]
    asked = {"opening": found.opening, "place": found.place, "event": event, "known": known, "reason": reason}
    if asks(request, desk, found.table, "movement", asked, id):
        return
    author, approver = signers(request, desk, 2)
    movements.correct_movement(
        found.table,
        found.opening,
        found.place,
        event,
        id=id,
        known=known,
        reason=reason,
        author=author,
        approver=approver,
        now=timezone.now(),
    )
