"""The house rules as the second engine reads them: from the terms as they were stored, never from a built game."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
GAMES: Final = ("stuss", "private", "stos", "pharaon")
_FRACTION: Final = re.compile(r"([0-9]+)(?:/([0-9]+))?")
_WHOLE: Final = (1, 1)

Ratio = tuple[int, int]


class UnreadableTermsError(ValueError):
    """Terms that say something this engine does not know. It does not guess."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What a house chose, of all games: each game reads its own. Ratios are pairs (numerator, denominator).

    cards       how many cards the shoe holds
    favours     whom fractions of a chip favour: `player` or `house` (C-7)
    positions   by card position: whether its side is turned round, and its multiple (F-5)
    """

    game: str
    minimum: int
    chip: int
    cards: int
    favours: str = "player"
    pocket: bool = False
    two_hits: str = "sequence"
    half_win: str = "close"
    half_win_reduced: str = "grow"
    split_take: Ratio = _WHOLE
    last_card_void: bool = False
    thirds: bool = False
    half_stake: bool = False
    bonus: Ratio = (0, 1)
    positions: Mapping[int, tuple[bool, Ratio]] = field(default_factory=dict)


def read_rules(terms: str, digits: int) -> HouseRules:
    """Read the canonical text of a table's terms; `digits` of its currency's unit are minor.

    Raises: UnreadableTermsError.
    """
    line = json.loads(terms)
    game = line.get("game")
    if game not in GAMES:
        _unreadable("game", game)
    said: dict[str, Any] = dict(line.get("rules", {}))
    chosen: dict[str, Any] = {"favours": _one_of(said, "fractions", "player", "house")}
    if game == "stuss":
        secondary = _one_of(said, "secondary_bets", True, False)
        shoe = _one_of(said, "deal_from", "shoe", "hand")
        chosen |= {"cards": 52, "pocket": secondary and shoe == "shoe"}
    elif game == "stos":
        chosen |= {
            "cards": 52 * _one_of(said, "decks", 6, 7, 8),
            "two_hits": _one_of(said, "two_hits", "sequence", "opening"),
            "half_win": _one_of(said, "half_win", "close", "ride"),
            "half_win_reduced": _one_of(said, "half_win_reduced", "grow", "restore", "pay"),
        }
        said.pop("ratio", None)  # these two say which bets may be placed, not what becomes of them
        said.pop("suit_multiple", None)
    else:
        chosen["cards"] = _one_of(said, "deck", 52, 36, 32)
    if game == "pharaon":
        chosen |= {
            "split_take": _ratio("split_take", said.pop("split_take", "1")),
            "bonus": _ratio("bonus", said.pop("bonus", "0")),
            "positions": _positions(said.pop("positions", {})),
        }
        for option in ("last_card_void", "thirds", "half_stake"):
            chosen[option] = _one_of(said, option, False, True)
        _one_of(said, "paroli", True, False)
    if said:
        _unreadable(*next(iter(said.items())))
    return HouseRules(game, _minor("min", line, digits), _minor("chip", line, digits), **chosen)


def _unreadable(name: str, value: object) -> NoReturn:
    raise UnreadableTermsError(f"{name} = {value!r} is not known to the second engine")


def _one_of(said: dict[str, Any], name: str, default: Any, *others: Any) -> Any:
    """Take a rule out of what was said; it must be one of these values, and of their kind."""
    value = said.pop(name, default)
    if not any(value == known and type(value) is type(known) for known in (default, *others)):
        _unreadable(name, value)
    return value


def _minor(name: str, line: Mapping[str, Any], digits: int) -> int:
    try:
        scaled = Decimal(line[name]).scaleb(digits)
    except (KeyError, TypeError, InvalidOperation):
        _unreadable(name, line.get(name))
    if not scaled.is_finite() or scaled != scaled.to_integral_value() or scaled <= 0:
        _unreadable(name, line[name])
    return int(scaled)


def _ratio(name: str, value: object) -> Ratio:
    written = _FRACTION.fullmatch(value) if isinstance(value, str) else None
    if written is None or (written[2] is not None and int(written[2]) == 0):
        _unreadable(name, value)
    return int(written[1]), int(written[2] or 1)


def _positions(said: Mapping[str, Any]) -> dict[int, tuple[bool, Ratio]]:
    read = {}
    for text, value in said.items():
        position = int(text)
        if isinstance(value, dict):
            usual = "lose" if position % 2 else "win"
            read[position] = (value["side"] != usual, _ratio("positions", value["times"]))
        else:
            read[position] = (False, _ratio("positions", value))
    return read
