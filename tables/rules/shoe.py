"""The pack in service and its casekeep: how many of each card are still undealt. It never knows their order (C-3)."""

from typing import Final

from tables.rules.cards import Card

LOWEST_RANK: Final = {52: 0, 36: 4, 32: 5}  # index in RANKS: from the 2, the 6, the 7. Rules: C-2.


class Shoe:
    """Cards undealt, by card (0 to 51) and by rank (0 to 12)."""

    __slots__ = ("copies", "lowest_rank", "size", "undealt", "undealt_of_rank")

    def __init__(self, deck: int, decks: int) -> None:
        self.lowest_rank = LOWEST_RANK[deck]
        self.size = deck * decks
        self.copies = decks
        self.undealt = [decks if number >> 2 >= self.lowest_rank else 0 for number in range(52)]
        self.undealt_of_rank = [4 * decks if rank >= self.lowest_rank else 0 for rank in range(13)]

    def draw(self, card: Card) -> None:
        """Take one copy out; the caller has seen that there is one. Rules: C-5."""
        self.undealt[card] -= 1
        self.undealt_of_rank[card >> 2] -= 1
        assert self.undealt[card] >= 0, f"{card!r} came out of the shoe more often than it went in"
