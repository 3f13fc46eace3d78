"""The live floor and its tables as pages. They are filled from the API; no figure is made here."""

import uuid
from dataclasses import asdict
from datetime import timedelta
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from tables import access
from tables.access import Author
from tables.actions import alerts as alert_actions
from tables.marks import TURNS, Marks
from tables.models.house import Table
from tables.names import LUCK, NOTICES
from tables.pages.desk import Desk, chance, decimal, desk_of, done, form_id, money, whole_units
from tables.pages.people import deed_required
from tables.queries import alerts as alert_queries
from tables.queries import luck as luck_queries
from tables.queries.floor import pits_of
from tables.queries.shifts import calendar_of


@require_safe
@deed_required("read.floor")
def pit(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the floor: a tile a table, and what waits for this person."""
    context = {
        "live": _stream(request),
        "number": author.number,
        "sees": access.may_somewhere(author, "alert.see"),
    }
    return render(request, "tables/pit.html", context)


# The lists of a table's page that a spreadsheet takes, as the page calls them.
TABLE_SHEETS = {
    "curve": _("Turns"),
    "ranks": _("By rank and suit"),
    "seats": _("By seat"),
    "chips": _("Chips"),
    "slips": _("Slips on their way"),
    "people": _("People"),
    "entries": _("Journal"),
}


@require_safe
@deed_required("read.floor")
def table(request: HttpRequest, author: Author, code: str) -> HttpResponse:
    """Show one table's shift, live."""
    found = get_object_or_404(Table, code=code)
    if not access.may(author, "read.floor", found.pit_id):
        raise Http404
    moves = access.may(author, "table.move", None)
    context = {
        "live": _stream(request),
        "number": author.number,
        "code": code,
        "name": found.name or code,
        "does": access.may(author, "table.state", found.pit_id),
        "changes": access.may(author, "rules.change", found.pit_id),
        "moves": moves,
        "pits": pits_of(found.casino_id) if moves else (),
        "sheets": TABLE_SHEETS.items(),
    }
    return render(request, "tables/pit_table.html", context)


KINDS = {
    "table": _("Tables, this shift"),
    "table_day": _("Tables, this gaming day"),
    "shift": _("Shifts of the house, this gaming day"),
    "day": _("Gaming days of the house"),
    "dealer": _("Dealers of this day, 30 gaming days"),
    "shoe": _("Shoes, since they came to the table"),
    "deal": _("Deals of this gaming day"),
}
DEALS_SHOWN = 20


@require_safe
@deed_required("read.floor")
def luck(request: HttpRequest, author: Author) -> HttpResponse:
    """Show wins and splits beside what could be expected of them, and which stand out among all of their kind."""
    desk = desk_of(author)
    found = luck_queries.luck(desk.casino_id, timezone.now(), access.pits(author, "read.floor"))
    results = [
        {"title": KINDS[kind], "rows": [_result(each, kind) for each in rows]}
        for kind, rows in groupby(found.results, key=lambda each: each.kind)
    ]
    splits = [
        {"title": KINDS[kind], "judged": len(rows), "rows": [_splits(each, kind) for each in rows[:DEALS_SHOWN]]}
        for kind, rows in ((kind, list(of)) for kind, of in groupby(found.splits, key=lambda each: each.kind))
    ]
    context = {
        "results": results,
        "splits": splits,
        "share": round(100 * found.false_alarms),
        "at": desk.local(found.at),
    }
    return render(request, "tables/luck.html", context)


def _result(each: luck_queries.Result, kind: str) -> dict[str, Any]:
    return {
        "name": each.name,
        "table": each.name if kind in ("table", "table_day") else "",
        "currency": each.currency,
        "turns": each.turns,
        "win": money(each.win_minor, each.exponent),
        "expected": money(whole_units(each.expected_minor, each.exponent), each.exponent),
        "deviation": money(whole_units(each.deviation_minor, each.exponent), each.exponent),
        "z": decimal(each.z),
        "chance": chance(each.chance),
        "word": LUCK[each.word],
        "stands_out": each.stands_out,
    }


def _splits(each: luck_queries.Splits, kind: str) -> dict[str, Any]:
    return {
        "name": each.name,
        "table": each.name if kind in ("table", "shoe") else "",
        "turns": each.turns,
        "splits": each.splits,
        "expected": decimal(f"{each.expected:.1f}", sign=False),
        "chance": chance(each.chance),
        "word": LUCK["check" if each.stands_out else "rare" if each.one_in else "normal"],
        "stands_out": each.stands_out,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.floor")
def alerts(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the alerts of a gaming day with who saw them; and the house's marks, for who may set them."""
    desk = desk_of(author)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _set_marks(request, desk))
        if not problem:
            return redirect("alerts")
    day = parse_date(request.GET.get("day", "")) or desk.today
    calendar = calendar_of(desk.casino_id)
    found = alert_queries.raised_between(
        desk.casino_id,
        access.pits(author, "read.floor"),
        calendar.day_start(day),
        calendar.day_start(day + timedelta(days=1)),
    )
    marks = asdict(alert_queries.marks_of_houses().get(desk.casino_id, Marks()))
    turns = marks.pop("turns")
    values = marks | {f"turns_{game}": number for game, number in turns.items()}
    context = {
        "day": day,
        "alerts": [_alert(each, desk) for each in found],
        "may_set": access.may(author, "marks.set", None),
        "marks": [(name, title, request.POST.get(name, values[name])) for name, title in MARKS.items()],
        "problem": problem,
        "id": uuid.uuid4,
    }
    return render(request, "tables/alerts.html", context, status=409 if problem else 200)


MARKS = {
    "low_float_times": _("Float is low below so many times the maximum"),
    "big_win_times": _("Payment is told from so many times the maximum"),
    "turns_stuss": _("Turns an hour, Stuss"),
    "turns_private": _("Turns an hour, Private Stoss"),
    "turns_stos": _("Turns an hour, Stos"),
    "turns_pharaon": _("Turns an hour, Pharaon"),
    "slow_percent": _("Slow below, % of that"),
    "fast_percent": _("Fast above, % of that"),
    "dealer_minutes": _("Dealer at one table, minutes"),
    "silent_seconds": _("Console silent after, seconds"),
}


def _set_marks(request: HttpRequest, desk: Desk) -> None:
    """Set the marks that a form names. Raises: ValueError."""
    id = form_id(request)
    values = {name: int(request.POST.get(name, "")) for name in MARKS}
    turns = {game: values.pop(f"turns_{game}") for game in TURNS}
    alert_actions.set_marks(desk.casino_id, Marks(**values, turns=turns), author=desk.author, now=timezone.now(), id=id)


def _alert(each: alert_queries.AlertView, desk: Desk) -> dict[str, Any]:
    """Write an alert in one line."""
    in_money = each.kind in alert_queries.IN_MONEY
    values = {
        name: money(value, each.exponent) if in_money and value is not None else value
        for name, value in (("value", each.value), ("limit", each.limit))
    }
    since = desk.local(each.since) if each.since else ""
    return {
        "at": desk.local(each.raised_at),
        "over": desk.local(each.over_at) if each.over_at and each.over_at != each.raised_at else "",
        "level": each.level,
        "table": each.table,
        "name": each.name or each.table,
        "what": str(NOTICES[each.kind]).format(**values, since=since),
        "seen": desk.local(each.seen_at) if each.seen_at else "",
        "by": each.seen_name,
        "note": each.note,
    }


def _stream(request: HttpRequest) -> str:
    """Say where the live floor's stream is: behind a proxy at our own address, else at a port of its own."""
    if not settings.LIVE_PORT:
        return "/live/floor"
    return f"//{split_domain_port(request.get_host())[0]}:{settings.LIVE_PORT}/live/floor"
