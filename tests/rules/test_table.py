"""What can be read of a table while a deal runs: what an odd card will take, who sleeps, who may correct alone."""

import hashlib
import json

import pytest

from tables.rules.cards import CARDS
from tables.rules.events import BankOf, CorrectCards, DrawCard, OpenDeal, PlaceBet, Rules, UnmadeBet
from tables.rules.refusals import Code, Refusal
from tables.rules.table import TableState
from tests.rules.floor import refused, say, settled, table


def test_the_odd_card_says_what_it_will_take_before_the_even_one_is_drawn() -> None:
    state = table("stos", "deal 1; bet a 1 500 Q; bet s 1 500 /H; bet b 4 500 Q; bet t 4 600 /D; bet c 2 100 K")
    outcome = state.apply(DrawCard("QH"))
    assert [say(each) for each in outcome.takes] == [
        "1 a lose 500+0=500/0/0",
        "1 s lose 500+0=500/0/0",
        "1 b lose 500+0=500/0/0",
        "1 t half_lose 600+0=300/0/300",
    ]
    assert outcome.settlements == ()
    assert state.deal is not None
    assert [bet.standing for bet in state.deal.bets.values()] == [50000, 50000, 50000, 60000, 10000]


def test_a_split_may_spare_what_the_odd_card_seemed_to_take() -> None:
    state = table("stos", "deal 1; bet a 1 500 Q; bet s 1 500 /H; QH")
    assert [each.bet for each in state.deal.takes()] == ["a", "s"]
    assert [each.bet for each in state.apply(DrawCard("QS")).settlements] == ["a"]


def test_between_turns_nothing_is_about_to_be_taken() -> None:
    deal = table("stuss", "deal 1; bet a 1 500 Q; QC KC").deal
    assert deal is not None
    assert deal.takes() == ()


def test_a_suit_bet_sleeps_while_its_seat_has_no_rank_bet() -> None:
    deal = table("stos", "deal 1; bet a 1 500 Q; bet s 1 500 /H").deal
    assert deal is not None
    assert not deal.dormant(deal.bets["s"])
    assert not deal.dormant(deal.bets["a"])
    deal = table("stos", "deal 1; bet a 1 500 Q; bet s 1 500 /H; QC QD").deal
    assert deal is not None
    assert deal.dormant(deal.bets["s"])


def test_the_dealer_corrects_alone_only_the_odd_card_of_the_open_turn() -> None:
    deal = table("stuss", "deal 1; QC KC; 2C").deal
    assert deal is not None
    assert deal.alone(CorrectCards("misread", {3: "3C"}))
    assert deal.alone(CorrectCards("misread", {3: None}))
    assert not deal.alone(CorrectCards("misread", {3: "3C", 2: "KD"}))
    assert not deal.alone(CorrectCards("misread", {2: "KD"}))
    assert not deal.alone(UnmadeBet("never made", "a"))
    ended = table("stuss", "deal 1; QC; misdeal").deal
    assert ended is not None
    assert not ended.alone(CorrectCards("misread", {1: "3C"}))


def test_cards_taken_back_are_counted() -> None:
    deal = table("stuss", "deal 1; QC; fix 1=-; KC; fix 1=2C; fix 1=-").deal
    assert deal is not None
    assert (deal.take_backs, deal.position) == (2, 0)


def test_a_correction_gives_the_whole_deal_before_and_after() -> None:
    state = table("stuss", "deal 1; bet a 1 500 Q; bet b 2 300 K; QC KC")
    outcome = state.apply(CorrectCards("swapped", {1: "KC", 2: "QC"}))
    assert outcome.correction is not None
    assert [say(each) for each in outcome.correction.before] == ["1 a lose 500+0=500/0/0", "2 b win 300+300=0/600/0"]
    assert [say(each) for each in outcome.correction.after] == ["1 b lose 300+0=300/0/0!", "2 a win 500+500=0/1000/0!"]
    assert outcome.settlements == outcome.correction.after


def test_a_table_goes_on_from_its_terms_and_its_running_bank() -> None:
    terms = table("stuss", "deal 1; bet a 1 200 Q; 2C QC; misdeal", banker={"bank": "300"})
    assert terms.bank == 10000
    again = TableState.before_deal(terms.terms, terms.bank)
    before = again.in_deal
    again.apply(OpenDeal("2"))
    assert (before, again.in_deal) == (False, True)
    assert again.deal is not None
    assert again.deal.bank == 10000


@pytest.mark.parametrize("story", ["", "deal 1; QC; misdeal"])
def test_a_bank_put_up_anew_holds_from_the_next_deal_on(story: str) -> None:
    state = table("stuss", f"{story}; rules max=500", banker={"bank": "300"})
    assert state.bank == 30000
    state = TableState()
    with pytest.raises(Refusal):
        state.apply(OpenDeal("1"))


def test_a_correction_after_a_new_bank_leaves_the_new_bank() -> None:
    state = table("stuss", "deal 1; bet a 1 200 Q; 2C QC; misdeal", banker={"bank": "300"})
    state.apply(Rules(banker=BankOf("1000")))
    state.apply(CorrectCards("misread", {2: "KC"}))
    assert state.bank == 100000
    state.apply(Rules(banker="house"))
    assert state.bank is None


def test_limits_chip_seats_and_house_rules_change_between_deals() -> None:
    story = "rules min=50 chip=50 seats=12; deal 1; bet a 12 50 Q; QC KC"
    assert settled("stuss", story) == ["1 a lose 50+0=50/0/0"]
    state = table("stos", "deal 1; end")
    state.apply(Rules(rules={"decks": 8}))
    assert state.terms is not None
    assert state.terms.game.size == 416


def test_amounts_are_read_and_written_in_the_currency_s_own_units() -> None:
    yen = table("stuss", "deal 1; bet a 1 500 Q; QC KC", currency="JPY")
    assert yen.deal is not None
    assert [each.taken for each in yen.deal.settlements] == [500]
    assert [say(each, 0) for each in yen.deal.settlements] == ["1 a lose 500+0=500/0/0"]
    dinar = table("stuss", "deal 1; bet a 1 100.125 Q; QC KC", currency="KWD", chip="0.125", max="200")
    assert [say(each, 3) for each in dinar.deal.settlements] == ["1 a lose 100.125+0=100.125/0/0"]
    assert dinar.terms is not None
    assert dinar.terms.text(-1500) == "-1.5"


def test_ten_thousand_ways_to_write_a_stake_do_not_fill_the_memory() -> None:
    state = table("stuss", "deal 1", max="20000")
    assert state.terms is not None
    assert state.deal is not None
    for stake in range(100, 10_200):
        state.apply(PlaceBet(str(stake), 1, str(stake), "Q"))
    assert [bet.amount for bet in state.deal.bets.values()] == [stake * 100 for stake in range(100, 10_200)]
    assert len(state.terms.stakes_read[0]) == 10_000


def test_a_game_is_canonical_data_with_a_digest() -> None:
    terms = table("stos", "deal 1").terms
    assert terms is not None
    game = terms.game
    data = json.loads(game.canonical())
    assert data == game.data()
    assert data["kinds"][1]["lines"][1] == {
        "when": {"side": "odd", "split": False, "colour": "half"},
        "outcome": "half_lose",
        "take": "1/2",
        "pay": "0",
        "rest": "stands_from_minimum",
        "paid_to": "player",
        "clause": "T-8",
    }
    assert game.digest() == hashlib.sha256(game.canonical().encode()).hexdigest()
    same = table("stos", "deal 1", rules={"decks": 6}).terms
    other = table("stos", "deal 1", rules={"decks": 8}).terms
    assert same is not None
    assert other is not None
    assert same.game.digest() == game.digest() != other.game.digest()


def test_a_refusal_says_its_code_and_its_values() -> None:
    refusal = Refusal(Code.BELOW_MINIMUM, "50 is below the minimum, 100.", value="50", limit="100")
    assert str(refusal) == "below_minimum: 50 is below the minimum, 100."
    later = refusal.because_of("bet 'a'")
    assert later.code == "below_minimum"
    assert later.facts == {"value": "50", "limit": "100", "act": "bet 'a'"}


def test_a_card_reads_as_it_is_written() -> None:
    assert [repr(card) for card in CARDS[:2]] == ["Card(2C)", "Card(2D)"]
    assert [(card.rank, card.suit, card.text) for card in CARDS[-1:]] == [(12, 3, "AS")]


def test_a_card_of_an_unknown_bet_is_unknown_where_sealed_bets_are_opened() -> None:
    assert refused("private", "deal 1; fix b card=QS") == "unknown_bet"
    assert refused("stuss", "deal 1; fix b card=QS") == "not_offered"
