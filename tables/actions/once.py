"""One deed, one record: a form or a request that is sent again, by hand or by a network, changes nothing. It does no
deed itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import transaction

from tables.journal.chain import canonical, check, digest
from tables.models import CasinoHead, DeedId
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal


@contextmanager
def once(casino_id: int, id: UUID | None, deed: str, **content: Any) -> Iterator[bool]:
    """Take the casino's turn for one deed, in a transaction of its own, and say whether it was done before.

    `id` is made by whoever asks: the same again, with the same content, is the same deed. None: nobody can ask again
    (the operator's shell). `content` says what is done by whom, without free texts, which must leave nothing once they
    are erased. A deed that is refused is not remembered. Raises: id_reused, bad_line for what no journal can hold.
    """
    with transaction.atomic():
        head = CasinoHead.objects.select_for_update().get(casino_id=casino_id)
        if id is None:
            yield False
            return
        what = {"deed": deed, "casino": casino_id, **content}
        try:
            check(what)
        except ValueError as error:
            raise Refusal(Code.BAD_LINE, f"This cannot be kept: {error}.") from None
        asked = digest(canonical(what))
        known = DeedId.objects.filter(pk=id).values_list("digest", flat=True).first()
        if known is not None and known != asked:
            raise Refusal(DoorCode.ID_REUSED, f"The id {id} was sent with other content.", value=id)
        yield known is not None
        if known is None:
            (reached,) = CasinoHead.objects.filter(casino_id=casino_id).values_list("sequence", flat=True)
            DeedId.objects.create(id=id, journal_id=head.journal_id, digest=asked, sequence=reached)
