"""Casino Stuss. Rules: S-1 to S-9."""

from tables.rules.house_rules import StussRules
from tables.rules.paytable import ALL, BetKind, Effect, Game, Line, When


def build(rules: StussRules) -> Game:
    """Build the game. Rules: S-6 to S-8 for the pocket."""
    pocket = 4 if rules.secondary_bets and rules.deal_from == "shoe" else 0
    lines = [
        Line(When(side="odd", split=True), Effect("split", take=ALL), "S-4"),
        Line(When(side="odd"), Effect("lose", take=ALL), "S-2"),
        Line(When(side="even"), Effect("win", pay=ALL), "S-3"),
    ]
    if pocket:
        lines.append(Line(When(side="pocket"), Effect("pocket", take=ALL), "S-6"))
    return Game(
        code="stuss",
        deck=52,
        decks=1,
        kinds=(BetKind("rank", tuple(lines)),),
        fractions=rules.fractions,
        betting="between_turns",
        dealer_ends="never",
        deeds=frozenset({"pocket"} if pocket else ()),
        pocket=pocket,
        secondary_bets=rules.secondary_bets,
    )
