"""A paper is a draft, final or superseded; what arrives late makes a new one and never changes the old."""

import re
from datetime import UTC, datetime

import pytest
from django.db import transaction
from django.test import Client

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from audit.refusals import ReportRefused
from tables.actions import cage, shifts
from tables.models import Entry
from tests.tables.a_cage import Cage, a_cage
from tests.tables.a_house import T0

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(settings, tmp_path, monkeypatch) -> Cage:
    settings.MEDIA_ROOT = tmp_path
    settings.CELERY_BROKER_URL = ""
    # The renewing thread has a connection of its own, which does not see what a test has not committed.
    monkeypatch.setattr(actions, "RENEW_SECONDS", 3600)
    return a_cage()


def made(of, kind="shift_report", **scope):
    """Ask for a report, make it, and return how it stands."""
    with transaction.atomic():
        serial = actions.request_report(Wish(kind, "en", **scope), author=of["S-1"], now=datetime.now(UTC))
    assert actions.make(Report.objects.get(serial=serial).pk, now=datetime.now(UTC))
    return queries.report_by_serial(serial)


def words(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.content.decode()))


def test_a_report_of_a_shift_is_a_draft_then_final_and_superseded_by_what_arrives_late(table):
    table.open(c1000=80)
    box = cage.attach_box("S", "BOX-7", author=table["I-1"], second=table["D-1"], now=T0).id
    books = table.books()
    shift = {"gaming_date": books.gaming_date, "shift": books.shift}
    draft = made(table, **shift)
    assert (draft.status, draft.revision) == ("draft", 0)

    cage.remove_box(box, author=table["I-1"], second=table["D-1"], now=T0)
    table.close(c1000=80)
    now = datetime.now(UTC)
    shifts.close_shift(table.house.casino_id, books.gaming_date, books.shift, author=table["S-1"], now=now)
    first = made(table, **shift)
    assert (first.status, first.revision) == ("final", 1)
    paper = queries.file_of(first).read_bytes()

    # The box is brought to the count room and counted the next morning: two things that the paper does not know.
    cage.receive_box(box, author=table["N-1"], second=table["I-1"], now=T0)
    cage.count_box(box, {100_000: 5}, author=table["N-1"], second=table["N-2"], now=T0)
    old = queries.report_by_serial(first.serial)
    assert (old.status, old.successor) == ("superseded", "")
    second = made(table, **shift)
    assert (second.status, second.revision) == ("final", 3)
    old = queries.report_by_serial(first.serial)
    assert (old.status, old.revision, old.successor) == ("superseded", 1, second.serial)
    assert queries.file_of(old).read_bytes() == paper

    said = queries.shift_report(second.id, now).floor
    assert list(said.replaces) == [first.serial]
    assert [each.what for each in said.amendments] == ["box_received", "box_counted"]
    kept = [entry.text for entry in Entry.objects.filter(type="report").order_by("sequence")]
    assert [re.findall('"(?:revision|stage)":("?[a-z0-9]+)', text) for text in kept] == [
        ["0", '"draft'],
        ["1", '"final'],
        ["3", '"final'],
    ]
    answer = words(Client().get(f"/verify/{first.serial}"))
    assert "It is superseded" in answer
    assert second.serial in answer
    assert "superseded" not in words(Client().get(f"/verify/{second.serial}"))


def test_an_audit_of_a_deal_that_is_being_played_is_a_draft(table):
    table.open(c1000=80)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"})
    assert made(table, "payout_audit", table="S").status == "draft"
    tablet.send({"type": "end"})
    final = made(table, "payout_audit", table="S")
    assert (final.status, final.revision) == ("final", 1)


def test_a_report_is_not_asked_for_of_a_shift_that_its_day_has_not(table):
    table.open(c1000=80)
    with pytest.raises(ReportRefused) as refused:
        made(table, gaming_date=table.books().gaming_date, shift=7)
    assert refused.value.code == "bad_scope"
