"""Lists for people and machines: results by the hour, sheets that run no formula, metrics and health."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction
from django.test import Client, RequestFactory
from django.utils import timezone

from tables.actions import door, odds
from tables.actions.house import create_table
from tables.models import Alert, Pit, Table
from tables.pages.sheet import Cell, sheet
from tests.tables.a_game import STOS, Tablet, a_game, bet, card

pytestmark = pytest.mark.django_db


def lines(answer: Any, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=delimiter))


def an_hour_apart() -> tuple[Tablet, datetime]:
    """Two turns in one hour, one in the next: the house wins 500, pays 200, wins 100."""
    tablet = a_game()
    now = timezone.now()
    first = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)

    def play(*events: dict[str, Any], at: datetime) -> None:
        door.record_for_house("S", door.vouch(events, author="D-1", happened_at=at))

    play({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), bet("b", 2, "K", "200"), at=first)
    play(card("QS"), card("3H"), card("4S"), card("KH"), {"type": "end"}, at=first + timedelta(minutes=30))
    play({"type": "deal", "deal": "2"}, bet("c", 1, "7"), card("7C"), card("8C"), at=first + timedelta(minutes=70))
    return tablet, first


@pytest.mark.parametrize("kept", [False, True])
def test_a_turn_counts_in_the_hour_in_which_its_second_card_lay(kept):
    tablet, first = an_hour_apart()
    if kept:
        odds.keep_odds()
    found = tablet.house.session("P-1").get("/api/hours").json()

    hours = [(datetime.fromisoformat(each["hour"]).astimezone(UTC), each["turns"], each["win_minor"]) for each in found]
    assert hours == [(first, 2, 30000), (first + timedelta(hours=1), 1, 10000)]
    table = tablet.house.session("P-1").get("/api/floor").json()["tables"]
    tile = next(each for each in table if each["table"] == "S")
    assert sum(each["win_minor"] for each in found) == tile["game_win_minor"]
    assert abs(sum(each["expected_minor"] for each in found) - tile["expected_minor"]) <= 1


def test_a_day_adds_up_by_pit_and_game_currency_by_currency_before_anything_is_rounded():
    tablet, first = an_hour_apart()
    other = {**STOS, "table": "E", "currency": "EUR"}
    with transaction.atomic():
        pit = Pit.objects.select_related("casino").get(name="high")
        create_table(pit.casino, pit, other)
    play = [other, {"type": "open"}, {"type": "deal", "deal": "1"}, bet("a", 1, "Q", "300"), card("QS"), card("3H")]
    door.record_for_house("E", door.vouch(play, author="D-1"))
    auditor = tablet.house.session("A-1")

    def day(by: str) -> dict[str, Any]:
        return dict(auditor.get(f"/api/hours?by={by}").json())

    found = day("pit")
    assert [(each["name"], each["currency"], each["total"], each["turns"], each["win_minor"])
            for each in found["parts"]] == [
        ("high", "EUR", False, 1, 30000), ("", "EUR", True, 1, 30000),
        ("main", "RUB", False, 3, 40000), ("", "RUB", True, 3, 40000),
    ]  # fmt: skip
    main = found["parts"][2]
    assert dict(zip(found["hours"], main["hours_minor"], strict=True)) == {
        hour: {first: 30000, first + timedelta(hours=1): 10000}.get(datetime.fromisoformat(hour))
        for hour in found["hours"]
    }
    tile = next(each for each in auditor.get("/api/floor").json()["tables"] if each["table"] == "S")
    assert main["expected_minor"] == tile["expected_minor"]
    assert [each["name"] for each in day("game")["parts"]] == ["stos", "", "stos", ""]
    assert auditor.get("/api/hours?by=dealer").status_code == 400


def test_hours_are_a_page_by_table_pit_and_game_and_a_sheet():
    tablet, _first = an_hour_apart()
    boss = tablet.house.session("P-1")
    for way, name in (("table", "S"), ("pit", "main"), ("game", "Stos")):
        page = boss.get(f"/hours/?by={way}").content.decode()
        assert f">{name} " in page
        assert "<b>400</b>" in page
    rows = lines(boss.get("/hours/day.csv"))
    assert rows[0][:4] == ["gaming_date", "hour", "pit", "table"]
    assert [row[2:9] for row in rows[1:]] == [
        ["main", "S", "stos", "RUB", "2", "0", "300.00"],
        ["main", "S", "stos", "RUB", "1", "0", "100.00"],
    ]  # fmt: skip
    russian = boss.get("/hours/day.csv?profile=ru")
    assert russian.content.startswith(b"\xef\xbb\xbfgaming_date;hour;")
    assert lines(russian, ";")[1][8] == "300,00"


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\ufeff=1"),
        # Behind what nobody sees, and in the wide signs that an Asian spreadsheet takes for the narrow ones.
        *("\xa0=1", "\u200b+1", "\uff1d1+1", " \uff0d1"),
    ],
)
def test_a_sheet_runs_no_formula(text):
    (row,) = lines(sheet(RequestFactory().get("/"), "x", [], [[text, "plain", "=ok"[1:]]]))[1:]
    assert row == [f"'{text}", "plain", "ok"]


def test_in_a_sheet_numbers_stay_numbers_in_either_profile():
    row: list[Cell] = [-5, Decimal("-12.50"), None, Decimal("0.00"), datetime(2026, 1, 31, 7, 5, tzinfo=UTC)]
    english = sheet(RequestFactory().get("/"), "x", ["a"], [row])
    russian = sheet(RequestFactory().get("/?profile=ru"), "x", ["a"], [row])
    assert lines(english)[1] == ["-5", "-12.50", "", "0.00", "2026-01-31 07:05:00+00:00"]
    assert lines(russian, ";")[1][:4] == ["-5", "-12,50", "", "0,00"]


def test_the_floor_its_alerts_and_what_is_judged_are_sheets_with_the_api_s_figures():
    tablet, _first = an_hour_apart()
    Table.objects.filter(code="S").update(name="=cmd")
    now = timezone.now()
    Alert.objects.create(
        casino_id=tablet.house.casino_id, table_id=tablet.house.tables["S"], kind="float_low", key="1", level="amber",
        value=4_900_000, limit=5_000_000, raised_at=now,
    )  # fmt: skip
    boss = tablet.house.session("P-1")
    floor = lines(boss.get("/pit/floor.csv"))
    row = dict(zip(floor[0], next(row for row in floor[1:] if row[0] == "S"), strict=True))
    assert (row["name"], row["game_win"], row["turns"], row["state"]) == ("'=cmd", "400.00", "3", "open")
    (alert,) = lines(boss.get("/alerts/day.csv"))[1:]
    assert alert[1:6] == ["S", "float_low", "amber", "49000.00", "50000.00"]
    luck = lines(boss.get("/luck/luck.csv"))
    assert ["win", "table", "S", "RUB", "3", "400.00"] in [row[:6] for row in luck]
    for figure in (row["z"], row["splits_expected"], *(each[8] for each in luck[1:])):
        assert re.fullmatch(r"(-?\d+\.\d+)?", figure), "a figure, below zero or not, stays a number"
    assert tablet.house.session("D-1").get("/pit/floor.csv").status_code == 403


def test_every_list_of_a_table_s_page_is_a_sheet_and_the_day_s_sums_too():
    tablet, first = an_hour_apart()
    boss = tablet.house.session("P-1")

    def rows(name: str) -> list[list[str]]:
        return lines(boss.get(f"/pit/S/{name}.csv"))

    curve = rows("curve")
    assert curve[0] == ["at", "deal", "turn", "pocket", "split", "win", "expected", "deviation"]
    assert [row[1:6] for row in curve[1:]] == [
        ["1", "1", "0", "0", "500.00"], ["1", "2", "0", "0", "300.00"], ["2", "1", "0", "0", "400.00"],
    ]  # fmt: skip
    assert [row[1:3] + row[4:7] for row in rows("ranks")[1:]] == [
        ["K", "1", "200.00", "200.00", "-200.00"], ["7", "1", "100.00", "100.00", "100.00"],
        ["Q", "1", "500.00", "500.00", "500.00"],
    ]  # fmt: skip
    assert rows("entries")[1][:3] == ["14", "card", "D-1"]
    assert {name: len(rows(name)) for name in ("seats", "people", "chips", "slips")} == {
        "seats": 3, "people": 2, "chips": 1, "slips": 1,
    }  # fmt: skip
    assert [boss.get(address).status_code for address in ("/pit/S/bets.csv", "/pit/Z/curve.csv")] == [404, 404]

    hour, next_hour = (f"{first + timedelta(hours=3 + n):%Y-%m-%d %H:%M}" for n in (0, 1))  # Moscow's
    games = lines(boss.get("/hours/day.csv?by=game"))
    assert games[0][1:6] == ["game", "currency", "total", hour, next_hour]
    assert [row[1:6] for row in games[1:]] == [
        ["stos", "RUB", "0", "300.00", "100.00"], ["", "RUB", "1", "300.00", "100.00"],
    ]  # fmt: skip


def test_metrics_are_for_whoever_has_the_token_and_name_nobody(settings):
    an_hour_apart()
    assert Client().get("/metrics").status_code == 404
    settings.METRICS_TOKEN = "s3cret"
    assert Client().get("/metrics", headers={"Authorization": "Bearer other"}).status_code == 404
    answer = Client().get("/metrics", headers={"Authorization": "Bearer s3cret"})
    text = answer.content.decode()

    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'casino_tables{state="open"} 1\n' in text
    assert 'casino_signons{role="dealer"} 1\n' in text
    assert "# TYPE casino_journal_entries_total counter\n" in text
    assert "casino_tables_without_kept_odds 1\n" in text
    odds.keep_odds()
    again = Client().get("/metrics", headers={"Authorization": "Bearer s3cret"}).content.decode()
    assert "casino_tables_without_kept_odds 0\n" in again
    assert "D-1" not in text


def test_health_says_whether_the_process_answers_and_whether_people_can_be_served():
    assert Client().get("/health/alive").content == b"ok\n"
    assert Client().get("/health/ready").status_code == 200


def test_machines_probe_over_plain_http_where_people_are_led_to_https(settings):
    settings.SECURE_SSL_REDIRECT, settings.METRICS_TOKEN = True, "s3cret"
    plain = Client()
    assert plain.get("/health/alive").content == b"ok\n"
    assert plain.get("/health/ready").status_code == 200
    assert plain.get("/metrics", headers={"Authorization": "Bearer s3cret"}).status_code == 200
    led = plain.get("/pit/")
    assert (led.status_code, led.headers["Location"]) == (301, "https://testserver/pit/")
