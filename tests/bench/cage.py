"""Five hundred times two fills that fit the chip bank alone but not together: five hundred times one is issued."""

import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Run the test of the cage with five hundred rounds; `CAGE_ROUNDS` names another number."""
    root = Path(__file__).parents[2]
    test = "two_fills_that_fit_the_chip_bank_alone"
    environment = {"CAGE_ROUNDS": "500", **os.environ}
    # A test makes a database of its own, which the service's owner may not.
    if "DATABASE_SUPERUSER_URL" in environment:
        environment["DATABASE_OWNER_URL"] = environment["DATABASE_SUPERUSER_URL"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/tables/test_cage_at_once.py", "-k", test],
        cwd=root,
        env=environment,
        check=True,
    )
    print(f"{environment['CAGE_ROUNDS']} of {environment['CAGE_ROUNDS']}: one of two fills issued")
