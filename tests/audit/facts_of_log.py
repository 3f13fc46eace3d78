"""The facts that a table log comes to, corrections applied, as the second engine takes them. It judges nothing."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from audit.second_engine import BetRow, Facts, HouseRules, Settled, read_rules, settle
from audit.second_engine.facts import Departure
from tables.rules.terms import amount_text, minor_digits

Line = Mapping[str, Any]
_SIGNS = str.maketrans("♣♦♥♠", "CDHS")


def deals_of(lines: Iterable[Line]) -> Iterator[tuple[str, HouseRules, "DealFacts"]]:
    """Yield each deal's name, the house rules it was dealt under, and its facts."""
    held: dict[str, Any] = {}
    deal: DealFacts | None = None
    for line in lines:
        match line["type"]:
            case "table":
                held = dict(line)
            case "rules":
                held |= {name: value for name, value in line.items() if name != "type"}
            case "deal":
                if deal is not None:
                    yield deal.name, deal.rules, deal
                deal = DealFacts(line["deal"], held)
            case _:
                assert deal is not None
                deal.add(line)
    if deal is not None:
        yield deal.name, deal.rules, deal


def printed(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Say what the second engine settles of a log, as `settle` prints it; its marks of corrections left out."""
    return [
        {
            "deal": name,
            "turn": each.turn,
            "position": each.position,
            "bet": each.bet,
            "seat": deal.bets[each.bet]["seat"],
            "outcome": each.outcome,
            **{amount: amount_text(getattr(each, amount), deal.digits) for amount in Settled._fields[4:]},
        }
        for name, rules, deal in deals_of(lines)
        for each in settle(rules, deal.facts())
    ]


class DealFacts:
    """A deal's facts while its lines come in: cards by position, bets by name with the place where they stood."""

    def __init__(self, name: str, held: Mapping[str, Any]) -> None:
        self.name = name
        self.digits = minor_digits(held["currency"])
        self.rules = read_rules(json.dumps(held), self.digits)
        self.least = held["min"]
        self.cards: list[str] = []
        self.pocket: list[str] = []
        self.bets: dict[str, dict[str, Any]] = {}
        self.placed: dict[int, int] = {}
        self.departures: dict[str, Departure] = {}
        self.opened: dict[str, str] = {}
        self.closing: str | None = None

    def facts(self) -> Facts:
        cards = [*self.cards, *self.pocket]
        order = sorted(self.bets.values(), key=lambda bet: (bet["after"], bet["ordinal"]))
        return Facts(
            "".join(card[0] for card in cards),
            "".join(card[1] for card in cards),
            len(self.pocket),
            [self._row(bet) for bet in order],
            self.departures,
            self.opened,
            self.closing,
        )

    def add(self, line: Line) -> None:
        match line["type"]:
            case "card":
                self.cards.append(_card(line["card"]))
            case "pocket":
                self.pocket = [_card(card) for card in line["cards"]]
            case "bet" | "paroli":
                self._place(line, len(self.cards))
            case "withdraw" | "refuse":
                outcome = {"withdraw": "withdrawn", "refuse": "refused"}[line["type"]]
                self.departures[line["bet"]] = Departure(outcome, len(self.cards), len(self.departures))
            case "reveal":
                self.opened[line["bet"]] = _card(line["card"])
            case "end" | "misdeal":
                self.closing = line["type"]
            case "correct":
                self._correct(line)

    def _place(self, line: Line, after: int) -> None:
        # A bet that a correction took away keeps its place: the next one comes after it.
        ordinal = self.placed.get(after, 0) + 1
        self.placed[after] = ordinal
        kept = {name: line[name] for name in ("seat", "rank", "suit", "card", "amount", "of") if name in line}
        if "of" in line:
            kept["seat"] = self.bets[line["of"]]["seat"]
        self.bets[line["bet"]] = {**kept, "name": line["bet"], "after": after, "ordinal": ordinal}

    def _correct(self, line: Line) -> None:
        for position, card in sorted(line.get("cards", {}).items(), key=lambda item: int(item[0])):
            index = int(position) - 1
            if card is None:
                del self.cards[index]
            elif index < len(self.cards):
                self.cards[index] = _card(card)
            else:
                self.pocket[index - len(self.cards)] = _card(card)
        if "bet" not in line:
            return
        if line.get("made") is False:
            del self.bets[line["bet"]]
        elif line.get("made") is True:
            self._place(line, line["after"])
        else:
            self._amend(self.bets[line["bet"]], line)

    def _amend(self, bet: dict[str, Any], line: Line) -> None:
        named = {name: line[name] for name in ("rank", "suit", "card") if name in line}
        if named and bet["name"] in self.opened:
            self.opened[bet["name"]] = _card(next(iter(named.values())))
            named = {}
        if named:
            for name in ("rank", "suit", "card"):
                bet.pop(name, None)
        bet |= named | {name: line[name] for name in ("seat", "amount") if name in line}
        # A bent corner is of the seat of the bet that won, whoever that turns out to be.
        for bent in self.bets.values():
            if "of" in bent:
                bent["seat"] = self.bets[bent["of"]]["seat"]

    def _row(self, bet: Mapping[str, Any]) -> BetRow:
        card = _card(bet["card"]) if "card" in bet else _card(bet.get("rank", "")) or None
        suit = card[1:] or None if card else _card(bet.get("suit", "")) or None
        kind = "rank" if card or "of" in bet else "suit" if suit else "sealed"
        whole, _, part = str(bet.get("amount", self.least)).partition(".")
        minor = int(whole + part[: self.digits].ljust(self.digits, "0"))
        return BetRow(bet["name"], kind, bet["seat"], card and card[0], suit, minor, bet["after"], bet.get("of"))


def _card(text: str) -> str:
    return re.sub("^10", "T", text.upper().translate(_SIGNS))
