"""Compiles the translations with Babel: a fresh machine has no gettext."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compile_all(base_dir: Path) -> None:
    """Write NAME.mo beside every NAME.po under casino/locale that is newer than it."""
    for source in (base_dir / "casino" / "locale").rglob("*.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as text:
            catalog = read_po(text)
        draft = target.with_suffix(".mo.new")
        with draft.open("wb") as binary:
            write_mo(binary, catalog)
        draft.replace(target)
