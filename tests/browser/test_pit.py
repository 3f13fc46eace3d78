"""The live floor: what a pit boss sees, how live it is, and what waits for his PIN."""

import re
import time
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tables import live
from tables.actions import door
from tables.models import Alert, Table
from tables.queries.log import export_log
from tests.browser.a_desk import Desk
from tests.browser.a_floor import PASSWORD, PINS, Floor
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


def test_a_turn_at_a_table_is_on_its_tile_within_two_seconds(pit: Page, desk: Callable[..., Desk]) -> None:
    at = desk("Stos-1")
    at.play({"type": "deal", "deal": "1"}, "keys")
    at.play({"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"}, "keys")
    at.play({"type": "bet", "bet": "b", "seat": 2, "rank": "K", "amount": "1000"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "2S"}, "keys")

    tile = pit.locator("[data-table='Stos-1']")
    expect(tile.locator(".win b")).to_have_text("+500", timeout=2500)
    expect(tile).to_have_text(re.compile(r"K\. Bekov|L\. Weber"))
    expect(tile).to_have_text(re.compile("on the cloth 1\u202f000.*deal 1 turn 1"))


def test_a_floor_cut_off_for_a_minute_while_500_events_happen_says_so_and_is_right_again_when_it_hears(
    pit: Page, streaming: Streaming
) -> None:
    expect(pit.locator("#live")).to_have_text(re.compile(r"● live \d\.\d s"))

    pit.context.set_offline(True)
    streaming.stop()
    events: list[dict[str, object]] = [{"type": "deal", "deal": "1"}]
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
    for first in range(0, 500, 50):
        door.record_for_house("Stos-1", door.vouch(events[first : first + 50], author="P-1"))
        pit.wait_for_timeout(max(0, 1000 * (began + 6 * (first / 50 + 1) - time.monotonic())))
    assert time.monotonic() - began >= 60

    expect(pit.locator("#live")).to_have_text(re.compile(r"not live since \d\d:\d\d"), timeout=15000)
    assert pit.locator("#tiles h3").count() == 4
    expect(pit.locator("[data-table='Stos-1'] .win b")).to_have_text("0")

    pit.context.set_offline(False)
    streaming.start()
    expect(pit.locator("#live")).to_have_text(re.compile(r"● live \d\.\d s"), timeout=15000)
    shown = pit.evaluate("fetch('/api/floor').then((answer) => answer.json())")["tables"]
    stos = next(table for table in shown if table["table"] == "Stos-1")
    assert stos["sequence"] == 2 + 500
    tile = pit.locator("[data-table='Stos-1']")
    win = f"{stos['game_win_minor'] // 100:+,}".replace(",", "\u202f").replace("-", "−")
    expect(tile.locator(".win b")).to_have_text(win, timeout=5000)
    handle = f"{stos['handle_minor'] // 100:,}".replace(",", "\u202f")
    expect(tile).to_have_text(re.compile(f"turns {stos['turns']}.*handle {handle}"))
    assert (stos["turns"], stos["bets"], stos["handle_minor"]) == (99, 300, 300 * 50000)  # each event once
    for table in shown:
        other = f"{table['game_win_minor'] // 100:+,}".replace(",", "\u202f").replace("-", "−").replace("+0", "0")
        expect(pit.locator(f"[data-table='{table['table']}'] .win b")).to_have_text(other)


def test_a_floor_whose_stream_has_gone_asks_for_itself(
    pit: Page, streaming: Streaming, desk: Callable[..., Desk]
) -> None:
    expect(pit.locator("#live")).to_have_text(re.compile(r"● live"))
    streaming.stop()

    desk("Stos-1").play({"type": "deal", "deal": "1"}, "keys")

    expect(pit.locator("[data-table='Stos-1']")).to_have_text(re.compile("deal 1"), timeout=12000)
    expect(pit.locator("#live")).to_have_text(re.compile(r"● live"))


def test_ten_tabs_of_a_browser_share_one_stream_and_all_of_them_live(pit: Page, streaming: Streaming) -> None:
    tabs = [pit, *(pit.context.new_page() for _ in range(9))]
    for tab in tabs[1:]:
        tab.goto(pit.url)
    door.record_for_house("Stos-1", door.vouch([{"type": "deal", "deal": "1"}], author="P-1"))

    for tab in tabs:
        expect(tab.locator("[data-table='Stos-1']")).to_have_text(re.compile("deal 1"), timeout=5000)
    assert streaming.viewers() == 1


def test_a_correction_is_approved_from_the_floor_with_six_digits(pit: Page, desk: Callable[..., Desk]) -> None:
    at = desk("Stos-1")
    at.play({"type": "deal", "deal": "1"}, "keys")
    at.play({"type": "card", "card": "QH"}, "keys")
    at.play({"type": "card", "card": "9S"}, "keys")
    at.tap("#act [data-deed=correction]")
    at.page.locator("[name=card]").select_option("9C")
    at.page.locator("[name=reason]").fill("misread")
    at.tap("[data-form=correction] .btn:not([data-deed])").settled()

    expect(pit.locator("#waiting-count")).to_have_text("1", timeout=2500)
    expect(pit.locator("#waiting")).to_have_text(re.compile("card 2 is 9♣"))
    pit.locator("[data-verdict=approve]").click()
    for digit in PINS["P-1"]:
        pit.locator(f"[data-pin='{digit}']").click()

    expect(pit.locator("#waiting-count")).to_have_text("0", timeout=2500)
    assert [line["type"] for line in export_log("Stos-1")][-1] == "correct"


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
    expect(pit.locator("[data-table='Stos-1'] .win b")).to_have_text("+500", timeout=2500)
    pit.locator("[data-table='Stos-1'] h3 a").click()

    expect(pit.locator("#result")).to_have_text(re.compile(r"^\+500 exp\. \+\d+ ± \d+ few turns z [+−]\d"))
    assert pit.locator(".curve .line").get_attribute("d").count("V") == 1
    more: list[dict[str, object]] = [{"type": "card", "card": "KS"}, {"type": "card", "card": "KD"}]
    door.record_for_house("Stos-1", door.vouch(more, author="P-1"))

    expect(pit.locator("#result")).to_have_text(re.compile(r"^\+1\u202f500 "), timeout=2500)
    expect(pit.locator("#now tbody tr").first).to_have_text("2 splitK♦K♠1\u202f0000+1\u202f000")
    assert pit.locator(".curve .line").get_attribute("d").count("V") == 2
    expect(pit.locator("#journal tbody tr").first).to_have_text(re.compile("^9Card K♦P-1"))
    expect(pit.locator("#ranks tbody tr")).to_have_text(["Q1500+500", "K11\u202f000+1\u202f000"])


def test_a_table_is_paused_from_its_page_with_one_tap_and_six_digits(pit: Page) -> None:
    pit.locator("[data-table='Stos-1'] h3 a").click()
    pit.locator("[data-deed=pause]").click()
    for digit in PINS["P-1"]:
        pit.locator(f"[data-pin='{digit}']").click()

    expect(pit.locator("[data-deed=resume]")).to_be_visible(timeout=5000)
    expect(pit.locator("#asked")).to_be_hidden()
    assert [line["type"] for line in export_log("Stos-1", floor=True)][-1] == "pause"


def test_an_alert_is_seen_with_one_tap_and_a_note_may_follow(pit: Page) -> None:
    table = Table.objects.get(code="Stos-1")
    now = timezone.now()
    Alert.objects.create(
        casino_id=table.casino_id, table=table, kind="silent", key="1", level="red", since=now, raised_at=now
    )
    live.tell_on_commit(table.pk, 0)
    expect(pit.locator("[data-table='Stos-1'] .why")).to_have_text(re.compile("Console silent since"), timeout=5000)
    pit.locator("[data-see]").click()
    pit.locator("#note").fill("battery")
    pit.locator("[data-note]").click()

    expect(pit.locator("#alert-count")).to_have_text("0")
    expect(pit.locator("[data-table='Stos-1'] .why")).to_have_count(0, timeout=5000)
    pit.wait_for_function("fetch('/api/alerts').then((answer) => answer.json()).then((all) => all.length === 0)")
    kept = Alert.objects.get()
    assert (kept.seen_by, kept.seen_name, kept.note) == ("P-1", "O. Orlova", "battery")


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_on_a_table_s_page(pit: Page, live_server: LiveServer, language: str, theme: str) -> None:
    door.record_for_house("Stos-1", door.vouch(TURN, author="P-1"))
    pit.goto(f"{live_server.url}/pit/Stos-1/")
    pit.locator("#journal td").first.wait_for()
    if language == "ru":
        pit.locator("[name=language]").click()
        pit.locator("#journal td").first.wait_for()
    if theme == "light":
        pit.locator("[data-theme-switch]").click()
    result = Axe().run(pit)

    assert result.response["passes"], "axe looked at nothing"
    assert [each["id"] for each in result.response["violations"]] == []


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_on_the_floor(pit: Page, language: str, theme: str) -> None:
    if language == "ru":
        pit.locator("[name=language]").click()
    if theme == "light":
        pit.locator("[data-theme-switch]").click()
    pit.locator("#tiles article .win").first.wait_for()

    result = Axe().run(pit)

    assert result.response["passes"], "axe looked at nothing"
    assert [each["id"] for each in result.response["violations"]] == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_nothing_on_the_floor_s_lists_and_on_a_floor_with_alerts(
    pit: Page, live_server: LiveServer, theme: str
) -> None:
    door.record_for_house("Stos-1", door.vouch(TURN, author="P-1"))
    table = Table.objects.get(code="Stos-1")
    now = timezone.now()
    for kind, level in (("silent", "red"), ("float_low", "amber")):
        Alert.objects.create(
            casino_id=table.casino_id, table=table, kind=kind, key="1", level=level, value=1, limit=2, since=now,
            raised_at=now,
        )  # fmt: skip
    if theme == "light":
        pit.locator("[data-theme-switch]").click()
    found = {}
    for address in ("/pit/", "/luck/", "/alerts/", "/hours/"):
        pit.goto(live_server.url + address)
        if address == "/pit/":
            pit.locator("[data-see]").first.wait_for()
        result = Axe().run(pit)
        assert result.response["passes"], "axe looked at nothing"
        found[address] = [each["id"] for each in result.response["violations"]]
    assert found == {"/pit/": [], "/luck/": [], "/alerts/": [], "/hours/": []}
