"""Incidents and the surveillance log, newest first. It writes nothing."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection


@dataclass(frozen=True, slots=True)
class NoteView:
    """A note. `text` is None once it has been erased; `about` is the number of the note that it corrects or follows."""

    id: UUID
    number: int
    kind: str
    table: str | None
    pit_id: int | None
    about: int | None
    happened_at: datetime
    written_at: datetime
    author: str
    text: str | None


def notes(casino_id: int, kind: str) -> tuple[NoteView, ...]:
    """List the last notes of a kind."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n.id, n.number, n.kind, t.code, t.pit_id, a.number, n.happened_at, n.written_at, n.author, x.text"
            " FROM tables_note n JOIN tables_casinohead h ON h.casino_id = n.casino_id"
            " LEFT JOIN tables_table t ON t.id = n.table_id LEFT JOIN tables_note a ON a.id = n.about_id"
            " LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = n.sequence AND x.field = 'note'"
            " WHERE n.casino_id = %s AND n.kind = %s ORDER BY n.number DESC LIMIT 300",
            [casino_id, kind],
        )
        return tuple(NoteView(*row) for row in cursor.fetchall())
