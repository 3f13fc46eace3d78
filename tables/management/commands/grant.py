"""Give the service's database role exactly what the kinds of row allow. Run as the owner, after `migrate`."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, models, transaction
from psycopg import sql

from tables.models.kinds import RowKind, movable_columns

OURS = ("tables", "audit")


def privileges(model: type[models.Model]) -> sql.Composable:
    """Say what the service may do with a model's rows. Tables of Django's own apps are work."""
    kind = getattr(model, "row_kind", RowKind.WORK)
    if kind is RowKind.WORK:
        return sql.SQL("SELECT, INSERT, UPDATE, DELETE")
    columns = movable_columns(model)
    if not columns:
        return sql.SQL("SELECT, INSERT")
    return sql.SQL("SELECT, INSERT, UPDATE ({})").format(sql.SQL(", ").join(map(sql.Identifier, columns)))


def grants(role: str) -> list[sql.Composable]:
    """List the statements that leave the role with what it needs, and with nothing else."""
    name = sql.Identifier(role)
    statements: list[sql.Composable] = [
        sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}, PUBLIC").format(name),
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name),
        sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}").format(name),
        sql.SQL("GRANT SELECT ON django_migrations TO {}").format(name),
        # What a past moment is looked at through: views of its own that end with the transaction.
        sql.SQL("GRANT TEMPORARY ON DATABASE {} TO {}").format(sql.Identifier(connection.settings_dict["NAME"]), name),
    ]
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            table = sql.Identifier(model._meta.db_table)
            statements.append(
                sql.SQL("GRANT {} ON {} TO {}").format(privileges(model), table, name),
            )
    return statements


class Command(BaseCommand):
    help = "Grant the service's database role what the kinds of row allow, and nothing else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", default=settings.SERVICE_ROLE)

    def handle(self, *args: Any, role: str, **options: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_user = %s, (SELECT rolsuper FROM pg_roles WHERE rolname = %s)", [role, role])
            own, superuser = cursor.fetchone()
            if own:
                self.stdout.write(f"{role} is the owner here: nothing to grant, and no privilege guards the facts")
                return
            if superuser:
                raise CommandError(f"{role} is a superuser: no grant binds it")
            if superuser is None:
                raise CommandError(f"there is no role {role}")
            for statement in grants(role):
                cursor.execute(statement)
        self.stdout.write(f"granted {role} what the kinds of row allow")
