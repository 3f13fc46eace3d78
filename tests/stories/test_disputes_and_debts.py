"""What goes wrong at a table and how it is put right: corrections that leave debts, disputes that are ruled on."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from tables.actions import disputes, shifts
from tables.queries import disputes as queries
from tables.queries import shifts as shift_queries
from tables.queries.disputes import Debt, DisputeView
from tables.rules.refusals import Refusal
from tests.stories.test_shifts import shift_now
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, fresh
from tests.tables.a_game import Tablet, bet, card, statuses
from tests.tables.a_house import PIN
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)


def freeze(table: Cage, by: str = "D-1", **about: Any) -> DisputeView:
    return disputes.open_dispute(table.table, id=uuid.uuid4(), author=table[by], now=datetime.now(UTC), **about)


def rule(table: Cage, id: uuid.UUID, amount: int, by: str = "P-1", approver: str = "S-1") -> DisputeView:
    return disputes.rule(
        id,
        amount_minor=amount * 100,
        reason="the film shows it",
        author=table[by],
        approver=table[approver],
        now=datetime.now(UTC),
    )


def debts(table: Cage) -> list[tuple[str, str, int, str | None]]:
    found = queries.debts(table.house.casino_id)
    return [(debt.kind, debt.bet, debt.amount_minor // 100, debt.how) for debt in found]


def clear(table: Cage, debt: Debt, how: str, by: str = "I-1", second: str | None = None) -> Debt:
    return disputes.clear_debt(
        table.house.casino_id,
        debt.kind,
        debt.id,
        how,
        author=table[by],
        second=None if second is None else table[second],
        now=datetime.now(UTC),
    )


def code_of(deed: Callable[[], object]) -> str:
    with pytest.raises(Refusal) as refusal:
        deed()
    return str(refusal.value.code)


def correct_the_queen(table: Cage, tablet: Tablet) -> None:
    """The second card was a jack: asked for at the table, approved by the inspector."""
    answers = tablet.send({"type": "correct", "reason": "it was a jack", "cards": {"2": "JH"}})
    assert statuses(answers) == ["approval_needed"]
    decision = {"decision": "approve", "pin": PIN["I-1"]}
    answer = table.house.session("I-1").post(f"/api/approvals/{answers[0]['id']}", decision, format="json")
    assert answer.status_code == 200, answer.content


def test_what_a_correction_moves_is_owed_until_it_is_collected_and_the_float_says_so():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), card("KS"), card("QH"))
    correct_the_queen(table, tablet)
    # The bet had won 1,000, which lies with the player: 50,000 are expected again, 49,000 are there.
    assert debts(table) == [("adjustment", "a", -1000, None)]
    assert table.books().expected_float_minor == 5_000_000
    (debt,) = queries.debts_of_opening(table.house.casino_id, "S", 1)
    assert (debt.seat, debt.author, debt.approver) == (1, "D-1", "I-1")
    assert code_of(lambda: clear(table, debt, "paid")) == "bad_line"
    assert code_of(lambda: clear(table, debt, "written_off")) == "not_allowed"
    assert code_of(lambda: clear(table, debt, "written_off", second="D-1")) == "not_allowed"
    assert code_of(lambda: clear(table, debt, "collected", by="D-1")) == "not_allowed"
    both = [tried(clear, table, debt, how, second="P-1") for how in ("collected", "written_off")]
    assert sorted(in_line(both)) == ["already_done", "done"]
    ((_kind, _bet, amount, how),) = debts(table)
    assert amount == -1000
    assert how in ("collected", "written_off")
    # However it ended, the books are what they were: money that is written off stays a difference.
    assert table.books().expected_float_minor == 5_000_000
    assert intact()


def test_a_turn_is_frozen_with_one_tap_and_ruled_on_by_two_after_the_next_deal_has_begun():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("b", 2, "K", "500"), card("KH"), card("9S"))
    # One tap on the table's own tablet: nobody names deal, turn or PIN.
    tap = table.house.client("tablet-S").post(
        "/api/tables/S/disputes", {"signon": tablet.signon, "bet": "b", "reason": "he says he bet the nine"},
        format="json",
    )  # fmt: skip
    assert tap.status_code == 201, tap.content
    frozen = tap.json()
    assert (frozen["number"], frozen["deal"], frozen["turn"], frozen["author"]) == (1, "1", 1, "D-1")
    known = frozen["snapshot"]
    assert (known["cards"], known["agrees"]) == (["KH", "9S"], True)
    assert [(each["outcome"], each["taken_minor"]) for each in known["computed_again"]] == [("lose", 50_000)]
    assert known["staff"] == [{"staff": "D-1", "role": "dealer", "device": "tablet-S"}]
    # Two deals later the film has been looked at.
    tablet.send({"type": "end"}, {"type": "deal", "deal": "2"}, card("2S"), card("3S"), {"type": "end"})
    id = uuid.UUID(frozen["id"])
    assert code_of(lambda: rule(table, id, 1000, by="S-1", approver="S-1")) == "not_allowed"
    assert code_of(lambda: rule(table, id, 1000, by="I-1")) == "not_allowed"
    before = table.books()
    assert (before.game_win_minor, before.expected_float_minor) == (50_000, 5_050_000)
    # Stake and win of the nine: 1,000 go to the player.
    both = [tried(rule, table, id, 1000) for _ in range(2)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    after = table.books()
    assert (after.taken_minor, after.paid_minor, after.rulings_minor) == (50_000, 0, -100_000)
    assert (after.game_win_minor, after.expected_float_minor) == (-50_000, 4_950_000)
    assert debts(table) == [("ruling", "b", 1000, None)]
    clear(table, queries.debts(table.house.casino_id)[0], "paid")
    assert debts(table) == [("ruling", "b", 1000, "paid")]
    decided = queries.dispute(id)
    assert decided is not None
    assert decided.ruling is not None
    assert (decided.ruling.author, decided.ruling.approver, decided.ruling.reason) == (
        "P-1",
        "S-1",
        "the film shows it",
    )
    # The first record stays: what was frozen and what was settled are what they were.
    assert decided.snapshot == known
    assert intact()


def test_a_ruling_at_a_closed_table_counts_where_the_turn_was_dealt_and_amends_its_shift():
    table = a_cage()
    table.open(c1000=50)
    table.tablet().send(
        {"type": "deal", "deal": "1"}, bet("b", 2, "K", "1000"), card("KH"), card("9S"), {"type": "end"}
    )
    dispute = freeze(table, deal="1", turn=1, bet="b")
    table.close(c1000=51)
    day, number = shift_now(table)
    shifts.close_shift(table.house.casino_id, day, number, author=table["S-1"], now=datetime.now(UTC))
    assert table.books().float_difference_minor == 0
    rule(table, dispute.id, 1000)
    # Nobody has paid the player yet: the float is 1,000 over, and says why.
    assert table.books().float_difference_minor == 100_000
    state = shift_queries.shift_state(table.house.casino_id, day, number)
    assert state is not None
    assert [(each.what, each.opening) for each in state.amendments] == [("ruling", 1)]
    assert intact()


def test_a_settlement_changed_behind_the_back_of_the_record_is_seen_when_its_turn_is_frozen():
    table = a_cage()
    table.open(c1000=50)
    table.tablet().send({"type": "deal", "deal": "1"}, bet("b", 2, "K", "500"), card("KH"), card("9S"))
    assert freeze(table).snapshot["agrees"] is True
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("UPDATE tables_settlement SET taken_minor = 0, returned_minor = stake_minor")
        cursor.execute("SET session_replication_role = origin")
    known = freeze(table).snapshot
    assert known["agrees"] is False
    assert [each["taken_minor"] for each in known["recorded"] + known["computed_again"]] == [0, 50_000]
    assert code_of(lambda: freeze(table, turn=2)) == "bad_line"
    assert code_of(lambda: freeze(table, bet="z")) == "bad_line"


def test_the_pages_freeze_rule_and_clear():
    table = a_cage()
    table.open(c1000=50)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("b", 2, "K", "500"), card("KH"), card("9S"), {"type": "end"})
    boss, inspector = Client(), Client()
    boss.force_login(get_user_model().objects.get(username="P-1"))
    inspector.force_login(get_user_model().objects.get(username="I-1"))
    form = {"deed": "freeze", "id": str(uuid.uuid4()), "table": "S", "deal": "", "turn": "", "bet": "b", "reason": "?"}
    assert inspector.post("/disputes/", form).status_code == 302
    assert inspector.post("/disputes/", form).status_code == 302  # the same form again is the same dispute
    (dispute,) = queries.disputes(table.house.casino_id)
    page = boss.get(f"/disputes/{dispute.id}/").content.decode()
    assert "Cards of the turn: <b>K♥ 9♠</b>" in page
    assert "Both computations agree." in page
    ruling = {
        "to": "player", "amount": "1 000", "reason": "the film", "staff1": "P-1", "pin1": PIN["P-1"],
        "staff2": "S-1", "pin2": CAGE_PINS["S-1"],
    }  # fmt: skip
    assert boss.post(f"/disputes/{dispute.id}/", fresh(ruling | {"amount": "1000,001"})).status_code == 409
    assert boss.post(f"/disputes/{dispute.id}/", fresh(ruling)).status_code == 302
    assert "owing" in inspector.get("/disputes/").content.decode()
    cleared = {
        "deed": "clear", "kind": "ruling", "debt": "1", "how": "paid", "staff1": "I-1", "pin1": PIN["I-1"],
        "staff2": "", "pin2": "",
    }  # fmt: skip
    assert inspector.post("/disputes/", fresh(cleared)).status_code == 302
    assert debts(table) == [("ruling", "b", 1000, "paid")]
    assert "by rulings \u22121\u202f000" in boss.get("/books/S/1/").content.decode()
    listed = table.house.session("P-1").get("/api/debts").json()
    assert [(each["kind"], each["amount_minor"], each["how"]) for each in listed] == [("ruling", 100_000, "paid")]
    assert table.house.session("P-1").get("/api/disputes").json()[0]["ruling"]["approver"] == "S-1"
    outsider = Client()
    outsider.force_login(get_user_model().objects.get(username="K-1"))
    assert outsider.get("/disputes/").status_code == 403
