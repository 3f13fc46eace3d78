"""Opaque tokens of devices and sign-ons: made here, kept as SHA-256 alone."""

import hashlib
import secrets


def make() -> str:
    """Make a token of 256 random bits, safe in a header and in a URL."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """Give what is stored of a token. Random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()
