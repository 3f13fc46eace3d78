"""`manage.py issue_token --table T`: give a device of a table its token. The token alone goes to standard output."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from tables.actions import people
from tables.models import Casino, Device, Table
from tables.rules.refusals import Refusal


class Command(BaseCommand):
    help = "Make a device token and print it; it is kept as SHA-256 and cannot be shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--table", help="code of the table that the device is bound to")
        where.add_argument("--casino", help="code of the casino, for a device that may stand at any table")
        parser.add_argument("--kind", choices=Device.Kind.values, default=Device.Kind.CONSOLE)
        parser.add_argument("--device", help="code of the device; one that exists gets a new token for its old one")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["table"]:
                table = Table.objects.get(code=options["table"])
                casino_id, table_id = table.casino_id, table.pk
            else:
                casino_id, table_id = Casino.objects.get(code=options["casino"]).pk, None
        except (Table.DoesNotExist, Casino.DoesNotExist) as error:
            raise CommandError(f"There is no {options['table'] or options['casino']} here.") from error
        code = options["device"] or _free_code(f"{options['kind']}-{options['table'] or options['casino']}")
        try:
            with transaction.atomic():
                issued = people.issue_device_token(
                    casino_id=casino_id,
                    kind=options["kind"],
                    table_id=table_id,
                    code=code,
                    by=None,
                    now=timezone.now(),
                )
        except Refusal as refusal:
            raise CommandError(refusal.message) from refusal
        self.stderr.write(f"Token of device {issued.code}; it cannot be shown again:")
        self.stdout.write(issued.token)


def _free_code(stem: str) -> str:
    taken = set(Device.objects.filter(code__startswith=stem).values_list("code", flat=True))
    numbered = (f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(code for code in numbered if code not in taken)
