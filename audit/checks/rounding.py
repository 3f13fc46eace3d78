"""What was rounded where a rule takes or pays a share of a stake: the exact share beside the whole chips. Rules: C-7.

It moves no money: the whole amounts are the deal's own, the exact ones the rule's share of what the card was judged on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tables.rules.cards import COLOURS
from tables.rules.deal import Deal
from tables.rules.paytable import BetKind

Moved = Literal["taken", "paid"]


@dataclass(frozen=True, slots=True)
class Rounding:
    """A share of a stake in minor units, and the whole chips that were taken or paid for it."""

    clause: str
    outcome: str
    moved: Moved
    exact_minor: Fraction
    minor: int

    @property
    def to_player_minor(self) -> Fraction:
        """What the player has more for it; below zero less."""
        return self.exact_minor - self.minor if self.moved == "taken" else self.minor - self.exact_minor


def roundings(deal: Deal) -> Iterator[Rounding]:
    """Yield every settlement of a deal that took or paid a share, also where the share was whole chips.

    What is paid back of an earlier halving (T-10, `restore`) is what that took, and so is no share.
    """
    kinds = {kind.name for kind in deal.game.kinds if _shares(kind)}
    if not kinds:
        return
    opening: dict[str, tuple[int, int]] = {}
    for settled in deal.settlements:
        bet = deal.bets[settled.bet]
        position = settled.position
        if bet.kind.name not in kinds or not 0 < position <= len(deal.cards) or settled.outcome in _BY_DEED:
            continue
        base = settled.stake
        if bet.kind.judged_on == "opening":
            # Both cards of a turn are judged on what stood before it (T-6).
            turn, stood = opening.setdefault(bet.name, (settled.turn, base))
            if turn == settled.turn:
                base = stood
            else:
                opening[bet.name] = settled.turn, base
        first = (position - 1) // 2 * 2
        split = deal.cards[first] >> 2 == deal.cards[first + 1] >> 2
        colour = (
            COLOURS[bet.suit][deal.cards[position - 1] & 3] if bet.kind.by_colour and bet.suit is not None else None
        )
        last = position == deal.shoe.size
        line = bet.kind.line("odd" if position % 2 else "even", split, colour, position, last, base < bet.amount)
        assert line is not None, f"a card settled {settled.bet} by no line"
        assert line.clause == settled.clause, f"{settled.bet} was settled by {settled.clause}, not {line.clause}"
        if line.effect.take.denominator > 1:
            yield Rounding(line.clause, settled.outcome, "taken", line.effect.take * base, settled.taken)
        pay = line.effect.pay
        if isinstance(pay, Fraction) and pay.denominator > 1:
            yield Rounding(line.clause, settled.outcome, "paid", pay * base, settled.paid)


# Settled by a deed or with the deal: all of the stake went back.
_BY_DEED = frozenset({"withdrawn", "refused", "returned", "void"})


def _shares(kind: BetKind) -> bool:
    return any(
        share.denominator > 1
        for line in kind.lines
        for share in (line.effect.take, line.effect.pay)
        if isinstance(share, Fraction)
    )
