"""The shuffle lab: how rare what a shuffle left behind would be, were every order as likely. It reads nothing.

A deal is the cards that left the pack, in order: all of them, or as many as came before the cut card. A deal that ended
because of what fell is not for it: its length says something of its cards. Three of the four measures compare a whole
deal with the one before it, and so need a pack of one deck, where each card is one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, exp, fsum, lgamma, log, sqrt
from typing import Final

from tables import stats

# Chance that any measure of any group is called bad although all shuffles were honest.
FALSE_ALARMS: Final = 0.01
# A law stands in for the distribution of sums over deals; of fewer it does not.
FEWEST: Final = 5

Cards = Sequence[str]
"""The cards of a deal, each as rank and suit."""


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A deal: what was dealt before it (None: nothing known), its groups by kind, and how many cards the pack has."""

    cards: Cards
    before: Cards | None
    groups: Mapping[str, str]
    pack: int = 52


@dataclass(frozen=True, slots=True)
class Measure:
    """What one measure says of a group: how much was seen, how much was expected, and the chance of as much or more."""

    name: str
    deals: int
    seen: float
    expected: float
    chance: float | None
    """None where there are too few deals."""
    stands_out: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The measures of the deals of one table, shoe, dealer or way of shuffling."""

    kind: str
    name: str
    deals: int
    measures: Sequence[Measure]
    heat: Sequence[tuple[str, Sequence[float]]]
    """By rank: for each position how far from expected its count is, in standard deviations."""

    @property
    def stands_out(self) -> bool:
        return any(measure.stands_out for measure in self.measures)


def judged_whole(cards: int, game: str, pack: int) -> bool:
    """Say whether a deal's order can be judged: its length says nothing of its cards.

    Of stos the cut card ends the deal, wherever it lies; elsewhere a deal that is not whole ended by what fell.
    """
    return cards == pack or (game == "stos" and cards >= 20)


def examine(deals: Iterable[Shuffled], *, false_alarms: float = FALSE_ALARMS) -> tuple[Group, ...]:
    """Judge deals by each of their groups. Of the measures called bad, over all groups, at most this share is
    called so wrongly on average (Benjamini and Hochberg); where all shuffles are honest, so often any is."""
    grouped: dict[tuple[str, str, int], list[Shuffled]] = {}
    for deal in deals:
        for kind, name in deal.groups.items():
            grouped.setdefault((kind, name, deal.pack), []).append(deal)
    groups = [
        Group(kind, name, len(found), _measures(found, pack), heat_of([deal.cards for deal in found]))
        for (kind, name, pack), found in sorted(grouped.items())
    ]
    out = iter(stats.stand_out([measure.chance for group in groups for measure in group.measures], false_alarms))
    return tuple(
        Group(
            group.kind,
            group.name,
            group.deals,
            tuple(
                Measure(each.name, each.deals, each.seen, each.expected, each.chance, next(out))
                for each in group.measures
            ),
            group.heat,
        )
        for group in groups
    )


def _measures(deals: Sequence[Shuffled], pack: int) -> Sequence[Measure]:
    pairs = [(deal.cards, deal.before) for deal in deals]
    following = [(cards, before) for cards, before in pairs if before is not None and _one_deck(cards, before, pack)]
    measures = [_positions([deal.cards for deal in deals], pack)]
    of_pairs: tuple[Callable[[Sequence[tuple[Cards, Cards]]], Measure], ...] = (_neighbours, _rising, _likeness)
    return [*measures, *(measure(following) for measure in of_pairs)]


def _one_deck(cards: Cards, before: Cards, pack: int) -> bool:
    return len(cards) == pack == len(set(cards)) and set(cards) == set(before)


# The measures


def _positions(deals: Sequence[Cards], pack: int) -> Measure:
    """Position × rank: how unevenly the ranks fall on the positions that every deal of the group reached.

    The covariance of the counts is the product of that of n positions, which add up to a whole pack, and that of r
    ranks. So over the first m positions the sum of (count - expected)^2/expected is, n/(n - 1) times, chi-square with
    (m - 1)(r - 1) degrees and 1 - m/n of one with r - 1. Both together are given the chi-square of the same mean and,
    as near as whole degrees allow, variance; over a whole pack that is exact.
    """
    reached = min(map(len, deals))
    ranks = len({card[0] for cards in deals for card in cards})
    each = len(deals) / ranks
    counts = Counter((position, card[0]) for cards in deals for position, card in enumerate(cards[:reached]))
    seen = (fsum(count * count for count in counts.values()) / each - len(deals) * reached) * (pack - 1) / pack
    rest = 1 - reached / pack
    mean = (ranks - 1) * (reached - 1 + rest)
    freedom = round(mean * mean / ((ranks - 1) * (reached - 1 + rest * rest)))
    chance = chance_of_chi_square(seen * freedom / mean, freedom) if len(deals) >= FEWEST else None
    return Measure("positions", len(deals), seen, mean, chance)


def _neighbours(pairs: Sequence[tuple[Cards, Cards]]) -> Measure:
    """Neighbouring pairs: cards that still lie on the card that they lay on before. Poisson, (n - 1)/n a deal."""
    seen = 0
    expected = 0.0
    for cards, before in pairs:
        follows = dict(pairwise(before))
        seen += sum(follows.get(one) == other for one, other in pairwise(cards))
        expected += (len(cards) - 1) / len(cards)
    chance = at_least_by_poisson(seen, expected) if len(pairs) >= FEWEST else None
    return Measure("neighbours", len(pairs), seen, expected, chance)


def _rising(pairs: Sequence[tuple[Cards, Cards]]) -> Measure:
    """Rising sequences: runs of cards in the order that they had before. Mean (n + 1)/2, variance (n + 1)/12 a deal.

    Too few are what a shuffle that was broken off leaves, too many what one that turned the pack round does.
    """
    seen, expected, variance = 0, 0.0, 0.0
    for cards, before in pairs:
        place = {card: position for position, card in enumerate(cards)}
        seen += 1 + sum(place[one] > place[other] for one, other in pairwise(before))
        expected += (len(cards) + 1) / 2
        variance += (len(cards) + 1) / 12
    return Measure("rising", len(pairs), seen, expected, _both_ways(seen - expected, variance, len(pairs)))


def _likeness(pairs: Sequence[tuple[Cards, Cards]]) -> Measure:
    """Likeness to the deal before: Spearman's correlation of places. Mean 0, variance 1/(n - 1) a deal."""
    seen, variance = 0.0, 0.0
    for cards, before in pairs:
        size = len(cards)
        was = {card: position for position, card in enumerate(before)}
        apart = sum((position - was[card]) ** 2 for position, card in enumerate(cards))
        seen += 1 - 6 * apart / (size * (size * size - 1))
        variance += 1 / (size - 1)
    return Measure("likeness", len(pairs), seen, 0.0, _both_ways(seen, variance, len(pairs)))


def heat_of(deals: Sequence[Cards]) -> Sequence[tuple[str, Sequence[float]]]:
    """Return by rank how far from expected the count of each position is, in standard deviations."""
    size = min(map(len, deals))
    ranks = sorted({card[0] for cards in deals for card in cards}, key="23456789TJQKA".index)
    counts = Counter((position, card[0]) for cards in deals for position, card in enumerate(cards[:size]))
    expected = len(deals) / len(ranks)
    spread = sqrt(expected * (1 - 1 / len(ranks)))
    return [(rank, [(counts[position, rank] - expected) / spread for position in range(size)]) for rank in ranks]


# Chances


def _both_ways(difference: float, variance: float, deals: int) -> float | None:
    return erfc(abs(difference) / sqrt(2 * variance)) if deals >= FEWEST else None


def at_least_by_poisson(seen: int, mean: float) -> float:
    """Return the chance that a Poisson count is at least so large."""
    if seen <= 0:
        return 1.0
    if seen > mean:
        # From the tail, so that a rare one keeps its figures.
        terms: list[float] = []
        term, count = exp(seen * log(mean) - mean - lgamma(seen + 1)), seen
        while term > 1e-18 * (terms[0] if terms else term) and term > 0:
            terms.append(term)
            count += 1
            term *= mean / count
        return min(1.0, fsum(terms))
    return 1 - fsum(exp(count * log(mean) - mean - lgamma(count + 1)) for count in range(seen))


def chance_of_chi_square(value: float, freedom: int) -> float:
    """Return the chance that chi-square is at least so large; a finite sum for whole and for half degrees."""
    half = value / 2
    if half <= 0:
        return 1.0
    if freedom % 2 == 0:
        places: Iterable[float] = range(freedom // 2)
        start = 0.0
    else:
        places = (place + 0.5 for place in range(freedom // 2))
        start = erfc(sqrt(half))
    return min(1.0, start + fsum(exp(place * log(half) - half - lgamma(place + 1)) for place in places))
