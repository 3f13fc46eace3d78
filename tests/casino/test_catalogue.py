"""The Russian of pages, API and paper: no sentence without it, none that nobody says, the same places to fill in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[2]
# What a call says: its arguments are (msgid), (context, msgid) or (one, many).
PLAIN = {"_", "gettext", "gettext_lazy", "gettext_noop"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
COUNTED = {"ngettext", "ngettext_lazy"}
CALL = re.compile(r"""\b(?:gettext|pgettext|ngettext)\((?:u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:,\s*)?)+""", re.S)
PLACES = re.compile(r"%\(\w+\)[sd]|\{\w*\}")

Key = tuple[str | None, str]


def said_in(tree: ast.AST) -> Iterator[Key]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if name in IN_CONTEXT and len(texts) == 2:
            yield texts[0], texts[1]
        elif name in PLAIN | COUNTED and texts:
            yield None, texts[0]


def said() -> set[Key]:
    found: set[Key] = set()
    for app in ("casino", "tables", "audit"):
        for path in (ROOT / app).rglob("*.py"):
            found |= set(said_in(ast.parse(path.read_text())))
    for path in (ROOT / "templates").rglob("*.html"):
        for call in CALL.findall(templatize(path.read_text())):
            found |= set(said_in(ast.parse(call + (")" if not call.endswith(")") else ""))))
    return found


def messages() -> Iterator[Message]:
    """Every Russian message: of the pages and the API, and of the paper."""
    for app in ("casino", "audit"):
        with (ROOT / app / "locale/ru/LC_MESSAGES/django.po").open("rb") as text:
            yield from (message for message in read_po(text) if message.id)


def key(message: Message) -> Key:
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


def test_everything_that_is_said_has_its_russian_and_nothing_else_has() -> None:
    russian = {key(message): message for message in messages()}
    assert sorted(map(str, said() - russian.keys())) == []
    assert sorted(map(str, russian.keys() - said())) == []
    assert [each for each, message in russian.items() if not message.string or message.fuzzy] == []


def test_what_both_catalogues_have_they_say_alike() -> None:
    # Of two, one wins unseen: paper would say what was meant for a screen.
    words: dict[Key, set[str]] = {}
    for message in messages():
        words.setdefault(key(message), set()).add(str(message.string))
    assert {each: texts for each, texts in words.items() if len(texts) > 1} == {}


def test_the_russian_fills_in_the_same_places() -> None:
    differing = [
        message.id
        for message in messages()
        if isinstance(message.id, str)
        and sorted(PLACES.findall(message.id)) != sorted(PLACES.findall(str(message.string)))
    ]
    assert differing == []
