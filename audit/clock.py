"""Reports that nobody asks for: each shift's, once in each of its revisions. It makes none, it only asks.

Whoever runs it, however often and however late, asks for the same: what is due follows from the record, and a
constraint of the database lets each be asked for once.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, transaction

from audit import actions
from audit.actions import Wish
from audit.models import Report
from tables.models import Casino, Opening
from tables.queries.shifts import ShiftState, calendar_of, shifts_of_day

log = logging.getLogger(__name__)


def ask_for_due(now: datetime, *, days: int) -> int:
    """Ask for the reports of the last gaming days that are due, and return for how many.

    Due are the reports of a shift that is closed, again with everything that arrives later; of one that is over by the
    plan and that nobody has closed, once a draft.
    """
    asked = 0
    for casino in Casino.objects.order_by("id"):
        today = calendar_of(casino.pk).gaming_date(now)
        openings = Opening.objects.filter(table__casino=casino, gaming_date__gt=today - timedelta(days=days))
        for day in openings.order_by("gaming_date").values_list("gaming_date", flat=True).distinct():
            for state in shifts_of_day(casino.pk, day):
                if state.openings and (state.revision or state.shift.until <= now):
                    asked += _ask(casino, state, now)
    return asked


def _ask(casino: Casino, state: ShiftState, now: datetime) -> int:
    day, number = state.shift.gaming_date, state.shift.number
    openings = Opening.objects.filter(table__casino=casino, gaming_date=day, shift=number)
    currencies = openings.order_by("table__currency").values_list("table__currency", flat=True).distinct()
    # A shift report has a part for each currency, an audit is of one.
    due = [(Report.Kind.SHIFT_REPORT, ""), *((Report.Kind.PAYOUT_AUDIT, currency) for currency in currencies)]
    asked = 0
    for kind, currency in due:
        same = Report.objects.filter(
            casino=casino, gaming_date=day, shift=number, kind=kind, currency=currency, clock_revision__isnull=False
        )
        if same.filter(clock_revision__gte=state.revision).exists():
            continue
        wish = Wish(kind, settings.LANGUAGE_CODE, gaming_date=day, shift=number, currency=currency)
        try:
            with transaction.atomic():
                serial = actions.request_report(wish, author=None, now=now, clock_revision=state.revision)
        except IntegrityError:
            # Another beat was faster; its number is taken back with the transaction.
            continue
        log.info("asked for %s: %s of %s, shift %d, revision %d", serial, kind, day, number, state.revision)
        asked += 1
    return asked
