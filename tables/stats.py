"""How far from expected a result is. Plain Python; exact until the one rounding at the end, and no float."""

from decimal import Decimal
from fractions import Fraction
from math import isqrt


def z(actual: int, expectation: Fraction, variance: Fraction, digits: int = 2) -> Decimal | None:
    """Return (actual - expectation) / sqrt(variance), rounded half away from zero; None where nothing varied.

    Rules: Odds.
    """
    if not variance:
        return None
    difference = actual - expectation
    squared = difference * difference / variance * 10 ** (2 * digits)
    # floor(x + 1/2) = floor((floor(2x) + 1) / 2) for x >= 0, and floor(2x) = isqrt(floor(4x^2)).
    rounded = (isqrt(int(4 * squared)) + 1) // 2
    return Decimal(-rounded if difference < 0 else rounded).scaleb(-digits)
