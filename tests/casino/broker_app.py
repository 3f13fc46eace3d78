"""A Celery application with the service's broker settings and one task that a test can hold and watch.

Run by the broker tests as a worker of its own: `celery --app tests.casino.broker_app worker`.
"""

import os
import time
from pathlib import Path

from celery import Celery

from casino.celery import broker

REDELIVER_AFTER_SECONDS = 3

app = Celery("broker_test")
app.conf.update(broker(os.environ["TEST_BROKER_URL"], redeliver_after_seconds=REDELIVER_AFTER_SECONDS))
app.conf.task_default_queue = os.environ["TEST_QUEUE"]


@app.task(name="report")
def report(directory: str) -> None:
    """Write a line when begun, wait for the file `go`, write a line when done."""
    place = Path(directory)
    with (place / "began").open("a") as began:
        began.write(f"{os.getpid()}\n")
    while not (place / "go").exists():
        time.sleep(0.02)
    with (place / "done").open("a") as done:
        done.write(f"{os.getpid()}\n")
