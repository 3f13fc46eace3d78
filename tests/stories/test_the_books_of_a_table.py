"""A shift at a counted table, every figure checked by hand; and that no later step makes a difference go away."""

import csv
import io
import json
import re
from datetime import timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from audit import queries as audit_queries
from audit.actions import Wish, request_report
from audit.models import Report
from audit.reports.shift_report_pdf import write_shift_report
from tables import access, tablelog
from tables.access import Author, Post
from tables.actions import cage
from tables.models import Incident
from tables.queries import books
from tables.rules.refusals import Refusal
from tests.tables.a_cage import Cage, a_cage, buy_in
from tests.tables.a_game import bet, card, statuses
from tests.tables.a_house import T0

pytestmark = pytest.mark.django_db


def intact() -> bool:
    out = io.StringIO()
    call_command("verify_journal", stdout=out)
    return "TAMPERED" not in out.getvalue()


def the_textbook_shift() -> tuple[Cage, int]:
    """Opener 100,000, fill 50,000, credit 20,000, drop 30,000, closer 95,000; the bets say -4,000."""
    table = a_cage()
    # 80 x 1,000 + 40 x 500 = 100,000.
    assert table.open(c1000=80, c500=40).status == "recorded"
    tablet = table.tablet()
    # 30,000 in cash go to the box for 30 chips of 1,000; then a queen wins 4,000 of the bank at even money. The second
    # buy-in comes inside the open turn, between its two cards.
    answers = tablet.send(
        buy_in("20000", c1000=20),
        {"type": "deal", "deal": "1"},
        bet("a", 1, "Q", "4000"),
        card("KS"),
        buy_in("10000", c1000=10),
        card("QH"),
        {"type": "end"},
    )
    assert statuses(answers) == ["recorded"] * 7
    # 50 x 1,000 = 50,000 come from the cage; 40 x 500 = 20,000 go there.
    assert table.fill(c1000=50).number == "F-2026-000001"
    assert table.credit(c500=40).number == "C-2026-000001"
    # The box holds 30 notes of 1,000.
    box = table.drop({100_000: 30}).id
    # 95 x 1,000 = 95,000, one chip of 1,000 less than there should be.
    assert table.close(c1000=95).status == "recorded"
    return table, box


def figures(table: Cage) -> dict[str, object]:
    """The figures of the opening, in units of the currency."""
    found = table.books()
    money = {
        "win": found.win_minor,
        "game win": found.game_win_minor,
        "residual": found.residual_minor,
        "expected": found.expected_float_minor,
        "chips": found.float_difference_minor,
        "cash": found.drop_variance_minor,
    }
    return {name: None if minor is None else minor // 100 for name, minor in money.items()} | {"hold": found.hold}


TEXTBOOK = {
    "win": -5_000,  # 95,000 + 20,000 + 30,000 - 100,000 - 50,000
    "game win": -4_000,  # taken 0, paid 4,000
    "residual": -1_000,  # -5,000 - -4,000
    "expected": 96_000,  # 100,000 + 50,000 - 20,000 - 30,000 bought in - 4,000 paid
    "chips": -1_000,  # 95,000 - 96,000: the whole residual lies in the chips,
    "cash": 0,  # 30,000 counted - 30,000 bought in: and none of it in the cash
    "hold": Fraction(-1, 6),  # -5,000 / 30,000
}


def test_the_textbook_shift_ends_a_thousand_short_and_no_approval_makes_it_whole():
    table, box = the_textbook_shift()
    assert figures(table) == TEXTBOOK
    cage.approve_count(box, approver=table["S-1"], now=T0)
    assert figures(table) == TEXTBOOK
    found = table.books()
    assert found.within_tolerance is False
    # The day's total, the account and its drill-down all say the same thousand.
    (total,) = books.totals(books.books_of_day(table.house.casino_id, found.gaming_date))
    assert (total.complete, total.win_minor, total.residual_minor) == (True, -500_000, -100_000)
    account = books.account("S", 1)
    assert account is not None
    assert account.books == found
    assert [(m.kind, m.expected_minor and m.expected_minor // 100) for m in account.movements] == [
        ("opener", 100_000),
        ("buy_in", 80_000),
        ("buy_in", 70_000),
        ("fill", 116_000),  # the queen has been paid 4,000 by then
        ("credit", 96_000),
        ("closer", 96_000),
    ]
    assert account.movements[-1].difference_minor == -100_000
    assert [(deal.deal, deal.taken_minor, deal.paid_minor) for deal in account.deals] == [("1", 0, 400_000)]
    # The table opens again with what it closed with, and the first opening's books are what they were.
    table.open(c1000=95)
    assert figures(table) == TEXTBOOK
    assert intact()


def test_the_thousand_is_in_the_shift_report_on_paper_and_in_the_file_for_a_spreadsheet():
    table, box = the_textbook_shift()
    cage.approve_count(box, approver=table["S-1"], now=T0)
    day = table.books().gaming_date
    serial = request_report(Wish("shift_report", "en", gaming_date=day), author=table["S-1"], now=timezone.now())
    paper = io.BytesIO()
    report = audit_queries.shift_report(Report.objects.get(serial=serial).pk, timezone.now())
    write_shift_report(report, paper, language="en", zone=ZoneInfo("Europe/Moscow"))
    text = "".join("".join(page.extract_text() for page in PdfReader(paper).pages).split())
    row = ["S,1", "100000", "50000", "20000", "30000", "95000", "\u22125000", "\u221216.7", "\u22124000"]
    # After opener, fills, credits, drop, closer, win, hold and game win: residual, what of it lies in the chips and
    # what in the cash, and the expected float. The table's line of the grid says the same.
    assert "".join([*row, "\u22121000", "\u22121000", "0", "96000"]) in text
    assert "100000500002000095000" + "30000\u22125000\u221216.7\u22124000\u22121000" in text
    assert "residualbeyondthetolerance" in text

    browser = Client()
    browser.force_login(get_user_model().objects.get(username="S-1"))
    rows = list(csv.DictReader(io.StringIO(browser.get(f"/books/day.csv?gaming_date={day}").content.decode())))
    kept = {name: rows[0][name] for name in ("table", "opening", "win", "game_win", "residual", "hold")}
    assert kept == {
        "table": "S", "opening": "1", "win": "-5000.00", "game_win": "-4000.00", "residual": "-1000.00",
        "hold": "-0.166667",
    }  # fmt: skip
    russian = browser.get(f"/books/day.csv?gaming_date={day}&profile=ru").content
    assert russian.startswith(b"\xef\xbb\xbfgaming_date;shift;")
    assert b";-5000,00;" in russian


def test_the_thousand_is_followed_down_to_the_queen_and_the_float_is_known_at_any_moment():
    table, _box = the_textbook_shift()
    account = books.account("S", 1)
    assert account is not None
    found = table.books()
    # The tablet sent its evening in one request, so that it is one moment: 30,000 bought in, 4,000 paid for the queen.
    at = [each.happened_at for each in account.movements]
    assert [books.expected_at(found, moment) for moment in at[:2]] == [10_000_000, 6_600_000]
    assert [books.expected_at(found, moment) for moment in at[3:]] == [11_600_000, 9_600_000, 9_600_000]
    assert books.expected_at(found, found.opened_at - timedelta(microseconds=1)) is None
    answer = table.house.session("S-1").get("/api/books/S/1", {"at": at[1].isoformat()}).json()
    assert (answer["expected_at_minor"], answer["residual_minor"]) == (6_600_000, -100_000)

    browser = Client()
    browser.force_login(get_user_model().objects.get(username="S-1"))
    assert '<a href="/books/S/1/deals/1/">1</a>' in browser.get("/books/S/1/").content.decode()
    page = browser.get("/books/S/1/deals/1/").content.decode()
    row = re.search(r"<tbody><tr>(.*?)</tr>", page, re.S)
    assert row is not None
    assert re.sub(r"<[^>]+>", " ", row[1]).split()[:6] == ["Q♥", "2", "a", "1", "Q", "win"]
    assert "Game win <b>\u22124\u202f000</b>" in page
    # By table and shift as well: the same thousand, outside the tolerance.
    (total,) = books.totals(books.by_table(books.books_of_day(table.house.casino_id, found.gaming_date))["S"])
    assert (total.residual_minor, total.within_tolerance) == (-100_000, False)


def test_settle_skips_what_moves_beside_play_and_the_export_has_it_only_where_asked():
    the_textbook_shift()
    logs = []
    for more in ([], ["--all"]):
        out = io.StringIO()
        call_command("export_log", "S", *more, stdout=out)
        logs.append(out.getvalue())
    types = [[json.loads(line)["type"] for line in log.splitlines()] for log in logs]
    assert types[0] == ["table", "deal", "bet", "card", "card", "end"]
    assert types[1] == [
        "table", "opener", "buy_in", "deal", "bet", "card", "buy_in", "card", "end", "fill", "credit", "closer",
    ]  # fmt: skip
    assert list(tablelog.settle(tablelog.lines(logs[0]))) == list(tablelog.settle(tablelog.lines(logs[1])))


def test_an_opener_that_differs_from_the_closer_leaves_both_numbers_and_above_the_threshold_an_incident():
    table, _box = the_textbook_shift()
    # 94,900 where 95,000 was left: 100 is not above 100, but above 25.
    table.open(c1000=94, c500=1, c100=4)
    found = table.books(2)
    assert (found.opener_of_minor, found.opener_minor, found.opener_difference_minor) == (
        9_500_000,
        9_490_000,
        -10_000,
    )
    table.close(c1000=94, c500=1, c100=4)
    # And 94,700: 200 less than what was left now.
    table.open(c1000=94, c500=1, c100=2)
    assert list(Incident.objects.values_list("opening__number", "level", "expected_minor", "found_minor")) == [
        (2, "notice", 9_500_000, 9_490_000),
        (3, "grave", 9_490_000, 9_470_000),
    ]
    assert intact()


def test_a_box_a_note_short_is_counted_again_approved_and_stays_a_note_short():
    table = a_cage()
    table.open(c1000=50)
    table.tablet().send(buy_in("5000", c1000=5))
    # Bought in 5,000; counted 4,000, and again 4,500: both counts stay, the last one holds.
    box = table.drop({100_000: 4}, {100_000: 4, 50_000: 1}).id
    table.close(c1000=45)
    # Win 45,000 + 4,500 - 50,000 = -500; nobody bet: game win 0, residual -500, all of it in the cash.
    before = figures(table)
    assert (before["win"], before["residual"], before["chips"], before["cash"]) == (-500, -500, 0, -500)
    approved = cage.approve_count(box, approver=table["S-1"], now=T0)
    assert (approved.variance_minor, approved.approved_variance_minor) == (-50_000, -50_000)
    assert [count.total_minor for count in approved.counts] == [400_000, 450_000]
    assert figures(table) == before
    with pytest.raises(Refusal) as again:
        cage.count_box(box, {100_000: 5}, author=table["N-1"], second=table["N-2"], now=T0)
    assert again.value.code == "already_done"
    assert figures(table) == before


def test_whoever_counts_sees_nowhere_what_was_bought_in_and_whoever_sees_it_counts_no_box():
    table = a_cage()
    table.open(c1000=80)
    table.tablet().send(buy_in("17000", c1000=17))
    box = table.drop().id
    open_to = {deed for deed, row in access.ACCESS.items() if access.COUNT_ROOM in row.roles}
    assert open_to == {"read.drops", "box.receive", "box.step", "box.count"}
    page, session = Client(), table.house.session("N-1")
    page.force_login(get_user_model().objects.get(username="N-1"))
    for address, deed in access.URLS.items():
        client = session if address.startswith("api/") else page
        answer = client.get("/" + re.sub("<.*?>", lambda name: "S" if "str" in name[0] else str(box), address))
        if deed in open_to:
            assert answer.status_code in (200, 405), address
        elif deed not in ("public", "own"):
            assert answer.status_code in (403, 404, 405), address
        if answer.status_code == 200 and not answer.streaming:
            told = re.sub(r"\s", "", answer.content.decode())
            assert not re.search(r"(?<!\d)17000(00)?(?!\d)", told), address
    # A second post that shows buy-ins, in whichever pit, makes a counter no counter.
    for role in access.ROLES:
        counter = table["N-2"]
        two_posts = Author(counter.staff_id, counter.number, (*counter.posts, Post(role, table.house.pits["high"])))
        try:
            cage.count_box(box, {100_000: 17}, author=table["N-1"], second=two_posts, now=T0)
            said = "counted"
        except Refusal as refusal:
            said = str(refusal.code)
        assert said == ("counted" if role == access.COUNT_ROOM else "not_allowed"), role


def test_with_a_players_bank_the_house_wins_nothing_but_its_fee():
    table = a_cage(
        {
            "type": "table", "table": "S", "game": "private", "currency": "RUB", "min": "100", "max": "10000",
            "chip": "1", "seats": 1, "banker": {"bank": "50000"},
        }
    )  # fmt: skip
    table.open(c1000=50)
    tablet = table.tablet()
    answers = tablet.send(
        {"type": "deal", "deal": "1"},
        bet("a", 1, "Q", "1000"),
        {"type": "cut"},
        card("QS"),
        {"type": "fee", "chips": {"100": 1}, "seat": 1},
    )
    assert statuses(answers) == ["recorded"] * 5
    # The banker took 1,000 with the odd queen; the house has its 100 and expects 50,100.
    found = table.books()
    assert (found.taken_minor, found.paid_minor, found.game_win_minor) == (0, 0, 10_000)
    assert found.expected_float_minor == 5_010_000
