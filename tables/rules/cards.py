"""Ranks, suits and cards and how they are written. It knows no shoe. Rules: C-1."""

from typing import Final, Literal

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDHS"
SUIT_SIGNS: Final = "♣♦♥♠"

Colour = Literal["full", "half", "plain"]


class Card(int):
    """A card as a number from 0 to 51: rank * 4 + suit, both in the order of RANKS and SUITS."""

    __slots__ = ()

    @property
    def rank(self) -> int:
        return self >> 2

    @property
    def suit(self) -> int:
        return self & 3

    @property
    def text(self) -> str:
        return RANKS[self >> 2] + SUITS[self & 3]

    def __repr__(self) -> str:
        return f"Card({self.text})"


CARDS: Final = tuple(Card(number) for number in range(52))


def _rank_spellings() -> dict[str, int]:
    spellings = {text: rank for rank, letter in enumerate(RANKS) for text in (letter, letter.lower())}
    spellings["10"] = RANKS.index("T")
    return spellings


def _suit_spellings() -> dict[str, int]:
    return {text: suit for suit, letter in enumerate(SUITS) for text in (letter, letter.lower(), SUIT_SIGNS[suit])}


# Every accepted spelling, so that reading a card is one look-up.
RANK_OF: Final = _rank_spellings()
SUIT_OF: Final = _suit_spellings()
CARD_OF: Final = {
    rank_text + suit_text: CARDS[rank * 4 + suit]
    for rank_text, rank in RANK_OF.items()
    for suit_text, suit in SUIT_OF.items()
}


_BLACK: Final = (True, False, False, True)


def _colour(suit: int, other: int) -> Colour:
    if suit == other:
        return "full"
    return "half" if _BLACK[suit] == _BLACK[other] else "plain"


# COLOURS[suit of the bet][suit of the card]. Rules: Words, full colour, half colour, plain.
COLOURS: Final[tuple[tuple[Colour, ...], ...]] = tuple(
    tuple(_colour(suit, other) for other in range(4)) for suit in range(4)
)
