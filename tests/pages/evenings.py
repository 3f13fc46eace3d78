"""Random evenings at a table of a random game and house, as table-log objects: much that is accepted, much that is not.

The engine plays along, so that deals are played to their end and refusals of every kind happen in the middle of them.
The dice come from outside: the same dice give the same evening.
"""

from random import Random
from typing import Any

from tables import tablelog
from tables.rules.cards import CARDS, RANKS, SUIT_SIGNS, SUITS
from tables.rules.deal import Deal
from tables.rules.refusals import Refusal
from tables.rules.table import TableState

Line = dict[str, Any]
FRACTIONS = ("0", "1/3", "1/2", "2/3", "1")
MULTIPLES = ("0", "1/2", "3/2", "2", "7/3")
WORDS = ("1S", "", "Z", "10", "♠", "0", "-5", "5.001", "1e3", "9007199254740993", "00030.50")


def evening(dice: Random) -> list[Line]:
    """Return a table line and up to three deals."""
    game = dice.choice(["stuss", "private", "stos", "stos", "pharaon", "pharaon"])
    table: Line = {"type": "table", "table": "T1", "game": game, "currency": dice.choice(["RUB", "JPY", "KWD"])}
    table |= dice.choice([{"min": "3", "max": "500", "chip": "1"}, {"min": "10", "max": "90", "chip": "5"}])
    table |= {"rules": _house(dice, game), "seats": dice.choice([3, 10])}
    if dice.random() < 0.3:
        table["banker"] = {"bank": str(dice.randint(20, 300))}
    state, lines = TableState(), [table]
    _try(state, table)
    for number in range(1, dice.randint(1, 3) + 1):
        lines += _deal(dice, state, str(dice.choice([number, number, 1])))
        if dice.random() < 0.3:
            lines.append({"type": "rules", "rules": _house(dice, game), **dice.choice([{}, {"banker": "house"}])})
            _try(state, lines[-1])
    return lines


def _try(state: TableState, line: Line) -> None:
    try:
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        state.apply(event)
    except Refusal:
        pass


def _house(dice: Random, game: str) -> Line:
    rules: Line = {"fractions": ["player", "house"]}
    match game:
        case "stuss":
            rules |= {"secondary_bets": [True, True, False], "deal_from": ["shoe", "shoe", "hand"]}
        case "private":
            rules |= {"deck": [52, 36, 32]}
        case "stos":
            rules |= {"two_hits": ["sequence", "opening"], "half_win": ["close", "ride"], "decks": [6, 8]}
            rules |= {"half_win_reduced": ["grow", "restore", "pay"], "suit_multiple": [1, 2], "ratio": [10, 3]}
        case _:
            rules |= {
                "deck": [52, 36, 32],
                "split_take": ["1", "1/2"],
                "bonus": FRACTIONS,
                "paroli": [True, True, False],
            }
            rules |= {name: [True, False] for name in ("last_card_void", "thirds", "half_stake")}
            rules |= {"positions": [{}, _positions(dice), _positions(dice)]}
    return {name: dice.choice(values) for name, values in rules.items() if dice.random() < 0.7}


def _positions(dice: Random) -> Line:
    pays: Line = {}
    for position in dice.sample(range(1, 33), 5):
        wins = position % 2 == 0
        if dice.random() < 0.3:
            side = ("lose", FRACTIONS) if wins else ("win", MULTIPLES)
            pays[str(position)] = {"side": side[0], "times": dice.choice(side[1])}
        else:
            pays[str(position)] = dice.choice(MULTIPLES if wins else FRACTIONS)
    return pays


def _deal(dice: Random, state: TableState, name: str) -> list[Line]:
    """Return a deal's lines, from its opening to its end or to wherever the dice stop it."""
    lines: list[Line] = [{"type": "deal", "deal": name}]
    _try(state, lines[0])
    steps = dice.choice([20, 200, 200])
    late = dice.random() < 0.5
    while (deal := state.deal) is not None and not deal.finished and len(lines) < steps:
        lines.append(_next(dice, deal, late))
        _try(state, lines[-1])
    lines += [{"type": "end"}, {"type": "misdeal", "reason": "closing time"}] if dice.random() < 0.8 else []
    lines += [{"type": "correct", "reason": "a late look", "cards": {"7": None}}] if dice.random() < 0.2 else []
    for line in lines[-3:]:
        _try(state, line)
    return lines


def _next(dice: Random, deal: Deal, late: bool) -> Line:
    chance = dice.random()
    if len(deal.cards) == deal.shoe.size and chance < 0.6:
        return {"type": "end"}
    if deal.turn_open and chance < 0.15:
        right = dice.choice([None, _card(dice, deal, late), _card(dice, deal, late)])
        return {"type": "correct", "reason": "misread", "cards": {str(len(deal.cards)): right}}
    sealed = [bet.name for bet in deal.standing.values() if bet.sealed]
    if sealed and len(deal.cards) == 2 and chance < 0.8:
        return {"type": "reveal", "bet": dice.choice(sealed), "card": _card(dice, deal, late)}
    if len(deal.cards) == deal.game.played and deal.game.pocket and chance < 0.7:
        left = [card.text for card in CARDS for _ in range(deal.undealt[card])]
        return {"type": "pocket", "cards": dice.sample(left, 4) if chance < 0.6 else [*left[:3], left[0]]}
    won = [bet.name for bet in deal.bets.values() if bet.win is not None and bet.win.turn == deal.turn and not bet.bent]
    if won and "paroli" in deal.game.deeds and not deal.turn_open and chance < 0.6:
        return {"type": "paroli", "bet": f"p{len(deal.bets) + 1}", "of": dice.choice(won)}
    bets = 0.08 if deal.betting_closed else 0.8 if deal.game.betting == "before_cut" else 0.45
    if chance < bets and not deal.turn_open:
        return _bet(dice, deal)
    if chance < bets + 0.14 and not deal.turn_open:
        return _deed(dice, deal)
    card: Line = {"type": "card", "card": _card(dice, deal, late)}
    if dice.random() < 0.1:
        card["position"] = dice.choice([len(deal.cards) + 1, 9])
    return card


def _card(dice: Random, deal: Deal, late: bool) -> str:
    """Return a card, most often one that is still undealt.

    Ranks on which something stands come out more often than chance would have it; with `late` they win, and their
    last copies are kept back.
    """
    if dice.random() < 0.06:
        return dice.choice([*WORDS, *(card.text for card in CARDS)])
    left = [card for card in CARDS if deal.undealt[card]] or [CARDS[0]]
    staked = {bet.rank for bet in deal.standing.values()}
    held = {rank for rank in staked if rank is not None and late and deal.shoe.undealt_of_rank[rank] == 1}
    if late and not deal.turn_open:
        wanted = [card for card in left if card.rank not in staked]
    else:
        wanted = [card for card in left if card.rank in staked - held]
    if not wanted or dice.random() < 0.3:
        wanted = [card for card in left if card.rank not in held] or left
    card = dice.choice(wanted)
    return dice.choice([card.text, card.text, card.text.lower(), RANKS[card.rank] + SUIT_SIGNS[card.suit]])


def _bet(dice: Random, deal: Deal) -> Line:
    names = [*deal.bets, "new"]
    free = f"b{len(deal.bets) + 1}"
    bet: Line = {"type": "bet", "bet": free if dice.random() < 0.95 else dice.choice(names), "seat": dice.randint(1, 3)}
    if deal.game.seat is not None and dice.random() < 0.8:
        bet["seat"] = deal.game.seat
    if dice.random() < 0.04:
        bet["seat"] = dice.choice([0, 4, 11, -1])
    if dice.random() < 0.85:
        low, chip, digits = deal.terms.minimum, deal.terms.chip, 10**deal.terms.digits
        bet["amount"] = str((low + chip * dice.choice([0, 0, 1, 2, 4, 7, 20])) // digits)
    if dice.random() < 0.06:
        bet["amount"] = dice.choice([*WORDS, "1", "2", "7", "7.5", "501"])
    deeds = deal.game.deeds
    kinds = ["card"] if deal.game.names_card else ["rank"] * 3
    kinds += [kind for kind in ("suit", "suit", "sealed", "card") if kind in deeds]
    kind = dice.choice(kinds) if dice.random() < 0.95 else dice.choice(["rank", "suit", "card", "sealed"])
    beside = [each.seat for each in deal.standing.values() if each.rank is not None]
    if kind == "suit" and beside and dice.random() < 0.9:
        bet["seat"] = dice.choice(beside)
    if kind == "rank":
        bet["rank"] = dice.choice(RANKS) if dice.random() < 0.97 else dice.choice(WORDS)
    elif kind == "suit":
        bet["suit"] = dice.choice([*SUITS, *SUIT_SIGNS]) if dice.random() < 0.95 else "X"
    elif kind == "card":
        bet["card"] = dice.choice(CARDS).text if dice.random() < 0.97 else dice.choice(WORDS)
    return bet


def _deed(dice: Random, deal: Deal) -> Line:
    names = [*deal.bets, "nobody"]
    name = dice.choice(names)
    return dice.choice(
        [
            {"type": "withdraw", "bet": name},
            {"type": "withdraw", "bet": dice.choice([*deal.standing, "nobody"])},
            {"type": "refuse", "bet": name},
            {"type": "cut", **dice.choice([{}, {"seat": 1}, {"seat": 12}])}
            if dice.random() < 0.4
            else {"type": "card", "card": _card(dice, deal, False)},
            {"type": "reveal", "bet": name, "card": _card(dice, deal, False)},
            {"type": "paroli", "bet": f"p{len(deal.bets) + 1}", "of": name},
            {"type": "pocket", "cards": ["AC", "AD", "AH", "AS"]},
            {"type": "end"} if dice.random() < 0.3 else {"type": "card", "card": _card(dice, deal, False)},
            {"type": "misdeal", "reason": "a card fell"} if dice.random() < 0.05 else {"type": "pocket"},
        ]
    )
