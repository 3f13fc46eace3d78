"""A change of what holds at a table (limits, house rules, bank, seats), by two. It judges nothing: the door does."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from tables import access
from tables.access import Author
from tables.actions import door
from tables.actions.door import Sent, Writer
from tables.models import Table
from tables.queries.answers import Answer
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

CHANGEABLE = ("min", "max", "chip", "seats", "rules", "banker")


def change_rules(
    code: str, change: Mapping[str, Any], *, id: UUID, author: Author, approver: Author, now: datetime
) -> Answer:
    """Make a new version of what holds at a table, from the next deal on; what is not named stays.

    Raises: not_allowed for one person alone, bad_line, bad_rules, deal_not_finished inside a deal.
    """
    table = Table.objects.get(code=code)
    access.require(author, "rules.change", table.pit_id)
    access.require(approver, "approve.rules", table.pit_id)
    if author.staff_id == approver.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, "Another person than the author approves a change.", staff=author.number)
    if not change or change.keys() - set(CHANGEABLE):
        raise Refusal(Code.BAD_LINE, f"A change names some of {', '.join(CHANGEABLE)}.")
    stamps = {"approver": approver.number}
    writer = Writer(author.number, author.staff_id, "")
    sent = Sent(id, {"type": "rules", **change}, writer, stamps, now, None, vouched=True)
    with transaction.atomic():
        answers, _head, _after = door.record_for_house(code, [sent])
    return answers[0]
