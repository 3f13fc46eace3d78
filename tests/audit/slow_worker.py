"""The service's own worker, but a page of a report takes a while: so that a test can kill it in the middle of one.

Run by the tests as `celery --app tests.audit.slow_worker worker`.
"""

import os
import time

from celery.signals import worker_process_init

from casino.celery import app

SECONDS_A_PAGE = float(os.environ["SECONDS_A_PAGE"])

app.conf.task_default_queue = os.environ["TEST_QUEUE"]


@worker_process_init.connect
def take_time(**_: object) -> None:
    """Make each page take its while, once Django is set up."""
    from audit.actions import Lease

    page = Lease.page

    def slow_page(lease: Lease, number: int) -> None:
        page(lease, number)
        time.sleep(SECONDS_A_PAGE)

    Lease.page = slow_page  # type: ignore[method-assign, assignment] # slower, and otherwise the same
