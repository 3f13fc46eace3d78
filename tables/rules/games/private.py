"""Two-handed Stoss. Rules: P-1 to P-8."""

from tables.rules.house_rules import PrivateRules
from tables.rules.paytable import ALL, BetKind, Effect, Game, Line, When

LINES = (
    Line(When(side="odd", split=True), Effect("split", take=ALL), "P-5"),
    Line(When(side="odd"), Effect("lose", take=ALL), "P-5"),
    Line(When(side="even"), Effect("win", pay=ALL), "P-5"),
)


def build(rules: PrivateRules) -> Game:
    """Build the game."""
    return Game(
        code="private",
        deck=rules.deck,
        decks=1,
        kinds=(BetKind("rank", LINES),),
        fractions=rules.fractions,
        betting="before_cut",
        dealer_ends="when_none_stands",
        deeds=frozenset({"cut", "refuse", "reveal", "sealed"}),
        ends_with_bet=True,
        seat=1,
        one_bet="deal",
    )
