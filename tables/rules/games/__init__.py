"""The four games, one file each: a game is data for the one engine. Nothing here is run while a bet is settled."""

from tables.rules.games import pharaon, private, stos, stuss
from tables.rules.house_rules import HouseRules, PharaonRules, PrivateRules, StussRules
from tables.rules.paytable import Game


def build(rules: HouseRules) -> Game:
    """Build the game that a house's rules make."""
    if isinstance(rules, StussRules):
        return stuss.build(rules)
    if isinstance(rules, PrivateRules):
        return private.build(rules)
    if isinstance(rules, PharaonRules):
        return pharaon.build(rules)
    return stos.build(rules)
