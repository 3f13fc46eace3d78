"""The odds as they are printed: one JSON object for a program, one page for a person. Plain Python; it knows no table.

`manage.py odds` is a thin wrapper of `main`. Rules: Odds.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any, Final, Literal, NoReturn, Protocol

from tables import tablelog
from tables.rules import games, house_rules, odds
from tables.rules.house_rules import GAMES, StosRules
from tables.rules.odds import ImpossibleShoeError, SuitOdds
from tables.rules.paytable import Game
from tables.rules.refusals import Refusal

# Suit bets whose rounding is shown, in chips, on a table whose minimum is one chip.
_CHIPS: Final = (1, 2, 3, 5, 10, 20)

Choice = tuple[Literal["sequence", "opening"], Literal["close", "ride"], Literal["grow", "restore", "pay"]]
_TWO_HITS: Final[tuple[Literal["sequence", "opening"], ...]] = ("sequence", "opening")
_HALF_WIN: Final[tuple[Literal["close", "ride"], ...]] = ("close", "ride")
_REDUCED: Final[tuple[Literal["grow", "restore", "pay"], ...]] = ("grow", "restore", "pay")
_CHOICES: Final[tuple[Choice, ...]] = tuple(product(_TWO_HITS, _HALF_WIN, _REDUCED))


class Writer(Protocol):
    def write(self, text: str, /) -> Any: ...


class _NoAnswerError(Exception):
    """A question that has no answer; its text is one line for a person."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _NoAnswerError(message)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; all are texts, so that what cannot be is refused in our words."""
    parser.add_argument("game", nargs="?", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("--undealt", metavar="N", help="undealt cards, the pocket's included; default: the full shoe")
    parser.add_argument("--copies", metavar="K", help="undealt copies of the rank; default: the full shoe")
    parser.add_argument("--rules", metavar="JSON", help="house rules, as in the table log")
    parser.add_argument("--amount", metavar="CHIPS", help="a suit bet of this many chips (stos)")
    parser.add_argument("--min", metavar="CHIPS", dest="minimum", help="the table's minimum in chips (stos)")
    parser.add_argument("--all", action="store_true", help="the edges of every game under its default rules")


def main(argv: Sequence[str], stdout: Writer, stderr: Writer) -> int:
    """Answer a command line; return the exit status: 1 with one line on `stderr` for what cannot be."""
    parser = _Parser(prog="manage.py odds", description=__doc__)
    add_arguments(parser)
    try:
        options = vars(parser.parse_args(argv))
    except _NoAnswerError as refusal:
        stderr.write(f"odds: {refusal}\n")
        return 1
    return answer(options, stdout, stderr)


def answer(options: dict[str, Any], stdout: Writer, stderr: Writer) -> int:
    """Answer the options that `add_arguments` describes; return the exit status."""
    try:
        if options["all"]:
            text = "\n".join(_page())
        elif options["game"] is None:
            raise _NoAnswerError("name a game or say --all.")
        else:
            text = json.dumps(_object(options))
    except (_NoAnswerError, ImpossibleShoeError, Refusal) as refusal:
        stderr.write(f"odds: {refusal}\n")
        return 1
    stdout.write(text + "\n")
    return 0


def _object(options: dict[str, Any]) -> dict[str, Any]:
    code = options["game"]
    if code not in GAMES:
        raise _NoAnswerError(f"there is no game {code!r}; there are {', '.join(GAMES)}.")
    rules = house_rules.parse(code, _given(options["rules"]))
    game = games.build(rules)
    size, most = odds.full_shoe(game)
    undealt = _whole(options, "undealt") or size
    copies = _whole(options, "copies") or most
    bet = odds.rank_bet_odds(game, undealt, copies)
    found: dict[str, Any] = {name: str(value) for name, value in asdict(bet).items()}
    if isinstance(rules, StosRules):
        found["split_per_turn"] = str(odds.split_per_turn(undealt, copies))
        minimum = _whole(options, "minimum") or 1
        found["suit"] = _suit(rules, undealt, copies, _amounts(options, minimum), minimum)
    elif options["amount"] is not None or options["minimum"] is not None:
        raise _NoAnswerError(f"--amount and --min are of a suit bet; {code} has none.")
    return found


def _given(text: str | None) -> Mapping[str, object]:
    if text is None:
        return {}
    try:
        return tablelog.decode(text)
    except Refusal:
        raise _NoAnswerError("--rules is no JSON object.") from None


def _whole(options: dict[str, Any], name: str) -> int | None:
    text = options[name]
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise _NoAnswerError(f"{text!r} is no whole number above zero.")
    return int(text)


def _amounts(options: dict[str, Any], minimum: int) -> tuple[int, ...]:
    amount = _whole(options, "amount")
    if amount is None:
        return tuple(chips for chips in _CHIPS if chips >= minimum)
    if amount > 100:
        raise _NoAnswerError("the rounding of a suit bet is worked out up to 100 chips.")
    return (amount,)


# -- for a program


def _suit(rules: StosRules, undealt: int, copies: int, amounts: tuple[int, ...], minimum: int) -> dict[str, Any]:
    """Return the suit bet under the house's own choice of T-6, T-9 and T-10, then under each."""
    own = (rules.two_hits, rules.half_win, rules.half_win_reduced)
    every = {
        "/".join(choice): _suit_choice(_chosen(rules, choice), undealt, copies, amounts, minimum) for choice in _CHOICES
    }
    return {"choice": "/".join(own), **every["/".join(own)], "choices": every}


def _chosen(rules: StosRules, choice: Choice) -> StosRules:
    two_hits, half_win, reduced = choice
    return replace(rules, two_hits=two_hits, half_win=half_win, half_win_reduced=reduced)


def _suit_choice(rules: StosRules, undealt: int, copies: int, amounts: tuple[int, ...], minimum: int) -> dict[str, Any]:
    found = _suit_bet(rules, undealt, copies, None, 1)
    found["in_chips"] = {str(amount): _suit_bet(rules, undealt, copies, amount, minimum) for amount in amounts}
    return found


def _suit_bet(rules: StosRules, undealt: int, copies: int, amount: int | None, minimum: int) -> dict[str, Any]:
    """Return one suit bet; beside two rank bets a turn can touch it twice, where the cards allow that many copies."""
    game = games.build(rules)
    one = odds.suit_bet_odds(game, undealt, copies, 1, amount, minimum)
    found = {"next_turn": str(one.next_turn)}
    if 2 * copies <= undealt:
        one = odds.suit_bet_odds(game, undealt, copies, 2, amount, minimum)
        found["next_turn_two_ranks"] = str(one.next_turn)
    return {**found, "life": _life(rules, one), "favours": one.favours}


def _life(rules: StosRules, bet: SuitOdds) -> str:
    return _decimal(bet.life, 12) if rules.half_win_reduced == "restore" else str(bet.life)


def _decimal(value: Fraction, digits: int) -> str:
    with localcontext() as context:
        context.prec = 60
        rounded = (Decimal(value.numerator) / value.denominator).quantize(Decimal(1).scaleb(-digits))
        return str(rounded if rounded else abs(rounded))


# -- for a person


def _page() -> Iterator[str]:
    yield "What the bank wins of a stake, from a full shoe under default rules, until the bet is settled."
    yield ""
    yield f"{'rank bet':<16}{'win':>9}{'lose':>9}{'split':>9}{'pocket':>10}{'push':>8}{'edge':>9}{'variance':>10}"
    for code in GAMES:
        bet = odds.rank_bet_odds(_default(code))
        parts = (bet.win, bet.lose, bet.split, bet.pocket, bet.push, bet.edge)
        widths = (9, 9, 9, 10, 8, 9)
        shares = "".join(f"{_percent(part):>{width}}" for part, width in zip(parts, widths, strict=True))
        yield f"{code:<16}{shares}{_decimal(bet.variance, 4):>10}"
    yield ""
    yield "Casino Stos has two figures that are often taken for each other:"
    yield f"{'':<8}{'a given rank splits, per turn':>32}{'edge per settled rank bet':>30}"
    for decks in (6, 7, 8):
        game = games.build(StosRules(decks=decks))
        split = odds.split_per_turn(*odds.full_shoe(game))
        edge = odds.rank_bet_odds(game).edge
        yield f"{decks} decks {_percent(split):>32}{_percent(edge):>30}"
    yield 'Only the first is the usual "about 0.57 %"; most turns settle no bet on the rank at all.'
    yield ""
    yield "Suit bet of casino Stos, six decks: what the bank wins of it (below zero: the player does)."
    yield "  next turn: beside bets on two ranks, an amount that every half divides."
    yield "  life: until it is closed, touches one by one; of such an amount, and of so many chips (minimum 1, C-7)."
    columns = "".join(f"{f'life, {chips}':>11}" for chips in _CHIPS)
    yield f"{'two_hits/half_win/reduced':<26}{'next turn':>10}{'life':>10}{columns}  favours"
    for choice in _CHOICES:
        yield _suit_line(choice)
    yield "* The player gains, unless the minimum ends every halved bet. Under the other choices only the rounding of"
    yield "  small bets is for the player: most with one chip, more with odd numbers of chips than with even ones"
    yield "  (suit_multiple: 2), little with many. A gain of the bank is from turns in which both cards touch the bet."


def _suit_line(choice: Choice) -> str:
    game = games.build(_chosen(StosRules(), choice))
    whole = odds.suit_bet_odds(game, ranks=2)
    lives = [odds.suit_bet_odds(game, amount=chips).life for chips in _CHIPS]
    star = " *" if whole.favours == "player" else ""
    columns = "".join(f"{_percent(life):>11}" for life in lives)
    return (
        f"{'/'.join(choice):<26}{_percent(whole.next_turn):>10}{_percent(whole.life):>10}{columns}"
        f"  {whole.favours}{star}"
    )


def _default(code: str) -> Game:
    return games.build(GAMES[code]())


def _percent(value: Fraction) -> str:
    digits = 2 if not value or abs(value) >= Fraction(1, 10_000) else 5
    return f"{_decimal(value * 100, digits)} %"
