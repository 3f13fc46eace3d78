"""What players played, from the bets themselves; and that an alias can be forgotten without the record breaking."""

import json
import re
import time
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client

from tables.actions import players
from tables.models import Entry, Text
from tables.queries import players as queries
from tables.queries.players import SeatPlay
from tables.rules.refusals import Refusal
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in, fresh
from tests.tables.a_game import bet, card

pytestmark = pytest.mark.django_db(transaction=True)


def play(table: Cage) -> dict[tuple[int, str | None], SeatPlay]:
    found = queries.play_of_day(table.house.casino_id, table.books().gaming_date)
    return {(each.seat, each.alias): each for each in found}


def test_two_players_share_a_seat_in_turn_and_each_has_his_own_buy_ins_bets_turns_and_time():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    # The Colonel sits down by the tablet, under the sign-on of its dealer.
    device = table.house.client("tablet-S")
    seated = device.post("/api/tables/S/seats/1", {"alias": "Colonel", "signon": tablet.signon}, format="json")
    assert (seated.status_code, seated.json()["player"]) == (201, 1)
    tablet.send(
        buy_in("5000", c1000=5),
        {"type": "deal", "deal": "1"},
        # Turn 1: nothing. Turn 2: the queen wins, the king stands. Turn 3: the king loses.
        bet("a", 1, "Q", "300"),
        bet("b", 1, "K", "400"),
        bet("x", 2, "A", "100"),
        card("2S"),
        card("3S"),
        card("4S"),
        card("QH"),
        card("KS"),
        card("5S"),
    )
    time.sleep(0.05)
    tablet.send({"type": "end"})
    number = players.sit("S", 1, "  the   Widow ", author=table["D-1"], now=datetime.now(UTC))
    assert number == 2
    tablet.send({"type": "deal", "deal": "2"}, bet("a", 1, "Q", "1000"), card("QS"), card("KH"), {"type": "end"})
    found = play(table)
    colonel, widow, nobody = found[1, "Colonel"], found[1, "the Widow"], found[2, None]
    assert (colonel.buy_ins_minor, colonel.bets, colonel.handle_minor, colonel.average_bet_minor) == (
        500_000,
        2,
        70_000,
        35_000,
    )
    # His bets stood in the turns 1, 2 and 3: three, not the five of both bets. He won 300 and lost 400.
    assert (colonel.turns, colonel.house_win_minor) == (3, 10_000)
    assert (widow.buy_ins_minor, widow.bets, widow.average_bet_minor, widow.turns) == (0, 1, 100_000, 1)
    assert widow.house_win_minor == 100_000
    # The ace stood through three turns and came back with the end of the deal, later than the turns.
    assert (nobody.player, nobody.bets, nobody.turns, nobody.house_win_minor) == (None, 1, 3, 0)
    assert timedelta(milliseconds=50) <= nobody.played < timedelta(seconds=30)
    assert [(each.player, each.bets) for each in queries.by_player(found.values())] == [(1, 2), (2, 1)]
    assert intact()


def test_a_bet_that_was_withdrawn_or_never_made_counts_for_nothing():
    table = a_cage({**json.loads(STUSS)})
    table.open(c1000=50)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"), {"type": "withdraw", "bet": "a"}, bet("b", 2, "K"))
    assert {place: each.bets for place, each in play(table).items()} == {(2, None): 1}


STUSS = '{"type": "table", "table": "S", "game": "stuss", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"}'


def test_an_alias_is_known_again_until_it_is_erased_and_leaves_nothing_that_could_be_guessed():
    table = a_cage()
    table.open(c1000=50)
    now = datetime.now(UTC)
    assert players.sit("S", 1, "Colonel", author=table["D-1"], now=now) == 1
    with pytest.raises(Refusal) as again:
        players.sit("S", 1, "Colonel", author=table["D-1"], now=now + timedelta(seconds=1))
    assert again.value.code == "already_done"
    players.stand_up("S", 1, author=table["D-1"], now=now + timedelta(seconds=2))
    assert players.sit("S", 2, "Colonel", author=table["I-1"], now=now + timedelta(seconds=3)) == 1
    # No entry holds the alias, before or after.
    assert not any("Colonel" in text for text in Entry.objects.values_list("text", flat=True))
    with pytest.raises(Refusal) as not_his:
        players.erase_alias(table.house.casino_id, 1, author=table["I-1"], now=now)
    assert not_his.value.code == "not_allowed"
    signed = {"signatures": [{"staff": "S-1", "pin": CAGE_PINS["S-1"]}]}
    session = table.house.session("S-1")
    assert session.post("/api/players/1/erased", signed, format="json").status_code == 201
    assert session.post("/api/players/1/erased", signed, format="json").json()["code"] == "already_done"
    assert list(Text.objects.filter(field="alias").values_list("salt", "text")) == [(None, None)]
    assert [(each["player"], each["alias"]) for each in session.get("/api/players").json()["players"]] == [(1, None)]
    # Who comes again under that alias is somebody new.
    assert players.sit("S", 3, "Colonel", author=table["D-1"], now=now + timedelta(seconds=4)) == 2
    out = StringIO()
    call_command("verify_journal", stdout=out)
    assert "TAMPERED" not in out.getvalue()


def test_the_page_seats_shows_and_erases():
    table = a_cage()
    table.open(c1000=50)
    manager = Client()
    manager.force_login(get_user_model().objects.get(username="S-1"))
    sit = {"deed": "sit", "table": "S", "seat": "4", "alias": "Colonel"}
    assert manager.post("/players/", fresh(sit)).status_code == 302
    assert manager.post("/players/", fresh(sit | {"seat": "0"})).status_code == 409
    table.tablet().send(
        {"type": "deal", "deal": "1"}, bet("a", 4, "Q", "250"), bet("b", 4, "K", "100"), card("QS"), card("2H")
    )
    page = manager.get("/players/").content.decode()
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page)
    row = cells.index("<bdi>Colonel</bdi> <small>RUB</small>")
    assert cells[row + 1 : row + 4] == ["0", "2", "175"]
    erase = {"deed": "erase", "player": "1", "staff1": "S-1", "pin1": CAGE_PINS["S-1"]}
    assert manager.post("/players/", fresh(erase)).status_code == 302
    assert "Colonel" not in manager.get("/players/").content.decode()
    assert manager.post("/players/", fresh({"deed": "stand", "table": "S", "seat": "4"})).status_code == 302
