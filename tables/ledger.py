"""What an event of play adds to the record: facts, as plain data, row by row. Plain Python; it stores nothing.

A ledger is fed with the events of a table in their order, as `TableState` is, and says for each which rows it makes.
The same data is sealed in the journal entry, inserted into the tables of facts, and compared with them by the audit.
A ledger rebuilt from a deal's events makes the same rows again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from tables import tablelog
from tables.rules.bet import Bet
from tables.rules.cards import RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.events import (
    Cut,
    DrawCard,
    EndDeal,
    Event,
    Misdeal,
    OpenDeal,
    Paroli,
    PlaceBet,
    Refuse,
    Reveal,
    Rules,
    ShowPocket,
    Table,
    Withdraw,
)
from tables.rules.settlement import Settlement
from tables.rules.table import CORRECTIONS, Corrected, Outcome, TableState
from tables.rules.terms import Terms

Row: TypeAlias = dict[str, Any]
Facts: TypeAlias = dict[str, list[Row]]

BY_DEED: Final = frozenset({"withdrawn", "refused", "returned", "void"})
AMOUNTS: Final = ("stake", "paid", "taken", "returned", "standing")
_TERMS: Final = ("min", "max", "chip", "seats", "rules", "banker")


@dataclass(frozen=True, slots=True)
class After:
    """The last card as somebody knows it: in which deal, at which position, after how many cards taken back."""

    deal: str | None
    position: int
    take_backs: int

    def data(self) -> Row:
        return {"deal": self.deal, "position": self.position, "take_backs": self.take_backs}


@dataclass(frozen=True, slots=True)
class Made:
    """What an event made: rows by the name of their table, and what the odd card will take."""

    outcome: Outcome
    facts: Facts
    takes: list[Row] = field(default_factory=list)


class Ledger:
    """A table's state together with the numbers that its next rows get.

    line         the `table` line that holds, `rules` lines merged into it, as sent
    version      number of the rules version that holds
    deal_number  number of the last deal at this table
    """

    __slots__ = ("_corrections", "_counts", "_ordinals", "_revisions", "deal_number", "line", "state", "version")

    def __init__(self, state: TableState | None = None, line: Row | None = None, version: int = 0, deals: int = 0):
        self.state: Final = state if state is not None else TableState()
        self.line: Row = line if line is not None else {}
        self.version = version
        self.deal_number = deals
        self._corrections = 0
        self._revisions: dict[tuple[object, ...], int] = {}  # next revision of a row that a correction touched
        self._counts: dict[int, int] = {}  # bets placed so far, by the position after which they stood
        self._ordinals: dict[str, int] = {}

    @classmethod
    def before_deal(cls, line: Row, bank: int | None, version: int, deals: int) -> "Ledger":
        """Return the ledger of a table with no deal open, after that many deals."""
        terms = terms_of(line)
        return cls(TableState.before_deal(terms, bank), line, version, deals)

    @property
    def after(self) -> After:
        deal = self.state.deal
        return After(None, 0, 0) if deal is None else After(deal.name, deal.position, deal.take_backs)

    def apply(self, event: Event, sent: Mapping[str, Any], approval: Row | None = None) -> Made:
        """Feed an event and return the rows that it makes. Raises Refusal and changes nothing.

        `sent` is the event as it was sent; `approval` completes the row of a correction: author, approver, given.
        """
        state = self.state
        before = state.deal
        alone = isinstance(event, CORRECTIONS) and before is not None and before.alone(event)
        outcome = state.apply(event)
        if isinstance(event, Table | Rules):
            return Made(outcome, {"rules_version": [self._rules_version(event, sent)]})
        deal = state.deal
        assert deal is not None, "every other event belongs to a deal"
        if isinstance(event, OpenDeal):
            return Made(outcome, {"deal": [self._open(deal)]})
        if isinstance(event, CORRECTIONS):
            assert before is not None
            assert outcome.correction is not None
            facts = self._correct(before, deal, outcome.correction, alone, approval or {})
        else:
            facts = self._facts(deal, event)
            if outcome.settlements:
                facts["settlement"] = [self._settlement(each) for each in outcome.settlements]
        return Made(outcome, facts, [settlement_row(each) for each in outcome.takes])

    # -- rows

    def _rules_version(self, event: Table | Rules, sent: Mapping[str, Any]) -> Row:
        terms = self.state.terms
        assert terms is not None
        kept = ("type", "table", "game", "currency") if isinstance(event, Table) else ()
        self.line = {**self.line, **{key: sent[key] for key in (*kept, *_TERMS) if key in sent}}
        self.version += 1
        return {
            "number": self.version,
            "game": terms.game_code,
            "currency": terms.currency,
            "digits": terms.digits,
            "min_minor": terms.minimum,
            "max_minor": terms.maximum,
            "chip_minor": terms.chip,
            "seats": terms.seats,
            "bank_minor": terms.bank,
            "terms": dict(self.line),
            "game_digest": terms.game.digest(),
        }

    def _open(self, deal: Deal) -> Row:
        self.deal_number += 1
        self._corrections = 0
        self._revisions = {}
        self._counts = {}
        self._ordinals = {}
        return {
            "name": deal.name,
            "number": self.deal_number,
            "rules_version": self.version,
            "bank_minor": deal.bank_before,
        }

    def _facts(self, deal: Deal, event: Event) -> Facts:
        match event:
            case DrawCard():
                return {"card": [self._card(deal.cards[-1].text, deal.position, False)]}
            case PlaceBet() | Paroli():
                return {"bet": [self._bet(deal.bets[event.bet])]}
            case ShowPocket():
                first = len(deal.cards) + 1
                return {
                    "card": [self._card(card.text, position, True) for position, card in enumerate(deal.pocket, first)]
                }
            case Withdraw():
                return {"deed": [_deed("withdraw", deal, bet=event.bet)]}
            case Refuse():
                return {"deed": [_deed("refuse", deal, bet=event.bet)]}
            case Reveal():
                return {"deed": [_deed("reveal", deal, bet=event.bet, card=_named(deal.bets[event.bet]))]}
            case Cut():
                return {"deed": [_deed("cut", deal, seat=event.seat)]}
            case EndDeal():
                return {"deed": [_deed("end", deal)]}
            case Misdeal():
                return {"deed": [_deed("misdeal", deal)]}
            case _:  # pragma: no cover
                raise AssertionError(f"{event!r} is no act")

    def _revision(self, *key: object) -> int:
        revision = self._revisions.get(key)
        if revision is None:
            return 0
        self._revisions[key] = revision + 1
        return revision

    def _revise(self, *key: object) -> int:
        """Return the revision that a correction writes, and remember that a next one follows."""
        revision = self._revisions.get(key, 1)
        self._revisions[key] = revision + 1
        return revision

    def _card(self, text: str | None, position: int, pocket: bool) -> Row:
        return {
            "position": position,
            "revision": self._revision("card", position),
            "card": text,
            "pocket": pocket,
        }

    def _bet(self, bet: Bet) -> Row:
        ordinal = self._counts.get(bet.after, 0) + 1
        self._counts[bet.after] = self._ordinals[bet.name] = ordinal
        return {**_bet_fields(bet), "revision": 0, "made": True, "ordinal": ordinal}

    def _settlement(self, settlement: Settlement) -> Row:
        row = settlement_row(settlement)
        row["revision"] = self._revision(*_key(row)) if self._revisions else 0
        return row

    def _correct(self, before: Deal, after: Deal, corrected: Corrected, alone: bool, approval: Row) -> Facts:
        """Return what a correction makes: its own row, and a new revision of every row that differs."""
        self._corrections += 1
        row = {"author": "", "approver": "", "given": False, **approval, "number": self._corrections, "alone": alone}
        if alone:
            row |= {"approver": "", "given": False}
        facts: Facts = {
            "correction": [row],
            "card": self._corrected_cards(before, after),
            "bet": [],
            "deed": [],
            "settlement": self._corrected_settlements(corrected),
            "adjustment": _adjustments(before, after, corrected),
        }
        for name in {**before.bets, **after.bets}:
            self._correct_bet(facts, before.bets.get(name), after.bets.get(name), after)
        return {name: rows for name, rows in facts.items() if rows}

    def _corrected_cards(self, before: Deal, after: Deal) -> list[Row]:
        old, new = [*before.cards, *before.pocket], [*after.cards, *after.pocket]
        rows = []
        for position, card in enumerate(old, 1):
            text = new[position - 1].text if position <= len(new) else None
            if text != card.text:
                pocket = position > len(before.cards)
                revision = self._revise("card", position)
                rows.append({"position": position, "revision": revision, "card": text, "pocket": pocket})
        return rows

    def _correct_bet(self, facts: Facts, old: Bet | None, new: Bet | None, deal: Deal) -> None:
        if old is None:
            assert new is not None
            facts["bet"].append(self._bet(new))
            return
        fields = _bet_fields(old if new is None else new)
        if new is None or fields != _bet_fields(old):
            # No correction moves a bet to another place.
            row = {**fields, "revision": self._revise("bet", old.name), "made": new is not None}
            facts["bet"].append({**row, "ordinal": self._ordinals[old.name]})
        if new is not None and new.was_sealed and not new.sealed and _named(new) != _named(old):
            facts["deed"].append(_deed("reveal", deal, bet=new.name, card=_named(new)))

    def _corrected_settlements(self, corrected: Corrected) -> list[Row]:
        old = {_key(row): (row, each) for each in corrected.before for row in [settlement_row(each)]}
        new = {_key(row): (row, each) for each in corrected.after for row in [settlement_row(each)]}
        rows = []
        for key, (row, each) in new.items():
            if key not in old:
                rows.append({**row, "revision": self._revision(*key)})
            elif old[key][1].words() != each.words():
                rows.append({**row, "revision": self._revise(*key)})
        for key, (row, _) in old.items():
            if key not in new:
                nothing = dict.fromkeys([f"{amount}_minor" for amount in AMOUNTS], 0)
                rows.append({**row, **nothing, "outcome": "annulled", "clause": "", "revision": self._revise(*key)})
        return rows


def terms_of(line: Mapping[str, Any]) -> Terms:
    """Read the terms of a `table` line."""
    state = TableState()
    event = tablelog.parse_object(line)
    assert isinstance(event, Table)
    state.apply(event)
    assert state.terms is not None
    return state.terms


def settlement_row(settlement: Settlement) -> Row:
    """Return a settlement as the fact that it becomes, its revision left out."""
    return {
        "bet": settlement.bet,
        "seat": settlement.seat,
        "turn": settlement.turn,
        "position": settlement.position,
        "by_deed": settlement.outcome in BY_DEED,
        "outcome": settlement.outcome,
        "stake_minor": settlement.stake,
        "paid_minor": settlement.paid,
        "taken_minor": settlement.taken,
        "returned_minor": settlement.returned,
        "standing_minor": settlement.standing,
        "clause": settlement.clause,
    }


def _key(row: Row) -> tuple[object, ...]:
    return row["bet"], row["position"], row["by_deed"]


def _bet_fields(bet: Bet) -> Row:
    sealed = bet.was_sealed
    return {
        "name": bet.name,
        "seat": bet.seat,
        "kind": "sealed" if sealed else bet.kind.name,
        "rank": None if sealed or bet.rank is None else RANKS[bet.rank],
        "suit": None if sealed or bet.suit is None else SUITS[bet.suit],
        "amount_minor": bet.amount,
        "after": bet.after,
        "of": bet.of,
    }


def _named(bet: Bet) -> str:
    """Return the card with which a sealed bet was opened, or its rank alone."""
    assert bet.rank is not None
    return RANKS[bet.rank] + ("" if bet.suit is None else SUITS[bet.suit])


def _deed(type: str, deal: Deal, *, bet: str | None = None, card: str | None = None, seat: int | None = None) -> Row:
    return {"type": type, "position": deal.position, "bet": bet, "card": card, "seat": seat}


def _adjustments(before: Deal, after: Deal, corrected: Corrected) -> list[Row]:
    """Return what the correction moves, bet by bet: the sums that hold now less those that held before."""
    old, new = _sums(before, corrected.before), _sums(after, corrected.after)
    nothing = (0,) * len(AMOUNTS)
    rows = []
    for bet in {**old, **new}:
        differences = [now - then for now, then in zip(new.get(bet, nothing), old.get(bet, nothing), strict=True)]
        if any(differences):
            rows.append({"bet": bet, **{f"{a}_minor": d for a, d in zip(AMOUNTS, differences, strict=True)}})
    return rows


def _sums(deal: Deal, settlements: Iterable[Settlement]) -> dict[str, tuple[int, ...]]:
    """Return (amount, paid, taken, returned, standing) of each bet over its whole life in the deal."""
    sums = {bet.name: [bet.amount, 0, 0, 0, bet.standing] for bet in deal.bets.values()}
    for each in settlements:
        of_bet = sums[each.bet]
        of_bet[1] += each.paid
        of_bet[2] += each.taken
        of_bet[3] += each.returned
    return {bet: tuple(amounts) for bet, amounts in sums.items()}
