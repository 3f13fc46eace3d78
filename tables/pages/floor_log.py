"""Duty of the day, incidents and the surveillance log as one page each: what is written stays as it is."""

import uuid
from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from tables import access
from tables.access import Author
from tables.actions import notes
from tables.models.house import Table
from tables.models.people import Role, SignOn
from tables.pages.books import chosen_day
from tables.pages.desk import Desk, desk_of, done, form_id
from tables.pages.people import deed_required
from tables.queries import duty as duty_queries
from tables.queries import notes as queries

TITLES = {"incident": _("Incidents"), "surveillance": _("Surveillance log")}


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("incident.read")
def incidents(request: HttpRequest, author: Author) -> HttpResponse:
    """Show and write incidents."""
    return _notes(request, author, "incident")


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("surveillance.read")
def surveillance(request: HttpRequest, author: Author) -> HttpResponse:
    """Show and write the surveillance log."""
    return _notes(request, author, "surveillance")


def _notes(request: HttpRequest, author: Author, kind: str) -> HttpResponse:
    desk = desk_of(author)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _write(request, desk, kind))
        if not problem:
            return redirect(request.path)
    found = [each for each in queries.notes(desk.casino_id, kind) if access.may(author, f"{kind}.read", each.pit_id)]
    context = {
        "title": TITLES[kind],
        "notes": [
            {"note": each, "happened_at": desk.local(each.happened_at), "written_at": desk.local(each.written_at)}
            for each in found
        ],
        "may_write": access.may_somewhere(author, f"{kind}.write"),
        "tables": Table.objects.filter(casino_id=desk.casino_id).order_by("code").values_list("code", flat=True),
        "problem": problem,
        "id": uuid.uuid4,
    }
    return render(request, "books/notes.html", context, status=409 if problem else 200)


def _write(request: HttpRequest, desk: Desk, kind: str) -> None:
    now = timezone.now()
    said = request.POST.get("happened_at", "")
    happened_at = parse_datetime(said) if said else None
    about = request.POST.get("about", "").strip()
    notes.write_note(
        desk.casino_id,
        kind,
        request.POST["text"],
        id=form_id(request),
        author=desk.author,
        happened_at=now if happened_at is None else happened_at.replace(tzinfo=desk.zone),
        now=now,
        table=request.POST.get("table", ""),
        about=int(about) if about else None,
    )


@require_safe
@deed_required("read.duty")
def duty(request: HttpRequest, author: Author) -> HttpResponse:
    """Show who stood where on a gaming day, reliefs, breaks, and how many tables each watches now."""
    desk = desk_of(author)
    chosen = chosen_day(request, desk)

    def clock(moment: datetime | None) -> str:
        return moment.astimezone(desk.zone).strftime("%d.%m. %H:%M:%S") if moment else ""

    rows = [
        {
            "duty": each,
            "watches": len(each.tables_now),
            "rested": str(timedelta(seconds=round(each.rested.total_seconds()))),
            "stands": [
                {
                    "stand": stand,
                    "role": Role(stand.role).label,
                    "since": clock(stand.since),
                    "until": clock(stand.until),
                    "ending": SignOn.Ending(stand.ending).label if stand.ending else "",
                }
                for stand in each.stands
            ],
            "breaks": [(clock(since), clock(until)) for since, until in each.breaks],
        }
        for each in duty_queries.duty_of_day(desk.casino_id, chosen)
    ]
    return render(request, "books/duty.html", {"day": chosen, "rows": rows})
