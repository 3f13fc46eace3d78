"""Settle table logs without a database, as docs/table-log.md says."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import tablelog


class Command(BaseCommand):
    help = "Settle table logs and print the settlements as JSON Lines; no database is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")

    def handle(self, *args: Any, files: list[str], **options: Any) -> None:
        """Exit with 0, 1 (a line was refused) or 2 (a file could not be read), the worst of all files."""
        worst = 0
        for file in files:
            if len(files) > 1:
                _print({"file": file}, sys.stdout)
            worst = max(worst, _settle(file))
        if worst:
            sys.exit(worst)


def _settle(file: str) -> int:
    try:
        text = Path(file).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        print(f"settle: {file}: {error}", file=sys.stderr)
        return 2
    for found in tablelog.settle(tablelog.lines(text)):
        if isinstance(found, tablelog.Stopped):
            sys.stdout.flush()
            _print(found.as_object(), sys.stderr)
            return 1
        _print(found, sys.stdout)
    return 0


def _print(line: dict[str, Any], stream: Any) -> None:
    stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
