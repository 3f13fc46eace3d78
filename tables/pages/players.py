"""The player side as a page: what seats and aliases played on a gaming day; who sits where; erasure of an alias."""

import uuid
from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import players
from tables.models.house import Table
from tables.pages.books import chosen_day
from tables.pages.desk import Desk, desk_of, done, form_id, money, signers
from tables.pages.people import deed_required
from tables.queries import players as queries
from tables.queries.players import PlayerPlay, SeatPlay


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.players")
def overview(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the play of a gaming day by player and by seat; seat players, erase aliases."""
    desk = desk_of(author)
    chosen = chosen_day(request, desk)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _deed(request, desk))
        if not problem:
            return redirect("players")
    pits = access.pits(author, "read.players")
    play = [each for each in queries.play_of_day(desk.casino_id, chosen) if pits is None or each.pit_id in pits]
    may_seat = access.pits(author, "player.sit")
    tables = Table.objects.filter(casino_id=desk.casino_id, head__state="open").order_by("code")
    context = {
        "day": chosen,
        "players": [_row(each) for each in queries.by_player(play)],
        "seats": [_row(each) for each in play],
        "tables": [table.code for table in tables if may_seat is None or table.pit_id in may_seat],
        "may_erase": access.may(author, "player.erase", None),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/players.html", context, status=409 if problem else 200)


def _row(play: SeatPlay | PlayerPlay) -> dict[str, Any]:
    return {
        "play": play,
        "buy_ins": money(play.buy_ins_minor, play.exponent),
        "average": money(play.average_bet_minor, play.exponent),
        "handle": money(play.handle_minor, play.exponent),
        "win": money(play.house_win_minor, play.exponent),
        "played": _clock(play.played),
    }


def _clock(played: timedelta) -> str:
    minutes, seconds = divmod(int(played.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"


def _deed(request: HttpRequest, desk: Desk) -> None:
    id, now = form_id(request), timezone.now()
    if request.POST["deed"] == "erase":
        (author,) = signers(request, desk, 1)
        players.erase_alias(desk.casino_id, int(request.POST["player"]), author=author, now=now, id=id)
        return
    table = Table.objects.filter(code=request.POST["table"], casino_id=desk.casino_id).first()
    if table is None:
        raise ValueError("no such table")
    seat = int(request.POST["seat"])
    if request.POST["deed"] == "sit":
        players.sit(table.code, seat, request.POST["alias"], author=desk.author, now=now, id=id)
    else:
        players.stand_up(table.code, seat, author=desk.author, now=now, id=id)
