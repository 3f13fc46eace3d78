"""What is done about a table's consoles: a device is heard, a house sets options, an inspector checks what is paid.

Each in a transaction of its own. It judges nothing of play: the door does.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from tables import access
from tables.access import Author
from tables.actions import door
from tables.actions.door import Sent, Writer
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.ledger import After
from tables.models import ConsoleOptions, Proposal, Table, TableHead
from tables.queries.answers import Answer
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal


def hear(device_id: int) -> None:
    """Note that a device has been heard, at most every 0.7 s. Nobody waits for the disk: it proves nothing."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(
            "INSERT INTO tables_heard (device_id, heard_at) VALUES (%s, clock_timestamp()) ON CONFLICT (device_id)"
            " DO UPDATE SET heard_at = excluded.heard_at"
            " WHERE tables_heard.heard_at < excluded.heard_at - interval '0.7 seconds'",
            [device_id],
        )


def set_options(
    code: str,
    *,
    bets_down: bool,
    confirm: bool,
    check_minor: int | None,
    author: Author,
    approver: Author,
    now: datetime,
    id: UUID | None = None,
) -> None:
    """Set, by two, what the house asks for at a table's console from now on; what holds already is no new version.

    The same id again sets nothing back. Raises: not_allowed, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "console.options", table.pit_id)
    access.require(approver, "approve.options", table.pit_id)
    if author.staff_id == approver.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, "Another person than the author approves this.", staff=author.number)
    values: dict[str, Any] = {"bets_down": bets_down, "confirm": confirm, "check_minor": check_minor}
    signed = {"author": author.number, "approver": approver.number}
    with once(table.casino_id, id, "console_options", table=code, **values, **signed) as repeated:
        if repeated:
            return
        holds = ConsoleOptions.objects.filter(table=table).order_by("-number").first()
        if holds is not None and all(getattr(holds, name) == value for name, value in values.items()):
            return
        last = 0 if holds is None else holds.number
        given = {name: int(value) for name, value in values.items() if value is not None}
        body = {"table": code, "number": last + 1, "approver": approver.number, **given}
        receipt = append_to_casino(table.casino_id, "console_options", body, author=author.number, happened_at=now)
        options = ConsoleOptions.objects.create(
            table=table,
            number=last + 1,
            author=author.number,
            approver=approver.number,
            sequence=receipt.sequence,
            **values,
        )
        TableHead.objects.select_for_update().get(table=table)
        TableHead.objects.filter(table=table).update(options=options)


def decline(code: str, proposal_id: UUID, *, dealer: Author, device_id: int, now: datetime) -> None:
    """Say that the dealer will not enter what was proposed while his console was silent; once is enough.

    Raises: not_allowed, pen_elsewhere where another device has the pen.
    """
    table = Table.objects.select_related("head__pen").get(code=code)
    access.require(dealer, "proposal.decline", table.pit_id)
    pen = table.head.pen
    if pen is not None and pen.pk != device_id:
        message = f"Device {pen.code} of this table enters the cards."
        raise Refusal(DoorCode.PEN_ELSEWHERE, message, device=pen.code)
    Proposal.objects.filter(id=proposal_id, deal__table=table, declined_at=None).update(declined_at=now)


def check_turn(
    code: str,
    *,
    id: UUID,
    dealer: Author,
    inspector: Author,
    after: After,
    happened_at: datetime | None,
    paid_minor: int | None = None,
) -> Answer:
    """Confirm a turn as collected and paid, with an inspector who has seen what is paid and whose PIN has been checked.

    `happened_at`: when he saw it, where his PIN comes later; None: now. `paid_minor`: what he saw paid then, all of it;
    where the record says otherwise, the floor is alerted.

    Raises: not_allowed, and what the door refuses a confirmation with.
    """
    table = Table.objects.get(code=code)
    access.require(dealer, "turn.check", table.pit_id)
    access.require(inspector, "approve.check", table.pit_id)
    if dealer.staff_id == inspector.staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, "Nobody checks what he pays himself.", staff=dealer.number)
    event = {"type": "confirm", "inspector": inspector.number}
    writer = Writer(dealer.number, dealer.staff_id, "")
    sent = Sent(id, event, writer, {}, happened_at, after, vouched=True, paid_minor=paid_minor)
    answers, _head, _after = door.record_for_house(code, [sent])
    return answers[0]
