"""Settle table logs without a database, as docs/table-log.md says."""

import os
import sys
from io import TextIOWrapper
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tables import tablelog


class Command(BaseCommand):
    help = "Settle table logs and print the settlements as JSON Lines; no database is touched."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE")

    def handle(self, *args: Any, files: list[str], **options: Any) -> None:
        """Exit with the worst of 0, 1 (a line was refused) and 2 (a file not read, or the output not written)."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(encoding="utf-8")  # a log is UTF-8, whatever the terminal's locale
        try:
            status = tablelog.main(files, sys.stdout, sys.stderr)
            sys.stdout.flush()
        except OSError as error:  # the disk is full, or whoever read has gone: no verdict on the log
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still held back goes nowhere when Python ends
            if not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"settle: {error}\n")
            sys.exit(2)
        if status:
            sys.exit(status)
