"""A seal as values: the trees it is made of (RFC 9162), its text, and its signature (Ed25519). It reads no record.

What is made here is verified by other code, in `audit/verify_journal.py`, which shares nothing with it.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from tables.journal.chain import START, canonical, digest, time_text

__all__ = ["START", "Head", "NoKey", "Signer", "Tree", "digest", "key_text", "seal_text", "signer"]


class NoKey(Exception):
    """A key of the house is not there, or not as it must be kept."""


class Tree:
    """A Merkle tree over leaves that are added one after another. Every complete subtree is kept, by its level."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        for leaf in leaves:
            self.add(leaf)

    def __len__(self) -> int:
        return len(self._levels[0])

    def add(self, leaf: bytes) -> None:
        self._levels[0].append(sha256(b"\0" + leaf).digest())
        level = 0
        while len(self._levels[level]) % 2 == 0:
            left, right = self._levels[level][-2:]
            level += 1
            if level == len(self._levels):
                self._levels.append([])
            self._levels[level].append(_node(left, right))

    def root(self, size: int | None = None) -> bytes:
        """Return the root of the first `size` leaves, of all by default."""
        size = len(self) if size is None else size
        return self._hash(0, size) if size else sha256().digest()

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the path from a leaf to the root of the first `size` leaves (RFC 9162, 2.1.3.1)."""
        start, end, path = 0, size, []
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._hash(middle, end))
                end = middle
            else:
                path.append(self._hash(start, middle))
                start = middle
        return path[::-1]

    def consistency(self, first: int, second: int) -> list[bytes]:
        """Return the proof that the tree of `second` leaves begins with that of `first` (RFC 9162, 2.1.4.1)."""
        start, end, path, whole = 0, second, [], True
        while first != end - start:
            middle = _split(end - start)
            if first <= middle:
                path.append(self._hash(start + middle, end))
                end = start + middle
            else:
                path.append(self._hash(start, start + middle))
                start, first, whole = start + middle, first - middle, False
        if not whole:
            path.append(self._hash(start, end))
        return path[::-1]

    def _hash(self, start: int, end: int) -> bytes:
        size = end - start
        if size & (size - 1) == 0 and start % size == 0:
            level = size.bit_length() - 1
            return self._levels[level][start >> level]
        middle = start + _split(size)
        return _node(self._hash(start, middle), self._hash(middle, end))


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def _split(size: int) -> int:
    """Return the largest power of two smaller than a size."""
    return 1 << (size - 1).bit_length() - 1


@dataclass(frozen=True, slots=True)
class Head:
    """How far a journal had come: its last entry, and the root of the tree over the hashes of all its entries."""

    journal: str
    sequence: int
    hash: str
    root: str

    @property
    def text(self) -> str:
        """The leaf of the seal's tree."""
        return canonical({"hash": self.hash, "journal": self.journal, "root": self.root, "sequence": self.sequence})


def seal_text(
    *,
    casino: str,
    number: int,
    gaming_date: date | None,
    sealed_at: datetime,
    heads: Sequence[Head],
    previous: str,
    key: str,
) -> str:
    """Return what is signed. `previous` is the SHA-256 of the seal before it, START in the first."""
    return canonical(
        {
            "casino": casino,
            "format": "casino-seal/1",
            "gaming_date": gaming_date.isoformat() if gaming_date else None,
            "key": key,
            "number": number,
            "previous": previous,
            "root": Tree(head.text.encode() for head in heads).root().hex(),
            "sealed_at": time_text(sealed_at),
            "size": len(heads),
        }
    )


def key_text(*, casino: str, key: str, previous: str, announced_at: datetime) -> str:
    """Return what announces a key; the key `previous` signs it, the first key itself."""
    return canonical(
        {
            "announced_at": time_text(announced_at),
            "casino": casino,
            "format": "casino-key/1",
            "key": key,
            "previous": previous,
        }
    )


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key, ready to sign; `key` is its public half in hexadecimal."""

    key: str
    private: Ed25519PrivateKey

    def sign(self, text: str) -> str:
        return self.private.sign(text.encode()).hex()


def signer(file: Path | None) -> Signer:
    """Read the key of the seals: Ed25519, PKCS 8 in PEM, readable by its owner alone. Raises NoKey."""
    if file is None:
        raise NoKey("SEAL_KEY_FILE names no key.")
    private = read_private(file)
    if not isinstance(private, Ed25519PrivateKey):
        raise NoKey(f"{file} is no Ed25519 key.")
    return Signer(private.public_key().public_bytes_raw().hex(), private)


def read_private(file: Path) -> PrivateKeyTypes:
    """Read a private key in PEM without a password, if nobody but its owner may. Raises NoKey."""
    try:
        about = file.stat()
        if about.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise NoKey(f"{file} must be readable by its owner alone (chmod 600).")
        if about.st_uid not in (os.geteuid(), 0):
            raise NoKey(f"{file} belongs to somebody else.")
        return load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        raise NoKey(f"{file}: {error.strerror}.") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise NoKey(f"{file} is no key in PEM without a password.") from error
