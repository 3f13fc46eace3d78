#!/usr/bin/env python3
"""Verify an exported journal without the service: one file, Python's standard library alone.

    python3 verify_journal.py EXPORT [--receipts FILE]

The format is docs/journal-format.md. Exit status: 0 intact, 1 could not run or nothing to verify, 2 tampered; then the
first bad entry of each journal is named. It knows no rule of any game: it proves that the record is the one that was
written, not that what was written is right.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

START = "0" * 64
LARGEST = 2**53 - 1


@dataclass
class Chain:
    """A journal as far as it has been read: its last sequence and hash, and what is wrong with it.

    `since` is where the range begins that is read; what lies before it is not judged.
    """

    name: str
    since: int = 1
    sequence: int = 0
    hash: str = START
    count: int = 0
    findings: list[tuple[int, str]] = field(default_factory=list)

    def report(self, sequence: int, what: str) -> None:
        self.findings.append((sequence, what))

    def add(self, sequence: int, hash: str, text: str) -> dict[str, Any] | None:
        """Check the next entry; return what it says, or None where its text is not JSON."""
        expected = self.sequence + 1 if self.count else self.since
        knows_previous = self.count > 0 or sequence == 1
        self.count += 1
        if sequence != expected:
            self.report(expected, f"entry {expected} is missing: {sequence} follows {expected - 1}")
        if sha256(text) != hash:
            self.report(sequence, "its hash is not that of its text")
        entry: dict[str, Any] | None = None
        try:
            said = json.loads(text)
            if canonical(said) != text:
                self.report(sequence, "its text is not canonical")
            entry = said if isinstance(said, dict) else None
        except (ValueError, RecursionError):
            self.report(sequence, "its text is not canonical JSON")
        if entry is not None:
            if (entry.get("sequence"), entry.get("journal")) != (sequence, self.name):
                self.report(sequence, f"it says of itself {entry.get('journal')!r} {entry.get('sequence')!r}")
            if knows_previous and entry.get("previous") != self.hash:
                self.report(sequence, "it does not name the hash of the entry before it")
        self.sequence, self.hash = sequence, hash
        return entry

    def check_text(self, said: dict[str, Any] | None, texts: Iterable[tuple[str, str | None, str | None]]) -> None:
        """Check the texts left out of the entry just added: (field, salt in hex, text), both None once erased."""
        body = {} if said is None else said.get("event", said.get("body", {}))
        for name, salt, text in texts:
            left_out = body.get(name) if isinstance(body, dict) else None
            if not isinstance(left_out, dict) or set(left_out) != {"sha256"}:
                self.report(self.sequence, f"the text {name!r} belongs to no field of it")
            elif salt is not None and text is not None:
                if hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest() != left_out["sha256"]:
                    self.report(self.sequence, f"the text {name!r} is not the one that was left out of it")
            elif salt is not None or text is not None:
                self.report(self.sequence, f"the text {name!r} is erased by half")

    def check_head(self, sequence: int, hash: str) -> None:
        """Compare with the head that the service holds."""
        if (sequence, hash) != (self.sequence, self.hash):
            self.report(
                min(sequence, self.sequence) + 1,
                f"the head says {sequence} {hash}, the entries {self.sequence} {self.hash}",
            )


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def canonical(value: object) -> str:
    """Write a value after RFC 8785. Raises ValueError for what no journal holds: floats, integers beyond 2^53."""
    check(value)
    return _WRITER.encode(value)


# For what `check` lets pass, Python's own writer with sorted ASCII keys is that of RFC 8785.
_WRITER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def check(value: object) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.isascii():
                raise ValueError(f"the key {key!r} is not ASCII")
            check(inner)
    elif isinstance(value, list):
        for inner in value:
            check(inner)
    elif isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST):
        raise ValueError(f"{value!r} is no number of a journal")


def check_receipts(
    chains: dict[str, Chain],
    receipts: Iterable[tuple[str, int, str]],
    held: dict[tuple[str, int], str],
    until: int | None = None,
    alone: str | None = None,
) -> None:
    """Compare what writers kept of their answers, (journal, sequence, hash), with the hashes that are held.

    `until` and `alone` say where the range ends that was read, and of which journal alone: receipts of what lies
    outside of it say nothing against it.
    """
    for journal, sequence, hash in receipts:
        if (alone is not None and journal != alone) or (until is not None and sequence > until):
            continue
        chain = chains.get(journal)
        if chain is None:
            chain = chains[journal] = Chain(journal)
            chain.report(sequence, "somebody holds a receipt of it, and there is no such journal")
        elif sequence < chain.since:
            continue
        elif (journal, sequence) not in held:
            chain.report(sequence, "somebody holds a receipt of it, and it is not there")
        elif held[journal, sequence] != hash:
            chain.report(sequence, f"somebody's receipt of it says {hash}")


def read_receipts(lines: Iterable[str]) -> Iterator[tuple[str, int, str]]:
    """Read receipts, one JSON object a line: journal, sequence, hash. Raises ValueError."""
    for line in lines:
        if line.strip():
            receipt = json.loads(line)
            if not isinstance(receipt, dict) or not {"journal", "sequence", "hash"} <= receipt.keys():
                raise ValueError(f"no receipt: {line.strip()[:80]}")
            yield str(receipt["journal"]), int(receipt["sequence"]), str(receipt["hash"])


def say(chains: Iterable[Chain], out: Any = None) -> int:
    """Print how each journal stands and return the exit status."""
    out = out or sys.stdout
    status, seen = 0, 0
    for chain in chains:
        seen += chain.count
        if chain.findings:
            status = 2
            sequence, what = min(chain.findings, key=lambda finding: finding[0])
            more = len(chain.findings) - 1
            out.write(f"TAMPERED {chain.name} entry {sequence}: {what}{f' (and {more} more)' if more else ''}\n")
        elif chain.count:
            out.write(f"intact {chain.name} {chain.sequence - chain.count + 1}..{chain.sequence} {chain.hash}\n")
    if status == 0 and seen == 0:
        out.write("nothing to verify\n")
        return 1
    return status


def verify_export(lines: Iterable[str]) -> tuple[dict[str, Chain], dict[tuple[str, int], str]]:
    """Read an export and check it; return the journals and the hash of every entry. Raises ValueError."""
    chains: dict[str, Chain] = {}
    held: dict[tuple[str, int], str] = {}
    since = 1
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = json.loads(line)
        if number == 1:
            if not isinstance(row, dict) or row.get("format") != "casino-journal/1":
                raise ValueError("this is no journal export (casino-journal/1)")
            since = int(row.get("since", 1))
        elif row["kind"] == "entry":
            chain = chains.setdefault(row["journal"], Chain(row["journal"], since))
            said = chain.add(row["sequence"], row["hash"], row["text"])
            held[row["journal"], row["sequence"]] = row["hash"]
            texts = row.get("texts", {})
            chain.check_text(said, [(name, kept["salt"], kept["text"]) for name, kept in texts.items()])
        elif row["kind"] == "head":
            chains.setdefault(row["journal"], Chain(row["journal"], since)).check_head(row["sequence"], row["hash"])
        else:
            raise ValueError(f"line {number} is neither an entry nor a head")
    return chains, held


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify an exported journal.")
    parser.add_argument("export", help="what `manage.py verify_journal --export FILE` wrote")
    parser.add_argument("--receipts", help="a file of receipts, one JSON object a line: journal, sequence, hash")
    # Whoever asked for less says so himself: an export could claim it to hide what was cut from it.
    parser.add_argument("--until", type=int, help="only receipts up to this sequence, as the export was asked for")
    parser.add_argument("--journal", help="only receipts of this journal (table:T or casino:C)")
    arguments = parser.parse_args()
    try:
        with open(arguments.export, encoding="utf-8", newline="\n") as file:
            chains, held = verify_export(file)
        if arguments.receipts:
            with open(arguments.receipts, encoding="utf-8") as file:
                receipts = list(read_receipts(file))
            check_receipts(chains, receipts, held, arguments.until, arguments.journal)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        print(f"could not verify: {error!r}", file=sys.stderr)
        return 1
    return say(chains.values())


if __name__ == "__main__":
    sys.exit(main())
