"""What workers do: an id in, one call, nothing else."""

from celery import shared_task
from django.utils import timezone

from audit import actions, clock, sealing


@shared_task(name=actions.TASK)
def make_report(report_id: int) -> None:
    """Make a report, unless somebody else does or it is finished."""
    actions.make(report_id, now=timezone.now())


@shared_task(name="audit.tasks.sweep")
def sweep() -> None:
    """Send reports that were not sent, or whose worker died."""
    actions.sweep()


@shared_task(name="audit.tasks.seal")
def seal() -> None:
    """Seal the gaming day that ended, unless that was done, and hand out what has not left the database."""
    now = timezone.now()
    sealing.seal_ended_days(now)
    sealing.deliver(now)


@shared_task(name="audit.tasks.ask_for_due")
def ask_for_due(days: int) -> None:
    """Ask for the reports of shifts that are due, unless somebody did."""
    clock.ask_for_due(timezone.now(), days=days)
