"""The data that a paper was printed from is kept with it, prints the same paper again, and can be had of any moment."""

import gzip
import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from uuid import uuid4

import pypdf
import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from audit import actions, frozen, queries
from audit.actions import Wish
from audit.as_it_stood import CAME_WITH, COUNTED, MOVED, NOT_READ, as_it_stood, say_live
from audit.models import Report
from audit.refusals import ReportRefused
from audit.reports.payout_audit import PayoutAudit
from audit.reports.shift_report import ShiftReport
from tables.actions import alerts, cage, disputes, notes, shifts
from tables.management.commands.grant import grants
from tables.models import Alert, Entry, Journal
from tables.models.kinds import Fact
from tests.audit import samples
from tests.audit.test_pages import HOSTILE, squeezed, text_of
from tests.audit.test_revisions import made, table  # noqa: F401 # fixture
from tests.tables.a_game import bet, card
from tests.tables.a_house import PIN, T0

ORIGIN = frozen.Origin("X", "x", "en", "UTC", "1", "b")
REPORTS = [
    (PayoutAudit, samples.payout_audit(300, reason=HOSTILE)),
    (ShiftReport, samples.shift_report(6, counted=True)),
    (ShiftReport, samples.shift_report_of(HOSTILE, name=HOSTILE)),
]


def kept(report) -> bytes:
    file = BytesIO()
    frozen.freeze(report, ORIGIN, file)
    return file.getvalue()


@pytest.mark.parametrize(("kind", "report"), REPORTS)
def test_what_is_kept_of_a_report_prints_the_same_pages(kind, report):
    again = frozen.thaw(kind, BytesIO(kept(report)))
    assert kept(again) == kept(report)
    assert frozen.origin_of(BytesIO(kept(report))) == ORIGIN
    for language in ("en", "ru"):
        assert text_of(again, language) == text_of(report, language)


def test_what_is_kept_is_lines_of_json_that_name_what_they_say():
    lines = [json.loads(line) for line in gzip.decompress(kept(samples.payout_audit(5))).splitlines()]
    assert lines[0]["format"] == "casino-report-data/1"
    (difference, *_) = (line["differences[]"] for line in lines if "differences[]" in line)
    assert (difference["deal"], difference["by"]) == ("1", "both")


@pytest.mark.django_db
def test_a_finished_paper_and_its_data_are_served_after_years_and_other_builds(table, settings, tmp_path):  # noqa: F811
    table.open(c1000=80)
    table.close(c1000=80)
    books, auditor = table.books(), table.house.session("A-1")
    for kind in ("shift_report", "payout_audit"):
        report = made(table, kind, gaming_date=books.gaming_date)
        paper, data = queries.file_of(report).read_bytes(), queries.data_of(report).read_bytes()
        said = json.loads(Entry.objects.filter(type="report").latest("sequence").text)["body"]
        assert said["data_sha256"] == report.data_sha256
        out = StringIO()
        call_command("reprint", report.serial, "--out", str(tmp_path / "again.pdf"), stdout=out)
        assert "the same bytes as were signed" in out.getvalue()
        assert paper.startswith((tmp_path / "again.pdf").read_bytes())

        Report.objects.filter(serial=report.serial).update(
            asked_at=T0 - timedelta(days=3000), finished_at=T0 - timedelta(days=3000)
        )
        settings.BUILD = "fffffff"
        for address, content in ((f"{report.serial}.pdf", paper), (f"{report.serial}.jsonl.gz", data)):
            assert b"".join(auditor.get(f"/audit/{address}").streaming_content) == content
        assert b"".join(auditor.get(f"/api/reports/{report.serial}/data").streaming_content) == data
        assert report.data_sha256 in auditor.get(f"/audit/{report.serial}/").content.decode()

        path = queries.data_of(report)
        path.write_bytes(data[:-1] + b"!")
        assert auditor.get(f"/audit/{report.serial}.jsonl.gz").status_code == 409
        with pytest.raises(CommandError, match="file_differs"):
            call_command("reprint", report.serial, "--out", str(tmp_path / "again.pdf"))
    assert auditor.get("/api/reports/BU-2026-000001/data").status_code == 404


# As it stood then


def test_every_fact_of_the_record_is_known_to_the_past():
    facts = {model for model in apps.get_app_config("tables").get_models() if issubclass(model, Fact)}
    assert facts - COUNTED.keys() - CAME_WITH.keys() - MOVED.keys() - NOT_READ == {Journal}


def approve(table, asked: str) -> None:  # noqa: F811
    decision = {"decision": "approve", "pin": PIN["I-1"]}
    answer = table.house.session("I-1").post(f"/api/approvals/{asked}", decision, format="json")
    assert answer.status_code == 200, answer.content


@pytest.mark.django_db
def test_what_a_report_said_at_a_moment_it_says_again_whatever_was_recorded_since(table):  # noqa: F811
    casino = table.house.casino_id
    table.open(c1000=40)
    now = datetime.now(UTC)
    box = cage.attach_box("S", "BOX-7", author=table["I-1"], second=table["D-1"], now=now).id
    slip = cage.request_slip("S", "fill", {"1000": 20}, id=uuid4(), author=table["I-1"], now=now).id
    tablet = table.tablet()
    tablet.send(
        {"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), bet("b", 2, "7", "500"), card("KS"), card("QH")
    )
    (asked,) = tablet.send({"type": "correct", "reason": "it was a jack", "cards": {"2": "JH"}})
    dispute = disputes.open_dispute("S", id=uuid4(), author=table["D-1"], now=now)
    alerts.watch(timezone.now())
    day = table.books().gaming_date
    wishes = [Wish("shift_report", "en", gaming_date=day), Wish("payout_audit", "en", table="S")]

    def look(moment: datetime | None, at: datetime):
        found = []
        for wish in wishes:
            with transaction.atomic():
                wanted = replace(wish, as_of=moment)
                serial = actions.request_report(wanted, author=None, now=datetime.now(UTC))
            read = queries.shift_report if wish.kind == "shift_report" else queries.payout_audit
            pk = Report.objects.get(serial=serial).pk
            with actions._snapshot(moment):
                report = read(pk, at)
            found.append(replace(report, imprint=samples.imprint(revision=report.imprint.revision)))
        return found

    moment = datetime.now(UTC)
    before = look(None, moment)
    assert [report.imprint.revision for report in before] == [0, 0]
    assert before[0].open_exceptions == 3  # the correction, the dispute, the alert

    approve(table, asked["id"])
    disputes.rule(dispute.id, amount_minor=5000, reason="film", author=table["P-1"], approver=table["S-1"],
                  now=datetime.now(UTC))  # fmt: skip
    tablet.send(card("7S"), card("7H"), {"type": "end"}, {"type": "deal", "deal": "2"}, bet("c", 1, "2", "700"))
    tablet.send(card("2S"), card("3H"), {"type": "end"})
    cage.issue_slip(slip, author=table["K-1"], now=datetime.now(UTC))
    cage.carry_slip(slip, author=table["K-2"], second=None, now=datetime.now(UTC))
    cage.receive_slip(slip, author=table["D-1"], second=table["I-1"], now=datetime.now(UTC))
    cage.remove_box(box, author=table["I-1"], second=table["D-1"], now=datetime.now(UTC))
    cage.receive_box(box, author=table["N-1"], second=table["I-1"], now=datetime.now(UTC))
    cage.count_box(box, {100_000: 5}, author=table["N-1"], second=table["N-2"], now=datetime.now(UTC))
    notes.write_note(casino, "incident", "a lamp", id=uuid4(), happened_at=now, author=table["S-1"],
                     now=datetime.now(UTC))  # fmt: skip
    for alert in Alert.objects.all():
        alerts.see(alert.pk, author=table["P-1"], note="", now=timezone.now())
    table.close(c1000=60)
    books = table.books()
    shifts.close_shift(casino, books.gaming_date, books.shift, author=table["S-1"], now=datetime.now(UTC))

    later = look(moment, datetime.now(UTC))
    for then, again in zip(before, later, strict=True):
        assert again == then
    today = look(None, datetime.now(UTC))
    assert [report.imprint.revision for report in today] == [1, 1]
    assert today[0].floor.slips[0].state == "received"
    assert (before[1].total.settlements, today[1].total.settlements) == (1, 3)


@pytest.mark.django_db
def test_the_past_is_asked_for_by_page_api_and_shell_and_the_paper_says_so(table, tmp_path, monkeypatch):  # noqa: F811
    table.open(c1000=80)
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("KS"), card("QS"), {"type": "end"})
    moment = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)
    time.sleep((moment - datetime.now(UTC)).total_seconds() + 0.01)
    tablet.send({"type": "deal", "deal": "2"}, bet("b", 1, "Q", "500"), card("KS"), card("QS"), {"type": "end"})
    auditor = table.house.session("A-1")
    house = queries.house()
    typed = moment.astimezone(house.zone).strftime("%Y-%m-%dT%H:%M:%S")
    wish = {"kind": "payout_audit", "table": "S", "language": "en"}
    auditor.post("/audit/", {**wish, "as_of": typed})
    answer = auditor.post("/api/reports", {**wish, "as_of": moment.isoformat()}, format="json")
    assert answer.status_code == 201
    monkeypatch.setattr("audit.management.commands.make_report.PATIENCE_SECONDS", 0)
    call_command(
        "make_report", "payout_audit", "--table", "S", "--as-of", moment.isoformat(), "--wait",
        "--out", str(tmp_path / "then.pdf"),
    )  # fmt: skip
    then = moment.astimezone(house.zone).strftime("%d.%m.%Y %H:%M:%S")
    for report in Report.objects.order_by("id"):
        assert report.as_of == moment
        actions.make(report.pk, now=datetime.now(UTC))
        view = queries.report_by_serial(report.serial)
        with queries.data_of(view).open("rb") as data:
            audit = frozen.thaw(PayoutAudit, data)
        assert [deal.deal for deal in audit.deals] == ["1"]
        assert audit.imprint.as_of == moment
        first = pypdf.PdfReader(queries.file_of(view)).pages[0].extract_text()
        assert squeezed(f"The record as it stood on {then}.") in squeezed(first)
        assert f"as it stood on {then}" in auditor.get(f"/audit/{report.serial}/").content.decode()
    assert (
        json.loads(Entry.objects.filter(type="report").latest("sequence").text)["body"]["as_of"] == moment.isoformat()
    )
    # Of what is still to come, and of what has a seal for it, nothing can be said.
    future = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    assert auditor.post("/api/reports", {**wish, "as_of": future}, format="json").status_code == 409
    with pytest.raises(ReportRefused, match="seal"), transaction.atomic():
        actions.request_report(Wish("bundle", "en", as_of=moment), author=None, now=datetime.now(UTC))


@pytest.mark.django_db
def test_looking_back_before_anything_was_recorded_shows_an_empty_record_and_leaves_nothing(table):  # noqa: F811
    """By the service's own role, with what `manage.py grant` gives it."""
    table.open(c1000=80)
    role = "a_service_that_looks_back"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {role}")
        for statement in grants(role):
            cursor.execute(statement)
        cursor.execute(f"SET LOCAL ROLE {role}")
        with as_it_stood(T0 - timedelta(days=1)):
            say_live(queries.live_deals())
            assert not Entry.objects.exists()
        cursor.execute("RESET ROLE")
        cursor.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")
    assert Entry.objects.exists()
