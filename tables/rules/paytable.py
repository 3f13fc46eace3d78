"""What a bet is, when a line applies, what it does: a game as data for the one engine. It never computes money.

A turn is judged card by card, the odd one first; the first line of the bet's kind that holds decides, with none the
bet stands untouched. Conditions and effects are a closed vocabulary, so that a program in another language can read
the same data (`Game.data`).
"""

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, Literal

from tables.rules.cards import Colour
from tables.rules.house_rules import Fractions

Side = Literal["odd", "even", "pocket"]
Rest = Literal["returned", "stands", "stands_from_minimum"]
LAST_HALVING: Final = "last_halving"
ALL: Final = Fraction(1)
HALF: Final = Fraction(1, 2)
NONE: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class When:
    """Conditions of a line; each that is given must hold.

    side      the card's place in its turn, or the pocket
    split     both cards of the turn have the same rank
    colour    the card's suit against the bet's
    position  the card's place in the deal, from 1
    last      whether it is the very last card of the shoe
    reduced   whether the bet stands below its original amount
    """

    side: Side | None = None
    split: bool | None = None
    colour: Colour | None = None
    position: int | None = None
    last: bool | None = None
    reduced: bool | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a line does.

    take      share of the stake that the bank takes
    pay       share of the stake that the bank adds, or what the last halving took (LAST_HALVING)
    rest      what becomes of the stake that is not taken: returned (the bet is closed), stands, or stands unless it
              is less than the table's minimum
    paid_to   whether the player receives what is paid or the bet grows by it
    """

    outcome: str
    take: Fraction = NONE
    pay: Fraction | Literal["last_halving"] = NONE
    rest: Rest = "returned"
    paid_to: Literal["player", "bet"] = "player"


@dataclass(frozen=True, slots=True)
class Line:
    when: When
    effect: Effect
    clause: str


class BetKind:
    """A kind of bet: what touches it and its ordered lines.

    touched_by  "its_rank": a card of the rank it names; "ranks_of_its_seat": a card of a rank on which its seat has a
                rank bet standing at the start of the turn (T-6)
    judged_on   "standing": what stands when the card is judged; "opening": what stood at the start of the turn (T-6)
    """

    def __init__(
        self,
        name: Literal["rank", "suit"],
        lines: tuple[Line, ...],
        touched_by: Literal["its_rank", "ranks_of_its_seat"] = "its_rank",
        judged_on: Literal["standing", "opening"] = "standing",
    ) -> None:
        self.name: Final = name
        self.lines: Final = lines
        self.touched_by: Final = touched_by
        self.judged_on: Final = judged_on
        self.by_colour: Final = any(line.when.colour is not None for line in lines)
        self._by_position: Final = any(line.when.position is not None for line in lines)
        self._by_last: Final = any(line.when.last is not None for line in lines)
        self._found: dict[tuple[object, ...], Line | None] = {}

    def line(
        self, side: Side, split: bool, colour: Colour | None, position: int, last: bool, reduced: bool
    ) -> Line | None:
        """Return the line that decides, or None: the bet stands untouched."""
        key = (
            side,
            split,
            colour,
            position if self._by_position else 0,
            last and self._by_last,
            reduced,
        )
        try:
            return self._found[key]
        except KeyError:
            found = self._found[key] = self._first(side, split, colour, position, last, reduced)
            return found

    def _first(
        self, side: Side, split: bool, colour: Colour | None, position: int, last: bool, reduced: bool
    ) -> Line | None:
        for line in self.lines:
            when = line.when
            if (
                when.side in (None, side)
                and when.split in (None, split)
                and when.colour in (None, colour)
                and when.position in (None, position)
                and when.last in (None, last)
                and when.reduced in (None, reduced)
            ):
                return line
        return None


@dataclass(frozen=True)
class Game:
    """A game under the rules of one house: what the engine needs, and nothing that it has to ask again.

    betting        when bets are placed and withdrawn: between turns, or before the cut
    dealer_ends    whether the dealer ends the deal: never, when no bet stands, or always (between turns)
    ends_with_bet  the deal ends by itself when a card has settled its bet (P-6)
    pocket         cards at the end that are shown and never played (S-6), else 0
    deeds          what this table's rules offer beside bets on a rank and cards
    seat           the only seat there is, or None
    one_bet        one standing bet a deal: "deal"; one a seat and rank: "rank"; any number: None
    locked         bets stay until a card settles them; a suit bet while its seat has a rank bet (T-4, T-13)
    ratio          most that two standing bets of a seat may differ, as a factor, or None (T-3)
    suit_multiple  chips of which a suit bet is a multiple (T-2)
    names_card     a bet names its card, not its rank alone (F-6)
    """

    code: str
    deck: int
    decks: int
    kinds: tuple[BetKind, ...]
    fractions: Fractions
    betting: Literal["between_turns", "before_cut"]
    dealer_ends: Literal["never", "when_none_stands", "always"]
    deeds: frozenset[str]
    ends_with_bet: bool = False
    pocket: int = 0
    seat: int | None = None
    one_bet: Literal["deal", "rank"] | None = None
    locked: bool = False
    ratio: Fraction | None = None
    suit_multiple: int = 1
    secondary_bets: bool = True
    names_card: bool = False

    @cached_property
    def size(self) -> int:
        """Cards in the shoe."""
        return self.deck * self.decks

    @cached_property
    def played(self) -> int:
        """Cards that are played: all but the pocket."""
        return self.size - self.pocket

    @cached_property
    def kind(self) -> dict[str, BetKind]:
        return {kind.name: kind for kind in self.kinds}

    @cached_property
    def most_paid_after(self) -> tuple[Fraction, ...]:
        """For each number of dealt cards the most that a card still to come pays on a rank bet, of its stake.

        Whatever is undealt: only the positions count. Rules: C-13.
        """
        kind = self.kind["rank"]
        colours: tuple[Colour | None, ...] = ("full", "half", "plain") if kind.by_colour else (None,)
        most = [NONE] * (self.size + 1)
        for position in range(self.played, 0, -1):
            side: Side = "odd" if position % 2 else "even"
            best = most[position]
            for colour in colours:
                line = kind.line(side, False, colour, position, position == self.size, False)
                assert line is not None
                assert isinstance(line.effect.pay, Fraction)
                best = max(best, line.effect.pay)
            most[position - 1] = best
        return tuple(most)

    def data(self) -> dict[str, Any]:
        """Return the game as plain data: texts, whole numbers, fractions as "n/d"; equal games give equal data."""
        return {
            "game": self.code,
            "deck": self.deck,
            "decks": self.decks,
            "fractions": self.fractions,
            "betting": self.betting,
            "dealer_ends": self.dealer_ends,
            "deeds": sorted(self.deeds),
            "ends_with_bet": self.ends_with_bet,
            "pocket": self.pocket,
            "seat": self.seat,
            "one_bet": self.one_bet,
            "locked": self.locked,
            "ratio": None if self.ratio is None else str(self.ratio),
            "suit_multiple": self.suit_multiple,
            "secondary_bets": self.secondary_bets,
            "names_card": self.names_card,
            "kinds": [
                {
                    "name": kind.name,
                    "touched_by": kind.touched_by,
                    "judged_on": kind.judged_on,
                    "lines": [_line_data(line) for line in kind.lines],
                }
                for kind in self.kinds
            ],
        }

    def canonical(self) -> str:
        """Return the data as canonical text (RFC 8785: keys sorted, no spaces, no floats)."""
        return json.dumps(self.data(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def digest(self) -> str:
        """Return the SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


def _line_data(line: Line) -> dict[str, Any]:
    when = {name: getattr(line.when, name) for name in When.__slots__ if getattr(line.when, name) is not None}
    effect = line.effect
    return {
        "when": when,
        "outcome": effect.outcome,
        "take": str(effect.take),
        "pay": str(effect.pay),
        "rest": effect.rest,
        "paid_to": effect.paid_to,
        "clause": line.clause,
    }
