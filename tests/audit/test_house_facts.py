"""What a superuser changes of slips, boxes, rulings, notes, decks is named: each row is in the casino's journal too."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import connection, transaction

from tables.actions import cards, disputes, notes, shifts
from tests.audit.test_revisions import table  # noqa: F401 # fixture
from tests.audit.test_verify_journal import verify
from tests.tables.a_game import bet, card

pytestmark = pytest.mark.django_db
CHANGES = {
    "UPDATE tables_slip SET amount_minor = 7": "a slip was changed: amount_minor is 7, was 1000000",
    "UPDATE tables_slipchip SET pieces = pieces + 1": "a slip was changed: chips is {'1000': 11}, was {'1000': 10}",
    "DELETE FROM tables_slipstep WHERE step = 'carried'": "its slip step is missing",
    "UPDATE tables_slipstep SET sequence = 9999 WHERE step = 'carried'": "its slip step is missing (and 1 more)",
    "UPDATE tables_slipnumber SET number = number + 5": "a slip step was changed: number is 6, was 1",
    "UPDATE tables_dropcount SET total_minor = 900000": "total_minor is 900000, was 500000",
    "UPDATE tables_dropcountline SET pieces = 9": "lines is [[100000, 9]], was [[100000, 5]]",
    "DELETE FROM tables_dropcount": "its count of a box is missing",
    "UPDATE tables_dropstep SET second = 'X-9' WHERE step = 'removed'": "a box step was changed: second is 'X-9'",
    "UPDATE tables_ruling SET amount_minor = 1": "a ruling was changed: amount_minor is 1, was 5000",
    "UPDATE tables_dispute SET snapshot = '{}'": "a dispute was changed: digest is",
    "UPDATE tables_note SET author = 'X-9'": "a note was changed: author is 'X-9', was 'S-1'",
    "UPDATE tables_deckstep SET author = 'X-9' WHERE step = 'received'": "a step of decks was changed: author is 'X-9'",
    "DELETE FROM tables_deckstep WHERE step = 'received'": "its step of decks is missing",
    "UPDATE tables_deckcount SET counted = 7": "a count of decks was changed: counted is {'received': 7}",
    "UPDATE tables_shiftclosing SET author = 'X-9'": "a closing of a shift was changed: author is 'X-9', was 'S-1'",
}


def test_whatever_is_changed_of_the_house_with_the_guards_off_is_named(table):  # noqa: F811
    casino, now = table.house.casino_id, datetime.now(UTC)
    table.open(c1000=40)
    table.fill(c1000=10)
    table.drop({100_000: 5})
    tablet = table.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "1000"), card("KS"), card("QH"))
    dispute = disputes.open_dispute("S", id=uuid4(), author=table["D-1"], now=now)
    two = {"author": table["P-1"], "approver": table["S-1"]}
    disputes.rule(dispute.id, amount_minor=5000, reason="film", now=now, **two)
    tablet.send({"type": "end"})
    notes.write_note(casino, "incident", "a lamp", id=uuid4(), happened_at=now, author=table["S-1"], now=now)
    cards.receive_decks(casino, ["B-2", "B-1"], 52, author=table["K-1"], second=table["S-1"], now=now)
    cards.count_decks(casino, {"received": 2}, author=table["K-1"], second=table["A-1"], now=now)
    table.close(c1000=50)
    books = table.books()
    shifts.close_shift(casino, books.gaming_date, books.shift, author=table["S-1"], now=datetime.now(UTC))
    assert verify()[0] == 0
    for statement, expected in CHANGES.items():
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = replica")
                cursor.execute(statement)
                assert cursor.rowcount > 0, statement
                cursor.execute("SET LOCAL session_replication_role = origin")
            status, said = verify()
            assert (status, "TAMPERED casino:test entry" in said, expected in said) == (2, True, True), (
                statement,
                said,
            )
            transaction.set_rollback(True)
    assert verify()[0] == 0
