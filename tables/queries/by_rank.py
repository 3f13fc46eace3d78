"""What the bank could expect of the bets on each rank, exactly, from records of deals. It reads and writes nothing."""

import json
from collections import defaultdict
from functools import lru_cache
from typing import Final

from tables.ledger import terms_of
from tables.queries.play import DealRecord
from tables.queries.theory import Theory
from tables.rules.bet import Bet
from tables.rules.cards import CARD_OF, RANK_OF, RANKS, SUIT_OF
from tables.rules.odds import turn_expectation
from tables.rules.shoe import Shoe

KEPT: Final = 300  # deals; a deal that has ended is the same the next time somebody looks


@lru_cache(KEPT)
def by_rank(record: DealRecord, terms: str) -> dict[str, Theory]:
    """Sum, for each rank, the turns at whose start a bet on it stood: what it could bring the bank, and did.

    `terms` is the `table` line that held. A bet on a rank stands whole until one card, or one deed, closes it; a sealed
    bet counts with the card it was opened with. Bets on a suit are on no rank. The pocket is expected to take what it
    takes.
    """
    game = terms_of(json.loads(terms))
    kind = game.game.kind["rank"]
    closed = {each.bet: each.position for each in record.settlements}
    bets: list[tuple[Bet, int]] = []
    for view in record.bets:
        rank = view.rank or (view.card or "")[:1]
        if view.made and view.kind != "suit" and rank:
            suit = SUIT_OF[view.card[1:]] if view.card else None
            bet = Bet(view.bet, view.seat, kind, RANK_OF[rank], suit, view.amount_minor, view.ordinal, view.after)
            bets.append((bet, closed.get(view.bet, game.game.size)))
    found: dict[str, Theory] = defaultdict(Theory)
    cards = [CARD_OF[each.card] for each in record.cards if not each.pocket]
    shoe = Shoe(game.game.deck, game.game.decks)
    for before in range(0, len(cards) - 1, 2):
        standing: dict[int, list[Bet]] = defaultdict(list)
        for bet, until in bets:
            if bet.after <= before < until and bet.rank is not None:
                standing[bet.rank].append(bet)
        for number, of_rank in standing.items():
            odds, theory = turn_expectation(game, of_rank, shoe.undealt, before + 1), found[RANKS[number]]
            theory.at_stake += odds.variance > 0
            theory.expectation += odds.expectation
            theory.variance += odds.variance
        for card in cards[before : before + 2]:
            shoe.draw(card)
    for each in record.settlements:
        rank = each.rank or (each.card or "")[:1]
        if each.kind != "suit" and rank:
            found[rank].win_minor += each.taken_minor - each.paid_minor
            found[rank].expectation += each.taken_minor if each.outcome == "pocket" else 0
    return dict(found)
