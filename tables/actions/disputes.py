"""Deeds about what went wrong: freeze a turn, rule on it, clear what is owed. It recomputes nothing and edits nothing.

Each in a transaction of its own, under the casino's head.
"""

import uuid
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max

from tables import access
from tables.access import Author
from tables.actions import door
from tables.actions.door import Sent, Writer
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.journal.chain import canonical, digest, time_text
from tables.models import Clearing, Dispute, Opening, Ruling, SlipCorrection, Table
from tables.queries import disputes as queries
from tables.queries.disputes import Debt, DisputeView
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal
from tables.rules.terms import amount_text, minor_digits

LARGEST_RULING_MINOR = 10**13
LONGEST_REASON = 2000
_NAMESPACE = UUID("5d2f4c1e-8b3a-5f0e-9a77-1c6d0e4b2a90")


def open_dispute(
    code: str,
    *,
    id: UUID,
    author: Author,
    now: datetime,
    deal: str | None = None,
    turn: int | None = None,
    bet: str = "",
    reason: str = "",
) -> DisputeView:
    """Freeze what is known of a turn: cards, bets, both computations, who stood there, when to look at the film.

    Without a deal and a turn it is the last one. The same id again is the same dispute.
    Raises: not_allowed, bad_line for a turn or a bet that there is not, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "dispute.open", table.pit_id)
    about = {"table": code, "deal": deal, "turn": turn, "bet": bet}
    with once(table.casino_id, id, "dispute", **about, author=author.number) as repeated:
        if repeated:
            return _dispute(id)
        frozen = queries.what_is_known(code, deal, turn)
        if frozen is None or (bet and bet not in {each["bet"] for each in frozen.data["bets"]}):
            raise Refusal(Code.BAD_LINE, "There is no such turn, or no such bet in it.")
        text = canonical(frozen.data)
        last = Dispute.objects.filter(casino_id=table.casino_id).aggregate(last=Max("number"))["last"] or 0
        body = {
            "dispute": last + 1,
            "table": code,
            "deal": frozen.data["deal"],
            "turn": frozen.turn,
            "bet": bet,
            "snapshot": digest(text),
            "since": time_text(frozen.since),
            "until": time_text(frozen.until),
        }
        texts = {"reason": reason[:LONGEST_REASON]} if reason else {}
        receipt = append_to_casino(table.casino_id, "dispute", body, author=author.number, texts=texts, happened_at=now)
        Dispute.objects.create(
            id=id,
            casino_id=table.casino_id,
            number=last + 1,
            table=table,
            deal_id=frozen.deal_id,
            turn=frozen.turn,
            bet=bet,
            since=frozen.since,
            until=frozen.until,
            snapshot=text,
            digest=digest(text),
            author=author.number,
            opened_at=now,
            sequence=receipt.sequence,
        )
    return _dispute(id)


def rule(
    id: UUID,
    *,
    amount_minor: int,
    reason: str,
    author: Author,
    approver: Author,
    now: datetime,
    ruling_id: UUID | None = None,
) -> DisputeView:
    """Decide a dispute, by two. `amount_minor` goes to the player, or (less than 0) comes from him; 0: it stands.

    Money counts in the opening that is open now; at a closed table in the one in which the turn was dealt, late.
    Of two rulings one takes effect; the same `ruling_id` again is the same ruling.
    Raises: not_allowed, already_done, bad_line, bad_amount, table_closed, id_reused.
    """
    before = _dispute(id)
    access.require(author, "dispute.rule", before.pit_id)
    access.require(approver, "approve.ruling", before.pit_id)
    _require_two(author, approver)
    if not reason.strip():
        raise Refusal(Code.BAD_LINE, "A ruling says why.")
    if abs(amount_minor) > LARGEST_RULING_MINOR:
        raise Refusal(Code.BAD_AMOUNT, "So much is no ruling.", value=amount_minor)
    signed = {"author": author.number, "approver": approver.number}
    about = {"dispute": str(id), "amount_minor": amount_minor}
    with once(before.casino_id, ruling_id, "ruling", **about, **signed) as repeated:
        if repeated:
            return _dispute(id)
        if Ruling.objects.filter(dispute_id=id).exists():
            raise Refusal(DoorCode.ALREADY_DONE, f"Dispute {before.number} has its ruling.", value=before.number)
        seat = next((bet["seat"] for bet in before.snapshot["bets"] if bet["bet"] == before.bet), None)
        body: dict[str, int | str] = {
            "dispute": before.number,
            "amount_minor": amount_minor,
            "approver": approver.number,
            "seat": seat or 0,
        }
        receipt = append_to_casino(
            before.casino_id,
            "ruling",
            body,
            author=author.number,
            texts={"reason": reason[:LONGEST_REASON]},
            happened_at=now,
        )
        opening_id = _move(before, amount_minor, seat, author, approver) if amount_minor else None
        Ruling.objects.create(
            dispute_id=id,
            amount_minor=amount_minor,
            opening_id=opening_id,
            seat=seat,
            author=author.number,
            approver=approver.number,
            ruled_at=now,
            sequence=receipt.sequence,
        )
    return _dispute(id)


def _move(dispute: DisputeView, amount_minor: int, seat: int | None, author: Author, approver: Author) -> int:
    """Have the table record what a ruling moves; return the opening that it counts in."""
    amount = amount_text(abs(amount_minor), minor_digits(dispute.currency))
    event: dict[str, Any] = {
        "type": "ruling",
        "dispute": str(dispute.number),
        "pay" if amount_minor > 0 else "collect": amount,
        "inspector": approver.number,
    }
    if seat is not None:
        event["seat"] = seat
    is_open = Opening.objects.filter(table__code=dispute.table, closing=None).exists()
    # At a closed table it belongs to the time at which the turn was dealt.
    happened_at = None if is_open else min(dispute.since + queries.MARGIN, dispute.until)
    writer = Writer(author.number, author.staff_id, "")
    sent = Sent(uuid.uuid5(_NAMESPACE, str(dispute.id)), event, writer, {}, happened_at, None, vouched=True)
    (answer,), _head, _after = door.record_for_house(dispute.table, [sent])
    assert answer.sequence is not None, "the house's own event is recorded or refused"
    return Opening.objects.values_list("pk", flat=True).get(
        table__code=dispute.table, movements__kind="ruling", movements__sequence=answer.sequence
    )


def clear_debt(
    casino_id: int,
    kind: str,
    debt_id: int,
    how: str,
    *,
    author: Author,
    second: Author | None,
    now: datetime,
    id: UUID | None = None,
) -> Debt:
    """End a debt: paid to the player, collected from him, written off, or (the record alone was wrong) never moved.

    What moves no money needs a second person; what moves between table and cage is signed by both sides. Of two
    clearings one takes effect; the same id again is the same clearing.
    Raises: not_allowed, already_done, bad_line, id_reused.
    """
    before = queries.debt(casino_id, kind, debt_id)
    if before is None:
        raise Refusal(Code.BAD_LINE, f"There is no debt {kind} {debt_id}.", value=debt_id)
    access.require(author, "debt.clear", before.pit_id)
    if how not in Clearing.How.values or how == ("collected" if before.amount_minor > 0 else "paid"):
        raise Refusal(Code.BAD_LINE, f"This debt is not {how}.", value=how)
    moves = how in (Clearing.How.PAID, Clearing.How.COLLECTED)
    if not moves or kind == "slip":
        if second is None:
            raise Refusal(DoorCode.NOT_ALLOWED, "A second person signs this as well.", staff=author.number)
        access.require(second, "slip.issue" if moves else "approve.debt", None if moves else before.pit_id)
        _require_two(author, second)
    signed = {"author": author.number, "second": second.number if second else ""}
    with once(casino_id, id, "debt_cleared", debt=kind, number=debt_id, how=how, **signed) as repeated:
        found = queries.debt(casino_id, kind, debt_id)
        assert found is not None
        if repeated:
            return found
        if found.how is not None:
            raise Refusal(DoorCode.ALREADY_DONE, f"This debt was {found.how} by {found.cleared_by}.", value=found.how)
        body: dict[str, int | str] = {
            "debt": kind,
            "id": debt_id,
            "how": how,
            "amount_minor": found.amount_minor,
            "second": second.number if second else "",
        }
        receipt = append_to_casino(casino_id, "debt_cleared", body, author=author.number, happened_at=now)
        ruling = Ruling.objects.get(dispute__casino_id=casino_id, dispute__number=debt_id) if kind == "ruling" else None
        slip = SlipCorrection.objects.get(casino_id=casino_id, number=debt_id) if kind == "slip" else None
        Clearing.objects.create(
            adjustment_id=debt_id if kind == "adjustment" else None,
            ruling=ruling,
            slip_correction=slip,
            movement_correction_id=debt_id if kind == "movement" else None,
            how=how,
            author=author.number,
            second=second.number if second else "",
            cleared_at=now,
            sequence=receipt.sequence,
        )
    cleared = queries.debt(casino_id, kind, debt_id)
    assert cleared is not None
    return cleared


def _dispute(id: UUID) -> DisputeView:
    found = queries.dispute(id)
    if found is None:
        raise Refusal(Code.BAD_LINE, f"There is no dispute {id}.", value=id)
    return found


def _require_two(first: Author, second: Author) -> None:
    if first.staff_id == second.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {first.number} has signed: another does.", staff=first.number)
