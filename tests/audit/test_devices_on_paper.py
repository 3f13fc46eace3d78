"""The papers say which devices were off line, whose clock was wrong, who failed to log in, what was paid wrongly."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pypdf
import pytest
from django.db import transaction
from django.test import Client

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from tables.queries.devices import fared
from tests.audit.test_verify_journal import behind_the_back
from tests.tables.a_game import Tablet, a_game, bet, card, statuses

NEW_DEAL = {"type": "deal", "deal": "1"}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def files(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path
    settings.CELERY_BROKER_URL = ""
    # The renewing thread has a connection of its own, which does not see what a test has not committed.
    monkeypatch.setattr(actions, "RENEW_SECONDS", 3600)


def printed(wish: Wish) -> str:
    with transaction.atomic():
        serial = actions.request_report(wish, author=None, now=datetime.now(UTC))
    assert actions.make(Report.objects.get(serial=serial).pk, now=datetime.now(UTC))
    file = queries.file_of(queries.report_by_serial(serial)).read_bytes()
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(BytesIO(file)).pages)
    return " ".join(text.replace("\u2009", " ").split())


def stamps(*, kept_for: timedelta = timedelta(), fast_by: timedelta = timedelta()) -> dict[str, str]:
    """What a device says that kept an event for a while and whose clock is wrong."""
    now = datetime.now(UTC) + fast_by
    return {"at": (now - kept_for).isoformat(), "sent_at": now.isoformat()}


def say(dealer: Tablet, event: dict[str, Any], **said: str) -> None:
    """Send one event with stamps of its own."""
    answer = dealer.post([dealer.envelope(event, **said)]).json()
    assert statuses(answer["answers"]) == ["recorded"]
    dealer.after = answer["after"]


def test_events_kept_by_a_device_are_one_spell_off_line_and_its_clock_is_what_it_says_beyond_ours():
    dealer = a_game()
    begun = datetime.now(UTC) - timedelta(hours=1)
    # What is said to have happened before the sign-on is not believed.
    behind_the_back("UPDATE tables_signon SET started_at = started_at - interval '1 hour'")
    say(dealer, NEW_DEAL, **stamps())
    for minutes, name, rank in ((10, "a", "Q"), (8, "b", "K"), (6, "c", "J")):
        say(dealer, bet(name, 1, rank, "500"), **stamps(kept_for=timedelta(minutes=minutes)))
    spells, clocks = fared([dealer.house.tables["S"]], begun, datetime.now(UTC) + timedelta(hours=1))
    (spell,) = spells
    assert (spell.table, spell.device, spell.event_count) == ("S", dealer.device, 3)
    assert timedelta(minutes=10) <= spell.until - spell.since < timedelta(minutes=11)
    assert clocks == ()
    say(dealer, bet("d", 2, "Q", "500"), **stamps(fast_by=timedelta(minutes=7)))
    _spells, (clock,) = fared([dealer.house.tables["S"]], begun, datetime.now(UTC) + timedelta(hours=1))
    assert round(clock.largest.total_seconds()) in (419, 420)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ("Devices off line, and clocks that differ", "Log-ins that failed", "Mispays", "collected 500 0 +500")),
        ("ru", ("Устройства без связи и расхождения часов", "Неудачные входы", "Ошибки выплат", "собрана 500 0 +500")),
    ],
)
def test_the_shift_report_prints_them_and_the_audit_the_mispays(language, expected):
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), bet("b", 2, "K", "500"))
    dealer.send(card("KS"), card("QS"))
    dealer.send({"type": "mispay", "bet": "b", "way": "take", "shown": "500", "done": "0", "recovered": False})
    for _ in range(6):
        Client().post("/login/", {"username": "A-1", "password": "wrong"})
    day = queries.last_gaming_date("S")
    text = printed(Wish("shift_report", language, gaming_date=day))
    for words in expected:
        assert words in text, words
    assert "A-1 127.0.0.1 5" in text
    audit = printed(Wish("payout_audit", language, table="S"))
    assert expected[-1] in audit
