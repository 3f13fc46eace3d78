"""A task is done once somebody has done it: no kill loses it, none leaves a process behind."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery import Celery

from casino.celery import broker
from casino.embedded.parent import die_with_parent
from tests.casino.processes import children, lines, wait_for

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("services")]


class Workers:
    """Starts workers on a queue of their own, and ends every one of them."""

    def __init__(self, url: str, log: Path) -> None:
        self.queue = f"test_{uuid.uuid4().hex[:12]}"
        self.variables = {
            **os.environ,
            "TEST_BROKER_URL": url,
            "TEST_QUEUE": self.queue,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        self.log = log
        self.started: list[subprocess.Popen[bytes]] = []
        self.app = Celery("sender")
        self.app.conf.update(broker(url))
        self.app.conf.task_default_queue = self.queue

    def send(self, directory: Path) -> None:
        self.app.send_task("report", [str(directory)])

    def start(self) -> subprocess.Popen[bytes]:
        """Start a worker as the supervisor does, in a session (and process group) of its own."""
        number = len(self.started) + 1
        test = os.getpid()
        with self.log.open("ab") as log:
            worker = subprocess.Popen(
                [
                    sys.executable, "-m", "celery", "--app", "tests.casino.broker_app", "worker",
                    "--hostname", f"worker-{number}@%h", "--loglevel", "INFO",
                    "--without-gossip", "--without-mingle", "--without-heartbeat",
                ],
                env=self.variables,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL, test),
            )  # fmt: skip
        self.started.append(worker)
        return worker

    def ready(self) -> int:
        """Workers that have said that they wait for work."""
        return sum(line.endswith(" ready.") for line in lines(self.log))

    def waiting(self) -> int:
        """Messages in the queue, those in a worker's hands included where the broker counts them."""
        with self.app.connection_for_read() as connection:
            channel: Any = connection.default_channel
            return int(channel.queue_declare(self.queue, passive=True).message_count)

    def end(self) -> None:
        for worker in self.started:
            worker.kill()
            worker.wait()
        with self.app.connection_for_write() as connection:
            channel: Any = connection.default_channel
            channel.queue_delete(self.queue)
        self.app.close()


@pytest.fixture
def workers(broker_url: str, tmp_path: Path) -> Iterator[Workers]:
    used = Workers(broker_url, tmp_path / "worker.log")
    yield used
    used.end()


def test_a_task_survives_the_kill_of_the_whole_worker_and_is_done_once(workers: Workers, tmp_path: Path):
    first = workers.start()
    workers.send(tmp_path)
    wait_for(lambda: lines(tmp_path / "began"), "the task to begin")
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    workers.start()
    wait_for(lambda: len(lines(tmp_path / "began")) == 2, "the task to begin again")
    (tmp_path / "go").touch()
    wait_for(lambda: lines(tmp_path / "done"), "the task to be done")
    wait_for(lambda: workers.waiting() == 0, "the task to be acknowledged")
    assert lines(tmp_path / "done") == lines(tmp_path / "began")[1:]


def test_whichever_process_of_a_worker_is_killed_as_it_waits_the_next_task_is_done(workers: Workers, tmp_path: Path):
    """Of a pool one child waits under the lock of all; killed there it silences the rest, and its parent lives."""
    worker = workers.start()
    wait_for(lambda: workers.ready() == 1, "the worker to wait for work")
    for pid in (*children(worker.pid), worker.pid):
        os.kill(pid, signal.SIGKILL)
        if pid == worker.pid:
            workers.start()  # as the supervisor does
        place = tmp_path / f"after_{pid}"
        place.mkdir()
        (place / "go").touch()
        workers.send(place)
        wait_for((place / "done").exists, f"the task after the kill of {pid}")


def test_queues_keep_out_of_the_casinos_own_database(workers: Workers, tmp_path: Path):
    (tmp_path / "go").touch()
    workers.send(tmp_path)
    workers.start()
    wait_for(lambda: lines(tmp_path / "done"), "the task to be done")
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT to_regnamespace('pgmq')").fetchone() == (None,)


def test_on_a_rabbitmq_the_queue_is_a_quorum_queue(workers: Workers, broker_url: str, tmp_path: Path):
    if not broker_url.startswith("amqp"):
        pytest.skip("needs a RabbitMQ in CELERY_BROKER_URL (.ci/run starts one)")
    workers.send(tmp_path)
    with workers.app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        with pytest.raises(connection.channel_errors, match="'quorum'"):
            channel.queue_declare(workers.queue, durable=True, auto_delete=False)
