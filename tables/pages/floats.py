"""A table's float as a page: its counts, the chips that move beside play, its slips, its box. It makes no figure."""

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from tables import access
from tables.access import Author
from tables.actions import cage
from tables.models.house import Table
from tables.names import MOVEMENTS, TABLE_STATES
from tables.pages.books import chips_used, pieces_named, slip_row
from tables.pages.desk import HOW, Desk, asks, desk_of, done, form_id, money, signers, waiting
from tables.pages.people import deed_required
from tables.queries import books as book_queries
from tables.queries import chips as chip_queries
from tables.queries import movements as movement_queries
from tables.queries import shifts as shift_queries
from tables.queries import slips as slip_queries
from tables.queries.chips import ChipShown
from tables.queries.movements import MovementRecord, Said
from tables.rules.terms import minor_digits

COUNTS = {
    "opener": cage.open_counted,
    "closer": cage.close_counted,
    "rollover": cage.roll_over,
    "count": cage.count_float,
}
# What moves at the table beside play: its word, and what the form asks for.
MOVES = {
    "buy_in": (_("Buy-in"), ("seat", "cash", "out")),
    "exchange": (_("Exchange"), ("seat", "in", "out")),
    "tip_exchange": (_("Tip exchange"), ("in", "out")),
    "fee": (_("Table fee"), ("seat", "in")),
    "colour": (_("Value of a colour"), ("seat", "colour", "value")),
}
SIDES = ("in", "out", "counted")
MOVE_SIDES = {"in": _("Chips into the float"), "out": _("Chips out of the float")}


@require_safe
@deed_required("read.chips")
def floats(request: HttpRequest, author: Author) -> HttpResponse:
    """List the tables whose floats this person may see."""
    desk = desk_of(author)
    pits = access.pits(author, "read.chips")
    tables = Table.objects.filter(casino_id=desk.casino_id).order_by("code")
    rows = [
        {"code": table.code, "name": table.name, "state": TABLE_STATES[chip_queries.state_of(table.pk)[0]]}
        for table in tables
        if pits is None or table.pit_id in pits
    ]
    return render(request, "books/floats.html", {"tables": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.chips")
def table_float(request: HttpRequest, author: Author, code: str) -> HttpResponse:
    """Show a table's float; count it, move chips at it, put a box on it, request a slip."""
    desk = desk_of(author)
    table = get_object_or_404(Table, code=code, casino_id=desk.casino_id)
    if not access.may(author, "read.chips", table.pit_id):
        raise Http404
    chips = chips_used(table)
    problem, deed = "", request.POST.get("deed", "")

    def typed(side: str, chip: str) -> str:
        """Give back what was typed into a form that was not done."""
        return request.POST.get(f"{side}-{chip}", "")

    if request.method == "POST":
        problem = done(request, lambda: _float_deed(request, desk, table, chips))
        if not problem:
            return redirect("float", code=code)
    state, number = chip_queries.state_of(table.pk)
    found = book_queries.books_of_opening(code, number) if number is not None else None
    closer = chip_queries.last_closer(table.pk)
    closed = state == "closed"
    proposed = closer.chips if closer is not None and closed else {}
    exponent = minor_digits(table.currency)
    due = next((each for each in shift_queries.overdue(desk.casino_id, timezone.now()) if each.table == code), None)
    counted = closed or (found is not None and found.opener_minor is not None)
    context = {
        "table": table,
        "state": TABLE_STATES[state],
        "opening": number,
        "counts": [*(["rollover"] if due else []), *(["opener"] if closed else ["count", "closer"] if counted else [])],
        "due": due,
        "chips": [
            {
                "name": chip.name,
                "value": money(chip.value_minor, exponent) if chip.value_minor else "",
                "pieces": typed("chip", chip.name) if deed in COUNTS else str(proposed.get(chip.name, "")),
                "slip_pieces": typed("chip", chip.name) if deed in ("fill", "credit") else "",
            }
            for chip in chips
        ],
        "moves": [
            {
                "deed": move,
                "word": word,
                "asks": asks,
                "opened": deed == move,
                "typed": {
                    name: request.POST.get(name, "") if deed == move else "" for name in ("seat", "cash", "value")
                },
                "sides": [
                    (
                        side,
                        MOVE_SIDES[side],
                        [(chip.name, typed(side, chip.name) if deed == move else "") for chip in chips],
                    )
                    for side in ("in", "out")
                    if side in asks
                ],
            }
            for move, (word, asks) in MOVES.items()
            if not closed and chips and access.may(author, "chips.move", table.pit_id)
        ],
        "colours": [chip.name for chip in chips if chip.value_minor is None],
        "closer": closer and {"opening": closer.opening, "amount": money(closer.counted_minor, exponent)},
        "movements": [
            movement_row(desk, each)
            for each in (movement_queries.movements_of(found.opening_id) if found is not None else ())
            if each.kind in movement_queries.CORRECTABLE
        ],
        "may_correct": access.may(author, "movement.correct", table.pit_id),
        "opener": found and not closed and money(found.opener_minor, exponent),
        "differs": found
        and not closed
        and found.opener_difference_minor
        and money(found.opener_difference_minor, exponent),
        "may_ask": not closed and access.may(author, "slip.ask", table.pit_id),
        "may_request": access.may(author, "slip.request", table.pit_id),
        "may_box": not closed and access.may(author, "box.move", table.pit_id),
        "slips": [slip_row(desk, slip) for slip in slip_queries.open_slips() if slip.table_id == table.pk],
        "waiting": waiting(desk, [table.pk]),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/float.html", context, status=409 if problem else 200)


def movement_row(desk: Desk, found: MovementRecord) -> dict[str, Any]:
    """Write a movement as it was written, and as it was last corrected."""

    def written(said: Said) -> dict[str, str]:
        return {
            "cash": money(said.cash_minor, found.exponent) if said.cash_minor else "",
            "seat": str(said.seat or ""),
            "total": money(said.total_minor("counted"), found.exponent) if found.kind in COUNTS else "",
            **{side: ", ".join(f"{pieces} × {chip}" for chip, pieces in said.side(side).items()) for side in SIDES},
        }

    return {
        "movement": found,
        "kind": MOVEMENTS[found.kind],
        "at": desk.local(found.happened_at),
        "who": ", ".join(filter(None, (found.author, found.second))),
        "said": written(found.said),
        "standing": written(found.standing) if found.corrections else None,
        "corrections": [
            {
                "correction": each,
                "said": written(each.said),
                "owed": money(abs(each.owed_minor), found.exponent) if each.owed_minor else "",
                "at": desk.local(each.corrected_at),
                "ended": each.how and HOW[each.how],
            }
            for each in found.corrections
        ],
    }


def _float_deed(request: HttpRequest, desk: Desk, table: Table, chips: tuple[ChipShown, ...]) -> None:
    deed, now = request.POST["deed"], timezone.now()
    if deed in ("fill", "credit"):
        id, pieces = form_id(request), pieces_named(request, chips)
        if asks(request, desk, table.code, "request", {"kind": deed, "chips": pieces}, id):
            return
        (author,) = signers(request, desk, 1)
        cage.request_slip(table.code, deed, pieces, id=id, author=author, now=now)
        return
    if deed == "box":
        id = form_id(request)
        author, second = signers(request, desk, 2)
        cage.attach_box(table.code, request.POST["box"], author=author, second=second, now=now, id=id)
        return
    if deed in MOVES:
        id, event = form_id(request), move_named(request, deed, chips)
        (author,) = signers(request, desk, 1)
        cage.move_chips(table.code, event, id=id, author=author)
        return
    count, id, pieces = COUNTS[deed], form_id(request), pieces_named(request, chips)
    if asks(request, desk, table.code, deed, {"chips": pieces}, id):
        return
    dealer, inspector = signers(request, desk, 2)
    count(table.code, pieces, dealer=dealer, inspector=inspector, id=id, now=now)


def move_named(request: HttpRequest, deed: str, chips: tuple[ChipShown, ...]) -> dict[str, Any]:
    """Read what moves into an event of the table log. Raises: ValueError, KeyError."""
    _word, asks = MOVES[deed]
    event: dict[str, Any] = {"type": deed}
    for side in ("in", "out"):
        if side in asks:
            event["chips" if deed in ("buy_in", "fee") else side] = pieces_named(request, chips, side)
    for name in ("cash", "value"):
        if name in asks:
            event[name] = "".join(request.POST[name].split()).replace(",", ".")
    if "colour" in asks:
        event["colour"] = request.POST["colour"]
    if "seat" in asks and request.POST.get("seat", "").strip():
        event["seat"] = int(request.POST["seat"])
    return event
