#!/usr/bin/env python3
"""Run a management command of the casino project."""

import os
import sys
from importlib import import_module

# Plain Python over a file or a formula: they answer at once because Django's apps stay unloaded.
PLAIN_COMMANDS = {"settle", "odds"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
    if len(sys.argv) > 1 and sys.argv[1] in PLAIN_COMMANDS:
        import_module(f"tables.management.commands.{sys.argv[1]}").Command().run_from_argv(sys.argv)
        return
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
