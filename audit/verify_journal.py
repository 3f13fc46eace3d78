#!/usr/bin/env python3
"""Verify an exported journal, a bundle, seals or a proof without the service: one file, standard library alone.

    python3 verify_journal.py EXPORT|BUNDLE [--receipts FILE] [--seals FILE ...] [--key HEX ...]
    python3 verify_journal.py PROOF [--seals FILE ...] [--key HEX ...]

The format is docs/journal-format.md. Exit status: 0 intact, 1 could not run or nothing to verify, 2 tampered; then the
first bad entry of each journal is named. It knows no rule of any game: it proves that the record is the one that was
written, not that what was written is right. Signatures are Ed25519 (RFC 8032), trees those of RFC 9162.
"""

import argparse
import hashlib
import json
import sys
import zipfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
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
    highest: int = 0
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
            if isinstance(said, dict):
                entry = said
            else:
                self.report(sequence, "its text is no object")
        except (ValueError, RecursionError):
            self.report(sequence, "its text is not canonical JSON")
        if entry is not None:
            if (entry.get("sequence"), entry.get("journal")) != (sequence, self.name):
                self.report(sequence, f"it says of itself {entry.get('journal')!r} {entry.get('sequence')!r}")
            if knows_previous and entry.get("previous") != self.hash:
                self.report(sequence, "it does not name the hash of the entry before it")
        self.sequence, self.hash, self.highest = sequence, hash, max(sequence, self.highest)
        return entry

    def check_text(self, said: dict[str, Any] | None, texts: Iterable[tuple[str, str | None, str | None]]) -> None:
        """Check the texts left out of the entry just added: (field, salt in hex, text), both None once erased."""
        body = {} if said is None else said.get("event", said.get("body", {}))
        missing = {name for name, value in body.items() if _is_left_out(value)} if isinstance(body, dict) else set()
        for name, salt, text in texts:
            missing.discard(name)
            left_out = body.get(name) if isinstance(body, dict) else None
            if left_out is None or not _is_left_out(left_out):
                self.report(self.sequence, f"the text {name!r} belongs to no field of it")
            elif salt is not None and text is not None:
                if hashlib.sha256(bytes.fromhex(salt) + text.encode()).hexdigest() != left_out["sha256"]:
                    self.report(self.sequence, f"the text {name!r} is not the one that was left out of it")
            elif salt is not None or text is not None:
                self.report(self.sequence, f"the text {name!r} is erased by half")
        for name in sorted(missing):
            self.report(self.sequence, f"the text {name!r} is missing, and was not erased")

    def check_head(self, sequence: int, hash: str) -> None:
        """Compare with the head that the service holds; one that lies before the range says nothing."""
        if self.count == 0 and sequence < self.since:
            return
        if (sequence, hash) != (self.sequence, self.hash):
            self.report(
                min(sequence, self.sequence) + 1,
                f"the head says {sequence} {hash}, the entries {self.sequence} {self.hash}",
            )


def _is_left_out(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"sha256"}


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
    alone: Collection[str] | None = None,
) -> None:
    """Compare what writers kept of their answers, (journal, sequence, hash), with the hashes that are held.

    `until` and `alone` say where the range ends that was read, and of which journals alone: receipts of what lies
    outside of it say nothing against it.
    """
    for journal, sequence, hash in receipts:
        if (alone is not None and journal not in alone) or (until is not None and sequence > until):
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


def say(chains: Iterable[Chain], out: Any = None, *, every: bool = False) -> int:
    """Print how each journal stands, with its first finding or with every one, and return the exit status."""
    out = out or sys.stdout
    status, seen = 0, 0
    for chain in chains:
        seen += chain.count
        if chain.findings:
            status = 2
            findings = sorted(chain.findings, key=lambda finding: finding[0])
            more = f" (and {len(findings) - 1} more)" if findings[1:] and not every else ""
            for sequence, what in findings if every else findings[:1]:
                out.write(f"TAMPERED {chain.name} entry {sequence}: {what}{more}\n")
        elif chain.count:
            out.write(f"intact {chain.name} {chain.sequence - chain.count + 1}..{chain.sequence} {chain.hash}\n")
    if status == 0 and seen == 0:
        out.write("nothing to verify\n")
        return 1
    return status


# Trees of hashes (RFC 9162, 2.1)


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def roots_at(leaves: Iterable[bytes], sizes: Iterable[int]) -> dict[int, bytes]:
    """Return the root of the first `size` leaves for each size, in one pass; sizes beyond the leaves are left out."""
    wanted = set(sizes)
    roots = {0: hashlib.sha256().digest()} if 0 in wanted else {}
    whole: list[tuple[int, bytes]] = []  # complete trees, (size, root), the largest first
    for count, leaf in enumerate(leaves, 1):
        size, root = 1, leaf_hash(leaf)
        while whole and whole[-1][0] == size:
            root, size = node_hash(whole.pop()[1], root), size * 2
        whole.append((size, root))
        if count in wanted:
            root = whole[-1][1]
            for _size, left in reversed(whole[:-1]):
                root = node_hash(left, root)
            roots[count] = root
    return roots


def root_by_inclusion(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to (2.1.3.2), None where the path does not fit."""
    if not 0 <= index < size:
        return None
    at, last, root = index, size - 1, leaf_hash(leaf)
    for step in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node_hash(step, root)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            root = node_hash(root, step)
        at, last = at >> 1, last >> 1
    return root if last == 0 else None


def consistent(first: int, second: int, first_root: bytes, second_root: bytes, path: list[bytes]) -> bool:
    """Whether a tree of `second` leaves begins with that of `first` (2.1.4.2). Nothing came before the first leaf."""
    if first == second:
        return first_root == second_root and not path
    if not 0 < first < second or not path:
        return False
    steps = [first_root, *path] if first & (first - 1) == 0 else list(path)
    at, last = first - 1, second - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = node_hash(new, step)
        at, last = at >> 1, last >> 1
    return last == 0 and (old, new) == (first_root, second_root)


# Ed25519 (RFC 8032, 5.1): points of the curve as (X, Y, Z, T)

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_Point = tuple[int, int, int, int]


def _add(one: _Point, other: _Point) -> _Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % _P, (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    product = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            product = _add(product, point)
        point, factor = _add(point, point), factor >> 1
    return product


def _x_of(y: int, sign: int) -> int | None:
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    if square == 0:
        return None if sign else 0
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if (x * x - square) % _P:
        return None
    return _P - x if x & 1 != sign else x


def _point(data: bytes) -> _Point | None:
    number = int.from_bytes(data, "little")
    y = number & (1 << 255) - 1
    x = _x_of(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % _P)


def _base() -> _Point:
    y = 4 * pow(5, -1, _P) % _P
    x = _x_of(y, 0)
    assert x is not None, "the base point is on the curve"
    return x, y, 1, x * y % _P


def signed(public_key: str, message: bytes, signature: str) -> bool:
    """Whether an Ed25519 signature of a message is that of a key; key and signature in hexadecimal."""
    try:
        key, given = bytes.fromhex(public_key), bytes.fromhex(signature)
    except ValueError:
        return False
    if (len(key), len(given)) != (32, 64):
        return False
    point, commitment = _point(key), _point(given[:32])
    factor = int.from_bytes(given[32:], "little")
    if point is None or commitment is None or factor >= _ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(given[:32] + key + message).digest(), "little") % _ORDER
    left, right = _times(factor, _base()), _add(commitment, _times(challenge, point))
    return (left[0] * right[2] - right[0] * left[2]) % _P == 0 == (left[1] * right[2] - right[1] * left[2]) % _P


# Seals


@dataclass
class Seals:
    """The seals of one casino as far as they were read; a finding names the seal by its number."""

    casino: str
    findings: list[tuple[int, str]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    root: str = ""
    keys: list[str] = field(default_factory=list)
    taken_on_trust: str = ""

    def report(self, number: int, what: str) -> None:
        self.findings.append((number, what))


def read_object(text: str, kind: str) -> dict[str, Any]:
    """Read the canonical text of a seal, a key or a head. Raises ValueError."""
    said = json.loads(text)
    if not isinstance(said, dict) or canonical(said) != text:
        raise ValueError(f"the text of a {kind} is not canonical")
    if kind != "head" and said.get("format") != f"casino-{kind}/1":
        raise ValueError(f"this is no casino-{kind}/1")
    return said


def good_keys(casino: str, rows: Iterable[dict[str, Any]], trusted: Iterable[str]) -> tuple[set[str], str]:
    """Return the keys that may seal for a casino, and the one among them that nobody vouched for ("" if none).

    Good is a key that is trusted, or that a good key signed for. Where none is trusted, the first one that the house
    announced is taken on its word: whoever reads the answer compares it with what the house published.
    """
    announced: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for row in rows:
        said = read_object(row["text"], "key")
        if said["casino"] == casino:
            announced.append((row, said))
    good, on_trust = set(trusted), ""
    if not good:
        firsts = [
            said["key"]
            for row, said in announced
            if not said["previous"] and signed(said["key"], row["text"].encode(), row["signature"])
        ]
        if firsts:
            on_trust = firsts[0]
            good.add(on_trust)
    grew = True
    while grew:
        grew = False
        for row, said in announced:
            known = said["key"] in good or said["previous"] not in good
            if not known and signed(said["previous"], row["text"].encode(), row["signature"]):
                good.add(said["key"])
                grew = True
    return good, on_trust


def check_seals(
    rows: Iterable[dict[str, Any]],
    *,
    trusted: Iterable[str] = (),
    own: Iterable[dict[str, Any]] | None = None,
    chains: dict[str, Chain] | None = None,
    held: dict[tuple[str, int], str] | None = None,
    until: int | None = None,
    alone: Collection[str] | None = None,
) -> list[Seals]:
    """Check seals and keys, one row each ({"kind": "seal" | "key", ...}), against one another and the journals.

    `own` are those that the house holds itself, with the journals; each of `rows` from outside must be among them.
    `until` and `alone`: heads beyond this sequence, or of other journals, were not asked for. Raises ValueError.
    """
    outside, inside = list(rows), list(own or ())
    keys = [row for row in inside + outside if row["kind"] == "key"]
    by_casino: dict[str, dict[int, list[tuple[bool, dict[str, Any], dict[str, Any]]]]] = {}
    for is_own, row in [(True, row) for row in inside] + [(False, row) for row in outside]:
        if row["kind"] == "seal":
            said = read_object(row["text"], "seal")
            by_casino.setdefault(said["casino"], defaultdict(list))[said["number"]].append((is_own, row, said))
    sizes: dict[str, set[int]] = defaultdict(set)
    for numbered in by_casino.values():
        for copies in numbered.values():
            for _own, row, _said in copies:
                for text in row.get("heads", ()):
                    head = read_object(text, "head")
                    sizes[head["journal"]].add(head["sequence"])
    roots: dict[str, dict[int, bytes]] = {}
    for name, wanted in sizes.items():
        chain = (chains or {}).get(name)
        if chain is not None and chain.since == 1:
            hashes = ((held or {}).get((name, n), START) for n in range(1, chain.highest + 1))
            try:
                roots[name] = roots_at(map(bytes.fromhex, hashes), wanted)
            except ValueError:  # a hash that is none was named with its entry
                roots[name] = {}
    found = []
    for casino, numbered in by_casino.items():
        seals = Seals(casino)
        good, seals.taken_on_trust = good_keys(casino, keys, trusted)
        last: tuple[int, str] | None = None
        longest: dict[str, int] = {}
        for number in sorted(numbered):
            copies = numbered[number]
            if len({row["text"] for _own, row, _said in copies}) > 1:
                seals.report(number, "there are two of this number, and they differ")
            if own is not None and not any(is_own for is_own, _row, _said in copies):
                seals.report(number, "somebody outside holds it, and the house does not")
            if own is not None and last is not None and number != last[0] + 1:
                seals.report(number - 1, "it is missing")
            if own is not None and last is None and number != 1:
                seals.report(1, "it is missing")
            for _own, row, said in copies:
                if said["key"] not in good:
                    seals.report(number, f"its key {said['key']} is none that the house announced under a good one")
                elif not signed(said["key"], row["text"].encode(), row["signature"]):
                    seals.report(number, "its signature is not that of its key")
                if last is not None and number == last[0] + 1 and said["previous"] != last[1]:
                    seals.report(number, "it does not name the seal before it")
                if number == 1 and said["previous"] != START:
                    seals.report(number, "it is the first and names one before it")
                seals.root = said["root"]
                if said["key"] not in seals.keys:
                    seals.keys.append(said["key"])
                if "heads" not in row:
                    continue
                heads = [read_object(text, "head") for text in row["heads"]]
                leaves = [text.encode() for text in row["heads"]]
                if said["size"] != len(leaves) or said["root"] != roots_at(leaves, [len(leaves)])[len(leaves)].hex():
                    seals.report(number, "its heads do not have its root")
                if len({head["journal"] for head in heads}) != len(heads):
                    seals.report(number, "it names a journal twice")
                reached = {head["journal"]: head["sequence"] for head in heads}
                for name, sequence in longest.items():
                    if reached.get(name, 0) < sequence:
                        seals.report(number, f"{name} was longer in a seal before it")
                longest |= reached
                for head in heads if chains is not None else ():
                    if until is not None and head["sequence"] > until:
                        continue
                    if alone is not None and head["journal"] not in alone:
                        continue
                    what = _head_differs(head, chains or {}, held or {}, roots)
                    if what:
                        seals.report(number, what)
            seals.numbers.append(number)
            last = number, sha256(copies[-1][1]["text"])
        found.append(seals)
    return found


def _head_differs(
    head: dict[str, Any],
    chains: dict[str, Chain],
    held: dict[tuple[str, int], str],
    roots: dict[str, dict[int, bytes]],
) -> str:
    """Say how a journal differs from what a seal says of it ("": not at all, or it lies outside what was read)."""
    journal, sequence = head["journal"], head["sequence"]
    chain = chains.get(journal)
    if chain is None:
        return f"it seals {sequence} entries of {journal}, and there is no such journal"
    if sequence < chain.since:
        return ""
    there = held.get((journal, sequence))
    if there is None:
        return f"it seals {sequence} entries of {journal}, and entry {sequence} is not there"
    if there != head["hash"]:
        return f"it seals entry {sequence} of {journal} as {head['hash']}, and there it is {there}"
    if journal in roots and roots[journal].get(sequence, b"").hex() != head["root"]:
        return f"the entries of {journal} up to {sequence} do not have the root that it seals"
    return ""


def say_seals(found: Iterable[Seals], out: Any = None) -> int:
    """Print how the seals of each casino stand and return the exit status."""
    out = out or sys.stdout
    status = 0
    for seals in found:
        if seals.findings:
            status = 2
            number, what = min(seals.findings, key=lambda finding: finding[0])
            more = len(seals.findings) - 1
            out.write(f"TAMPERED seal {seals.casino} {number}: {what}{f' (and {more} more)' if more else ''}\n")
        else:
            out.write(f"sealed {seals.casino} {seals.numbers[0]}..{seals.numbers[-1]} {seals.root}\n")
        if seals.taken_on_trust:
            out.write(
                f"key {seals.taken_on_trust} is taken on trust: compare it with the one that the house published\n"
            )
    return status


def read_seals(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Read seals and keys from a seal's file, as the house wrote and mailed it. Raises ValueError."""
    rows = []
    for number, line in enumerate(line for line in lines if line.strip()):
        row = json.loads(line)
        if number == 0 and (not isinstance(row, dict) or row.get("format") != "casino-seals/1"):
            raise ValueError("this is no file of seals (casino-seals/1)")
        if number:
            rows.append(row)
    return rows


# Proofs


def check_proof(proof: dict[str, Any]) -> list[str]:
    """Check a proof against the seals in it; these `check_seals` checks apart. Raises ValueError, KeyError."""
    seals = {}
    for row in proof["seals"]:
        if row["kind"] == "seal":
            said = read_object(row["text"], "seal")
            seals[said["number"]] = (said, row)
    if proof["kind"] == "inclusion":
        said, _row = seals[proof["seal"]]
        entry, text = proof["entry"], proof["head"]
        head = read_object(text, "head")
        about = json.loads(entry["text"])
        findings = []
        if (about["journal"], about["sequence"]) != (entry["journal"], entry["sequence"]):
            findings.append("the entry is not the one that the proof names")
        if head["journal"] != entry["journal"]:
            findings.append("the head is not that of the entry's journal")
        root = root_by_inclusion(
            bytes.fromhex(sha256(entry["text"])), entry["sequence"] - 1, head["sequence"], _path(proof["journal_path"])
        )
        if root is None or root.hex() != head["root"]:
            findings.append("the entry is not among those that the head stands for")
        root = root_by_inclusion(text.encode(), proof["head_index"], said["size"], _path(proof["seal_path"]))
        if root is None or root.hex() != said["root"]:
            findings.append("the head is not among those that the seal stands for")
        return findings
    if proof["kind"] != "consistency":
        raise ValueError("this proof proves neither inclusion nor consistency")
    if not proof["first"] < proof["second"] or set(range(proof["first"], proof["second"] + 1)) - seals.keys():
        return ["a seal between the two is missing"]
    first, second = (
        {head["journal"]: head for head in map(json.loads, seals[number][1]["heads"])}
        for number in (proof["first"], proof["second"])
    )
    findings = []
    for journal, head in first.items():
        later = second.get(journal)
        if later is None:
            findings.append(f"{journal} is gone")
        elif not consistent(
            head["sequence"],
            later["sequence"],
            bytes.fromhex(head["root"]),
            bytes.fromhex(later["root"]),
            _path(proof["journals"].get(journal, [])),
        ):
            findings.append(f"{journal} does not begin with what was sealed first")
    return findings


def _path(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def say_proof(proof: dict[str, Any], findings: list[str], out: Any = None) -> int:
    """Print what a proof proves and return the exit status."""
    out = out or sys.stdout
    if findings:
        out.write(f"NOT PROVEN: {findings[0]}{f' (and {len(findings) - 1} more)' if findings[1:] else ''}\n")
        return 2
    if proof["kind"] == "inclusion":
        entry = proof["entry"]
        out.write(f"proven {entry['journal']} entry {entry['sequence']} under seal {proof['seal']}\n{entry['text']}\n")
    else:
        out.write(f"proven seal {proof['second']} continues seal {proof['first']}\n")
    return 0


# Exports


@dataclass
class Export:
    """An export as read: the journals, the hash of every entry, and the house's own seals."""

    chains: dict[str, Chain] = field(default_factory=dict)
    held: dict[tuple[str, int], str] = field(default_factory=dict)
    seals: list[dict[str, Any]] = field(default_factory=list)


def verify_export(
    lines: Iterable[str], on_entry: Callable[[dict[str, Any], dict[str, Any]], None] = lambda _said, _texts: None
) -> Export:
    """Read an export and check its entries and heads, not yet its seals. Raises ValueError.

    `on_entry` is told what each entry says that is an object, and its texts by field.
    """
    export = Export()
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
            chain = export.chains.setdefault(row["journal"], Chain(row["journal"], since))
            said = chain.add(row["sequence"], row["hash"], row["text"])
            export.held[row["journal"], row["sequence"]] = row["hash"]
            texts = row.get("texts", {})
            chain.check_text(said, [(name, kept["salt"], kept["text"]) for name, kept in texts.items()])
            if said is not None:
                on_entry(said, texts)
        elif row["kind"] == "head":
            chain = export.chains.setdefault(row["journal"], Chain(row["journal"], since))
            chain.check_head(row["sequence"], row["hash"])
        elif row["kind"] in ("seal", "key"):
            export.seals.append(row)
        else:
            raise ValueError(f"line {number} is neither an entry, nor a head, a seal or a key")
    return export


# Bundles

# Events of the table log (docs/table-log.md); what else happens at a table is not in its log.
PLAY = {
    *("table", "rules", "deal", "bet", "withdraw", "refuse", "cut", "card", "reveal", "paroli", "pocket", "end"),
    *("misdeal", "correct"),
}


@dataclass
class Bundle:
    """A bundle as far as it was read: what its journals say that its other files are compared with."""

    export: Export = field(default_factory=Export)
    findings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    logs: dict[str, Any] = field(default_factory=dict)
    games: dict[tuple[str, int], str] = field(default_factory=dict)
    papers: dict[int, dict[str, Any]] = field(default_factory=dict)

    def read(self, said: dict[str, Any], texts: dict[str, Any]) -> None:
        """Keep of an entry what logs, rules and papers are compared with."""
        journal, event = str(said.get("journal")), said.get("event")
        table = journal.removeprefix("table:")
        if isinstance(event, dict) and said.get("type") in PLAY:
            self.logs.setdefault(table, hashlib.sha256()).update(canonical(_log_line(said, event, texts)).encode())
        for version in said.get("facts", {}).get("rules_version", []):
            self.games[table, version["number"]] = version["game_digest"]
        if said.get("type") == "report" and journal.startswith("casino:"):
            self.papers[said["sequence"]] = said["body"]


def _log_line(said: dict[str, Any], event: dict[str, Any], texts: dict[str, Any]) -> dict[str, Any]:
    """Return the line of the table's log that an entry gives."""
    line = {}
    for key, value in event.items():
        left_out = isinstance(value, dict) and value.keys() == {"sha256"}
        kept = texts.get(key, {}).get("text") if left_out else value
        line[key] = "[erased]" if kept is None and left_out else kept
    if "source" not in said:
        line["at"] = said.get("at", said["happened_at"])
        if said["author"]:
            line["by"] = said["author"]
    return line


def read_bundle(archive: zipfile.ZipFile) -> tuple[Bundle, dict[str, Any]]:
    """Read a bundle, compare its files with its manifest and its journals. Raises ValueError, KeyError."""
    bundle = Bundle()
    names = archive.namelist()
    manifest = json.loads(archive.read("MANIFEST.json"))
    if manifest["format"] != "casino-bundle/1":
        raise ValueError("this is no casino-bundle/1")
    for name in sorted({*names, *manifest["files"]} - {"MANIFEST.json"}):
        said = manifest["files"].get(name)
        if said is None:
            bundle.findings.append(f"{name} is not of the bundle")
        elif names.count(name) != 1:
            bundle.findings.append(f"{name} is missing" if name not in names else f"{name} is there twice")
        elif _digest(archive, name) != said["sha256"]:
            bundle.findings.append(f"{name} was changed")
    with archive.open("journal.jsonl") as file:
        bundle.export = verify_export((line.decode() for line in file), bundle.read)
    for log in manifest["logs"]:
        written = hashlib.sha256()
        with archive.open(log["file"]) as file:
            for line in file:
                written.update(canonical(json.loads(line)).encode())
        expected = bundle.logs.pop(log["table"], hashlib.sha256())
        if written.digest() != expected.digest():
            bundle.findings.append(f"{log['file']} is not what the journal of {log['table']} says")
    bundle.findings += [f"the log of {table} is missing" for table in bundle.logs]
    for game in manifest["rules"]:
        if _digest(archive, game["file"]) != bundle.games.pop((game["table"], game["number"]), None):
            bundle.findings.append(f"{game['file']} is not the game that the journal of {game['table']} names")
    bundle.findings += [f"the rules {number} of {table} are missing" for table, number in bundle.games]
    for paper in manifest["reports"]:
        said = bundle.papers.get(paper["sequence"], {})
        if (said.get("serial"), said.get("sha256")) != (paper["serial"], paper["sha256"]):
            bundle.findings.append(f"{paper['serial']} is not the report that the casino's journal names")
            continue
        for kept, digest, what in (("file", "sha256", "file"), ("data", "data_sha256", "data")):
            if digest not in said:
                continue
            name = paper.get(kept)
            if name is None:
                bundle.left_out.append(f"report {paper['serial']}: the house no longer has the {what} that it made")
            elif _digest(archive, name) != said[digest]:
                bundle.findings.append(f"{name} is not the {what} that the casino's journal names")
    _check_scope(bundle, manifest)
    return bundle, manifest


def _digest(archive: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    with archive.open(name) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _check_scope(bundle: Bundle, manifest: dict[str, Any]) -> None:
    """Compare the journals with the seal that the bundle is of: each ends where it says, and what is left out."""
    of_seal = None
    for row in bundle.export.seals:
        if row["kind"] == "seal":
            said = read_object(row["text"], "seal")
            if (said["casino"], said["number"]) == (manifest["casino"], manifest["seal"]):
                of_seal = row
    if of_seal is None or sha256(of_seal["text"]) != manifest["seal_sha256"]:
        bundle.findings.append(f"seal {manifest['seal']} is not the one that the bundle is of")
        return
    heads = {head["journal"]: head["sequence"] for head in (read_object(text, "head") for text in of_seal["heads"])}
    for journal, sequence in heads.items():
        chain = bundle.export.chains.get(journal)
        if journal not in manifest["journals"]:
            bundle.left_out.append(f"{journal}: {sequence} entries")
            if manifest["table"] is None:
                bundle.findings.append(f"{journal} is missing from a bundle of the whole house")
        elif chain is None or chain.sequence != sequence:
            bundle.findings.append(f"{journal} does not end at entry {sequence}, as the seal says")


def verify_bundle(archive: zipfile.ZipFile, arguments: argparse.Namespace, outside: list[dict[str, Any]]) -> int:
    """Verify a bundle and return the exit status. Raises as `verify`."""
    bundle, manifest = read_bundle(archive)
    export = bundle.export
    if arguments.receipts:
        with open(arguments.receipts, encoding="utf-8") as file:
            receipts = list(read_receipts(file))
        # What came after the seal is not in its bundle.
        inside = [each for each in receipts if each[0] in export.chains and each[1] <= export.chains[each[0]].sequence]
        check_receipts(export.chains, inside, export.held)
    # Of seals outside, later ones say more than this bundle holds.
    earlier = [
        row for row in outside if row["kind"] == "key" or read_object(row["text"], "seal")["number"] <= manifest["seal"]
    ]
    found = check_seals(
        earlier,
        trusted=arguments.key,
        own=export.seals,
        chains=export.chains,
        held=export.held,
        alone=manifest["journals"],
    )
    status = max(say(export.chains.values(), every=arguments.all), say_seals(found))
    for what in bundle.left_out:
        print(f"not in this bundle: {what}")
    for what in bundle.findings:
        print(f"TAMPERED bundle: {what}")
    if not bundle.findings:
        scope = "the whole house" if manifest["table"] is None else f"table {manifest['table']}"
        print(
            f"bundle of {scope} under seal {manifest['casino']} {manifest['seal']}: every file is what the journals say"
        )
    return 2 if bundle.findings else status


def verify(arguments: argparse.Namespace) -> int:
    """Verify what the arguments name and return the exit status. Raises OSError, ValueError, KeyError, TypeError."""
    outside: list[dict[str, Any]] = []
    for path in arguments.seals:
        with open(path, encoding="utf-8", newline="\n") as file:
            outside += read_seals(file)
    if zipfile.is_zipfile(arguments.file):
        with zipfile.ZipFile(arguments.file) as archive:
            return verify_bundle(archive, arguments, outside)
    with open(arguments.file, encoding="utf-8", newline="\n") as file:
        first = json.loads(file.readline())
        file.seek(0)
        if isinstance(first, dict) and first.get("format") == "casino-proof/1":
            proof = json.loads(file.read())
            found = check_seals(proof["seals"] + outside, trusted=arguments.key)
            return max(say_seals(found), say_proof(proof, check_proof(proof)))
        if isinstance(first, dict) and first.get("format") == "casino-seals/1":
            return say_seals(check_seals(read_seals(file) + outside, trusted=arguments.key))
        export = verify_export(file)
    if arguments.receipts:
        with open(arguments.receipts, encoding="utf-8") as file:
            receipts = list(read_receipts(file))
        check_receipts(export.chains, receipts, export.held, arguments.until, arguments.journal)
    found = check_seals(
        outside,
        trusted=arguments.key,
        own=export.seals,
        chains=export.chains,
        held=export.held,
        until=arguments.until,
        alone=arguments.journal,
    )
    return max(say(export.chains.values(), every=arguments.all), say_seals(found))


def main() -> int:
    parser = argparse.ArgumentParser(description="Verify an exported journal, seals, or a proof.")
    parser.add_argument("file", help="an export of journals, a bundle, a seal's file, or a proof")
    parser.add_argument("--receipts", help="a file of receipts, one JSON object a line: journal, sequence, hash")
    # Whoever asked for less says so himself: an export could claim it to hide what was cut from it.
    parser.add_argument("--until", type=int, help="receipts and seals up to this sequence, as the export was asked for")
    parser.add_argument("--journal", nargs="+", help="receipts and seals of these journals alone (table:T, casino:C)")
    parser.add_argument("--seals", nargs="+", default=[], help="files of seals that were kept outside the house")
    parser.add_argument("--key", nargs="+", default=[], help="public keys that the house published, in hexadecimal")
    parser.add_argument("--all", action="store_true", help="name every finding of a journal, not its first alone")
    arguments = parser.parse_args()
    try:
        return verify(arguments)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, zipfile.BadZipFile) as error:
        print(f"could not verify: {error!r}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
