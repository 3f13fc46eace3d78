"""What a house may choose, one frozen dataclass a game. It never settles: games are built from it.

Rules: the clauses marked "house rule"; the names and values of docs/table-log.md.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

from tables.rules.refusals import Code, Refusal
from tables.rules.shoe import LOWEST_RANK

Fractions = Literal["player", "house"]
_FRACTION: Final = re.compile(r"[0-9]{1,9}(/[0-9]{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class PositionPay:
    """What a card position does to a bet: which side it is for the player and how many times. Rules: F-5."""

    wins: bool
    times: Fraction


@dataclass(frozen=True, slots=True)
class StussRules:
    fractions: Fractions = "player"
    secondary_bets: bool = True
    deal_from: Literal["shoe", "hand"] = "shoe"


@dataclass(frozen=True, slots=True)
class PrivateRules:
    fractions: Fractions = "player"
    deck: int = 52


@dataclass(frozen=True, slots=True)
class StosRules:
    fractions: Fractions = "player"
    decks: int = 6
    ratio: Fraction = Fraction(10)
    suit_multiple: int = 1
    two_hits: Literal["sequence", "opening"] = "sequence"
    half_win: Literal["close", "ride"] = "close"
    half_win_reduced: Literal["grow", "restore", "pay"] = "grow"


@dataclass(frozen=True, slots=True)
class PharaonRules:
    fractions: Fractions = "player"
    deck: int = 52
    split_take: Fraction = Fraction(1)
    last_card_void: bool = False
    positions: Mapping[int, PositionPay] = field(default_factory=dict[int, PositionPay])
    thirds: bool = False
    half_stake: bool = False
    bonus: Fraction = Fraction(0)
    paroli: bool = True


HouseRules = StussRules | PrivateRules | StosRules | PharaonRules
GAMES: Final[dict[str, type[HouseRules]]] = {
    "stuss": StussRules,
    "private": PrivateRules,
    "stos": StosRules,
    "pharaon": PharaonRules,
}


_LARGEST_NUMBER: Final = 10**18


class _NotAllowedError(Exception):
    """A value that the rule does not have."""


def fraction(value: object) -> Fraction:
    """Read a fraction of the rules: a text such as "1/2" or "3", not negative. Raises ValueError otherwise."""
    if not isinstance(value, str) or not _FRACTION.fullmatch(value):
        raise ValueError(value)
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise ValueError(value) from None


def _fraction(value: object) -> Fraction:
    try:
        return fraction(value)
    except ValueError:
        raise _NotAllowedError from None


def _one_of(*allowed: object) -> Callable[[object], Any]:
    def read(value: object) -> object:
        # A bool equals an int in Python, and a text "36" is not the number: both are other values.
        if any(type(value) is type(option) and value == option for option in allowed):
            return value
        raise _NotAllowedError

    return read


def _number(value: object) -> Fraction:
    # Judged before it is spread out: a text as short as 1E999999999 stands for more digits than memory holds.
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 1 <= value <= _LARGEST_NUMBER:
        raise _NotAllowedError
    return Fraction(value)


def _whole_number(value: object) -> int:
    number = _number(value)
    if number.denominator != 1:
        raise _NotAllowedError
    return number.numerator


def _position_pay(position: int, value: object) -> PositionPay:
    """A position loses (odd) or wins (even); an object turns the side round. Losing is at most the stake."""
    wins = position % 2 == 0
    if isinstance(value, dict):
        turned: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
        if set(turned) != {"side", "times"} or turned["side"] != ("lose" if wins else "win"):
            raise _NotAllowedError
        wins = not wins
        times = _fraction(turned["times"])
    else:
        times = _fraction(value)
    if not wins and times > 1:
        raise _NotAllowedError
    return PositionPay(wins, times)


def _positions(value: object) -> dict[int, PositionPay]:
    if not isinstance(value, dict):
        raise _NotAllowedError
    given: dict[str, object] = value  # pyright: ignore[reportUnknownVariableType]
    positions: dict[int, PositionPay] = {}
    for text, pay in given.items():
        if not re.fullmatch(r"[1-9][0-9]?", text, re.ASCII):
            raise _NotAllowedError
        positions[int(text)] = _position_pay(int(text), pay)
    return dict(sorted(positions.items()))


_READERS: Final[dict[str, Callable[[object], Any]]] = {
    "fractions": _one_of("player", "house"),
    "secondary_bets": _one_of(True, False),
    "deal_from": _one_of("shoe", "hand"),
    "deck": _one_of(*LOWEST_RANK),
    "decks": _one_of(6, 7, 8),
    "ratio": _number,
    "suit_multiple": _whole_number,
    "two_hits": _one_of("sequence", "opening"),
    "half_win": _one_of("close", "ride"),
    "half_win_reduced": _one_of("grow", "restore", "pay"),
    "split_take": lambda value: _fraction(_one_of("1", "1/2")(value)),
    "last_card_void": _one_of(True, False),
    "positions": _positions,
    "thirds": _one_of(True, False),
    "half_stake": _one_of(True, False),
    "bonus": _fraction,
    "paroli": _one_of(True, False),
}


def parse(game: str, given: Mapping[str, object]) -> HouseRules:
    """Read the `rules` object of a table-log line; what is not named has its default. Raises bad_rules."""
    kind = GAMES[game]
    known = {each.name for each in fields(kind)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            raise Refusal(Code.BAD_RULES, f"{game} has no house rule {name!r}.", value=name)
        try:
            values[name] = _READERS[name](value)
        except _NotAllowedError:
            raise Refusal(
                Code.BAD_RULES,
                f"The house rule {name!r} of {game} cannot be {value!r}.",
                rule=name,
                value=value,
            ) from None
    rules = kind(**values)
    if isinstance(rules, PharaonRules) and any(position > rules.deck for position in rules.positions):
        raise Refusal(
            Code.BAD_RULES,
            f"The house rule 'positions' names a card after the last, {rules.deck}.",
            limit=rules.deck,
        )
    return rules
