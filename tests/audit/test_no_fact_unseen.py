"""What a superuser changes of whatever the house keeps is named; no table of facts is left out."""

import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction

from tables.actions import alerts, cage, cards, console, disputes, players, shifts
from tables.marks import Marks
from tables.models import Casino
from tables.models.kinds import RowKind
from tables.queries import house_facts, journals
from tables.queries.disputes import debts
from tests.audit.test_seals import public_key, seal  # noqa: F401 # fixtures
from tests.audit.test_verify_journal import verify
from tests.browser.a_busy_house import a_busy_house
from tests.tables.a_game import bet, card

pytestmark = pytest.mark.django_db

# Tables of facts that no entry is compared with, and why nothing is lost by it.
APART = {
    "audit_seal": "signed, and compared with its signature",
    "audit_sealhead": "signed, as a leaf of its seal",
    "audit_sealkey": "signed by the key before",
    "tables_deedid": "by what a repeat is known; it says nothing of the house",
    "tables_entry": "what everything is compared with",
    "tables_eventid": "by what a repeat is known; that each entry has its own is looked at",
    "tables_journal": "its name is in each of its entries",
}
CHANGES = {
    "UPDATE tables_chip SET value_minor = 7 WHERE name = '500'": "a chip was changed: ",
    "UPDATE tables_chippolicy SET grave_minor = 9": "a chip policy was changed: grave_minor is 9, was 2",
    "UPDATE tables_bankmovement SET pieces = 999 WHERE why = 'delivery'": "a movement of the chip bank was changed: ",
    "DELETE FROM tables_bankmovement WHERE why = 'fill'": "its movement of the chip bank is missing",
    "UPDATE tables_bankstock SET pieces = pieces + 1 WHERE chip = '500'": "the chip bank says ",
    "UPDATE tables_slipchip SET value_minor = value_minor + 1": "worth of its chips is ",
    "UPDATE tables_shiftstart SET starts_at = '07:00' WHERE number = 1": "a plan of shifts was changed: starts is ",
    "UPDATE tables_shiftclosingtable SET sequence = 1": "a closing of a shift was changed: tables is ",
    "UPDATE tables_consoleoptions SET check_minor = 8": "a console's options was changed: check_minor is 8, was 7",
    "UPDATE tables_floormarks SET big_win_times = 99": "a marks of the floor was changed: big_win_times is 99, was 5",
    "UPDATE tables_sitting SET seat = 9": "a sitting was changed: seat is 9",
    "DELETE FROM tables_sittingend": "its end of a sitting is missing",
    "UPDATE tables_clearing SET how = 'written_off'": "a clearing of a debt was changed: how is ",
    "UPDATE tables_approvaldecision SET verdict = 'refused'": "a decision was changed: verdict is 'refused'",
    "UPDATE tables_signon SET role = 'pit_boss'": "a sign-on was changed: role is 'pit_boss', was 'dealer'",
    "UPDATE tables_signon SET started_at = started_at - interval '1 s'": "no entry made this sign-on",
    "UPDATE tables_appointment SET role = 'admin'": "no entry made this post",
    "UPDATE tables_staff SET joined_at = joined_at + interval '1 s'": "a member of the staff was changed: ",
    "UPDATE tables_dispute SET until = until + interval '1 s'": "a dispute was changed: until is ",
    "UPDATE tables_deckstep SET number = number + 7": "a step of decks was changed: number is ",
}


def everything() -> None:
    """A house with something of everything."""
    busy = a_busy_house()
    table, now = busy.table, datetime.now(UTC)
    casino = table.house.casino_id
    tablet = table.tablet()
    tablet.send(
        {"type": "colour", "seat": 3, "colour": "red", "value": "50"},
        {"type": "deal", "deal": "2"}, bet("a", 1, "Q", "500"), card("KS"), card("QH"),
        {"type": "mispay", "bet": "a", "way": "pay", "shown": "500", "done": "700", "recovered": False},
        {"type": "end"},
    )  # fmt: skip
    two: dict[str, Any] = {"author": table["P-1"], "approver": table["S-1"], "now": now}
    amounts: dict[str, Any] = {"notice_minor": 1, "grave_minor": 2, "tolerance_minor": 3}
    house: dict[str, Any] = {"author": table["S-1"], "approver": table["A-1"], "now": now}
    cage.set_policy(casino, currency="RUB", **amounts, **house)
    shifts.set_plan(casino, since=now.date() + timedelta(days=9), starts=[time(6), time(18)], **house)
    console.set_options("S", bets_down=True, confirm=False, check_minor=7, **two)
    alerts.set_marks(casino, Marks(), author=table["S-1"], now=now)
    players.sit("S", 2, "a lady", author=table["D-1"], now=now)
    players.sit("S", 2, "another", author=table["D-1"], now=now + timedelta(seconds=1))
    players.stand_up("S", 2, author=table["D-1"], now=now + timedelta(seconds=2))
    table.close(c1000=94)
    books = table.books(2)
    shifts.close_shift(casino, books.gaming_date, books.shift, author=table["S-1"], now=datetime.now(UTC))
    cards.count_decks(casino, {"received": 4}, author=table["K-1"], second=table["A-1"], now=now)
    (owed, *_) = [debt for debt in debts(casino) if debt.kind == "ruling"]
    disputes.clear_debt(casino, "ruling", owed.id, "paid", author=table["I-1"], second=table["S-1"], now=now)
    seal(Casino.objects.get(), 15)


def test_no_table_of_facts_is_left_out():
    compared = " ".join([*(rows for _types, rows in house_facts._FACTS.values()), *map(str, journals._FACTS.values())])
    facts = {each._meta.db_table for each in apps.get_models() if getattr(each, "row_kind", None) is RowKind.FACT}
    left_out = {table for table in facts if not re.search(rf"\b{table}\b", compared)}
    assert left_out == APART.keys()


def test_whatever_is_changed_of_a_busy_house_is_named(public_key):  # noqa: F811
    everything()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert verify()[0] == 0, verify()[1]
    for statement, expected in CHANGES.items():
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = replica")
                cursor.execute(statement)
                assert cursor.rowcount > 0, statement
                cursor.execute("SET LOCAL session_replication_role = origin")
            status, said = verify(casino="test")
            transaction.set_rollback(True)
        assert (status, expected in said) == (2, True), (statement, said)
