"""Print exact odds. It touches no database: the work is done in tables.oddstable."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import oddstable


class Command(BaseCommand):
    help = "Print the exact odds of a game as fractions, or of all games for a person; no database is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        oddstable.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit with 0, or with 1 where the question is about what cannot be."""
        status = oddstable.answer(options, sys.stdout, sys.stderr)
        if status:
            sys.exit(status)
