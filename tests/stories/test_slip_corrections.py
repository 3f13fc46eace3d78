"""A fill that said fifty where forty-five were carried: to what it is corrected, by whom, what that leaves owing."""

import io
import uuid
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from pypdf import PdfReader

from audit.reports.shift_report_pdf import write_shift_report
from tables.actions import cage, disputes, shifts
from tables.queries import books, slips
from tables.queries import disputes as dispute_queries
from tables.queries import shifts as shift_queries
from tables.queries.slips import SlipView
from tests.stories.test_corrections_after_the_close import report
from tests.stories.test_disputes_and_debts import code_of
from tests.stories.test_shifts import shift_now
from tests.stories.test_the_books_of_a_table import intact
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, fresh, named
from tests.tables.a_house import PIN
from tests.tables.test_cage_at_once import tried
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)

PINS = PIN | CAGE_PINS


def correct(
    table: Cage,
    slip: SlipView,
    *,
    known: int = 0,
    by: str = "K-1",
    approver: str = "S-1",
    id: uuid.UUID | None = None,
    **pieces: int,
) -> SlipView:
    return cage.correct_slip(
        slip.id,
        named(pieces),
        correction_id=id or uuid.uuid4(),
        known=known,
        reason="the tray held five fewer",
        author=table[by],
        approver=table[approver],
        now=datetime.now(UTC),
    )


def bank(table: Cage) -> dict[str, int]:
    found = slips.bank(table.house.casino_id)
    assert all(stock.agrees for stock in found)
    return {stock.chip: stock.pieces for stock in found}


def debts(table: Cage) -> list[tuple[str, str, int, str | None]]:
    found = dispute_queries.debts(table.house.casino_id)
    return [(debt.kind, debt.bet, debt.amount_minor // 100, debt.how) for debt in found]


def clear(table: Cage, how: str, by: str = "I-1", second: str | None = "K-1") -> None:
    (debt, *_rest) = dispute_queries.debts(table.house.casino_id)
    disputes.clear_debt(
        table.house.casino_id,
        debt.kind,
        debt.id,
        how,
        author=table[by],
        second=table[second] if second else None,
        now=datetime.now(UTC),
    )


def test_a_fill_of_fifty_was_forty_five_books_bank_and_what_is_owed_say_so_and_the_slip_stays():
    table = a_cage()
    table.open(c1000=80)
    slip = table.fill(c1000=50)
    # 80,000 + 50,000; the chip bank had 100.
    assert (table.books().expected_float_minor, bank(table)["1000"]) == (13_000_000, 50)
    corrected = correct(table, slip, c1000=45)
    assert (corrected.amount_minor, corrected.standing_minor) == (5_000_000, 4_500_000)
    assert (corrected.chips, corrected.standing_chips) == ((("1000", 50, 100_000),), (("1000", 45, 100_000),))
    (correction,) = corrected.corrections
    assert (correction.author, correction.approver, correction.reason) == ("K-1", "S-1", "the tray held five fewer")
    found = table.books()
    assert (found.fills_minor, found.expected_float_minor, bank(table)["1000"]) == (4_500_000, 12_500_000, 55)
    # Five thousand are owed to the cage until both sides sign how it ended; the five had never left it.
    assert debts(table) == [("slip", "F-2026-000001", -5000, None)]
    assert code_of(lambda: clear(table, "paid")) == "bad_line"
    assert code_of(lambda: clear(table, "collected", second=None)) == "not_allowed"
    assert code_of(lambda: clear(table, "collected", second="P-1")) == "not_allowed"
    assert code_of(lambda: clear(table, "never_moved", second="K-1")) == "not_allowed"
    clear(table, "never_moved", second="P-1")
    assert debts(table) == [("slip", "F-2026-000001", -5000, "never_moved")]
    assert code_of(lambda: clear(table, "collected")) == "already_done"
    # Closed with the 125 that are there: nothing is left to explain.
    table.drop({})
    table.close(c1000=125)
    assert (table.books().win_minor, table.books().residual_minor) == (0, 0)
    account = books.account("S", 1)
    assert account is not None
    assert [(m.kind, m.in_minor, m.out_minor) for m in account.movements][1:3] == [
        ("fill", 5_000_000, 0),
        ("fill_correction", 0, 500_000),
    ]
    assert intact()


def test_who_may_correct_what_and_when():
    table = a_cage()
    table.open(c1000=80)
    on_its_way = table.request("fill", c1000=5)
    cage.issue_slip(on_its_way.id, author=table["K-1"], now=datetime.now(UTC))
    assert code_of(lambda: correct(table, on_its_way, c1000=4)) == "step_missing"
    slip = table.fill(c1000=50)
    assert code_of(lambda: correct(table, slip, by="S-1", c1000=45)) == "not_allowed"  # alone
    assert code_of(lambda: correct(table, slip, by="I-1", c1000=45)) == "not_allowed"  # no post for it
    assert code_of(lambda: correct(table, slip, approver="K-2", c1000=45)) == "not_allowed"
    assert code_of(lambda: correct(table, slip, c1000=50)) == "bad_line"  # it says so already
    assert code_of(lambda: correct(table, slip, red=5)) == "unknown_chip"  # a colour is worth nothing here
    assert code_of(lambda: correct(table, slip, c1000=151)) == "bank_short"  # 45 are left there
    assert (bank(table)["1000"], table.books().fills_minor, debts(table)) == (45, 5_000_000, [])
    # A manager who made the request himself is no independent second.
    own = cage.request_slip("S", "fill", {"100": 5}, id=uuid.uuid4(), author=table["S-1"], now=datetime.now(UTC))
    cage.issue_slip(own.id, author=table["K-1"], now=datetime.now(UTC))
    cage.carry_slip(own.id, author=table["K-2"], second=None, now=datetime.now(UTC))
    own = cage.receive_slip(own.id, author=table["D-1"], second=table["I-1"], now=datetime.now(UTC))
    assert code_of(lambda: correct(table, own, c100=4)) == "not_allowed"
    assert correct(table, own, approver="P-1", c100=4).standing_minor == 40_000
    assert intact()


def test_of_two_corrections_at_once_one_takes_effect_and_the_same_form_twice_is_one():
    table = a_cage()
    table.open(c1000=80)
    slip = table.fill(c1000=50)
    once = uuid.uuid4()
    twice = [tried(correct, table, slip, id=once, c1000=45) for _ in range(2)]
    assert sorted(in_line(twice)) == ["done", "done"]
    both = [tried(correct, table, slip, known=1, c1000=pieces) for pieces in (44, 46)]
    assert sorted(in_line(both)) == ["already_done", "done"]
    found = slips.slip(slip.id)
    assert found is not None
    assert [each.revision for each in found.corrections] == [1, 2]
    assert 100 - bank(table)["1000"] == found.standing_chips[0][1]
    assert table.books().fills_minor == found.standing_minor
    assert intact()


def test_a_credit_of_five_hundreds_was_of_thousands_and_after_the_shift_is_closed_that_amends_it():
    table = a_cage()
    table.open(c1000=80, c500=40)
    slip = table.credit(c500=40)
    day, number = shift_now(table)
    table.drop({})
    # Twenty thousand were handed out in chips of 1,000; so 60 and 40 lie there. By value nothing differs.
    table.close(c1000=60, c500=40)
    assert table.books().residual_minor == 0
    shifts.close_shift(table.house.casino_id, day, number, author=table["S-1"], now=datetime.now(UTC))
    correct(table, slip, c1000=20)
    assert (bank(table), debts(table)) == ({"1000": 120, "500": 100, "100": 100}, [])
    assert (table.books().credits_minor, table.books().residual_minor) == (2_000_000, 0)
    state = shift_queries.shift_state(table.house.casino_id, day, number)
    assert state is not None
    assert [(each.what, each.opening) for each in state.amendments] == [("credit_correction", 1)]
    assert state.revision == 2
    # Then it turns out that it never left the table at all: the next opening is open, and the first one has it.
    table.open(c1000=60, c500=40)
    correct(table, slip, known=1)
    assert (table.books(1).credits_minor, table.books(2).credits_minor) == (0, 0)
    assert table.books(1).residual_minor == -2_000_000
    assert debts(table) == [("slip", "C-2026-000001", 20_000, None)]
    assert intact()


def test_the_page_and_the_api_correct_a_slip_and_show_what_it_was():
    table = a_cage()
    table.open(c1000=80)
    slip = table.fill(c1000=50)
    manager, inspector = Client(), Client()
    manager.force_login(get_user_model().objects.get(username="S-1"))
    inspector.force_login(get_user_model().objects.get(username="I-1"))
    page = f"/cage/slips/{slip.id}/"
    assert "Correct this slip" not in inspector.get(page).content.decode()
    form: dict[str, Any] = {
        "id": str(uuid.uuid4()), "known": "0", "chip-1000": "45", "reason": "the tray <b>", "staff1": "S-1",
        "pin1": PINS["S-1"], "staff2": "P-1", "pin2": PINS["P-1"],
    }  # fmt: skip
    assert manager.post(page, form | {"reason": " "}).status_code == 409
    assert manager.post(page, form | {"chip-1000": "-5"}).status_code == 409
    assert manager.post(page, form | {"pin2": "000000"}).status_code == 409
    assert inspector.post(page, form | {"staff1": "I-1", "pin1": PINS["I-1"]}).status_code == 409
    for _again in range(2):
        assert manager.post(page, form).status_code == 302
    stale = manager.post(page, form | {"id": str(uuid.uuid4()), "chip-1000": "44"})
    assert (stale.status_code, "somebody has done this already" in stale.content.decode()) == (409, True)
    shown = manager.get(page).content.decode()
    assert "<s>50\u202f000</s>" in shown
    assert "the tray &lt;b&gt;" in shown
    assert "From the table to the cage: <b>5\u202f000</b>" in shown
    assert "<s>50\u202f000</s> <b>45\u202f000</b>" in manager.get("/cage/").content.decode()
    assert "Owing to the cage" in manager.get("/books/S/1/").content.decode()

    body = {
        "id": str(uuid.uuid4()), "known": 1, "chips": {"1000": 50}, "reason": "it was right after all",
        "signatures": [{"staff": number, "pin": PINS[number]} for number in ("K-2", "P-1")],
    }  # fmt: skip

    def send(**changed: Any) -> tuple[int, Any]:
        path = f"/api/slips/{slip.id}/corrections"
        answer = table.house.session("K-2").post(path, body | changed, format="json")
        return answer.status_code, answer.json()

    assert send(chips={"1000": -1})[0] == 400
    assert send(known=0)[1]["code"] == "already_done"
    status, answer = send()
    assert (status, answer["amount_minor"], answer["standing_minor"]) == (201, 5_000_000, 5_000_000)
    assert [each["difference_minor"] for each in answer["corrections"]] == [-500_000, 500_000]
    assert send()[0] == 201
    assert send(chips={"1000": 49})[1]["code"] == "id_reused"
    assert table.house.session("K-1").get(f"/api/slips/{slip.id}").json()["corrections"] == answer["corrections"]
    # Both debts are open, and clearing them is a form as well.
    assert debts(table) == [("slip", "F-2026-000001", 5000, None), ("slip", "F-2026-000001", -5000, None)]
    clearing = {
        "deed": "clear", "kind": "slip", "debt": "1", "how": "collected", "staff1": "I-1", "pin1": PINS["I-1"],
        "staff2": "K-1", "pin2": PINS["K-1"],
    }  # fmt: skip
    assert inspector.post("/disputes/", fresh(clearing)).status_code == 302
    assert "Carried to the cage" in manager.get(page).content.decode()


def test_the_shift_report_says_on_paper_what_a_slip_was_corrected_from(settings):
    settings.CELERY_BROKER_URL = ""
    table = a_cage()
    table.open(c1000=80)
    id, now = table.request("fill", c1000=50).id, datetime.now(UTC)
    cage.issue_slip(id, author=table["K-1"], now=now)
    cage.carry_slip(id, author=table["K-2"], second=None, now=now)
    correct(table, cage.receive_slip(id, author=table["D-1"], second=table["I-1"], now=now), c1000=45)
    table.drop({})
    table.close(c1000=125)
    found = report(table, table.books().gaming_date)
    remarks = [(each.who, each.text, each.amount_minor) for each in found.exceptions if each.code == "slip_correction"]
    assert remarks == [("K-1 / S-1", "F-2026-000001. the tray held five fewer", -500_000)]
    for language, words in (("en", "corrected from 50 000"), ("ru", "исправлено с 50 000")):
        paper = io.BytesIO()
        write_shift_report(found, paper, language=language, zone=ZoneInfo("Europe/Moscow"))
        text = "".join("".join(page.extract_text() for page in PdfReader(paper).pages).split())
        assert words.replace(" ", "") in text
