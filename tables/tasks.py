"""What workers do for the floor: one call, nothing else."""

from celery import shared_task

from tables.actions import odds


@shared_task(name="tables.tasks.keep_odds")
def keep_odds() -> None:
    """Keep the odds of the turns dealt since it was last called."""
    while odds.keep_odds():
        pass
