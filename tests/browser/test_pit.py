"""The live floor: what a pit boss sees, how live it is, and what waits for his PIN."""

import re
import time
import uuid
from collections.abc import Callable, Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tables import live
from tables.access import Author, Post
from tables.actions import asking, cage, door
from tables.models import Alert, Approval, SignOn, Staff, Table
from tables.queries import slips
from tables.queries.log import export_log
from tables.queries.people import posts_of
from tests.browser.a_desk import Desk
from tests.browser.a_floor import PASSWORD, PINS, Floor
from tests.browser.barriers import barriers
from tests.live_process import Streaming


@pytest.fixture
def streaming(floor: Floor, live_server: LiveServer, settings: Settings) -> Iterator[Streaming]:
    """The live floor's process beside the web; it can be stopped, and comes back at the same address."""
    process = Streaming()
    process.start()
    settings.LIVE_PORT, settings.SITE_URL = process.port, live_server.url
    yield process
    process.stop()


@pytest.fixture
def pit(streaming: Streaming, floor: Floor, other_page: Page, live_server: LiveServer) -> Page:
    """The floor on the pit boss's screen, logged in."""
    page = other_page
    page.goto(f"{live_server.url}/pit/")
    page.locator("[name=username]").fill("P-1")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main .btn").click()
    page.locator("#tiles article").first.wait_for()
    return page


def test_every_table_has_a_tile_in_the_order_of_names(pit: Page) -> None:
    assert pit.locator("#tiles h3").all_inner_texts() == ["Pharaon-1", "Private-1", "Stos-1", "Stuss-1"]
    expect(pit.locator("#totals")).to_have_text(re.compile("4 open of 4 · 0 seats"))


def test_a_turn_at_a_table_is_on_its_tile_by_itself(pit: Page, desk: Callable[..., Desk]) -> None:
    at = desk("Stos-1")
    at.play({"type": "deal", "deal": "1"}, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    at.play({"type": "bet", "bet": "b", "seat": 2, "rank": "K", "amount": "1000"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "2S"}, "keys")

    tile = pit.locator("[data-table='Stos-1']")
    expect(tile.locator(".win b")).to_have_text("+500")
    expect(tile).to_have_text(re.compile(r"K\. Bekov|L\. Weber"))
    expect(tile).to_have_text(re.compile("on the cloth 1\u202f000.*deal 1 turn 1"))


@pytest.mark.long
def test_a_floor_asks_for_itself_without_its_stream_and_cut_off_for_a_minute_of_500_events_is_right_again(
    pit: Page, streaming: Streaming
) -> None:
    tile, live_ = pit.locator("[data-table='Stos-1']"), pit.locator("#live")
    expect(live_).to_have_text(re.compile(r"● live \d\.\d s"))
    streaming.stop()
    door.record_for_house("Stos-1", door.vouch([{"type": "deal", "deal": "1"}], author="P-1"))
    expect(tile).to_have_text(re.compile("deal 1"))
    expect(live_).to_have_text(re.compile(r"● live"))

    pit.context.set_offline(True)
    # Somebody puts the tablet's clock back by an hour meanwhile: it is silent for as long as it is.
    pit.evaluate("(() => { const right = Date.now; Date.now = () => right() - 3600000; })()")
    events: list[dict[str, object]] = []
    for turn, rank in enumerate("23456789TJQKA" * 8):
        other = "3456789TJQKA2"[turn % 13]
        events += [
            {"type": "bet", "bet": f"{turn}-{seat}", "seat": seat, "rank": rank, "amount": "500"} for seat in (1, 2, 3)
        ]
        events += [
            {"type": "card", "card": rank + "CDHS"[turn // 26]},
            {"type": "card", "card": other + "HSCD"[turn // 26]},
        ]
    began = time.monotonic()
    violations = []
    for first in range(0, 500, 50):
        door.record_for_house("Stos-1", door.vouch(events[first : first + 50], author="P-1"))
        if first in (200, 300):  # what is read of a floor that has gone pale must be readable, dark and light
            expect(live_).to_have_text(re.compile(r"not live since \d\d:\d\d"))
            violations += barriers(pit)
            pit.locator("[data-theme-switch]").click()
        pit.wait_for_timeout(max(0, 1000 * (began + 6 * (first / 50 + 1) - time.monotonic())))
    assert time.monotonic() - began >= 60
    assert violations == []

    expect(live_).to_have_text(re.compile(r"not live since \d\d:\d\d"))
    assert pit.locator("#tiles h3").count() == 4
    expect(tile.locator(".win b")).to_have_text("0")

    pit.context.set_offline(False)
    streaming.start()
    expect(live_).to_have_text(re.compile(r"● live \d\.\d s"))
    shown = pit.evaluate("fetch('/api/floor').then((answer) => answer.json())")
    stos = next(table for table in shown["tables"] if table["table"] == "Stos-1")
    assert stos["sequence"] == 3 + 500
    expect(tile.locator(".win b")).to_have_text(written(stos["game_win_minor"]))
    handle = f"{stos['handle_minor'] // 100:,}".replace(",", "\u202f")
    expect(tile).to_have_text(re.compile(f"turns {stos['turns']}.*handle {handle}"))
    assert (stos["turns"], stos["bets"], stos["handle_minor"]) == (100, 300, 300 * 50000)  # each event once
    for table in shown["tables"]:
        expect(pit.locator(f"[data-table='{table['table']}'] .win b")).to_have_text(written(table["game_win_minor"]))
    (win,) = shown["totals"]["wins"]
    expect(pit.locator("#totals")).to_have_text(f"4 open of 4 · 0 seatswin {written(win['game_win_minor'])} KZT")


def written(minor: int) -> str:
    """Write a win as a tile does."""
    return f"{minor // 100:+,}".replace(",", "\u202f").replace("-", "−") if minor else "0"


def test_ten_tabs_of_a_browser_share_one_stream_and_all_of_them_live(pit: Page, streaming: Streaming) -> None:
    tabs = [pit, *(pit.context.new_page() for _ in range(9))]
    for tab in tabs[1:]:
        tab.goto(pit.url)
    door.record_for_house("Stos-1", door.vouch([{"type": "deal", "deal": "1"}], author="P-1"))

    for tab in tabs:
        expect(tab.locator("[data-table='Stos-1']")).to_have_text(re.compile("deal 1"))
    assert streaming.viewers() == 1


def author(number: str, *roles: str) -> Author:
    """A person of the floor with his posts, or with other ones."""
    staff_id = Staff.objects.get(number=number).pk
    return Author(staff_id, number, tuple(Post(role, None) for role in roles) or posts_of(staff_id))


def press(page: Page, pin: str) -> None:
    for digit in pin:
        page.locator(f"[data-pin='{digit}']").click()


def test_corrections_and_counts_are_decided_from_the_floor_with_one_tap_and_six_digits(
    pit: Page, desk: Callable[..., Desk]
) -> None:
    at = desk("Stos-1")
    at.play({"type": "deal", "deal": "1"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "9S"}, "keys")
    at.tap("#act [data-deed=correction]")
    at.page.locator("[name=card]").select_option("9C")
    at.page.locator("[name=reason]").fill("misread")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()
    count, waiting = pit.locator("#waiting-count"), pit.locator("#waiting")

    expect(count).to_have_text("1")
    expect(waiting).to_have_text(re.compile(r"Correction Stos-1card 2 is 9♣ \(misread\)"))
    pit.locator("[data-verdict=approve]").click()
    press(pit, PINS["P-1"])
    expect(count).to_have_text("0")
    assert [line["type"] for line in export_log("Stos-1")][-1] == "correct"

    door.record_for_house("Private-1", door.vouch([{"type": "close"}], author="P-1"))
    id, now = uuid.uuid4(), timezone.now()
    asking.ask("Private-1", "opener", {"chips": {"1000": 5}}, id=id, author=author("D-2"), now=now)
    expect(waiting).to_have_text(re.compile("Opening count Private-15\u202f000 KZT.*T\\. Omarov"))
    pit.locator("[data-verdict=approve]").click()
    press(pit, "000000")
    expect(waiting).to_have_text(re.compile("The name and PIN do not match"))
    press(pit, PINS["P-1"])
    expect(pit.locator("[data-table='Private-1']")).to_have_text(re.compile("float low 5k"))
    expect(waiting).to_have_text("Nothing waits.")

    # A fill that has come to the table is signed there by its dealer and the pit boss, on the pit boss's tablet.
    cage.deliver(Table.objects.get(code="Stos-1").casino_id, "KZT", {"1000": 9}, author=None, second=None, now=now)
    cashier = author("C-1", "cage")
    fill = cage.request_slip("Stos-1", "fill", {"1000": 5}, id=uuid.uuid4(), author=author("P-1"), now=now)
    cage.issue_slip(fill.id, author=cashier, now=now)
    expect(waiting).to_have_text(re.compile(r"^Fill F-\d+-000001 Stos-15\u202f000 KZT · 5 × 1000issued: .*Carry$"))
    cage.carry_slip(fill.id, author=author("D-2", "inspector"), second=None, now=now)
    pit.get_by_role("button", name="Receive").click()
    dealer = str(SignOn.objects.get(table__code="Stos-1", role="dealer", ended_at=None).staff.number)
    press(pit, "000000")
    expect(waiting).to_have_text(re.compile("your PIN signs"))
    press(pit, PINS["P-1"])
    expect(waiting).to_have_text(re.compile("first the dealer’s PIN.*The name and PIN do not match"))
    for number in (dealer, "P-1"):
        press(pit, PINS[number])
    expect(waiting).to_have_text("Nothing waits.")
    received = slips.slip(fill.id)
    assert received is not None
    assert [(each.step, each.author, each.second) for each in received.steps][-1] == ("received", dealer, "P-1")


def test_who_may_look_but_not_decide_sees_a_live_floor(floor: Floor, page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/pit/")
    page.locator("[name=username]").fill("V-1")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main .btn").click()

    expect(page.locator("#tiles h3")).to_have_count(4)
    expect(page.locator("#waiting")).to_have_text("Nothing waits.")


TURN: list[dict[str, object]] = [
    {"type": "deal", "deal": "1"},
    {"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"},
    {"type": "bet", "bet": "b", "seat": 2, "rank": "K", "amount": "1000"},
    {"type": "card", "card": "QH"},
    {"type": "card", "card": "2S"},
]


def test_a_table_s_page_follows_its_shift_turn_by_turn_inside_the_band(pit: Page) -> None:
    door.record_for_house("Stos-1", door.vouch(TURN, author="P-1"))
    pit.clock.install()
    pit.reload()
    name = pit.locator("[data-table='Stos-1'] h3 a")
    expect(pit.locator("[data-table='Stos-1'] .win b")).to_have_text("+500")
    name.hover()
    pit.clock.pause_at(pit.evaluate("Date.now() + 1000"))
    pit.mouse.down()
    pit.clock.run_for(1100)  # meanwhile the tile's age has changed, under the finger
    pit.mouse.up()
    pit.clock.resume()
    pit.wait_for_url(re.compile("/pit/Stos-1/$"))

    expect(pit.locator("#result")).to_have_text(re.compile(r"^\+500 exp\. \+\d+ ± \d+ few turns z [+−]\d"))
    assert pit.locator(".curve .line").get_attribute("d").count("V") == 1
    more: list[dict[str, object]] = [{"type": "card", "card": "KS"}, {"type": "card", "card": "KD"}]
    door.record_for_house("Stos-1", door.vouch(more, author="P-1"))

    expect(pit.locator("#result")).to_have_text(re.compile(r"^\+1\u202f500 "))
    expect(pit.locator("#now tbody tr").first).to_have_text("2 splitK♦K♠1\u202f0000+1\u202f000")
    assert pit.locator(".curve .line").get_attribute("d").count("V") == 2
    expect(pit.locator("#journal tbody tr").first).to_have_text(re.compile("^9Card K♦P-1"))
    expect(pit.locator("#ranks tbody tr")).to_have_text(["Q1500+500+3–", "K11\u202f000+1\u202f000+11–"])


def test_a_table_is_paused_and_its_limits_changed_from_its_page_by_pin(pit: Page) -> None:
    pit.locator("[data-table='Stos-1'] h3 a").click()
    pit.locator("[data-deed=pause]").click()
    press(pit, PINS["P-1"])

    expect(pit.locator("[data-deed=resume]")).to_be_visible()
    expect(pit.locator("#asked")).to_be_hidden()
    assert [line["type"] for line in export_log("Stos-1", floor=True)][-1] == "pause"

    # Limits change by two: his PIN asks, a shift manager's approves.
    pit.locator("[data-deed=limits]").click()
    pit.locator("[data-limit=max]").fill("50")
    press(pit, PINS["P-1"])
    expect(pit.locator("#asked")).to_have_text(re.compile("bad_rules"))
    pit.locator("[data-limit=max]").fill("20 000")
    press(pit, PINS["P-1"])
    expect(pit.locator("#asked")).to_have_text("maximum 20000: waits for a shift manager.")
    waits = Approval.objects.get()
    manager = author("C-1", "shift_manager")
    asking.decide(waits.pk, manager, "approved", None, timezone.now())
    expect(pit.locator("#what")).to_have_text(re.compile("100–20k KZT"))


# Counts the tones that a page begins to play.
COUNTING_TONES = """
const start = AudioScheduledSourceNode.prototype.start;
window.tones = 0;
AudioScheduledSourceNode.prototype.start = function () { window.tones += 1; return start.call(this); };
null;
"""


def test_an_alert_is_heard_if_red_and_wanted_seen_with_one_tap_and_a_note_may_follow(pit: Page) -> None:
    table = Table.objects.get(code="Stos-1")
    now = timezone.now()

    def alert(kind: str, level: str) -> None:
        Alert.objects.create(
            casino_id=table.casino_id, table=table, kind=kind, key="1", level=level, value=1, limit=2, since=now,
            raised_at=now,
        )  # fmt: skip
        live.tell_on_commit(table.pk, 0)

    pit.evaluate(COUNTING_TONES)
    pit.locator("#sound").click()
    expect(pit.locator("#sound")).to_have_attribute("aria-pressed", "true")
    assert pit.evaluate("window.tones") == 1  # so that one knows it
    alert("float_low", "amber")
    expect(pit.locator("#alert-count")).to_have_text("1")
    assert pit.evaluate("window.tones") == 1
    pit.locator("[data-see]").click()
    expect(pit.locator("#alert-count")).to_have_text("0")
    pit.locator("[data-note]").click()  # nothing to add

    alert("silent", "red")
    expect(pit.locator("[data-table='Stos-1'] .why")).to_have_text(re.compile("Console silent since"))
    expect(pit.locator("#alert-count")).to_have_text("1")
    assert pit.evaluate("window.tones") == 2
    pit.locator("[data-see]").click()
    pit.locator("#note").fill("battery")
    alert("slow", "amber")
    expect(pit.locator("#alert-count")).to_have_text("1")
    expect(pit.locator("#note")).to_be_focused()
    with pit.expect_response(re.compile("/seen$")):
        pit.locator("[data-note]").click()

    pit.locator("[data-see]").click()
    expect(pit.locator("#alert-count")).to_have_text("0")
    expect(pit.locator("[data-table='Stos-1'] .why")).to_have_count(0)
    kept = Alert.objects.get(kind="silent")
    assert (kept.seen_by, kept.seen_name, kept.note) == ("P-1", "O. Orlova", "battery")


@pytest.mark.parametrize("language", ["en", "ru"])
def test_axe_finds_nothing_on_the_floor_its_tables_and_its_lists(
    pit: Page, live_server: LiveServer, language: str
) -> None:
    door.record_for_house("Stos-1", door.vouch(TURN, author="P-1"))
    table = Table.objects.get(code="Stos-1")
    now = timezone.now()
    for kind, level in (("silent", "red"), ("float_low", "amber")):
        Alert.objects.create(
            casino_id=table.casino_id, table=table, kind=kind, key="1", level=level, value=1, limit=2, since=now,
            raised_at=now,
        )  # fmt: skip
    asking.ask("Private-1", "rules", {"change": {"max": "60000"}}, id=uuid.uuid4(), author=author("P-1"), now=now)
    if language == "ru":
        pit.locator("[name=language]").click()
    there = {"/pit/": "[data-see]", "/pit/Stos-1/": "#journal td", "/pit/Pharaon-1/": "#now p"}
    found = {}
    for address in (*there, "/luck/", "/alerts/", "/hours/"):
        pit.goto(live_server.url + address)
        pit.locator(there.get(address, "h1")).first.wait_for()
        if address == "/pit/Pharaon-1/":
            pit.locator("[data-deed=limits]").click()
            pit.locator("[data-limit=max]").wait_for()
        found[address] = barriers(pit)
        pit.locator("[data-theme-switch]").click()
        found[address] += barriers(pit)
    assert found == {address: [] for address in found}
