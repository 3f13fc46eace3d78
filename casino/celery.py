"""The Celery application: which broker, and that a task is acknowledged only once it is done.

Holds no task. A task is an id in and one call (audit/tasks.py).
"""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

from celery import Celery
from django.conf import settings

# A task whose worker died is handed out again after this long; one that runs longer is handed out
# twice, which is why tasks hold a lease on their row and the second delivery ends.
REDELIVER_AFTER_SECONDS = 30


def broker(url: str, *, redeliver_after_seconds: int = REDELIVER_AFTER_SECONDS) -> dict[str, Any]:
    """Return Celery's settings for the broker at url: pgmq:// or amqp(s)://.

    A RabbitMQ sees at once that a worker died; for it the seconds have no meaning.
    """
    common: dict[str, Any] = {
        "broker_url": url,
        "broker_connection_retry_on_startup": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        # A worker is one process: children of a pool share a lock to wait under, and the kill of the one that holds it
        # silences all of them (docs/decisions/broker.md). It takes one task at a time, so that others take the next.
        "worker_pool": "solo",
        "worker_prefetch_multiplier": 1,
        "task_ignore_result": True,
        # The outbox sends again; a request must not wait for a dead broker.
        "task_publish_retry": False,
        "broker_connection_timeout": 3,
        "task_default_queue": "casino",
        "task_serializer": "json",
        "accept_content": ["json"],
        "enable_utc": True,
        "timezone": "UTC",
        "worker_hijack_root_logger": False,
        # Nobody sends commands to workers; without a mailbox and gossip a worker leaves no queue behind.
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
    }
    if url.startswith("pgmq:"):
        return common | {
            "broker_transport_options": {
                # Named here because the pgmq client otherwise takes DATABASE_URL from the environment
                # and would put the queues into the casino's own database.
                "conn_string": "postgresql:" + url.removeprefix("pgmq:"),
                "init_extension": False,
                "use_notify": True,
                "polling_interval": 0.1,
                "wait_time_seconds": 0,
                "visibility_timeout": redeliver_after_seconds,
                "pool_size": 4,
            },
        }
    return common | {
        "task_default_queue_type": "quorum",
        "worker_detect_quorum_queues": True,
        "broker_transport_options": {"confirm_publish": True},
    }


app = Celery("casino")
app.conf.update(broker(settings.CELERY_BROKER_URL))
app.autodiscover_tasks()
app.conf.beat_schedule = {
    # An unfinished report is sent again; one that expires unread was followed by the next.
    "send reports again": {"task": "audit.tasks.sweep", "schedule": 10.0, "options": {"expires": 10}},
    # What a screen does not find kept, it computes itself: late is slow, not wrong.
    "keep the odds of turns": {"task": "tables.tasks.keep_odds", "schedule": 5.0, "options": {"expires": 5}},
    # What is due follows from the record, so that a beat that slept, or two of them, ask for nothing twice. Late counts
    # change shifts of long ago, which are looked at every hour.
    "ask for the reports of shifts": {
        "task": "audit.tasks.ask_for_due",
        "schedule": 60.0,
        "kwargs": {"days": 3},
        "options": {"expires": 60},
    },
    "ask for reports of shifts long ago": {
        "task": "audit.tasks.ask_for_due",
        "schedule": 3600.0,
        "kwargs": {"days": 62},
        "options": {"expires": 3600},
    },
    "watch the floor": {"task": "tables.tasks.watch", "schedule": 5.0, "options": {"expires": 5}},
    "judge the floor": {"task": "tables.tasks.judge", "schedule": 60.0, "options": {"expires": 60}},
    # Does nothing while the last gaming day is sealed and its seal has left the database.
    "seal the gaming day": {"task": "audit.tasks.seal", "schedule": 60.0, "options": {"expires": 60}},
}
