"""The chain of a journal as plain values: canonical text, its hash, and the salted hash of a text left out of it.

It never reads a clock, a dice or a database: time and salt come in as arguments. `docs/journal-format.md` describes
the same for somebody who writes a verifier.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_WRITER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
START = "0" * 64
LARGEST = 2**53 - 1
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a writer keeps of an entry: with it a tail that was cut is found."""

    sequence: int
    hash: str


@dataclass(frozen=True, slots=True)
class Sealed:
    """An entry ready to be stored; `texts` are (field, salt, text), which the entry only names by hash."""

    sequence: int
    hash: str
    text: str
    type: str
    author: str
    recorded_at: datetime
    happened_at: datetime
    late: bool
    texts: tuple[tuple[str, bytes, str], ...] = ()


def check(value: object) -> None:
    """Raise ValueError for what canonical text cannot carry: floats, integers beyond 2^53, keys outside ASCII,
    characters that are none (half a surrogate pair)."""
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, int):
        if not -LARGEST <= value <= LARGEST:
            raise ValueError(f"{value} is beyond 2^53")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise ValueError(f"the key {key!r} is not ASCII")
            check(item)
    elif isinstance(value, list | tuple):
        for item in value:
            check(item)
    else:
        raise ValueError(f"{value!r} is a {type(value).__name__}, which a journal does not hold")


def canonical(value: object) -> str:
    """Return the text of a checked value after RFC 8785 (for its subset here, Python's own writer is that)."""
    return _WRITER.encode(value)


def digest(text: str) -> str:
    """Return SHA-256 of a text in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def salted(salt: bytes, text: str) -> str:
    """Return what stands in an entry for a text that may be erased: SHA-256 of the salt's bytes and the text's."""
    return hashlib.sha256(salt + text.encode()).hexdigest()


def time_text(instant: datetime) -> str:
    """Write an aware instant in UTC with six digits: `2026-11-30T02:20:00.000000Z`."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def seal(
    journal: str,
    last: Receipt,
    *,
    type: str,
    author: str,
    recorded_at: datetime,
    happened_at: datetime,
    body: Mapping[str, Any],
    late: bool = False,
    texts: tuple[tuple[str, bytes, str], ...] = (),
) -> Sealed:
    """Make the entry that follows `last`. `body` adds keys to those that every entry has, and has been checked."""
    sequence = last.sequence + 1
    text = canonical(
        {
            **body,
            "author": author,
            "happened_at": time_text(happened_at),
            "journal": journal,
            "late": late,
            "previous": last.hash,
            "recorded_at": time_text(recorded_at),
            "sequence": sequence,
            "type": type,
        }
    )
    return Sealed(sequence, digest(text), text, type, author, recorded_at, happened_at, late, texts)
