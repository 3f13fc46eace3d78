"""What a browser needs to play a table by itself (rules.mjs): the built game as data, the terms, the last deal's acts.

Read from the record like the console's state, and never the order of undealt cards: nobody knows it (C-3).
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from django.db import connection

from tables.queries.console import UnknownTableError
from tables.queries.record import Kept, Ledgers, event_of
from tables.rules.deal import Deal
from tables.rules.events import (
    Act,
    Cut,
    DrawCard,
    EndDeal,
    Misdeal,
    Paroli,
    PlaceBet,
    Refuse,
    Reveal,
    ShowPocket,
    Withdraw,
)
from tables.rules.terms import Terms
from tables.tablelog import FloorEvent, parse_object

MOST_EVENTS: Final = 500  # beyond it the deal as a whole is shorter
_TYPES: Final[dict[type[Act], str]] = {
    PlaceBet: "bet",
    Withdraw: "withdraw",
    Refuse: "refuse",
    Cut: "cut",
    DrawCard: "card",
    Reveal: "reveal",
    Paroli: "paroli",
    ShowPocket: "pocket",
    EndDeal: "end",
    Misdeal: "misdeal",
}
# What can be fed to a state as it was sent; after anything else the deal is handed out anew.
_PLAIN: Final = frozenset({"deal", *_TYPES.values()})


@dataclass(frozen=True, slots=True)
class TermsView:
    """What a table plays for; `bank_minor`: what a player's bank was put up as, None the house's."""

    digits: int
    min_minor: int
    max_minor: int
    chip_minor: int
    seats: int
    bank_minor: int | None


@dataclass(frozen=True, slots=True)
class DealPlayed:
    """The last deal as the record has it now, corrections worked in.

    bank_minor  a player's bank as the deal opened
    acts        what happened in it, as table-log events
    unmade      names of bets that were never made: they are not free again
    corrected   indices of the settlements that a correction marked
    """

    deal: str
    number: int
    terms: TermsView
    game: dict[str, Any]
    bank_minor: int | None
    acts: tuple[dict[str, Any], ...]
    unmade: tuple[str, ...]
    take_backs: int
    corrected: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Playing:
    """A table as of the journal's `sequence`; terms and game hold from the next deal on. `number`: deals so far."""

    sequence: int
    hash: str
    terms: TermsView
    game: dict[str, Any]
    game_digest: str
    bank_minor: int | None
    number: int
    deal: DealPlayed | None

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Since:
    """The events of play after a sequence, when they are all that is new."""

    sequence: int
    hash: str
    events: tuple[dict[str, Any], ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


_HEAD = """
SELECT h.table_id, h.journal_id, h.last_deal_id, h.sequence, h.hash
FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE t.code = %s
"""
_EVENTS = """
SELECT text FROM tables_entry WHERE journal_id = %s AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s
"""
_ledgers = Ledgers()


def playing(code: str, since: int | None = None) -> Playing | Since:
    """Read what plays a table, or only what is new since a sequence. Raises: UnknownTableError."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [code])
        row = cursor.fetchone()
    if row is None:
        raise UnknownTableError(code)
    table_id, journal_id, last_deal_id, sequence, hash = row
    if since is not None and since <= sequence:
        events = _events(journal_id, since, sequence)
        if events is not None:
            return Since(sequence, hash, events)
    ledger = _ledgers.take(table_id, journal_id, last_deal_id, sequence, hash).ledger
    try:
        state = ledger.state
        terms, deal = state.terms, state.deal
        assert terms is not None, "a table's first entry is its `table` line"
        played = None if deal is None else _played(deal, ledger.deal_number)
        game = terms.game
        return Playing(
            sequence, hash, _terms(terms), game.data(), game.digest(), state.bank, ledger.deal_number, played
        )
    finally:
        _ledgers.put(table_id, sequence, hash, Kept(ledger))


def _events(journal_id: int, since: int, until: int) -> tuple[dict[str, Any], ...] | None:
    """Return the events of play of a journal, None where others are among them or they are too many."""
    if until - since > MOST_EVENTS:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_EVENTS, [journal_id, since, until, MOST_EVENTS])
        entries: list[Mapping[str, Any]] = [json.loads(text) for (text,) in cursor.fetchall()]
    events = [event_of(entry) for entry in entries]
    played = [event for event in events if not isinstance(parse_object(event), FloorEvent)]
    if not all(event["type"] in _PLAIN for event in played):
        return None
    # A file's stamps are no part of what happened.
    return tuple({key: value for key, value in event.items() if key not in ("at", "by")} for event in played)


def _terms(terms: Terms) -> TermsView:
    return TermsView(terms.digits, terms.minimum, terms.maximum, terms.chip, terms.seats, terms.bank)


def _played(deal: Deal, number: int) -> DealPlayed:
    return DealPlayed(
        deal=deal.name,
        number=number,
        terms=_terms(deal.terms),
        game=deal.game.data(),
        bank_minor=deal.bank_before,
        acts=tuple(map(_act, deal.acts)),
        unmade=tuple(sorted(deal.unmade)),
        take_backs=deal.take_backs,
        corrected=tuple(index for index, each in enumerate(deal.settlements) if each.corrected),
    )


def _act(act: Act) -> dict[str, Any]:
    """Return an act as a table-log event. (One that a correction opened by its rank alone keeps that: `rank`.)"""
    given = {each.name: getattr(act, each.name) for each in fields(act)}
    return {"type": _TYPES[type(act)], **{key: value for key, value in given.items() if value is not None}}
