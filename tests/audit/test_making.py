"""A report that was asked for is made exactly once, whoever dies on the way."""

import hashlib
import resource
import threading
from datetime import date, timedelta
from uuid import uuid4

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import TestCase
from kombu.exceptions import OperationalError

from audit import actions, queries
from audit.actions import LeaseLost, Wish
from audit.models import Outbox, Report
from audit.refusals import ReportRefused
from tables.models import Casino, Entry
from tables.rules.refusals import Refusal
from tests.audit import samples
from tests.tables.a_house import T0, a_house

pytestmark = pytest.mark.django_db
AUDIT = Wish("payout_audit", "en", table="A")


@pytest.fixture
def sent(monkeypatch):
    """What the broker was handed; it makes nothing."""
    handed = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: handed.append((name, *args)))
    return handed


@pytest.fixture
def house(settings, tmp_path, sent, monkeypatch):
    settings.MEDIA_ROOT = tmp_path
    # The renewing thread has a connection of its own, which does not see what a test has not committed.
    monkeypatch.setattr(actions, "RENEW_SECONDS", 3600)
    return a_house()


def ask(wish=AUDIT, author=None):
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        return actions.request_report(wish, author=author, now=T0)


def files(settings):
    return sorted(path.name for path in (settings.MEDIA_ROOT / "reports").iterdir())


def stop_the_clock_of(serial):
    """As if the worker had been killed: nobody renews the lease and it has run out."""
    Report.objects.filter(serial=serial).update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.django_db(transaction=True)
def test_a_request_is_sent_when_its_transaction_commits_and_not_before(house, sent):
    with transaction.atomic():
        serial = actions.request_report(AUDIT, author=None, now=T0)
        assert sent == []
    report = Report.objects.get(serial=serial)
    assert sent == [("audit.tasks.make_report", report.pk)]
    assert Outbox.objects.get(report=report).sendings == 1


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_request_is_never_sent_and_leaves_no_gap_in_the_serials(house, sent):
    with transaction.atomic():
        first = actions.request_report(AUDIT, author=None, now=T0)
    with transaction.atomic():
        actions.request_report(AUDIT, author=None, now=T0)
        transaction.set_rollback(True)
    with transaction.atomic():
        second = actions.request_report(AUDIT, author=None, now=T0)
    assert (first, second) == ("PA-2026-000001", "PA-2026-000002")
    assert len(sent) == 2
    assert Report.objects.count() == 2


def test_a_dead_broker_loses_nothing_and_the_sweeper_sends_once_it_lives(house, monkeypatch):
    def dead(name, args):
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", dead)
    serial = ask()
    assert Outbox.objects.get(report__serial=serial).sent_at is None
    assert actions.sweep() == 0
    handed = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: handed.append(args[0]))
    assert actions.sweep() == 1
    assert actions.sweep() == 0
    assert handed == [Report.objects.get(serial=serial).pk]


def test_a_made_report_is_one_file_with_its_data_whose_digests_are_in_the_row_and_in_the_casinos_journal(
    house, settings
):
    serial = ask()
    report_id = Report.objects.get(serial=serial).pk
    assert actions.make(report_id, now=T0) is True
    assert actions.make(report_id, now=T0) is False
    report = queries.report_by_serial(serial)
    assert files(settings) == [f"{serial}.1.data.gz", f"{serial}.1.pdf"]
    content = queries.file_of(report).read_bytes()
    assert content.startswith(b"%PDF-")
    assert hashlib.sha256(content).hexdigest() == report.sha256
    entry = Entry.objects.get(type="report")
    assert report.sha256 in entry.text
    assert report.data_sha256 in entry.text
    assert hashlib.sha256(queries.data_of(report).read_bytes()).hexdigest() == report.data_sha256
    assert entry.sequence == report.journal_sequence
    assert not Outbox.objects.exists()


def test_a_second_delivery_that_meets_a_live_lease_ends(house):
    report_id = Report.objects.get(serial=ask()).pk
    assert actions.take_lease(report_id) is not None
    assert actions.make(report_id, now=T0) is False
    assert Report.objects.get(pk=report_id).attempt == 1


def test_the_report_of_a_dead_worker_is_sent_again_and_made_by_the_next(house, sent, settings):
    serial = ask()
    report_id = Report.objects.get(serial=serial).pk
    assert actions.take_lease(report_id) is not None
    (settings.MEDIA_ROOT / "reports").mkdir()
    (settings.MEDIA_ROOT / "reports" / f"{serial}.1.part").write_bytes(b"%PDF-1.4 half a")
    stop_the_clock_of(serial)
    assert actions.sweep() == 1
    assert sent[-1] == ("audit.tasks.make_report", report_id)
    assert actions.make(report_id, now=T0) is True
    assert files(settings) == [f"{serial}.2.data.gz", f"{serial}.2.pdf"]
    assert Entry.objects.filter(type="report").count() == 1


def test_who_lost_the_lease_neither_finishes_nor_leaves_a_file(house, settings):
    serial = ask()
    report_id = Report.objects.get(serial=serial).pk
    slow = actions.take_lease(report_id)
    stop_the_clock_of(serial)
    assert actions.make(report_id, now=T0) is True
    _part, final = actions._paths(report_id, slow.attempt)
    final.write_bytes(b"%PDF-1.4 too late")
    assert actions._finish(report_id, slow, final, 1, samples.imprint(), {}, (), now=T0) is False
    assert files(settings) == [f"{serial}.2.data.gz", f"{serial}.2.pdf"]
    assert Entry.objects.filter(type="report").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_lease_is_renewed_while_the_report_is_made_and_noticed_when_it_is_gone(house, monkeypatch):
    monkeypatch.setattr(actions, "RENEW_SECONDS", 0.02)
    report_id = Report.objects.get(serial=ask()).pk
    lease = actions.take_lease(report_id)
    first = Report.objects.get(pk=report_id).lease_until
    pause = threading.Event()
    with lease.kept():
        lease.page(7)
        while Report.objects.get(pk=report_id).lease_until == first:
            pause.wait(0.01)
        assert Report.objects.get(pk=report_id).pages_done == 7
        Report.objects.filter(pk=report_id).update(lease_holder=uuid4())
        while not lease.lost:
            pause.wait(0.01)
        with pytest.raises(LeaseLost):
            lease.page(8)


def test_a_report_that_is_called_off_is_not_made_and_keeps_its_serial(house, sent):
    serial = ask()
    with transaction.atomic():
        actions.cancel_report(serial, author=house.author("A-1"))
    report = Report.objects.get(serial=serial)
    assert actions.make(report.pk, now=T0) is False
    assert report.state == "cancelled"
    assert actions.sweep() == 0
    assert ask() == "PA-2026-000002"


def test_a_report_that_kills_every_worker_is_given_up_and_says_so(house):
    serial = ask()
    report_id = Report.objects.get(serial=serial).pk
    for _worker in range(actions.MOST_ATTEMPTS):
        assert actions.take_lease(report_id) is not None
        stop_the_clock_of(serial)
    assert actions.take_lease(report_id) is None
    directory = queries.reports_directory()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{serial}.20.part").touch()
    actions.sweep()
    report = Report.objects.get(pk=report_id)
    assert (report.state, report.problem) == ("failed", "20 workers began it and none ended")
    assert list(directory.iterdir()) == [], "what the workers left"


def test_what_a_killed_worker_left_goes_once_its_report_is_made_or_called_off_without_it(house):
    made, called_off = (Report.objects.get(serial=ask()) for _ in range(2))
    left = [queries.reports_directory() / f"{report.serial}.7.part" for report in (made, called_off)]
    assert actions.make(made.pk, now=T0)
    for part in left:  # by one who was killed when the report was no longer his
        part.touch()
    actions.sweep()
    assert [part.exists() for part in left] == [False, True], "somebody may be making it"
    with transaction.atomic():
        actions.cancel_report(called_off.serial, author=house.author("A-1"))
    actions.sweep()
    assert not left[1].exists()


def test_a_fault_of_the_program_is_kept_with_the_report(house, monkeypatch, settings):
    serial = ask()
    Casino.objects.update(time_zone="Nowhere/At_All")
    with pytest.raises(Exception, match="Nowhere"):
        actions.make(Report.objects.get(serial=serial).pk, now=T0)
    report = Report.objects.get(serial=serial)
    assert report.state == "failed"
    assert "Nowhere/At_All" in report.problem


def test_a_full_disk_fails_a_report_in_words_leaves_no_part_and_lets_it_be_asked_for_again(house, settings):
    serial = ask()
    # No file may grow beyond this, as on a disk with so much left: the data still fits, the pages do not.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            actions.make(Report.objects.get(serial=serial).pk, now=T0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    report = Report.objects.get(serial=serial)
    assert (report.state, report.problem) == ("failed", "The file could not be written: File too large")
    assert files(settings) == []
    again = Report.objects.get(serial=ask())
    assert actions.make(again.pk, now=T0)
    assert len(files(settings)) == 2


def test_a_directory_that_cannot_be_written_fails_a_report_in_words(house, settings):
    (settings.MEDIA_ROOT / "reports").write_text("not a directory")
    serial = ask()
    with pytest.raises(OSError, match="exists"):
        actions.make(Report.objects.get(serial=serial).pk, now=T0)
    report = Report.objects.get(serial=serial)
    assert (report.state, report.problem) == ("failed", "The file could not be written: File exists")


def test_a_pit_boss_asks_for_the_tables_of_his_pit_and_no_others(house):
    boss = house.author("P-1")
    assert ask(AUDIT, boss) == "PA-2026-000001"
    for wish in (Wish("payout_audit", "en", table="Z"), Wish("payout_audit", "en")):
        with pytest.raises(Refusal) as refused:
            ask(wish, boss)
        assert refused.value.code == "not_allowed"


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (Wish("balance", "en"), "unknown_kind"),
        (Wish("payout_audit", "kk"), "unknown_language"),
        (Wish("payout_audit", "en", table="Q"), "unknown_table"),
        (Wish("payout_audit", "en", table="A", deal="1"), "unknown_deal"),
        (Wish("payout_audit", "en", deal="1"), "bad_scope"),
        (Wish("payout_audit", "en", since=T0, until=T0), "bad_scope"),
        (Wish("shift_report", "en"), "bad_scope"),
        (Wish("shift_report", "en", gaming_date=date(9999, 12, 31)), "bad_scope"),
        (Wish("shift_report", "en", gaming_date=date(1, 1, 1)), "bad_scope"),
        (Wish("shift_report", "en", gaming_date=T0.date(), deal="1", table="A"), "unknown_deal"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused_by_code(house, wish, code):
    with pytest.raises(ReportRefused) as refused:
        ask(wish)
    assert refused.value.code == code
    assert not Report.objects.exists()


def test_the_shell_makes_a_report_itself_where_no_worker_takes_it(house, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("audit.management.commands.make_report.PATIENCE_SECONDS", 0)
    out = tmp_path / "audit.pdf"
    call_command("make_report", "payout_audit", "--table", "A", "--lang", "ru", "--wait", "--out", str(out))
    report = Report.objects.get()
    assert hashlib.sha256(out.read_bytes()).hexdigest() == report.sha256
    assert capsys.readouterr().out == f"PA-2026-000001 {report.pages_done} pages {report.sha256}\n"


def test_the_shell_says_what_it_cannot_make(house):
    with pytest.raises(CommandError, match="unknown_table: There is no table 'Q'"):
        call_command("make_report", "payout_audit", "--table", "Q", "--wait")
    with pytest.raises(CommandError, match="there is no folder /nowhere"):
        call_command("make_report", "payout_audit", "--table", "A", "--wait", "--out", "/nowhere/audit.pdf")
    assert not Report.objects.exists()


def test_a_file_that_was_changed_is_not_shown(house, settings):
    serial = ask()
    actions.make(Report.objects.get(serial=serial).pk, now=T0)
    report = queries.report_by_serial(serial)
    path = settings.MEDIA_ROOT / "reports" / report.file
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ReportRefused) as refused:
        queries.file_of(report).read_bytes()
    assert refused.value.code == "file_differs"


def test_a_row_cannot_say_done_without_its_file():
    with connection.cursor() as cursor:
        cursor.execute("SELECT conname FROM pg_constraint WHERE conname LIKE 'report_%' AND contype = 'c' ORDER BY 1")
        names = {name for (name,) in cursor.fetchall()}
    assert {"report_done_with_its_file", "report_leased_while_running"} <= names
