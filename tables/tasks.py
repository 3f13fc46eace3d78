"""What workers do for the floor: one call, nothing else."""

from celery import shared_task
from django.utils import timezone

from tables.actions import alerts, odds


@shared_task(name="tables.tasks.keep_odds")
def keep_odds() -> None:
    """Keep the odds of the turns dealt since it was last called."""
    while odds.keep_odds():
        pass


@shared_task(name="tables.tasks.watch")
def watch() -> None:
    """Raise and end alerts of what is beyond a mark, and of what happened."""
    alerts.watch(timezone.now())


@shared_task(name="tables.tasks.judge")
def judge() -> None:
    """Raise and end alerts of what stands out among all tables."""
    alerts.judge(timezone.now())
