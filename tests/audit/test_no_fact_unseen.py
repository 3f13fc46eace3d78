"""What a superuser changes of whatever the house keeps is named; no table of facts is left out."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, ProgrammingError, connection, transaction
from django.db.models import (
    BigAutoField,
    BinaryField,
    BooleanField,
    DateField,
    DateTimeField,
    Field,
    ForeignKey,
    IntegerField,
    Model,
    TextField,
    TimeField,
    UUIDField,
)
from psycopg import sql

from tables.actions import alerts, cage, cards, console, disputes, floor, players, shifts
from tables.actions.house import create_casino
from tables.marks import Marks
from tables.models import Casino
from tables.models.kinds import RowKind
from tables.queries import house_facts, journals
from tables.queries.disputes import debts
from tests.audit.test_seals import public_key, seal  # noqa: F401 # fixtures
from tests.audit.test_verify_journal import verify
from tests.browser.a_busy_house import a_busy_house
from tests.tables.a_game import bet, card, statuses

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
    create_casino(code="other", name="Other", currency="RUB")
    tablet = table.tablet()
    answers = tablet.send({"type": "colour", "seat": 3, "colour": "red", "value": "50"})
    answers += tablet.send(
        {"type": "deal", "deal": "2"}, bet("a", 1, "Q", "500"), card("KS"), card("QH"),
        {"type": "mispay", "bet": "a", "way": "pay", "shown": "500", "done": "700", "recovered": False},
        {"type": "end"},
    )  # fmt: skip
    assert set(statuses(answers)) == {"recorded"}
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
    box = table.drop({100_000: 3}, box="BOX-9")
    cage.approve_count(box.id, approver=table["S-1"], now=now)
    table.close(c1000=94)
    books = table.books(2)
    shifts.close_shift(casino, books.gaming_date, books.shift, author=table["S-1"], now=datetime.now(UTC))
    cards.count_decks(casino, {"received": 4}, author=table["K-1"], second=table["A-1"], now=now)
    (owed, *_) = [debt for debt in debts(casino) if debt.kind == "ruling"]
    disputes.clear_debt(casino, "ruling", owed.id, "paid", author=table["I-1"], second=table["S-1"], now=now)
    floor.move("S", table.house.pits["high"], author=table["S-1"], id=uuid4(), now=now)


def test_no_table_of_facts_is_left_out():
    compared = " ".join([*(rows for _types, rows in house_facts._FACTS.values()), *map(str, journals._FACTS.values())])
    facts = {each._meta.db_table for each in apps.get_models() if getattr(each, "row_kind", None) is RowKind.FACT}
    left_out = {table for table in facts if not re.search(rf"\b{table}\b", compared)}
    assert left_out == APART.keys()


# Columns that are no facts of the house, and why nothing is lost by it.
NO_FACTS = {
    "tables_approval.asked_at": "an approval that was asked for and not given has no entry; given, its decision has",
    "tables_approvaldecision.device_id": "on which tablet it was decided; the entry says who decided what, and when",
    "tables_deedid.digest": "by what a repeat is known: a deed would be refused or done again, which the journal says",
    "tables_deedid.id": "the same",
    "tables_deedid.journal_id": "the same",
    "tables_deedid.sequence": "the same",
    "tables_device.token_sha256": "a secret: by what a device is known, new with every token",
    "tables_dispute.id": "by what its page is addressed; entries and papers say its number",
    "tables_eventid.digest": "by what a repeat is known: the event would be refused",
    "tables_note.id": "by what its page is addressed; entries say its number",
    "tables_note.written_at": "when it was written the entry says of itself: recorded_at",
    "tables_signon.token_sha256": "a secret: by what a sign-on is known",
    "tables_staff.language": "in which language a person reads his screens",
    "tables_staff.name": "names of people stay out of the journals; papers and entries say numbers",
    "tables_staff.user_id": "by which account a person logs in: accounts are no facts",
    "tables_tablehead.pen_id": "whose tablet enters the cards just now; what it entered has its author",
    "tables_table.name": "what people call a table; papers name its journal by the code",
}
# One in so many is planted: all of them take minutes. `./run endure` plants them all.
EACH = int(os.environ.get("EACH_COLUMN", "5"))
GO_UNSEEN = {"tables_deedid": "by what a repeat is known"}
# Where the sequence of a row's entry stands that has none of its own.
ENTRY_OF = {
    f"tables_{table}": f"(SELECT x.sequence FROM tables_{made_with} x WHERE x.id = r.{key})"
    for table, made_with, key in (
        ("dropcountline", "dropcount", "count_id"),
        ("movementchip", "movement", "movement_id"),
        ("movementcorrectionchip", "movementcorrection", "correction_id"),
        ("slipchip", "slip", "slip_id"),
        ("slipcorrectionchip", "slipcorrection", "correction_id"),
        ("shiftstart", "shiftplan", "plan_id"),
    )
}
# What others are found by: whatever is changed in these is looked for alone.
FOUND_BY = frozenset(
    f"tables_{name}"
    for name in (
        "casinohead",
        "clearing",
        "deal",
        "device",
        "entry",
        "journal",
        "opening",
        "staff",
        "table",
        "tablehead",
    )
)


@dataclass(frozen=True)
class Change:
    """What is done to one row behind the guards, in the first of several ways that is possible."""

    table: str
    what: str
    statements: list[str]
    row: str
    entry: str | None
    """Journal and number of the entry that made the row, as they are named; None where the row does not say."""


def columns_of_facts() -> Iterator[tuple[type[Model], "Field[Any, Any]"]]:
    for model in apps.get_models():
        if getattr(model, "row_kind", None) in (RowKind.FACT, RowKind.HEAD, RowKind.TEXT):
            for field in model._meta.concrete_fields:
                # Rows are found by what they say; the number of one says nothing.
                if not isinstance(field, BigAutoField):
                    yield model, field


def other_values(field: "Field[Any, Any]", old: list[Any]) -> list[str]:
    """Values of the field's type, as SQL, the likeliest to be taken first."""
    column = f'"{field.column}"'
    if isinstance(field, ForeignKey):
        target = field.remote_field.model._meta
        key = f'"{target.pk.column}"'
        nobody = "gen_random_uuid()" if isinstance(target.pk, UUIDField) else f"COALESCE({column}, 0) + 1000000"
        return [f"(SELECT x.{key} FROM {target.db_table} x WHERE x.{key} IS DISTINCT FROM r.{column} LIMIT 1)", nobody]
    if isinstance(field, BooleanField):
        return [f"NOT COALESCE({column}, false)"]
    if isinstance(field, DateTimeField):
        return [f"COALESCE({column}, now()) + interval '17 seconds'"]
    if isinstance(field, TimeField):
        return [f"{column} + interval '1 hour'"]
    if isinstance(field, DateField):
        return [f"COALESCE({column}, CURRENT_DATE) + 3"]
    if isinstance(field, UUIDField):
        return ["'00000000-0000-0000-0000-000000000123'"]
    if isinstance(field, BinaryField):
        return [r"'\x00'::bytea"]
    if isinstance(field, IntegerField):
        return [f"COALESCE({column}, 0) + 1", f"{column} + 1000", f"{column} - 1"]
    others = [str(value) for value in [*old, *(choice for choice, _word in field.choices or ())] if value]
    texts = ["repeat('a', 64)", "repeat('a', 128)"] if field.max_length in (64, 128) else []
    texts += ["'{'", f"left({column}, -1)"] if isinstance(field, TextField) else []
    return [*texts, *(sql.Literal(value).as_string() for value in others if len(value) < 50), "'~'"]


def a_row(cursor: Any, table: str, where: str) -> tuple[str, str | None] | None:
    """Find the last row of a table, and the entry that made it."""
    columns = {field.column for field in apps.get_model(table.replace("_", ".", 1))._meta.concrete_fields}
    entry = ENTRY_OF.get(table, "r.sequence" if "sequence" in columns else "NULL::bigint")
    compared = " ".join(["tables_eventid", *map(str, journals._FACTS.values())])
    of_table = re.search(rf"\b{table}\b", compared) is not None
    if table == "tables_tablehead":
        entry = "NULL::bigint"
    elif of_table and "table_id" in columns:
        where += " AND table_id = (SELECT id FROM tables_table WHERE code = 'S')"
    elif table in ("tables_table", "tables_journal"):
        where += " AND code = 'S'" if "code" in columns else " AND name = 'table:S'"
    # Rows that were deleted before leave places that later ones take: the last one by its number, where it has one.
    numbered = isinstance(apps.get_model(table.replace("_", ".", 1))._meta.pk, IntegerField)
    last = "r.id DESC" if numbered and "id" in columns else "ctid DESC"
    cursor.execute(f"SELECT ctid::text, {entry} FROM {table} r WHERE {where} ORDER BY {last} LIMIT 1")
    found = cursor.fetchone()
    if found is None:
        return None
    row, number = found
    journal = "table:S" if of_table else "casino:test"
    return row, None if number is None else f"{journal} entry {number}"


def changes(cursor: Any, app: str) -> Iterator[Change]:
    """Another value in each column of each table of facts, and none where none may be; a row gone of each table."""
    for model, field in columns_of_facts():
        table, column = model._meta.db_table, f'"{field.column}"'
        if f"{table}.{field.column}" in NO_FACTS or model._meta.app_label != app:
            continue
        cursor.execute(f"SELECT DISTINCT {column} FROM {table} ORDER BY 1 DESC LIMIT 9")
        old = [value for (value,) in cursor.fetchall()]
        found = a_row(cursor, table, f"{column} IS NOT NULL") or a_row(cursor, table, "true")
        assert found is not None, f"{table} is empty"
        yield Change(
            table,
            f"{field.column} is another",
            [
                f"UPDATE {table} r SET {column} = {value} WHERE {column} IS DISTINCT FROM {value} AND"
                for value in other_values(field, old)
            ],
            *found,
        )
        if field.null and old != [None]:
            yield Change(
                table,
                f"{field.column} is nothing",
                [f"UPDATE {table} r SET {column} = NULL WHERE {column} IS NOT NULL AND"],
                *found,
            )
    for table in {model._meta.db_table: None for model, _field in columns_of_facts()}:
        if table not in GO_UNSEEN and table.startswith(f"{app}_"):
            found = a_row(cursor, table, "true")
            assert found is not None
            yield Change(table, "a row is gone", [f"DELETE FROM {table} r WHERE"], *found)


def families() -> dict[str, str]:
    """Give tables that name one another one name: what is changed in one may be seen at another's entry."""
    of = {model._meta.db_table: model._meta.db_table for model, _field in columns_of_facts()}
    for model, field in columns_of_facts():
        if isinstance(field, ForeignKey):
            one, other = model._meta.db_table, field.related_model._meta.db_table
            if other in of and not {one, other} & FOUND_BY:
                of = {table: of[one] if name == of[other] else name for table, name in of.items()}
    return of


def plant(cursor: Any, change: Change) -> None:
    for statement in change.statements:
        try:
            with transaction.atomic():
                cursor.execute(f"{statement} r.ctid = %s::tid", [change.row])
                if cursor.rowcount:
                    return
        except (IntegrityError, DataError, ProgrammingError):
            continue
    raise AssertionError(f"{change} is not possible")


def let_rows_say_anything(cursor: Any) -> None:
    """Take the constraints of rows away, as whoever takes the guards away may do."""
    cursor.execute(
        "SELECT c.conrelid::regclass::text, c.conname FROM pg_constraint c WHERE c.contype IN ('u', 'c')"
        " AND c.conrelid::regclass::text ~ '^(tables|audit)_'"
        " AND NOT EXISTS (SELECT 1 FROM pg_constraint f WHERE f.conindid = c.conindid AND f.contype = 'f')"
    )
    for table, name in cursor.fetchall():
        cursor.execute(sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.Identifier(table), sql.Identifier(name)))
    cursor.execute(
        "SELECT i.indexrelid::regclass::text FROM pg_index i WHERE i.indisunique AND NOT i.indisprimary"
        " AND i.indrelid::regclass::text ~ '^(tables|audit)_'"
        " AND NOT EXISTS (SELECT 1 FROM pg_constraint f WHERE f.conindid = i.indexrelid)"
    )
    for (index,) in cursor.fetchall():
        cursor.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))


def unnamed(planted: list[Change], cursor: Any) -> list[Change]:
    """Plant changes together and return those under whose entries nothing is named."""
    with transaction.atomic():
        cursor.execute("SET LOCAL session_replication_role = replica")
        for change in planted:
            plant(cursor, change)
        cursor.execute("SET LOCAL session_replication_role = origin")
        names = {str(change.entry).split()[0] for change in planted}
        only = {"table:S": {"table": "S"}, "casino:test": {"casino": "test"}}
        status, said = verify(all=True, **only.get(names.pop() if len(names) == 1 else "", {}))
        if status != 2 and len(planted) == 1:  # its row may be of another journal than the one looked at
            status, said = verify(all=True)
        transaction.set_rollback(True)
    if len(planted) == 1:
        return planted if status != 2 else []
    places = set(re.findall(r"^TAMPERED (\S+ entry \d+): ", said, re.MULTILINE))
    return [change for change in planted if change.entry not in places]


def test_no_column_of_a_fact_is_left_out():
    # Rows of tables are found by their table and their sequence.
    of_tables = [f"{rows} table_id sequence" for rows in journals._FACTS.values()]
    rows = [*(rows for _types, rows in house_facts._FACTS.values()), *of_tables]
    left_out = set()
    for model, field in columns_of_facts():
        table, column = model._meta.db_table, field.column
        if (
            getattr(model, "row_kind", None) is RowKind.FACT
            and table not in APART
            and f"{table}.{column}" not in NO_FACTS
        ):
            compared = " ".join(each for each in rows if re.search(rf"\b{table}\b", each))
            if not re.search(rf"\b{column}\b|to_jsonb\(r\)", compared):
                left_out.add(f"{table}.{column}")
    assert left_out == set()


@pytest.mark.parametrize("app", ["tables", "audit"])
def test_no_column_of_a_fact_can_be_changed_unseen(public_key, app):  # noqa: F811
    everything()
    if app == "audit":
        seal(Casino.objects.get(code="test"), 15)
    rounds: list[list[Change]] = []
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        assert verify()[0] == 0, verify()[1]
        let_rows_say_anything(cursor)
        family = families()
        for change in list(changes(cursor, app))[::EACH]:
            alone = change.entry is None or change.table in FOUND_BY
            for others in [] if alone else rounds:
                if all(
                    other.entry not in (None, change.entry)
                    and other.table not in FOUND_BY
                    and family[other.table] != family[change.table]
                    for other in others
                ):
                    others.append(change)
                    break
            else:
                rounds.append([change])
        doubtful = [change for planted in rounds for change in unnamed(planted, cursor)]
        unseen = [change for change in doubtful if unnamed([change], cursor)]
    assert [f"{change.table}: {change.what}" for change in unseen] == []


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
