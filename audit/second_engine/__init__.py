"""The audit's second engine: what every settlement comes to, from the facts and the house rules alone.

It shares no code with the engine that recorded them, knows no built game, and works the other way round: it replays
nothing. A deal is two columns, ranks and suits by position; a bet looks up the card that settles it, and what that
card does is read from its place. It never says whether a bet should have been accepted: only what became of it.
"""

from audit.second_engine.facts import BetRow, Facts, Settled
from audit.second_engine.house_rules import HouseRules, UnreadableTermsError, read_rules
from audit.second_engine.population import Difference, Recomputation, recompute
from audit.second_engine.settling import settle

__all__ = [
    "VERSION",
    "BetRow",
    "Difference",
    "Facts",
    "HouseRules",
    "Recomputation",
    "Settled",
    "UnreadableTermsError",
    "read_rules",
    "recompute",
    "settle",
]

VERSION = "1"
"""Raised with every change that could alter what it recomputes."""
