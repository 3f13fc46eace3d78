"""How rare a result is: exact tails against enumeration and published intervals."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from tables import stats


def test_a_result_one_deviation_off_or_more_comes_about_one_time_in_three() -> None:
    assert stats.chance_so_far(13, Fraction(10), Fraction(9)) == pytest.approx(0.317310507863)
    assert stats.chance_so_far(-10, Fraction(10), Fraction(100)) == pytest.approx(0.0455002638964)
    assert stats.chance_so_far(5, Fraction(5), Fraction(0)) is None


@pytest.mark.parametrize("seen", range(6))
def test_the_chance_of_so_many_splits_is_that_of_all_ways_to_get_them(seen: int) -> None:
    chances = [Fraction(1, 17), Fraction(1, 5), Fraction(3, 49), Fraction(1, 2), Fraction(0)]
    at_most = at_least = Fraction(0)
    for happened in product((False, True), repeat=len(chances)):
        chance = prod(each if split else 1 - each for each, split in zip(chances, happened, strict=True))
        at_most += chance if sum(happened) <= seen else 0
        at_least += chance if sum(happened) >= seen else 0

    exact = min(Fraction(1), 2 * at_most, 2 * at_least)
    assert stats.chance_of_count(chances, seen) == pytest.approx(float(exact), abs=1e-12)


def test_errors_of_a_dealer_have_the_exact_interval() -> None:
    # Clopper and Pearson: one in 4,212 and two in 3,870, to the thousand; none in 30,705: 1 - 0.025^(1/n).
    assert [round(1000 * end, 2) for end in stats.rate_interval(1, 4212)] == [0.01, 1.32]
    assert [round(1000 * end, 2) for end in stats.rate_interval(2, 3870)] == [0.06, 1.87]
    assert stats.rate_interval(0, 30_705)[1] == pytest.approx(1 - 0.025 ** (1 / 30_705), rel=1e-9)
    assert list(stats.rate_interval(5, 5)) == [pytest.approx(0.025**0.2), 1.0]
    assert stats.rate_interval(0, 0) == (0.0, 1.0)
