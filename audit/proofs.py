"""Proofs from the record and its seals: an entry was sealed, a seal continues an earlier one. It writes nothing."""

import json
import re
from typing import Any

from django.db import transaction

from audit.models import Seal
from audit.sealing import hashes_of, key_rows, seal_row
from audit.seals import Tree
from tables.models import Bet, Entry, Settlement

FORMAT = "casino-proof/1"


class NoProof(Exception):
    """What is asked for cannot be proven, and why."""


def file_name(proof: dict[str, Any]) -> str:
    """Name the file of a proof, in ASCII: what a table is called decides no path."""
    if proof["kind"] == "consistency":
        return f"proof-seal-{proof['first']}-{proof['second']}.json"
    entry = proof["entry"]
    return f"proof-{re.sub(r'[^A-Za-z0-9-]+', '-', entry['journal'])[:60]}-{entry['sequence']}.json"


def prove_entry(casino_id: int, journal: str, sequence: int) -> dict[str, Any]:
    """Prove that an entry is among those that the first seal after it stands for. Raises NoProof."""
    entry = Entry.objects.filter(journal__name=journal, sequence=sequence).first()
    seal = (
        Seal.objects.filter(casino=casino_id, heads__journal=journal, heads__sequence__gte=sequence)
        .order_by("number")
        .first()
    )
    if entry is None:
        raise NoProof(f"There is no entry {sequence} of {journal}.")
    if seal is None:
        raise NoProof(f"Entry {sequence} of {journal} is not sealed yet.")
    heads = list(seal.heads.order_by("position"))
    head = next(head for head in heads if head.journal == journal)
    hashes = Entry.objects.filter(journal__name=journal, sequence__lte=head.sequence).order_by("sequence")
    tree = Tree(bytes.fromhex(hash) for hash in hashes.values_list("hash", flat=True).iterator())
    if tree.root().hex() != json.loads(head.text)["root"]:
        raise NoProof(f"{journal} is not what seal {seal.number} sealed.")
    of_heads = Tree(head.text.encode() for head in heads)
    return {
        "format": FORMAT,
        "kind": "inclusion",
        "entry": {"journal": journal, "sequence": sequence, "text": entry.text},
        "head": head.text,
        "head_index": head.position,
        "journal_path": [step.hex() for step in tree.inclusion(sequence - 1, head.sequence)],
        "seal_path": [step.hex() for step in of_heads.inclusion(head.position, len(heads))],
        "seal": seal.number,
        "seals": [*key_rows(casino_id, until=seal.sequence), seal_row(seal, heads=False)],
    }


def entries_of_bet(table: str, deal: str, bet: str) -> list[int]:
    """Name the entries of a table's journal that settled a bet, corrections included. Raises NoProof."""
    found = Bet.objects.filter(deal__table__code=table, deal__name=deal, name=bet, revision=0).first()
    if found is None:
        raise NoProof(f"Table {table} has no bet {bet} in a deal {deal}.")
    rows = Settlement.objects.filter(bet__deal=found.deal_id, bet__name=bet).order_by("sequence")
    sequences = list(rows.values_list("sequence", flat=True).distinct())
    if not sequences:
        raise NoProof(f"The bet {bet} was not settled.")
    return sequences


def prove_continuation(casino_id: int, first: int, second: int) -> dict[str, Any]:
    """Prove that every journal of a seal begins with what an earlier one sealed. Raises NoProof."""
    seals = list(Seal.objects.filter(casino=casino_id, number__gte=first, number__lte=second).order_by("number"))
    if not first < second or len(seals) != second - first + 1:
        raise NoProof(f"There are no seals {first} and {second}, the one after the other.")
    then, now = (dict(seal.heads.values_list("journal", "sequence")) for seal in (seals[0], seals[-1]))
    journals: dict[str, list[str]] = {}
    name, tree = "", Tree()

    def end() -> None:
        if name in then and len(tree) >= now.get(name, 0) >= then[name]:
            journals[name] = [step.hex() for step in tree.consistency(then[name], now[name])]

    with transaction.atomic():
        for journal, _sequence, hash in hashes_of(casino_id):
            if journal != name:
                end()
                name, tree = journal, Tree()
            tree.add(bytes.fromhex(hash))
    end()
    return {
        "format": FORMAT,
        "kind": "consistency",
        "first": first,
        "second": second,
        "journals": journals,
        "seals": [*key_rows(casino_id, until=seals[-1].sequence), *map(seal_row, seals)],
    }
