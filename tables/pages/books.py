"""Floats, slips, boxes and books as pages: plain forms, signed by PIN at the moment. No figure is made here."""

import uuid
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from tables import access
from tables.access import Author
from tables.actions import cage
from tables.journal.chain import time_text
from tables.ledger import BY_DEED
from tables.models.house import Table
from tables.names import BOX_STATES, MOVEMENTS, OUTCOMES, SLIP_STATES, Words, named
from tables.pages.desk import (
    Desk,
    asks,
    debt_of,
    desk_of,
    done,
    form_id,
    money,
    percent,
    signers,
    total_shown,
    waiting,
)
from tables.pages.people import deed_required
from tables.pages.sheet import Cell, ratio, sheet, units
from tables.queries import books as book_queries
from tables.queries import chips as chip_queries
from tables.queries import console as console_queries
from tables.queries import disputes as dispute_queries
from tables.queries import movements as movement_queries
from tables.queries import play as play_queries
from tables.queries import slips as slip_queries
from tables.queries.books import Books
from tables.queries.chips import ChipShown
from tables.queries.slips import DropView, SlipView, StepView
from tables.rules.terms import minor_digits, parse_amount

# How a debt between cage and table ended.
SLIP_DEBTS = {
    "paid": _("Carried to the table"),
    "collected": _("Carried to the cage"),
    "written_off": _("Written off"),
    "never_moved": _("Chips were right, the record alone was wrong"),
}
DEEDS = {
    "issued": _("Issue"),
    "declined": _("Decline"),
    "carried": _("Carry"),
    "received": _("Receive"),
    "void": _("Make void"),
    "removed": _("Take off"),
    "counted": _("Count"),
    "approved": _("Approve"),
}


def _steps(desk: Desk, steps: tuple[StepView, ...], words: Words) -> list[dict[str, Any]]:
    return [
        {
            "step": words[each.step],
            "who": ", ".join(filter(None, (each.author, each.second))),
            "at": desk.local(each.done_at),
            "reason": each.reason,
        }
        for each in steps
    ]


def pieces_named(request: HttpRequest, chips: tuple[ChipShown, ...], prefix: str = "chip") -> dict[str, int]:
    """Read how many of each chip a form names; an empty field is none. Raises: ValueError."""
    found = {chip.name: int(request.POST.get(f"{prefix}-{chip.name}") or 0) for chip in chips}
    if min(found.values(), default=0) < 0:
        raise ValueError("less than none")
    return {name: pieces for name, pieces in found.items() if pieces}


def chips_used(table: Table) -> tuple[ChipShown, ...]:
    shown = chip_queries.chips_shown(table.casino_id).get(table.currency, ())
    return tuple(chip for chip in shown if not chip.withdrawn)


# -- slips: the cage's page


_NEXT_STEPS = {
    ("fill", "requested"): ("issued", "declined"),
    ("fill", "issued"): ("carried", "void"),
    ("fill", "carried"): ("received", "void"),
    ("credit", "requested"): ("issued", "declined"),
    ("credit", "issued"): ("carried", "void"),
    ("credit", "carried"): ("received",),
}
# Who signs a step, as the first or the second.
_SIGNS = {
    ("fill", "carried"): ("slip.carry",),
    ("fill", "received"): ("count.float", "approve.count"),
    ("credit", "carried"): ("count.float", "approve.count"),
    ("fill", "void"): ("slip.void", "approve.void"),
    ("credit", "void"): ("slip.void", "approve.void"),
}
# Two sign these: at the table dealer and inspector, to make void somebody else.
_BY_TWO = {("fill", "received"), ("credit", "carried"), ("fill", "void"), ("credit", "void")}


def _pieces_text(chips: tuple[tuple[str, int, int], ...]) -> str:
    return ", ".join(f"{pieces} × {chip}" for chip, pieces, _value in chips) or "–"


def slip_row(desk: Desk, slip: SlipView) -> dict[str, Any]:
    return {
        "slip": slip,
        "key": f"{slip.id}-",
        "kind": MOVEMENTS[slip.kind],
        "state": SLIP_STATES[slip.state],
        "amount": money(slip.amount_minor, slip.exponent),
        "standing": money(slip.standing_minor, slip.exponent) if slip.corrections else "",
        "chips": _pieces_text(slip.chips),
        "requested_at": desk.local(slip.requested_at),
        "steps": _steps(desk, slip.steps, SLIP_STATES),
        "next": [
            {"step": step, "word": DEEDS[step], "by_two": (slip.kind, step) in _BY_TWO,
             "at_table": (slip.kind, step) in _BY_TWO and step != "void", "reason": step in ("void", "declined")}
            for step in _NEXT_STEPS.get((slip.kind, slip.state), ())
            if _may_sign(desk, slip, step)
        ],
    }  # fmt: skip


def _may_sign(desk: Desk, slip: SlipView, step: str) -> bool:
    deeds = _SIGNS.get((slip.kind, step))
    if deeds is None:
        return access.may(desk.author, "slip.issue", None)
    return any(access.may(desk.author, deed, slip.pit_id) for deed in deeds)


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.slips")
def slips(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the slips on their way and the last ones, take their steps, and show the chip bank."""
    desk = desk_of(author)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _slip_deed(request, desk))
        if not problem:
            return redirect("cage")
    pits = access.pits(author, "read.slips")

    def shown(found: tuple[SlipView, ...]) -> list[dict[str, Any]]:
        mine = (slip for slip in found if slip.casino_id == desk.casino_id and (pits is None or slip.pit_id in pits))
        return [slip_row(desk, slip) for slip in mine]

    on_their_way = shown(slip_queries.open_slips())

    stock = slip_queries.bank(desk.casino_id) if access.may(author, "read.bank", None) else None
    context = {
        "open": on_their_way,
        "ended": [
            row
            for row in shown(slip_queries.latest_slips())
            if (row["slip"].kind, row["slip"].state) not in _NEXT_STEPS
        ][:50],
        "bank": stock
        and [
            {
                "stock": each,
                "value": money(each.value_minor * each.pieces, minor_digits(each.currency)),
            }
            for each in stock
        ],
        "waiting": waiting(desk, {row["slip"].table_id for row in on_their_way}),
        "may_enter": access.may(author, "slip.issue", None),
        "tables": Table.objects.filter(casino_id=desk.casino_id).order_by("code").values_list("code", flat=True),
        "names": list(
            dict.fromkeys(
                chip.name
                for of in chip_queries.chips_shown(desk.casino_id).values()
                for chip in of
                if chip.value_minor and not chip.withdrawn
            )
        ),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
        "year": desk.today.year,
    }
    return render(request, "books/cage.html", context, status=409 if problem else 200)


def _slip_deed(request: HttpRequest, desk: Desk) -> None:
    step, now = request.POST["step"], timezone.now()
    if step == "late":
        table = Table.objects.filter(code=request.POST["table"], casino_id=desk.casino_id).first()
        happened_at = parse_datetime(request.POST["happened_at"])
        if table is None or happened_at is None:
            raise ValueError("no such table or time")
        id, pieces = form_id(request), pieces_named(request, chips_used(table))
        happened_at = happened_at.replace(tzinfo=desk.zone)
        kind, paper = request.POST["kind"], request.POST["paper_number"]
        content = {"kind": kind, "chips": pieces, "paper_number": paper, "happened_at": time_text(happened_at)}
        if asks(request, desk, table.code, "late", content, id):
            return
        author, second = signers(request, desk, 2)
        cage.enter_late_slip(
            table.code,
            kind,
            pieces,
            id=id,
            paper_number=paper,
            happened_at=happened_at,
            author=author,
            second=second,
            now=now,
        )
        return
    slip = slip_queries.slip(uuid.UUID(request.POST["slip"]))
    if slip is None or slip.casino_id != desk.casino_id or step not in DEEDS:
        raise ValueError("no such slip or step")
    id, reason = form_id(request), request.POST.get("reason", "")[:500]
    asked = {"slip": str(slip.id)} | ({"reason": reason} if step == "void" else {})
    if asks(request, desk, slip.table, step, asked, id):
        return
    author, *others = signers(request, desk, 2 if step == "void" else 1)
    other = others[0] if others else None
    cage.take_step(slip.id, step, author=author, second=other, reason=reason, now=now, step_id=id)


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.slips")
def slip(request: HttpRequest, author: Author, slip_id: uuid.UUID) -> HttpResponse:
    """Show a slip with its steps and everything it was corrected to; correct it."""
    desk = desk_of(author)
    found = slip_queries.slip(slip_id)
    if found is None or found.casino_id != desk.casino_id or not access.may(author, "read.slips", found.pit_id):
        raise Http404
    shown = chip_queries.chips_shown(desk.casino_id).get(found.currency, ())
    chips = tuple(chip for chip in shown if chip.value_minor)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _correct_slip(request, desk, found, chips))
        if not problem:
            return redirect("slip", slip_id=slip_id)
    held = {name: pieces for name, pieces, _value in found.standing_chips}
    context = {
        "row": slip_row(desk, found),
        "corrections": [
            {
                "correction": each,
                "chips": _pieces_text(each.chips),
                "amount": money(each.amount_minor, found.exponent),
                "difference": money(abs(each.difference_minor), found.exponent) if each.difference_minor else "",
                "to_table": each.difference_minor > 0,
                "at": desk.local(each.corrected_at),
                "how": each.how and SLIP_DEBTS[each.how],
            }
            for each in found.corrections
        ],
        "chips": [
            {"name": chip.name, "pieces": request.POST.get(f"chip-{chip.name}", held.get(chip.name, ""))}
            for chip in chips
        ],
        "known": len(found.corrections),
        "waiting": waiting(desk, [found.table_id]),
        "may_correct": found.state == "received" and access.may(author, "slip.correct", found.pit_id),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/slip.html", context, status=409 if problem else 200)


def _correct_slip(request: HttpRequest, desk: Desk, found: SlipView, chips: tuple[ChipShown, ...]) -> None:
    id, pieces, known = form_id(request), pieces_named(request, chips), int(request.POST["known"])
    reason = request.POST.get("reason", "")[:500]
    asked = {"slip": str(found.id), "chips": pieces, "known": known, "reason": reason}
    if asks(request, desk, found.table, "slip_correction", asked, id):
        return
    author, approver = signers(request, desk, 2)
    cage.correct_slip(
        found.id,
        pieces,
        correction_id=id,
        known=known,
        reason=reason,
        author=author,
        approver=approver,
        now=timezone.now(),
    )


@require_safe
@deed_required("read.slips")
def numbers(request: HttpRequest, author: Author) -> HttpResponse:
    """Report the numbers of a year: missing, void, unused."""
    desk = desk_of(author)
    text = request.GET.get("year", "")
    year = int(text) if text.isascii() and text.isdigit() and len(text) == 4 else desk.today.year
    series = [
        {"series": each, "kind": MOVEMENTS[each.kind]} for each in slip_queries.series_report(desk.casino_id, year)
    ]
    return render(request, "books/numbers.html", {"year": year, "series": series})


# -- boxes: the count room's page


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.drops")
def drops(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the boxes with their custody and their counts, and take their steps. Who counts sees no expectation."""
    desk = desk_of(author)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _box_deed(request, desk))
        if not problem:
            return redirect("count-room")
    pits = access.pits(author, "read.drops")
    notes = slip_queries.denominations(desk.casino_id)
    rows = [
        _drop_row(desk, drop, notes.get(drop.currency, ()))
        for drop in slip_queries.latest_drops()
        if drop.casino_id == desk.casino_id and (pits is None or drop.pit_id in pits)
    ]
    context = {
        "drops": rows,
        "sees": any(row["expected"] is not None for row in rows),
        "problem": problem,
        "me": author.number,
        "id": uuid.uuid4,
    }
    return render(request, "books/drops.html", context, status=409 if problem else 200)


def _drop_row(desk: Desk, drop: DropView, notes: tuple[int, ...] = ()) -> dict[str, Any]:
    """Write a box with its steps; `notes`: the denominations that its count is likely to find."""
    sees = access.may(desk.author, "read.books", drop.pit_id) and not access.may(desk.author, "box.count", None)
    following = {"attached": ("removed",), "removed": ("received",), "received": ("counted",)}
    steps = following.get(drop.state, ("counted", "approved") if drop.state == "counted" else ())
    deeds = {"removed": "box.move", "received": "box.receive", "counted": "box.count", "approved": "approve.drop"}
    return {
        "drop": drop,
        "key": f"{drop.id}-",
        "state": BOX_STATES[drop.state],
        "steps": _steps(desk, drop.steps, BOX_STATES),
        "counts": [
            {
                "number": count.number,
                "total": money(count.total_minor, drop.exponent),
                "who": f"{count.author}, {count.second}",
                "at": desk.local(count.counted_at),
                "lines": ", ".join(f"{pieces} × {money(value, drop.exponent)}" for value, pieces in count.lines),
            }
            for count in drop.counts
        ],
        "expected": money(drop.expected_minor, drop.exponent) if sees else None,
        "variance": money(drop.variance_minor, drop.exponent) if sees else None,
        "differs": sees and bool(drop.variance_minor),
        "lines": [*(money(each, drop.exponent) for each in notes), *[""] * max(4, 10 - len(notes))],
        "next": [
            {"step": step, "word": DEEDS[step], "by_two": step != "approved", "count": step == "counted"}
            for step in steps
            if access.may(desk.author, deeds[step], drop.pit_id if step in ("removed", "approved") else None)
        ],
    }


def amount_named(text: str, currency: str) -> int:
    """Read an amount of a currency into minor units. Raises: ValueError."""
    found = parse_amount("".join(text.split()).replace(",", "."), minor_digits(currency))
    if not isinstance(found, int):
        raise ValueError(text)
    return found


def _box_deed(request: HttpRequest, desk: Desk) -> None:
    drop = slip_queries.drop(int(request.POST["drop"]))
    step = request.POST["step"]
    if drop is None or drop.casino_id != desk.casino_id or step not in ("removed", "received", "counted", "approved"):
        raise ValueError("no such box or step")
    lines: dict[int, int] = {}
    for value, pieces in zip(request.POST.getlist("denomination"), request.POST.getlist("pieces"), strict=True):
        if pieces:  # a denomination of which none was found is none
            minor = amount_named(value, drop.currency)
            if minor in lines:
                raise ValueError("a denomination twice")
            lines[minor] = int(pieces)
    id = form_id(request)
    author, *others = signers(request, desk, 1 if step == "approved" else 2)
    second = others[0] if others else author
    cage.take_box_step(drop.id, step, lines=lines, author=author, second=second, now=timezone.now(), step_id=id)


# -- the books: the shift manager's pages


def _book_row(books: Books) -> dict[str, Any]:
    def amount(minor: int | None) -> str:
        return money(minor, books.exponent)

    return {
        "books": books,
        "opener": amount(books.opener_minor),
        "opener_of": amount(books.opener_of_minor),
        "opener_difference": amount(books.opener_difference_minor),
        "fills": amount(books.fills_minor),
        "credits": amount(books.credits_minor),
        "closer": amount(books.closer_minor),
        "drop": amount(books.drop_minor),
        "buy_ins": amount(books.buy_ins_minor),
        "fees": amount(books.fees_minor),
        "rulings": amount(books.rulings_minor) if books.rulings_minor else "",
        "taken": amount(books.taken_minor),
        "paid": amount(books.paid_minor),
        "win": amount(books.win_minor),
        "game_win": amount(books.game_win_minor),
        "expected": amount(books.expected_float_minor),
        "hold": percent(books.hold),
        "residual": amount(books.residual_minor),
        "chips": amount(books.float_difference_minor),
        "cash": amount(books.drop_variance_minor),
        "outside": books.within_tolerance is False,
    }


_COLUMNS = (
    "opener", "opener_of", "fills", "credits", "drop", "buy_ins", "closer", "win", "taken", "paid", "fees", "game_win",
    "residual", "float_difference", "drop_variance", "expected_float",
)  # fmt: skip


def chosen_day(request: HttpRequest, desk: Desk) -> date:
    """Read the gaming day that an address names; today's where it names none that a calendar has."""
    try:
        chosen = parse_date(request.GET.get("gaming_date", ""))
    except ValueError:
        chosen = None
    return chosen if chosen is not None and 1900 < chosen.year < 9000 else desk.today


@require_safe
@deed_required("read.books")
def day_csv(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand the books of a gaming day to a spreadsheet: units of the currency; what is not known is empty."""
    desk = desk_of(author)
    chosen = chosen_day(request, desk)
    head = ["gaming_date", "shift", "table", "opening", "currency", *_COLUMNS, "hold", "within_tolerance"]
    rows: Iterable[list[Cell]] = (
        [chosen, each.shift, each.table, each.opening, each.currency,
         *(units(getattr(each, f"{column}_minor"), each.exponent) for column in _COLUMNS),
         ratio(each.hold),
         None if each.within_tolerance is None else int(each.within_tolerance)]
        for each in book_queries.books_of_day(desk.casino_id, chosen, access.pits(author, "read.books"))
    )  # fmt: skip
    return sheet(request, f"books-{chosen.isoformat()}", head, rows)


@require_safe
@deed_required("read.books")
def day(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the books of a gaming day: every opening, the totals, the incidents."""
    desk = desk_of(author)
    chosen = chosen_day(request, desk)
    pits = access.pits(author, "read.books")
    found = book_queries.books_of_day(desk.casino_id, chosen, pits)
    totals = [total_shown(each) for each in book_queries.totals(found)]
    incidents = [
        {
            "incident": each,
            "expected": money(each.expected_minor, each.exponent),
            "found": money(each.found_minor, each.exponent),
        }
        for each in book_queries.incidents(desk.casino_id, chosen, pits)
    ]
    context = {
        "day": chosen,
        "before": chosen - timedelta(days=1) if chosen > date(2000, 1, 1) else None,
        "after": chosen + timedelta(days=1) if chosen < date(9999, 12, 31) else None,
        "openings": [_book_row(each) for each in found],
        "totals": totals,
        "incidents": incidents,
    }
    return render(request, "books/day.html", context)


@require_safe
@deed_required("read.books")
def opening(request: HttpRequest, author: Author, code: str, number: int) -> HttpResponse:
    """Show what the figures of one opening are made of."""
    desk = desk_of(author)
    get_object_or_404(Table, code=code, casino_id=desk.casino_id)
    found = book_queries.account(code, number)
    if found is None or not access.may(author, "read.books", found.books.pit_id):
        raise Http404
    exponent = found.books.exponent
    movements = [
        {
            "movement": each,
            "kind": MOVEMENTS[each.kind],
            "correctable": each.kind in movement_queries.CORRECTABLE,
            "at": desk.local(each.happened_at),
            "who": ", ".join(filter(None, (each.author, each.second))),
            "chips": ", ".join(f"{pieces} × {chip}" for _side, chip, pieces, _value in each.chips),
            "came": money(each.in_minor, exponent) if each.in_minor else "",
            "left": money(each.out_minor, exponent) if each.out_minor else "",
            "counted": money(each.counted_minor, exponent) if each.kind in ("opener", "closer", "count") else "",
            "expected": money(each.expected_minor, exponent),
            "difference": money(each.difference_minor, exponent) if each.difference_minor else "",
        }
        for each in found.movements
    ]
    deals = [
        {
            "deal": each.deal,
            "taken": money(each.taken_minor, exponent),
            "paid": money(each.paid_minor, exponent),
            "win": money(each.taken_minor - each.paid_minor, exponent),
        }
        for each in found.deals
    ]
    moment = _local_moment(request.GET.get("at", ""), desk)
    context = {
        "row": _book_row(found.books),
        "at": moment and moment.strftime("%Y-%m-%dT%H:%M"),
        "expected_at": money(book_queries.expected_at(found.books, moment) if moment else None, exponent),
        "movements": movements,
        "deals": deals,
        "drops": [_drop_row(desk, each) for each in found.drops],
        "debts": [
            {"debt": each, "what": debt_of(each), "amount": money(abs(each.amount_minor), exponent)}
            for each in dispute_queries.debts_of_opening(desk.casino_id, code, number)
        ],
        "errors": [
            {
                "errors": each,
                "house_lost": money(each.house_lost_minor, exponent),
                "players_lost": money(each.players_lost_minor, exponent),
            }
            for each in console_queries.errors_of(console_queries.mispays(code, number))
        ],
        "colours_out": dict(found.colours_out),
        "opened_at": desk.local(found.books.opened_at),
        "closed_at": desk.local(found.books.closed_at) if found.books.closed_at else "",
    }
    return render(request, "books/opening.html", context)


def _local_moment(text: str, desk: Desk) -> datetime | None:
    """Read a moment by the clock in the house; nothing where there is none."""
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    return found.replace(tzinfo=desk.zone) if found is not None and 1900 < found.year < 9000 else None


@require_safe
@deed_required("read.books")
def deal(request: HttpRequest, author: Author, code: str, number: int, name: str) -> HttpResponse:
    """Show the bets of a deal behind the game win: card by card, what each took and paid."""
    get_object_or_404(Table, code=code, casino_id=desk_of(author).casino_id)
    opening, found = book_queries.books_of_opening(code, number), play_queries.deal(code, name)
    if opening is None or found is None or not access.may(author, "read.books", opening.pit_id):
        raise Http404
    (record,) = play_queries.deal_records([found])
    exponent = opening.exponent
    cards = {card.position: card.card for card in record.cards}
    rows = [
        {
            "settlement": each,
            "card": "" if each.outcome in BY_DEED else card_text(cards.get(each.position)),
            "on": bet_text(each.kind, each.rank, each.suit, each.card),
            "outcome": named(OUTCOMES, each.outcome),
            "stake": money(each.stake_minor, exponent),
            "taken": money(each.taken_minor, exponent),
            "paid": money(each.paid_minor, exponent),
            "returned": money(each.returned_minor, exponent),
            "standing": money(each.standing_minor, exponent),
        }
        for each in record.settlements
    ]
    taken = sum(each.taken_minor for each in record.settlements)
    paid = sum(each.paid_minor for each in record.settlements)
    context = {
        "books": opening,
        "record": record,
        "turns": [
            {"turn": each.turn, "odd": card_text(each.odd), "even": card_text(each.even)}
            for each in play_queries.turns(record)
        ],
        "pocket": [card_text(card.card) for card in record.cards if card.pocket],
        "rows": rows,
        "taken": money(taken, exponent),
        "paid": money(paid, exponent),
        "win": money(taken - paid, exponent),
    }
    return render(request, "books/deal.html", context)


def bet_text(kind: str, rank: str | None, suit: str | None, card: str | None) -> str:
    """Write what a bet is on: Q, ♥, Q♥; a question mark for a sealed card that was never opened."""
    if kind == "suit":
        return SUITS.get(suit or "", suit or "")
    return card_text(card or rank or "?")


SUITS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def card_text(card: str | None) -> str:
    """Write a card, or a rank alone, with the sign of its suit: Q♥; nothing for a card that was taken back."""
    return card[0] + SUITS.get(card[1:], card[1:]) if card else ""
