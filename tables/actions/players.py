"""Deeds about players: one takes a seat under an alias, leaves it, has his alias erased. Never anything he bet.

Each in a transaction of its own, under the casino's head. An alias never enters an entry: only its salted hash does.
"""

from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Max

from tables import access
from tables.access import Author
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.models import Opening, Player, Sitting, SittingEnd, Table
from tables.queries import players as queries
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

LONGEST_ALIAS = 60
MOST_SEATS = 1000


def sit(code: str, seat: int, alias: str, *, author: Author, now: datetime, id: UUID | None = None) -> int | None:
    """Seat a player under an alias, and return his number; whoever sat there has left. A known alias is that player.

    The same id again seats nobody, and returns who has that alias now.
    Raises: not_allowed, table_closed, bad_line, already_done where he sits there already, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "player.sit", table.pit_id)
    alias = " ".join(alias.split())
    if not 0 < len(alias) <= LONGEST_ALIAS or not alias.isprintable() or not 0 < seat <= MOST_SEATS:
        raise Refusal(Code.BAD_LINE, f"A player has an alias of at most {LONGEST_ALIAS} signs, and a seat.")
    # The alias is no content of the deed: it must leave nothing once it is erased.
    with once(table.casino_id, id, "seat_taken", table=code, seat=seat, author=author.number) as repeated:
        player_id = queries.player_named(table.casino_id, alias)
        if repeated:
            return Player.objects.values_list("number", flat=True).filter(pk=player_id or 0).first()
        opening = _opening(table)
        if player_id is None:
            last = Player.objects.filter(casino_id=table.casino_id).aggregate(last=Max("number"))["last"] or 0
            receipt = append_to_casino(
                table.casino_id,
                "player",
                {"player": last + 1},
                author=author.number,
                texts={"alias": alias},
                happened_at=now,
            )
            player = Player.objects.create(casino_id=table.casino_id, number=last + 1, sequence=receipt.sequence)
        else:
            player = Player.objects.get(pk=player_id)
        live = queries.live_sitting(opening.pk, seat)
        if live is not None and live[1] == player.number:
            raise Refusal(DoorCode.ALREADY_DONE, f"Player {player.number} sits there already.", value=seat)
        body: dict[str, int | str] = {
            "table": code,
            "opening": opening.number,
            "seat": seat,
            "player": player.number,
        }
        receipt = append_to_casino(table.casino_id, "seat_taken", body, author=author.number, happened_at=now)
        if live is not None:
            SittingEnd.objects.create(sitting_id=live[0], left_at=now, author=author.number, sequence=receipt.sequence)
        Sitting.objects.create(
            opening=opening, seat=seat, player=player, sat_at=now, author=author.number, sequence=receipt.sequence
        )
    return player.number


def stand_up(code: str, seat: int, *, author: Author, now: datetime, id: UUID | None = None) -> None:
    """Let whoever sits on a seat leave it. The same id again lets nobody else leave it.

    Raises: not_allowed, table_closed, step_missing where nobody sits, id_reused.
    """
    table = Table.objects.get(code=code)
    access.require(author, "player.sit", table.pit_id)
    with once(table.casino_id, id, "seat_left", table=code, seat=seat, author=author.number) as repeated:
        if repeated:
            return
        opening = _opening(table)
        live = queries.live_sitting(opening.pk, seat)
        if live is None:
            raise Refusal(DoorCode.STEP_MISSING, f"Nobody known sits on seat {seat}.", value=seat)
        body: dict[str, int | str] = {"table": code, "opening": opening.number, "seat": seat, "player": live[1]}
        receipt = append_to_casino(table.casino_id, "seat_left", body, author=author.number, happened_at=now)
        SittingEnd.objects.create(sitting_id=live[0], left_at=now, author=author.number, sequence=receipt.sequence)


def erase_alias(casino_id: int, number: int, *, author: Author, now: datetime, id: UUID | None = None) -> None:
    """Erase a player's alias, with the salt of its hash: what he played stays, under a number that names nobody.

    The same id again is the same erasure. Raises: not_allowed, bad_line, already_done, id_reused.
    """
    access.require(author, "player.erase", None)
    with once(casino_id, id, "alias_erased", player=number, author=author.number) as repeated:
        if repeated:
            return
        player = Player.objects.filter(casino_id=casino_id, number=number).first()
        if player is None:
            raise Refusal(Code.BAD_LINE, f"There is no player {number}.", value=number)
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE tables_text x SET salt = NULL, text = NULL FROM tables_casinohead h"
                " WHERE h.casino_id = %s AND x.journal_id = h.journal_id AND x.sequence = %s AND x.field = 'alias'"
                " AND x.text IS NOT NULL",
                [casino_id, player.sequence],
            )
            if not cursor.rowcount:
                raise Refusal(DoorCode.ALREADY_DONE, f"The alias of player {number} is erased.", value=number)
        append_to_casino(casino_id, "alias_erased", {"player": number}, author=author.number, happened_at=now)


def _opening(table: Table) -> Opening:
    opening = Opening.objects.filter(table=table, closing=None).first()
    if opening is None:
        raise Refusal(DoorCode.TABLE_CLOSED, f"Table {table.code} is closed.", value=table.code)
    return opening
