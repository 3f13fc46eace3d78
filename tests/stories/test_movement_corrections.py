"""A buy-in of twenty that was two, an opener typed wrong: what it is corrected to, by whom, what that leaves."""

import json
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from tables.actions import cage, disputes, movements, shifts
from tables.actions.importing import import_log
from tables.queries import books
from tables.queries import disputes as dispute_queries
from tables.queries import movements as queries
from tables.queries import players as player_queries
from tables.queries import shifts as shift_queries
from tables.queries.log import export_log
from tables.queries.movements import MovementRecord
from tests.stories.test_corrections_after_the_close import report
from tests.stories.test_disputes_and_debts import code_of
from tests.stories.test_shifts import shift_now
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in, fresh, named
from tests.tables.a_house import PIN
from tests.tables.test_books_pages import logged_in
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)

PINS = PIN | CAGE_PINS


def correct(
    table: Cage,
    place: int,
    event: dict[str, Any],
    *,
    opening: int = 1,
    known: int = 0,
    by: str = "P-1",
    approver: str = "S-1",
    id: uuid.UUID | None = None,
) -> MovementRecord:
    return movements.correct_movement(
        "S",
        opening,
        place,
        event,
        id=id or uuid.uuid4(),
        known=known,
        reason="a nought too many",
        author=table[by],
        approver=table[approver],
        now=datetime.now(UTC),
    )


def bought(cash: str, seat: int = 1, **pieces: int) -> dict[str, Any]:
    return buy_in(cash, **pieces) | {"seat": seat}


def counted(kind: str, **pieces: int) -> dict[str, Any]:
    return {"type": kind, "chips": named(pieces)}


def debts(table: Cage) -> list[tuple[str, str, int, str | None]]:
    found = dispute_queries.debts(table.house.casino_id)
    return [(debt.kind, debt.bet, debt.amount_minor // 100, debt.how) for debt in found]


def test_a_buy_in_of_twenty_thousand_was_two_float_box_and_player_say_so_and_what_was_written_stays():
    table = a_cage()
    table.open(c1000=80)
    table.tablet().send(bought("20000", c1000=20))
    found = table.books()
    assert (found.buy_ins_minor, found.expected_float_minor) == (2_000_000, 6_000_000)
    corrected = correct(table, 2, bought("2000", seat=3, c1000=2))
    assert (corrected.said.cash_minor, corrected.standing.cash_minor) == (2_000_000, 200_000)
    (correction,) = corrected.corrections
    assert (correction.author, correction.approver, correction.reason) == ("P-1", "S-1", "a nought too many")
    found = table.books()
    assert (found.buy_ins_minor, found.expected_float_minor) == (200_000, 7_800_000)
    assert debts(table) == []  # what came in was worth what went out
    played = player_queries.play_of_day(table.house.casino_id, found.gaming_date)
    assert [(each.seat, each.buy_ins_minor) for each in played] == [(3, 200_000)]
    # Closed with the 78 that are there, two thousand in the box: nothing is left to explain.
    table.drop({100_000: 2})
    table.close(c1000=78)
    assert (table.books().win_minor, table.books().residual_minor, table.books().drop_variance_minor) == (0, 0, 0)
    account = books.account("S", 1)
    assert account is not None
    assert [(m.place, m.kind, m.cash_minor, m.expected_minor) for m in account.movements] == [
        (1, "opener", 0, 8_000_000),
        (2, "buy_in", 2_000_000, 6_000_000),
        (3, "buy_in_correction", -1_800_000, 7_800_000),
        (4, "closer", 0, 7_800_000),
    ]
    # And it had never been at all.
    correct(table, 2, {"type": "buy_in"}, known=1)
    assert (table.books().buy_ins_minor, table.books().residual_minor) == (0, 0)
    assert (table.books().float_difference_minor, table.books().drop_variance_minor) == (-200_000, 200_000)
    assert intact()


def test_what_went_out_beyond_what_came_in_is_owed_until_it_is_collected():
    table = a_cage()
    table.open(c1000=80, c500=40)
    table.tablet().send({"type": "exchange", "in": {"1000": 1}, "out": {"500": 2}, "seat": 4})
    # One chip of five hundred too many went to seat 4.
    correct(table, 2, {"type": "exchange", "in": {"1000": 1}, "out": {"500": 3}})
    assert debts(table) == [("movement", "exchange", -500, None)]
    (debt,) = dispute_queries.debts_of_opening(table.house.casino_id, "S", 1)
    assert (debt.seat, debt.author, debt.approver) == (4, "P-1", "S-1")
    table.drop({})
    table.close(c1000=81, c500=37)
    # 80,000 + 20,000 should lie there; 99,500 do, and the books name who owes the rest.
    assert (table.books().expected_float_minor, table.books().residual_minor) == (10_000_000, -50_000)
    clearing: dict[str, Any] = {"author": table["I-1"], "second": None, "now": datetime.now(UTC)}
    assert code_of(lambda: disputes.clear_debt(table.house.casino_id, "movement", debt.id, "paid", **clearing)) == (
        "bad_line"
    )
    disputes.clear_debt(table.house.casino_id, "movement", debt.id, "collected", **clearing)
    assert debts(table) == [("movement", "exchange", -500, "collected")]
    assert table.books().residual_minor == -50_000  # no clearing makes a figure of the books another one
    assert intact()


def test_an_opener_that_was_typed_wrong_is_corrected_and_its_incident_stays():
    table = a_cage()
    table.open(c1000=80)
    table.close(c1000=95)
    table.open(c1000=59)
    day = table.books(2).gaming_date
    found = [(each.kind, each.level, each.found_minor) for each in books.incidents(table.house.casino_id, day)]
    assert found == [("opener_differs", "grave", 5_900_000)]
    correct(table, 1, counted("opener", c1000=95), opening=2)
    assert (table.books(2).opener_minor, table.books(2).opener_difference_minor) == (9_500_000, 0)
    assert table.books(2).expected_float_minor == 9_500_000
    # To one chip less than lay there before: that is an incident of its own.
    correct(table, 1, counted("opener", c1000=94), opening=2, known=1)
    found = [(each.kind, each.level, each.found_minor) for each in books.incidents(table.house.casino_id, day)]
    assert found == [("opener_differs", "grave", 5_900_000), ("opener_differs", "grave", 9_400_000)]
    assert table.books(2).opener_difference_minor == -100_000
    # So is a closer that no longer is what the next opening began with.
    correct(table, 2, counted("closer", c1000=96))
    assert [each.found_minor for each in books.incidents(table.house.casino_id, day) if each.opening == 1] == [
        9_600_000
    ]
    assert table.books(2).opener_difference_minor == -200_000
    assert debts(table) == []  # a count moves no chip, so nobody owes one
    assert intact()


def test_a_closer_corrected_after_the_shift_was_closed_amends_it_and_proposes_the_next_opener():
    table = a_cage()
    table.open(c1000=80)
    day, number = shift_now(table)
    table.drop({})
    table.close(c1000=79)
    shifts.close_shift(table.house.casino_id, day, number, author=table["S-1"], now=datetime.now(UTC))
    assert table.books().residual_minor == -100_000
    correct(table, 2, counted("closer", c1000=80))
    assert (table.books().closer_minor, table.books().residual_minor) == (8_000_000, 0)
    state = shift_queries.shift_state(table.house.casino_id, day, number)
    assert state is not None
    assert [(each.what, each.opening, each.author) for each in state.amendments] == [("closer_correction", 1, "P-1")]
    assert state.revision == 2
    assert 'name="chip-1000" inputmode="numeric" autocomplete="off" value="80"' in (
        logged_in("I-1").get("/float/S/").content.decode()
    )
    assert [(each.kind, each.pieces) for each in books.inventories([table.books().opening_id])] == [
        ("opener", 80), ("closer", 80),
    ]  # fmt: skip
    assert intact()


def test_who_may_correct_a_movement_and_of_two_at_once_one_takes_effect():
    table = a_cage()
    table.open(c1000=80)
    table.tablet().send(bought("20000", c1000=20))
    right = bought("2000", c1000=2)
    assert code_of(lambda: correct(table, 2, right, by="D-1")) == "not_allowed"  # a dealer corrects no cash
    assert code_of(lambda: correct(table, 2, right, approver="I-1")) == "not_allowed"  # no post for it
    assert code_of(lambda: correct(table, 2, right, by="S-1")) == "not_allowed"  # alone
    assert code_of(lambda: correct(table, 2, {"type": "exchange", "in": {"1000": 1}})) == "bad_line"  # it is a buy-in
    assert code_of(lambda: correct(table, 9, right)) == "bad_line"
    assert code_of(lambda: correct(table, 2, bought("20000", c1000=20))) == "bad_line"  # it says so already
    assert code_of(lambda: correct(table, 2, bought("2000", c7=1))) == "unknown_chip"
    assert code_of(lambda: correct(table, 2, right | {"by": "D-1"})) == "bad_line"
    assert code_of(lambda: correct(table, 2, {"type": "fill", "slip": "F-1", "chips": {"1000": 1}})) == "bad_line"
    # A pit boss who signed the opener himself approves no correction of it.
    table.close(c1000=60)
    by_boss: dict[str, Any] = {"dealer": table["D-1"], "inspector": table["P-1"], "id": uuid.uuid4()}
    cage.open_counted("S", {"1000": 59}, now=datetime.now(UTC), **by_boss)
    once, opener = uuid.uuid4(), counted("opener", c1000=60)
    assert code_of(lambda: correct(table, 1, opener, opening=2, by="I-1", approver="P-1")) == "not_allowed"
    twice = [tried(correct, table, 1, opener, opening=2, by="I-1", id=once) for _ in range(2)]
    assert in_line(twice) == ["done", "done"]
    both = [tried(correct, table, 1, counted("opener", c1000=n), opening=2, by="I-1", known=1) for n in (61, 62)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    found = queries.movement_at(table.house.tables["S"], 2, 1)
    assert found is not None
    assert [each.revision for each in found.corrections] == [1, 2]
    assert table.books(2).opener_minor == found.standing.total_minor("counted")
    assert intact()


def test_the_log_of_a_table_carries_its_corrections_to_another_system_and_the_shift_report_names_them(settings):
    settings.CELERY_BROKER_URL = ""
    table = a_cage()
    table.open(c1000=80)
    table.tablet().send(bought("20000", c1000=20))
    correct(table, 2, bought("2000", c1000=2))
    table.drop({100_000: 2})
    table.close(c1000=87)
    correct(table, 4, counted("closer", c1000=78))
    remarks = [
        (each.code, each.who, each.text, each.amount_minor)
        for each in report(table, table.books().gaming_date).exceptions
    ]
    assert [each for each in remarks if each[0].endswith("_correction")] == [
        ("buy_in_correction", "P-1 / S-1", "№ 2: 20000 → 2000. a nought too many", -1_800_000),
        ("closer_correction", "P-1 / S-1", "№ 4: 87000 → 78000. a nought too many", -900_000),
    ]
    lines = [line | ({"table": "COPY"} if line["type"] == "table" else {}) for line in export_log("S", floor=True)]
    copy = import_log("\n".join(json.dumps(line) for line in lines).encode()).table
    was, brought_in = table.books(), books.books_of_opening(copy, 1)
    assert brought_in is not None
    for figure in ("opener_minor", "closer_minor", "buy_ins_minor", "expected_float_minor"):
        assert getattr(brought_in, figure) == getattr(was, figure), figure
    assert intact()


def test_page_and_api_correct_a_movement_and_show_what_it_was():
    table = a_cage()
    table.open(c1000=80)
    table.tablet().send(bought("20000", c1000=20))
    boss, page = logged_in("P-1"), "/float/S/1/movements/2/"
    assert page in logged_in("I-1").get("/float/S/").content.decode()
    assert logged_in("N-1").get(page).status_code == 403
    form: dict[str, Any] = {
        "known": "0", "seat": "1", "cash": "2 000", "out-1000": "2", "reason": "a nought <b>", "staff1": "P-1",
        "pin1": PINS["P-1"], "staff2": "S-1", "pin2": PINS["S-1"],
    }  # fmt: skip
    for wrong in ({"reason": " "}, {"cash": "2000,001"}, {"out-1000": "-2"}, {"pin2": "000000"}, {"known": "1"}):
        answer = boss.post(page, fresh(form | wrong))
        assert answer.status_code == 409, wrong
    once = fresh(form)
    assert [boss.post(page, once).status_code for _ in range(2)] == [302, 302]
    shown = boss.get(page).content.decode()
    assert "a nought &lt;b&gt;" in shown
    assert "<s>" in shown
    assert "20\u202f000" in shown
    assert page in boss.get("/books/S/1/").content.decode()
    assert "/books/S/1/" in shown
    assert "/books/S/1/" not in logged_in("I-1").get(page).content.decode()
    assert boss.get("/float/S/1/movements/3/").status_code == 404  # a correction is itself not corrected, but again
    address, session = "/api/books/S/1/movements/2/corrections", table.house.session("P-1")
    body = {
        "id": str(uuid.uuid4()), "known": 1, "reason": "three", "event": bought("2000", c1000=3),
        "signatures": [{"staff": number, "pin": PINS[number]} for number in ("P-1", "S-1")],
    }  # fmt: skip
    assert session.post(address, body | {"known": 0}, format="json").json()["code"] == "already_done"
    given = session.post(address, body, format="json")
    assert (given.status_code, given.json()["corrections"][1]["owed_minor"]) == (201, -100_000)
    assert session.post(address, body, format="json").status_code == 201
    assert session.get(address).json() == given.json()
    assert table.house.session("N-1").get(address).status_code == 403
    assert "From the player to the table: <b>1\u202f000</b>" in boss.get(page).content.decode()
    assert "Buy-in" in logged_in("S-1").get("/disputes/").content.decode()
    clearing = {
        "deed": "clear", "kind": "movement", "debt": str(dispute_queries.debts(table.house.casino_id)[0].id),
        "how": "collected", "staff1": "P-1", "pin1": PINS["P-1"],
    }  # fmt: skip
    assert boss.post("/disputes/", fresh(clearing)).status_code == 302
    assert "Collected from the player" in boss.get(page).content.decode()
