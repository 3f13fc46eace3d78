"""The shifts of a gaming day as a page: how far each is, what it came to, its closing, and the plan behind it."""

import uuid
from datetime import date, datetime, time, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_time
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import shifts
from tables.calendar import MOST_SHIFTS
from tables.names import ARRIVED, named
from tables.pages.books import chosen_day
from tables.pages.desk import Desk, desk_of, done, form_id, signers, total_shown
from tables.pages.people import deed_required
from tables.queries import books as book_queries
from tables.queries import shifts as queries
from tables.queries.books import Books
from tables.queries.shifts import ShiftState

STAGES = {
    "coming": _("not begun"),
    "running": _("running"),
    "over": _("over, not closed"),
    "closed": _("closed"),
    "amended": _("closed, amended since"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.books")
def day(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the shifts of a gaming day; close one, make a new plan."""
    desk, now = desk_of(author), timezone.now()
    chosen = chosen_day(request, desk)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _deed(request, desk, now))
        if not problem:
            return redirect(f"{reverse('shifts')}?gaming_date={chosen.isoformat()}")
    pits = access.pits(author, "read.books")
    parts = book_queries.by_shift(book_queries.books_of_day(desk.casino_id, chosen, pits))
    states = queries.shifts_of_day(desk.casino_id, chosen)
    context = {
        "day": chosen,
        "before": chosen - timedelta(days=1) if chosen > date(2000, 1, 1) else None,
        "after": chosen + timedelta(days=1) if chosen < date(9998, 12, 31) else None,
        "zone": desk.zone.key,
        "shifts": [_shift_row(desk, state, parts.get(state.shift.number, ()), now) for state in states],
        "overdue": [each for each in queries.overdue(desk.casino_id, now) if pits is None or each.pit_id in pits],
        "plans": queries.plans(desk.casino_id),
        "may_plan": access.may(author, "shift.plan", None),
        "tomorrow": desk.today + timedelta(days=1),
        "places": range(1, MOST_SHIFTS + 1),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/shifts.html", context, status=409 if problem else 200)


def _shift_row(desk: Desk, state: ShiftState, books: tuple[Books, ...], now: datetime) -> dict[str, Any]:
    stage = state.stage(now)
    return {
        "state": state,
        "stage": stage,
        "word": STAGES[stage],
        "since": _clock(desk, state.shift.since),
        "until": _clock(desk, state.shift.until),
        "hours": f"{(state.shift.until - state.shift.since) / timedelta(hours=1):g}",
        "tables": [
            {
                "table": table,
                "openings": [each.opening for each in of],
                **total_shown(total),
                "outside": total.within_tolerance is False,
            }
            for table, of in book_queries.by_table(books).items()
            for total in book_queries.totals(of)
        ],
        "totals": [total_shown(total) for total in book_queries.totals(books)],
        "closed_at": desk.local(state.closed_at) if state.closed_at else "",
        "arrived": [
            {
                "amendment": each,
                "what": named(ARRIVED, each.what),
                "happened_at": desk.local(each.happened_at),
                "recorded_at": desk.local(each.recorded_at),
            }
            for each in state.amendments
        ],
        "may_close": state.closed_at is None
        and now >= state.shift.since
        and access.may(desk.author, "shift.close", None),
    }


def _clock(desk: Desk, moment: datetime) -> str:
    return moment.astimezone(desk.zone).strftime("%H:%M")


def _deed(request: HttpRequest, desk: Desk, now: datetime) -> None:
    id = form_id(request)
    if request.POST["deed"] == "plan":
        since = parse_date(request.POST["since"])
        starts = [_time(text) for text in request.POST.getlist("start") if text]
        if since is None or since > date(9000, 1, 1):
            raise ValueError("no such day")
        author, approver = signers(request, desk, 2)
        shifts.set_plan(desk.casino_id, since=since, starts=starts, author=author, approver=approver, now=now, id=id)
        return
    gaming_date = parse_date(request.POST["gaming_date"])
    if request.POST["deed"] != "close" or gaming_date is None:
        raise ValueError("no such deed")
    (author,) = signers(request, desk, 1)
    shifts.close_shift(desk.casino_id, gaming_date, int(request.POST["shift"]), author=author, now=now, id=id)


def _time(text: str) -> time:
    found = parse_time(text)
    if found is None or found.tzinfo is not None:
        raise ValueError(text)
    return found.replace(second=0, microsecond=0)
