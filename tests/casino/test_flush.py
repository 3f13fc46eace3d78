"""Tests may empty tables whose guards refuse it; nobody else may, and the guards are back at once."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.utils import InternalError

pytestmark = pytest.mark.django_db(transaction=True)


def test_flush_passes_guards_that_refuse_it_and_leaves_them_standing():
    with connection.cursor() as cursor:
        cursor.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'append only' USING ERRCODE = 'XX000'; END $$;
            CREATE TRIGGER guard BEFORE DELETE OR TRUNCATE ON django_session EXECUTE FUNCTION refuse();
            INSERT INTO django_session VALUES ('k', 'data', now());
            """
        )
        try:
            for statement in ("TRUNCATE django_session", "DELETE FROM django_session"):
                with pytest.raises(InternalError, match="append only"):
                    cursor.execute(statement)
            call_command("flush", interactive=False, verbosity=0)
            cursor.execute("SELECT count(*), current_setting('session_replication_role') FROM django_session")
            assert cursor.fetchone() == (0, "origin")
        finally:
            cursor.execute("DROP TRIGGER guard ON django_session; DROP FUNCTION refuse();")
