#!/usr/bin/env python3
"""Run a management command of the casino project."""

import os
import sys
from importlib import import_module

# Commands in plain Python: nothing of Django is loaded, so they answer at once and cannot touch a database.
PLAIN = {"settle": "tables.tablelog"}


def main() -> None:
    command, arguments = sys.argv[1:2], sys.argv[2:]
    if command and command[0] in PLAIN and arguments and not any(each.startswith("-") for each in arguments):
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        sys.exit(import_module(PLAIN[command[0]]).main(arguments))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
