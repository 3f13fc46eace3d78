"""What the next shift has to see to, and which alerts nobody has acknowledged, stand on the shift report."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from audit.reports.shift_report import OPEN
from tables.actions import alerts, cage, notes
from tables.models import Alert
from tests.audit.test_pages import squeezed, text_of
from tests.audit.test_revisions import table  # noqa: F401 # fixture
from tests.tables.a_game import bet
from tests.tables.a_house import T0

pytestmark = pytest.mark.django_db


def test_a_shift_hands_over_what_is_under_way_and_what_nobody_has_seen(table):  # noqa: F811
    house = table.house
    table.open(c1000=40)  # low below 50 000
    cage.attach_box("S", "BOX-7", author=table["I-1"], second=table["D-1"], now=T0)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"))
    told = datetime.now(UTC)
    cage.request_slip("S", "fill", {"1000": 20}, id=uuid4(), author=table["I-1"], now=told)
    notes.write_note(
        house.casino_id, "incident", "Lamp <b>out</b> over seat 3", id=uuid4(), happened_at=told, table="S",
        author=table["S-1"], now=told,
    )  # fmt: skip
    alerts.watch(timezone.now())
    day = table.books().gaming_date
    with transaction.atomic():
        serial = actions.request_report(Wish("shift_report", "en", gaming_date=day), author=None, now=told)
    report_id = Report.objects.get(serial=serial).pk

    report = queries.shift_report(report_id, datetime.now(UTC))
    (left,) = report.handed_over()
    assert (left.spell.closed_at, left.float_minor) == (None, 4_000_000)
    assert [slip.state for slip in left.slips] == ["requested"]
    assert [box.state for box in left.boxes] == ["attached"]
    assert {duty.number for duty in left.duties} == {"D-1"}
    assert [note.text for note in report.floor.notes] == ["Lamp <b>out</b> over seat 3"]
    assert [(each.kind, each.name) for each in report.floor.alerts] == [("float_low", "S")]
    (remark,) = (each for each in report.exceptions if each.code == "alert")
    assert (remark.table, remark.count, remark.code in OPEN) == ("S", 1, True)
    for language, expected in (
        ("en", ("11Handover", "opensince", "Fill–:requested;boxBOX-7:onthetable", "1alertnotacknowledged",
                "Floatlow:40000.00of50000.00", "Lamp<b>out</b>overseat3", "Takenover")),
        ("ru", ("11Передачасмены", "открытс", "ящикBOX-7:настоле", "1тревоганеподтверждена", "Принял")),
    ):  # fmt: skip
        text = squeezed(text_of(report, language)).replace("\u202f", "")
        for words in expected:
            assert words in text, words

    alerts.see(Alert.objects.get().pk, author=table["P-1"], note="", now=timezone.now())
    report = queries.shift_report(report_id, datetime.now(UTC))
    assert report.floor.alerts == []
    assert [each for each in report.exceptions if each.code == "alert"] == []
