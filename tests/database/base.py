"""Django's PostgreSQL backend, with a flush that the append-only guards let pass."""

from collections.abc import Sequence

from django.core.management.color import Style
from django.db.backends.postgresql import base, operations


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(
        self,
        style: Style,
        tables: Sequence[str],
        *,
        reset_sequences: bool = False,
        allow_cascade: bool = False,
    ) -> list[str]:
        """Switch triggers off for the flush alone: it is one transaction, and the setting ends with it."""
        statements = super().sql_flush(style, tables, reset_sequences=reset_sequences, allow_cascade=allow_cascade)
        return ["SET LOCAL session_replication_role = replica", *statements] if statements else []


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
