"""Reads of the audit: a period of the record as values for the reports, and how the reports stand. It writes nothing.

Facts are read a batch of deals at a time, each kind with one statement, so that a long period takes little memory.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q, QuerySet

from audit import second_engine
from audit.bundle import DATA_SUFFIX, Digest, file_digest, write_bundle
from audit.checks.chain import START, ChainCheck, StoredEntry
from audit.checks.deals import settle_again
from audit.checks.records import BetRow, CardRow, CorrectionRow, DealRecord, EventEntry, SettlementRow
from audit.follow_ups import followed_up
from audit.models import Report, Seal, SealHead
from audit.refusals import ReportCode, ReportRefused
from audit.reports.payout_audit import Annexed, JournalRange, PayoutAudit, Scope, SealedJournal, Second, put_together
from audit.reports.sheet import Imprint, SealOnPaper
from audit.reports.shift_report import Floor, ShiftReport, Spell, put_shift_together
from audit.seals import Tree
from tables.models import (
    Adjustment,
    Bet,
    Card,
    Casino,
    Correction,
    Deal,
    Entry,
    Opening,
    RulesVersion,
    Settlement,
    Table,
    TableHead,
    Text,
    WaitingCorrection,
)
from tables.queries.alerts import raised_between
from tables.queries.books import booked_elsewhere, books_of_days, incidents, inventories, totals
from tables.queries.cards import reconciliation
from tables.queries.console import mispays_of
from tables.queries.devices import failed_attempts, fared
from tables.queries.disputes import disputes_of_deals
from tables.queries.movements import corrected_movements
from tables.queries.notes import notes_between
from tables.queries.people import duties
from tables.queries.shifts import Amendment, ShiftState, shifts_of_day
from tables.queries.slips import drops_of, series_report, slips_between
from tables.rules.terms import minor_digits

# Deals whose facts are held at once.
BATCH = 20
ERASED = "[erased]"
# Version of the engine that settles at the tables; raised with every change that would alter a stored settlement.
ENGINE = "A 1"


@dataclass(frozen=True, slots=True)
class ReportView:
    """A report as it stands, for pages and API."""

    id: int
    serial: str
    revision: int
    kind: str
    language: str
    currency: str
    table: str
    table_code: str
    pit_id: int | None
    deal: str
    since: datetime | None
    until: datetime | None
    gaming_date: date | None
    shift: int | None
    seal: int | None
    """Number of the seal that a bundle is of."""
    as_of: datetime | None
    stage: str
    asked_by: str
    asked_at: datetime
    state: str
    attempt: int
    pages_done: int
    pages_expected: int
    finished_at: datetime | None
    file: str
    size: int
    sha256: str
    data_sha256: str
    journal_sequence: int | None
    problem: str
    superseded: bool = False
    """Something arrived in its shift after it was made."""
    successor: str = ""
    """Serial of the last finished report of the same scope in a later revision."""

    @property
    def status(self) -> str:
        """What holds of it now: draft, final, superseded. What its paper says never changes."""
        return "superseded" if self.superseded else self.stage

    @property
    def extension(self) -> str:
        return extension(self.kind)

    @property
    def finished(self) -> bool:
        return self.state in (Report.State.DONE, Report.State.FAILED, Report.State.CANCELLED)


def extension(kind: str) -> str:
    """Say how the name of a report's file ends."""
    return "zip" if kind == Report.Kind.BUNDLE else "pdf"


def report_view(report: Report) -> ReportView:
    """Turn a row, selected with its table and seal, into a view."""
    table = report.table
    # A bundle holds the casino's journal, so it is the house's, not the pit's.
    of_pit = table is not None and report.kind != Report.Kind.BUNDLE
    return ReportView(
        id=report.pk,
        serial=report.serial,
        revision=report.revision,
        kind=report.kind,
        language=report.language,
        currency=report.currency,
        table=table.name if table else "",
        table_code=table.code if table else "",
        pit_id=table.pit_id if table and of_pit else None,
        deal=report.deal,
        since=report.since,
        until=report.until,
        gaming_date=report.gaming_date,
        shift=report.shift,
        seal=report.seal.number if report.seal else None,
        as_of=report.as_of,
        stage=report.stage,
        asked_by=report.asked_by,
        asked_at=report.asked_at,
        state=report.state,
        attempt=report.attempt,
        pages_done=report.pages_done,
        pages_expected=report.pages_expected,
        finished_at=report.finished_at,
        file=report.file,
        size=report.size,
        sha256=report.sha256,
        data_sha256=report.data_sha256,
        journal_sequence=report.journal_sequence,
        problem=report.problem,
    )


def reports_directory() -> Path:
    """Return where finished reports are kept."""
    return Path(settings.MEDIA_ROOT) / "reports"


def file_of(report: ReportView) -> Path:
    """Find a finished report's file, checked against its SHA-256.

    Raises ReportRefused: unknown_report where it is not finished, file_differs where it is not the file made.
    """
    if not report.file:
        raise ReportRefused(ReportCode.UNKNOWN_REPORT, f"Report {report.serial} has no file: it is {report.state}.")
    path = reports_directory() / report.file
    if not path.is_file() or file_digest(path) != report.sha256:
        raise ReportRefused(ReportCode.FILE_DIFFERS, f"The file of {report.serial} is not the one that was made.")
    return path


def data_of(report: ReportView) -> Path:
    """Find the data that a finished report was printed from, checked against its SHA-256.

    Raises ReportRefused: unknown_report where none was kept, file_differs where it is not what was kept.
    """
    if not report.data_sha256:
        raise ReportRefused(ReportCode.UNKNOWN_REPORT, f"Of report {report.serial} no data was kept.")
    path = (reports_directory() / report.file).with_suffix(DATA_SUFFIX)
    if not path.is_file() or file_digest(path) != report.data_sha256:
        raise ReportRefused(ReportCode.FILE_DIFFERS, f"The data of {report.serial} is not what was kept.")
    return path


def report_by_serial(serial: str) -> ReportView | None:
    """Read one report."""
    report = Report.objects.select_related("table", "seal").filter(serial=serial).first()
    return None if report is None else _with_status([report])[0]


def report_by_digest(sha256: str) -> ReportView | None:
    """Read the finished report whose file has this SHA-256."""
    report = Report.objects.select_related("table", "seal").filter(sha256=sha256, state=Report.State.DONE).first()
    return None if report is None else _with_status([report])[0]


@dataclass(frozen=True, slots=True)
class Search:
    """Which reports are looked for; what is empty says nothing."""

    words: str = ""
    """A part of the serial, the beginning of the SHA-256, or who asked."""
    kind: str = ""
    table: str = ""
    state: str = ""
    since: date | None = None
    until: date | None = None
    """Gaming days, both inclusive; of a report without one, the day on which it was asked for (UTC)."""


def latest_reports(
    *,
    before: int | None = None,
    limit: int = 50,
    search: Search | None = None,
    pits: frozenset[int] | None = None,
) -> tuple[ReportView, ...]:
    """Read the latest reports, newest first; `before` is the id of the last one already seen.

    `pits`: only those of tables in these pits, and no bundles; None: all.
    """
    rows = Report.objects.select_related("table", "seal").order_by("-id")
    if pits is not None:
        rows = rows.filter(table__pit__in=pits).exclude(kind=Report.Kind.BUNDLE)
    if search is not None:
        rows = rows.filter(_wanted(search))
    if before is not None:
        rows = rows.filter(id__lt=min(before, 2**63 - 1))
    return _with_status(list(rows[:limit]))


def _wanted(search: Search) -> Q:
    wanted = Q()
    if words := search.words.strip():
        wanted &= Q(serial__icontains=words) | Q(sha256__istartswith=words) | Q(asked_by__iexact=words)
    for column, value in (("kind", search.kind), ("table__code", search.table), ("state", search.state)):
        if value:
            wanted &= Q(**{column: value})
    for bound, day in (("gte", search.since), ("lte", search.until)):
        if day is not None:
            dated = Q(gaming_date__isnull=False, **{f"gaming_date__{bound}": day})
            wanted &= dated | Q(gaming_date__isnull=True, **{f"asked_at__date__{bound}": day})
    return wanted


def _with_status(reports: Sequence[Report]) -> tuple[ReportView, ...]:
    """Say of each report whether its shift has gone on since, reading each gaming day once."""
    days: dict[tuple[int, date], Sequence[ShiftState]] = {}
    views = []
    for report in reports:
        view = report_view(report)
        if report.state == Report.State.DONE and report.gaming_date is not None:
            key = report.casino_id, report.gaming_date
            if key not in days:
                days[key] = shifts_of_day(*key)
            now_at, _amendments = _revision(report, days[key])
            if report.stage == Report.Stage.FINAL and now_at != report.revision:
                view = replace(view, superseded=True, successor=_successor(report))
        views.append(view)
    return tuple(views)


def _same_scope(report: Report) -> QuerySet[Report]:
    """Select the finished reports that are about the same, in the same language."""
    same = (
        *("casino_id", "kind", "language", "currency", "table_id", "deal", "gaming_date", "shift"),
        *("since", "until", "as_of"),
    )
    return Report.objects.filter(state=Report.State.DONE, **{name: getattr(report, name) for name in same})


def _successor(report: Report) -> str:
    later = _same_scope(report).filter(id__gt=report.pk, revision__gt=report.revision).order_by("-revision", "-id")
    return later.values_list("serial", flat=True).first() or ""


def _revision(report: Report, states: Sequence[ShiftState]) -> tuple[int, tuple[Amendment, ...]]:
    """Say in which revision the shifts of a report's scope stand, 0 while one is open, and what amended them."""
    mine = [state for state in states if report.shift is None or state.shift.number == report.shift]
    amendments = tuple(
        each
        for state in mine
        for each in state.amendments
        if report.table is None or each.table in ("", report.table.code)
    )
    closed = all(state.closed_at is not None for state in mine if state.openings or report.shift is not None)
    opened = any(state.openings for state in mine)
    return (1 + len(amendments) if closed and opened else 0), amendments


@dataclass(frozen=True, slots=True)
class House:
    """What the pages need of the casino."""

    name: str
    zone: ZoneInfo


def house() -> House:
    """Read the casino of this service; before there is one, times are UTC."""
    casino = Casino.objects.order_by("id").first()
    return House("", ZoneInfo("UTC")) if casino is None else House(casino.name, ZoneInfo(casino.time_zone))


def casino_id() -> int | None:
    """Name the casino of this service, None before there is one."""
    return Casino.objects.order_by("id").values_list("id", flat=True).first()


def latest_seals(casino_id: int, *, before: int | None = None, limit: int) -> list[Seal]:
    """Read the latest seals with their keys, newest first; `before` is the number of the last one already seen."""
    found = Seal.objects.filter(casino=casino_id).select_related("key").order_by("-number")
    if before is not None:
        found = found.filter(number__lt=min(before, 2**31 - 1))
    return list(found[:limit])


@dataclass(frozen=True, slots=True)
class SealedEntry:
    """An entry and the first seal that it lies under, None where it lies under none yet."""

    journal: str
    sequence: int
    type: str
    recorded_at: datetime
    seal: int | None


def entries_under_seals(casino_id: int, journal: str, sequences: Sequence[int]) -> list[SealedEntry]:
    """Read entries of a journal, and under which seal each lies."""
    heads = list(
        SealHead.objects.filter(seal__casino=casino_id, journal=journal)
        .order_by("seal__number")
        .values_list("sequence", "seal__number")
    )
    rows = Entry.objects.filter(journal__name=journal, sequence__in=sequences).order_by("sequence")
    return [
        SealedEntry(
            journal,
            sequence,
            type_,
            recorded_at,
            next((number for reached, number in heads if reached >= sequence), None),
        )
        for sequence, type_, recorded_at in rows.values_list("sequence", "type", "recorded_at")
    ]


@dataclass(frozen=True, slots=True)
class TableChoice:
    """A table that a report can be about."""

    code: str
    name: str
    game: str
    currency: str


def tables_to_choose() -> tuple[TableChoice, ...]:
    """Read all tables, by name."""
    rows = Table.objects.order_by("name", "code").values_list("code", "name", "game", "currency")
    return tuple(TableChoice(*row) for row in rows)


# The payout audit


def payout_audit(report_id: int, now: datetime) -> PayoutAudit:
    """Read the record of a report's scope, settle it again and return the audit."""
    report = Report.objects.select_related("table", "casino").get(pk=report_id)
    deals = _deals_of(report)
    names = dict(deals.order_by("table__name").values_list("table__code", "table__name").distinct())
    journals: list[tuple[JournalRange, int, Sequence[str]]] = []
    scope = Scope(
        tuple(dict.fromkeys(names.values())) or ((report.table.name,) if report.table else ()),
        deal=report.deal,
        since=report.since,
        until=report.until,
        gaming_date=report.gaming_date,
        shift=report.shift,
    )
    audit = put_together(
        imprint=imprint(report, now),
        scope=scope,
        currency=report.currency,
        digits=minor_digits(report.currency),
        engine=ENGINE,
        second=_second(deals),
        deals=_records(deals, journals, to_the_head=not (report.deal or report.until or report.gaming_date)),
        journals=journals,
        zone=ZoneInfo(report.casino.time_zone),
        rulings=[
            replace(each, table=names[each.table])
            for each in disputes_of_deals(deals.order_by().values_list("id", flat=True))
        ],
        mispays=mispays_of(deals=deals.order_by().values_list("id", flat=True)),
        annexed=_annexed(report, names_of={f"table:{code}" for code in deals.values_list("table__code", flat=True)}),
    )
    return replace(audit, follow_ups=followed_up(report.casino_id, audit))


def _annexed(report: Report, names_of: set[str]) -> Annexed | None:
    """Say how the journals of a scope lie under the newest seal, and what their bundle's bytes are.

    The bundle is not kept: whoever asks for it gets these bytes (docs/decisions/bundle.md).
    """
    seal = _newest_seal(report.casino_id)
    if seal is None:
        return None
    heads = list(seal.heads.order_by("position"))
    tree = Tree(head.text.encode() for head in heads)
    sealed = [
        SealedJournal(
            name=head.journal,
            sequence=head.sequence,
            root=json.loads(head.text)["root"],
            index=head.position,
            path=tuple(step.hex() for step in tree.inclusion(head.position, len(heads))),
        )
        for head in heads
        if head.journal in names_of
    ]
    if not sealed:
        return None
    digest = Digest()
    table = report.table if report.table is not None and f"table:{report.table.code}" in names_of else None
    write_bundle(digest, seal, table)
    return Annexed(
        seal_sha256=seal.hash,
        signature=seal.signature,
        key=seal.key.key,
        size=len(heads),
        journals=tuple(sealed),
        bundle_table=table.code if table else "",
        bundle_sha256=digest.hash.hexdigest(),
        bundle_size=digest.size,
    )


def _newest_seal(casino_id: int) -> Seal | None:
    return Seal.objects.filter(casino=casino_id).select_related("casino", "key").order_by("-number").first()


def _second(deals: QuerySet[Deal]) -> Second:
    """Let the second engine recompute the same deals."""
    found: dict[int, list[second_engine.Difference]] = defaultdict(list)
    ids = list(deals.order_by().values_list("id", flat=True))
    if ids:
        for difference in second_engine.recompute(deals=ids):
            found[difference.deal_id].append(difference)
    return Second(f"B {second_engine.VERSION}", found)


def imprint(report: Report, now: datetime) -> Imprint:
    """Say what a report says about itself on every page."""
    casino = report.casino
    if report.gaming_date is not None:
        revision, _amendments = _revision(report, shifts_of_day(casino.pk, report.gaming_date))
    elif report.kind == Report.Kind.BUNDLE:
        revision = 1  # what lies under a seal does not change
    else:
        # A deal that is being played is settled further: until it ends, what is said of it is not the last word.
        revision = 0 if TableHead.objects.filter(live_deal__in=_deals_of(report).order_by()).exists() else 1
    licensee = f"{casino.name}, {casino.licence}" if casino.licence else casino.name
    address = settings.SITE_URL.rstrip("/")
    seal = _newest_seal(casino.pk)
    return Imprint(
        licensee=licensee,
        serial=report.serial,
        revision=revision,
        status="final" if revision else "draft",
        asked_by=report.asked_by,
        generated_at=now,
        version=settings.VERSION,
        build=settings.BUILD,
        verify_url=f"{address}/verify/{report.serial}" if address else "",
        demonstration=casino.demonstration,
        seal=None if seal is None else SealOnPaper(seal.number, _day_of(seal, ZoneInfo(casino.time_zone)), seal.root),
        as_of=report.as_of,
    )


def _day_of(seal: Seal, zone: ZoneInfo) -> date:
    return seal.gaming_date or seal.sealed_at.astimezone(zone).date()


def _deals_of(report: Report) -> QuerySet[Deal]:
    """Select the deals of a report's scope, table by table in the order in which they were dealt."""
    deals = Deal.objects.filter(table__casino=report.casino)
    if report.currency:
        deals = deals.filter(table__currency=report.currency)
    if report.table_id is not None:
        deals = deals.filter(table=report.table_id)
    if report.deal:
        deals = deals.filter(name=report.deal)
    if report.gaming_date is not None:
        deals = deals.filter(gaming_date=report.gaming_date)
    if report.shift is not None:
        # An opening from before there were plans of shifts is of the first.
        of_shift = Q(opening__shift=report.shift)
        deals = deals.filter(of_shift | Q(opening__shift=None) if report.shift == 1 else of_shift)
    if report.since is not None or report.until is not None:
        # When a deal was opened says the entry that opened it.
        opened = Entry.objects.filter(type="deal")
        if report.since is not None:
            opened = opened.filter(happened_at__gte=report.since)
        if report.until is not None:
            opened = opened.filter(happened_at__lt=report.until)
        pairs = opened.filter(journal__table_head__table__casino=report.casino).values_list(
            "journal__table_head__table_id", "sequence"
        )
        wanted: dict[int, set[int]] = defaultdict(set)
        for table_id, sequence in pairs:
            wanted[table_id].add(sequence)
        ids = [
            pk
            for pk, table_id, sequence in deals.values_list("id", "table_id", "sequence")
            if sequence in wanted.get(table_id, ())
        ]
        deals = deals.filter(id__in=ids)
    return deals.select_related("table__pit", "rules_version").order_by("table__name", "table_id", "number")


def _records(
    deals: QuerySet[Deal], journals: list[tuple[JournalRange, int, Sequence[str]]], *, to_the_head: bool
) -> Iterator[DealRecord]:
    """Yield the deals with all that is on record of them, and put each table's part of its journal into `journals`.

    The part runs from the entry that opened the first deal (from the very first where the scope is everything) to
    the last one before the deal that follows the scope.
    """
    by_table: dict[int, list[Deal]] = defaultdict(list)
    for deal in deals:
        by_table[deal.table_id].append(deal)
    for table_id, of_table in by_table.items():
        head = TableHead.objects.select_related("journal").get(table_id=table_id)
        journal_id, name = head.journal_id, head.journal.name
        first = 1 if to_the_head else of_table[0].sequence
        previous: str | None = START
        if first > 1:
            rows = Entry.objects.filter(journal_id=journal_id, sequence=first - 1)
            previous = rows.values_list("hash", flat=True).first()
        following = (
            Deal.objects.filter(table_id=table_id, number__gt=of_table[-1].number)
            .order_by("number")
            .values_list("sequence", flat=True)
            .first()
        )
        chain = ChainCheck(name, first, previous)
        starts = list(Deal.objects.filter(table_id=table_id).order_by("number").values_list("sequence", flat=True))
        reader = _Entries(journal_id, chain, starts)
        for at in range(0, len(of_table), BATCH):
            batch = of_table[at : at + BATCH]
            facts = _Facts([deal.pk for deal in batch])
            for deal in batch:
                yield facts.record(deal, reader.of(deal.sequence), live=deal.pk == head.live_deal_id)
        reader.rest(None if following is None else following - 1)
        if following is None:
            chain.compare_head(head.sequence, head.hash)
        part = JournalRange(name, first, chain.last, chain.head, chain.first_finding())
        journals.append((part, chain.examined, tuple(chain.found)))


class _Entries:
    """Reads a journal once, forwards, checking the chain, and hands out the entries deal by deal."""

    def __init__(self, journal_id: int, chain: ChainCheck, starts: Sequence[int]) -> None:
        self.journal_id = journal_id
        self.chain = chain
        self._next_of = dict(zip(starts, [*starts[1:], None], strict=True))
        self._at = chain.first

    def of(self, start: int) -> list[EventEntry]:
        """Return the entries from the one that opened a deal to the last before the next deal."""
        self.rest(start - 1)
        end = self._next_of[start]
        return list(self._read(None if end is None else end - 1))

    def rest(self, last: int | None) -> None:
        """Check what lies before the next deal that is asked for."""
        if last is None or last >= self._at:
            for _entry in self._read(last):
                pass

    def _read(self, last: int | None) -> Iterator[EventEntry]:
        rows = Entry.objects.filter(journal_id=self.journal_id, sequence__gte=self._at)
        texts = Text.objects.filter(journal_id=self.journal_id, sequence__gte=self._at, text__isnull=False)
        if last is not None:
            rows, texts = rows.filter(sequence__lte=last), texts.filter(sequence__lte=last)
        words: dict[int, dict[str, str]] = defaultdict(dict)
        for sequence, field, text in texts.values_list("sequence", "field", "text"):
            words[sequence][field] = text or ""
        columns = ("sequence", "type", "author", "hash", "text", "happened_at", "late")
        for sequence, type_, author, digest, text, happened_at, late in (
            rows.order_by("sequence").values_list(*columns).iterator(2000)
        ):
            said = self.chain.read(StoredEntry(sequence, type_, author, digest, text))
            self._at = sequence + 1
            event = said.get("event")
            sent = _sent(event, words.get(sequence, {})) if isinstance(event, dict) else {"type": type_}
            yield EventEntry(sequence, type_, author, happened_at, late, sent)


def _sent(event: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    """Return an event as it was sent: in the journal a free text is only named by its salted hash."""
    return {
        key: texts.get(key, ERASED) if isinstance(value, dict) and value.keys() == {"sha256"} else value
        for key, value in event.items()
    }


class _Facts:
    """The facts of a batch of deals, as they hold now."""

    def __init__(self, deal_ids: Sequence[int]) -> None:
        self.cards: dict[int, dict[int, CardRow]] = defaultdict(dict)
        self.bets: dict[int, dict[str, BetRow]] = defaultdict(dict)
        self.settlements: dict[int, dict[tuple[str, int, bool], SettlementRow]] = defaultdict(dict)
        self.corrections: dict[int, list[CorrectionRow]] = defaultdict(list)
        cards = Card.objects.filter(deal_id__in=deal_ids).order_by("deal_id", "position", "revision")
        for deal_id, position, card, pocket in cards.values_list("deal_id", "position", "card", "pocket"):
            self.cards[deal_id][position] = CardRow(position, card, pocket)
        names: dict[int, str] = {}
        bets = Bet.objects.filter(deal_id__in=deal_ids).order_by("deal_id", "after", "ordinal", "revision")
        of_bet = ("id", "deal_id", "name", "made", "seat", "kind", "rank", "suit", "amount_minor", "after", "of")
        for pk, deal_id, name, *rest in bets.values_list(*of_bet):
            names[pk] = name
            self.bets[deal_id][name] = BetRow(name, *rest)
        adjusted: dict[int, int] = defaultdict(int)
        adjustments = Adjustment.objects.filter(deal_id__in=deal_ids)
        for correction_id, taken, paid in adjustments.values_list("correction_id", "taken_minor", "paid_minor"):
            adjusted[correction_id] += taken - paid
        corrected: set[tuple[int, int]] = set()
        corrections = Correction.objects.filter(deal_id__in=deal_ids).order_by("deal_id", "number")
        of_correction = ("id", "deal_id", "sequence", "author", "approver", "alone", "given")
        for pk, deal_id, sequence, author, approver, alone, given in corrections.values_list(*of_correction):
            corrected.add((deal_id, sequence))
            self.corrections[deal_id].append(CorrectionRow(sequence, author, approver, alone, given, adjusted[pk]))
        settlements = Settlement.objects.filter(deal_id__in=deal_ids).order_by("revision", "sequence", "id")
        of_settlement = (
            *("deal_id", "bet_id", "position", "by_deed", "turn", "outcome", "sequence"),
            *("stake_minor", "paid_minor", "taken_minor", "returned_minor", "standing_minor"),
        )
        for row in settlements.values_list(*of_settlement):
            deal_id, bet_id, position, by_deed, turn, outcome, sequence, stake, paid, taken, returned, standing = row
            key = (names.get(bet_id, f"#{bet_id}"), position, by_deed)
            if outcome == "annulled":
                self.settlements[deal_id].pop(key, None)
                continue
            self.settlements[deal_id][key] = SettlementRow(
                bet=key[0],
                position=position,
                by_deed=by_deed,
                turn=turn,
                outcome=outcome,
                stake_minor=stake,
                paid_minor=paid,
                taken_minor=taken,
                returned_minor=returned,
                standing_minor=standing,
                corrected=(deal_id, sequence) in corrected,
            )

    def record(self, deal: Deal, entries: Sequence[EventEntry], *, live: bool) -> DealRecord:
        version = deal.rules_version
        return DealRecord(
            id=deal.pk,
            table=deal.table.name,
            pit=deal.table.pit.name if deal.table.pit else "",
            deal=deal.name,
            game=deal.table.game,
            currency=deal.table.currency,
            rules=rules_name(version),
            terms=version.terms,
            digest=version.game_digest,
            bank_minor=deal.bank_minor,
            live=live,
            entries=entries,
            cards=tuple(self.cards[deal.pk].values()),
            bets=tuple(self.bets[deal.pk].values()),
            settlements=tuple(self.settlements[deal.pk].values()),
            corrections=tuple(self.corrections[deal.pk]),
        )


def rules_name(version: RulesVersion) -> str:
    """Name a table's rules version in words: "stuss 4"."""
    return f"{version.game} {version.number}"


def live_deals() -> list[int]:
    """Name the deals that are being played: of each table the last one, if by its own record it is not over."""
    last = Deal.objects.order_by("table_id", "-number").distinct("table_id").values("id")
    found = []
    for record in _records(
        Deal.objects.filter(id__in=last).select_related("table__pit", "rules_version"), [], to_the_head=False
    ):
        deal = settle_again(record).deal
        if deal is not None and not deal.finished:
            found.append(record.id)
    return found


# The shift report


def shift_report(report_id: int, now: datetime) -> ShiftReport:
    """Read a gaming day and return its report, a row a table."""
    report = Report.objects.select_related("casino", "table").get(pk=report_id)
    assert report.gaming_date is not None, "a shift report has a gaming date"
    casino = report.casino
    openings = Opening.objects.filter(table__casino=casino, gaming_date=report.gaming_date)
    if report.currency:
        openings = openings.filter(table__currency=report.currency)
    if report.table_id is not None:
        openings = openings.filter(table=report.table_id)
    if report.shift is not None:
        of_shift = Q(shift=report.shift)
        openings = openings.filter(of_shift | Q(shift=None) if report.shift == 1 else of_shift)
    day = report.gaming_date
    columns = ("pk", "table_id", "table__code", "number", "opened_at", "closing__closed_at")
    spells = list(openings.order_by("table__code", "number").values_list(*columns))
    states = shifts_of_day(casino.pk, day)
    planned = _planned(report, states)
    closed = [closed_at for *_rest, closed_at in spells if closed_at is not None]
    since = min((opened_at for *_rest, opened_at, _closed in spells), default=planned[0])
    until = max(closed) if closed and len(closed) == len(spells) else min(report.as_of or now, planned[1])
    until = max(until, since)
    deals = _deals_of(report)
    journals: list[tuple[JournalRange, int, Sequence[str]]] = []
    waiting = WaitingCorrection.objects.filter(deal__in=deals.order_by(), state="waiting").select_related(
        "table", "deal"
    )
    return put_shift_together(
        imprint=imprint(report, now),
        gaming_date=day,
        shift=report.shift,
        planned=planned,
        since=since,
        until=until,
        zone=ZoneInfo(casino.time_zone),
        currency=report.currency or casino.currency,
        deals=_records(deals, journals, to_the_head=False),
        journals=journals,
        waiting=[(item.table.name, item.deal.name, item.asked_at, item.author) for item in waiting],
        floor=_floor(report, spells, states, since, until),
    )


def _planned(report: Report, states: Sequence[ShiftState]) -> tuple[datetime, datetime]:
    """Return when the shift, or the gaming day, begins and ends by plan."""
    mine = [state.shift for state in states if report.shift is None or state.shift.number == report.shift]
    return mine[0].since, mine[-1].until


def _floor(
    report: Report,
    spells: Sequence[tuple[int, int, str, int, datetime, datetime | None]],
    states: Sequence[ShiftState],
    since: datetime,
    until: datetime,
) -> Floor:
    """Read what is on record of a shift beside play, with the queries of the pages."""
    assert report.gaming_date is not None, "a shift report has a gaming date"
    casino, day = report.casino_id, report.gaming_date
    rows = Table.objects.filter(casino=casino).values_list("code", "name", "pit__name", "game", "currency")
    tables = {code: (name, pit or "", game, currency) for code, name, pit, game, currency in rows}
    ids = [pk for pk, *_rest in spells]
    codes = {code for _pk, _table, code, *_rest in spells}
    open_for: dict[str, timedelta] = defaultdict(timedelta)
    for _pk, _table, code, _number, opened_at, closed_at in spells:
        open_for[code] += max((closed_at or until) - opened_at, timedelta())
    # The openings of the year so far are read once; the shift and the day are parts of it.
    so_far = books_of_days(casino, day.replace(month=1, day=1), day)
    played: dict[str, int] = defaultdict(int)
    for each in so_far:
        if each.opening_id in set(ids):
            played[each.table] += each.taken_minor - each.paid_minor
    for code, apart in booked_elsewhere(ids).items():
        played[code] -= apart
    year = [
        each
        for each in so_far
        if each.opener_minor is not None and (report.table is None or each.table == report.table.code)
    ]
    _now, amendments = _revision(report, states)
    replaced = _same_scope(report).filter(stage=Report.Stage.FINAL).exclude(pk=report.pk).order_by("id")
    mine = [each for each in year if each.opening_id in set(ids)]
    off_line, clocks = fared({table_id for _pk, table_id, *_rest in spells}, since, until)
    return Floor(
        tables=tables,
        open_for=open_for,
        books=mine,
        played_minor=played,
        inventories=inventories(ids),
        movements=corrected_movements(ids),
        slips=[slip for slip in slips_between(casino, since, until) if slip.table in codes],
        series=series_report(casino, day.year),
        drops=drops_of(ids),
        disputes=disputes_of_deals(Deal.objects.filter(opening__in=ids).values_list("id", flat=True)),
        cards=() if report.table_id else reconciliation(casino, day),
        duties=duties({table_id for _pk, table_id, *_rest in spells}, since, until),
        incidents=[
            each
            for each in incidents(casino, day)
            if (each.table, each.opening) in {(b.table, b.opening) for b in mine}
        ],
        periods=(
            ("shift", totals(mine)),
            ("day", totals([each for each in year if each.gaming_date == day])),
            ("month", totals([each for each in year if each.gaming_date.month == day.month])),
            ("year", totals(year)),
        ),
        mispays=mispays_of(openings=ids),
        off_line=off_line,
        clocks=clocks,
        failed_attempts=() if report.table_id else failed_attempts(casino, since, until),
        spells=[Spell(code, number, opened, closed) for _pk, _table, code, number, opened, closed in spells],
        notes=[
            note
            for note in notes_between(casino, "incident", since, until)
            if (note.table in codes if note.table else not report.table_id)
        ],
        alerts=[
            alert
            for alert in raised_between(casino, None, since, until, most=None)
            if alert.seen_at is None and (alert.table in codes if alert.table else not report.table_id)
        ],
        amendments=amendments,
        replaces=tuple(replaced.values_list("serial", flat=True)),
    )


def last_gaming_date(table_code: str = "") -> date | None:
    """Return the latest gaming day on which something was dealt, at this table or at all."""
    deals = Deal.objects.filter(table__code=table_code) if table_code else Deal.objects.all()
    return deals.order_by("-gaming_date").values_list("gaming_date", flat=True).first()
