"""Deeds of whoever walks the floor: open, close, pause a table, carry it to another pit. Signed by PIN at the edge."""

from datetime import datetime
from uuid import UUID

from tables import access, live
from tables.access import Author
from tables.actions import door
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.models import Pit, Table
from tables.queries.answers import Answer
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

STATES = ("open", "close", "pause", "resume")


def set_state(code: str, deed: str, *, author: Author, id: UUID) -> Answer:
    """Open, close, pause or resume a table. Sent again under the same id it is answered as before.

    A table that is opened or closed with a count is so at its float's page, by two.
    Raises: not_allowed, not_offered, table_closed, paused, deal_not_finished, count_needed, id_reused.
    """
    if deed not in STATES:
        raise Refusal(Code.NOT_OFFERED, f"A table is not {deed!r}.", value=deed)
    pit_id = Table.objects.values_list("pit_id", flat=True).get(code=code)
    access.require(author, "table.state", pit_id)
    writer = door.Writer(author.number, author.staff_id, "")
    # Vouched for: whoever walks the floor is signed on nowhere, and what he may do was asked above.
    sent = door.Sent(id, {"type": deed}, writer, {}, None, None, vouched=True)
    answers, _head, _after = door.record_for_house(code, [sent])
    return answers[0]


def move(code: str, pit_id: int, *, author: Author, id: UUID, now: datetime) -> None:
    """Carry a table to another pit of its house; what was recorded at it stays where it was.

    Sent again under the same id it is not carried back. Raises: not_allowed, already_done where it stands there,
    id_reused.
    """
    access.require(author, "table.move", None)
    casino_id = Table.objects.values_list("casino_id", flat=True).get(code=code)
    with once(casino_id, id, "table_moved", table=code, pit=pit_id, author=author.number) as repeated:
        if repeated:
            return
        table = Table.objects.select_related("pit").get(code=code)
        pit = Pit.objects.filter(pk=pit_id, casino_id=table.casino_id).first()
        if pit is None:
            raise Refusal(DoorCode.NOT_ALLOWED, "There is no such pit in this house.", value=pit_id)
        if table.pit_id == pit.pk:
            raise Refusal(DoorCode.ALREADY_DONE, f"Table {code} stands in {pit.name}.", value=pit.name)
        body = {"table": code, "from": table.pit.name if table.pit else "", "to": pit.name}
        append_to_casino(table.casino_id, "table_moved", body, author=author.number, happened_at=now)
        table.pit = pit
        table.save(update_fields=["pit"])
        live.tell_on_commit(table.pk, 0)
