"""Record a table log: whole or not at all."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables.actions.importing import StoppedError, import_log


class Command(BaseCommand):
    help = "Record table logs (docs/table-log.md) through the same code that the console uses."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument("--casino", help="code of the casino that a table which is missing is put up in")

    def handle(self, *args: Any, files: list[Path], casino: str | None, **options: Any) -> None:
        for file in files:
            try:
                imported = import_log(file.read_bytes(), casino)
            except StoppedError as stopped:
                refusal = stopped.refusal
                line = {"line": stopped.line, "code": str(refusal.code), "message": refusal.message}
                self.stderr.write(json.dumps(line, ensure_ascii=False))
                sys.exit(1)
            except (OSError, UnicodeDecodeError) as error:
                self.stderr.write(f"{file}: {error}")
                sys.exit(2)
            self.stdout.write(
                json.dumps(
                    {
                        "file": str(file),
                        "table": imported.table,
                        "recorded": imported.recorded,
                        "repeated": imported.repeated,
                        "sequence": imported.sequence,
                        "hash": imported.hash,
                    },
                    ensure_ascii=False,
                )
            )
