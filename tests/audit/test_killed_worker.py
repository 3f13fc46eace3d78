"""kill -9 of whoever makes reports, at any moment, ends in exactly one complete report for each that was asked for."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections import deque
from contextlib import suppress
from random import Random
from urllib.parse import quote

import pypdf
import pytest
from celery import Celery, current_app
from django.db import connection, transaction

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from casino.celery import broker
from casino.embedded.parent import die_with_parent
from tables.actions.importing import import_log
from tables.models import Entry
from tests.audit.test_audit_of_record import CASES
from tests.casino.processes import is_alive, wait_for
from tests.tables.a_house import T0

KILLS = int(os.environ.get("KILLS", "20"))
pytestmark = [
    pytest.mark.broker,
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("services"),
]


def database_url():
    """The test's own database, as another process names it."""
    said = connection.settings_dict
    user = quote(said["USER"]) + (f":{quote(said['PASSWORD'])}" if said["PASSWORD"] else "")
    return f"postgres://{user}@{said['HOST'] or 'localhost'}:{said['PORT'] or 5432}/{said['NAME']}"


@pytest.fixture
def workers(broker_url, settings, tmp_path, monkeypatch):
    """Starts workers on a queue of their own; what this process sends goes there too."""
    settings.MEDIA_ROOT = tmp_path / "files"
    settings.CELERY_BROKER_URL = broker_url
    queue = f"test_{uuid.uuid4().hex[:12]}"
    sender = Celery("sender", set_as_current=False)
    sender.conf.update(broker(broker_url), task_default_queue=queue)
    monkeypatch.setattr(current_app, "send_task", sender.send_task)
    variables = {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DATABASE_OWNER_URL": database_url(),
        "CELERY_BROKER_URL": broker_url,
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "FILES_DIR": str(tmp_path / "files"),
        "TEST_QUEUE": queue,
        "SECONDS_A_PAGE": "0.05",
        "LEASE_SECONDS": "3",
    }
    test = os.getpid()
    with (tmp_path / "worker.log").open("ab") as log:
        nursery = subprocess.Popen(
            [sys.executable, "-m", "tests.audit.slow_worker"],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            preexec_fn=lambda: die_with_parent(signal.SIGKILL, test),
        )
    started = []

    def start():
        nursery.stdin.write("a worker\n")
        nursery.stdin.flush()
        started.append(int(nursery.stdout.readline()))
        return started[-1]

    yield start
    for worker in started:
        kill(worker)
    nursery.stdin.close()
    nursery.stdout.close()
    nursery.wait()
    sender.close()


def kill(worker: int) -> None:
    """Kill a worker and whoever works for it."""
    with suppress(ProcessLookupError):
        os.killpg(worker, signal.SIGKILL)
    wait_for(lambda: not is_alive(worker), "the worker to be gone")


def begun() -> int:
    """How often a report was begun so far."""
    return sum(Report.objects.values_list("attempt", flat=True))


def wait_for_another() -> None:
    """Wait until somebody has begun a report that nobody had begun, or begun it again."""
    before, swept = begun(), time.monotonic()

    def happens() -> bool:
        nonlocal swept
        if time.monotonic() - swept > 0.5:  # as beat has it done: whose worker died has a message no more, perhaps
            actions.sweep()
            swept = time.monotonic()
        return begun() > before

    wait_for(happens, "a report to be begun")


def test_kills_at_random_moments_leave_as_many_complete_reports_as_were_asked_for(workers, settings):
    """Here 20 times; `./run endure` kills 200 times."""
    dice = Random(KILLS)
    table = import_log((CASES / "gen-stos-1.jsonl").read_bytes()).table
    serials = []

    def ask():
        with transaction.atomic():
            serials.append(actions.request_report(Wish("payout_audit", "en", table=table), author=None, now=T0))

    for _ in range(KILLS):
        ask()
    # Two at work: while one is killed and another starts in its place, the other goes on.
    working = deque([workers(), workers()])
    for _ in range(KILLS):
        while Report.objects.exclude(state="done").count() < 3:  # a quick broker leaves none to be killed at
            ask()
        wait_for_another()
        time.sleep(dice.uniform(0, 0.5))
        kill(working.popleft())
        working.append(workers())
    killed = time.monotonic()
    while Report.objects.exclude(state="done").exists():
        assert not Report.objects.filter(state="failed").exists(), "a report was given up"
        assert time.monotonic() - killed < 60 + KILLS, Report.objects.exclude(state="done").values("serial", "state")
        actions.sweep()  # as beat has it done
        time.sleep(0.5)
    actions.sweep()

    # No more, no less: one file with its data for each report, whole, and once in the journal.
    reports = [queries.report_by_serial(serial) for serial in serials]
    kept = {path.name for path in (settings.MEDIA_ROOT / "reports").iterdir()}
    assert kept == {name for each in reports for name in (each.file, queries.data_of(each).name)}
    for report in reports:
        assert len(pypdf.PdfReader(queries.file_of(report)).pages) == report.pages_done
    said = [json.loads(text)["body"] for text in Entry.objects.filter(type="report").values_list("text", flat=True)]
    assert sorted((each["serial"], each["sha256"]) for each in said) == [(each.serial, each.sha256) for each in reports]
    assert begun() - len(serials) >= KILLS // 2, "most kills came when nobody worked"
