"""Figures that nobody here wrote: what Montmort, De Moivre, Hoyle and Thorp computed for Pharaon and faro.

They meant: of a split the bank takes half (`split_take: 1/2`); the last card neither wins nor loses, and a split of
the last turn is lost whole (`last_card_void`, F-4). Their table counts the cards in the stock and how often the
punter's card is among them, and gives the part of the stake that the banker gains, its denominator cut to a whole.

Read for these tests:

- Hoyle: "Hoyle's Games, Improved and Enlarged", Faro, pages 60 (the rules) and 66 ("Use of the foregoing table", its
  two corollaries), http://www.childrensnursery.org.uk/hoyles-games/hoyle-games%20-%200166.htm. The table is De
  Moivre's ("Faro, Rouge et Noir ... with a Table of the Chances against the Punters, extracted from De Moivre",
  London, Debrett, 1793).
- Steinmetz: "The Gaming Table", volume 2 (1870), on faro in the 18th century, https://qeto.com/mip/article_83063.
- The Encyclopédie of Diderot and d'Alembert, "Pharaon", after Montmort: whence the banker's advantage comes.
- Thorp: "Nonrandom Shuffling with Applications to the Game of Faro", JASA 68 (1973), 842-847, its abstract.

Not at hand was the text of Montmort's "Essay d'analyse" (1708) and De Moivre's "Doctrine of Chances" (1756); of them
only the closed formulas are here, as the histories of probability report them (Todhunter 1865, Hald 1990). De
Moivre's gain on all the money adventured, £2 19s 10d per cent, is not: how he weighed the stakes is not in them.
"""

from collections.abc import Callable
from fractions import Fraction

import pytest

from tables.rules import games, odds
from tables.rules.deal import Deal
from tables.rules.events import PlaceBet, Table
from tables.rules.house_rules import PharaonRules, StosRules
from tables.rules.odds import BetOdds
from tables.rules.terms import open_terms

OLD_PHARAON = games.build(PharaonRules(split_take=Fraction(1, 2), last_card_void=True))


def gain(stock: int, times: int) -> BetOdds:
    return odds.rank_bet_odds(OLD_PHARAON, stock, times)


@pytest.mark.parametrize(("stock", "times", "part"), [(30, 2, 54), (10, 3, 12), (22, 2, 38), (8, 3, 9)])
def test_hoyle_reads_the_bankers_gain_from_his_table(stock: int, times: int, part: int) -> None:
    assert int(1 / gain(stock, times).edge) == part


def test_hoyles_first_corollary_the_fewer_cards_the_greater_the_gain() -> None:
    for times in (1, 2, 3, 4):
        gains = [gain(stock, times).edge for stock in range(52, 3, -2)]
        assert gains == sorted(set(gains))


def test_hoyles_second_corollary_twice_is_least_then_three_times_then_once_and_four_times_most() -> None:
    for stock in range(6, 53, 2):
        assert gain(stock, 2).edge < gain(stock, 3).edge < gain(stock, 1).edge < gain(stock, 4).edge


@pytest.mark.parametrize(("stock", "lose", "win", "part"), [(8, 4, 3, 7), (10, 5, 4, 9)])
def test_steinmetz_counts_the_places_where_a_single_card_loses_and_wins(
    stock: int, lose: int, win: int, part: int
) -> None:
    # "The last card was a cipher, so there were four places to lose, and only three to win": odds among those seven.
    bet = gain(stock, 1)
    assert (bet.lose, bet.win, bet.push) == (Fraction(lose, stock), Fraction(win, stock), Fraction(1, stock))
    assert bet.edge / (1 - bet.push) == Fraction(1, part)


@pytest.mark.parametrize(
    ("times", "formula"),
    [
        (1, lambda n: Fraction(1, n)),
        (2, lambda n: Fraction(n + 2, 2 * n * (n - 1))),
        (3, lambda n: Fraction(3, 4 * (n - 1))),
        (4, lambda n: Fraction(2 * n - 5, 2 * (n - 1) * (n - 3))),
    ],
)
def test_montmort_and_de_moivre_give_the_bankers_gain_in_closed_form(
    times: int, formula: Callable[[int], Fraction]
) -> None:
    assert [gain(stock, times).edge for stock in range(4, 53, 2)] == [formula(stock) for stock in range(4, 53, 2)]


def test_the_encyclopedie_says_where_the_advantage_comes_from() -> None:
    # 1: with the card once in the stock, from the last card; without that rule the game is even.
    no_void = games.build(PharaonRules(split_take=Fraction(1, 2)))
    assert odds.rank_bet_odds(no_void, 20, 1).edge == 0
    # 3: with the card twice, from the split: half the stake, and in the last turn the whole.
    bet = gain(20, 2)
    in_last_turn = Fraction(1, 190)  # both cards in the last two places, one of the 190 pairs of places
    assert bet.edge == (bet.split - in_last_turn) / 2 + in_last_turn + (bet.lose - bet.win)


def test_thorp_finds_no_losing_bet_of_modern_faro_below_0_526_per_cent() -> None:
    # One card (the soda) is burnt, then 24 turns; a bet may be withdrawn after each, so what counts is one turn: the
    # bank's gain as a share of what the turn settles. A rank is left k times among n only where 52 - n hold the rest.
    terms = open_terms(Table("T", "pharaon", "USD", "1", "1000", "1", rules={"split_take": "1/2"}))
    deal = Deal(terms, "1", None)
    deal.apply(PlaceBet("a", 1, "100", rank="2"))
    edges = {}
    for n in range(51, 4, -2):
        for k in range(max(2, 4 - (52 - n)), 5):
            counts = [k, 0, 0, 0, n - k] + [0] * 47
            turn = odds.turn_expectation(terms, deal.standing.values(), counts, 1)
            settled = 1 - Fraction((n - k) * (n - k - 1), n * (n - 1))
            edges[n, k] = turn.expectation / 10_000 / settled
    least = min(edges, key=lambda each: edges[each])
    assert (least, edges[least]) == ((49, 2), Fraction(1, 190))
    assert f"{float(edges[least]):.3%}" == "0.526%"


@pytest.mark.parametrize("decks", [6, 7, 8])
def test_casino_stos_is_quoted_with_the_split_of_a_turn_which_is_not_its_edge(decks: int) -> None:
    game = games.build(StosRules(decks=decks))
    assert f"{float(odds.split_per_turn(52 * decks, 4 * decks)):.2%}" == "0.57%"
    assert f"{float(odds.rank_bet_odds(game).edge):.1%}" == "4.0%"
