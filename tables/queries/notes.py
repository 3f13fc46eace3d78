"""Incidents and the surveillance log. It writes nothing."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
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


_NOTES = """
SELECT n.id, n.number, n.kind, t.code, t.pit_id, a.number, n.happened_at, n.written_at, n.author, x.text
FROM tables_note n JOIN tables_casinohead h ON h.casino_id = n.casino_id
LEFT JOIN tables_table t ON t.id = n.table_id LEFT JOIN tables_note a ON a.id = n.about_id
LEFT JOIN tables_text x ON x.journal_id = h.journal_id AND x.sequence = n.sequence AND x.field = 'note'
WHERE n.casino_id = %s AND n.kind = %s {and_where}
"""


def notes(casino_id: int, kind: str) -> tuple[NoteView, ...]:
    """List the last notes of a kind, the newest first."""
    return _notes("ORDER BY n.number DESC LIMIT 300", casino_id, kind)


def notes_between(casino_id: int, kind: str, since: datetime, until: datetime) -> tuple[NoteView, ...]:
    """List the notes of a kind about a time, both ends included, by number."""
    return _notes("AND n.happened_at BETWEEN %s AND %s ORDER BY n.number", casino_id, kind, since, until)


def _notes(and_where: str, *values: Any) -> tuple[NoteView, ...]:
    with connection.cursor() as cursor:
        cursor.execute(_NOTES.format(and_where=and_where), list(values))
        return tuple(NoteView(*row) for row in cursor.fetchall())
