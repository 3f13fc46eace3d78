"""On what terms a table plays: game, limits, chip, house rules, bank; and its amounts as texts. It never settles.

Rules: C-8, C-13; the `table` and `rules` lines of docs/table-log.md.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from tables.rules import games, house_rules
from tables.rules.events import BankOf, Rules, Table
from tables.rules.house_rules import HouseRules
from tables.rules.paytable import Game
from tables.rules.refusals import Code, Refusal
from tables.rules.settlement import Cashier

DEFAULT_SEATS: Final = 10
# Amounts stay exact in every language that reads the record: below 2^53.
LARGEST_AMOUNT_MINOR: Final = 2**53 - 1
_AMOUNT: Final = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
# Digits after the point, ISO 4217; every other currency has two.
_MINOR_DIGITS: Final = {
    **dict.fromkeys(
        [
            "BIF",
            "CLP",
            "DJF",
            "GNF",
            "ISK",
            "JPY",
            "KMF",
            "KRW",
            "PYG",
            "RWF",
            "UGX",
            "UYI",
            "VND",
            "VUV",
            "XAF",
            "XOF",
            "XPF",
        ],
        0,
    ),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
}


def minor_digits(currency: str) -> int:
    """Return how many digits the currency has after the point."""
    return _MINOR_DIGITS.get(currency, 2)


def parse_amount(text: str, digits: int) -> int | Fraction:
    """Read an amount above zero into minor units; a Fraction where it is finer than the currency.

    Raises ValueError for any other text.
    """
    if not _AMOUNT.fullmatch(text):
        raise ValueError(text)
    whole, _, part = text.partition(".")
    part = part.rstrip("0")
    if len(whole) + len(part) > 4000:  # Python reads no longer number; such an amount is above every maximum
        whole, part = "9" * 4000, ""
    amount: Fraction = Fraction(int(whole + part), 10 ** len(part)) * 10**digits
    if not amount:
        raise ValueError(text)
    return amount.numerator if amount.denominator == 1 else amount


def amount_text(minor: int, digits: int) -> str:
    """Write minor units as currency units without needless zeros: "12.5", "500", "-3"."""
    if digits == 0:
        return str(minor)
    whole, part = divmod(abs(minor), 10**digits)
    decimals = f"{part:0{digits}d}".rstrip("0")
    return f"{'-' if minor < 0 else ''}{whole}{'.' if decimals else ''}{decimals}"


@dataclass(frozen=True)
class Terms:
    """The terms of a table, amounts in minor units; `bank` is a player's bank, None the house's."""

    table: str
    game_code: str
    currency: str
    minimum: int
    maximum: int
    chip: int
    seats: int
    rules: HouseRules
    bank: int | None

    @cached_property
    def game(self) -> Game:
        return games.build(self.rules)

    @cached_property
    def cashier(self) -> Cashier:
        return Cashier(self.chip, self.minimum, self.game.fractions)

    @cached_property
    def digits(self) -> int:
        return minor_digits(self.currency)

    @cached_property
    def stakes_read(self) -> tuple[dict[str | None, int], dict[str | None, int]]:
        """Stakes accepted so far by how they were written, of rank bets and of suit bets; a table's chips come in few.

        Kept by `limits.read_stake`.
        """
        return {}, {}

    def text(self, minor: int) -> str:
        """Write an amount of this table as the table log does."""
        return amount_text(minor, self.digits)

    def changed(self, event: Rules) -> "Terms":
        """Return the terms after a `rules` line: what is not named stays. Raises bad_rules."""
        return _checked(
            table=self.table,
            game=self.game_code,
            currency=self.currency,
            minimum=self.minimum if event.minimum is None else self._limit("min", event.minimum),
            maximum=self.maximum if event.maximum is None else self._limit("max", event.maximum),
            chip=self.chip if event.chip is None else self._limit("chip", event.chip),
            seats=self.seats if event.seats is None else event.seats,
            rules=self.rules if event.rules is None else house_rules.parse(self.game_code, event.rules),
            bank=self.bank if event.banker is None else _bank(event.banker, self.digits),
        )

    def _limit(self, name: str, text: str) -> int:
        return _whole(name, text, self.digits)


def open_terms(event: Table) -> Terms:
    """Return the terms that a `table` line states. Raises bad_rules for an impossible value."""
    if event.game not in house_rules.GAMES:
        raise Refusal(Code.BAD_RULES, f"There is no game {event.game!r}.", value=event.game)
    digits = minor_digits(event.currency)
    given: Mapping[str, object] = event.rules or {}
    return _checked(
        table=event.table,
        game=event.game,
        currency=event.currency,
        minimum=_whole("min", event.minimum, digits),
        maximum=_whole("max", event.maximum, digits),
        chip=_whole("chip", event.chip, digits),
        seats=DEFAULT_SEATS if event.seats is None else event.seats,
        rules=house_rules.parse(event.game, given),
        bank=None if event.banker is None else _bank(event.banker, digits),
    )


def _whole(name: str, text: str, digits: int) -> int:
    try:
        amount = parse_amount(text, digits)
    except ValueError:
        raise Refusal(Code.BAD_RULES, f"{name} cannot be {text!r}.", rule=name, value=text) from None
    if isinstance(amount, Fraction):
        raise Refusal(Code.BAD_RULES, f"{name} {text} is finer than the currency.", rule=name, value=text)
    if amount > LARGEST_AMOUNT_MINOR:
        raise Refusal(Code.BAD_RULES, f"{name} is too large.", rule=name, value=text[:40])
    return amount


def _bank(banker: str | BankOf, digits: int) -> int | None:
    if isinstance(banker, BankOf):
        return _whole("bank", banker.bank, digits)
    if banker != "house":
        raise Refusal(Code.BAD_RULES, f"The banker cannot be {banker!r}.", rule="banker", value=banker)
    return None


def _checked(
    table: str,
    game: str,
    currency: str,
    minimum: int,
    maximum: int,
    chip: int,
    seats: int,
    rules: HouseRules,
    bank: int | None,
) -> Terms:
    terms = Terms(table, game, currency, minimum, maximum, chip, seats, rules, bank)
    if seats < 1:
        raise Refusal(Code.BAD_RULES, f"A table has at least one seat, not {seats}.", rule="seats", value=seats)
    if minimum % chip:
        raise Refusal(
            Code.BAD_RULES,
            f"The minimum {terms.text(minimum)} is no multiple of the chip {terms.text(chip)}.",
            rule="min",
            value=terms.text(minimum),
            limit=terms.text(chip),
        )
    if maximum < minimum:
        raise Refusal(
            Code.BAD_RULES,
            f"The maximum {terms.text(maximum)} is below the minimum {terms.text(minimum)}.",
            rule="max",
            value=terms.text(maximum),
            limit=terms.text(minimum),
        )
    return terms
