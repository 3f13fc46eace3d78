"""Writing a note of an incident, or in the surveillance log. What has been written is never changed."""

from datetime import datetime
from uuid import UUID

from django.db.models import Max

from tables import access
from tables.access import Author
from tables.actions.once import once
from tables.journal import append_to_casino
from tables.models import Note, Table
from tables.rules.refusals import Code, Refusal

LONGEST_NOTE = 4000


def write_note(
    casino_id: int,
    kind: str,
    text: str,
    *,
    id: UUID,
    author: Author,
    happened_at: datetime,
    now: datetime,
    table: str = "",
    about: int | None = None,
) -> int:
    """Write a note and return its number; the same id again is the same note. `about` is one that it corrects.

    Raises: not_allowed, bad_line, id_reused.
    """
    at = Table.objects.filter(code=table, casino_id=casino_id).first() if table else None
    if kind not in Note.Kind.values or not text.strip() or len(text) > LONGEST_NOTE or happened_at > now:
        raise Refusal(Code.BAD_LINE, f"A note says what happened, before now, in {LONGEST_NOTE} signs at most.")
    if table and at is None:
        raise Refusal(Code.BAD_LINE, f"There is no table {table!r}.", value=table)
    access.require(author, f"{kind}.write", at.pit_id if at else None)
    with once(casino_id, id, kind, table=table, about=about or 0, author=author.number) as repeated:
        if repeated:
            return Note.objects.get(pk=id).number
        before = Note.objects.filter(casino_id=casino_id, kind=kind, number=about).first() if about else None
        if about and before is None:
            raise Refusal(Code.BAD_LINE, f"There is no note {about}.", value=about)
        number = (Note.objects.filter(casino_id=casino_id).aggregate(last=Max("number"))["last"] or 0) + 1
        body: dict[str, int | str] = {"number": number, "table": table, "about": about or 0}
        receipt = append_to_casino(
            casino_id, kind, body, author=author.number, texts={"note": text}, happened_at=happened_at
        )
        Note.objects.create(
            id=id,
            casino_id=casino_id,
            number=number,
            kind=kind,
            table=at,
            about=before,
            happened_at=happened_at,
            written_at=now,
            author=author.number,
            sequence=receipt.sequence,
        )
    return number
