"""The words of the screens: none is missing in either language, and none that a screen says is unknown."""

import re
from pathlib import Path

import pytest

from tables.pages.words import WORDS, catalogue
from tables.rules.refusals import Code

STATIC = Path(__file__).parents[2] / "tables" / "static" / "tables"
SOURCES = [*STATIC.rglob("*.js"), *(Path(__file__).parents[2] / "templates" / "tables").rglob("*.html")]
SAID = re.compile(r"""\bsay\(\s*"([\w.]+)"|data-word(?:-label)?="([\w.]+)"|key: "(how\.[\w]+)\"""")


def test_every_word_that_a_screen_says_is_in_the_catalogue() -> None:
    said = {word for source in SOURCES for match in SAID.findall(source.read_text()) for word in match if word}

    assert len(said) > 80
    assert said - WORDS.keys() == set()


def test_russian_has_every_word_in_russian() -> None:
    words = catalogue()
    same = {key for key, english in words["en"].items() if words["ru"][key] == english}

    # Keys of the keyboard and PIN are the same word in both.
    assert same == {"pin", "keys.card.k", "keys.bet.k", "keys.amount.k", "keys.suit.k", "keys.withdraw.k",
                    "keys.sealed.k", "keys.confirm.k", "keys.back.k", "keys.named.k"}  # fmt: skip


def places(words: dict[str, str]) -> dict[str, set[str]]:
    return {key: set(re.findall(r"\{\w+\}", text)) for key, text in words.items()}


def test_both_languages_fill_in_the_same_places() -> None:
    words = catalogue()

    assert places(words["ru"]) == places(words["en"])


@pytest.mark.parametrize("code", list(Code))
def test_every_refusal_of_the_rules_has_a_sentence_in_both_languages(code: Code) -> None:
    assert f"refused.{code}" in WORDS
