"""`manage.py prove`: write a proof that somebody can check with verify_journal.py and the published key."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit import proofs
from tables.models import Casino, Table


class Command(BaseCommand):
    help = "Prove the settlements of a bet, one entry, or that one seal continues another; writes a file for each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="of", required=True)
        bet = kinds.add_parser("bet", help="every entry that settled a bet, corrections included")
        for name in ("table", "deal", "bet"):
            bet.add_argument(name)
        entry = kinds.add_parser("entry", help="one entry of a journal (table:T or casino:C)")
        entry.add_argument("journal")
        entry.add_argument("sequence", type=int)
        days = kinds.add_parser("days", help="that every journal of a seal is there unchanged in a later one")
        days.add_argument("first", type=int)
        days.add_argument("second", type=int)
        for kind in (bet, entry, days):
            kind.add_argument("--casino", help="code of the casino, where there is more than one")
            kind.add_argument("--out", type=Path, default=Path(), help="folder to write to")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["out"].is_dir():
            raise CommandError(f"there is no folder {options['out']}")
        try:
            for proof in self._proofs(options):
                file = options["out"] / proofs.file_name(proof)
                file.write_text(json.dumps(proof, ensure_ascii=False) + "\n", encoding="utf-8")
                self.stdout.write(str(file))
        except proofs.NoProof as why:
            raise CommandError(str(why)) from None

    def _proofs(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        casino = self._casino(options)
        if options["of"] == "days":
            return [proofs.prove_continuation(casino, options["first"], options["second"])]
        if options["of"] == "entry":
            return [proofs.prove_entry(casino, options["journal"], options["sequence"])]
        table = options["table"]
        sequences = proofs.entries_of_bet(table, options["deal"], options["bet"])
        return [proofs.prove_entry(casino, f"table:{table}", sequence) for sequence in sequences]

    def _casino(self, options: dict[str, Any]) -> int:
        casinos = Casino.objects.order_by("id")
        if options["casino"]:
            casinos = casinos.filter(code=options["casino"])
        elif options["of"] == "bet":
            casinos = casinos.filter(pk__in=Table.objects.filter(code=options["table"]).values("casino"))
        found = casinos.first()
        if found is None:
            raise CommandError("there is no such casino or table")
        return found.pk
