"""The floor's shorthand: a story in a few words, played by the engine, and what it settled in one line a bet.

A story is deeds separated by ";":
    deal 1 | bet a 1 500 Q | bet s 1 400 /S (a suit) | bet a 1 300 QH (a card) | bet a 1 300 ? (sealed)
    QC KD 3H (cards) | withdraw a | refuse a | cut | cut 2 | reveal a QS | paroli p a | pocket AC AD AH AS
    end | misdeal | rules min=5 | fix 1=AC 2=- (cards; - takes back) | fix a rank=K seat=2 | unmade a
    stood b 2 500 Q after 0
A bet's amount "-" is not named. A settlement reads "6 a win 500+500=0/1000/0":
position, bet, outcome, stake + paid = taken / returned / standing, with "!" where it was corrected.
"""

import re
from typing import Any

from tables import tablelog
from tables.rules.refusals import Refusal
from tables.rules.settlement import Settlement
from tables.rules.table import TableState
from tables.rules.terms import amount_text

TERMS = {"table": "T1", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"}


def events(game: str, story: str, **terms: Any) -> list[dict[str, Any]]:
    """Return a story as table-log objects."""
    lines: list[dict[str, Any]] = [{"type": "table", "game": game, **TERMS, **terms}]
    for deed in (each.split() for each in story.split(";")):
        lines += _deed(*deed) if deed else []
    return lines


def _deed(word: str, *words: str) -> list[dict[str, Any]]:
    match word:
        case "deal":
            return [{"type": "deal", "deal": words[0]}]
        case "bet":
            return [{"type": "bet", **_bet(*words)}]
        case "withdraw" | "refuse":
            return [{"type": word, "bet": words[0]}]
        case "cut":
            return [{"type": "cut", **({"seat": int(words[0])} if words else {})}]
        case "reveal":
            return [{"type": "reveal", "bet": words[0], "card": words[1]}]
        case "paroli":
            return [{"type": "paroli", "bet": words[0], "of": words[1]}]
        case "pocket":
            return [{"type": "pocket", "cards": list(words)}]
        case "end":
            return [{"type": "end"}]
        case "misdeal":
            return [{"type": "misdeal", "reason": "a card lay open"}]
        case "rules":
            return [{"type": "rules", **dict(_fields(words))}]
        case "unmade":
            return [{"type": "correct", "reason": "never made", "bet": words[0], "made": False}]
        case "stood":
            bet = _bet(*words[:4])
            return [{"type": "correct", "reason": "stood", **bet, "made": True, "after": int(words[5])}]
        case "fix" if "=" in words[0]:
            cards = {position: None if card == "-" else card for position, card in _fields(words)}
            return [{"type": "correct", "reason": "wrong card", "cards": cards}]
        case "fix":
            return [{"type": "correct", "reason": "wrong bet", "bet": words[0], **dict(_fields(words[1:]))}]
        case _:
            return [{"type": "card", "card": card} for card in (word, *words)]


def _fields(words: tuple[str, ...]) -> list[tuple[str, Any]]:
    pairs = [word.split("=") for word in words]
    return [(key, int(value) if key in ("seat", "seats") else value) for key, value in pairs]


def _bet(name: str, seat: str, amount: str, on: str) -> dict[str, Any]:
    bet: dict[str, Any] = {"bet": name, "seat": int(seat)}
    if amount != "-":
        bet["amount"] = amount
    if on.startswith("/"):
        bet["suit"] = on[1:]
    elif re.fullmatch(r"(10|.)", on) and on != "?":
        bet["rank"] = on
    elif on != "?":
        bet["card"] = on
    return bet


def table(game: str, story: str, **terms: Any) -> TableState:
    """Return the table after a story of which every deed is accepted."""
    state = TableState()
    for line in events(game, story, **terms):
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        state.apply(event)
    return state


def settled(game: str, story: str, **terms: Any) -> list[str]:
    """Return what the last deal of a story settled, one line a settlement."""
    deal = table(game, story, **terms).deal
    assert deal is not None
    return [say(each, deal.terms.digits) for each in deal.settlements]


def say(each: Settlement, digits: int = 2) -> str:
    stake, paid, taken, returned, standing = (
        amount_text(amount, digits) for amount in (each.stake, each.paid, each.taken, each.returned, each.standing)
    )
    mark = "!" if each.corrected else ""
    return f"{each.position} {each.bet} {each.outcome} {stake}+{paid}={taken}/{returned}/{standing}{mark}"


def refused(game: str, story: str, **terms: Any) -> str:
    """Return the code with which the last deed of a story is refused; all others are accepted."""
    *before, last = events(game, story, **terms)
    state = TableState()
    for line in before:
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        state.apply(event)
    untouched = _picture(state)
    try:
        event = tablelog.parse_object(last)
        assert not isinstance(event, tablelog.FloorEvent)
        state.apply(event)
    except Refusal as refusal:
        assert _picture(state) == untouched, "a refused deed leaves no trace"
        return str(refusal.code)
    return "accepted"


def _picture(state: TableState) -> object:
    """Everything that can be read of a table, to see that a refusal changed nothing."""
    deal = state.deal
    if deal is None:
        return state.terms, state.bank, None
    bets = [
        (bet.name, bet.seat, bet.rank, bet.suit, bet.standing, bet.sealed, bet.bent, tuple(bet.halvings))
        for bet in deal.bets.values()
    ]
    read = (deal.name, tuple(deal.cards), tuple(deal.undealt), deal.finished, deal.cut, deal.turn, deal.take_backs)
    return state.terms, state.bank, read, bets, [each.words() for each in deal.settlements], len(deal.acts)


def ranks(first: str, last: str) -> str:
    """Return the cards from one rank to another, all four suits of each, in order: a long story in one word."""
    order = "23456789TJQKA"
    return " ".join(rank + suit for rank in order[order.index(first) : order.index(last) + 1] for suit in "CDHS")
