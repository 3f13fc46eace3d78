"""Lists of the floor: results by the hour as a page, and every list of the floor for a spreadsheet."""

import json
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from tables import access
from tables.access import Author
from tables.models.house import Table
from tables.pages.desk import Desk, desk_of, money, whole_units
from tables.pages.people import deed_required
from tables.pages.sheet import Cell, sheet, units
from tables.pages.words import WORDS
from tables.queries import alerts as alert_queries
from tables.queries import luck as luck_queries
from tables.queries import shift_view
from tables.queries.floor import FloorTable, floor
from tables.queries.hours import BY, Day, HourOfTable, Part, day_by, hours
from tables.queries.shifts import calendar_of

DEED = "read.floor"
WAYS = {"table": _("By table"), "pit": _("By pit"), "game": _("By game")}
_NO_PIT = "–"


def _day(request: HttpRequest, desk: Desk) -> date:
    try:
        return parse_date(request.GET.get("day", "")) or desk.today
    except ValueError:
        return desk.today


def _hours(desk: Desk, day: date) -> tuple[HourOfTable, ...]:
    return hours(desk.casino_id, day, desk.zone, access.pits(desk.author, DEED))


@require_safe
@deed_required(DEED)
def by_hour(request: HttpRequest, author: Author) -> HttpResponse:
    """Show a gaming day hour by hour, by table, by pit or by game, with its sums."""
    desk = desk_of(author)
    day = _day(request, desk)
    found = _day_by(request, desk, day)
    context = {
        "day": day,
        "by": found.by,
        "ways": list(WAYS.items()),
        "hours": found.hours,
        "rows": [_row(each, found.by) for each in found.parts],
        "zone": desk.zone.key,
    }
    return render(request, "tables/hours.html", context)


def _day_by(request: HttpRequest, desk: Desk, day: date) -> Day:
    by = request.GET.get("by", "table")
    return day_by(by if by in BY else "table", desk.casino_id, day, desk.zone, access.pits(desk.author, DEED))


def _row(part: Part, by: str) -> dict[str, Any]:
    """Write a part of the day; a sum has no name, what stands in no pit is a dash."""
    name = WORDS[f"game.{part.name}"] if by == "game" and not part.total else part.name or _NO_PIT
    return {
        "name": "" if part.total else name,
        "currency": part.currency,
        "hours": ["" if win is None else money(win, part.exponent) for win in part.hours_minor],
        "turns": part.turns,
        "splits": part.splits,
        "win": money(part.win_minor, part.exponent),
        "expected": money(whole_units(part.expected_minor, part.exponent), part.exponent),
    }


@require_safe
@deed_required(DEED)
def hours_csv(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand a gaming day hour by hour to a spreadsheet."""
    desk = desk_of(author)
    day = _day(request, desk)
    if request.GET.get("by", "table") != "table":
        return _parts_csv(request, _day_by(request, desk, day))
    head = ["gaming_date", "hour", "pit", "table", "game", "currency", "turns", "splits", "win", "expected"]
    rows: Iterable[list[Cell]] = (
        [day, each.hour.strftime("%Y-%m-%d %H:%M"), each.pit, each.table, each.game, each.currency, each.turns,
         each.splits, units(each.win_minor, each.exponent), units(each.expected_minor, each.exponent)]
        for each in _hours(desk, day)
    )  # fmt: skip
    return sheet(request, f"hours-{day.isoformat()}", head, rows)


def _parts_csv(request: HttpRequest, found: Day) -> HttpResponse:
    """Hand the sums of a day's pits or games to a spreadsheet, a column an hour; `total` marks those of a currency."""
    hours_ = [each.strftime("%Y-%m-%d %H:%M") for each in found.hours]
    head = ["gaming_date", found.by, "currency", "total", *hours_, "turns", "splits", "win", "expected"]
    rows: Iterable[list[Cell]] = (
        [found.gaming_date, each.name, each.currency, int(each.total),
         *(units(win, each.exponent) for win in each.hours_minor), each.turns, each.splits,
         units(each.win_minor, each.exponent), units(each.expected_minor, each.exponent)]
        for each in found.parts
    )  # fmt: skip
    return sheet(request, f"hours-{found.gaming_date.isoformat()}-{found.by}", head, rows)


_FLOOR = (
    *("table", "name", "pit", "game", "currency", "state", "gaming_date", "shift", "opened_at", "deal", "turn"),
    *("seats_in_play", "turns", "bets", "splits", "splits_expected", "word", "z", "turns_an_hour", "target_turns"),
    *("dealer", "dealer_since", "inspector", "inspector_since", "console", "last_recorded_at"),
)
_FIGURES = {"splits_expected", "z"}
_MONEY = (
    *("min", "max", "standing", "handle", "taken", "paid", "game_win", "day_win", "expected", "deviation", "float"),
    *("low_mark", "residual"),
)


@require_safe
@deed_required(DEED)
def floor_csv(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand the floor as it stands to a spreadsheet."""
    desk = desk_of(author)
    found = floor(access.pits(author, DEED))
    rows: Iterable[list[Cell]] = (
        [_figure(each, name) if name in _FIGURES else _plain(getattr(each, name), desk) for name in _FLOOR]
        + [units(getattr(each, f"{name}_minor"), each.exponent) for name in _MONEY]
        for each in found.tables
    )
    return sheet(request, "floor", [*_FLOOR, *_MONEY], rows)


def _figure(table: FloorTable, name: str) -> Decimal | None:
    """Give a figure that was written for a screen as a number, which a sheet takes for one also below zero."""
    text = getattr(table, name)
    return None if text is None else Decimal(text)


def _plain(value: Any, desk: Desk) -> Any:
    """Write a moment by the house's clock, yes as 1, an event as the API does."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return int(value)
    return value.astimezone(desk.zone) if hasattr(value, "astimezone") else value


@require_safe
@deed_required(DEED)
def alerts_csv(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand the alerts of a gaming day to a spreadsheet."""
    desk = desk_of(author)
    day = _day(request, desk)
    calendar = calendar_of(desk.casino_id)
    found = alert_queries.raised_between(
        desk.casino_id,
        access.pits(author, DEED),
        calendar.day_start(day),
        calendar.day_start(day + timedelta(days=1)),
    )
    head = ["raised_at", "table", "kind", "level", "value", "limit", "since", "over_at", "seen_at", "seen_by", "note"]
    rows: Iterable[list[Cell]] = (
        [_plain(each.raised_at, desk), each.table, each.kind, each.level, *_values(each), _plain(each.since, desk),
         _plain(each.over_at, desk), _plain(each.seen_at, desk), each.seen_by, each.note]
        for each in found
    )  # fmt: skip
    return sheet(request, f"alerts-{day.isoformat()}", head, rows)


def _values(alert: alert_queries.AlertView) -> list[Cell]:
    if alert.kind in alert_queries.IN_MONEY:
        return [units(alert.value, alert.exponent), units(alert.limit, alert.exponent)]
    return [alert.value, alert.limit]


@require_safe
@deed_required(DEED)
def luck_csv(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand everything that is judged now to a spreadsheet."""
    desk = desk_of(author)
    found = luck_queries.luck(desk.casino_id, timezone.now(), access.pits(author, DEED))
    head = ["what", "kind", "name", "currency", "turns", "result", "expected", "deviation", "z", "chance", "check"]
    rows: list[list[Cell]] = [
        ["win", each.kind, each.name, each.currency, each.turns, units(each.win_minor, each.exponent),
         units(each.expected_minor, each.exponent), units(each.deviation_minor, each.exponent),
         None if each.z is None else Decimal(each.z),
         None if each.chance is None else Decimal(f"{each.chance:.4g}"), int(each.stands_out)]
        for each in found.results
    ]  # fmt: skip
    rows += [
        ["splits", each.kind, each.name, None, each.turns, each.splits, Decimal(f"{each.expected:.1f}"), None, None,
         Decimal(f"{each.chance:.4g}"), int(each.stands_out)]
        for each in found.splits
    ]  # fmt: skip
    return sheet(request, "luck", head, rows)


# The lists of a table's page: fields as they are, and sums of money.
_OF_TABLE: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "curve": (("at", "deal", "turn", "pocket", "split"), ("win", "expected", "deviation")),
    "ranks": (("kind", "what", "bets", "z"), ("staked", "average", "bank", "expected")),
    "seats": (("what", "bets"), ("staked", "average", "bank")),
    "people": (("role", "number", "name", "since", "until", "turns", "corrections"), ()),
    "chips": (("kind", "slip", "at", "author", "second"), ("amount",)),
    "slips": (("kind", "state", "requested_by", "requested_at"), ("amount", "to_float")),
    "entries": (("sequence", "type", "author", "happened_at", "late", "event"), ()),
}


@require_safe
@deed_required(DEED)
def table_csv(request: HttpRequest, author: Author, code: str, name: str) -> HttpResponse:
    """Hand a list of a table's page to a spreadsheet: the turns of its shift, ranks, seats, people, chips, entries."""
    desk = desk_of(author)
    table = Table.objects.filter(code=code, casino_id=desk.casino_id).first()
    if table is None or name not in _OF_TABLE or not access.may(author, DEED, table.pit_id):
        raise Http404
    try:
        view = shift_view.shift_view(code)
    except shift_view.NoShiftError:
        raise Http404 from None
    fields, sums = _OF_TABLE[name]
    rows: Iterable[list[Cell]] = (
        [_plain(getattr(each, field), desk) for field in fields]
        + [units(getattr(each, f"{sum_}_minor"), view.table.exponent) for sum_ in sums]
        for each in getattr(view, name)
    )
    return sheet(request, f"{code}-{name}", [*fields, *sums], rows)
