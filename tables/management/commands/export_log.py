"""Write a table's log back."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables.queries.log import NotRecordedError, export_log


class Command(BaseCommand):
    help = "Write the log of a table, or of one deal of it, as JSON Lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("table")
        parser.add_argument("--deal", help="one deal, beginning with the terms that held")
        parser.add_argument("--all", action="store_true", dest="floor", help="floor events other than play too")

    def handle(self, *args: Any, table: str, deal: str | None, floor: bool, **options: Any) -> None:
        try:
            for line in export_log(table, deal=deal, floor=floor):
                self.stdout.write(json.dumps(line, ensure_ascii=False))
        except NotRecordedError as error:
            self.stderr.write(str(error))
            sys.exit(1)
