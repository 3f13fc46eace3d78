"""Seal the journals as they stand, or hand over to the next key."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit import sealing
from audit.seals import NoKey
from tables.models import Casino


class Command(BaseCommand):
    help = "Seal all journals of each casino now, and hand the seals out. A gaming day that ended, the worker seals."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--casino", help="the journals of this casino alone")
        parser.add_argument("--next-key", type=Path, help="let the present key sign for the one in this file instead")

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        try:
            if options["next_key"]:
                key = sealing.announce_next_key(options["next_key"], now=now)
                self.stdout.write(f"announced {key}: SEAL_KEY_FILE may name {options['next_key']} now; publish the key")
                return
            casinos = Casino.objects.order_by("id")
            if options["casino"]:
                casinos = casinos.filter(code=options["casino"])
            made = [sealing.seal(casino.pk, gaming_date=None, author=None, now=now) for casino in casinos]
        except (NoKey, sealing.SealRefused) as problem:
            raise CommandError(str(problem)) from problem
        if not made:
            raise CommandError("There is no such casino.")
        sealing.deliver(now)
        for seal in made:
            self.stdout.write(f"sealed {seal.casino.code} {seal.number} {seal.root} key {seal.key.key}")
