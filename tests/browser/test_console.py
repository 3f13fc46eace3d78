"""The dealer's console under hands that slip, links that break and two tablets at one table."""

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tables.actions import door
from tables.models import Alert, Staff, WaitingCorrection
from tables.queries.log import export_log
from tests.browser.a_desk import Desk
from tests.browser.a_floor import DEALERS, PINS, Floor, log
from tests.browser.barriers import barriers
from tests.conftest import chromium

SCROLLS = """() => document.documentElement.scrollWidth > innerWidth
    || document.documentElement.scrollHeight > innerHeight"""
SMALL_OR_HIDDEN = """() => [...document.querySelectorAll("button, input, select")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.outerHTML.slice(0, 90), each.getBoundingClientRect()])
    .filter(([, box]) => box.width < 43.9 || box.height < 43.9 || box.right > innerWidth || box.bottom > innerHeight)
    .map(([words]) => words)"""
CUT_IN_THE_BAR = """() => [...document.querySelectorAll(".top .id, .top .id *, .top .btn, #link")]
    .filter((each) => each.checkVisibility() && each.id !== "facts")
    .map((each) => [each.textContent, each.getBoundingClientRect(), each.closest(".top").getBoundingClientRect()])
    .filter(([, box, bar]) => box.right > innerWidth || box.top < bar.top - 1 || box.bottom > bar.bottom + 1)
    .map(([words]) => words)"""
CUT_BELOW = "() => document.getElementById('act').scrollHeight - document.getElementById('act').clientHeight"
NEW_DEAL = {"type": "deal", "deal": "1"}
SITTING = Callable[..., Desk]


def kept(table: str) -> list[str]:
    """What the record has of the table's play: `deal`, `bet 1 Q 500`, `card QH`."""
    words = []
    for line in export_log(table):
        parts = [line["type"], *(str(line[key]) for key in ("seat", "rank", "suit", "card", "amount") if key in line)]
        words.append(" ".join(parts))
    return words[1:]


def dealing(desk: SITTING, table: str = "Stos-1", **more: Any) -> Desk:
    at = desk(table, **more)
    at.play(NEW_DEAL, "keys")
    return at


def test_the_card_that_loses_is_taken_seat_by_seat_and_the_one_that_wins_is_paid_in_chips(desk: SITTING) -> None:
    at = dealing(desk, by_hand=True)
    for line in log("""
        {"type":"bet","bet":"a","seat":1,"rank":"Q","amount":"500"}
        {"type":"bet","bet":"b","seat":4,"rank":"Q","amount":"500"}
        {"type":"bet","bet":"c","seat":4,"suit":"D","amount":"600"}
        {"type":"bet","bet":"d","seat":8,"rank":"9","amount":"650"}
    """):
        at.play(line, "keys")

    assert at.play({"type": "card", "card": "QH"}, "keys") == "↓ TAKE 1300"
    assert rows(at) == [
        ["1", "Q", "stake", "500"],
        ["4", "Q", "stake", "500"],
        ["4", "♦", "half colour, half of 600 300 stays", "300"],
    ]
    assert at.play({"type": "card", "card": "9S"}, "keys") == "↑ PAY 650"
    assert rows(at) == [["8", "9", "1 × 500 1 × 100 1 × 50 stake back 650", "650"]]


def rows(at: Desk) -> list[list[str]]:
    """The list on the screen, a row a bet: seat, what, how, sum."""
    found: list[list[str]] = []
    for row in at.page.locator("#act .row").all():
        chip = row.locator("svg.chip")
        seat = chip.get_attribute("aria-label") if chip.count() else row.locator(".unseen").inner_text()
        words = [row.locator(part).inner_text() for part in (".what", ".how", ".sum")]
        found.append(
            [(seat or "").removeprefix("seat "), *(" ".join(each.replace("\u202f", "").split()) for each in words)]
        )
    return found


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "Not recorded: 3 · Q · 50. Below the minimum, 100. below_minimum"),
     ("ru", "Не записано: 3 · Q · 50. Ниже минимума, 100. below_minimum")],
)  # fmt: skip
def test_a_refused_bet_says_why_in_one_line_with_the_limit_and_leaves_no_trace(
    desk: SITTING, language: str, sentence: str
) -> None:
    at = dealing(desk, language=language, by_hand=True)

    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "50"}, "keys")

    expect(at.page.locator("#act [role=alert]")).to_have_text(sentence)
    at.press("Escape")
    expect(at.page.locator("#act [role=alert]")).to_have_count(0)
    assert kept("Stos-1") == ["deal"]


def test_the_ticks_time_is_that_of_the_last_commit_and_of_no_refusal(desk: SITTING) -> None:
    at = dealing(desk)
    said = at.page.locator("#link").inner_text()
    at.page.evaluate("""() => {
        const Before = Date;  // twenty seconds later by the tablet's clock
        globalThis.Date = class extends Before {
            constructor(...given) { given.length ? super(...given) : super(Before.now() + 20000); }
            static now() { return Before.now() + 20000; }
        };
    }""")

    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "50"}, "keys")
    expect(at.page.locator("#act [role=alert]")).to_contain_text("below_minimum")
    assert at.page.locator("#link").inner_text() == said
    at.play({"type": "card", "card": "KS"}, "keys")
    assert at.page.locator("#link").inner_text() != said


def test_a_refused_bet_does_not_stop_the_card_that_follows(desk: SITTING) -> None:
    at = dealing(desk)

    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "50"}, "keys")
    at.play({"type": "card", "card": "KS"}, "keys")

    assert kept("Stos-1") == ["deal", "card KS"]


def test_a_double_tap_is_one_card_and_in_six_decks_a_question(desk: SITTING) -> None:
    at = dealing(desk)

    at.tap_twice("[data-card=QH]")
    expect(at.page.locator("#act h2")).to_have_text(re.compile("Two of Q♥"))
    at.settled()
    assert kept("Stos-1") == ["deal", "card QH"]


def test_the_same_card_twice_within_a_moment_is_asked_about_and_enter_means_two(desk: SITTING) -> None:
    at = dealing(desk)
    at.burst(("KeyQ", 0), ("KeyH", 60), ("KeyQ", 60), ("KeyH", 60))

    expect(at.page.locator("#act h2")).to_have_text(re.compile("Two of Q♥"))
    at.settled()
    at.press("Enter").settled()
    assert kept("Stos-1") == ["deal", "card QH", "card QH"]


def test_what_a_busy_tablet_hears_late_and_at_once_is_as_far_apart_as_the_hand_made_it(desk: SITTING) -> None:
    at = dealing(desk)
    at.burst(("KeyQ", 0), ("KeyH", 60), ("KeyQ", 340), ("KeyH", 60)).settled()
    at.press("Digit3", "KeyK", "Enter").settled()
    at.tap("#act [data-deed=misdeal]")
    at.page.locator("[name=reason]").fill("a card fell")
    at.tap("[data-form=misdeal] .btn:not([data-deed])").settled()
    at.burst(("Enter", 0), ("Enter", 80), ("Enter", 300)).settled()  # the stake has gone back, a slip, the next deal

    assert kept("Stos-1") == ["deal", "card QH", "card QH", "bet 3 K 100", "misdeal", "deal"]


@pytest.mark.parametrize(("text", "card"), [("QS", "QS"), ("10H", "TH"), ("Q♥", "QH")])
def test_a_scan_is_one_card_and_presses_nothing_else_whatever_was_begun(desk: SITTING, text: str, card: str) -> None:
    at = dealing(desk)
    at.press("Digit3", "KeyK")
    at.page.locator("#relief").focus()

    assert at.scan(text)
    at.settled()

    assert kept("Stos-1") == ["deal", f"card {card}"]
    expect(at.page.locator("#act h2 b")).to_have_text("Nothing to take")


@pytest.mark.parametrize(("answer", "cards"), [("Enter", ["card QH", "card QH"]), ("Escape", ["card QH"])])
def test_the_same_scan_twice_is_one_card_and_a_question(desk: SITTING, answer: str, cards: list[str]) -> None:
    at = dealing(desk)

    assert at.scan("QH", "QH")  # the second while the first is still on its way
    expect(at.page.locator("#act h2")).to_have_text(re.compile("Two of Q♥"))
    at.settled()
    assert kept("Stos-1") == ["deal", "card QH"]
    at.press(answer).settled()

    assert kept("Stos-1") == ["deal", *cards]
    expect(at.page.locator("#act h2")).not_to_have_text(re.compile("Two of"))


def test_a_scan_while_a_form_is_filled_in_ends_no_form_and_leaves_its_words(desk: SITTING) -> None:
    at = dealing(desk)
    at.tap("#act [data-deed=misdeal]")
    at.page.locator("[name=reason]").fill("a card fell")

    assert at.scan("QS")

    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Not recorded: Q♠. Something is asked first: answer or leave it, then enter the card again. asked_first"
    )
    expect(at.page.locator("[name=reason]")).to_have_value("a card fell")
    assert kept("Stos-1") == ["deal"]


def test_a_second_tap_or_key_hits_nothing_that_came_to_stand_where_the_first_one_was(desk: SITTING) -> None:
    at = dealing(desk, "Stuss-1")
    at.press("Digit2", "KeyQ", "Space", "KeyK", "Enter").settled()
    at.tap("[data-deed=seat][data-seat='2']")
    at.tap_twice("#act [data-deed=withdraw]").settled()
    expect(at.page.locator("#act [data-deed=withdraw]")).to_have_count(1)

    at.tap("[data-deed=seat][data-seat='2']").tap("#act [data-deed=correction]").tap("[data-what=unmade]")
    at.page.locator("[name=reason]").fill("never made")
    at.tap_twice("[data-form=correction] .btn:not([data-deed])").settled()
    at.tap("#act [data-deed=misdeal]")
    at.page.locator("[name=reason]").fill("a card fell")
    at.tap_twice("[data-form=misdeal] .btn:not([data-deed])").settled()
    at.confirm("keys")  # the stake that goes back
    at.tap("#act [data-deed=close]").settled()
    at.tap_twice("#conf [data-deed=open]").settled()

    assert kept("Stuss-1") == ["deal", "bet 2 Q 100", "bet 2 K 100", "withdraw", "misdeal"]
    assert WaitingCorrection.objects.count() == 1
    expect(at.page.locator("#act [role=alert]")).to_have_count(0)
    expect(at.page.locator("#conf [data-deed=new_deal]")).to_be_visible()


def test_a_tap_at_what_a_busy_tablet_had_not_drawn_yet_was_not_meant_for_it(desk: SITTING) -> None:
    at = dealing(desk, "Stuss-1")
    at.press("Digit2", "KeyQ", "Space", "KeyK", "Enter").settled()
    at.tap("[data-deed=seat][data-seat='2']")
    at.page.evaluate("""async () => {
        const {x, y, width, height} = document.querySelector("#act [data-deed=withdraw]").getBoundingClientRect();
        const spot = {clientX: x + width / 2, clientY: y + height / 2, bubbles: true, detail: 1};
        const tap = (at) => {
            const event = new MouseEvent("click", spot);
            Object.defineProperty(event, "timeStamp", {value: at});
            document.elementFromPoint(spot.clientX, spot.clientY).dispatchEvent(event);
        };
        const first = performance.now();
        tap(first);
        while (performance.now() < first + 500);  // busy: the bet that was withdrawn still stands on the screen
        await null;
        tap(first + 400);
    }""")
    at.settled()

    assert kept("Stuss-1") == ["deal", "bet 2 Q 100", "bet 2 K 100", "withdraw"]


def test_a_bet_moves_only_where_it_may_stand(desk: SITTING) -> None:
    at = dealing(desk, "Stuss-1")
    at.press("Digit2", "KeyK", "Digit1", "Digit0", "Digit0", "Enter").settled()
    for card in ("QS", "QH", "QD", "QC"):
        at.play({"type": "card", "card": card}, "keys")

    at.tap("[data-deed=seat][data-seat='2']").tap("#act [data-deed=move]").tap("[data-rank=Q]")

    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Not recorded: 2 · Q · 100. Every Q has been dealt. dead_rank"
    )
    assert kept("Stuss-1") == ["deal", "bet 2 K 100", "card QS", "card QH", "card QD", "card QC"]


def test_a_scan_of_something_else_does_nothing_and_says_so(desk: SITTING) -> None:
    at = dealing(desk)

    assert at.scan("4006381333931")

    expect(at.page.locator("#act [role=alert]")).to_have_text(re.compile("What was scanned is not a card."))
    assert kept("Stos-1") == ["deal"]


def test_a_held_key_counts_once(desk: SITTING) -> None:
    at = dealing(desk)

    held = ("KeyV", 60, True)
    at.burst(("Digit3", 0), ("KeyQ", 60), ("KeyV", 60), held, held, ("Enter", 60), ("Enter", 60, True)).settled()

    assert kept("Stos-1") == ["deal", "bet 3 Q 500"]


def test_enter_ends_an_entry_that_is_not_whole_so_that_it_is_no_part_of_the_next(desk: SITTING) -> None:
    at = dealing(desk)

    at.press("Digit3", "Enter")
    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Not recorded: 3. Enter came too early: enter it whole. unfinished"
    )
    at.press("Digit8", "KeyJ", "Enter").settled()

    assert kept("Stos-1") == ["deal", "bet 8 J 100"]


def test_a_russian_layout_and_caps_lock_change_nothing(desk: SITTING) -> None:
    at = dealing(desk)

    at.page.evaluate("""() => {
        let at = performance.now();
        for (const [key, code] of [["Й", "KeyQ"], ["Ы", "KeyS"]]) {
            const pressed = new KeyboardEvent("keydown", {key, code, bubbles: true});
            Object.defineProperty(pressed, "timeStamp", {value: at += 60});
            document.dispatchEvent(pressed);
        }
    }""")
    expect(at.page.locator("#act h2 b")).to_have_text("Nothing to take")
    at.settled()

    assert kept("Stos-1") == ["deal", "card QS"]


def test_an_answer_lost_after_the_commit_is_asked_for_again_and_recorded_once(desk: SITTING) -> None:
    at = dealing(desk)
    lost: list[Any] = []

    def lose_once(route: Route) -> None:
        answer = route.fetch()
        if lost:
            route.fulfill(response=answer)
        else:
            lost.append(json.loads(route.request.post_data or "[]"))
            route.abort()

    at.page.route("**/events*", lose_once)
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")

    assert len(lost) == 1
    assert kept("Stos-1") == ["deal", "bet 1 Q 500"]


def test_off_line_bets_are_kept_on_the_tablet_through_a_reload_and_go_by_themselves(desk: SITTING) -> None:
    at = dealing(desk)
    cut = True

    def break_link(route: Route) -> None:
        route.abort() if cut else route.continue_()

    at.page.route("**/api/**", break_link)
    at.press(
        "Digit1", "KeyQ", "Digit5", "Digit0", "Digit0", "Enter", "Digit2", "KeyK", "Digit3", "Digit0", "Digit0", "Enter"
    )
    expect(at.page.locator("#link")).to_have_text(re.compile(r"OFF LINE since \d\d:\d\d:\d\d2 waiting"))
    assert kept("Stos-1") == ["deal"]

    at.page.reload()
    expect(at.page.locator("#link")).to_have_text(re.compile("2 waiting"))
    cut = False
    at.settled()
    assert kept("Stos-1") == ["deal", "bet 1 Q 500", "bet 2 K 300"]


def test_a_killed_browser_keeps_what_it_had_not_sent(
    floor: Floor, browser: Browser, live_server: LiveServer, tmp_path: Path
) -> None:
    def start() -> BrowserContext:
        return browser.browser_type.launch_persistent_context(
            tmp_path, executable_path=chromium(), args=["--no-sandbox"] if os.geteuid() == 0 else []
        )

    page = start().new_page()
    at = Desk(page, live_server.url, "Stos-1").open(floor.tokens["Stos-1"], "D-3", PINS["D-3"])
    at.play(NEW_DEAL, "keys")
    page.route("**/api/**", lambda route: route.abort())
    at.press("Digit1", "KeyQ", "Enter")
    expect(page.locator("#link")).to_have_text(re.compile("1 waiting"))
    for process in Path("/proc").glob("[0-9]*"):
        if f"--user-data-dir={tmp_path}".encode() in command_line(process):
            os.kill(int(process.name), signal.SIGKILL)

    again = start()
    page = again.new_page()
    page.goto(f"{live_server.url}/console/Stos-1/")
    page.locator("[name=token], [data-rank=Q]").first.wait_for()
    if page.locator("[name=token]").count():  # the browser writes its lesser memory when it likes
        page.locator("[name=token]").fill(floor.tokens["Stos-1"])
        page.locator("[data-form=token] .btn").click()
    expect(page.locator("[data-rank=Q] .bet")).to_have_text("100")
    expect(page.locator("#link")).to_have_text(re.compile("✓"))
    again.close()
    assert kept("Stos-1") == ["deal", "bet 1 Q 100"]


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def test_what_one_tablet_records_the_other_shows_by_itself(
    desk: SITTING, floor: Floor, other_page: Page, live_server: LiveServer
) -> None:
    at = dealing(desk)
    other = Desk(other_page, live_server.url, "Stos-1")
    other_page.goto(f"{live_server.url}/console/Stos-1/")
    other_page.locator("[name=token]").fill(floor.tokens["Stos-1/2"])
    other_page.locator("[data-form=token] .btn").click()
    other_page.locator("[data-rank=Q]").wait_for()

    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")

    expect(other.page.locator("[data-rank=Q] .bet")).to_have_text("500")


def test_the_dealer_takes_an_open_odd_card_back_alone_and_the_right_one_follows(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "card", "card": "QH"}, "keys")

    at.press("Backspace")
    expect(at.page.locator("#act h2")).to_have_text("Take Q♥ back?")
    at.press("Enter").settled()
    at.play({"type": "card", "card": "QD"}, "keys")

    assert [line.get("cards") or line.get("card") for line in export_log("Stos-1")][2:] == ["QH", {"1": None}, "QD"]


def test_a_correction_waits_for_a_second_person_whose_pin_settles_it_on_the_same_screen(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "9", "amount": "500"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "9S"}, "keys")
    at.confirm("keys")

    at.tap("#act [data-deed=correction]").tap("[data-what=bet]")
    at.page.locator("[name=amount]").fill("700")
    at.page.locator("[name=reason]").fill("keyed wrongly")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()
    expect(at.page.locator("#act .say b")).to_have_text("Waits for the inspector:")
    at.tap("#act [data-deed=approve]")
    at.page.locator("[name=staff]").fill("I-1")
    at.page.locator("[name=pin]").fill(PINS["I-1"])
    at.tap("[data-form=approve] [value=approve]")

    expect(at.page.locator("#act .row .sum")).to_have_text("700")
    said = at.page.locator("#act [role=status]")
    expect(said).to_have_text("Corrected. Against what was shown before: ↑ PAY 1 · 9 · 200")
    at.confirm("keys")
    at.settled()

    at.press("F8")
    at.page.locator("[data-form=correction] [name=card]").select_option("KC")
    at.page.locator("[name=reason]").fill("read wrongly")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled().tap("#act [data-deed=approve]")
    at.page.locator("[name=staff]").fill("I-1")
    at.page.locator("[name=pin]").fill(PINS["I-1"])
    at.tap("[data-form=approve] [value=approve]")
    expect(said).to_have_text("Corrected. Against what was shown before: ↓ TAKE 1 · 9 · 700")
    assert [line["type"] for line in export_log("Stos-1")][-2:] == ["correct", "correct"]


def test_relief_takes_the_next_dealers_pin_and_his_name_stands_on_what_follows(desk: SITTING) -> None:
    at = dealing(desk)

    at.tap("#relief")
    at.sign_on("D-1", PINS["D-1"])
    at.play({"type": "card", "card": "QH"}, "keys")

    for again in (at.page.reload, at.page.go_back, at.page.go_forward):
        again()
        if "/console/" in at.page.url:
            expect(at.page.locator("#dealer")).to_have_text(re.compile("A. Serikova"))
    assert [line.get("by") for line in export_log("Stos-1")][-2:] == [DEALERS["Stos-1"], "D-1"]

    at.page.evaluate("() => localStorage.removeItem('signon:Stos-1')")  # the browser has forgotten who deals
    at.page.reload()
    at.page.locator("select[name=staff]").select_option("D-2")
    at.page.locator("[name=pin]").fill(PINS["D-2"])
    at.tap("[data-form=signon] .btn:not([data-deed])")
    expect(at.page.locator("#act [role=alert]")).to_have_text(re.compile("A. Serikova is on duty here: enter your PIN"))
    at.page.locator("select[name=staff]").select_option("D-2")
    Staff.objects.filter(number="D-2").update(language="ru")
    at.sign_on("D-2", PINS["D-2"])
    expect(at.page.locator("#dealer")).to_have_text(re.compile("T. Omarov"))
    expect(at.page.locator("html")).to_have_attribute("lang", "ru")  # each has his own


def test_a_wrong_pin_signs_nobody_on(floor: Floor, page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/console/Stos-1/")
    page.locator("[name=token]").fill(floor.tokens["Stos-1"])
    page.locator("[data-form=token] .btn").click()
    page.locator("select[name=staff]").select_option("D-3")
    page.locator("[name=pin]").fill("000001")
    page.locator("[data-form=signon] .btn:not([data-deed])").click()

    expect(page.locator("#act [role=alert]")).to_have_text(re.compile("The name and PIN do not match. wrong_pin"))
    assert page.evaluate("() => localStorage.getItem('signon:Stos-1')") is None


def test_the_console_never_scrolls_and_every_target_is_large_enough_whatever_the_dealer_is_called(
    desk: SITTING,
) -> None:
    Staff.objects.filter(number="D-3").update(name="<i>Wolfeschlegelsteinhausenbergerdorff</i> Александра \u202egnoL")
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")

    for _ in ("between turns", "turn open"):
        for width, height in ((1280, 800), (800, 1280)):
            at.page.set_viewport_size({"width": width, "height": height})
            assert at.page.evaluate(SCROLLS) is False
            assert at.page.evaluate(SMALL_OR_HIDDEN) == []
            assert at.page.evaluate(CUT_IN_THE_BAR) == []
        at.play({"type": "card", "card": "QH"}, "keys")


def test_a_long_list_of_what_to_pay_stays_whole_beside_a_long_list_of_what_was_not_recorded(desk: SITTING) -> None:
    at = dealing(desk)
    for seat in range(10):
        at.press(f"Digit{seat}", "KeyQ", "Space", "KeyK", "Digit5", "Digit0", "Digit0", "Enter")
    for seat in (1, 2, 3):
        at.press(f"Digit{seat}", "KeyA", "Space", "KeyJ", "Space", "Digit2", "Digit1", "Digit0", "Enter")
    at.settled()
    for card in ("9H", "QH"):
        at.play({"type": "card", "card": card}, "keys")

    expect(at.page.locator("#act [role=alert]")).to_have_text(re.compile(r"3 · A · 10, \+2"))
    expect(at.page.locator("#act .row")).to_have_count(10)
    assert at.page.evaluate(CUT_BELOW) <= 0

    # Paid, and a suit bet on every seat: what has no room is summed, and every button stays on the screen.
    at.pause().press("Escape").confirm("keys")
    for seat in range(10):
        at.press(f"Digit{seat}", "Period", "KeyH", "Digit1", "Digit0", "Digit0", "Digit0", "Enter")
    at.settled()
    expect(at.page.locator("#act")).to_contain_text("+7 · 3\u202f500")
    for view, suits in (("all seats", "+5 · 5\u202f000"), ("seat 9", "+7 · 7\u202f000")):
        if view == "seat 9":
            at.tap("[data-deed=seat][data-seat='9']")
        expect(at.page.locator("#suits")).to_contain_text(suits)
        expect(at.page.locator("#act [data-deed=correction]")).to_have_count(1)
        for width, height in ((1280, 800), (800, 1280)):
            at.page.set_viewport_size({"width": width, "height": height})
            assert at.page.evaluate(CUT_BELOW) <= 0
            assert at.page.evaluate(SMALL_OR_HIDDEN) == []
    expect(at.page.locator("#act [data-deed=ride]")).to_have_count(1)


@pytest.mark.long
def test_axe_finds_nothing_on_the_console_in_any_phase_and_language(desk: SITTING) -> None:
    at = desk("Stos-1")
    found = looked_at_twice(at)
    for line in log("""
        {"type":"deal","deal":"1"}
        {"type":"bet","bet":"a","seat":1,"rank":"Q","amount":"500"}
        {"type":"bet","bet":"b","seat":1,"suit":"H","amount":"500"}
        {"type":"bet","bet":"c","seat":2,"rank":"9","amount":"10"}
        {"type":"bet","bet":"c","seat":2,"rank":"9","amount":"1000"}
        {"type":"card","card":"QH"}
        {"type":"card","card":"9S"}
    """):
        at.play(line, "keys")
        found += looked_at_twice(at)

    assert found == [[]] * 16


def looked_at_twice(at: Desk) -> list[list[str]]:
    """What axe finds in the language that is spoken, and in the other one."""
    return [(barriers(at.page), at.tap("[data-deed=language]"))[0] for _language in ("en", "ru")]


def test_two_tabs_on_one_tablet_send_each_deed_once(desk: SITTING) -> None:
    at = dealing(desk)
    other = at.page.context.new_page()
    other.goto(at.page.url)
    other.locator("[data-rank=Q]").wait_for()
    tabs = (at, Desk(other, at.url, "Stos-1"))

    for seat, (first, second) in enumerate([("KeyQ", "KeyK"), ("KeyA", "KeyJ")], start=1):
        for tab, rank in zip(tabs, (first, second), strict=True):
            tab.press(f"Digit{seat}", rank, "Digit1", "Digit0", "Digit0", "Enter")
    for tab in tabs:
        tab.settled()

    assert sorted(kept("Stos-1")) == ["bet 1 K 100", "bet 1 Q 100", "bet 2 A 100", "bet 2 J 100", "deal"]


def test_what_an_older_console_left_in_its_memory_is_sent_first_and_once(desk: SITTING) -> None:
    at = dealing(desk)
    at.page.evaluate("""() => {
        const {signon, device} = JSON.parse(localStorage.getItem("signon:Stos-1"));
        const after = {deal: "1", position: 0, take_backs: 0};
        const bet = (number, seat) => ({
            id: `00000000-0000-4000-8000-0000000000${number}`, device, device_seq: number, signon,
            after, shown: 10000, at: new Date().toISOString(),
            event: {type: "bet", bet: `old-${seat}`, seat, rank: "9", amount: "100"},
        });
        for (const [number, seat] of [[41, 5], [42, 6]]) {
            const envelope = bet(number, seat);
            const key = `outbox:Stos-1:${String(number).padStart(12, "0")}:${envelope.id}`;
            localStorage.setItem(key, JSON.stringify(envelope));
        }
        localStorage.setItem("device_seq", "42");
    }""")
    at.page.reload()
    at.page.locator("[data-rank='9'] .bet").first.wait_for()
    at.settled().press("Digit1", "KeyQ", "Enter").settled()

    assert kept("Stos-1") == ["deal", "bet 5 9 100", "bet 6 9 100", "bet 1 Q 100"]
    assert at.page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('outbox:'))") == []


def test_a_refused_bet_lies_parked_through_a_reload_until_it_is_cleared(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "50"}, "keys")

    at.page.reload()
    at.page.locator("[data-rank=Q] .head").wait_for()
    expect(at.page.locator("#act [role=alert]")).to_have_text(
        re.compile("Not recorded: 3 · Q · 50. Below the minimum, 100.")
    )
    at.press("Escape")
    expect(at.page.locator("#act [role=alert]")).to_have_count(0)
    at.page.reload()
    at.page.locator("[data-rank=Q]").wait_for()
    at.settled()

    expect(at.page.locator("#act [role=alert]")).to_have_count(0)


@pytest.mark.parametrize(
    ("lacks", "words"),
    [
        ("Object.defineProperty(window, 'isSecureContext', {value: false})", "This page came without HTTPS"),
        ("IDBFactory.prototype.open = () => { throw new DOMException('no'); }", "This browser keeps nothing"),
    ],
)
def test_without_https_or_a_store_the_console_says_so_plays_on_line_and_takes_nothing_off_line(
    desk: SITTING, page: Page, lacks: str, words: str
) -> None:
    page.add_init_script(lacks)
    at = dealing(desk)
    expect(at.page.locator("#act")).to_contain_text(f"Off-line work is off. {words}")

    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    at.cut_off()
    at.press("Digit2", "KeyK", "Enter")

    expect(at.page.locator("#act [role=alert]").last).to_have_text(
        "Not recorded: 2 · K · 100. There is no connection, and off-line work is off here. off_line_off"
    )
    assert kept("Stos-1") == ["deal", "bet 1 Q 500"]


def test_a_full_tablet_plays_on_line_as_one_without_a_store_and_off_line_says_what_it_could_not_keep(
    desk: SITTING,
) -> None:
    at = dealing(desk).known()
    join = at.cut_off()
    at.press("Digit1", "KeyQ", "Enter")
    expect(at.page.locator("#link")).to_contain_text("1")
    fill_up(at)
    at.pause().press("Digit2", "KeyK", "Enter")
    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Not recorded: 2 · K · 100. This device could not keep it; nothing was sent. not_kept"
    )
    at.pause().press("Escape")
    join()
    at.settled()

    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "K", "amount": "500"}, "keys")
    expect(at.page.locator("#act")).to_contain_text("Off-line work is off. No room is left on this tablet")
    assert at.play({"type": "card", "card": "QH"}, "keys") == "↓ TAKE 100"
    at.cut_off()
    at.press("KeyK", "KeyC")

    expect(at.page.locator("#act [role=alert]").last).to_contain_text(
        "There is no connection, and off-line work is off"
    )
    assert kept("Stos-1") == ["deal", "bet 1 Q 100", "bet 3 K 500", "card QH"]


def fill_up(at: Desk) -> None:
    """Leave the browser no room for another deed."""
    at.page.evaluate("""() => {
        const {put} = IDBObjectStore.prototype;
        IDBObjectStore.prototype.put = function (...given) {
            if (this.name !== "deeds") return put.apply(this, given);
            this.transaction.abort();
            return {};
        };
    }""")


def test_when_a_card_is_refused_what_was_entered_after_it_is_not_sent_but_shown(desk: SITTING) -> None:
    at = dealing(desk)
    join = at.cut_off()
    at.press("KeyQ", "KeyH")
    expect(at.page.locator("#link")).to_have_text(re.compile("1 waiting"))
    at.page.evaluate("""() => new Promise((done) => {
        // What follows a card off line stands in the same store; here one that was entered of another table.
        const asked = indexedDB.open("console");
        asked.onsuccess = () => {
            const store = asked.result.transaction("deeds", "readwrite").objectStore("deeds");
            store.getAll().onsuccess = ({target}) => {
                const [first] = target.result;
                first.envelope.after.position = 7;
                store.put(first);
                store.put({...first, number: first.number + 1, envelope: {
                    ...first.envelope, id: crypto.randomUUID(), device_seq: first.number + 1, shown: 10000,
                    event: {type: "bet", bet: "b", seat: 2, rank: "K", amount: "100"},
                }});
                store.transaction.oncomplete = done;
            };
        };
    })""")
    join()

    expect(at.page.locator("#act [role=alert]")).to_have_text(
        re.compile("Not recorded: Q♥. The table has moved on.* wrong_position Not recorded either: 2 · K · 100.")
    )
    assert kept("Stos-1") == ["deal"]
    at.press("Escape")
    at.play({"type": "card", "card": "QH"}, "keys")
    assert kept("Stos-1") == ["deal", "card QH"]


def test_off_line_the_console_says_at_once_and_provisionally_what_to_take_and_to_pay(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    join = at.cut_off()

    at.play({"type": "bet", "bet": "b", "seat": 8, "rank": "9", "amount": "650"}, "keys")
    assert at.play({"type": "card", "card": "QH"}, "keys") == "↓ TAKE 500"
    expect(at.page.locator("#act .row .sum")).to_have_text("≈ 500")
    assert at.play({"type": "card", "card": "9S"}, "keys") == "↑ PAY 650"
    expect(at.page.locator("#act .row .sum")).to_have_text("≈ 650")
    expect(at.page.locator("#link")).to_have_text(re.compile("3 waiting"))
    at.confirm("keys")
    assert kept("Stos-1") == ["deal", "bet 1 Q 500"]

    join()
    at.settled()
    assert kept("Stos-1") == ["deal", "bet 1 Q 500", "bet 8 9 650", "card QH", "card 9S"]
    expect(at.page.locator("#act [role=alert]")).to_have_count(0)


def test_off_line_a_bet_that_the_rules_refuse_is_refused_at_once_with_its_limit(desk: SITTING) -> None:
    at = dealing(desk)
    at.cut_off()

    at.play({"type": "bet", "bet": "a", "seat": 3, "rank": "Q", "amount": "50"}, "keys")

    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Not recorded: 3 · Q · 50. Below the minimum, 100. below_minimum"
    )
    expect(at.page.locator("#link")).not_to_have_text(re.compile("waiting"))


def test_what_the_server_settles_otherwise_than_shown_is_said_with_both_sums_until_it_is_seen(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    join = at.cut_off()
    elsewhere = {"type": "bet", "bet": "x", "seat": 5, "rank": "Q", "amount": "700"}
    door.record_for_house("Stos-1", door.vouch([elsewhere], author="P-1"))

    assert at.play({"type": "card", "card": "QH"}, "keys") == "↓ TAKE 500"
    join()
    at.settled()

    expect(at.page.locator("#act [role=alert]")).to_have_text(
        "Q♥: the server counts otherwise. Shown: take 500, pay 0. Counted: take 1\u202f200, pay 0. check_needed"
    )
    assert at.headline() == "↓ TAKE 1200"
    assert list(Alert.objects.filter(kind="differs").values_list("level", "value", "limit")) == [("red", 120000, 50000)]
    at.page.reload()
    at.page.locator("[data-rank=Q] .head").wait_for()
    expect(at.page.locator("#act [role=alert]")).to_have_text(re.compile("the server counts otherwise"))
    at.press("Escape")
    expect(at.page.locator("#act [role=alert]")).to_have_count(0)


def test_a_reload_off_line_in_the_middle_of_a_turn_loses_nothing_and_plays_on(desk: SITTING) -> None:
    at = dealing(desk)
    at.play({"type": "bet", "bet": "a", "seat": 8, "rank": "9", "amount": "650"}, "keys")
    at.known()
    join = at.cut_off()
    at.play({"type": "card", "card": "QH"}, "keys")
    expect(at.page.locator("#link")).to_have_text(re.compile("1 waiting"))

    at.page.reload()
    expect(at.page.locator("#act h2 b")).to_have_text("Nothing to take")
    assert at.play({"type": "card", "card": "9S"}, "keys") == "↑ PAY 650"
    at.confirm("keys")
    join()
    at.settled()

    assert kept("Stos-1") == ["deal", "bet 8 9 650", "card QH", "card 9S"]
