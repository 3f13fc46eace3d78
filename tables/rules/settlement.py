"""The only place where money is computed, and the only rounding. It knows amounts and effects, no cards."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from tables.rules.paytable import ALL, NONE, Effect


@dataclass(slots=True)
class Settlement:
    """What happened to a bet at once. Amounts are whole minor units; stake + paid = taken + returned + standing.

    `turn` and `position` are those of the card that settled it, or the last complete turn and its even position (0
    before the first) where no card did. `clause` is the line of the rules that decided. Rules: C-6.
    """

    deal: str
    turn: int
    position: int
    bet: str
    seat: int
    outcome: str
    stake: int
    paid: int
    taken: int
    returned: int
    standing: int
    clause: str
    ordinal: int
    corrected: bool = False

    def words(self) -> tuple[object, ...]:
        """Return what is printed of it; two settlements in the same words are the same. Rules: C-12."""
        return (
            self.turn,
            self.position,
            self.bet,
            self.seat,
            self.outcome,
            self.stake,
            self.paid,
            self.taken,
            self.returned,
            self.standing,
        )


class Cashier:
    """Computes what an effect does to an amount, in multiples of the table's chip. Rules: C-6, C-7."""

    __slots__ = ("_pay_up", "chip", "minimum")

    def __init__(self, chip: int, minimum: int, fractions: str) -> None:
        self.chip: Final = chip
        self.minimum: Final = minimum
        self._pay_up: Final = fractions == "player"

    def _share(self, part: Fraction, of: int, up: bool) -> int:
        numerator = part.numerator * of
        chips = part.denominator * self.chip
        return (-(-numerator // chips) if up else numerator // chips) * self.chip

    def pays(self, share: Fraction, of: int) -> int:
        """Return what the bank adds for a share of an amount: rounded up for the player, by default."""
        return self._share(share, of, self._pay_up)

    def takes(self, share: Fraction, of: int) -> int:
        """Return what the bank takes of an amount: rounded down for the player, by default."""
        return self._share(share, of, not self._pay_up)

    def amounts(self, effect: Effect, stake: int, base: int, last_halving: int) -> tuple[int, int, int, int]:
        """Return (paid, taken, returned, standing) for a bet of which `stake` stands, judged on `base`.

        A bet that the odd card has closed (stake 0, T-6) returns whatever it is paid.
        """
        take, pay = effect.take, effect.pay
        # Shares are nearly always all or nothing: those two are not counted in chips.
        taken = 0 if take is NONE else base if take is ALL else self.takes(take, base)
        if pay is NONE:
            paid = 0
        elif isinstance(pay, str):
            paid = last_halving
        else:
            paid = base if pay is ALL else self.pays(pay, base)
        rest = stake - taken
        if effect.rest == "returned" or stake == 0:
            returned, standing = rest + paid, 0
        elif effect.rest == "stands_from_minimum":
            returned, standing = (rest, 0) if rest < self.minimum else (0, rest)
        elif effect.paid_to == "bet":
            returned, standing = 0, rest + paid
        else:
            returned, standing = paid, rest
        assert stake + paid == taken + returned + standing, "conservation (C-6)"
        assert paid >= 0 <= taken and returned >= 0 <= standing, "an amount below nothing (C-6)"  # noqa: PT018 - hot
        return paid, taken, returned, standing
