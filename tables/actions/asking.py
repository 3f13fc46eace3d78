"""What one person has signed and a second has still to: it waits on the floor, and is done when he approves.

The deeds are those of `cage`, `movements` and `terms`, which two sign at once where both stand together; nothing is
done here. What waits is an approval like a correction's (`people`), with what was asked for beside it until somebody
has decided.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from tables import access, live
from tables.access import Author, Post
from tables.actions import cage, movements, people, terms
from tables.journal.chain import canonical
from tables.models import Approval, ApprovalDecision, CasinoHead, Table, WaitingDeed
from tables.queries import slips
from tables.queries.people import posts_of
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

LONGEST_REASON = 500


@dataclass(frozen=True, slots=True)
class _Asked:
    """What somebody asked for at a table."""

    id: UUID
    table: str
    author: Author
    content: Mapping[str, Any]

    @property
    def slip(self) -> UUID:
        return UUID(self.content["slip"])


Do = Callable[[_Asked, Author, datetime], object]


def _counted(deed: Callable[..., object]) -> Do:
    def do(asked: _Asked, second: Author, now: datetime) -> object:
        return deed(
            asked.table, asked.content["chips"], dealer=asked.author, inspector=second, id=asked.id, now=now
        )  # fmt: skip

    return do


def _step(step: str, *kinds: str) -> Do:
    def do(asked: _Asked, second: Author, now: datetime) -> object:
        slip = slips.slip(asked.slip)
        if slip is None or slip.table != asked.table or slip.kind not in kinds:
            raise Refusal(Code.NOT_OFFERED, f"No such slip of {asked.table} waits for this.", value=asked.slip)
        reason = asked.content.get("reason", "")
        return cage.take_step(
            asked.slip, step, author=asked.author, second=second, reason=reason, now=now, step_id=asked.id
        )

    return do


def _slip_correction(asked: _Asked, second: Author, now: datetime) -> object:
    return cage.correct_slip(
        asked.slip,
        asked.content["chips"],
        correction_id=asked.id,
        known=asked.content["known"],
        reason=asked.content["reason"],
        author=asked.author,
        approver=second,
        now=now,
    )


def _request(asked: _Asked, second: Author, now: datetime) -> object:
    """Request the slip that a dealer wants: whoever approves is who asks the cage, as if nobody had asked him."""
    kind, chips = asked.content["kind"], asked.content["chips"]
    return cage.request_slip(asked.table, kind, chips, id=asked.id, author=second, now=now)


def _late(asked: _Asked, second: Author, now: datetime) -> object:
    return cage.enter_late_slip(
        asked.table,
        asked.content["kind"],
        asked.content["chips"],
        id=asked.id,
        paper_number=asked.content["paper_number"],
        happened_at=datetime.fromisoformat(asked.content["happened_at"]),
        author=asked.author,
        second=second,
        now=now,
    )


def _movement(asked: _Asked, second: Author, now: datetime) -> object:
    return movements.correct_movement(
        asked.table,
        asked.content["opening"],
        asked.content["place"],
        asked.content["event"],
        id=asked.id,
        known=asked.content["known"],
        reason=asked.content["reason"],
        author=asked.author,
        approver=second,
        now=now,
    )


def _rules(asked: _Asked, second: Author, now: datetime) -> object:
    change = asked.content["change"]
    return terms.change_rules(asked.table, change, id=asked.id, author=asked.author, approver=second, now=now)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A deed by two: what its author may do, and what the second person approves (`approve.…`)."""

    signs: str
    approves: str
    do: Do


KINDS: Final[Mapping[str, _Kind]] = {
    "opener": _Kind("count.float", "count", _counted(cage.open_counted)),
    "closer": _Kind("count.float", "count", _counted(cage.close_counted)),
    "rollover": _Kind("count.float", "count", _counted(cage.roll_over)),
    "count": _Kind("count.float", "count", _counted(cage.count_float)),
    "received": _Kind("count.float", "count", _step("received", "fill")),
    "carried": _Kind("count.float", "count", _step("carried", "credit")),
    "void": _Kind("slip.void", "void", _step("void", "fill", "credit")),
    "request": _Kind("slip.ask", "slip", _request),
    "late": _Kind("slip.issue", "void", _late),
    "movement": _Kind("movement.correct", "movement", _movement),
    "slip_correction": _Kind("slip.correct", "slip_correction", _slip_correction),
    "rules": _Kind("rules.change", "rules", _rules),
}
# Whoever may approve anything anywhere, and is nobody: with him a deed is tried out and undone.
_ANYBODY = Author(0, "*", (Post(access.PIT_BOSS, None), Post(access.SHIFT_MANAGER, None)))


class _TriedOut(Exception):
    """Undoes what was tried out."""


def ask(code: str, what: str, content: Mapping[str, Any], *, id: UUID, author: Author, now: datetime) -> None:
    """Let a deed by two wait for its second person. The same id again is the same asking.

    `content` says what for: `chips` of a count; `kind` and `chips` of a slip that is wanted, with `paper_number` and
    `happened_at` of one written by hand; `slip`, with `chips`, `known` and `reason` where it is corrected or made void;
    `opening`, `place`, `event`, `known` and `reason` of a movement; `change` of rules. It is judged as it would be now,
    and refused with what it would be refused with; a change of rules may be asked for inside a deal, and is approved
    after it.
    Raises: not_allowed, not_offered, id_reused, and what the deed raises.
    """
    if what not in KINDS:
        raise Refusal(Code.NOT_OFFERED, f"{what!r} is not asked for.", value=what)
    if len(content.get("reason", "")) > LONGEST_REASON:
        raise Refusal(Code.BAD_LINE, f"A reason has at most {LONGEST_REASON} signs.", limit=LONGEST_REASON)
    table = Table.objects.get(code=code)
    kind = KINDS[what]
    access.require(author, kind.signs, table.pit_id)
    text = canonical({**content, "what": what})
    with transaction.atomic():
        CasinoHead.objects.select_for_update().get(casino_id=table.casino_id)
        if (earlier := WaitingDeed.objects.filter(pk=id).first()) is not None and earlier.content == text:
            return
        if Approval.objects.filter(pk=id).exists():
            raise Refusal(DoorCode.ID_REUSED, f"The id {id} was sent with other content, or is decided.", value=id)
        _try_out(kind, _Asked(id, code, author, content), now)
        people.ask_approval(
            table_id=table.pk, deed=kind.approves, event_id=id, author_id=author.staff_id, now=now
        )  # fmt: skip
        WaitingDeed.objects.create(approval_id=id, slip_id=content.get("slip"), content=text)
        live.tell_on_commit(table.pk, 0)  # no journal has moved, the floor has


def _try_out(kind: _Kind, asked: _Asked, now: datetime) -> None:
    """Refuse what would be refused with a second person beside the first."""
    try:
        with transaction.atomic():
            kind.do(asked, _ANYBODY, now)
            raise _TriedOut
    except _TriedOut:
        return
    except Refusal as refusal:
        if refusal.code != Code.DEAL_NOT_FINISHED or kind is not KINDS["rules"]:
            raise


def decide(approval_id: UUID, approver: Author, verdict: str, device_id: int | None, now: datetime) -> None:
    """Let a second person, whose PIN has been checked, decide what waits; approved, it is done in the same moment.

    What cannot be done now (a deal that has not ended, a bank that is short) is refused with its code and waits on.
    In its own transaction. Raises: not_allowed, and what the deed raises.
    """
    with transaction.atomic():
        people.decide(approval_id=approval_id, approver=approver, verdict=verdict, device_id=device_id, now=now)
        approval = Approval.objects.select_related("table", "author").get(pk=approval_id)
        waiting = WaitingDeed.objects.get(pk=approval_id)
        content = json.loads(waiting.content)
        if verdict == ApprovalDecision.Verdict.APPROVED:
            author = Author(approval.author_id, approval.author.number, posts_of(approval.author_id))
            KINDS[content["what"]].do(_Asked(approval_id, approval.table.code, author, content), approver, now)
        waiting.delete()  # what was done is in the journals, with both names and its reason
        live.tell_on_commit(approval.table_id, 0)
