"""Compiles the translations with Babel: a fresh machine has no gettext."""

import os
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compile_all(base_dir: Path) -> None:
    """Write NAME.mo beside every NAME.po of the project and its apps that is newer than it."""
    for source in base_dir.glob("*/locale/*/LC_MESSAGES/*.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as text:
            catalog = read_po(text)
        draft = target.with_suffix(f".mo.{os.getpid()}")
        with draft.open("wb") as binary:
            write_mo(binary, catalog)
        draft.replace(target)
