"""The console without its server: the page itself, clocks that are wrong, and a small window."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tables.actions import door, people
from tables.models import Device, Entry, SignOn
from tables.pages import console as console_page
from tables.queries.log import export_log
from tests.browser.a_desk import Desk
from tests.browser.a_floor import PINS, Floor, house_asks, log
from tests.browser.barriers import barriers

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
VERSION_2 = "\ndocument.documentElement.dataset.version = '2';\n"
WIDER = "() => document.documentElement.scrollWidth - innerWidth"


def test_a_reload_without_the_server_opens_the_console_again_and_plays_on(desk: SITTING) -> None:
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 8, "rank": "9", "amount": "650"}, "keys")
    at.page.evaluate(KEPT)
    at.known()
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


@pytest.fixture
def new_version(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Let the service have a new version of the console from now on: another page and another service worker."""

    def deploy() -> None:
        at = tmp_path / "tables" / "console"
        at.mkdir(parents=True)
        for name, old, new in (("main.js", "\n", VERSION_2), ("worker.js", '"console-1"', '"console-2"')):
            file = finders.find(f"tables/console/{name}")
            assert isinstance(file, str)
            text = Path(file).read_text()
            (at / name).write_text(text + new if old == "\n" else text.replace(old, new))
        settings.STATICFILES_DIRS = [tmp_path]  # whose change the finders are told of
        monkeypatch.setattr(console_page, "_WORKER", at / "worker.js")

    return deploy


def test_a_new_version_of_the_page_sends_once_what_waits_and_is_kept_for_the_next_reload_without_the_server(
    desk: SITTING, new_version: Callable[[], None]
) -> None:
    at = desk("Stos-1")
    at.play(NEW_DEAL, "keys")
    at.page.evaluate(KEPT)
    join = at.cut_off()
    at.play({"type": "bet", "bet": "a", "seat": 8, "rank": "Q", "amount": "650"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")

    new_version()
    at.page.reload()
    expect(at.page.locator("html[data-version='2']")).to_be_attached()
    expect(at.page.locator("#link")).to_have_text(re.compile("2 waiting"))
    assert at.headline() == "↓ TAKE 650"
    at.page.evaluate(KEPT.replace("console-1", "console-2"))
    join()
    at.settled()
    assert [line.get("card", line.get("rank")) for line in export_log("Stos-1")][2:] == ["Q", "QH"]

    at.known()
    at.page.context.set_offline(True)
    at.page.reload()
    expect(at.page.locator("html[data-version='2']")).to_be_attached()
    expect(at.page.locator("#act h2 b")).to_have_text("↓ TAKE")
    at.page.context.set_offline(False)


def test_one_tablet_at_two_tables_stops_where_a_card_is_refused_and_goes_on_at_the_other(
    floor: Floor, page: Page, live_server: LiveServer
) -> None:
    with transaction.atomic():
        anywhere = people.issue_device_token(
            casino_id=Device.objects.first().casino_id, kind="console", table_id=None, code="both", by=None,
            now=timezone.now(),
        ).token  # fmt: skip
    stos = Desk(page, live_server.url, "Stos-1").open(anywhere, "D-3", PINS["D-3"])
    stuss = Desk(page.context.new_page(), live_server.url, "Stuss-1").open(anywhere, "D-1", PINS["D-1"])
    for at in (stos, stuss):
        at.play(NEW_DEAL, "keys")
    joins = [at.cut_off() for at in (stos, stuss)]
    stos.play({"type": "card", "card": "QH"}, "keys")
    stos.play({"type": "card", "card": "9H"}, "keys")
    stos.press("Digit3", "Enter")  # a slip of the hand, said in amber: it hides no refused card
    stuss.play({"type": "bet", "bet": "b", "seat": 2, "rank": "K", "amount": "500"}, "keys")
    door.record_for_house("Stos-1", door.vouch([{"type": "card", "card": "2S"}], author="P-1"))
    for join in joins:
        join()

    expect(stos.page.locator("#act [role=alert]")).to_have_text([
        re.compile("Not recorded: Q♥. The table has moved on.* Not recorded either: 9♥."), re.compile("unfinished"),
    ])  # fmt: skip
    expect(stos.page.locator("#grid.lock")).to_be_attached()
    stuss.settled()
    assert stuss.play({"type": "card", "card": "KS"}, "keys") == "↓ TAKE 500"
    stos.pause().press("Escape")
    expect(stos.page.locator("#act [role=alert]")).to_have_count(0)
    stos.play({"type": "card", "card": "QH"}, "keys")

    cards = {code: [line["card"] for line in export_log(code) if "card" in line] for code in ("Stos-1", "Stuss-1")}
    assert cards == {"Stos-1": ["2S", "QH"], "Stuss-1": ["KS"]}
    sent = [
        json.loads(text)["device_seq"]
        for text in Entry.objects.filter(text__contains='"device_seq"').values_list("text", flat=True)
    ]
    assert len(set(sent)) == len(sent) == 5


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
    assert barriers(at.page) == []


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
    before = at.page.evaluate("() => ({...localStorage})")
    at.press("F4")
    at.page.locator("select[name=staff]").select_option("D-1")
    at.tap("[data-form=claim] .btn:not([data-deed])")
    expect(at.page.locator("#dealer")).to_have_text(re.compile("A. Serikova .* PIN to come"))
    at.page.evaluate("(before) => { for (const name in before) localStorage.setItem(name, before[name]); }", before)
    at.page.evaluate("() => { for (const name of ['claims', 'people']) localStorage.removeItem(`${name}:Stos-1`); }")
    at.page.reload()  # of a browser that was killed: it has forgotten what it wrote to its lesser memory last
    expect(at.page.locator("#dealer")).to_have_text(re.compile("A. Serikova .* PIN to come"))
    expect(at.page.locator("#act h2 b")).to_have_text("Nothing to take")  # the table is there too
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
        # What a request takes on its way counts as later: the sign-on ends well after the bet was entered.
        ended = timezone.now() + timedelta(minutes=5)
        people.revoke_device(device_id=tablet.pk, by=None, now=ended)
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
    SignOn.objects.filter(ended_at=ended).update(ended_at=timezone.now())
    at.press("Digit2", "KeyK", "Enter")
    expect(at.page.locator("select[name=staff]")).to_be_visible()  # his sign-on ended with the token
