"""`manage.py reprint SERIAL`: print a finished report again from the data that was kept, and compare."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from audit import queries
from audit.actions import print_again
from audit.refusals import ReportRefused


class Command(BaseCommand):
    help = "Print a finished report again from the data that was kept with it; say whether the pages are the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("serial")
        parser.add_argument("--out", type=Path, required=True, help="write the pages here; they are not signed")

    def handle(self, *args: Any, **options: Any) -> None:
        report = queries.report_by_serial(options["serial"])
        if report is None:
            raise CommandError(f"there is no report {options['serial']}")
        try:
            same, origin = print_again(report, options["out"])
        except ReportRefused as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from None
        build = f"{origin.version} {origin.build}"
        if same:
            self.stdout.write(f"{report.serial}: the same bytes as were signed (build {build})")
        elif (origin.version, origin.build) == (settings.VERSION, settings.BUILD):
            raise CommandError(f"{report.serial}: other bytes than were signed, by the same build {build}")
        else:
            self.stdout.write(f"{report.serial}: other bytes than were signed; they were printed by build {build}")
