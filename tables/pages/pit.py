"""The live floor and its tables as pages. They are filled from the API; no figure is made here."""

from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from tables import access
from tables.access import Author
from tables.models.house import Table
from tables.names import LUCK
from tables.pages.desk import chance, decimal, desk_of, money
from tables.pages.people import deed_required
from tables.queries import luck as luck_queries


@require_safe
@deed_required("read.floor")
def pit(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the floor: a tile a table, and what waits for this person."""
    return render(request, "tables/pit.html", {"live": _stream(request), "number": author.number})


@require_safe
@deed_required("read.floor")
def table(request: HttpRequest, author: Author, code: str) -> HttpResponse:
    """Show one table's shift, live."""
    found = get_object_or_404(Table, code=code)
    if not access.may(author, "read.floor", found.pit_id):
        raise Http404
    context = {"live": _stream(request), "number": author.number, "code": code, "name": found.name or code}
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
    unit = 10**each.exponent
    return {
        "name": each.name,
        "table": each.name if kind in ("table", "table_day") else "",
        "currency": each.currency,
        "turns": each.turns,
        "win": money(each.win_minor, each.exponent),
        "expected": money(round(each.expected_minor / unit) * unit, each.exponent),
        "deviation": money(each.deviation_minor // unit * unit, each.exponent),
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


def _stream(request: HttpRequest) -> str:
    """Say where the live floor's stream is: behind a proxy at our own address, else at a port of its own."""
    if not settings.LIVE_PORT:
        return "/live/floor"
    return f"//{split_domain_port(request.get_host())[0]}:{settings.LIVE_PORT}/live/floor"
