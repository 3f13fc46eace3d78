"""What the worker does beside a floor at work, as often as the beat asks for it, without a broker."""

import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
django.setup()

from casino.celery import app  # noqa: E402 # it needs the settings
from tables import tasks  # noqa: E402

TASKS = {
    "tables.tasks.keep_odds": tasks.keep_odds,
    "tables.tasks.watch": tasks.watch,
    "tables.tasks.judge": tasks.judge,
}


def main() -> None:
    """Do them until killed."""
    every = {each["task"]: each["schedule"] for each in app.conf.beat_schedule.values() if each["task"] in TASKS}
    due = dict.fromkeys(every, 0.0)
    while True:
        for name, at in due.items():
            if time.monotonic() >= at:
                due[name] = time.monotonic() + every[name]
                TASKS[name]()
        time.sleep(0.1)


if __name__ == "__main__":
    main()
