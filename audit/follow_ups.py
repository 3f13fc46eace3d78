"""The auditor's list of exceptions: noted from final reports, given an owner and a day, and settled with an outcome.

Each deed is an entry of the casino's journal; the note of an outcome is text of a person and can be erased.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256

from django.db.models import Q

from audit.models import FollowUp, Report
from audit.refusals import ReportCode, ReportRefused
from audit.reports.payout_audit import FollowedUp, PayoutAudit
from audit.reports.shift_report import OPEN, ShiftReport
from tables import access
from tables.access import Author
from tables.journal import append_to_casino
from tables.models import Staff, Text

LONGEST_NOTE = 2000


@dataclass(frozen=True, slots=True)
class Found:
    """An exception as a report has it. `of` says, beside these, which one it is."""

    code: str
    table: str = ""
    deal: str = ""
    bet: str = ""
    amount_minor: int = 0
    currency: str = ""
    of: str = ""


def of_shift_report(report: ShiftReport) -> list[Found]:
    """Return what of a shift report somebody has to settle."""
    day = f"{report.gaming_date} {report.shift}"
    return [
        Found(each.code, each.table, each.deal, "", each.amount_minor, each.currency, day)
        for each in report.exceptions
        if each.code in OPEN
    ]


def of_payout_audit(audit: PayoutAudit) -> list[Found]:
    """Return each difference of an audit, and each finding of a test that did not pass."""
    differences = [
        Found("difference", each.table, each.deal, each.bet, each.difference_minor, audit.currency, str(each.turn))
        for each in audit.differences
    ]
    return differences + [
        Found("integrity", each.table, each.deal, of=f"{each.test} {each.what}") for each in audit.findings
    ]


def _key(each: Found) -> str:
    return sha256("\0".join((each.code, each.table, each.deal, each.bet, each.of)).encode()).hexdigest()


def followed_up(casino_id: int, audit: PayoutAudit) -> tuple[FollowedUp, ...]:
    """Read how far the exceptions are that earlier papers named: those of this audit, then others about its deals."""
    keys = [_key(each) for each in of_payout_audit(audit)]
    count = len(audit.differences)
    places = {key: place for place, key in enumerate(keys)}
    deals = {(deal.table, deal.deal) for deal in audit.deals}
    rows = FollowUp.objects.filter(Q(key__in=keys) | Q(table__in=audit.scope.tables), casino=casino_id)
    mine = [
        row for row in rows.select_related("report").order_by("id") if row.key in keys or (row.table, row.deal) in deals
    ]
    notes = _notes(casino_id, mine)
    found = [
        FollowedUp(
            number=place + 1 if (place := places.get(row.key, -1)) < count else 0,
            finding=place + 1 - count if place >= count else 0,
            code=row.code,
            table=row.table,
            deal=row.deal,
            bet=row.bet,
            serial=row.report.serial,
            found_at=row.found_at,
            owner=row.owner,
            due_on=row.due_on,
            outcome=row.outcome,
            settled_at=row.settled_at,
            settled_by=row.settled_by,
            note=notes.get(row.settled_sequence or 0) or "",
        )
        for row in mine
    ]
    return tuple(sorted(found, key=lambda each: each.number or count + (each.finding or len(keys) + 1)))


def note_found(report: Report, found: Iterable[Found], now: datetime) -> None:
    """Put on the list what is not on it yet, in the caller's transaction."""
    FollowUp.objects.bulk_create(
        (
            FollowUp(
                casino_id=report.casino_id,
                key=_key(each),
                report=report,
                code=each.code,
                table=each.table,
                deal=each.deal,
                bet=each.bet,
                amount_minor=each.amount_minor,
                currency=each.currency,
                found_at=now,
            )
            for each in found
        ),
        ignore_conflicts=True,
    )


def assign(pk: int, *, owner: str, due_on: date, author: Author, now: datetime) -> None:
    """Give an exception to a person of the house, until a day; again as often as needed, in the caller's transaction.

    Raises ReportRefused: unknown_exception, unknown_staff, settled_already; Refusal: not_allowed.
    """
    access.require(author, "exception.settle", None)
    item = _open(pk)
    if not Staff.objects.filter(casino=item.casino_id, number=owner, left_at__isnull=True).exists():
        raise ReportRefused(ReportCode.UNKNOWN_STAFF, f"There is nobody of the number {owner!r}.")
    append_to_casino(
        item.casino_id,
        "exception_assigned",
        {"due_on": due_on.isoformat(), "exception": item.pk, "key": item.key, "owner": owner},
        author=author.number,
        happened_at=now,
    )
    item.owner, item.due_on = owner, due_on
    item.save(update_fields=["owner", "due_on"])


def settle(pk: int, *, outcome: str, note: str, author: Author, now: datetime) -> None:
    """Say how an exception ended, in the caller's transaction. Once.

    Raises ReportRefused: unknown_exception, bad_outcome, settled_already; Refusal: not_allowed.
    """
    access.require(author, "exception.settle", None)
    item = _open(pk)
    if outcome not in FollowUp.Outcome.values or not note.strip() or len(note) > LONGEST_NOTE:
        raise ReportRefused(ReportCode.BAD_OUTCOME, "An outcome has its kind and a note.")
    receipt = append_to_casino(
        item.casino_id,
        "exception_settled",
        {"exception": item.pk, "key": item.key, "outcome": outcome},
        author=author.number,
        texts={"note": note.strip()},
        happened_at=now,
    )
    item.outcome, item.settled_at = outcome, now
    item.settled_by, item.settled_sequence = author.number, receipt.sequence
    item.save(update_fields=["outcome", "settled_at", "settled_by", "settled_sequence"])


def _open(pk: int) -> FollowUp:
    item = FollowUp.objects.select_for_update().filter(pk=pk).first()
    if item is None:
        raise ReportRefused(ReportCode.UNKNOWN_EXCEPTION, f"There is no exception {pk}.")
    if item.outcome:
        raise ReportRefused(ReportCode.SETTLED_ALREADY, f"Exception {pk} was settled by {item.settled_by}.")
    return item


@dataclass(frozen=True, slots=True)
class Listed:
    """An exception with the serial that names it and the note of its outcome, None where there is none or erased."""

    item: FollowUp
    serial: str
    note: str | None


def listed(casino_id: int, *, settled: bool, limit: int = 200) -> list[Listed]:
    """Read the exceptions that are open, the most pressing first, or those that were settled, the latest first."""
    rows = FollowUp.objects.filter(casino=casino_id, settled_at__isnull=not settled).select_related("report")
    order = ("-settled_at", "-id") if settled else ("due_on", "id")
    found = list(rows.order_by(*order)[:limit])
    notes = _notes(casino_id, found)
    return [Listed(item, item.report.serial, notes.get(item.settled_sequence or 0)) for item in found]


def _notes(casino_id: int, items: Iterable[FollowUp]) -> dict[int, str | None]:
    """Read what was written of outcomes, by the entry that carries it; None where it was erased."""
    sequences = [item.settled_sequence for item in items if item.settled_sequence]
    texts = Text.objects.filter(journal__casino_head__casino=casino_id, sequence__in=sequences, field="note")
    return dict(texts.values_list("sequence", "text"))
