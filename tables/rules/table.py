"""The state of one table: its terms, its running bank and its last deal, fed with events in order.

It is the whole truth that the rules need about a table: feeding the events of the last deal to a state that stands
before it gives the same state again. It never reads a clock and keeps no deal but the last.
"""

from dataclasses import dataclass
from typing import get_args

from tables.rules.deal import Deal
from tables.rules.events import (
    Act,
    CorrectBet,
    CorrectCards,
    Event,
    OpenDeal,
    Rules,
    Table,
    UnmadeBet,
    UnrecordedBet,
)
from tables.rules.refusals import Code, Refusal
from tables.rules.settlement import Settlement
from tables.rules.terms import Terms, open_terms

ACTS = frozenset(get_args(Act))
CORRECTIONS = (CorrectCards, CorrectBet, UnmadeBet, UnrecordedBet)


@dataclass(frozen=True, slots=True)
class Corrected:
    """All settlements of a deal before and after a correction; what differs is money to be moved. Rules: C-12."""

    before: tuple[Settlement, ...]
    after: tuple[Settlement, ...]


@dataclass(slots=True)
class Outcome:
    """What came of an event.

    settlements  what it settled, in the order of C-14; of a correction: those that it marked
    correction   of a correction: the whole deal before and after
    deal         the deal that it happened in
    """

    settlements: tuple[Settlement, ...] = ()
    correction: Corrected | None = None
    deal: Deal | None = None

    @property
    def takes(self) -> tuple[Settlement, ...]:
        """After an odd card: what that card will take, unless the turn turns out a split (C-4).

        To be asked before the next event: it is computed when asked for.
        """
        return () if self.deal is None else self.deal.takes()


class TableState:
    """A table as the rules see it.

    terms    what holds from the next deal on
    bank     what a player's bank holds, in minor units, deals and corrections included; None: the house's
    deal     the last deal, also after its end
    names    names of deals that are not free; a caller that keeps them elsewhere may leave it empty
    """

    __slots__ = ("_new_bank", "_new_terms", "bank", "deal", "names", "terms")

    def __init__(self, terms: Terms | None = None, bank: int | None = None) -> None:
        self.terms = terms
        self.bank = bank
        self.deal: Deal | None = None
        self.names: set[str] = set()
        # Since the last deal ended: terms changed at all, and a bank put up.
        self._new_terms = self._new_bank = False

    @classmethod
    def before_deal(cls, terms: Terms, bank: int | None) -> "TableState":
        """Return the state of a table on which no deal is open, whatever was dealt before."""
        return cls(terms, bank)

    @property
    def in_deal(self) -> bool:
        return self.deal is not None and not self.deal.finished

    def apply(self, event: Event) -> Outcome:
        """Record an event and say what came of it. Raises Refusal and changes nothing."""
        deal = self.deal
        if deal is not None and type(event) in ACTS:  # what happens most is asked first
            settled = deal.apply(event)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - it is in ACTS
            if not settled and not len(deal.cards) % 2:
                return _NOTHING
            self.bank = deal.bank
            return Outcome(tuple(settled), None, deal)
        if isinstance(event, Table):
            return self._open_table(event)
        if self.terms is None:
            raise Refusal(Code.BAD_LINE, "The first line of a table log is its table.")
        if isinstance(event, Rules):
            return self._change_terms(self.terms, event)
        if isinstance(event, OpenDeal):
            return self._open_deal(self.terms, event)
        if deal is None:
            raise Refusal(Code.DEAL_FINISHED, "No deal is open.")
        assert isinstance(event, CORRECTIONS)
        return self._correct(deal, event)

    def _open_table(self, event: Table) -> Outcome:
        if self.terms is not None:
            raise Refusal(Code.BAD_LINE, "A table log has one table line, the first.")
        self.terms = open_terms(event)
        self.bank = self.terms.bank
        return _NOTHING

    def _change_terms(self, terms: Terms, event: Rules) -> Outcome:
        changed = terms.changed(event)
        self._refuse_inside_deal()
        self.terms = changed
        self._new_terms = True
        if event.banker is not None:
            self.bank = changed.bank
            self._new_bank = True
        return _NOTHING

    def _open_deal(self, terms: Terms, event: OpenDeal) -> Outcome:
        if event.deal in self.names:
            raise Refusal(Code.DUPLICATE_DEAL, f"There is a deal {event.deal!r} already.", value=event.deal)
        self._refuse_inside_deal()
        self.names.add(event.deal)
        self.deal = Deal(terms, event.deal, self.bank)
        self._new_terms = self._new_bank = False
        return _NOTHING

    def _refuse_inside_deal(self) -> None:
        if self.deal is not None and not self.deal.finished:
            raise Refusal(Code.DEAL_NOT_FINISHED, f"Deal {self.deal.name!r} has not ended.", value=self.deal.name)

    def _correct(self, deal: Deal, event: CorrectCards | CorrectBet | UnmadeBet | UnrecordedBet) -> Outcome:
        corrected = deal.corrected(event)
        if self._new_terms and not corrected.finished:
            raise Refusal(
                Code.DEAL_NOT_FINISHED,
                f"With this correction deal {deal.name!r} would still be open, and the terms have changed since.",
                value=deal.name,
            )
        if not self._new_bank:  # a bank put up since the deal ended stays what it was put up as
            self.bank = corrected.bank
        self.deal = corrected
        before = {settlement.words() for settlement in deal.settlements}
        marked = tuple(each for each in corrected.settlements if each.words() not in before)
        before_and_after = Corrected(tuple(deal.settlements), tuple(corrected.settlements))
        return Outcome(marked, before_and_after, corrected)


_NOTHING = Outcome()
