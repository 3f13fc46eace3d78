"""How long nobody is listened to after wrong PINs or passwords in a row. It remembers nothing itself."""

from datetime import timedelta
from typing import Final

FREE_FAILURES: Final = 4
FIRST_DELAY: Final = timedelta(seconds=30)
LONGEST_DELAY: Final = timedelta(hours=1)


def delay(failure_count: int) -> timedelta:
    """Say how long after this many failures in a row no further attempt is looked at.

    Four are free; the fifth costs 30 s and each later one twice the one before, an hour at most.
    """
    if failure_count <= FREE_FAILURES:
        return timedelta(0)
    doublings = min(failure_count - FREE_FAILURES - 1, 10)
    return min(FIRST_DELAY * (1 << doublings), LONGEST_DELAY)
