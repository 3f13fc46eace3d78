"""Django's PostgreSQL backend, with a flush that the append-only guards let pass."""

from collections.abc import Iterable, Sequence

import psycopg.errors
from django.core.management.color import Style
from django.db import OperationalError
from django.db.backends.postgresql import base, operations

FLUSHES = 5
FILLED_BY_MIGRATIONS = {"auth_permission", "django_content_type"}


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(
        self,
        style: Style,
        tables: Sequence[str],
        *,
        reset_sequences: bool = False,
        allow_cascade: bool = False,
    ) -> list[str]:
        """Delete under a lock instead of truncating: a hundred new files take seconds, a few rows take none.

        Triggers are off for the flush alone: it is one transaction, and the setting ends with it. The lock waits for
        whoever still writes, as TRUNCATE does. What migrations fill stays, or every flush would fill it again.
        """
        if reset_sequences or allow_cascade:
            statements = super().sql_flush(style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade)
        else:
            emptied = [self.quote_name(table) for table in sorted(tables) if table not in FILLED_BY_MIGRATIONS]
            statements = [f"LOCK TABLE {', '.join(emptied)} IN EXCLUSIVE MODE"] if emptied else []
            statements += [f"DELETE FROM {table}" for table in emptied]
        return ["SET LOCAL session_replication_role = replica", *statements] if statements else []

    def execute_sql_flush(self, sql_list: Iterable[str]) -> None:
        """Flush again where a page's last request, which nobody waits for any more, was in the way."""
        statements = list(sql_list)
        for left in reversed(range(FLUSHES)):
            try:
                return super().execute_sql_flush(statements)
            except OperationalError as failed:
                if not left or not isinstance(failed.__cause__, psycopg.errors.DeadlockDetected):
                    raise


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
