"""Odds against the engine: every order of the undealt cards is dealt for real, and the average is what odds say."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product
from math import isqrt
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tables import stats, tablelog
from tables.rules import games, house_rules, odds
from tables.rules.cards import CARDS, RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.events import Act, DrawCard, Paroli, PlaceBet, Reveal, ShowPocket, Table
from tables.rules.odds import ImpossibleShoeError, Step, TurnOdds
from tables.rules.paytable import Game
from tables.rules.refusals import Refusal
from tables.rules.table import TableState
from tables.rules.terms import Terms, open_terms
from tests.rules.floor import events, ranks, table

# Each example deals a turn in every possible way, thousands of times.
EVERY_WAY = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.jsonl"))
KINGS = ["KC", "KD", "KH", "KS"]
FIGURES = ("win", "lose", "split", "pocket", "push", "edge", "variance")


def game_of(code: str, **rules: Any) -> Game:
    return games.build(house_rules.parse(code, rules))


def terms_of(code: str, minimum: str = "1", **rules: Any) -> Terms:
    # The yen has no minor units, so a chip of 1 is the smallest amount there is and every fraction is rounded.
    return open_terms(Table("T1", code, "JPY", minimum, "1000000", "1", rules=rules))


def cards(text: str) -> list[Act]:
    return [DrawCard(card) for card in text.split()]


def dealt(terms: Terms, acts: Iterable[Act]) -> Deal:
    deal = Deal(terms, "1", None)
    for act in acts:
        deal.apply(act)
    return deal


# -- a rank bet left standing, against all orders of what is left of a real deck


def all_orders(terms: Terms, acts: list[Act], left: str, bet: str) -> dict[str, Fraction]:
    """Deal the cards left in every order and return what becomes of a bet, as BetOdds says it."""
    found = dict.fromkeys(FIGURES, Fraction(0))
    orders = list(permutations(left.split()))
    square = Fraction(0)
    for order in orders:
        deal = dealt(terms, acts)
        stake = deal.bets[bet].standing
        for card in order:
            if bet not in deal.standing:
                break
            if deal.position == terms.game.played:
                deal.apply(ShowPocket(order[-4:]))
            else:
                deal.apply(DrawCard(card))
        (made,) = [each for each in deal.settlements if each.bet == bet]
        gain = Fraction(made.taken - made.paid, stake)
        found[made.outcome] += Fraction(1, len(orders))
        found["edge"] += gain / len(orders)
        square += gain * gain / len(orders)
    found["variance"] = square - found["edge"] ** 2
    return found


def figures(game: Game, undealt: int | None = None, copies: int | None = None) -> dict[str, Fraction]:
    bet = odds.rank_bet_odds(game, undealt, copies)
    return {name: getattr(bet, name) for name in FIGURES}


@pytest.mark.parametrize("copies", [1, 2, 3, 4])
@pytest.mark.parametrize("rules", [{}, {"deal_from": "hand"}], ids=["S-6-pocket", "S-8-hand"])
def test_stuss_odds_are_the_average_over_all_orders_of_the_last_six_cards(rules: dict[str, str], copies: int) -> None:
    terms = terms_of("stuss", **rules)
    left = [*KINGS[:copies], *["AC", "AD", "AH", "AS", "QS"][: 6 - copies]]
    gone = " ".join(card.text for card in CARDS if card.text not in left)
    acts = [*cards(gone), PlaceBet("a", 1, "60", rank="K")]
    assert all_orders(terms, acts, " ".join(left), "a") == figures(terms.game, 6, copies)


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"split_take": "1/2"},
        {"split_take": "1/2", "last_card_void": True},
        {
            "positions": {
                "27": "1/2",
                "28": "2",
                "29": {"side": "win", "times": "1/3"},
                "30": {"side": "lose", "times": "1"},
            }
        },
        {"thirds": True, "split_take": "1/2", "last_card_void": True},
        {"thirds": True, "last_card_void": True, "positions": {"31": {"side": "win", "times": "3"}, "28": "0"}},
    ],
    ids=["F-3", "F-3-half", "F-4", "F-5", "F-6-F-4", "F-6-F-5-F-4"],
)
def test_pharaon_odds_are_the_average_over_all_orders_of_the_last_six_cards(rules: dict[str, Any]) -> None:
    terms = terms_of("pharaon", deck=32, **rules)
    acts = [PlaceBet("a", 1, "3600", card="KH"), *cards(ranks("7", "Q")), *cards("AC AD")]
    assert all_orders(terms, acts, "KC KD KH KS AH AS", "a") == figures(terms.game, 6, 4)


@pytest.mark.parametrize("copies", [1, 2, 3])
def test_a_paroli_has_the_odds_of_the_copies_that_are_left(copies: int) -> None:
    terms = terms_of("pharaon", deck=32, split_take="1/2", last_card_void=True)
    others = [*ranks("7", "Q").split(), "AC", "AD", "AH", "AS"]
    won, left = KINGS[: 4 - copies], KINGS[4 - copies :]
    acts: list[Act] = [PlaceBet("p0", 1, "100", rank="K")]
    for number, king in enumerate(won, 1):
        acts += [DrawCard(others.pop()), DrawCard(king), Paroli(f"p{number}", f"p{number - 1}")]
    gone, other = others[: 26 - 2 * len(won)], others[26 - 2 * len(won) :]
    acts += cards(" ".join(gone))
    assert all_orders(terms, acts, " ".join(left + other), f"p{len(won)}") == figures(terms.game, 6, copies)


def test_private_odds_are_the_average_over_all_orders_of_the_last_six_cards() -> None:
    terms = terms_of("private", deck=36)
    acts = [PlaceBet("a", 1, "100", rank="K"), *cards(ranks("6", "Q")), *cards("AS AH")]
    assert all_orders(terms, acts, "KC KD KH KS AC AD", "a") == figures(terms.game, 6, 4)


def test_stos_odds_are_the_average_over_all_orders_of_the_last_six_cards() -> None:
    terms = terms_of("stos")
    left = "KC KC KD AC AC AS"
    gone = [card.text for card in CARDS for _ in range(6)]
    for card in left.split():
        gone.remove(card)
    acts = [*cards(" ".join(gone)), PlaceBet("a", 1, "100", rank="K")]
    assert all_orders(terms, acts, left, "a") == figures(terms.game, 6, 3)


# -- one turn, against every pair of cards that can come


def every_pair(deal: Deal, opened: dict[str, str]) -> tuple[TurnOdds, dict[int, int]]:
    """Deal the next turn in every way the casekeep allows, sealed bets then opened with their cards."""
    law: dict[int, int] = {}
    counts = deal.undealt
    before = sum(each.taken - each.paid for each in deal.settlements)
    for odd, even in product(CARDS, CARDS):
        ways = counts[odd] * (counts[even] - (odd == even))
        if ways:
            after = dealt(deal.terms, [*deal.acts, DrawCard(odd.text), DrawCard(even.text)])
            for name, card in opened.items():
                after.apply(Reveal(name, card))
            gain = sum(each.taken - each.paid for each in after.settlements) - before
            law[gain] = law.get(gain, 0) + ways
    return moments(law), law


def moments(law: dict[int, int]) -> TurnOdds:
    total = sum(law.values())
    expectation = Fraction(sum(gain * ways for gain, ways in law.items()), total)
    return TurnOdds(
        expectation, Fraction(sum(gain * gain * ways for gain, ways in law.items()), total) - expectation**2
    )


def next_turn(deal: Deal, opened: dict[str, str]) -> tuple[TurnOdds, dict[int, int]]:
    named = {name: (RANKS.index(card[0]), SUITS.index(card[1])) for name, card in opened.items()}
    asked = (deal.terms, list(deal.standing.values()), deal.undealt, deal.position + 1, named)
    return odds.turn_expectation(*asked), odds.turn_law(*asked)


def offer(deal: Deal, act: Act) -> None:
    """Let the dealer take it or refuse it."""
    try:
        deal.apply(act)
    except Refusal:
        return


def draw_turns(deal: Deal, dice: Random, turns: int) -> None:
    for _ in range(2 * turns):
        offer(deal, DrawCard(dice.choice(CARDS).text))
    if deal.turn_open:
        deal.apply(DrawCard(next(card.text for card in CARDS if deal.undealt[card])))


fractions = st.sampled_from(["player", "house"])


@settings(EVERY_WAY, max_examples=3)
@given(
    dice=st.randoms(use_true_random=False),
    turns=st.integers(0, 18),
    rules=st.fixed_dictionaries(
        {
            "fractions": fractions,
            "two_hits": st.sampled_from(["sequence", "opening"]),
            "half_win": st.sampled_from(["close", "ride"]),
            "half_win_reduced": st.sampled_from(["grow", "restore", "pay"]),
        }
    ),
)
def test_a_turn_of_stos_is_expected_as_every_pair_of_cards_settles_it(
    dice: Random, turns: int, rules: dict[str, Any]
) -> None:
    deal = dealt(terms_of("stos", minimum="2", **rules), [])
    for round_of_bets in range(3):
        for seat in range(1, 4):
            for rank in dice.sample(RANKS, 3):
                offer(deal, PlaceBet(f"r{round_of_bets}{seat}{rank}", seat, str(dice.randint(2, 19)), rank=rank))
            offer(deal, PlaceBet(f"s{round_of_bets}{seat}", seat, str(dice.randint(2, 19)), suit=dice.choice(SUITS)))
        draw_turns(deal, dice, turns // 3 if round_of_bets < 2 else dice.randint(0, 2))
    assert next_turn(deal, {}) == every_pair(deal, {})


@EVERY_WAY
@given(
    dice=st.randoms(use_true_random=False),
    turns=st.sampled_from([0, 0, 1, 4, 14, 15]),
    rules=st.fixed_dictionaries(
        {
            "fractions": fractions,
            "deck": st.sampled_from([32, 36]),
            "split_take": st.sampled_from(["1", "1/2"]),
            "last_card_void": st.booleans(),
            "thirds": st.booleans(),
            "half_stake": st.booleans(),
            "bonus": st.sampled_from(["0", "1/2"]),
            "positions": st.sampled_from([{}, {"2": "3/2", "29": "1/3", "31": {"side": "win", "times": "2/3"}}]),
        }
    ),
)
def test_a_turn_of_pharaon_is_expected_as_every_pair_of_cards_settles_it(
    dice: Random, turns: int, rules: dict[str, Any]
) -> None:
    deal = dealt(terms_of("pharaon", **rules), [])
    deck = [card.text for card in CARDS if deal.undealt[card]]
    for number in range(5):
        offer(deal, PlaceBet(f"b{number}", 1, str(dice.randint(1, 99)), card=dice.choice(deck)))
    opened = {f"sealed{number}": dice.choice(deck) for number in range(2)} if not turns else {}
    for name in opened:
        offer(deal, PlaceBet(name, 2, str(dice.randint(1, 99))))
    draw_turns(deal, dice, turns)
    assert next_turn(deal, opened) == every_pair(deal, opened)


@EVERY_WAY
@given(
    dice=st.randoms(use_true_random=False),
    turns=st.integers(0, 22),
    rules=st.sampled_from([{}, {"deal_from": "hand"}, {"secondary_bets": False}]),
)
def test_a_turn_of_stuss_is_expected_as_every_pair_of_cards_settles_it(
    dice: Random, turns: int, rules: dict[str, Any]
) -> None:
    deal = dealt(terms_of("stuss", **rules), [])
    draw_turns(deal, dice, turns)
    for number in range(6):
        offer(deal, PlaceBet(f"b{number}", 1, str(dice.randint(1, 99)), rank=dice.choice(RANKS)))
    assert next_turn(deal, {}) == every_pair(deal, {})


@pytest.mark.parametrize("reduced", ["grow", "restore", "pay"])
@pytest.mark.parametrize("two_hits", ["sequence", "opening"])
def test_a_suit_bet_halved_twice_is_expected_as_every_pair_of_cards_settles_it(two_hits: str, reduced: str) -> None:
    terms = terms_of("stos", two_hits=two_hits, half_win_reduced=reduced)
    acts: list[Act] = [PlaceBet("k", 1, "9", rank="K"), PlaceBet("q1", 1, "9", rank="Q")]
    acts += [PlaceBet("s", 1, "9", suit="H"), PlaceBet("other", 2, "9", rank="A")]  # aces do not touch seat 1's suit
    acts += [*cards("QD 3C"), PlaceBet("q2", 1, "9", rank="Q"), *cards("QD 3C"), PlaceBet("q3", 1, "9", rank="Q")]
    deal = dealt(terms, acts)
    assert list(deal.bets["s"].halvings) == [4, 2]
    assert next_turn(deal, {}) == every_pair(deal, {})


@pytest.mark.parametrize("won", ["KC KD", "KC KD KH"])
def test_the_last_turn_is_expected_as_every_pair_of_cards_settles_it(won: str) -> None:
    # Only a paroli can still stand there: two kings left, or one and an ace. Rules: F-4.
    terms = terms_of("pharaon", deck=32, last_card_void=True, split_take="1/2")
    others = [*ranks("7", "Q").split(), "AC", "AD", "AH"]
    acts: list[Act] = [PlaceBet("p0", 1, "100", rank="K")]
    for number, king in enumerate(won.split(), 1):
        acts += [DrawCard(others.pop()), DrawCard(king), Paroli(f"p{number}", f"p{number - 1}")]
    left = ["AS"] if len(won.split()) == 2 else []
    filling = [*others, *left]
    deal = dealt(terms, [*acts, *cards(" ".join(filling[: 30 - 2 * len(won.split())]))])
    assert (deal.position, len(deal.standing)) == (30, 1)
    assert next_turn(deal, {}) == every_pair(deal, {})


@given(
    rules=st.fixed_dictionaries(
        {
            "split_take": st.sampled_from(["1", "1/2"]),
            "last_card_void": st.booleans(),
            "half_stake": st.booleans(),
            "bonus": st.sampled_from(["0", "1/2", "2"]),
            "positions": st.dictionaries(
                st.integers(1, 26).map(lambda turn: str(2 * turn)), st.sampled_from(["0", "1/2", "2"]), max_size=5
            ),
        }
    ),
    turn=st.integers(0, 24),
    copies=st.integers(1, 4),
)
def test_the_edge_until_settled_is_the_next_turn_and_then_the_edge_that_follows(
    rules: dict[str, Any], turn: int, copies: int
) -> None:
    # From any point of a deck of 52: what the turn brings, and if it brought nothing, the same with two cards fewer.
    terms, undealt = terms_of("pharaon", **rules), 52 - 2 * turn
    if undealt - copies < 2:
        return
    counts = [0] * 52
    counts[0], counts[4] = copies, undealt - copies
    deal = dealt(terms, [PlaceBet("a", 1, "10000", rank="2")])
    now = odds.turn_expectation(terms, deal.standing.values(), counts, 2 * turn + 1)
    nothing = Fraction((undealt - copies) * (undealt - copies - 1), undealt * (undealt - 1))
    later = odds.rank_bet_odds(terms.game, undealt - 2, copies).edge
    assert odds.rank_bet_odds(terms.game, undealt, copies).edge == now.expectation / 10000 + nothing * later


@given(
    code=st.sampled_from(["stuss", "private", "stos", "pharaon"]), undealt=st.integers(2, 26), copies=st.integers(1, 4)
)
def test_the_chances_of_a_rank_bet_add_up_to_one(code: str, undealt: int, copies: int) -> None:
    if 2 * undealt >= max(copies, 4):
        assert sum(list(figures(game_of(code), 2 * undealt, copies).values())[:5]) == 1


def test_with_the_last_card_void_a_bet_is_pushed_when_its_only_copy_lies_last() -> None:
    assert figures(game_of("pharaon", last_card_void=True), 10, 1) == {
        "win": Fraction(4, 10),
        "lose": Fraction(5, 10),
        "split": 0,
        "pocket": 0,
        "push": Fraction(1, 10),
        "edge": Fraction(1, 10),
        "variance": Fraction(9, 10) - Fraction(1, 100),
    }


def test_thirds_count_seven_twelfths_on_average() -> None:
    edge = figures(game_of("pharaon"))["edge"]
    assert figures(game_of("pharaon", thirds=True))["edge"] == edge * Fraction(7, 12)


@pytest.mark.parametrize(
    ("undealt", "copies", "says"),
    [
        (52, 5, "A shoe of stuss holds 1 to 4 undealt copies of a rank, not 5."),
        (52, 0, "A shoe of stuss holds 1 to 4 undealt copies of a rank, not 0."),
        (51, 4, "Between two turns an even number of cards is undealt, not 51."),
        (54, 4, "The shoe of stuss holds 52 cards, not 54."),
        (2, 1, "The last 4 cards are shown at once: 2 are never undealt."),
    ],
)
def test_odds_of_a_shoe_that_cannot_be_are_refused(undealt: int, copies: int, says: str) -> None:
    with pytest.raises(ImpossibleShoeError) as refusal:
        odds.rank_bet_odds(game_of("stuss"), undealt, copies)
    assert str(refusal.value) == says


def test_three_copies_are_not_among_two_cards() -> None:
    with pytest.raises(ImpossibleShoeError) as refusal:
        odds.rank_bet_odds(game_of("pharaon"), 2, 3)
    assert str(refusal.value) == "3 copies cannot be among 2 undealt cards."


# -- the suit bet of casino Stos


@pytest.mark.parametrize("two_hits", ["sequence", "opening"])
@pytest.mark.parametrize("chips", [1, 2, 7, 10])
@pytest.mark.parametrize("ranks_bet", ["Q", "QK", "QKA"])
def test_the_next_turn_of_a_new_suit_bet_is_what_the_table_would_expect_of_it(
    two_hits: str, chips: int, ranks_bet: str
) -> None:
    terms = terms_of("stos", two_hits=two_hits)
    beside = [PlaceBet(rank, 1, str(chips), rank=rank) for rank in ranks_bet]
    with_suit, _law = next_turn(dealt(terms, [*beside, PlaceBet("s", 1, str(chips), suit="H")]), {})
    without, _law = next_turn(dealt(terms, beside), {})
    suit = odds.suit_bet_odds(terms.game, ranks=len(ranks_bet), amount=chips)
    assert suit.next_turn == (with_suit.expectation - without.expectation) / chips


def test_a_suit_bet_of_one_chip_favours_the_player_by_a_third_of_it() -> None:
    # Odd: full +1, half 0 and it stands; even: full -1, half -1 and it is closed. V = (1 + V - 1 - 1) / 4 of a touch.
    bet = odds.suit_bet_odds(game_of("stos"), amount=1)
    assert (bet.life, bet.favours) == (Fraction(-1, 3), "player")


def test_rounded_for_the_house_one_chip_favours_the_bank() -> None:
    # Odd: full +1, half +1 and nothing stands; even: full -1, half nothing and it is closed.
    bet = odds.suit_bet_odds(game_of("stos", fractions="house"), amount=1)
    assert (bet.life, bet.favours) == (Fraction(1, 4), "bank")


def test_a_suit_bet_of_two_chips_that_pays_when_reduced_loses_the_bank_a_twelfth_of_a_chip() -> None:
    # At two: fair itself, with 1/4 down to one chip; there V = -1/3 as above, since a reduced win is closed too.
    assert odds.suit_bet_odds(game_of("stos", half_win_reduced="pay"), amount=2).life == Fraction(-1, 12) / 2


def test_a_half_below_the_minimum_goes_back_and_the_bet_is_fair() -> None:
    assert odds.suit_bet_odds(game_of("stos"), amount=10, minimum=10).life == 0


@pytest.mark.parametrize("half_win", ["close", "ride"])
@pytest.mark.parametrize("reduced", ["grow", "pay"])
def test_a_suit_bet_that_every_half_divides_is_fair_touch_by_touch(half_win: str, reduced: str) -> None:
    game = game_of("stos", half_win=half_win, half_win_reduced=reduced)
    assert odds.suit_bet_odds(game).life == 0


@pytest.mark.parametrize(("half_win", "kept"), [("close", 0), ("ride", 1)])
def test_restoring_favours_the_player_by_the_square_root_that_the_touches_give(half_win: str, kept: int) -> None:
    # After j halvings 4 f(j) = f(j+1) + f(j-1) - 2^-(j+1), so f(j) = c r^j - 2^-j / 3 with r = 2 - sqrt(3), and at
    # the original amount 4 f(0) = f(1), or f(1) + f(0) where the bet rides on.
    root = 2 - Fraction(isqrt(3 * 10**60), 10**30)
    at_start = 4 - kept
    c = (Fraction(at_start, 3) - Fraction(1, 6)) / (at_start - root)
    bet = odds.suit_bet_odds(game_of("stos", half_win=half_win, half_win_reduced="restore"))
    assert abs(bet.life - (c - Fraction(1, 3))) < Fraction(1, 10**18)
    assert bet.favours == "player"


def test_in_sequence_a_turn_that_touches_twice_is_the_banks_gain_and_with_opening_nobodys() -> None:
    sequence = odds.suit_bet_odds(game_of("stos"), ranks=2)
    # Both touch with 48 * 24 of 312 * 311 ordered pairs: the odd card wins 3/8, the even one then 3/8 of 5/8 less.
    assert sequence.next_turn == Fraction(48 * 24, 312 * 311) * (Fraction(3, 8) - Fraction(3, 8) * Fraction(5, 8))
    assert sequence.favours == "bank"
    assert odds.suit_bet_odds(game_of("stos", two_hits="opening"), ranks=2).favours == "neither"


def test_a_suit_bet_needs_room_for_its_ranks_and_its_minimum() -> None:
    with pytest.raises(ImpossibleShoeError, match="2 ranks of 4 copies cannot be among 6 undealt cards"):
        odds.suit_bet_odds(game_of("stos"), 6, 4, ranks=2)
    with pytest.raises(ImpossibleShoeError, match="A suit bet of 3 chips cannot stand at a minimum of 4"):
        odds.suit_bet_odds(game_of("stos"), amount=3, minimum=4)


# -- a deal on record


def steps(game: str, story: str, **terms: Any) -> list[Step]:
    deal = table(game, story, currency="JPY", **terms).deal
    assert deal is not None
    return odds.deal_steps(deal)


def test_a_turn_expects_the_split_and_says_what_it_brought() -> None:
    # 500 on queens: 4 * 3 of 52 * 51 pairs split them; 4 * 48 touch them odd, as many even.
    (step,) = steps("stuss", "deal 1; bet a 1 500 Q; 3C QD; 4C")
    split = Fraction(500, 221)
    touched = Fraction(500**2 * (12 + 2 * 4 * 48), 52 * 51)
    assert step == Step(1, 2, False, 52, split, touched - split**2, Fraction(3, 51), False, -500)


def test_a_sealed_bet_is_expected_with_the_card_it_was_opened_with() -> None:
    open_bet = steps("pharaon", "deal 1; bet a 1 500 Q; 3C QD; 4C 5C")
    assert steps("pharaon", "deal 1; bet a 1 500 ?; 3C QD; reveal a QS; 4C 5C") == open_bet
    assert open_bet[0].actual == -500


def test_a_bet_that_was_never_opened_counts_nothing() -> None:
    assert steps("pharaon", "deal 1; bet a 1 500 ?; 3C QD; misdeal") == [
        Step(1, 2, False, 52, Fraction(0), Fraction(0), Fraction(3, 51), False, 0)
    ]


def test_a_corrected_deal_is_expected_as_corrected() -> None:
    fixed = steps("stuss", "deal 1; bet a 1 500 Q; 3C QD; fix 2=KD; fix a amount=200")
    assert fixed == steps("stuss", "deal 1; bet a 1 200 Q; 3C KD")


def test_a_dormant_suit_bet_is_expected_to_do_nothing() -> None:
    turns = steps("stos", "deal 1; bet a 1 500 Q; bet s 1 500 /H; 3C QD; 5C 6C; end")
    # Of 310 cards every rank is 24 times there, but for those of the first two, 23.
    split = Fraction(11 * 24 * 23 + 2 * 23 * 22, 310 * 309)
    assert turns[1:] == [Step(2, 4, False, 310, Fraction(0), Fraction(0), split, False, 0)]


def test_the_pocket_is_one_more_step_that_takes_what_it_takes() -> None:
    story = f"deal 1; {ranks('2', 'Q')}; KC KD; bet a 1 300 A; KH KS; pocket AC AD AH AS"
    last_turn, pocket = steps("stuss", story)[-2:]
    # Of the six cards left four are aces: 12 of 30 pairs split them.
    assert (last_turn.turn, last_turn.expectation, last_turn.actual) == (24, Fraction(120), 0)
    assert pocket == Step(25, 52, True, 4, Fraction(300), Fraction(0), Fraction(0), False, 300)


@pytest.mark.parametrize("game", ["stuss", "pharaon"])
def test_the_steps_of_a_deal_followed_act_by_act_are_those_of_the_deal_looked_at_once(game: str) -> None:
    on_cards = "bet s 2 300 ?; " if game == "pharaon" else ""
    opened = "reveal s 7D; " if game == "pharaon" else ""
    story = f"deal 1; bet a 1 500 Q; {on_cards}bet b 2 200 K; 3C QD; {opened}4C 4D; KH"
    state, followed, seen = TableState(), None, []
    for event in events(game, story, currency="JPY"):
        played = tablelog.parse_object(event)
        assert not isinstance(played, tablelog.FloorEvent)
        state.apply(played)
        if state.deal is not None:
            followed = followed or odds.DealSteps(state.deal)
            seen.append(followed.steps())
    assert seen[-1] == steps(game, story)
    assert [step.split for step in seen[-1]] == [False, True]
    assert odds.DealSteps(state.deal, seen[-1][:1]).steps() == seen[-1]


def test_what_a_turn_could_expect_is_certain_once_no_bet_on_the_table_is_sealed() -> None:
    story = "deal 1; bet s 2 300 ?; bet b 2 200 K; 3C QD"
    found = [odds.DealSteps(table("pharaon", acts).deal).certain for acts in (story, f"{story}; reveal s 7D")]
    assert found == [False, True]


@EVERY_WAY
@given(dice=st.randoms(use_true_random=False))
def test_the_steps_of_a_deal_add_up_to_its_result(dice: Random) -> None:
    deal = dealt(terms_of("stuss"), [])
    shoe = list(CARDS)
    dice.shuffle(shoe)
    for turn in range(24):
        for number in range(3):
            offer(deal, PlaceBet(f"b{turn}{number}", 1, str(dice.randint(1, 99)), rank=dice.choice(RANKS)))
        deal.apply(DrawCard(shoe[2 * turn].text))
        deal.apply(DrawCard(shoe[2 * turn + 1].text))
    deal.apply(ShowPocket(tuple(card.text for card in shoe[48:])))
    found = odds.deal_steps(deal)
    assert [step.position for step in found] == [*range(2, 50, 2), 52]
    assert sum(step.actual for step in found) == sum(each.taken - each.paid for each in deal.settlements)
    assert all(step.expectation >= 0 for step in found)


# -- z


@given(
    actual=st.integers(-(10**9), 10**9),
    expectation=st.fractions(-(10**6), 10**6, max_denominator=2652),
    variance=st.fractions(Fraction(1, 100), 10**12, max_denominator=2652),
)
def test_z_is_right_to_half_of_its_last_digit(actual: int, expectation: Fraction, variance: Fraction) -> None:
    z = stats.z(actual, expectation, variance)
    assert z is not None
    above, difference = abs(Fraction(z)), abs(actual - expectation)
    half = Fraction(1, 200)
    assert max(above - half, Fraction(0)) ** 2 * variance <= difference**2 < (above + half) ** 2 * variance
    assert (z < 0) <= (actual < expectation)


def test_z_of_what_could_not_vary_is_none() -> None:
    assert stats.z(300, Fraction(300), Fraction(0)) is None
    assert stats.z(-7, Fraction(1), Fraction(16)) == Decimal("-2.00")


# -- the example logs


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_the_steps_of_a_log_bring_what_its_deals_settled(case: Path) -> None:
    state = TableState()
    deals: dict[str, Deal] = {}
    for line in case.read_text(encoding="utf-8").splitlines():
        try:
            event = tablelog.parse_line(line)
            assert not isinstance(event, tablelog.FloorEvent)
            state.apply(event)
        except Refusal:
            break
        if state.deal is not None:
            deals[state.deal.name] = state.deal
    for deal in deals.values():
        found = odds.deal_steps(deal)
        assert [moments(law) for law in odds.deal_laws(deal)] == [
            TurnOdds(step.expectation, step.variance) for step in found
        ]
        assert sum(step.actual for step in found) == sum(each.taken - each.paid for each in deal.settlements)
        assert len(found) == len(deal.cards) // 2 + bool(deal.pocket)
        assert all(step.variance >= 0 for step in found)
