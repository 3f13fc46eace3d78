"""What the audit's pages and papers say, they say in Russian too."""

import re
from pathlib import Path
from typing import Any

from babel.messages.extract import extract
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
CALLS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
TRANSLATE = re.compile(r"""\{%\s*translate\s+(?:"([^"]*)"|'([^']*)')(?:\s+context\s+"([^"]*)")?""")


BLOCK = re.compile(r"\{% blocktranslate[^%]*%\}(.*?)\{% endblocktranslate %\}", re.DOTALL)


def said() -> set[tuple[str | None, str]]:
    found = set()
    for source in (ROOT / "audit").rglob("*.py"):
        with source.open("rb") as file:
            for _line, words, _comments, context in extract("python", file, keywords=CALLS):
                found.add((context, words if isinstance(words, str) else words[0]))
    for source in (ROOT / "templates" / "audit").rglob("*.html"):
        for quoted, single, context in TRANSLATE.findall(source.read_text()):
            found.add((context or None, quoted or single))
        for block in BLOCK.findall(source.read_text()):
            found.add((None, re.sub(r"\{\{ (\w+) \}\}", r"%(\1)s", block.replace("%", "%%"))))
    return found


def in_russian() -> set[tuple[str | None, str]]:
    found = set()
    for source in ROOT.glob("*/locale/ru/LC_MESSAGES/django.po"):
        with source.open("rb") as file:
            for message in read_po(file):
                one, written = message.id, message.string
                whole = all(written) if isinstance(written, (tuple, list)) else bool(written)
                if whole:
                    found.add((message.context, one if isinstance(one, str) else one[0]))
    return found


def test_every_word_of_the_audit_is_there_in_russian():
    words = said()
    assert len(words) > 300
    assert sorted(words - in_russian(), key=str) == []
