"""Random sessions at a table, rules and corrections included, for two engines to disagree about. It settles nothing."""

from collections.abc import Iterator
from random import Random
from typing import Any

from tables import tablelog
from tables.rules.refusals import Refusal
from tables.rules.table import TableState

Line = dict[str, Any]
RANKS, SUITS = "23456789TJQKA", "CDHS"
FRACTIONS = ("0", "1/3", "1/2", "2/3", "1", "3/4")


def session(dice: Random, deals: int = 2) -> list[Line]:
    """Return the lines of a session that the table accepts: what is refused is left out, and counts for nothing."""
    game = dice.choice(("stuss", "private", "stos", "pharaon", "stos", "pharaon"))
    state = TableState()
    accepted: list[Line] = []
    for line in _Session(dice, game, state).lines(deals):
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        try:
            state.apply(event)
        except Refusal:
            continue
        accepted.append(line)
    return accepted


class _Session:
    """Proposes lines; it looks at the table's state only to propose what has a chance."""

    def __init__(self, dice: Random, game: str, state: TableState) -> None:
        self.dice, self.game, self.state = dice, game, state
        self.rules: Line = {}
        self.names = 0
        self.shoe: list[str] = []
        self.bets: list[str] = []

    def lines(self, deals: int) -> Iterator[Line]:
        dice = self.dice
        chip = dice.choice(("1", "5", "0.5"))
        currency = "EUR" if chip == "0.5" else dice.choice(("RUB", "JPY"))
        least = str(int(dice.choice((10, 20, 30))))
        self.least = int(least)
        banker = {"banker": {"bank": str(dice.choice((900, 5000)))}} if dice.random() < 0.3 else {}
        yield {
            "type": "table", "table": "T1", "game": self.game, "currency": currency,
            "min": least, "max": "1000", "chip": chip, "rules": self._house(), **banker,
        }  # fmt: skip
        for number in range(deals):
            if number and dice.random() < 0.4:
                yield {"type": "rules", "rules": self._house(), "min": least}
            yield {"type": "deal", "deal": str(number)}
            yield from self._deal()

    def _house(self) -> Line:
        dice, rules = self.dice, {}
        if dice.random() < 0.5:
            rules["fractions"] = dice.choice(("player", "house"))

        def maybe(name: str, *values: Any) -> None:
            if dice.random() < 0.6:
                rules[name] = dice.choice(values)

        if self.game == "stuss":
            maybe("secondary_bets", True, False)
            maybe("deal_from", "shoe", "hand")
        elif self.game == "private":
            maybe("deck", 52, 36, 32)
        elif self.game == "stos":
            maybe("decks", 6, 7)
            maybe("two_hits", "sequence", "opening", "opening")
            maybe("half_win", "close", "ride")
            maybe("half_win_reduced", "grow", "restore", "pay")
        else:
            maybe("deck", 36, 32, 32)
            maybe("split_take", "1", "1/2")
            maybe("bonus", *FRACTIONS)
            maybe("last_card_void", True, False)
            maybe("thirds", True, False)
            maybe("half_stake", True, False)
            maybe("positions", self._positions())
        self.rules = rules
        return rules

    def _positions(self) -> Line:
        dice, positions = self.dice, {}
        for position in dice.sample(range(1, 33), dice.randrange(1, 12)):
            loses, turned = position % 2 == 1, dice.random() < 0.4
            times = dice.choice(FRACTIONS if loses != turned else (*FRACTIONS, "2", "5/2"))
            side = "lose" if loses != turned else "win"
            positions[str(position)] = {"side": side, "times": times} if turned else times
        return positions

    def _deal(self) -> Iterator[Line]:
        dice = self.dice
        lowest = {36: 4, 32: 5}.get(self.rules.get("deck", 52), 0)
        pack = [rank + suit for rank in RANKS[lowest:] for suit in SUITS]
        self.shoe = pack * (self.rules.get("decks", 6) if self.game == "stos" else 1)
        dice.shuffle(self.shoe)
        self.bets = []
        if self.game == "pharaon" and dice.random() < 0.5:
            yield from self._a_corner_bent_to_the_end()
        turns = dice.randrange(2, 40) if self.game == "stos" else 26
        for turn in range(turns):
            first = turn == 0
            for _ in range(dice.randrange(2, 8) if first else dice.choice((0, 1, 1, 2))):
                yield self._bet()
            if dice.random() < 0.2 or first:
                yield from self._deeds()
            yield from self._cards(first)
            if dice.random() < 0.06:
                yield self._correction()
        if self.state.deal is not None and not self.state.deal.finished:
            yield {"type": "pocket", "cards": self.shoe[-4:]}
            if dice.random() < 0.3:
                yield self._correction()
            yield {"type": "end"}
            if dice.random() < 0.9:
                yield {"type": "misdeal", "reason": "a card lay open"}
        if dice.random() < 0.3:
            yield self._correction()

    def _a_corner_bent_to_the_end(self) -> Iterator[Line]:
        """Put a rank where it may win again and again until the last turn, and bet on it."""
        dice, size = self.dice, len(self.shoe)
        rank = dice.choice(self.shoe)[0]
        wins = sorted(dice.sample(range(2, size - 2, 2), 2))
        places = [*wins, dice.choice((size - 4, size - 1)), size]
        for place in places:
            found = next(
                i for i, card in enumerate(self.shoe) if card[0] == rank and i + 1 not in places[: places.index(place)]
            )
            self.shoe[place - 1], self.shoe[found] = self.shoe[found], self.shoe[place - 1]
        yield {"type": "bet", "bet": self._name(), "seat": 1, "card": rank + dice.choice(SUITS)}

    def _cards(self, first: bool) -> Iterator[Line]:
        dice, deal = self.dice, self.state.deal
        for half in (0, 1):
            position = 0 if deal is None or self.state.deal is None else self.state.deal.position
            if position >= len(self.shoe):
                return
            if half and dice.random() < 0.1:  # a split, where the shoe still has one
                odd = self.shoe[position - 1]
                twin = next((i for i in range(position, len(self.shoe)) if self.shoe[i][0] == odd[0]), position)
                self.shoe[position], self.shoe[twin] = self.shoe[twin], self.shoe[position]
            yield {"type": "card", "card": self.shoe[position]}
            if dice.random() < 0.02:
                yield self._correction()
            if half and dice.random() < 0.02:
                yield {"type": "misdeal", "reason": "a card lay open"}
        if first:
            yield from ({"type": "reveal", "bet": name, "card": dice.choice(self.shoe)} for name in self.bets)
        if self.game == "pharaon" and self.state.deal is not None:
            for settled in self.state.deal.settlements[-6:]:
                if settled.outcome == "win" and dice.random() < 0.8:
                    yield {"type": "paroli", "bet": self._name(), "of": settled.bet}

    def _name(self) -> str:
        self.names += 1
        self.bets.append(f"b{self.names}")
        return self.bets[-1]

    def _on(self) -> Line:
        """Return what a bet is on, mostly on a card that comes soon."""
        dice = self.dice
        at = 0 if self.state.deal is None else self.state.deal.position
        card = dice.choice(self.shoe[at : at + 14] or self.shoe)
        if self.game == "stos" and dice.random() < 0.3:
            return {"suit": dice.choice(SUITS)}
        if self.game in ("private", "pharaon") and dice.random() < 0.25:
            return {}
        if self.game == "pharaon" and (self.rules.get("thirds") or dice.random() < 0.3):
            return {"card": card}
        return {"rank": card[0]}

    def _bet(self) -> Line:
        dice = self.dice
        seat = 1 if self.game == "private" else dice.choice((1, 1, 2, 3))
        bet: Line = {"type": "bet", "bet": self._name(), "seat": seat, **self._on()}
        if dice.random() < 0.8:
            bet["amount"] = str(self.least + 5 * dice.randrange(0, 12))
        return bet

    def _deeds(self) -> Iterator[Line]:
        dice = self.dice
        for _ in range(dice.randrange(0, 3)):
            if self.bets:
                yield {"type": dice.choice(("withdraw", "refuse", "withdraw")), "bet": dice.choice(self.bets)}
        yield {"type": "cut"}

    def _correction(self) -> Line:
        dice, deal = self.dice, self.state.deal
        line: Line = {"type": "correct", "reason": "recorded wrongly"}
        position = 0 if deal is None else deal.position
        name = dice.choice(self.bets) if self.bets else "none"
        what = dice.randrange(7)
        if what == 0 and position > 1:
            one, two = dice.sample(range(1, position + 1), 2)
            self.shoe[one - 1], self.shoe[two - 1] = self.shoe[two - 1], self.shoe[one - 1]
            return {**line, "cards": {str(one): self.shoe[one - 1], str(two): self.shoe[two - 1]}}
        if what == 1 and position:
            later = dice.randrange(position, len(self.shoe)) if position < len(self.shoe) else position - 1
            one = dice.randrange(1, position + 1)
            self.shoe[one - 1], self.shoe[later] = self.shoe[later], self.shoe[one - 1]
            return {**line, "cards": {str(one): self.shoe[one - 1]}}
        if what == 2 and position:
            return {**line, "cards": {str(position): None}}
        if what == 3:
            return {**line, "bet": name, "made": False}
        if what == 4:
            bet = self._bet()
            after = dice.randrange(0, position + 1) // 2 * 2
            del bet["type"]
            return {**line, **bet, "made": True, "after": after}
        if what == 5:
            return {**line, "bet": name, "amount": str(self.least + 5 * dice.randrange(0, 12))}
        return {**line, "bet": name, **(self._on() or {"seat": dice.choice((1, 2, 3))})}
