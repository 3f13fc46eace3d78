"""The demonstration's croupier, at a table of the plain rules: what he enters, the rules take."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from tables import tablelog
from tables.demonstration.croupier import Croupier
from tables.demonstration.house import TABLES
from tables.rules.cards import RANKS
from tables.rules.refusals import Refusal
from tables.rules.settlement import Settlement
from tables.rules.table import Outcome, TableState

LINES = {str(line["game"]): {"type": "table", "currency": "RUB", **line} for line in TABLES}


class Cloth:
    """A table of the plain rules that shows what the console's state would, as far as a croupier looks."""

    def __init__(self, line: dict[str, Any]) -> None:
        self.table = TableState()
        self._apply(line)
        self.deals = 0
        self.turns: list[dict[str, Any]] = []

    def _apply(self, line: dict[str, Any]) -> Outcome:
        event = tablelog.parse_object(line)
        assert not isinstance(event, tablelog.FloorEvent)
        return self.table.apply(event)

    def enter(self, event: dict[str, Any]) -> None:
        outcome = self._apply(event)
        deal = self.table.deal
        if event["type"] == "deal":
            self.deals, self.turns = self.deals + 1, []
        elif event["type"] in ("card", "reveal") and deal is not None and len(deal.cards) % 2 == 0:
            odd, even = deal.cards[-2:]
            settled = [self._settled(row) for row in deal.settlements if row.turn == deal.turn]
            self.turns = [{"turn": deal.turn, "odd": odd.text, "even": even.text, "settlements": settled}]
        assert all(row.stake + row.paid == row.taken + row.returned + row.standing for row in outcome.settlements)

    def _settled(self, row: Settlement) -> dict[str, Any]:
        return {"bet": row.bet, "seat": row.seat, "outcome": row.outcome}

    def state(self) -> dict[str, Any]:
        terms, deal = self.table.terms, self.table.deal
        assert terms is not None
        return {
            "table": {
                "game": terms.game_code,
                "state": "open",
                "min_minor": terms.minimum,
                "max_minor": terms.maximum,
                "chip_minor": terms.chip,
                "seats": terms.seats,
                "digits": terms.digits,
                "bank_minor": self.table.bank,
            },
            "bet_kinds": {deed: deed in terms.game.deeds for deed in ("pocket", "paroli", "card")},
            "next_deal": str(self.deals + 1),
            "waiting": [],
            "deal": deal
            and {
                "deal": deal.name,
                "turn": deal.turn,
                "turn_open": deal.turn_open,
                "position": deal.position,
                "finished": deal.finished,
                "take_backs": deal.take_backs,
                "betting_closed": deal.betting_closed,
                "undealt": deal.undealt,
                "bets": [
                    {
                        "bet": bet.name,
                        "seat": bet.seat,
                        "kind": "sealed" if bet.sealed else bet.kind.name,
                        "rank": None if bet.rank is None else RANKS[bet.rank],
                        "amount_minor": bet.amount,
                        "sealed": bet.sealed,
                        "dormant": deal.dormant(bet),
                        "of": bet.of,
                    }
                    for bet in deal.standing.values()
                ],
                "last_turns": self.turns,
            },
        }


def played(game: str, dice: int, deals: int) -> tuple[Counter[str], list[str]]:
    """Let a croupier play so many deals: what he entered, by type; and what the rules refused."""
    cloth, croupier = Cloth(LINES[game]), Croupier(Random(dice))
    entered: Counter[str] = Counter()
    refused: list[str] = []
    while cloth.deals <= deals:
        for event in croupier.next_events(cloth.state()):
            try:
                cloth.enter(event)
                entered[event["type"]] += 1
            except Refusal as refusal:
                refused.append(f"{event} {refusal}")
                break
        assert len(refused) < 20, refused
    return entered, refused


@pytest.mark.parametrize("game", sorted(LINES))
def test_nothing_that_a_croupier_enters_in_a_dozen_deals_is_refused(game):
    for dice in range(2):
        _entered, refused = played(game, dice, 12)
        assert refused == []


def test_an_evening_shows_what_each_game_has():
    rare = {"misdeal", "refuse"}
    evening = {game: set(played(game, 7, 25 if game in ("private", "pharaon") else 4)[0]) - rare for game in LINES}
    assert evening == {
        "stuss": {"deal", "bet", "withdraw", "card", "correct", "pocket"},
        "private": {"deal", "bet", "cut", "card", "reveal", "correct"},
        "stos": {"deal", "bet", "withdraw", "card", "correct", "end"},
        "pharaon": {"deal", "bet", "cut", "card", "reveal", "correct", "paroli", "end"},
    }


def test_the_same_dice_play_the_same_evening():
    assert played("stos", 3, 2) == played("stos", 3, 2)
