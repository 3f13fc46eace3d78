"""The correction of a movement that was written down wrong, by two. It recounts nothing and edits nothing.

In a transaction of its own, under the casino's head and then the table's.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from tables import access, tablelog
from tables.access import Author
from tables.actions import door
from tables.actions.door import Sent, Writer
from tables.actions.once import once
from tables.journal.chain import time_text
from tables.models import Opening
from tables.queries import movements as queries
from tables.queries.movements import MovementRecord
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal


def correct_movement(
    code: str,
    opening: int,
    place: int,
    event: Mapping[str, Any],
    *,
    id: UUID,
    known: int,
    reason: str,
    author: Author,
    approver: Author,
    now: datetime,
) -> MovementRecord:
    """Say what a movement of an opening should have said: `event`, as the table log writes it; what it was stays.

    It counts in the movement's own opening, late where that is over. Of a buy-in or an exchange, what came in and what
    went out may differ now: that is owed until it is cleared. `known` is how many corrections of it the author has
    seen: of two at once one takes effect. The same id again is the same correction.
    Raises: not_allowed, already_done, bad_line, bad_amount, unknown_chip, id_reused.
    """
    if not reason.strip():
        raise Refusal(Code.BAD_LINE, "A movement is corrected for a reason.")
    if event.get("type") not in queries.CORRECTABLE:
        raise Refusal(Code.BAD_LINE, f"{event.get('type')!r} is not corrected here.", value=event.get("type"))
    said = {**event, "type": f"{event['type']}_correction", "movement": place, "opening": opening}
    said |= {"reason": reason, "inspector": approver.number}
    tablelog.parse_object(said, stamps=False)  # its author and its moment are not the sender's to say
    of = Opening.objects.select_related("table").get(table__code=code, number=opening)
    access.require(author, "movement.correct", of.table.pit_id)
    access.require(approver, "approve.movement", of.table.pit_id)
    if author.staff_id == approver.staff_id:
        raise _same_person(author)
    asked = {"table": code, "opening": opening, "said": {name: said[name] for name in said if name != "reason"}}
    with once(of.table.casino_id, id, "movement_corrected", **asked, author=author.number) as repeated:
        found = _movement(of.pk, place)
        if repeated:
            return found
        if approver.number in (found.author, found.second):
            raise _same_person(approver)
        if known != len(found.corrections):
            raise Refusal(DoorCode.ALREADY_DONE, f"Movement {place} was corrected meanwhile.", value=place)
        writer, stamps = Writer(author.number, author.staff_id, ""), {"entered_at": time_text(now)}
        sent = Sent(id, said, writer, stamps, found.happened_at, None, vouched=True)
        door.record_for_house(code, [sent])
    return _movement(of.pk, place)


def _movement(opening_id: int, place: int) -> MovementRecord:
    found = queries.movement(opening_id, place)
    if found is None:
        raise Refusal(Code.BAD_LINE, f"There is no movement {place} in this opening.", value=place)
    return found


def _same_person(author: Author) -> Refusal:
    return Refusal(
        DoorCode.NOT_ALLOWED,
        f"Staff {author.number} has signed this already: another person does.",
        staff=author.number,
    )
