"""The part of a journal that a report rests on, checked entry by entry. It recomputes every hash itself."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

START = "0" * 64


class StoredEntry(NamedTuple):
    """An entry as its row stores it."""

    sequence: int
    type: str
    author: str
    hash: str
    text: str


@dataclass(slots=True)
class ChainCheck:
    """Reads entries in order and keeps what it found wrong; `last` and `head` are those of the last entry read.

    `previous` is the hash that the first entry must seal, None where that is not known (then it is taken on trust).
    """

    journal: str
    first: int
    previous: str | None
    last: int = 0
    head: str = ""
    examined: int = 0
    found: list[str] = field(default_factory=list)

    def read(self, entry: StoredEntry) -> dict[str, Any]:
        """Check one entry against the one before and return what it says ({} where it is no JSON object)."""
        self.examined += 1
        due = self.last + 1 if self.last else self.first
        if entry.sequence != due:
            self._find(entry.sequence, f"the entry before is {self.last}, this one {entry.sequence}")
        if hashlib.sha256(entry.text.encode()).hexdigest() != entry.hash:
            self._find(entry.sequence, "its text does not have its hash")
        try:
            said = json.loads(entry.text)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            self._find(entry.sequence, "its text is no JSON object")
            said = {}
        if self.previous is not None and said.get("previous") != self.previous:
            self._find(entry.sequence, "it does not seal the entry before")
        stored = (entry.sequence, entry.type, entry.author, self.journal)
        if (said.get("sequence"), said.get("type"), said.get("author"), said.get("journal")) != stored:
            self._find(entry.sequence, "its columns are not what its text says")
        self.previous = self.head = entry.hash
        self.last = entry.sequence
        return said

    def compare_head(self, sequence: int, head: str) -> None:
        """Compare the journal's end with the head that the table keeps of it."""
        if (sequence, head) != (self.last, self.head or START):
            self._find(sequence, f"the head is {sequence}, the last entry {self.last}")

    def _find(self, sequence: int, what: str) -> None:
        self.found.append(f"{self.journal} {sequence}: {what}")

    def first_finding(self) -> str:
        return self.found[0] if self.found else ""
