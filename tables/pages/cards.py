"""Card control as a page: where every deck is, the day's reconciliation, and the steps of decks, by two."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import cards
from tables.models.house import Table
from tables.names import DECK_STATES
from tables.pages.books import chosen_day
from tables.pages.desk import Desk, desk_of, done, form_id, money, signers
from tables.pages.people import deed_required
from tables.queries import cards as queries
from tables.queries.cards import COUNTED

STEPS = {
    "received": _("Receive"),
    "in_service": _("Put in service"),
    "retired": _("Retire"),
    "retained": _("Retain for investigation"),
    "destroyed": _("Destroy"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.cards")
def overview(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the decks and the reconciliation of a gaming day; move and count decks."""
    desk = desk_of(author)
    chosen = chosen_day(request, desk)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _deed(request, desk))
        if not problem:
            return redirect("cards")
    found = queries.decks(desk.casino_id)
    serial = request.GET.get("serial", "").strip()[:40].replace("\0", "")
    context = {
        "day": chosen,
        "states": [
            {"day": each, "word": DECK_STATES[each.state], "difference": money(each.difference, 0)}
            for each in queries.reconciliation(desk.casino_id, chosen)
        ],
        "decks": [{"deck": deck, "word": DECK_STATES[deck.state], "since": desk.local(deck.since)} for deck in found],
        "serial": serial,
        "history": [
            {"event": each, "word": DECK_STATES[each.step], "at": desk.local(each.done_at)}
            for each in (queries.history(desk.casino_id, serial) if serial else ())
        ],
        "steps": STEPS.items(),
        "counted": [(state, DECK_STATES[state]) for state in COUNTED],
        "sizes": cards.SIZES,
        "tables": Table.objects.filter(casino_id=desk.casino_id).order_by("code").values_list("code", flat=True),
        "may_move": access.may_somewhere(author, "cards.step"),
        "may_count": access.may(author, "cards.step", None),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/cards.html", context, status=409 if problem else 200)


def _deed(request: HttpRequest, desk: Desk) -> None:
    id, now = form_id(request), timezone.now()
    if request.POST["deed"] == "count":
        texts = {state: request.POST.get(f"counted-{state}", "").strip() for state in COUNTED}
        counted = {state: int(text) for state, text in texts.items() if text}
        author, second = signers(request, desk, 2)
        cards.count_decks(desk.casino_id, counted, author=author, second=second, now=now, id=id)
        return
    step, serials = request.POST["step"], request.POST["serials"].replace(",", " ").split()
    more: dict[str, Any] = {"table": request.POST.get("table", ""), "reason": request.POST.get("reason", "")}
    size = int(request.POST.get("size", "52"))
    author, second = signers(request, desk, 2)
    if step == "received":
        cards.receive_decks(desk.casino_id, serials, size, author=author, second=second, now=now, id=id)
    else:
        if step != "in_service":
            more["table"] = ""
        cards.move_decks(desk.casino_id, serials, step, author=author, second=second, now=now, id=id, **more)
