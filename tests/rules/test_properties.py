"""What holds for every deal whatever is dealt and staked: found by playing random deals of every game and house."""

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tables import tablelog
from tables.rules.cards import CARDS, RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.events import CorrectCards, Event
from tables.rules.refusals import Refusal
from tables.rules.table import TableState
from tests.rules.floor import TERMS

FRACTIONS = st.sampled_from(["0", "1/3", "1/2", "1"])
HOUSES: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "stuss": st.fixed_dictionaries(
        {}, optional={"secondary_bets": st.booleans(), "deal_from": st.sampled_from(["shoe", "hand"])}
    ),
    "private": st.fixed_dictionaries({}, optional={"deck": st.sampled_from([52, 36, 32])}),
    "stos": st.fixed_dictionaries(
        {},
        optional={
            "two_hits": st.sampled_from(["sequence", "opening"]),
            "half_win": st.sampled_from(["close", "ride"]),
            "half_win_reduced": st.sampled_from(["grow", "restore", "pay"]),
        },
    ),
    "pharaon": st.fixed_dictionaries(
        {},
        optional={
            "deck": st.sampled_from([52, 36, 32]),
            "split_take": st.sampled_from(["1", "1/2"]),
            "last_card_void": st.booleans(),
            "thirds": st.booleans(),
            "half_stake": st.booleans(),
            "bonus": FRACTIONS,
            "positions": st.dictionaries(st.integers(1, 32).map(str), FRACTIONS, max_size=4),
        },
    ),
}
AMOUNTS = st.sampled_from(["3", "5", "7", "8", "30", "-"])


@st.composite
def sessions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A table and one deal of it: bets before each turn, cards from a shuffled shoe, the deeds that games have."""
    game = draw(st.sampled_from(sorted(HOUSES)))
    rules = {"fractions": draw(st.sampled_from(["player", "house"])), **draw(HOUSES[game])}
    bank = draw(st.none() | st.integers(20, 400))
    banker = {} if bank is None else {"banker": {"bank": str(bank)}}
    lowest = {36: 4, 32: 5}.get(rules.get("deck", 52), 0)
    shoe = draw(st.permutations([card for card in CARDS if card.rank >= lowest]))
    lines: list[dict[str, Any]] = [
        {"type": "table", "game": game, **TERMS, "min": "3", "rules": rules, **banker},
        {"type": "deal", "deal": "1"},
    ]
    names = 0
    for turn in range(draw(st.integers(1, len(shoe) // 2))):
        for _ in range(draw(st.integers(0, 3))):
            names += 1
            lines.append(_bet(draw, game, bool(rules.get("thirds")), f"b{names}"))
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(_deeds(names, turn))))
        lines += [{"type": "card", "card": card.text} for card in shoe[2 * turn : 2 * turn + 2]]
        if turn == 0:
            lines += [{"type": "reveal", "bet": f"b{n}", "card": draw(_card_texts)} for n in range(1, names + 1)]
    last = [card.text for card in shoe[-4:]]
    lines += [{"type": "pocket", "cards": last}, {"type": "end"}]
    if draw(st.booleans()):
        lines.append({"type": "misdeal", "reason": "a card lay open"})
    return lines


_card_texts = st.sampled_from([card.text for card in CARDS])


def _bet(draw: st.DrawFn, game: str, thirds: bool, name: str) -> dict[str, Any]:
    bet: dict[str, Any] = {"type": "bet", "bet": name, "seat": draw(st.integers(1, 3))}
    amount = draw(AMOUNTS)
    if amount != "-":
        bet["amount"] = amount
    kinds = ["rank", "rank", {"stos": "suit", "pharaon": "card", "private": "sealed"}.get(game, "rank")]
    kind = "card" if thirds else draw(st.sampled_from(kinds))
    if kind == "card":
        bet["card"] = draw(_card_texts)
    elif kind != "sealed":
        bet[kind] = draw(st.sampled_from(RANKS if kind == "rank" else SUITS))
    return bet


def _deeds(names: int, turn: int) -> list[dict[str, Any]]:
    last = f"b{max(names, 1)}"
    return [
        {"type": "withdraw", "bet": last},
        {"type": "refuse", "bet": last},
        {"type": "cut"},
        {"type": "paroli", "bet": f"p{turn}", "of": "b1"},
        {"type": "paroli", "bet": f"p{turn}", "of": f"p{turn - 1}"},
    ]


def _accepted(lines: list[dict[str, Any]]) -> tuple[TableState, list[Event]]:
    """Play a session; what is refused is left out."""
    state = TableState()
    accepted: list[Event] = []
    for line in lines:
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        try:
            state.apply(event)
        except Refusal:
            continue
        accepted.append(event)
    return state, accepted


PLAYED = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@PLAYED
@given(sessions())
def test_a_card_never_comes_out_more_often_than_it_went_in(lines: list[dict[str, Any]]) -> None:
    deal = _deal(_accepted(lines)[0])
    dealt = Counter([*deal.cards, *deal.pocket])
    for card in CARDS:
        assert dealt[card] + deal.undealt[card] == (deal.shoe.copies if card.rank >= deal.shoe.lowest_rank else 0)
    assert sum(deal.undealt) == sum(deal.shoe.undealt_of_rank) == deal.shoe.size - deal.position


@PLAYED
@given(sessions())
def test_conservation_of_every_settlement_and_of_every_bet(lines: list[dict[str, Any]]) -> None:
    deal = _deal(_accepted(lines)[0])
    stands = {name: bet.amount for name, bet in deal.bets.items()}
    for each in deal.settlements:
        assert each.stake + each.paid == each.taken + each.returned + each.standing
        assert min(each.stake, each.paid, each.taken, each.returned, each.standing) >= 0
        assert each.stake == stands[each.bet], "what stood before is what stood after the settlement before"
        stands[each.bet] = each.standing
    assert stands == {name: bet.standing for name, bet in deal.bets.items()}


@PLAYED
@given(sessions())
def test_every_bet_of_a_deal_that_has_ended_is_closed(lines: list[dict[str, Any]]) -> None:
    state, _ = _accepted([*lines, {"type": "misdeal", "reason": "the night is over"}])
    deal = _deal(state)
    assert deal.finished
    assert not deal.standing
    assert {bet.standing for bet in deal.bets.values()} <= {0}
    assert {each.bet for each in deal.settlements} == set(deal.bets)


@PLAYED
@given(sessions())
def test_the_bank_s_result_is_taken_less_paid(lines: list[dict[str, Any]]) -> None:
    state, _ = _accepted(lines)
    deal = _deal(state)
    result = sum(each.taken for each in deal.settlements) - sum(each.paid for each in deal.settlements)
    if deal.bank_before is not None:
        assert state.bank == deal.bank == deal.bank_before + result
    amounts = sum(bet.amount for bet in deal.bets.values() if bet.of is None)
    parolis = sum(bet.amount for bet in deal.bets.values() if bet.of is not None)
    given_back = sum(each.returned for each in deal.settlements)
    standing = sum(bet.standing for bet in deal.standing.values())
    assert amounts + parolis - result == given_back + standing, "what the players put down less what they have lost"


@PLAYED
@given(sessions(), st.data())
def test_settling_a_prefix_and_going_on_is_settling_the_whole(lines: list[dict[str, Any]], data: st.DataObject) -> None:
    state, accepted = _accepted(lines)
    cut = data.draw(st.integers(2, len(accepted)))
    before, after = TableState(), TableState()
    for event in accepted[:cut]:
        before.apply(event)
    for event in accepted:
        after.apply(event)
    for event in accepted[cut:]:
        before.apply(event)
    whole = [each.words() for each in _deal(state).settlements]
    assert (
        [each.words() for each in _deal(before).settlements]
        == whole
        == [each.words() for each in _deal(after).settlements]
    )


@PLAYED
@given(sessions(), st.data())
def test_a_correction_that_is_undone_leaves_the_first_words(lines: list[dict[str, Any]], data: st.DataObject) -> None:
    state, _ = _accepted(lines)
    deal = _deal(state)
    if not deal.cards:
        return
    position = data.draw(st.integers(1, len(deal.cards)))
    right = data.draw(_card_texts)
    words = [each.words() for each in deal.settlements]
    was = deal.cards[position - 1].text
    try:
        state.apply(CorrectCards("wrong", {position: right}))
    except Refusal:
        assert [each.words() for each in _deal(state).settlements] == words
        return
    assert _deal(state).cards[position - 1].text == right
    state.apply(CorrectCards("it was right", {position: was}))
    assert [each.words() for each in _deal(state).settlements] == words


def _deal(state: TableState) -> Deal:
    assert state.deal is not None
    return state.deal
