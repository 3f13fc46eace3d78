"""The law of a sum of independent results, folded from the law of each. Whole numbers only; it reads nothing.

A chance is kept in whole units of 10^-18 and always rounded down, so that no rounding is ever lost from sight: what is
missing of 1 in the end is all of it, and bounds what a chance can be wrong by. Laws are folded as polynomials, written
into the digits of one long number each and multiplied (Kronecker's substitution): the decimal module of the standard
library multiplies long numbers by number-theoretic transforms, exactly and fast.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from fractions import Fraction
from math import gcd
from typing import Final

ONE: Final = 10**18
# Two chances multiplied, and added up over all ways to come to a sum, never need more digits.
_DIGITS: Final = 38
_LOST: Final = 18
# A law of more values than these is not folded: it would take minutes, and memory that others need.
MOST_VALUES: Final = 400_000
# Nor a sum for which so many values would have to be written on the way.
MOST_WORK: Final = 20_000_000

_EXACTLY: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


@dataclass(frozen=True, slots=True)
class Law:
    """Chances of `least`, `least + step` and so on, each in units of 10^-18 and never too large."""

    least: int
    step: int
    chances: tuple[int, ...]

    @property
    def missing(self) -> float:
        """What rounding has lost of all chances together."""
        return (ONE - sum(self.chances)) / ONE


NOTHING: Final = Law(0, 0, (ONE,))


def law(ways: Mapping[int, int]) -> Law:
    """Return the law of one result from the number of equally likely ways to each."""
    total = sum(ways.values())
    least = min(ways)
    step = gcd(*(value - least for value in ways))
    chances = [0] * ((max(ways) - least) // step + 1 if step else 1)
    for value, count in ways.items():
        chances[(value - least) // step if step else 0] = count * ONE // total
    return Law(least, step, tuple(chances))


def law_of_sum(laws: Iterable[Law]) -> Law | None:
    """Fold the laws of independent results into that of their sum, the like-sized with one another.

    None where that would take too many values.
    """
    left, work = list(laws), 0
    while len(left) > 1:
        left.sort(key=lambda each: len(each.chances))
        folded = []
        for one, other in zip(left[::2], left[1::2], strict=False):
            width = _width(one, other)
            work += width
            if width > MOST_VALUES or work > MOST_WORK:
                return None
            folded.append(_fold(one, other))
        left = folded + left[len(folded) * 2 :]
    return left[0] if left else NOTHING


def as_far(sum_law: Law, actual: int, expectation: Fraction) -> float:
    """Return the chance of a sum at least as far from the expectation as the actual one, either way.

    It is never too small, and too large by no more than `missing`.
    """
    far = abs(actual - expectation)
    least, step, chances = sum_law.least, sum_law.step or 1, sum_law.chances
    below = (expectation - far - least) // step + 1
    above = -((least - expectation - far) // step)
    if above < below:
        return 1.0
    tails = sum(chances[: max(0, below)]) + sum(chances[max(0, above) :])
    return min(1.0, tails / ONE + sum_law.missing)


def _width(one: Law, other: Law) -> int:
    step = gcd(one.step, other.step) or 1
    return sum((len(each.chances) - 1) * each.step for each in (one, other)) // step + 1


def _fold(one: Law, other: Law) -> Law:
    """Multiply two laws as polynomials."""
    step, width = gcd(one.step, other.step), _width(one, other)
    product = str(_EXACTLY.multiply(_number(one, step), _number(other, step))).zfill(width * _DIGITS)
    # The least value stands in the last digits.
    ends = range(width * _DIGITS, 0, -_DIGITS)
    chances = [int(product[end - _DIGITS : end - _LOST]) for end in ends]
    first = next(place for place, chance in enumerate(chances) if chance)
    last = next(place for place in range(width - 1, -1, -1) if chances[place])
    return Law(one.least + other.least + first * step, step, tuple(chances[first : last + 1]))


def _number(each: Law, step: int) -> Decimal:
    """Write a law into the digits of a number, its least value last, on a grid of this step."""
    between = "0" * (_DIGITS * (each.step // step - 1)) if step else ""
    return Decimal(between.join([f"{chance:0{_DIGITS}d}" for chance in reversed(each.chances)]))
