"""The guards of the record: what a row may suffer follows from its kind, by trigger and by privilege."""

from collections.abc import Callable

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, models, transaction
from psycopg import sql

from tables.management.commands.grant import grants
from tables.models import Casino, CasinoHead, Journal, Table, Text
from tables.models.kinds import Erasable, Fact, Head, RowKind, Work, movable_columns

pytestmark = pytest.mark.django_db

OURS = [
    model
    for model in apps.get_models(include_auto_created=True)
    if model._meta.app_label in ("tables", "audit") and not model._meta.proxy
]
KEPT = [model for model in OURS if getattr(model, "row_kind", None) is not RowKind.WORK]


def run(statement: str, *parameters: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)


@pytest.fixture
def as_service(db: None) -> Callable[[str], None]:
    """Run a statement with exactly the privileges that `manage.py grant` gives."""
    role = "a_service_of_tests"
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {role}")
        cursor.execute(sql.SQL("; ").join(grants(role)))

    def attempt(statement: str) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL ROLE {role}")  # until the savepoint is rolled back, or the role is reset
            cursor.execute(statement)
            cursor.execute("RESET ROLE")

    return attempt


def house() -> tuple[Casino, Table]:
    casino = Casino.objects.create(code="grand", name="Grand", currency="RUB")
    CasinoHead.objects.create(casino=casino, journal=Journal.objects.create(name="casino:grand"), hash="0" * 64)
    return casino, Table.objects.create(casino=casino, code="T1", name="T1", game="stuss", currency="RUB")


def test_every_row_of_ours_is_of_one_of_the_four_kinds() -> None:
    assert [model.__name__ for model in OURS if not issubclass(model, Fact | Head | Work | Erasable)] == []


@pytest.mark.parametrize("model", KEPT, ids=lambda model: model.__name__)
def test_the_owner_himself_can_neither_delete_nor_truncate_what_is_kept(model: type[models.Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgtype::int & 1, tgtype::int & 8, tgtype::int & 32 FROM pg_trigger"
            " WHERE tgrelid = %s::regclass AND NOT tgisinternal AND tgenabled = 'O'",
            [model._meta.db_table],
        )
        triggers = cursor.fetchall()
    assert (1, 8, 0) in triggers, "no trigger before a row is deleted"
    assert (0, 0, 32) in triggers, "no trigger before the table is truncated"


@pytest.mark.parametrize("model", KEPT, ids=lambda model: model.__name__)
def test_the_service_may_move_the_columns_that_move_and_neither_change_nor_delete_what_is_kept(
    as_service: Callable[[str], None], model: type[models.Model]
) -> None:
    table = model._meta.db_table
    columns = {str(field.column) for field in model._meta.local_concrete_fields}
    movable = set(movable_columns(model))
    assert bool(movable) == (model.row_kind is not RowKind.FACT)  # type: ignore[attr-defined] # every model here has one
    update = 'UPDATE {} SET "{}" = "{}" WHERE false'
    for column in movable:
        as_service(update.format(table, column, column))
    for attempt in (
        *(update.format(table, column, column) for column in sorted(columns - movable)),
        f"DELETE FROM {table} WHERE false",
        f"TRUNCATE {table} CASCADE",
    ):
        with pytest.raises(DatabaseError, match="permission denied"):
            as_service(attempt)


def test_a_fact_once_inserted_is_changed_by_nobody() -> None:
    house()
    with pytest.raises(DatabaseError, match="Cannot update rows from tables_journal"):
        run("UPDATE tables_journal SET name = 'casino:other'")
    with pytest.raises(DatabaseError, match="Cannot delete rows from tables_journal"):
        run("DELETE FROM tables_journal")


def test_a_head_moves_in_its_named_columns_and_in_no_other() -> None:
    house()
    run("UPDATE tables_casinohead SET sequence = 1, hash = %s", "1" * 64)
    with pytest.raises(DatabaseError, match="Cannot update rows from tables_table"):
        run("UPDATE tables_table SET game = 'stos'")
    assert Table.objects.get().game == "stuss"
    assert CasinoHead.objects.get().sequence == 1


def test_a_text_may_be_erased_with_its_salt_and_not_rewritten() -> None:
    house()
    Text.objects.create(
        journal=Journal.objects.get(), sequence=1, field="reason", salt=b"salt", text="the dealer slipped"
    )
    with pytest.raises(DatabaseError, match="may be erased, nothing else"):
        run("UPDATE tables_text SET text = 'the player cheated'")
    with pytest.raises(DatabaseError, match="Cannot update rows"):
        run("UPDATE tables_text SET salt = NULL, text = NULL, sequence = 2")
    run("UPDATE tables_text SET salt = NULL, text = NULL")
    assert Text.objects.get().text is None


def test_no_foreign_key_points_at_settlements_or_journal_entries() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f'"
            " AND confrelid IN ('tables_settlement'::regclass, 'tables_entry'::regclass)"
        )
        assert cursor.fetchall() == []
