"""The database that migrations make is the one that tests make from the models, but for the order of columns."""

from collections.abc import Iterable

import pytest
from django.db import connection

from tests.casino.floors import Floor

pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("services")]

# Django's own migrations count the rows between its people and groups with other ids than its models do.
COLUMNS = """
    SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,
        identity_generation
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'auth%'
"""
# PostgreSQL 18 keeps "not null" as a constraint too; the columns above say it in every version.
CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
"""
INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
TRIGGERS = """
    SELECT tgrelid::regclass::text, pg_get_triggerdef(pg_trigger.oid), tgenabled, prosrc
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal
"""


def without_record(rows: Iterable[tuple[object, ...]]) -> set[tuple[object, ...]]:
    """Leave out where Django writes down which migrations were applied: no model of ours."""
    return {row for row in rows if "django_migrations" not in str(row)}


@pytest.mark.parametrize(
    "question", [COLUMNS, CONSTRAINTS, INDEXES, TRIGGERS], ids=["columns", "constraints", "indexes", "triggers"]
)
def test_migrations_make_the_database_of_the_models(question: str, floor: Floor, db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(question)
        of_models = without_record(cursor.fetchall())
    migrated = without_record(floor.execute(question))
    assert len(of_models) > 100
    assert migrated - of_models == set()
    assert of_models - migrated == set()
