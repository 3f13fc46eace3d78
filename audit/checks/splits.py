"""The turns of a deal and the chance that each was a split, from the cards that were left. It reads nothing."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from audit.checks.records import CardRow
from tables.rules.cards import RANKS
from tables.rules.paytable import Game


def pairs_of(rows: Iterable[CardRow]) -> list[tuple[str, str]]:
    """Return the cards of each turn dealt, the pocket left out."""
    cards = [row.card for row in rows if row.card and not row.pocket]
    return [(cards[at], cards[at + 1]) for at in range(0, len(cards) - 1, 2)]


def split_chances(pairs: Sequence[tuple[str, str]], game: Game) -> list[Fraction]:
    """Return of each turn the chance that both its cards are of one rank, given the cards dealt before it."""
    ranks = RANKS[13 - game.deck // 4 :]
    left = dict.fromkeys(ranks, 4 * game.decks)
    chances = []
    for pair in pairs:
        cards = sum(left.values())
        same = sum(copies * (copies - 1) for copies in left.values())
        chances.append(Fraction(same, cards * (cards - 1)) if cards > 1 else Fraction())
        for card in pair:
            # More cards of a rank than the shoe holds are a finding of the audit, and no chance below none.
            left[card[0]] = max(0, left.get(card[0], 0) - 1)
    return chances
