"""Verify the journals against themselves, their heads and the rows that their entries made; or export them."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection, transaction

from audit.bundle import entry_row
from audit.checks.facts import entry_findings, fact_findings, house_findings
from audit.models import Seal
from audit.sealing import is_readable, key_rows, seal_facts, seal_row
from audit.verify_journal import Chain, check_receipts, check_seals, read_receipts, read_seals, say, say_seals
from tables.models import Casino
from tables.queries.house_facts import HouseFact, heads_of_house, house_facts, pits_of
from tables.queries.journals import (
    JournalAbout,
    StoredEntry,
    entries,
    facts_outside,
    journals,
    texts_outside,
    without_journal,
)

FORMAT = "casino-journal/1"


class Command(BaseCommand):
    help = "Verify the journals: exit status 0 intact, 1 could not run or nothing to verify, 2 tampered."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--table", help="the journal of this table alone")
        parser.add_argument("--casino", help="the journal of this casino alone")
        parser.add_argument("--since", type=int, default=1, help="from this sequence on")
        parser.add_argument("--until", type=int, help="up to this sequence")
        parser.add_argument("--receipts", type=Path, help="receipts, one JSON object a line: journal, sequence, hash")
        parser.add_argument("--seals", type=Path, nargs="+", default=[], help="files of seals that were kept outside")
        parser.add_argument("--key", nargs="+", default=[], help="public keys that the house published, in hexadecimal")
        parser.add_argument("--all", action="store_true", help="name every finding, not the first of each journal")
        parser.add_argument("--export", type=Path, help="write the journals for audit/verify_journal.py instead")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            alone = not connection.in_atomic_block
            with transaction.atomic():
                if alone:  # one moment for entries, facts and heads, while the tables play on
                    with connection.cursor() as cursor:
                        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                status = self._export(options) if options["export"] else self._verify(options)
        except (DatabaseError, OSError, ValueError, KeyError) as error:
            self.stderr.write(f"could not verify: {error}")
            status = 1
        if status:
            sys.exit(status)

    def _alone(self, options: dict[str, Any]) -> str | None:
        if options["table"]:
            return f"table:{options['table']}"
        return f"casino:{options['casino']}" if options["casino"] else None

    def _verify(self, options: dict[str, Any]) -> int:
        chains: dict[str, Chain] = {}
        held: dict[tuple[str, int], str] = {}
        since, until = options["since"], options["until"]
        name = self._alone(options)
        alone = None if name is None else [name]
        for gone in without_journal():
            if name in (None, gone):
                chains[gone] = Chain(gone)
                chains[gone].report(1, "the journal is gone")
        for journal in journals(name):
            known = journal.name in chains
            chain = chains[journal.name] = Chain(journal.name, since)
            if known:
                chain.report(1, "another has this journal's name, or it has another's")
            openings: dict[int, str] = {}
            live = _Live()
            carried = _Carried()
            of_house: dict[int, list[HouseFact]] = {}
            if journal.casino_id is not None:
                of_house = house_facts(journal.id, journal.casino_id)
                for sequence, fact in seal_facts(journal.casino_id):
                    of_house.setdefault(sequence, []).append(fact)
            if journal.casino_id is None and journal.table_id is None:
                chain.report(1, "no table and no casino has this journal")
            for entry in entries(journal, since=since, until=until):
                held[journal.name, entry.sequence] = entry.hash
                said = chain.add(entry.sequence, entry.hash, entry.text)
                chain.check_text(said, entry.texts)
                made = of_house.pop(entry.sequence, [])
                try:
                    findings = _findings(said, entry, openings, journal)
                    if said is not None and journal.casino_id is not None:
                        findings += house_findings(said, made)
                    live.add(said or {})
                    carried.add(said or {})
                except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
                    findings = [f"no service writes what it says ({error!r})"]
                for finding in findings:
                    chain.report(entry.sequence, finding)
            if until is None and since <= max(journal.sequence, 1):
                if chain.count or journal.sequence:
                    chain.check_head(journal.sequence, journal.hash)
                for sequence, left in of_house.items():
                    if sequence > chain.sequence or sequence < 1:
                        for fact in left:
                            chain.report(sequence, f"no entry made this {fact.kind}")
                for sequence, name in texts_outside(journal.id, chain.sequence):
                    chain.report(sequence, f"the text {name!r} belongs to no entry")
                if journal.casino_id is not None and since == 1 and chain.count:
                    for finding in [*heads_of_house(journal.casino_id), *carried.differs(pits_of(journal.casino_id))]:
                        chain.report(chain.sequence, finding)
                if journal.table_id is not None:
                    for sequence, kind in facts_outside(journal.table_id, chain.sequence):
                        chain.report(sequence, f"no entry made this {kind}")
                    if since == 1 and chain.count:
                        for finding in live.differs(journal):
                            chain.report(chain.sequence, finding)
        if options["receipts"]:
            with options["receipts"].open(encoding="utf-8") as file:
                check_receipts(chains, list(read_receipts(file)), held, until, alone)
        outside: list[dict[str, Any]] = []
        for path in options["seals"]:
            with path.open(encoding="utf-8", newline="\n") as file:
                outside += read_seals(file)
        found = check_seals(
            outside,
            trusted=options["key"],
            own=self._seals(),
            chains=chains,
            held=held,
            alone=alone,
            until=until,
        )
        return max(say(chains.values(), self.stdout, every=options["all"]), say_seals(found, self.stdout))

    def _seals(self) -> list[dict[str, Any]]:
        """Read the keys and seals of every casino as rows of a file."""
        rows: list[dict[str, Any]] = []
        for casino in Casino.objects.order_by("id"):
            rows += key_rows(casino.pk)
            rows += [seal_row(seal) for seal in Seal.objects.filter(casino=casino).order_by("number")]
        # What no service wrote was named with the entry that it should agree with.
        return [row for row in rows if is_readable(row)]

    def _export(self, options: dict[str, Any]) -> int:
        count = 0
        with options["export"].open("w", encoding="utf-8", newline="\n") as file:

            def write(row: dict[str, Any]) -> None:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")

            write({"format": FORMAT, "since": options["since"]})
            for journal in journals(self._alone(options)):
                for entry in entries(journal, since=options["since"], until=options["until"]):
                    count += 1
                    row = entry_row(journal.name, entry.sequence, entry.hash, entry.text, entry.texts)
                    write(row)
                if options["until"] is None and journal.sequence:
                    write({"kind": "head", "journal": journal.name, "sequence": journal.sequence, "hash": journal.hash})
            for row in self._seals():
                write(row)
        if not count:
            self.stdout.write("nothing to verify")
            return 1
        self.stdout.write(f"{count} entries")
        return 0


def _findings(
    said: dict[str, Any] | None, entry: StoredEntry, openings: dict[int, str], journal: JournalAbout
) -> list[str]:
    """Compare an entry with the rows beside it. `openings` collects the gaming dates that entries gave to openings."""
    if said is None:
        return []
    findings = entry_findings(said, entry.columns)
    if journal.table_id is None:
        return findings
    facts = {kind: list(rows) for kind, rows in said.get("facts", {}).items()}
    for opened in facts.get("opening", []):
        openings[opened["number"]] = opened["gaming_date"]
    for version in facts.get("rules_version", []):
        version |= {"data_digest": version["game_digest"], "author": said["author"]}
        version["approver"] = said.get("approver", "")
    opening = said.get("opening")
    about = {"deal": said.get("deal"), "opening": opening, "day": openings.get(opening or 0)}
    rows = entry.rows
    if about["day"] is None:  # the opening lies before the range: its day is not known here
        rows = {kind: [{k: v for k, v in row.items() if k != "day"} for row in of] for kind, of in rows.items()}
    findings += fact_findings(facts, rows, about)
    if [id for id, _digest in entry.ids] != [said.get("id")]:
        findings.append(f"its sender's id is {said.get('id')}, and {[id for id, _ in entry.ids]} is kept")
    return findings


class _Carried:
    """Where the entries say that tables were carried to, to compare with where they stand."""

    def __init__(self) -> None:
        self.pits: dict[str, str] = {}

    def add(self, said: dict[str, Any]) -> None:
        if said.get("type") == "table_moved":
            self.pits[said["body"]["table"]] = said["body"]["to"]

    def differs(self, pits: dict[str, str]) -> list[str]:
        return [
            f"table {table} stands in the pit {pits.get(table)!r}, and was carried to {pit!r}"
            for table, pit in self.pits.items()
            if pits.get(table) != pit
        ]


class _Live:
    """What the entries say is live at a table, to compare with its head."""

    def __init__(self) -> None:
        self.state = "closed"
        self.opening: int | None = None
        self.last_deal: str | None = None
        self.version: int | None = None
        self.game: str | None = None
        self.currency: str | None = None

    def add(self, said: dict[str, Any]) -> None:
        facts = said.get("facts", {})
        type = said.get("type")
        if type in ("open", "opener"):
            self.state, self.opening = "open", facts["opening"][0]["number"]
        elif type in ("close", "closer"):
            self.state, self.opening = "closed", None
        elif type in ("pause", "resume"):
            self.state = "paused" if type == "pause" else "open"
        elif type == "deal":
            self.last_deal = said.get("deal")
        elif type in ("table", "rules"):
            version = facts["rules_version"][0]
            self.version, self.game, self.currency = version["number"], version["game"], version["currency"]

    def differs(self, journal: JournalAbout) -> list[str]:
        said = {
            "state": self.state,
            "opening": self.opening,
            "last_deal": self.last_deal,
            "rules_version": self.version,
            "game": self.game,
            "currency": self.currency,
        }
        return [
            f"the head's {name} is {getattr(journal, name)!r}, the entries say {value!r}"
            for name, value in said.items()
            if getattr(journal, name) != value
        ] + [
            f"the head says that deal {journal.live_deal!r} is being played, the last is {self.last_deal!r}"
            for live in (journal.live_deal,)
            if live not in (None, self.last_deal)
        ]
