"""Deeds of the audit: asking for a report, sending it to a worker, making it, calling it off.

A request is a row of the caller's transaction and goes to the broker on commit; a sweeper sends what the broker did
not take or a worker did not finish. Sending twice does no harm: a worker holds a lease on the row, and the file of a
report is written apart, forced to the disk and renamed before the row says that it is there.
"""

import logging
import os
import threading
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from kombu.exceptions import OperationalError as BrokerError

from audit import frozen, queries
from audit.as_it_stood import as_it_stood, say_live
from audit.bundle import DATA_SUFFIX, file_digest, members, write_bundle
from audit.follow_ups import Found, note_found, of_payout_audit, of_shift_report
from audit.models import Outbox, Report, ReportSeries, Seal
from audit.queries import ReportView
from audit.refusals import ReportCode, ReportRefused
from audit.reports.payout_audit import PayoutAudit
from audit.reports.payout_audit_pdf import write_payout_audit
from audit.reports.sheet import Imprint
from audit.reports.shift_report import ShiftReport
from audit.reports.shift_report_pdf import write_shift_report
from audit.signing import paper_signer, sign_paper
from tables import access
from tables.access import Author
from tables.journal import append_to_casino
from tables.models import Casino, Deal, Table
from tables.queries.shifts import shift_state

log = logging.getLogger(__name__)

TASK = "audit.tasks.make_report"
# A worker that is alive renews its lease long before it ends; one that was killed loses it soon.
LEASE = timedelta(seconds=15)
RENEW_SECONDS = 3.0
# Sent and not begun for so long: the broker may have lost it.
SEND_AGAIN = timedelta(seconds=30)
# A report that so many workers began and none ended is given up; somebody must look at it. Workers that are restarted
# or killed for another's sake must not come to it: with five, 200 kills gave up three reports in 200.
MOST_ATTEMPTS = 20

_PREFIX = {
    Report.Kind.PAYOUT_AUDIT.value: "PA",
    Report.Kind.SHIFT_REPORT.value: "SR",
    Report.Kind.BUNDLE.value: "BU",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants a report of.

    Without a table: all tables of the currency; without that too, a shift report has a part for each currency, and a
    payout audit takes the casino's own. A bundle is of one table or of all, under a seal, by default the last one.
    """

    kind: str
    language: str
    table: str = ""
    deal: str = ""
    since: datetime | None = None
    until: datetime | None = None
    gaming_date: date | None = None
    shift: int | None = None
    currency: str = ""
    seal: int | None = None
    as_of: datetime | None = None
    """Look at the record as it stood then; None: as it stands when the report is made."""


# Asking


def request_report(wish: Wish, *, author: Author | None, now: datetime, clock_revision: int | None = None) -> str:
    """Ask for a report in the caller's transaction and return its serial; it is sent when that commits.

    `author` None: asked from the shell, or, for a revision of a shift, by the clock. Raises ReportRefused:
    unknown_kind, unknown_language, unknown_table, unknown_deal, bad_scope, not_sealed; Refusal: not_allowed.
    """
    assert connection.in_atomic_block, "a request for a report is part of a transaction"
    if wish.kind not in Report.Kind.values:
        raise ReportRefused(ReportCode.UNKNOWN_KIND, f"There is no report {wish.kind!r}.")
    if wish.language not in dict(settings.LANGUAGES):
        raise ReportRefused(ReportCode.UNKNOWN_LANGUAGE, f"There is no report in the language {wish.language!r}.")
    table = Table.objects.select_related("casino").filter(code=wish.table).first() if wish.table else None
    if wish.table and table is None:
        raise ReportRefused(ReportCode.UNKNOWN_TABLE, f"There is no table {wish.table!r}.")
    if author is not None:
        # A bundle holds the casino's journal, whoever's pit the table is in.
        of_house = table is None or wish.kind == Report.Kind.BUNDLE
        access.require(author, "report.request", None if of_house or table is None else table.pit_id)
        if wish.kind == Report.Kind.BUNDLE:
            access.require(author, "read.journal", None)
    casino = table.casino if table else Casino.objects.order_by("id").first()
    if casino is None:
        raise ReportRefused(ReportCode.UNKNOWN_TABLE, "There is no casino on record.")
    _check_scope(wish, casino, table, now)
    seal = _seal(wish, casino, table)
    serial = _next_serial(casino, wish.kind, now)
    report = Report.objects.create(
        casino=casino,
        serial=serial,
        kind=wish.kind,
        language=wish.language,
        currency=_currency(wish, casino, table),
        table=table,
        deal=wish.deal,
        since=wish.since,
        until=wish.until,
        gaming_date=wish.gaming_date,
        shift=wish.shift,
        seal=seal,
        as_of=wish.as_of,
        clock_revision=clock_revision,
        asked_by=author.number if author else "shell" if clock_revision is None else "",
        asked_at=now,
    )
    Outbox.objects.create(report=report)
    transaction.on_commit(lambda: _send_quietly(report.pk))
    return serial


def _check_scope(wish: Wish, casino: Casino, table: Table | None, now: datetime) -> None:
    if wish.deal and table is None:
        raise ReportRefused(ReportCode.BAD_SCOPE, "A deal belongs to a table: name the table too.")
    if wish.deal and not Deal.objects.filter(table=table, name=wish.deal).exists():
        raise ReportRefused(ReportCode.UNKNOWN_DEAL, f"Table {wish.table!r} has no deal {wish.deal!r}.")
    if wish.gaming_date is not None and not 1000 < wish.gaming_date.year < 9999:
        raise ReportRefused(ReportCode.BAD_SCOPE, f"On {wish.gaming_date} no table was open.")
    if wish.shift is not None:
        day = wish.gaming_date
        if day is None or shift_state(casino.pk, day, wish.shift) is None:
            raise ReportRefused(ReportCode.BAD_SCOPE, f"Gaming day {day} has no shift {wish.shift}.")
    if wish.since and wish.until and wish.until <= wish.since:
        raise ReportRefused(ReportCode.BAD_SCOPE, "A period ends after it begins.")
    if wish.kind == Report.Kind.SHIFT_REPORT and (wish.gaming_date is None or wish.since or wish.until or wish.deal):
        raise ReportRefused(ReportCode.BAD_SCOPE, "A shift report is about a shift or a gaming day, nothing less.")

    if wish.as_of is not None and not datetime(1970, 1, 1, tzinfo=UTC) < wish.as_of <= now:
        raise ReportRefused(ReportCode.BAD_SCOPE, "How the record stood can be said of a past moment.")
    if wish.kind == Report.Kind.BUNDLE:
        narrower = (wish.deal, wish.since, wish.until, wish.gaming_date, wish.shift, wish.currency, wish.as_of)
        if any(narrower):
            raise ReportRefused(ReportCode.BAD_SCOPE, "A bundle is of one table or of all, up to a seal.")
    elif wish.seal is not None:
        raise ReportRefused(ReportCode.BAD_SCOPE, "Only a bundle is of a seal.")


def _seal(wish: Wish, casino: Casino, table: Table | None) -> Seal | None:
    """Find the seal that a bundle is of."""
    if wish.kind != Report.Kind.BUNDLE:
        return None
    seals = Seal.objects.filter(casino=casino)
    if table is not None:
        seals = seals.filter(heads__journal=f"table:{table.code}")
    if wish.seal is not None:
        seals = seals.filter(number=wish.seal)
    found = seals.order_by("-number").first()
    if found is None:
        which = "Nothing" if wish.seal is None else f"No seal {wish.seal}"
        of_table = "" if table is None else f" of table {table.code}"
        raise ReportRefused(ReportCode.NOT_SEALED, f"{which}{of_table} was made: manage.py seal makes one.")
    return found


def _currency(wish: Wish, casino: Casino, table: Table | None) -> str:
    """Say of which currency a report is: an audit adds up one, a shift report has a part for each (empty: all)."""
    if table is not None and wish.kind != Report.Kind.BUNDLE:
        return table.currency
    if wish.currency or wish.kind in (Report.Kind.SHIFT_REPORT, Report.Kind.BUNDLE):
        return wish.currency
    found = list(Table.objects.filter(casino=casino).values_list("currency", flat=True).distinct()[:2])
    return found[0] if len(found) == 1 else casino.currency


def _next_serial(casino: Casino, kind: str, now: datetime) -> str:
    """Give the next number of the year; the row's lock makes a rolled-back request leave no gap."""
    year = now.astimezone(ZoneInfo(casino.time_zone)).year
    ReportSeries.objects.bulk_create([ReportSeries(casino=casino, kind=kind, year=year)], ignore_conflicts=True)
    series = ReportSeries.objects.select_for_update().get(casino=casino, kind=kind, year=year)
    series.last += 1
    series.save(update_fields=["last"])
    house = "" if casino.pk == Casino.objects.order_by("id").values_list("id", flat=True)[0] else f"{casino.pk}-"
    return f"{_PREFIX[kind]}-{house}{year}-{series.last:06d}"


def cancel_report(serial: str, *, author: Author | None) -> None:
    """Call a report off, in the caller's transaction; whoever makes it stops at the next page.

    Raises ReportRefused: unknown_report, report_finished; Refusal: not_allowed.
    """
    report = Report.objects.select_for_update(of=("self",)).select_related("table").filter(serial=serial).first()
    if report is None:
        raise ReportRefused(ReportCode.UNKNOWN_REPORT, f"There is no report {serial!r}.")
    if author is not None:
        access.require(author, "report.request", queries.report_view(report).pit_id)
    if report.state not in (Report.State.REQUESTED, Report.State.RUNNING):
        raise ReportRefused(ReportCode.REPORT_FINISHED, f"Report {serial} is {report.state} already.")
    _call_off(report)


def _call_off(report: Report) -> None:
    report.state = Report.State.CANCELLED
    report.lease_holder = report.lease_until = None
    report.save(update_fields=["state", "lease_holder", "lease_until"])
    Outbox.objects.filter(report=report).delete()


# Sending


def send(report_id: int) -> None:
    """Hand a report to the broker and note that it took it. Raises kombu's OperationalError if it did not."""
    if not settings.CELERY_BROKER_URL:
        raise BrokerError("CELERY_BROKER_URL names no broker")
    current_app.send_task(TASK, args=[report_id])
    Outbox.objects.filter(report_id=report_id).update(sent_at=Now(), sendings=F("sendings") + 1)


def _send_quietly(report_id: int) -> None:
    try:
        send(report_id)
    except BrokerError:
        log.warning("the broker did not take report %s; the sweeper sends it again", report_id)


def sweep() -> int:
    """Send what was not sent, not begun, or begun by a worker that is dead. Returns how many it sent.

    What dead workers have left on the disk is removed.
    """
    _sweep_parts()
    in_vain = Report.objects.filter(state=Report.State.RUNNING, attempt__gte=MOST_ATTEMPTS, lease_until__lt=Now())
    for report_id in list(in_vain.values_list("pk", flat=True)):
        given_up = in_vain.filter(pk=report_id).update(
            state=Report.State.FAILED,
            problem=f"{MOST_ATTEMPTS} workers began it and none ended",
            lease_holder=None,
            lease_until=None,
            finished_at=Now(),
        )
        if given_up:
            _sweep_files(report_id)
    Outbox.objects.filter(report__state__in=[Report.State.DONE, Report.State.FAILED]).delete()
    unbegun = Q(report__state=Report.State.REQUESTED) & (Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - SEND_AGAIN))
    orphaned = Q(report__state=Report.State.RUNNING, report__lease_until__lt=Now())
    due = Outbox.objects.filter(unbegun | orphaned)
    sent = 0
    for report_id in due.values_list("report_id", flat=True):
        try:
            send(report_id)
        except BrokerError:
            log.warning("the broker takes nothing; %d sent", sent)
            break
        sent += 1
    return sent


# Making


class LeaseLost(Exception):
    """The report is not ours to make any more."""


class Lease:
    """A worker's hold on a report: renewed by a thread while the report is made, lost when somebody else took it."""

    def __init__(self, report_id: int, holder: UUID, attempt: int) -> None:
        self.report_id = report_id
        self.holder = holder
        self.attempt = attempt
        self.pages = 0
        self._lost = threading.Event()
        self._done = threading.Event()

    @property
    def lost(self) -> bool:
        """Whether somebody else has the report, or it was called off."""
        return self._lost.is_set()

    def page(self, number: int) -> None:
        """Note a page done. Raises LeaseLost."""
        self.pages = number
        if self.lost:
            raise LeaseLost

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Renew the lease every few seconds until the block ends, however it ends."""
        thread = threading.Thread(target=self._renew, name=f"lease {self.report_id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._done.set()
            thread.join()

    def _renew(self) -> None:
        try:
            while not self._done.wait(RENEW_SECONDS):
                held = Report.objects.filter(pk=self.report_id, lease_holder=self.holder).update(
                    lease_until=Now() + LEASE, pages_done=self.pages
                )
                if not held:
                    self._lost.set()
                    return
        except Exception:
            # Without a database the lease ends by itself; the work goes on and finds out when it wants to finish.
            log.exception("the lease of report %s could not be renewed", self.report_id)
        finally:
            connection.close()


def take_lease(report_id: int) -> Lease | None:
    """Take a report that nobody holds; None if somebody does, or if it is finished."""
    holder = uuid4()
    taken = (
        Report.objects.filter(pk=report_id, attempt__lt=MOST_ATTEMPTS)
        .filter(Q(state=Report.State.REQUESTED) | Q(state=Report.State.RUNNING, lease_until__lt=Now()))
        .update(
            state=Report.State.RUNNING,
            lease_holder=holder,
            lease_until=Now() + LEASE,
            attempt=F("attempt") + 1,
            pages_done=0,
        )
    )
    if not taken:
        return None
    attempt = Report.objects.values_list("attempt", flat=True).get(pk=report_id)
    return Lease(report_id, holder, attempt)


def make(report_id: int, *, now: datetime) -> bool:
    """Make a report if nobody else does, and return whether it was made here.

    Whatever kills the process on the way leaves no report that looks finished: the lease ends, and the next one who
    takes it begins anew. A fault of the program is kept with the report, which has then failed.
    """
    lease = take_lease(report_id)
    if lease is None:
        return False
    try:
        with lease.kept():
            part, final = _paths(report_id, lease.attempt)
            pages, imprint, found = _write(report_id, lease, part, now)
            signature = _sign(part, imprint.licensee) if final.suffix == ".pdf" else {}
            os.replace(part, final)
            if _data(part).exists():
                os.replace(_data(part), _data(final))
            _sync_directory(final.parent)
        return _finish(report_id, lease, final, pages, imprint, signature, found, now=now)
    except LeaseLost:
        _sweep_files(report_id)
        return False
    except DatabaseError:
        # The record could not be read or written just now: the lease ends by itself and the sweeper sends it again.
        log.exception("report %s was interrupted", report_id)
        raise
    except Exception as problem:
        log.exception("report %s failed", report_id)
        Report.objects.filter(pk=report_id, lease_holder=lease.holder).update(
            state=Report.State.FAILED,
            problem=_in_words(problem),
            lease_holder=None,
            lease_until=None,
            finished_at=Now(),
        )
        Outbox.objects.filter(report_id=report_id).delete()
        _sweep_files(report_id)
        raise


def _in_words(problem: Exception) -> str:
    """Say why a report failed; of a disk what is wrong with it, and not where it is."""
    if isinstance(problem, OSError) and problem.strerror:
        return f"The file could not be written: {problem.strerror}"
    return f"{type(problem).__name__}: {problem}"[:2000]


def _paths(report_id: int, attempt: int) -> tuple[Path, Path]:
    serial, kind = Report.objects.values_list("serial", "kind").get(pk=report_id)
    directory = queries.reports_directory()
    directory.mkdir(parents=True, exist_ok=True)
    return directory / f"{serial}.{attempt}.part", directory / f"{serial}.{attempt}.{queries.extension(kind)}"


def _data(path: Path) -> Path:
    """Return where the data lies, finished or not, from which the file of a report, finished or not, is printed."""
    return path.with_suffix(".data.part" if path.suffix == ".part" else DATA_SUFFIX)


def _write(report_id: int, lease: Lease, part: Path, now: datetime) -> tuple[int, Imprint, Sequence[Found]]:
    """Write the report's pages, or a bundle's members; return how many, their imprint and what has to be settled."""
    report = Report.objects.select_related("casino", "table", "seal__casino").get(pk=report_id)
    zone = ZoneInfo(report.casino.time_zone)
    found: Sequence[Found] = ()
    with part.open("wb") as file:
        if report.kind == Report.Kind.PAYOUT_AUDIT:
            with _snapshot(report.as_of):
                audit = queries.payout_audit(report_id, now)
            _freeze(audit, report, part)
            _expect(report_id, 3 + audit.total.settlements // 60)
            imprint, found = audit.imprint, of_payout_audit(audit)
            pages = write_payout_audit(audit, file, language=report.language, zone=zone, on_page=lease.page)
        elif report.kind == Report.Kind.BUNDLE:
            assert report.seal is not None, "a constraint of the row says so"
            imprint = queries.imprint(report, now)
            _expect(report_id, members(report.seal, report.table))
            with _snapshot():
                pages = write_bundle(file, report.seal, report.table, on_member=lease.page)
        else:
            with _snapshot(report.as_of):
                shift = queries.shift_report(report_id, now)
            _freeze(shift, report, part)
            _expect(report_id, 2 * len(shift.parts))
            imprint, found = shift.imprint, of_shift_report(shift)
            pages = write_shift_report(shift, file, language=report.language, zone=zone, on_page=lease.page)
        _sync(file)
    return pages, imprint, found


def _freeze(data: PayoutAudit | ShiftReport, report: Report, part: Path) -> None:
    """Keep what a paper is printed from."""
    origin = frozen.Origin(
        serial=report.serial,
        kind=report.kind,
        language=report.language,
        zone=report.casino.time_zone,
        version=settings.VERSION,
        build=settings.BUILD,
    )
    with _data(part).open("wb") as file:
        frozen.freeze(data, origin, file)
        _sync(file)


def print_again(report: ReportView, out: Path) -> tuple[bool, frozen.Origin]:
    """Print a finished report again from the data that was kept with it, without a signature.

    Returns whether its finished file begins with these bytes, and what printed that. Raises ReportRefused:
    unknown_report, file_differs.
    """
    finished, kept = queries.file_of(report), queries.data_of(report)
    with kept.open("rb") as data:
        origin = frozen.origin_of(data)
        data.seek(0)
        zone = ZoneInfo(origin.zone)
        with out.open("wb") as file:
            if report.kind == Report.Kind.PAYOUT_AUDIT:
                write_payout_audit(frozen.thaw(PayoutAudit, data), file, language=origin.language, zone=zone)
            else:
                write_shift_report(frozen.thaw(ShiftReport, data), file, language=origin.language, zone=zone)
    with finished.open("rb") as file:
        begins = file.read(out.stat().st_size)
    return begins == out.read_bytes(), origin


def _sign(part: Path, house: str) -> dict[str, object]:
    """Put the house's signature behind a paper, if it has a key for that, and say what was signed.

    The file begins with the bytes that were there before, whose digest depends on the record and the build alone.
    """
    signer = paper_signer()
    if signer is None:
        return {}
    said = {
        "certificate": signer.sha256,
        "unsigned_sha256": file_digest(part),
        "unsigned_size": part.stat().st_size,
    }
    signed = part.with_suffix(".signed")
    with part.open("rb") as unsigned, signed.open("w+b") as file:
        sign_paper(unsigned, file, signer, house=house)
        _sync(file)
    os.replace(signed, part)
    return said


@contextmanager
def _snapshot(as_of: datetime | None = None) -> Iterator[None]:
    """See the record as it stands, or stood, at one moment, and read only."""
    outermost = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if outermost:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with nullcontext() if as_of is None else as_it_stood(as_of):
            if as_of is not None:
                say_live(queries.live_deals())
            if outermost:
                cursor.execute("SET TRANSACTION READ ONLY")
            yield


def _expect(report_id: int, pages: int) -> None:
    Report.objects.filter(pk=report_id).update(pages_expected=pages)


def _sync(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _finish(
    report_id: int,
    lease: Lease,
    final: Path,
    pages: int,
    imprint: Imprint,
    signature: dict[str, object],
    found: Sequence[Found],
    *,
    now: datetime,
) -> bool:
    """Say in the row and in the casino's journal that the report is there, if it is still ours to say."""
    digest, size = file_digest(final), final.stat().st_size
    data = file_digest(_data(final)) if _data(final).exists() else ""
    with transaction.atomic():
        report = (
            Report.objects.select_for_update(of=("self",))
            .filter(pk=report_id, state=Report.State.RUNNING, lease_holder=lease.holder)
            .first()
        )
        if report is not None and not _still_wanted(report, imprint):
            _call_off(report)
            report = None
        if report is not None:
            receipt = append_to_casino(
                report.casino_id,
                "report",
                {
                    "kind": report.kind,
                    "language": report.language,
                    "pages": pages,
                    "revision": imprint.revision,
                    "serial": report.serial,
                    "sha256": digest,
                    "size": size,
                    "stage": imprint.status,
                    **({"data_sha256": data} if data else {}),
                    **({"as_of": imprint.as_of.astimezone(UTC).isoformat()} if imprint.as_of else {}),
                    **signature,
                },
                author=report.asked_by,
            )
            report.state = Report.State.DONE
            report.revision, report.stage = imprint.revision, imprint.status
            report.file = final.name
            report.sha256, report.data_sha256 = digest, data
            report.size = size
            report.pages_done = report.pages_expected = pages
            report.journal_sequence = receipt.sequence
            report.finished_at = Now()
            report.lease_holder = report.lease_until = None
            report.save()
            Outbox.objects.filter(report=report).delete()
            if imprint.status == "final" and imprint.as_of is None:
                note_found(report, found, now)
            # While the lease is ours: whoever is killed after the commit cleans up no more.
            _remove_all_but({final.name, _data(final).name}, report.serial)
    if report is None:
        _sweep_files(report_id)
    return report is not None


def _still_wanted(report: Report, imprint: Imprint) -> bool:
    """Whether a report of the clock is the only one of its revision: its shift may have gone on while it waited."""
    if report.clock_revision is None or report.clock_revision == imprint.revision:
        return True
    same = Report.objects.filter(
        casino=report.casino_id,
        gaming_date=report.gaming_date,
        shift=report.shift,
        kind=report.kind,
        currency=report.currency,
        clock_revision=imprint.revision,
    )
    if same.exists():
        return False
    report.clock_revision = imprint.revision
    return True


def _sweep_files(report_id: int) -> None:
    """Remove what attempts have left that did not become the report."""
    report = Report.objects.filter(pk=report_id).values("serial", "file", "state").get()
    if report["state"] in (Report.State.REQUESTED, Report.State.RUNNING):
        return
    kept = {report["file"], _data(Path(report["file"])).name} if report["file"] else set()
    _remove_all_but(kept, report["serial"])


def _remove_all_but(kept: Container[str], serial: str) -> None:
    for path in queries.reports_directory().glob(f"{serial}.*"):
        if path.name not in kept:
            path.unlink(missing_ok=True)


def _sweep_parts() -> None:
    """Remove the parts of files that killed workers have left of reports that were then finished, or called off."""
    serials = {path.name.partition(".")[0] for path in queries.reports_directory().glob("*.part")}
    for report_id in Report.objects.filter(serial__in=serials).values_list("pk", flat=True):
        _sweep_files(report_id)
