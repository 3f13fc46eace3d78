"""How far from expected a result is, and how rare that is. Plain Python, and the only place with these formulas.

Exact until one rounding at the end where a result is a `Decimal`; a chance is a float, good to twelve figures.
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import erfc, exp, fsum, isqrt, log, log1p, sqrt


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


def chance_so_far(actual: int, expectation: Fraction, variance: Fraction) -> float | None:
    """Return the chance of a result at least as far from the expected one, either way, by the normal law."""
    if not variance:
        return None
    difference = actual - expectation
    return erfc(sqrt(difference * difference / variance / 2))


def chance_of_count(chances: Iterable[Fraction | float], seen: int) -> float:
    """Return the exact chance that of independent things as many happen as were seen, or a rarer number (two-sided).

    Each thing has its own chance. Twice the smaller of both tails, at most 1: no law stands in for the distribution.
    """
    least, ways = distribution_of_count([float(chance) for chance in chances])
    at_most = fsum(ways[: max(0, seen - least + 1)])
    at_least = fsum(ways[max(0, seen - least) :])
    return min(1.0, 2 * min(at_most, at_least))


def distribution_of_count(chances: Sequence[float]) -> tuple[int, list[float]]:
    """Return how many of independent things happen: the least number, and the chances of it and of those above.

    Halves are found apart and put together; numbers rarer than 1e-18 at both ends are left out.
    """
    if not chances:
        return 0, [1.0]
    if len(chances) == 1:
        return 0, [1.0 - chances[0], chances[0]]
    middle = len(chances) // 2
    (first, some), (second, others) = distribution_of_count(chances[:middle]), distribution_of_count(chances[middle:])
    ways = [0.0] * (len(some) + len(others) - 1)
    for place, chance in enumerate(some):
        for further, other in enumerate(others, place):
            ways[further] += chance * other
    least, most = 0, len(ways)
    while ways[least] < 1e-18:
        least += 1
    while ways[most - 1] < 1e-18:
        most -= 1
    return first + second + least, ways[least:most]


def stand_out(chances: Sequence[float | None], false_alarms: float) -> list[bool]:
    """Say of many results judged at once which stand out, so that of those at most this share is luck on average.

    Benjamini and Hochberg, 1995: of n chances in order the k-th smallest may be k/n of the share; the largest k that
    is decides. A result without a chance was not judged and does not count.
    """
    judged = sorted(chance for chance in chances if chance is not None)
    limit = -1.0
    for k, chance in enumerate(judged, start=1):
        if chance <= false_alarms * k / len(judged):
            limit = chance
    return [chance is not None and chance <= limit for chance in chances]


def rate_interval(found: int, of: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact (Clopper-Pearson) interval of a rate of which `found` in `of` were seen."""
    assert 0 <= found <= of, f"{found} of {of}"
    if not of:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = 0.0 if found == 0 else _root(lambda rate: 1 - _at_most(found - 1, of, rate) - tail)
    high = 1.0 if found == of else _root(lambda rate: tail - _at_most(found, of, rate))
    return low, high


def _at_most(found: int, of: int, rate: float) -> float:
    """Return the chance of at most `found` in `of`."""
    if rate >= 1:
        return float(found >= of)
    odds = rate / (1 - rate)
    log_term = of * log1p(-rate)
    total = exp(log_term)
    for k in range(1, found + 1):
        log_term += log(odds * (of - k + 1) / k)
        total += exp(log_term)
    return min(total, 1.0)


def _root(rising: Callable[[float], float]) -> float:
    """Return where a function that rises from below 0 to above it on (0, 1) is 0."""
    low, high = 1e-15, 1.0
    for _step in range(100):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high
