"""A bet in a deal: what was placed and what stands of it. It settles nothing."""

from typing import Final

from tables.rules.paytable import BetKind
from tables.rules.settlement import Settlement


class Bet:
    """A bet in a deal.

    standing    what stands of it now, 0 once it is closed
    sealed      still face down: it has no rank yet (P-2)
    of          the won bet whose corner was bent for it (F-10)
    ordinal     its place in the order in which the bets of the deal were placed, from 1
    after       the even position after which it was placed, 0 before the first card
    halvings    what half losses took of it and no win has given back, the last one last (T-10)
    touched     whether a card has settled it, wholly or in part
    """

    __slots__ = (
        "after",
        "amount",
        "bent",
        "halvings",
        "kind",
        "name",
        "of",
        "ordinal",
        "rank",
        "sealed",
        "seat",
        "standing",
        "suit",
        "touched",
        "was_sealed",
        "win",
    )

    def __init__(
        self,
        name: str,
        seat: int,
        kind: BetKind,
        rank: int | None,
        suit: int | None,
        amount: int,
        ordinal: int,
        after: int,
        of: str | None = None,
    ) -> None:
        self.name: Final = name
        self.seat: Final = seat
        self.kind: Final = kind
        self.rank = rank
        self.suit = suit
        self.amount: Final = amount
        self.ordinal: Final = ordinal
        self.after: Final = after
        self.of: Final = of
        self.standing = amount
        self.sealed = self.was_sealed = rank is None and suit is None
        self.halvings: tuple[int, ...] = ()
        self.touched = False
        self.win: Settlement | None = None
        self.bent = False

    @property
    def last_halving(self) -> int:
        """What the last halving that took something took, 0 if there is none. Rules: T-10."""
        return self.halvings[-1] if self.halvings else 0
