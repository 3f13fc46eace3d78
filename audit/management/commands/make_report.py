"""`manage.py make_report KIND`: ask for a report from the shell, and with --wait bring its file."""

import shutil
import time
from argparse import ArgumentParser
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from audit import actions, queries
from audit.actions import Wish
from audit.queries import ReportView
from audit.refusals import ReportRefused

# So long a worker is waited for; then the report is made here. The lease keeps it from being made twice.
PATIENCE_SECONDS = 3.0
LOOK_SECONDS = 0.2


def _moment(text: str) -> datetime:
    found = parse_datetime(text)
    if found is None or found.tzinfo is None:
        raise CommandError(f"{text!r} is no time with an offset (2026-11-29T20:00:00+05:00)")
    return found


def _day(text: str) -> date:
    found = parse_date(text)
    if found is None:
        raise CommandError(f"{text!r} is no date (2026-11-29)")
    return found


class Command(BaseCommand):
    help = "Ask for a report (payout_audit, shift_report, bundle); with --wait, wait for it and write it to --out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=["payout_audit", "shift_report", "bundle"])
        parser.add_argument("--table", default="", help="code of the table; without it all tables")
        parser.add_argument("--deal", default="", help="one deal of the table")
        parser.add_argument("--from", dest="since", type=_moment, help="deals opened at or after this time")
        parser.add_argument("--to", dest="until", type=_moment, help="deals opened before this time")
        parser.add_argument("--date", type=_day, help="gaming day; of a shift report by default the last one")
        parser.add_argument(
            "--shift", type=int, help="number of the shift within the gaming day; without it all of them"
        )
        parser.add_argument("--currency", default="", help="without a table: of which currency (the casino's own)")
        parser.add_argument("--seal", type=int, help="of a bundle: the seal up to which it goes, by default the last")
        parser.add_argument("--as-of", type=_moment, help="look at the record as it stood at this past time")
        parser.add_argument("--lang", default="en", choices=["en", "ru"])
        parser.add_argument("--wait", action="store_true", help="wait until it is finished")
        parser.add_argument("--timeout", type=float, default=600, help="seconds to wait at most")
        parser.add_argument("--out", type=Path, help="write the file here (with --wait)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["out"] and not options["wait"]:
            raise CommandError("--out needs --wait: only a finished report has a file")
        if options["out"] and not options["out"].parent.is_dir():
            raise CommandError(f"there is no folder {options['out'].parent}")
        day = options["date"]
        if options["kind"] == "shift_report" and day is None:
            day = queries.last_gaming_date(options["table"])
        wish = Wish(
            kind=options["kind"],
            language=options["lang"],
            table=options["table"],
            deal=options["deal"],
            since=options["since"],
            until=options["until"],
            gaming_date=day,
            shift=options["shift"],
            currency=options["currency"],
            seal=options["seal"],
            as_of=options["as_of"],
        )
        try:
            with transaction.atomic():
                serial = actions.request_report(wish, author=None, now=timezone.now())
        except ReportRefused as refusal:
            raise CommandError(f"{refusal.code}: {refusal.message}") from None
        if not options["wait"]:
            self.stdout.write(serial)
            return
        report = self._finished(serial, options["timeout"])
        if report.state != "done":
            raise CommandError(f"report {serial} {report.state}: {report.problem}")
        if options["out"]:
            shutil.copyfile(queries.reports_directory() / report.file, options["out"])
        self.stdout.write(
            f"{serial} {report.pages_done} {'files' if report.kind == 'bundle' else 'pages'} {report.sha256}"
        )

    def _finished(self, serial: str, timeout: float) -> ReportView:
        begun = time.monotonic()
        helped = False
        while True:
            report = queries.report_by_serial(serial)
            assert report is not None, "its request was committed"
            waited = time.monotonic() - begun
            if report.finished:
                return report
            if report.state == "requested" and waited > PATIENCE_SECONDS and not helped:
                helped = True
                try:
                    actions.make(report.id, now=timezone.now())
                except DatabaseError:
                    raise
                except Exception as problem:
                    # It is kept with the report, which has failed: the next look says so.
                    self.stderr.write(repr(problem))
                continue
            if waited > timeout:
                raise CommandError(f"report {serial} is not finished after {timeout:g} s: it is {report.state}")
            time.sleep(LOOK_SECONDS)
