"""What is kept of a six-digit PIN, and how one is compared with it. It never sees the database.

A PIN has a million values, so Argon2id alone would fall to whoever steals the table in minutes. It is
taken over an HMAC whose key lies outside the database, and whose message names the person: a row copied
from one person to another matches nothing.
"""

import hashlib
import hmac
import itertools
import re

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from django.conf import settings

from tables.refusals import DoorCode
from tables.rules.refusals import Refusal

_PIN = re.compile(r"[0-9]{6}\Z")


def check_form(pin: str) -> None:
    """Refuse what is no PIN, or one that everybody tries first: one digit six times, six digits in a row.

    Raises: bad_pin.
    """
    if not _PIN.match(pin):
        raise Refusal(DoorCode.BAD_PIN, "A PIN has six digits.")
    steps = {(int(after) - int(before)) % 10 for before, after in itertools.pairwise(pin)}
    if steps in ({0}, {1}, {9}):
        raise Refusal(DoorCode.BAD_PIN, "This PIN is too easy to guess: choose six digits that are no row.")


def encode(pin: str, staff_id: int, key: str) -> str:
    """Give what may be stored of a person's PIN; it says itself what it cost."""
    hasher = PasswordHasher(time_cost=settings.PIN_TIME_COST, memory_cost=settings.PIN_MEMORY_KIB, parallelism=1)
    return hasher.hash(_keyed(pin, staff_id, key))


def matches(pin: str, staff_id: int, key: str, encoded: str) -> bool:
    """Compare a PIN with what was stored for this person, in a time that does not depend on the answer."""
    try:
        return PasswordHasher().verify(encoded, _keyed(pin, staff_id, key))
    except VerifyMismatchError:
        return False


def _keyed(pin: str, staff_id: int, key: str) -> bytes:
    return hmac.new(key.encode(), f"{staff_id}:{pin}".encode(), hashlib.sha256).digest()
