"""Two people at one table's consoles, and what a turn waits for: pen, bets down, checks, mispays, disputes."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from tables.actions import desk as rules_of_the_desk
from tables.models import Dispute, Entry, Heard, Mispay, WaitingCorrection
from tables.queries.log import export_log
from tests.browser.a_desk import RANK_KEYS, Desk
from tests.browser.a_floor import PINS, Floor, house_asks, log
from tests.browser.test_console import SMALL_OR_HIDDEN, looked_at_twice

SITTING = Callable[..., Desk]
NEW_DEAL = {"type": "deal", "deal": "1"}


def play_of(table: str) -> list[str]:
    """What the record has: `bet 1 Q 500`, `card QH`, `confirm`."""
    words = []
    for line in export_log(table, floor=True):
        parts = [line["type"], *(str(line[key]) for key in ("seat", "rank", "suit", "card", "amount") if key in line)]
        words.append(" ".join(parts))
    return words[words.index("deal") + 1 :]


def dealing(desk: SITTING, table: str = "Stos-1", **more: str) -> Desk:
    at = desk(table, **more)
    at.play(NEW_DEAL, "keys")
    return at


@pytest.fixture
def beside(
    floor: Floor, other_page: Page, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Desk]:
    """Somebody at the table's second tablet: beside("Stos-1", "C-1").

    A busy machine may keep a tablet from being heard for three seconds: here it is silent after half a minute. What
    three seconds decide is told in tests/tables/test_desk.py.
    """
    monkeypatch.setattr(rules_of_the_desk, "SILENT", timedelta(seconds=30))

    def sit(table: str, staff: str, language: str = "en") -> Desk:
        at = Desk(other_page, live_server.url, table)
        return at.open(floor.tokens[f"{table}/2"], staff, PINS[staff], language=language)

    return sit


def alert(at: Desk, words: str) -> None:
    expect(at.page.locator("#act [role=alert]")).to_have_text(re.compile(words))


def heard(at: Desk, ago: float) -> None:
    """Let the first tablet of the table have been heard so long ago."""
    when = datetime.now(UTC) - timedelta(seconds=ago)
    assert Heard.objects.filter(device__code=f"tablet-{at.table}").update(heard_at=when) == 1


def test_the_bet_controller_has_bets_alone_and_his_word_releases_the_card(desk: SITTING, beside: SITTING) -> None:
    house_asks("Stos-1", bets_down=True)
    at = dealing(desk)
    controller = beside("Stos-1", "C-1")
    expect(controller.page.locator("#grid")).to_be_hidden()
    controller.press("Digit3", "KeyQ", "Enter").settled()
    expect(at.page.locator("[data-rank=Q] .bet")).to_have_text("100")

    at.press("KeyQ", "KeyH")
    alert(at, "Not recorded: Q♥. The bet controller has not said that bets are down. bets_open")
    at.press("Escape")
    controller.press("F2").settled()
    expect(at.page.locator("#conf")).to_contain_text("Odd card next")
    controller.press("KeyK", "KeyH")
    alert(controller, "Another device of this table enters the cards. pen_elsewhere")
    at.play({"type": "card", "card": "QH"}, "keys")

    assert play_of("Stos-1") == ["bet 3 Q 100", "bets_down", "card QH"]
    assert at.headline() == "↓ TAKE 100"


def test_the_pen_is_taken_with_a_pin_and_the_other_tablet_is_locked_within_a_moment(
    desk: SITTING, beside: SITTING
) -> None:
    at = dealing(desk)
    second = beside("Stos-1", "D-3")
    expect(second.page.locator("#conf")).to_contain_text("Cards: tablet-Stos-1")
    assert second.page.locator("#grid .c:enabled").count() == 0

    second.tap("[data-deed=take_pen]")
    second.sign_on("D-3", PINS["D-3"])
    expect(at.page.locator("#conf")).to_contain_text("Cards: tablet-Stos-1/2")
    at.press("KeyK", "KeyH")
    alert(at, "pen_elsewhere")
    second.play({"type": "card", "card": "QH"}, "touch")

    assert play_of("Stos-1") == ["card QH"]


def test_a_bet_that_a_card_overtook_is_offered_at_once_as_a_correction(desk: SITTING, beside: SITTING) -> None:
    at = dealing(desk)
    controller = beside("Stos-1", "C-1")
    late: list[Route] = []
    controller.page.route("**/events*", lambda route: late.append(route))
    controller.press("Digit3", "KeyQ", "Enter")
    expect(controller.page.locator("[data-rank=Q] .bet.wait")).to_have_text("100")
    at.play({"type": "card", "card": "QH"}, "keys")
    late[0].continue_()
    controller.page.unroute("**/events*")

    alert(controller, "Not recorded: 3 · Q · 100. The table has moved on")
    controller.tap("#act [data-deed=made]").settled()
    at.play({"type": "card", "card": "KH"}, "keys")

    expect(at.page.locator("#act .say b").first).to_have_text("Waits for the inspector:")
    (waiting,) = WaitingCorrection.objects.values_list("envelope", "author")
    assert ('"after":0' in waiting[0], '"made":true' in waiting[0], waiting[1]) == (True, True, "C-1")


@pytest.mark.parametrize(("word", "waiting"), [("accept", 0), ("strike", 1)])
def test_a_card_that_waited_off_line_asks_about_the_bet_it_had_not_seen(
    desk: SITTING, beside: SITTING, word: str, waiting: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = dealing(desk)
    controller = beside("Stos-1", "C-1")
    monkeypatch.setattr(rules_of_the_desk, "SILENT", timedelta(seconds=1))
    join = at.cut_off()
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "9H"}, "keys")
    heard(at, -60)
    controller.press("Digit5", "KeyQ", "Digit7", "Digit0", "Digit0", "Enter").settled()
    at.page.wait_for_timeout(1100)
    join()

    alert(at, "Q♥ waits. Recorded meanwhile, and not seen here: seat 5 · Q · 700 bet_unseen")
    at.tap(f"#act [data-deed={word}]").settled()

    assert play_of("Stos-1") == ["bet 5 Q 700", "card QH", "card 9H"]
    assert WaitingCorrection.objects.filter(envelope__contains='"made":false').count() == waiting


def test_while_the_dealers_tablet_is_silent_a_bet_is_a_proposal_that_can_be_sent_again(
    desk: SITTING, beside: SITTING
) -> None:
    at = dealing(desk)
    controller = beside("Stos-1", "C-1")
    join = at.cut_off()
    heard(at, 60)
    controller.press("Digit5", "KeyQ", "Digit7", "Digit0", "Digit0", "Enter")
    alert(controller, "Proposal: 5 · Q · 700. The dealer's console is silent: tell the dealer")
    expect(controller.page.locator("#act [data-deed=again]")).to_have_count(0)

    join()
    controller.tap("#act [data-deed=again]")
    expect(at.page.locator("[data-rank=Q] .bet")).to_have_text("700")

    assert play_of("Stos-1") == ["bet 5 Q 700"]


def test_what_was_proposed_is_on_the_dealers_screen_too_who_enters_it_or_declines_it(
    desk: SITTING, beside: SITTING
) -> None:
    at = dealing(desk)
    controller = beside("Stos-1", "C-1")
    join = at.cut_off()
    heard(at, 60)
    controller.press("Digit5", "KeyQ", "Digit7", "Digit0", "Digit0", "Enter")
    alert(controller, "Proposal: 5 · Q · 700")
    controller.press("Digit6", "KeyK", "Enter")
    alert(controller, "Proposal: 5 · Q · 700.*Not recorded either: 6 · K · 100")

    join()
    expect(at.page.locator("#act .proposed")).to_have_text([
        re.compile(r"Proposed: seat 5 · Q · 700 S\. Akhmetova"), re.compile(r"Proposed: seat 6 · K · 100"),
    ])  # fmt: skip
    at.page.locator("#act [data-deed=enter_proposal]").first.click()
    expect(at.page.locator("#act .proposed")).to_have_count(1)
    at.tap("#act [data-deed=decline_proposal]")
    expect(at.page.locator("#act .proposed")).to_have_count(0)

    alert(controller, "Not recorded: 6 · K · 100. The dealer has declined it. declined")
    expect(controller.page.locator("#act")).to_contain_text("The dealer has entered it: 5 · Q · 700.")
    expect(controller.page.locator("#act [data-deed=again]")).to_have_count(0)
    assert [(line["by"], line["rank"]) for line in export_log("Stos-1") if line["type"] == "bet"] == [("D-3", "Q")]


def won(at: Desk) -> None:
    """Seat 8 wins 650 with the nine."""
    for line in log("""
        {"type":"bet","bet":"a","seat":8,"rank":"9","amount":"650"}
        {"type":"card","card":"QH"}
        {"type":"card","card":"9S"}
    """):
        at.play(line, "keys")


def test_a_payment_above_the_check_limit_is_confirmed_with_an_inspectors_pin_on_the_same_screen(desk: SITTING) -> None:
    house_asks("Stos-1", check_minor=50000)
    at = dealing(desk)
    won(at)

    at.press("Enter")
    expect(at.page.locator("#act .say").first).to_have_text(
        "650 is paid, above 500. The inspector sees it paid and signs."
    )
    at.page.locator("[name=staff]").fill("I-1")
    at.page.locator("[name=pin]").fill(PINS["I-1"])
    at.tap("[data-form=check] .btn:not([data-deed])")
    expect(at.page.locator("#conf")).to_contain_text("Odd card next")
    at.play({"type": "card", "card": "2H"}, "keys")

    assert play_of("Stos-1")[-3:] == ["card 9S", "confirm", "card 2H"]
    entry = Entry.objects.get(type="confirm")
    assert (entry.author, '"inspector":"I-1"' in entry.text) == ("D-3", True)


def test_a_turn_is_confirmed_with_one_key_and_what_was_done_otherwise_is_recorded(desk: SITTING) -> None:
    house_asks("Stos-1", confirm=True)
    at = dealing(desk)
    won(at)

    at.press("F9")
    at.page.locator("[name=done]").fill("1 650")
    at.tap("[data-form=differs] .btn:not([data-deed])").settled()
    at.press("Enter").settled()
    at.play({"type": "card", "card": "2H"}, "keys")

    assert play_of("Stos-1")[-3:] == ["mispay", "confirm", "card 2H"]
    assert list(Mispay.objects.values_list("way", "error_minor", "recovered", "dealer")) == [
        ("pay", 100000, False, "D-3")
    ]


def test_one_tap_freezes_a_disputed_turn(desk: SITTING) -> None:
    at = dealing(desk)
    won(at)

    at.tap("[data-deed=dispute]")

    expect(at.page.locator("#act [role=status]")).to_have_text("Dispute 1: turn 1 is frozen as it stands.")
    assert list(Dispute.objects.values_list("turn", "author")) == [(1, "D-3")]


def test_a_bet_is_moved_to_another_rank_with_its_sum(desk: SITTING) -> None:
    at = dealing(desk, "Stuss-1")
    at.play({"type": "bet", "bet": "a", "seat": 2, "rank": "Q", "amount": "500"}, "keys")

    at.tap("[data-deed=seat][data-seat='2']").tap("#act [data-deed=move]").tap("[data-rank=K]").settled()

    assert play_of("Stuss-1") == ["bet 2 Q 500", "withdraw", "bet 2 K 500"]


def test_what_is_being_typed_outlives_what_the_other_tablet_records(desk: SITTING, beside: SITTING) -> None:
    at = dealing(desk)
    at.tap("#act [data-deed=misdeal]")
    at.page.locator("[name=reason]").fill("a card fell")
    beside("Stos-1", "C-1").press("Digit3", "KeyQ", "Enter").settled()
    expect(at.page.locator("[data-rank=Q] .bet")).to_have_text("100")

    expect(at.page.locator("[name=reason]")).to_have_value("a card fell")
    expect(at.page.locator("[name=reason]")).to_be_focused()


def test_the_suit_of_a_suit_bet_is_corrected(desk: SITTING) -> None:
    at = dealing(desk)
    for line in log("""
        {"type":"bet","bet":"a","seat":1,"rank":"Q","amount":"500"}
        {"type":"bet","bet":"b","seat":1,"suit":"H","amount":"500"}
    """):
        at.play(line, "keys")

    at.tap("#act [data-deed=correction]").tap("[data-what=bet]")
    at.page.locator("[name=bet]").select_option(label="seat 1 · ♥ · 500 · before the first card")
    at.page.locator("[name=on]").select_option("suit D")
    at.page.locator("[name=reason]").fill("keyed wrongly")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()

    expect(at.page.locator("#act .say b").first).to_have_text("Waits for the inspector:")
    (envelope,) = WaitingCorrection.objects.values_list("envelope", flat=True)
    assert '"suit":"D"' in envelope


def test_a_correction_names_any_bet_and_any_card_of_the_deal_however_old(desk: SITTING) -> None:
    at = dealing(desk, "Pharaon-1")
    for line in log("""
        {"type":"bet","bet":"a","seat":1,"card":"QH","amount":"500"}
        {"type":"bet","bet":"b","seat":2,"rank":"A","amount":"200"}
    """):
        at.play(line, "keys")
    for card in ("QS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "KS", "2H", "3H"):
        at.play({"type": "card", "card": card}, "keys")
    bets = at.page.locator("[data-form=correction] [name=bet] option")

    at.press("F8").tap("#act [data-what=bet]")
    expect(bets).to_have_text(["seat 2 · A · 200 · before the first card", "seat 1 · Q♥ · 500 · before the first card"])
    at.page.locator("[name=bet]").select_option(label="seat 1 · Q♥ · 500 · before the first card")
    at.page.locator("[name=on]").select_option("card KH")
    at.page.locator("[name=reason]").fill("it lay on the king")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()
    at.press("F8")
    expect(at.page.locator("[name=position] option")).to_have_count(14)
    at.page.locator("[name=position]").select_option("1")
    at.page.locator("[data-form=correction] [name=card]").select_option("QD")
    at.page.locator("[name=reason]").fill("misread")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()

    asked = [
        json.loads(text)["event"]
        for text in WaitingCorrection.objects.order_by("asked_at").values_list("envelope", flat=True)
    ]
    assert [{name: each[name] for name in ("card", "cards") if name in each} for each in asked] == [
        {"card": "KH"}, {"cards": {"1": "QD"}},
    ]  # fmt: skip
    expect(at.page.locator("#act .say b")).to_have_text(["Waits for the inspector:"] * 2)


CUT_OFF = """() => [...document.querySelectorAll("#act, #act .all")]
    .map((each) => [each.scrollHeight - each.clientHeight, each.scrollWidth - each.clientWidth])
    .filter(([down, across]) => down > 0 || across > 0)"""


def test_no_bet_of_a_long_list_is_cut_off_what_has_no_room_is_summed(desk: SITTING, beside: SITTING) -> None:
    at = dealing(desk, "Stuss-1")
    for seat, ranks in ((2, "23456789TJQKA"), (3, "23456789TJ"), (4, "QKA")):
        at.press(f"Digit{seat}")
        for rank in ranks:
            at.press(RANK_KEYS[rank], *(["Space"] if rank != ranks[-1] else ["Enter"]))
    at.settled()
    controller = beside("Stuss-1", "C-1")
    expect(controller.page.locator("#act .row.bet")).to_have_count(20)
    expect(controller.page.locator("#act")).to_contain_text("+6 · 600")
    at.tap("[data-deed=seat][data-seat='2']")
    expect(at.page.locator("#act [data-deed=withdraw]:visible")).to_have_count(13)
    for each in (at, controller):
        for size in ((1280, 800), (800, 1280)):
            each.page.set_viewport_size({"width": size[0], "height": size[1]})
            assert each.page.evaluate(CUT_OFF) == []
            assert each.page.evaluate(SMALL_OR_HIDDEN) == []


def test_axe_finds_nothing_on_the_controllers_screen_in_either_language(desk: SITTING, beside: SITTING) -> None:
    dealing(desk)
    controller = beside("Stos-1", "C-1")
    controller.press("Digit3", "KeyQ", "Enter").settled()
    for size in ((1280, 800), (800, 1280)):
        controller.page.set_viewport_size({"width": size[0], "height": size[1]})
        assert looked_at_twice(controller) == [[], []]
        assert controller.page.evaluate(SMALL_OR_HIDDEN) == []
