"""kill -9 of the whole worker in the middle of a PDF ends, within a minute, in exactly one complete report."""

import hashlib
import os
import signal
import subprocess
import sys
import time
import uuid
from io import BytesIO
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
from tests.casino.processes import wait_for
from tests.tables.a_house import T0

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
    }
    started = []
    test = os.getpid()

    def start(seconds_a_page):
        with (tmp_path / "worker.log").open("ab") as log:
            worker = subprocess.Popen(
                [
                    sys.executable, "-m", "celery", "--app", "tests.audit.slow_worker", "worker", "--beat",
                    "--schedule", str(tmp_path / "beat"), "--concurrency", "1", "--loglevel", "INFO",
                    "--without-gossip", "--without-mingle", "--without-heartbeat",
                ],
                env={**variables, "SECONDS_A_PAGE": str(seconds_a_page)},
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL, test),
            )  # fmt: skip
        started.append(worker)
        return worker

    yield start
    for worker in started:
        if worker.poll() is None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
    sender.close()


def test_a_worker_killed_in_the_middle_of_a_pdf_leaves_exactly_one_complete_report(workers, settings):
    table = import_log((CASES / "gen-stos-1.jsonl").read_bytes()).table
    worker = workers(seconds_a_page=60)
    with transaction.atomic():
        serial = actions.request_report(Wish("payout_audit", "en", table=table), author=None, now=T0)
    directory = settings.MEDIA_ROOT / "reports"
    wait_for(lambda: (directory / f"{serial}.1.part").exists(), "the PDF to be begun")
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    killed = time.monotonic()
    assert Report.objects.get(serial=serial).state == "running"

    workers(seconds_a_page=0)
    while Report.objects.get(serial=serial).state == "running":
        assert time.monotonic() - killed < 60, "a minute is over"
        time.sleep(0.2)
    report = queries.report_by_serial(serial)
    assert (report.state, report.attempt) == ("done", 2)
    assert [path.name for path in directory.iterdir()] == [f"{serial}.2.pdf"]
    content = queries.file_of(report).read_bytes()
    assert len(pypdf.PdfReader(BytesIO(content)).pages) == report.pages_done
    assert Entry.objects.filter(type="report").count() == 1
    assert hashlib.sha256(content).hexdigest() in Entry.objects.get(type="report").text
