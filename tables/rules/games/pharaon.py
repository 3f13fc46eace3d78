"""Pharaon, Bank, with the old options. Rules: F-1 to F-11."""

from collections.abc import Iterator
from fractions import Fraction

from tables.rules.cards import Colour
from tables.rules.house_rules import PharaonRules, PositionPay
from tables.rules.paytable import ALL, HALF, BetKind, Effect, Game, Line, Side, When

_THIRDS: tuple[tuple[Colour | None, Fraction], ...] = (
    ("full", ALL),
    ("half", Fraction(2, 3)),
    ("plain", Fraction(1, 3)),
)


def _lines(rules: PharaonRules) -> Iterator[Line]:
    """The factors of F-9 multiplied out: lines for the positions that differ first, then the rule for all others."""
    colours = _THIRDS if rules.thirds else ((None, ALL),)
    first_odd = HALF if rules.half_stake else ALL  # F-7
    odd_pay, even_pay = PositionPay(False, ALL), PositionPay(True, ALL)
    positions = dict(rules.positions)
    if rules.half_stake:
        positions.setdefault(1, odd_pay)
    if rules.bonus:
        positions.setdefault(2, even_pay)

    if rules.last_card_void:
        # In a split of the last turn the odd card, the last but one, decides; F-3 counts as 1 there (F-4).
        odd = rules.deck - 1
        times = _lost_in_split(positions.get(odd, odd_pay), ALL)
        for colour, third in colours:
            when = When(side="odd", split=True, colour=colour, position=odd)
            yield Line(when, Effect("split", take=third * times), "F-4")
        yield Line(When(side="even", split=False, last=True), Effect("push"), "F-4")
    for position, pay in sorted(positions.items()):
        side: Side = "odd" if position % 2 else "even"
        killed = first_odd if position == 1 else ALL
        bonus = rules.bonus if position == 2 else Fraction(0)
        for colour, third in colours:
            if side == "odd":
                take = third * _lost_in_split(pay, rules.split_take) * killed
                when = When(side="odd", split=True, colour=colour, position=position)
                yield Line(when, Effect("split", take=take), "F-9")
            when = When(side=side, split=False, colour=colour, position=position)
            if pay.wins:
                yield Line(when, Effect("win", pay=third * pay.times + bonus), "F-9")
            else:
                yield Line(when, Effect("lose", take=third * pay.times * killed), "F-9")
    for colour, third in colours:
        yield Line(When(side="odd", split=True, colour=colour), Effect("split", take=third * rules.split_take), "F-3")
        yield Line(When(side="odd", split=False, colour=colour), Effect("lose", take=third), "F-3")
        yield Line(When(side="even", split=False, colour=colour), Effect("win", pay=third), "F-3")


def _lost_in_split(pay: PositionPay, split_take: Fraction) -> Fraction:
    """A split is never turned round: at an odd position that wins it counts 1. Rules: F-5."""
    return split_take * (ALL if pay.wins else pay.times)


def build(rules: PharaonRules) -> Game:
    """Build the game."""
    deeds = {"cut", "refuse", "reveal", "sealed", "card"}
    if rules.paroli:
        deeds.add("paroli")
    return Game(
        code="pharaon",
        deck=rules.deck,
        decks=1,
        kinds=(BetKind("rank", tuple(_lines(rules))),),
        fractions=rules.fractions,
        betting="before_cut",
        dealer_ends="when_none_stands",
        deeds=frozenset(deeds),
        names_card=rules.thirds,
    )
