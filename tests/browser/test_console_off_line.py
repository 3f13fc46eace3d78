"""The console without its server: the page itself, clocks that are wrong, and a small window."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import expect

from tables.actions import people
from tables.models import Device, Entry
from tables.queries.log import export_log
from tests.browser.a_desk import Desk
from tests.browser.a_floor import PINS, house_asks, log
from tests.browser.test_console import findings

SITTING = Callable[..., Desk]
NEW_DEAL = {"type": "deal", "deal": "1"}
# For `evaluate`: `wait_for_function` takes a promise for true and would wait for nothing.
KEPT = """async () => {
    await navigator.serviceWorker.ready;
    for (const began = Date.now(); Date.now() - began < 30_000; await new Promise((done) => setTimeout(done, 50))) {
        const names = (await (await caches.open("console-1")).keys()).map(({url}) => new URL(url).pathname);
        const wanted = ["/static/tables/rules.mjs", "/words.json", location.pathname];
        if (wanted.every((name) => names.includes(name))) return;
    }
    throw new Error("the console is not kept");
}"""
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


def test_a_reload_without_the_server_opens_the_console_again_and_plays_on(desk: SITTING) -> None:
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 8, "rank": "9", "amount": "650"}, "keys")
    at.page.evaluate(KEPT)
    at.page.wait_for_timeout(500)  # what is known of the table goes to the store with the hands free
    at.page.context.set_offline(True)
    at.page.wait_for_function("() => document.getElementById('link').classList.contains('off')")
    at.away = True
    at.play({"type": "card", "card": "QH"}, "keys")
    expect(at.page.locator("#link")).to_have_text(re.compile("1 waiting"))

    at.page.reload()
    expect(at.page.locator("#link")).to_have_text(re.compile("1 waiting"))
    assert at.play({"type": "card", "card": "9S"}, "keys") == "↑ PAY 650"
    at.page.context.set_offline(False)
    at.away = False
    at.settled()

    assert [line.get("card") for line in export_log("Stos-1") if line["type"] == "card"] == ["QH", "9S"]


def test_a_clock_that_is_hours_wrong_is_shown_and_recorded_and_changes_nothing(desk: SITTING) -> None:
    def ahead(minutes: int) -> str:
        return f"""{{
            const now = Date.now, Before = Date;
            globalThis.Date = class extends Before {{
                constructor(...given) {{ given.length ? super(...given) : super(now() + {minutes} * 60000); }}
                static now() {{ return now() + {minutes} * 60000; }}
            }};
        }}"""

    at = desk("Stos-1")
    at.page.add_init_script(ahead(182))
    at.page.reload()

    expect(at.page.locator("#link .skew")).to_have_text("this clock is 3 h 2 min fast")
    at.play(NEW_DEAL, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    entry = Entry.objects.get(type="card")
    assert abs((entry.recorded_at - entry.happened_at).total_seconds()) < 30
    assert '"clock_doubted"' not in entry.text


@pytest.mark.parametrize(("size", "language"), [((640, 400), "en"), ((400, 640), "ru")])
def test_at_200_percent_zoom_nothing_is_cut_off_sideways_and_the_main_button_stays_in_sight(
    desk: SITTING, size: tuple[int, int], language: str
) -> None:
    at = desk("Stos-1", language=language)
    at.page.set_viewport_size({"width": size[0], "height": size[1]})
    at.play(NEW_DEAL, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    for card in ("KH", "QH"):
        assert at.page.evaluate(WIDER) <= 0
        at.play({"type": "card", "card": card}, "keys")

    assert at.page.evaluate(WIDER) <= 0
    expect(at.page.locator("#conf [data-deed=confirm]")).to_be_in_viewport(ratio=1)
    assert findings(at.page) == []


def test_what_a_win_returned_may_ride_on_the_same_rank(desk: SITTING) -> None:
    at = desk("Stuss-1")
    at.play(NEW_DEAL, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 2, "rank": "9", "amount": "500"}, "keys")
    for card in ("KH", "9S"):
        at.play({"type": "card", "card": card}, "keys")
    at.confirm("keys")

    at.tap("#act [data-deed=ride]").settled()

    bets = [(line["rank"], line["amount"]) for line in export_log("Stuss-1") if line["type"] == "bet"]
    assert bets == [("9", "500"), ("9", "1000")]


def test_a_relief_off_line_is_a_claim_whose_events_wait_for_the_pin_and_then_bear_the_name(desk: SITTING) -> None:
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    join = at.cut_off()
    at.play({"type": "card", "card": "QH"}, "keys")
    at.press("F4")
    at.page.locator("select[name=staff]").select_option("D-1")
    at.tap("[data-form=claim] .btn:not([data-deed])")
    expect(at.page.locator("#dealer")).to_have_text(re.compile("A. Serikova .* PIN to come"))
    at.play({"type": "card", "card": "9S"}, "keys")

    with at.page.expect_response("**/events*"):
        join()
    expect(at.page.locator("#act h2")).to_have_text("PIN of A. Serikova")
    expect(at.page.locator("#link")).to_have_text(re.compile("sending"))
    assert [line.get("card") for line in export_log("Stos-1") if line["type"] == "card"] == ["QH"]
    for digit in PINS["D-1"]:
        at.tap(f"[data-deed=pin][data-digit='{digit}']")
    expect(at.page.locator("#act h2")).not_to_have_text("PIN of A. Serikova")
    at.settled()

    cards = [(line["card"], line["by"]) for line in export_log("Stos-1") if line["type"] == "card"]
    assert cards == [("QH", "D-3"), ("9S", "D-1")]


def test_an_inspectors_check_off_line_is_a_claim_whose_pin_comes_later_and_the_cards_wait_for_it(desk: SITTING) -> None:
    house_asks("Stos-1", check_minor=50000)
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    join = at.cut_off()
    for line in log("""
        {"type":"bet","bet":"a","seat":8,"rank":"9","amount":"650"}
        {"type":"card","card":"QH"}
        {"type":"card","card":"9S"}
    """):
        at.play(line, "keys")
    at.press("Enter")
    at.page.locator("[data-form=check_claim] [name=staff]").fill("I-1")
    at.tap("[data-form=check_claim] .btn:not([data-deed])")
    at.play({"type": "card", "card": "2H"}, "keys")

    with at.page.expect_response("**/events*"):
        join()
    expect(at.page.locator("#act h2")).to_have_text("PIN of M. Marek")
    assert [line["card"] for line in export_log("Stos-1") if line["type"] == "card"] == ["QH", "9S"]
    for pin in ("000001", PINS["I-1"]):
        at.page.locator("[data-form=checked] [name=pin]").fill(pin)
        at.tap("[data-form=checked] .btn:not([data-deed])")
        expect(at.page.locator("[data-form=checked] [name=pin]")).to_have_value("")
    at.settled()

    order = [line.get("card") or line["type"] for line in export_log("Stos-1", floor=True)]
    assert order[order.index("QH") :] == ["QH", "9S", "confirm", "2H"]
    entry = Entry.objects.get(type="confirm")
    assert (entry.author, '"inspector":"I-1"' in entry.text) == ("D-3", True)
    assert entry.happened_at < Entry.objects.get(type="card", text__contains="9S").recorded_at


def test_a_revoked_token_keeps_what_waits_and_it_goes_under_the_sign_on_that_it_was_entered_with(
    desk: SITTING,
) -> None:
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    join = at.cut_off()
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    tablet = Device.objects.get(code="tablet-Stos-1")
    with transaction.atomic():
        # What a request takes on its way counts as later: the sign-on ends a second after the bet was entered.
        people.revoke_device(device_id=tablet.pk, by=None, now=timezone.now() + timedelta(seconds=1))
    join()
    expect(at.page.locator("#act [name=token]")).to_be_visible()
    expect(at.page.locator("[data-rank=Q] .bet.wait")).to_have_text("500")

    with transaction.atomic():
        issued = people.issue_device_token(
            casino_id=tablet.casino_id, kind="console", table_id=tablet.table_id, code=tablet.code, by=None,
            now=timezone.now(),
        )  # fmt: skip
    at.page.locator("[name=token]").fill(issued.token)
    at.tap("[data-form=token] .btn").settled()

    assert [(line["seat"], line["by"]) for line in export_log("Stos-1") if line["type"] == "bet"] == [(1, "D-3")]
    at.press("Digit2", "KeyK", "Enter")
    expect(at.page.locator("select[name=staff]")).to_be_visible()  # his sign-on ended with the token
