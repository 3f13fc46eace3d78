"""What a croupier of the demonstration does next, from what the console's state shows him. Plain Python.

He knows no more than the state says. The next card is drawn from the undealt ones, each as likely as it is
there: that is a well-shuffled shoe, turned up one card at a time. The dice come in as `Random`.
"""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from tables.rules.cards import RANKS, SUITS

Event = dict[str, Any]
State = Mapping[str, Any]

# How often in a hundred chances; what happens on a quiet evening.
_SEAT_BETS = 45
_SUIT_BET = 25
_WITHDRAWS = 4
_PAROLI = 50
_SEALS = 40
_REFUSES = 2
_MISKEYS = 2
_TAKES_BACK = 1
_ASKS_CORRECTION = 1
_MISDEALS_IN_1000 = 4

_CARDS = [rank + suit for rank in RANKS for suit in SUITS]
_SEATS_TAKEN = {"stuss": 7, "private": 1, "stos": 6, "pharaon": 5}
_UNDEALT_AT_CUT_CARD = 60
_MOST_STANDING = 18


class Croupier:
    """One table's croupier: its games, its guests' habits, and the names he gives to bets."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._named = 0
        self._bets_offered_at: tuple[str, int] | None = None

    def next_events(self, state: State) -> list[Event]:
        """Give what he enters next, as table-log events; several are the bets of one pause between turns."""
        if state["table"]["state"] != "open":
            return [{"type": "open"}]
        deal = state["deal"]
        if deal is None or deal["finished"]:
            self._bets_offered_at = None
            return [self._new_deal(state)]
        if deal["turn_open"]:
            return [self._in_the_turn(state)]
        moment = (deal["deal"], deal["position"])
        if self._bets_offered_at != moment:
            self._bets_offered_at = moment
            events = self._between_turns(state)
            if events:
                return events
        return [self._go_on(state)]

    def wants_correction(self, state: State) -> Event | None:
        """Now and then a guest says that his bet was for another sum; a second person corrects it."""
        if not self._happens(_ASKS_CORRECTION) or state["waiting"] or state["table"]["bank_minor"] is not None:
            return None
        deal = state["deal"]
        if deal is None or deal["finished"] or deal["turn_open"]:
            return None
        candidates = [bet for bet in deal["bets"] if not bet["sealed"] and bet["of"] is None]
        if not candidates:
            return None
        bet = self.random.choice(candidates)
        amount = self._money(state, bet["amount_minor"] + state["table"]["chip_minor"])
        return {
            "type": "correct",
            "bet": bet["bet"],
            "amount": amount,
            "reason": "Guest and dealer misheard the sum",
        }

    # --- between deals ---------------------------------------------------------------------------------

    def _new_deal(self, state: State) -> Event:
        return {"type": "deal", "deal": state["next_deal"], "shuffle": "wash, riffle, riffle, strip, riffle, cut"}

    # --- between turns ---------------------------------------------------------------------------------

    def _between_turns(self, state: State) -> list[Event]:
        game, deal = state["table"]["game"], state["deal"]
        if game == "stos":
            return self._parolis(state) + self._withdrawals(state) + self._stos_bets(state)
        if game == "stuss":
            if deal["betting_closed"]:
                return []
            return self._withdrawals(state) + self._rank_bets(state)
        if not deal["betting_closed"]:
            return [*([] if deal["bets"] else self._sealed_and_open_bets(state)), {"type": "cut"}]
        return self._parolis(state)

    def _rank_bets(self, state: State) -> list[Event]:
        events: list[Event] = []
        room = _MOST_STANDING - len(state["deal"]["bets"])
        live = self._live_ranks(state)
        for seat in self._seats(state):
            if room <= len(events) or not live or not self._happens(_SEAT_BETS):
                continue
            rank, amount = self.random.choice(live), self._amount(state, seat)
            events.append({"type": "bet", "bet": self._name(seat), "seat": seat, "rank": rank, "amount": amount})
        return events

    def _stos_bets(self, state: State) -> list[Event]:
        events: list[Event] = []
        live = self._live_ranks(state)
        held: dict[int, set[str]] = {}
        suited: set[int] = set()
        for bet in state["deal"]["bets"]:
            if bet["kind"] == "suit":
                suited.add(bet["seat"])
            else:
                held.setdefault(bet["seat"], set()).add(bet["rank"])
        for seat in self._seats(state):
            ranks = held.get(seat, set())
            free = [rank for rank in live if rank not in ranks]
            if free and len(ranks) < 3 and self._happens(_SEAT_BETS):
                rank, amount = self.random.choice(free), self._amount(state, seat)
                events.append({"type": "bet", "bet": self._name(seat), "seat": seat, "rank": rank, "amount": amount})
            elif ranks and seat not in suited and self._happens(_SUIT_BET):
                amount = self._amount(state, seat)
                suit = self.random.choice("CDHS")
                events.append({"type": "bet", "bet": self._name(seat), "seat": seat, "suit": suit, "amount": amount})
        return events

    def _sealed_and_open_bets(self, state: State) -> list[Event]:
        events: list[Event] = []
        cards = [card for card, count in _undealt(state).items() if count]
        for seat in self._seats(state):
            if state["table"]["game"] == "pharaon" and not self._happens(75):
                continue
            bet: Event = {
                "type": "bet",
                "bet": self._name(seat),
                "seat": seat,
                "amount": self._amount(state, seat),
            }
            if not self._happens(_SEALS):
                card = self.random.choice(cards)
                bet |= {"card": card} if state["bet_kinds"]["card"] else {"rank": card[0]}
            events.append(bet)
            if self._happens(_REFUSES):
                events.append({"type": "refuse", "bet": bet["bet"]})
        return events

    def _withdrawals(self, state: State) -> list[Event]:
        if state["table"]["game"] == "stos":
            free = [bet for bet in state["deal"]["bets"] if bet["kind"] == "suit" and bet["dormant"]]
        else:
            free = [bet for bet in state["deal"]["bets"] if not bet["sealed"]]
        return [{"type": "withdraw", "bet": bet["bet"]} for bet in free if self._happens(_WITHDRAWS)]

    def _parolis(self, state: State) -> list[Event]:
        turns = state["deal"]["last_turns"]
        if not state["bet_kinds"]["paroli"] or not turns or not self._copies(state)[turns[0]["even"][0]]:
            return []
        return [
            {"type": "paroli", "bet": self._name(won["seat"]), "of": won["bet"]}
            for won in turns[0]["settlements"]
            if won["outcome"] == "win" and self._happens(_PAROLI)
        ]

    # --- cards -----------------------------------------------------------------------------------------

    def _go_on(self, state: State) -> Event:
        deal, game = state["deal"], state["table"]["game"]
        undealt = sum(deal["undealt"])
        sealed = [bet for bet in deal["bets"] if bet["sealed"]]
        if sealed and deal["turn"] >= 1:
            return {"type": "reveal", "bet": sealed[0]["bet"], "card": self._pack_card(state)}
        if game == "stos" and (undealt == 0 or (undealt <= _UNDEALT_AT_CUT_CARD and self._happens(30))):
            return {"type": "end"}
        if game == "stuss" and state["bet_kinds"]["pocket"] and deal["turn"] == 24:
            left = [card for card, count in _undealt(state).items() for _ in range(count)]
            self.random.shuffle(left)
            return {"type": "pocket", "cards": left}
        if game in ("private", "pharaon") and deal["position"] and not deal["bets"]:
            return {"type": "end"}
        if undealt == 0:
            return {"type": "end"}
        if deal["position"] and deal["turn"] < 3 and self.random.randrange(1000) < _MISDEALS_IN_1000:
            return {"type": "misdeal", "reason": "A card lay face up in the shoe"}
        return {"type": "card", "card": self._draw(state)}

    def _in_the_turn(self, state: State) -> Event:
        position = state["deal"]["position"]
        if state["deal"]["take_backs"] == 0 and self._happens(_MISKEYS):
            card = self._draw(state)
            return {"type": "correct", "reason": "Wrong key", "cards": {str(position): card}}
        if state["deal"]["take_backs"] == 0 and self._happens(_TAKES_BACK):
            return {"type": "correct", "reason": "Card had not left the shoe", "cards": {str(position): None}}
        return {"type": "card", "card": self._draw(state)}

    def _draw(self, state: State) -> str:
        cards, counts = zip(*_undealt(state).items(), strict=True)
        return str(self.random.choices(cards, counts)[0])

    def _pack_card(self, state: State) -> str:
        """A card of the punter's own pack, not of the dealt one; a card that can still come is likelier."""
        return self._draw(state) if sum(state["deal"]["undealt"]) else "7S"

    # --- small change ----------------------------------------------------------------------------------

    def _happens(self, in_a_hundred: int) -> bool:
        return self.random.randrange(100) < in_a_hundred

    def _seats(self, state: State) -> list[int]:
        return list(range(1, min(state["table"]["seats"], _SEATS_TAKEN[state["table"]["game"]]) + 1))

    def _name(self, seat: int) -> str:
        self._named += 1
        return f"{seat}-{self._named}-{self.random.randrange(36**4):06x}"

    def _copies(self, state: State) -> Counter[str]:
        copies: Counter[str] = Counter()
        for card, count in _undealt(state).items():
            copies[card[0]] += count
        return copies

    def _live_ranks(self, state: State) -> list[str]:
        return [rank for rank, count in self._copies(state).items() if count]

    def _amount(self, state: State, seat: int) -> str:
        """A guest stays with his habit: seat 3 bets three to nine times the minimum, seat 1 one to three."""
        terms = state["table"]
        wanted = terms["min_minor"] * seat * self.random.choice((1, 1, 1, 2, 3))
        chips = min(wanted, terms["max_minor"]) // terms["chip_minor"]
        return self._money(state, chips * terms["chip_minor"])

    def _money(self, state: State, amount_minor: int) -> str:
        exponent = state["table"]["digits"]
        whole, rest = divmod(amount_minor, 10**exponent)
        return f"{whole}.{rest:0{exponent}d}" if rest else str(whole)


def _undealt(state: State) -> dict[str, int]:
    """How many of each card are left, as the console shows it: 52 counts, rank by rank."""
    return dict(zip(_CARDS, state["deal"]["undealt"], strict=True))
