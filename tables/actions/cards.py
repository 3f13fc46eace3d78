"""Deeds with decks, by two: received, put in service, retired, retained, destroyed, counted. Never a deal.

Each in a transaction of its own, under the casino's head: all decks that are named, or none.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from tables import access
from tables.access import Author
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.models import Deck, DeckCount, DeckStep, Table
from tables.queries import cards as queries
from tables.queries.cards import COUNTED, DeckView
from tables.queries.shifts import calendar_of
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

MOST_DECKS = 500
SIZES = (52, 36, 32)
# From which state a deck may come into each.
_FROM: Mapping[str, frozenset[str]] = {
    "in_service": frozenset({"received"}),
    "retired": frozenset({"in_service"}),
    "retained": frozenset({"received", "in_service", "retired"}),
    "destroyed": frozenset({"received", "retired", "retained"}),
}
STEPS = ("received", *_FROM)


def receive_decks(
    casino_id: int,
    serials: Sequence[str],
    size: int,
    *,
    author: Author,
    second: Author,
    now: datetime,
    id: UUID | None = None,
) -> tuple[DeckView, ...]:
    """Take decks of one size into the stock, each under the serial on its seal.

    The same id again is the same receipt.
    Raises: not_allowed, bad_line, already_done for a serial that was received before, id_reused.
    """
    access.require(author, "cards.step", None)
    access.require(second, "approve.cards", None)
    _require_two(author, second)
    named = _serials(serials)
    if size not in SIZES:
        raise Refusal(Code.BAD_LINE, "A deck has 52, 36 or 32 cards.", value=size)
    signed = {"author": author.number, "second": second.number}
    with once(casino_id, id, "decks_received", serials=named, size=size, **signed) as repeated:
        if repeated:
            return tuple(queries.decks_named(casino_id, named).values())
        known = queries.decks_named(casino_id, named)
        if known:
            raise Refusal(DoorCode.ALREADY_DONE, f"Deck {min(known)!r} was received already.", value=min(known))
        sequence = _append(casino_id, "received", named, author, second, now, size=size)
        made = Deck.objects.bulk_create(
            Deck(casino_id=casino_id, serial=serial, size=size, sequence=sequence) for serial in named
        )
        DeckStep.objects.bulk_create(
            DeckStep(
                deck=deck,
                number=1,
                step="received",
                author=author.number,
                second=second.number,
                done_at=now,
                sequence=sequence,
            )
            for deck in made
        )
    return tuple(queries.decks_named(casino_id, named).values())


def move_decks(
    casino_id: int,
    serials: Sequence[str],
    step: str,
    *,
    author: Author,
    second: Author,
    now: datetime,
    table: str = "",
    reason: str = "",
    id: UUID | None = None,
) -> tuple[DeckView, ...]:
    """Take decks a step further: in service at a table, retired, retained for a reason, destroyed.

    Of two who move one deck at one moment one does; the same id again is the same step.
    Raises: not_allowed, bad_line, step_missing, already_done, id_reused.
    """
    named = _serials(serials)
    at = Table.objects.filter(code=table, casino_id=casino_id).first() if step == "in_service" else None
    if step not in _FROM or (step == "in_service" and at is None) or (step == "retained" and not reason.strip()):
        raise Refusal(Code.BAD_LINE, "Decks go into service at a table, and are retained for a reason.", value=step)
    _require_two(author, second)
    signed = {"author": author.number, "second": second.number}
    with once(casino_id, id, f"decks_{step}", serials=named, table=table, **signed) as repeated:
        found = queries.decks_named(casino_id, named)
        if repeated:
            return tuple(found.values())
        for serial in named:
            deck = found.get(serial)
            if deck is None:
                raise Refusal(DoorCode.STEP_MISSING, f"Deck {serial!r} was never received.", value=serial)
            pit_id = at.pit_id if at is not None else deck.pit_id
            access.require(author, "cards.step", pit_id)
            access.require(second, "approve.cards", pit_id)
            if deck.state not in _FROM[step]:
                done = deck.state in (step, "destroyed")
                raise Refusal(
                    DoorCode.ALREADY_DONE if done else DoorCode.STEP_MISSING,
                    f"Deck {serial!r} is {deck.state}: not {step}.",
                    value=serial,
                    limit=deck.state,
                )
        sequence = _append(casino_id, step, named, author, second, now, table=table, reason=reason)
        rows = Deck.objects.filter(casino_id=casino_id, serial__in=named).annotate(last=Max("steps__number"))
        DeckStep.objects.bulk_create(
            DeckStep(
                deck_id=row.pk,
                number=row.last + 1,
                step=step,
                table=at,
                author=author.number,
                second=second.number,
                done_at=now,
                sequence=sequence,
            )
            for row in rows
        )
    return tuple(queries.decks_named(casino_id, named).values())


def count_decks(
    casino_id: int,
    counted: Mapping[str, int],
    *,
    author: Author,
    second: Author,
    now: datetime,
    id: UUID | None = None,
) -> int:
    """Record what two counted of each state; return by how many decks that differs now. A difference stays.

    The same id again is the same count. Raises: not_allowed, bad_line, id_reused.
    """
    access.require(author, "cards.step", None)
    access.require(second, "approve.cards", None)
    _require_two(author, second)
    if not counted or counted.keys() - set(COUNTED) or not all(0 <= number < 10**6 for number in counted.values()):
        raise Refusal(Code.BAD_LINE, "Decks are counted by state.")
    signed = {"author": author.number, "second": second.number}
    with once(casino_id, id, "decks_counted", counted=dict(counted), **signed) as repeated:
        there = Counter(deck.state for deck in queries.decks(casino_id))
        differs = sum(abs(pieces - there[state]) for state, pieces in counted.items())
        if repeated:
            return differs
        number = (DeckCount.objects.filter(casino_id=casino_id).aggregate(last=Max("number"))["last"] or 0) + 1
        day = calendar_of(casino_id).gaming_date(now)
        body = {
            "number": number,
            "gaming_date": day.isoformat(),
            "counted": {state: counted[state] for state in sorted(counted)},
            "expected": {state: there[state] for state in sorted(counted)},
            "second": second.number,
        }
        receipt = append_to_casino(casino_id, "decks_counted", body, author=author.number, happened_at=now)
        DeckCount.objects.bulk_create(
            DeckCount(
                casino_id=casino_id,
                gaming_date=day,
                number=number,
                state=state,
                expected=there[state],
                counted=pieces,
                author=author.number,
                second=second.number,
                counted_at=now,
                sequence=receipt.sequence,
            )
            for state, pieces in counted.items()
        )
    return differs


def _append(
    casino_id: int,
    step: str,
    serials: Sequence[str],
    author: Author,
    second: Author,
    now: datetime,
    *,
    reason: str = "",
    **more: int | str,
) -> int:
    body = {"serials": list(serials), "second": second.number, **more}
    texts = {"reason": reason[:500]} if reason else {}
    receipt = append_to_casino(casino_id, f"decks_{step}", body, author=author.number, texts=texts, happened_at=now)
    return receipt.sequence


def _serials(serials: Sequence[str]) -> list[str]:
    named = sorted(each.strip() for each in serials)
    if (
        not 0 < len(named) <= MOST_DECKS
        or len(set(named)) < len(named)
        or not all(0 < len(each) <= 40 and each.isprintable() for each in named)
    ):
        raise Refusal(Code.BAD_LINE, f"Decks are named by their serials, each once, {MOST_DECKS} at most.")
    return named


def _require_two(first: Author, second: Author) -> None:
    if first.staff_id == second.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {first.number} has signed: another does.", staff=first.number)
