"""How rare a result is: exact tails against enumeration and published intervals."""

from fractions import Fraction
from itertools import product
from math import exp, lgamma, log, prod

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


def test_six_thousand_chances_give_the_distribution_of_a_binomial() -> None:
    seen = 340
    least, ways = stats.distribution_of_count([1 / 17] * 6000)
    logs = lgamma(6001) - lgamma(seen + 1) - lgamma(6001 - seen) + seen * log(1 / 17) + (6000 - seen) * log(16 / 17)

    assert ways[seen - least] == pytest.approx(exp(logs), rel=1e-9)
    assert sum(ways) == pytest.approx(1, abs=1e-12)
    assert stats.chance_of_count([1 / 17] * 6000, 500) == pytest.approx(0, abs=1e-12)


def test_of_many_results_those_stand_out_that_the_published_example_names() -> None:
    # Benjamini and Hochberg 1995, section 4.1: fifteen chances, the four smallest at 0.05.
    chances = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
               0.7590, 1.0000]  # fmt: skip
    assert stats.stand_out(chances, 0.05) == [True] * 4 + [False] * 11
    assert stats.stand_out([chances[-1], None, chances[0]], 0.05) == [False, False, True]
    assert stats.stand_out([], 0.05) == []


def test_a_result_alone_is_judged_by_its_chance_and_among_many_by_less() -> None:
    assert stats.stand_out([0.04], 0.05) == [True]
    assert stats.stand_out([0.04] + [0.5] * 9, 0.05) == [False] * 10
