"""The service's own worker, but a page of a report takes a while, and a dead worker's report is taken up sooner.

Run as `python -m tests.audit.slow_worker` it is a nursery: for each line that it reads it starts one such worker, as a
session of its own, and says its process. What costs seconds, to import everything, is done once.
"""

import os
import signal
import sys
import time
from datetime import timedelta
from importlib import import_module

import django
from celery.signals import worker_process_init

from casino.celery import app

SECONDS_A_PAGE = float(os.environ["SECONDS_A_PAGE"])
LEASE_SECONDS = float(os.environ["LEASE_SECONDS"])


@worker_process_init.connect
def take_time(**_: object) -> None:
    """Make each page take its while and each lease be short, once Django is set up."""
    from audit import actions
    from audit.actions import Lease

    page = Lease.page

    def slow_page(lease: Lease, number: int) -> None:
        page(lease, number)
        time.sleep(SECONDS_A_PAGE)

    Lease.page = slow_page  # type: ignore[method-assign, assignment] # slower, and otherwise the same
    actions.LEASE = timedelta(seconds=LEASE_SECONDS)
    actions.RENEW_SECONDS = LEASE_SECONDS / 5


def nurse() -> None:
    """Start a worker for each line, and say its process; the last one leaves with whoever asks."""
    django.setup()
    app.loader.import_default_modules()
    import_module("celery.bin.celery")
    import_module("celery.apps.worker")
    import_module("celery.concurrency.solo")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who was killed is fetched by nobody
    for _line in sys.stdin:
        pid = os.fork()
        if pid:
            print(pid, flush=True)
            continue
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(2, 1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        app.worker_main(
            [
                "worker", "--loglevel", "INFO",
                "--without-gossip", "--without-mingle", "--without-heartbeat",
            ]
        )  # fmt: skip


if __name__ == "__main__":
    app.conf.task_default_queue = os.environ["TEST_QUEUE"]
    nurse()
