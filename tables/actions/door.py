"""The one door for writing what happens at a table. It owns the transaction and locks the table's head first, once.

Above all subjects: it asks who sends, judges what was sent, seals it and has it written. It computes no money.
"""

import json
import math
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final, TypeVar
from uuid import UUID

import psycopg
from django.db import connection, transaction

from tables import access, live, tablelog, tokens
from tables.access import Author
from tables.actions import chips, desk, house, people
from tables.actions.play import HeadRow, Recorded, array, write
from tables.journal import chain, leave_out
from tables.journal.chain import LARGEST, Receipt, canonical, check, digest
from tables.ledger import After, Facts, Ledger, Made
from tables.queries import chips as chip_queries
from tables.queries import record as record_queries
from tables.queries import shifts as shift_queries
from tables.queries.answers import Answer, answer_of, not_tried, refused
from tables.queries.record import FREE_TEXT, Kept, Ledgers, OpeningView, OptionsView
from tables.refusals import DoorCode
from tables.rules.events import Event, OpenDeal, Rules
from tables.rules.events import Table as TableLine
from tables.rules.refusals import Code, Refusal
from tables.rules.table import CORRECTIONS, TableState
from tables.rules.terms import minor_digits

MOST_EVENTS: Final = 500
LONGEST_NAME: Final = 200
MOST_SEATS: Final = 1000
# In minor units. A bet grows by parolis and bonuses, a bank by bets: neither may come near 2^53, where JSON ends.
LARGEST_MAXIMUM: Final = 10**13
LARGEST_BANK: Final = 10**15
_PAROLIS: Final = 5  # one more than a rank has cards in the one deck of a game that offers them
_FREE_OF_AFTER: Final = frozenset({"correct", "rules"}) | tablelog.FLOOR_TYPES - {"bets_down", "confirm"}
_PLAY_WITH_CHIPS: Final = frozenset({"buy_in", "exchange", "fee", "colour"})
_WHILE_PAUSED: Final = frozenset({"correct", "misdeal"}) | (tablelog.CHIP_TYPES - _PLAY_WITH_CHIPS)
_TRIES: Final = 3

T = TypeVar("T")

ledgers = Ledgers()


class UnknownTableError(Exception):
    """There is no such table."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An event as a sender hands it in. `at` and `sent_at` are by his clock, right or wrong.

    seen   the journal's sequence that he knew when he entered it; None: he does not say
    shown  the settlements and takes that his screen had said of it, as lines of the table log; None: nothing
    """

    id: UUID
    device: str
    device_seq: int | None
    signon: str
    at: str
    sent_at: str
    after: After | None
    event: dict[str, Any]
    seen: int | None = None
    shown: dict[str, list[dict[str, Any]]] | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """Who did what was sent, as its sign-on says; `role` is empty for the house itself."""

    number: str
    staff_id: int | None
    role: str
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """What is judged: an event with its author and its stamps, whoever vouches for them.

    stamps        what the entry keeps of the envelope beside the event
    after         None: not judged
    approval      completes a correction that needs no further approval; None: it may have to wait
    vouched       from the operator's shell: roles and approvals are not asked
    console       the console it comes from, None for what no console sent: the pen is not asked then
    seen          what its sender knew of the journal, None: not judged; `waited`: how long it lay on the device
    paid_minor    of a confirmation, what the turn had paid on the screen that was confirmed; None: not judged
    """

    id: UUID
    event: dict[str, Any]
    writer: Writer
    stamps: dict[str, Any]
    happened_at: datetime | None
    after: After | None
    approval: dict[str, Any] | None = None
    vouched: bool = False
    id_is_known: bool = False
    console: int | None = None
    seen: int | None = None
    waited: timedelta = timedelta()
    paid_minor: int | None = None


@dataclass(slots=True)
class _Visit:
    """One transaction at one table, from the lock to the write."""

    cursor: psycopg.Cursor[Any]
    head: HeadRow
    now: datetime
    ledger: Ledger
    opening: OpeningView | None
    before: int
    options: OptionsView | None = None
    entered: int = 0
    console: int | None = None
    pen_heard_at: datetime | None = None
    pending: list[Recorded] = field(default_factory=list)
    answered: dict[UUID, "_Known"] = field(default_factory=dict)

    @property
    def last(self) -> Receipt:
        return Receipt(self.head.sequence, self.head.hash)


# -- the deeds


def record(code: str, envelopes: Sequence[Envelope], *, device_token: str) -> tuple[list[Answer], Receipt, After]:
    """Record what a device sends, in its order, and answer each; then the head, and the last card.

    Events before a refused one stay recorded, those after it are not tried. A correction that needs a second person
    waits and stops nothing. In its own transaction. Raises: not_signed_on for an unknown device, batch_too_large,
    UnknownTableError.
    """
    if len(envelopes) > MOST_EVENTS:
        raise Refusal(
            DoorCode.BATCH_TOO_LARGE, f"{len(envelopes)} events are more than {MOST_EVENTS}.", limit=MOST_EVENTS
        )

    def deed(cursor: psycopg.Cursor[Any]) -> tuple[list[Answer], Receipt, After]:
        visit, known, signons, dealer = _enter(cursor, code, envelopes, device_token)
        answers: list[Answer] = []
        for place, envelope in enumerate(envelopes):
            try:
                sent = _signed(visit, envelope, signons, dealer)
                try:
                    answers.append(_answer(visit, sent, known))
                except Refusal:
                    if envelope.id in known or not (sent_meanwhile := _known(cursor, [envelope.id])):
                        raise
                    answers.append(_answer(visit, sent, sent_meanwhile))
                _tell_difference(visit, envelope, answers[-1])
            except Refusal as refusal:
                answers.append(refused(envelope.id, refusal))
                _tell_difference(visit, envelope, answers[-1])
                if refusal.code == DoorCode.PEN_SILENT and sent.writer.staff_id is not None:
                    desk.propose(
                        sent.id,
                        sent.event,
                        staff_id=sent.writer.staff_id,
                        table_id=visit.head.table_id,
                        deal_id=visit.head.live_deal_id,
                        now=visit.now,
                    )
                answers += [not_tried(later.id) for later in envelopes[place + 1 :]]
                break
        return answers, *_leave(visit)

    return _in_transaction(deed)


def record_for_house(code: str, sent: Sequence[Sent]) -> tuple[list[Answer], Receipt, After]:
    """Record what the house itself vouches for (a seed, an imported file): all of it or nothing.

    In the caller's transaction if there is one. Raises Refusal, whose `facts` name the `index` of the event.
    """

    def deed(cursor: psycopg.Cursor[Any]) -> tuple[list[Answer], Receipt, After]:
        visit = _lock(cursor, code)
        known = _known(cursor, [each.id for each in sent])
        answers = []
        for index, each in enumerate(sent):
            try:
                answers.append(_answer(visit, each, known))
            except Refusal as refusal:
                refusal.facts["index"] = str(index)
                raise
        return answers, *_leave(visit)

    return _in_transaction(deed)


def decide(approval_id: UUID, approver: Author, verdict: str, device_id: int | None, now: datetime) -> Answer:
    """Let a second person, whose PIN has been checked, decide a waiting correction; approved, it is judged again.

    In its own transaction. Raises: not_allowed.
    """

    def deed(cursor: psycopg.Cursor[Any]) -> Answer:
        # The casino's head is locked in here, before the table's.
        people.decide(approval_id=approval_id, approver=approver, verdict=verdict, device_id=device_id, now=now)
        cursor.execute(
            "SELECT t.code, w.envelope, w.author, w.author_staff_id, w.happened_at, w.deal_id, d.name"
            " FROM tables_waitingcorrection w JOIN tables_table t ON t.id = w.table_id"
            " JOIN tables_deal d ON d.id = w.deal_id WHERE w.id = %s",
            [approval_id],
        )
        row = cursor.fetchone()
        assert row is not None, "whatever waits for an approval has an envelope"
        code, text, number, staff_id, happened_at, deal_id, deal = row
        kept = json.loads(text)
        visit = _lock(cursor, code)
        if verdict != "approved":
            refusal = Refusal(DoorCode.NOT_ALLOWED, f"Staff {approver.number} refused this correction.")
            return _settle_waiting(visit, approval_id, kept, refused(approval_id, refusal))
        sent = Sent(
            approval_id,
            kept["event"],
            Writer(number, staff_id, ""),
            kept["stamps"],
            happened_at,
            None,
            approval={"author": number, "approver": approver.number, "given": False},
            vouched=True,
            id_is_known=True,
        )
        try:
            if visit.head.last_deal_id != deal_id:
                raise _other_deal(deal, visit)
            answer = _judge(visit, sent)
        except Refusal as refusal:
            answer = refused(approval_id, refusal)
        _leave(visit)
        return _settle_waiting(visit, approval_id, kept, answer)

    return _in_transaction(deed)


def _tell_difference(visit: _Visit, envelope: Envelope, answer: Answer) -> None:
    """Alert the floor where the record is another than the one by which chips have moved already."""
    if envelope.shown is None:
        return
    difference = desk.difference(envelope.shown, answer, minor_digits(visit.head.currency))
    if difference is not None:
        desk.tell_difference(envelope.id, difference, visit.head.casino_id, visit.head.table_id, visit.now)


# -- the transaction


def _in_transaction(deed: Callable[[psycopg.Cursor[Any]], T]) -> T:
    """Run a deed in a transaction, again where another sender of the same id was first."""
    for left in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                raw = connection.connection
                with psycopg.Cursor(raw) as cursor:
                    return deed(cursor)
        except psycopg.errors.UniqueViolation as violation:
            if violation.diag.table_name != "tables_eventid" or not left or connection.in_atomic_block:
                raise
        except psycopg.errors.SerializationFailure:
            if not left or connection.in_atomic_block:
                raise
    raise AssertionError("the last try returns or raises")


_HEAD = """
SELECT h.table_id, h.journal_id, h.sequence, h.hash, h.state, h.opening_id, h.live_deal_id, h.last_deal_id,
    h.rules_version_id, t.code, t.currency, t.pit_id, t.casino_id, h.pen_id, h.options_id
FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id
WHERE t.code = %s FOR UPDATE OF h
"""
# The lock and everything that says who sends, in one statement. Nobody without a token that is known makes others
# wait. Its snapshot is older than the lock, if it waited: what was sent before is looked up again before a refusal.
_ENTER: Final = """
WITH h AS MATERIALIZED (
    SELECT h.table_id, h.journal_id, h.sequence, h.hash, h.state, h.opening_id, h.live_deal_id, h.last_deal_id,
        h.rules_version_id, t.code, t.currency, t.pit_id, t.casino_id, h.pen_id, h.options_id,
        d.id AS device_id, d.code AS device_code, d.kind, d.table_id AS device_table_id
    FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id
    JOIN tables_device d ON d.token_sha256 = %(device)s AND d.revoked_at IS NULL
    WHERE t.code = %(code)s FOR UPDATE OF h
)
SELECT h.*, clock_timestamp(), EXISTS (SELECT 1 FROM tables_eventid WHERE id = ANY(%(ids)s::uuid[])),
    (SELECT r.heard_at FROM tables_heard r WHERE r.device_id = h.pen_id),
    s.token_sha256, s.table_id, o.code, f.number, s.staff_id, s.role, s.started_at, s.ended_at
FROM h LEFT JOIN tables_signon s ON s.token_sha256 = ANY(%(signons)s::text[])
LEFT JOIN tables_staff f ON f.id = s.staff_id LEFT JOIN tables_device o ON o.id = s.device_id
"""
_KNOWN = """
SELECT i.id, i.digest, t.currency, e.text, e.hash, w.state, w.code, w.message
FROM tables_eventid i
JOIN tables_table t ON t.id = i.table_id
JOIN tables_tablehead h ON h.table_id = i.table_id
LEFT JOIN tables_waitingcorrection w ON w.id = i.id
LEFT JOIN tables_entry e ON e.journal_id = h.journal_id AND e.sequence = COALESCE(i.sequence, w.sequence)
WHERE i.id = ANY(%s::uuid[])
"""
# Free texts sent with an id: of its entry, or of a correction that waits.
_TEXTS = """
SELECT x.field, x.text FROM tables_eventid i JOIN tables_tablehead h ON h.table_id = i.table_id
LEFT JOIN tables_waitingcorrection w ON w.id = i.id
JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = COALESCE(i.sequence, w.sequence)
WHERE i.id = %s
UNION ALL
SELECT 'reason', envelope::json->'event'->>'reason' FROM tables_waitingcorrection
WHERE state = 'waiting' AND id = %s
"""
_DEALER = """
SELECT f.number, s.staff_id, s.role, s.started_at, s.ended_at
FROM tables_signon s JOIN tables_staff f ON f.id = s.staff_id
WHERE s.table_id = %s AND s.role = 'dealer' AND s.ended_at IS NULL ORDER BY s.started_at DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class _Known:
    """An id that was sent before: for what, and what it was answered."""

    digest: str
    answer: Answer


def _enter(
    cursor: psycopg.Cursor[Any], code: str, envelopes: Sequence[Envelope], device_token: str
) -> tuple[_Visit, dict[UUID, _Known], dict[str, tuple[int, str, Writer]], Writer | None]:
    """Lock the head and read, in the same round trip, whatever says who sends and what was sent before."""
    ids = [envelope.id for envelope in envelopes]
    parameters = {
        "code": code,
        "device": tokens.digest(device_token),
        "ids": array(ids),
        "signons": array({tokens.digest(envelope.signon) for envelope in envelopes if envelope.signon}),
    }
    with cursor.connection.pipeline():  # BEGIN goes along
        cursor.execute(_ENTER, parameters, prepare=True)
        senders = cursor.fetchall()
    if not senders:
        raise _not_let_in(cursor, code, device_token)
    head = HeadRow(*senders[0][:15])
    device_id, device_code, kind, device_table, now, known_ids, heard_at = senders[0][15:22]
    visit = _begin(cursor, head, now)
    visit.console, visit.pen_heard_at = None if kind == "shoe" else device_id, heard_at
    if device_table not in (None, head.table_id):
        raise Refusal(DoorCode.NOT_ALLOWED, f"Device {device_code} belongs to another table.", value=device_code)
    dealer = None
    if kind == "shoe":
        cursor.execute(_DEALER, [visit.head.table_id])
        row = cursor.fetchone()
        dealer = None if row is None else Writer(*row)
    # A sign-on that another device took is nobody's here, whatever the envelope says it comes from.
    people_here = {
        token: (table, of, Writer(*writer))
        for token, table, of, *writer in (sender[22:] for sender in senders)
        if token is not None and of == device_code
    }
    people_here[""] = (head.table_id, device_code, _NOBODY)
    known = _known(cursor, ids) if known_ids else {}
    return visit, known, people_here, dealer


def _not_let_in(cursor: psycopg.Cursor[Any], code: str, device_token: str) -> Exception:
    """Say why nobody was let in: a device that is not known, or else a table that there is not."""
    cursor.execute(
        "SELECT 1 FROM tables_device WHERE token_sha256 = %s AND revoked_at IS NULL", [tokens.digest(device_token)]
    )
    if cursor.fetchone() is None:
        return Refusal(DoorCode.NOT_SIGNED_ON, "This device is not known, or its token was revoked.")
    return UnknownTableError(code)


_NOBODY: Final = Writer("", None, "")


def _lock(cursor: psycopg.Cursor[Any], code: str) -> _Visit:
    cursor.execute(_HEAD, [code])
    head = cursor.fetchone()
    if head is None:
        raise UnknownTableError(code)
    cursor.execute("SELECT clock_timestamp()")
    row = cursor.fetchone()
    assert row is not None
    return _begin(cursor, HeadRow(*head), row[0])


def _begin(cursor: psycopg.Cursor[Any], head: HeadRow, now: datetime) -> _Visit:
    kept = ledgers.take(head.table_id, head.journal_id, head.last_deal_id, head.sequence, head.hash)
    opening = kept.opening
    if head.opening_id is None:
        opening = None
    elif opening is None or opening.id != head.opening_id:
        opening = record_queries.opening(head.opening_id)
    options = kept.options
    if head.options_id is None:
        options = None
    elif options is None or options.id != head.options_id:
        options = record_queries.options(head.options_id)
    return _Visit(cursor, head, now, kept.ledger, opening, head.sequence, options, head.sequence)


def _leave(visit: _Visit) -> tuple[Receipt, After]:
    """Write what is pending and keep the ledger, under the hash that only this transaction's commit makes true."""
    _flush(visit)
    head = visit.head
    ledgers.put(head.table_id, head.sequence, head.hash, Kept(visit.ledger, visit.opening, visit.options))
    return visit.last, visit.ledger.after


def _flush(visit: _Visit) -> None:
    if not visit.pending:
        return
    deal_id = write(visit.cursor, visit.head, visit.before, visit.pending)
    if deal_id is not None:
        visit.head.live_deal_id = visit.head.last_deal_id = deal_id
    visit.before = visit.head.sequence
    visit.pending = []


def _known(cursor: psycopg.Cursor[Any], ids: list[UUID]) -> dict[UUID, _Known]:
    cursor.execute(_KNOWN, [array(ids)])
    return {row[0]: _known_row(row) for row in cursor.fetchall()}


def _known_row(row: tuple[Any, ...]) -> _Known:
    id, its_digest, currency, text, hash, state, code, message = row
    if text is not None:
        return _Known(its_digest, replace(answer_of(json.loads(text), hash, currency), status="repeated"))
    if state == "refused":
        return _Known(its_digest, Answer(id, "refused", code=code, message=message))
    return _Known(its_digest, _waits(id))


def _waits(id: UUID) -> Answer:
    return Answer(
        id, "waiting", code=str(DoorCode.APPROVAL_NEEDED), message="A second person must approve this correction."
    )


# -- who sends


def _signed(
    visit: _Visit, envelope: Envelope, signons: Mapping[str, tuple[int, str, Writer]], dealer: Writer | None
) -> Sent:
    """Say who did what an envelope holds, and when it happened. Raises: not_signed_on."""
    token = tokens.digest(envelope.signon) if envelope.signon else ""
    table_id, device, writer = signons.get(token, (0, "", _NOBODY))
    if not token and dealer is not None and envelope.event.get("type") in ("card", "pocket"):
        writer = dealer  # an electronic shoe's cards carry the dealer signed on there
    if table_id != visit.head.table_id or device != envelope.device or not writer.number:
        raise Refusal(DoorCode.NOT_SIGNED_ON, "Nobody is signed on here under this token.", device=envelope.device)
    waited = tablelog.read_time(envelope.sent_at) - tablelog.read_time(envelope.at)
    try:
        happened_at = visit.now - waited
    except OverflowError:  # one of the clocks stands at the end of the calendar
        happened_at = datetime.max.replace(tzinfo=UTC)
    doubted = happened_at > visit.now or (writer.started_at is not None and happened_at < writer.started_at)
    if doubted:
        happened_at = visit.now
    stamps: dict[str, Any] = {
        "at": envelope.at,
        "sent_at": envelope.sent_at,
        "device": envelope.device,
        "device_seq": envelope.device_seq,
    }
    if doubted:
        stamps["clock_doubted"] = True
    return Sent(
        envelope.id,
        envelope.event,
        writer,
        stamps,
        happened_at,
        envelope.after,
        console=visit.console,
        seen=envelope.seen,
        waited=waited,
    )


# -- judging


def _answer(visit: _Visit, sent: Sent, known: Mapping[UUID, _Known]) -> Answer:
    """Answer an event that may have been sent before."""
    content = _content(visit, sent)
    before = known.get(sent.id)
    if before is None and sent.id in visit.answered:
        _flush(visit)  # so that its texts are found where all are
        before = visit.answered[sent.id]
    if before is not None:
        if before.digest != content or not _same_texts(visit, sent):
            raise Refusal(DoorCode.ID_REUSED, f"The id {sent.id} was sent with other content.", value=sent.id)
        return before.answer
    answer = _judge(visit, sent, content)
    visit.answered[sent.id] = _Known(content, _again(answer))
    return answer


def _same_texts(visit: _Visit, sent: Sent) -> bool:
    """Say whether an event's free texts are those that were sent with its id; erased ones are not asked."""
    texts = {name: sent.event[name] for name in FREE_TEXT & sent.event.keys()}
    if not texts:
        return True
    visit.cursor.execute(_TEXTS, [sent.id, sent.id])
    kept = [row for row in visit.cursor.fetchall() if row[1] is not None]
    return all(texts.get(field) == text for field, text in kept)


def _again(answer: Answer) -> Answer:
    return replace(answer, status="repeated") if answer.status == "recorded" else answer


def _content(visit: _Visit, sent: Sent) -> str:
    """Return the digest of what an id stands for, without its free texts, which must leave nothing once erased.

    Raises: bad_line for what no journal can hold.
    """
    content = {
        "event": {name: "" if name in FREE_TEXT else value for name, value in sent.event.items()},
        "table": visit.head.code,
        "author": sent.writer.number,
        "after": None if sent.after is None else sent.after.data(),
    }
    try:
        check(content)
        check(sent.event)
    except ValueError as error:
        raise Refusal(Code.BAD_LINE, f"This event cannot be kept: {error}.") from None
    except RecursionError:
        raise Refusal(Code.BAD_LINE, "This event is nested too deeply.") from None
    return digest(canonical(content))


def _judge(visit: _Visit, sent: Sent, content: str = "") -> Answer:
    """Judge an event and record it, or let it wait. Raises Refusal; nothing has changed then."""
    event = tablelog.parse_object(sent.event, stamps=sent.vouched)
    _check_names(sent.event)
    type = str(sent.event["type"])
    _check_access(visit, sent, type)
    if sent.console is not None:
        deal = visit.ledger.state.deal
        lone = isinstance(event, CORRECTIONS) and deal is not None and deal.alone(event)
        desk.check_pen("card" if lone else type, sent.console, visit.head.pen_id, visit.pen_heard_at, visit.now)
    if isinstance(event, tablelog.DeskEvent):
        return _judge_desk(visit, sent, content, event)
    if isinstance(event, tablelog.FloorEvent):
        if isinstance(event, tablelog.ChipEvent) and type not in ("opener", "closer"):
            return _judge_chips(visit, sent, content, event)
        return _judge_floor(visit, sent, content, event)
    if type in ("table", "rules"):
        return _judge_terms(visit, sent, content, event)
    opening, late = _opening(visit, sent)
    if sent.after is not None or not sent.vouched:
        _check_after(visit, sent, type)
    if sent.console is not None and type in desk.CARDS:
        _check_desk(visit, sent, type)
    if isinstance(event, CORRECTIONS):
        deal = visit.ledger.state.deal
        if sent.approval is None and deal is not None and not deal.alone(event):
            return _wait(visit, sent, content, event)
    if isinstance(event, OpenDeal):
        if record_queries.deal_exists(visit.head.table_id, event.deal):
            raise Refusal(Code.DUPLICATE_DEAL, f"There is a deal {event.deal!r} already.", value=event.deal)
        _flush(visit)
    approval = sent.approval if sent.approval is not None else {"author": sent.writer.number}
    made = visit.ledger.apply(event, sent.event, approval)
    deal = visit.ledger.state.deal
    assert deal is not None
    visit.head.live_deal_id = None if deal.finished else visit.head.last_deal_id
    answer = _seal(visit, sent, content, made.facts, made, opening, late, deal.name)
    if isinstance(event, OpenDeal):
        _flush(visit)
    return answer


def _check_desk(visit: _Visit, sent: Sent, type: str) -> None:
    """Refuse a card that must wait. Raises: bet_unseen, bets_open, not_confirmed, check_needed."""
    deal = visit.ledger.state.deal
    if sent.seen is not None and sent.seen < visit.entered and sent.waited > desk.SILENT:
        recorded = record_queries.bets_between(visit.head.journal_id, sent.seen, visit.entered)
        desk.check_seen(recorded, sent.stamps.get("device"), deal)
    if visit.options is not None and deal is not None:
        desk.check_turn(
            visit.options, type, deal, visit.head.table_id, sent.waited, lambda types: _last_type(visit, types)
        )


def _last_type(visit: _Visit, types: frozenset[str]) -> str:
    """Name the last entry of these types, whether it is written already or not."""
    for each in reversed(visit.pending):
        if each.entry.type in types:
            return each.entry.type
    return record_queries.last_type(visit.head.journal_id, visit.before, types)


def _judge_desk(visit: _Visit, sent: Sent, content: str, event: tablelog.DeskEvent) -> Answer:
    """Record what the desk says of play. Raises: table_closed, paused, wrong_position, and what `desk.judge` does."""
    opening, late = _opening(visit, sent)
    if sent.after is not None or not sent.vouched:
        _check_after(visit, sent, event.type)
    deal = visit.ledger.state.deal
    facts = desk.judge(event, deal, visit.options, sent.writer.number, vouched=sent.vouched)
    if sent.paid_minor is not None and deal is not None and sent.paid_minor != (paid := desk.paid(deal)):
        difference = desk.Difference(counted_minor=-paid, shown_minor=-sent.paid_minor)
        desk.tell_difference(sent.id, difference, visit.head.casino_id, visit.head.table_id, visit.now)
    if facts:
        _flush(visit)
        assert visit.head.last_deal_id is not None, "there is a bet"
        desk.insert(facts, visit.head.last_deal_id, opening.id, opening.gaming_date, visit.head.sequence + 1)
    return _seal(visit, sent, content, facts, None, opening, late, visit.ledger.after.deal)


def _check_names(event: Mapping[str, Any]) -> None:
    for key in ("deal", "bet", "table", "by"):
        if isinstance(event.get(key), str) and len(event[key]) > LONGEST_NAME:
            raise Refusal(Code.BAD_LINE, f"{key!r} is longer than {LONGEST_NAME} signs.", limit=LONGEST_NAME)


def _check_access(visit: _Visit, sent: Sent, type: str) -> None:
    if sent.vouched:
        return
    access.require_as(sent.writer.role, sent.writer.number, f"event.{type}")
    ended = sent.writer.ended_at
    if ended is not None and (sent.happened_at is None or sent.happened_at > ended):
        raise Refusal(
            DoorCode.NOT_SIGNED_ON, f"The sign-on of {sent.writer.number} had ended.", value=sent.writer.number
        )


def _other_deal(deal: str | None, visit: _Visit) -> Refusal:
    last = visit.ledger.after.deal
    return Refusal(
        Code.WRONG_POSITION, f"This was about deal {deal!r}; the last deal is {last!r}.", value=deal, limit=last
    )


def _check_after(visit: _Visit, sent: Sent, type: str) -> None:
    """Refuse what was said of another card. A correction is of any card, but not of another deal."""
    true = visit.ledger.after
    if type == "correct" and sent.after is not None and sent.after.deal != true.deal:
        raise _other_deal(sent.after.deal, visit)
    if type in _FREE_OF_AFTER:
        return
    if sent.after != true:
        told = "nothing" if sent.after is None else f"{sent.after.deal!r}, {sent.after.position}"
        raise Refusal(
            Code.WRONG_POSITION,
            f"The sender knew deal and position {told}; the table is at {true.deal!r}, {true.position}.",
            value=told,
            limit=true.position,
        )


def _opening(visit: _Visit, sent: Sent) -> tuple[OpeningView, bool]:
    """Return the opening that an event belongs to, and whether it comes late. Raises: table_closed, paused."""
    happened_at, opening = sent.happened_at or visit.now, visit.opening
    if opening is None or happened_at < opening.opened_at:
        earlier = record_queries.opening_at(visit.head.table_id, happened_at)
        if earlier is not None and "source" not in sent.stamps:  # a file has an opening of its own
            return earlier, True
        if opening is None:
            raise Refusal(DoorCode.TABLE_CLOSED, f"Table {visit.head.code} is closed.", value=visit.head.code)
    if visit.head.state == "paused" and sent.event["type"] not in _WHILE_PAUSED:
        raise Refusal(DoorCode.PAUSED, f"Table {visit.head.code} is paused.", value=visit.head.code)
    return opening, False


def _seal(
    visit: _Visit,
    sent: Sent,
    content: str,
    facts: Facts,
    made: Made | None,
    opening: OpeningView | None,
    late: bool,
    deal: str | None,
) -> Answer:
    """Seal what was accepted as the next entry, and answer with it."""
    kept, texts = leave_out(sent.event, {name: sent.event[name] for name in FREE_TEXT & sent.event.keys()})
    body: dict[str, Any] = {name: value for name, value in sent.stamps.items() if value is not None}
    body["event"] = kept
    body["facts"] = facts
    body["id"] = str(sent.id)
    if made is not None and made.takes:
        body["takes"] = made.takes
    if deal is not None:
        body["deal"] = deal
    if opening is not None:
        body["opening"] = opening.number
    if sent.after is not None:
        body["after"] = sent.after.data()
    happened_at = sent.happened_at or visit.now
    entry = chain.seal(
        f"table:{visit.head.code}",
        visit.last,
        type=str(sent.event["type"]),
        author=sent.writer.number,
        recorded_at=visit.now,
        happened_at=happened_at,
        late=late,
        body=body,
        texts=texts,
    )
    visit.head.sequence, visit.head.hash = entry.sequence, entry.hash
    visit.pending.append(
        Recorded(
            entry,
            None if sent.id_is_known else sent.id,
            content,
            None if opening is None else opening.id,
            None if opening is None else opening.gaming_date,
            facts,
        )
    )
    return answer_of(
        {**body, "sequence": entry.sequence, "recorded_at": chain.time_text(visit.now)}, entry.hash, visit.head.currency
    )


# -- what is no play: terms, opening, closing, pausing


def _judge_terms(visit: _Visit, sent: Sent, content: str, event: Event) -> Answer:
    _flush(visit)
    if isinstance(event, TableLine | Rules) and event.seats is not None and event.seats > MOST_SEATS:
        raise Refusal(Code.BAD_RULES, f"A table has at most {MOST_SEATS} seats.", limit=MOST_SEATS)
    if isinstance(event, TableLine | Rules):
        _check_terms(copy(visit.ledger.state), event)
    made = visit.ledger.apply(event, sent.event)
    (row,) = made.facts["rules_version"]
    visit.head.rules_version_id = house.insert_rules_version(
        visit.head.table_id,
        visit.head.sequence + 1,
        row,
        game_data=_game_data(visit.ledger),
        author=sent.writer.number,
        approver=str(sent.stamps.get("approver", "")),
    )
    answer = _seal(visit, sent, content, made.facts, None, visit.opening, False, None)
    _flush(visit)
    return answer


def _check_terms(state: TableState, event: Event) -> None:
    """Refuse terms under which an amount could outgrow what rows and entries hold. Raises: bad_rules."""
    state.apply(event)
    terms = state.terms
    assert terms is not None
    pays = [line.effect.pay for kind in terms.game.kinds for line in kind.lines]
    times = 1 + max([1, *(math.ceil(pay) for pay in pays if isinstance(pay, Fraction))])
    most = min(LARGEST_MAXIMUM, LARGEST // times**_PAROLIS)
    for name, amount, limit in (("max", terms.maximum, most), ("bank", terms.bank or 0, LARGEST_BANK)):
        if amount > limit:
            raise Refusal(
                Code.BAD_RULES,
                f"The {name} of a table on record, with these bonuses, is at most {terms.text(limit)}.",
                rule=name,
                limit=terms.text(limit),
            )


def _game_data(ledger: Ledger) -> str:
    assert ledger.state.terms is not None
    return ledger.state.terms.game.canonical()


def _judge_floor(visit: _Visit, sent: Sent, content: str, event: tablelog.FloorEvent) -> Answer:
    """Open, close, pause or resume a table; open and close it with a count of its float.

    Raises: table_closed, paused, not_offered, deal_not_finished, count_needed, and what a count is refused with.
    """
    head, type = visit.head, event.type
    happened_at = sent.happened_at or visit.now
    closed = head.state == "closed"
    opens, closes = type in ("open", "opener"), type in ("close", "closer")
    if opens:
        if not closed:
            raise Refusal(Code.NOT_OFFERED, f"Table {head.code} is open already.", value=head.code)
    elif closed:
        raise Refusal(DoorCode.TABLE_CLOSED, f"Table {head.code} is closed.", value=head.code)
    if closes and visit.ledger.state.in_deal:
        raise Refusal(
            Code.DEAL_NOT_FINISHED,
            f"Deal {visit.ledger.after.deal!r} has not ended: a table is closed between deals.",
            value=visit.ledger.after.deal,
        )
    if type == "pause" and head.state == "paused":
        raise Refusal(DoorCode.PAUSED, f"Table {head.code} is paused already.", value=head.code)
    if type == "resume" and head.state != "paused":
        raise Refusal(Code.NOT_OFFERED, f"Table {head.code} is not paused.", value=head.code)
    if closes:
        _check_count(visit, type)
    counted: Facts = {}
    if isinstance(event, tablelog.ChipEvent):
        counted = chips.judge(event, _place(visit, None if opens else visit.opening), sent.writer.number)
    _flush(visit)
    facts: Facts = {}
    opening = visit.opening
    if opens:
        shift = shift_queries.calendar_of(head.casino_id).shift_at(happened_at)
        opening = house.insert_opening(head.table_id, head.sequence + 1, happened_at, shift.gaming_date, shift.number)
        facts["opening"] = [
            {
                "number": opening.number,
                "gaming_date": opening.gaming_date.isoformat(),
                "shift": shift.number,
                "opened_at": chain.time_text(opening.opened_at),
            }
        ]
        head.opening_id, head.state = opening.id, "open"
    elif closes:
        assert opening is not None
        closed_at = max(happened_at, opening.opened_at)
        house.insert_closing(opening.id, head.sequence + 1, closed_at)
        facts["closing"] = [{"number": opening.number, "closed_at": chain.time_text(closed_at)}]
        head.opening_id, head.state = None, "closed"
    else:
        head.state = "paused" if type == "pause" else "open"
    if counted:
        assert opening is not None
        chips.insert(counted, opening_id=opening.id, day=opening.gaming_date, sequence=head.sequence + 1)
    answer = _seal(visit, sent, content, facts | counted, None, opening, False, None)
    visit.opening = None if closes else opening
    _flush(visit)
    return answer


def _check_count(visit: _Visit, type: str) -> None:
    """Refuse to close an opening with a count that began without one, and the other way round."""
    assert visit.opening is not None
    if chip_queries.is_counted(visit.opening.id) != (type == "closer"):
        how = "with its count (`closer`)" if type == "close" else "without a count (`close`), as it was opened"
        raise Refusal(DoorCode.COUNT_NEEDED, f"Table {visit.head.code} is closed {how}.", value=visit.head.code)


def _place(visit: _Visit, opening: OpeningView | None) -> chips.Place:
    head = visit.head
    return chips.Place(head.casino_id, head.table_id, head.currency, None if opening is None else opening.id)


def _judge_chips(visit: _Visit, sent: Sent, content: str, event: tablelog.ChipEvent) -> Answer:
    """Record chips that moved, or that were counted, while the table is open; also inside an open turn.

    What comes late goes to the opening that contains the moment it happened, a correction to that of its movement.
    Raises: table_closed, paused, bad_line, and what `chips.judge` refuses with.
    """
    if event.movement:
        _flush(visit)  # so that the movement is found where all are
        opening = record_queries.opening_numbered(visit.head.table_id, event.opening or None)
        late = visit.opening is None or visit.opening.id != opening.id
    else:
        opening, late = _opening(visit, sent)
    facts = chips.judge(event, _place(visit, opening), sent.writer.number)
    chips.insert(facts, opening_id=opening.id, day=opening.gaming_date, sequence=visit.head.sequence + 1)
    return _seal(visit, sent, content, facts, None, opening, late, None)


# -- corrections that wait


def _wait(visit: _Visit, sent: Sent, content: str, event: Any) -> Answer:
    """Remember a correction under its id until a second person has decided. Raises what it would be refused with."""
    deal = visit.ledger.state.deal
    assert deal is not None
    copy(visit.ledger.state).apply(event)  # judged now on a copy, and again when it is approved
    _flush(visit)
    visit.cursor.execute(
        "INSERT INTO tables_eventid (id, table_id, digest, sequence) VALUES (%s, %s, %s, NULL)",
        [sent.id, visit.head.table_id, content],
    )
    visit.cursor.execute(
        "INSERT INTO tables_waitingcorrection (id, table_id, deal_id, envelope, author, author_staff_id, asked_at,"
        " happened_at, state, code, message) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'waiting', '', '')",
        [
            sent.id,
            visit.head.table_id,
            visit.head.last_deal_id,
            canonical({"event": sent.event, "stamps": sent.stamps}),
            sent.writer.number,
            sent.writer.staff_id,
            visit.now,
            sent.happened_at or visit.now,
        ],
    )
    live.tell_on_commit(visit.head.table_id, visit.head.sequence)  # the journal has not moved, the floor has
    assert sent.writer.staff_id is not None, "only people wait for an approval"
    people.ask_approval(
        table_id=visit.head.table_id,
        deed="correct",
        event_id=sent.id,
        author_id=sent.writer.staff_id,
        now=visit.now,
    )
    return _waits(sent.id)


def _settle_waiting(visit: _Visit, id: UUID, kept: dict[str, Any], answer: Answer) -> Answer:
    """Write down how a waiting correction went, and blank its reason, which lives on as a text of the journal."""
    blanked = {**kept, "event": {**kept["event"], "reason": ""}}
    visit.cursor.execute(
        "UPDATE tables_waitingcorrection SET state = %s, sequence = %s, code = %s, message = %s, envelope = %s"
        " WHERE id = %s AND state = 'waiting'",
        [
            "recorded" if answer.status == "recorded" else "refused",
            answer.sequence,
            answer.code,
            answer.message,
            canonical(blanked),
            id,
        ],
    )
    assert visit.cursor.rowcount == 1, "a waiting correction is decided once"
    live.tell_on_commit(visit.head.table_id, visit.head.sequence)
    return answer


# -- for the house itself


def vouch(events: Iterable[Mapping[str, Any]], *, author: str, happened_at: datetime | None = None) -> list[Sent]:
    """Make what `record_for_house` records out of plain events, with ids of their own (seeds, set-up)."""
    return [
        Sent(uuid.uuid4(), dict(event), Writer(author, None, ""), {}, happened_at, None, vouched=True)
        for event in events
    ]
