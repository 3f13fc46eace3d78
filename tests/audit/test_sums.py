"""How rare a result is, by the law of the sum of all turns: against enumeration, the binomial, and a turn by hand."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest

from audit import queries
from audit.checks import sums
from tests.audit import samples
from tests.audit.test_pages import squeezed, text_of
from tests.audit.test_revisions import made, table  # noqa: F401 # fixture
from tests.tables.a_game import bet, card

# Ways to each result of five turns, on grids of 50, 150 and 0.
TURNS = ({-100: 3, 0: 5, 150: 1}, {50: 2, 0: 1}, {-300: 1, 0: 4, 150: 2, 450: 1}, {7: 1}, {-50: 1, 50: 1})


def at_least_as_far(actual: int, expectation: Fraction) -> Fraction:
    """Add up every way that five turns can go."""
    ways = sum(
        prod(law[gain] for law, gain in zip(TURNS, gains, strict=True))
        for gains in product(*TURNS)
        if abs(sum(gains) - expectation) >= abs(actual - expectation)
    )
    return Fraction(ways, prod(sum(law.values()) for law in TURNS))


def test_the_chance_of_a_result_is_that_of_all_ways_to_get_as_far():
    means = [Fraction(sum(gain * ways for gain, ways in law.items()), sum(law.values())) for law in TURNS]
    expectation = sum(means, Fraction())
    folded = sums.law_of_sum([sums.law(law) for law in TURNS])
    assert folded.step == 50
    assert 0 <= folded.missing < 1e-15
    for actual in range(-500, 800, 7):  # on the grid and beside it
        exact = at_least_as_far(actual, expectation)
        assert -1e-15 < sums.as_far(folded, actual, expectation) - float(exact) <= folded.missing + 1e-15


def test_a_thousand_even_throws_give_the_tails_of_the_binomial():
    folded = sums.law_of_sum([sums.law({-500: 1, 500: 1})] * 1000)
    assert folded.missing < 1e-12
    for heads in (500, 501, 530, 560, 620):
        far = abs(heads - 500)
        exact = Fraction(sum(comb(1000, each) for each in range(1001) if abs(each - 500) >= far), 2**1000)
        assert (
            -1e-15 < sums.as_far(folded, (2 * heads - 1000) * 500, Fraction(0)) - float(exact) <= folded.missing + 1e-15
        )


def test_chips_far_smaller_than_the_stakes_are_not_folded():
    wide = sums.law({0: 1, 1: 1, sums.MOST_VALUES: 1})
    assert sums.law_of_sum([wide, wide]) is None
    assert sums.law_of_sum([wide]) == wide
    assert sums.law_of_sum([]) == sums.law({0: 1})


@pytest.mark.django_db
def test_a_shift_says_how_rare_its_result_was_exactly(table):  # noqa: F811
    table.open(c1000=80)
    table.tablet().send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("KS"), card("QS"))
    gaming_date = table.books().gaming_date
    report = made(table, gaming_date=gaming_date)
    (part,) = queries.shift_report(report.id, report.asked_at).parts
    (row,) = part.rows
    # Six decks: 24 * 288 of 312 * 311 pairs win for the player; nothing else is as far from what the bank expects.
    assert part.total.tail == row.result.tail == pytest.approx(288 / 4043, abs=1e-15)
    assert part.total.exact_tail is not None
    assert part.total.z is not None


@pytest.mark.parametrize(
    ("language", "exact", "normal"),
    [
        ("en", "z; exact tail chance", "z; tail chance, normal law"),
        ("ru", "z; точная вероятность", "z; вероятность (норм. закон)"),
    ],
)
def test_the_paper_says_by_which_law_a_result_is_rare(language, exact, normal):
    by_normal_law = samples.shift_report(3)
    folded = replace(by_normal_law, parts=[replace(part, exact_tail=0.0213) for part in by_normal_law.parts])
    for report, said, unsaid in ((by_normal_law, normal, exact), (folded, exact, normal)):
        printed = squeezed(text_of(report, language))
        assert squeezed(said) in printed
        assert squeezed(unsaid) not in printed
    assert ("0.021" if language == "en" else "0,021") in squeezed(text_of(folded, language))
