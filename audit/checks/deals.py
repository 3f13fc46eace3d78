"""A deal settled again from what was recorded of it, and compared with what was recorded. Nothing is raised.

Rules: C-5, C-6, C-12, C-14. The engine is the one that settled at the table; `audit.second_engine` is another.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.checks.records import BetRow, CardRow, DealRecord, EventEntry, SettlementRow
from tables import tablelog
from tables.rules.bet import Bet
from tables.rules.cards import RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.events import Table
from tables.rules.refusals import Refusal
from tables.rules.settlement import Settlement
from tables.rules.table import TableState
from tables.rules.terms import Terms, open_terms

# Outcomes that a deed brings about, not a card.
BY_DEED = frozenset({"withdrawn", "refused", "returned", "void"})

Key = tuple[str, int, bool]


@dataclass(frozen=True, slots=True)
class Refused:
    """An event on record that the rules refuse today, or that cannot be read."""

    sequence: int
    type: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class SettledAgain:
    """A deal as the engine sees it after all its recorded events; None if it did not even open."""

    deal: Deal | None
    terms: Terms | None
    refused: Sequence[Refused]


def settle_again(record: DealRecord) -> SettledAgain:
    """Feed the recorded events of a deal to a table that stands before it."""
    refused: list[Refused] = []
    try:
        opening = tablelog.parse_line(record.terms)
        if not isinstance(opening, Table):
            return SettledAgain(None, None, (Refused(0, "table", "bad_line", "The rules version names no table."),))
        terms = open_terms(opening)
    except Refusal as refusal:
        return SettledAgain(None, None, (Refused(0, "table", refusal.code, refusal.message),))
    state = TableState.before_deal(terms, record.bank_minor)
    for entry in record.entries:
        if entry.type in ("rules", "table"):
            continue
        try:
            event = tablelog.parse_object(dict(entry.event))
            if not isinstance(event, tablelog.FloorEvent):
                state.apply(event)
        except Refusal as refusal:
            refused.append(Refused(entry.sequence, entry.type, refusal.code, refusal.message))
    return SettledAgain(state.deal, terms, tuple(refused))


@dataclass(frozen=True, slots=True)
class Compared:
    """A place where something was settled: as recorded and as recomputed. One of them may be missing.

    `same` where outcome, turn and the five amounts are equal.
    """

    recorded: SettlementRow | None
    recomputed: Settlement | None
    same: bool


def key_of(compared: Compared) -> Key:
    """Return the place of a compared settlement."""
    if compared.recorded is not None:
        return compared.recorded.bet, compared.recorded.position, compared.recorded.by_deed
    due = compared.recomputed
    assert due is not None
    return due.bet, due.position, due.outcome in BY_DEED


def compare_settlements(record: DealRecord, deal: Deal | None) -> Iterator[Compared]:
    """Yield every settlement, recorded or due, in the order in which the deal settles them (C-14).

    Recorded settlements that are not due come last.
    """
    recorded: dict[Key, SettlementRow] = {(row.bet, row.position, row.by_deed): row for row in record.settlements}
    for due in deal.settlements if deal else ():
        row = recorded.pop((due.bet, due.position, due.outcome in BY_DEED), None)
        yield Compared(row, due, row is not None and _same(row, due))
    for row in recorded.values():
        yield Compared(row, None, False)


def _same(row: SettlementRow, due: Settlement) -> bool:
    return (
        row.stake_minor == due.stake
        and row.paid_minor == due.paid
        and row.taken_minor == due.taken
        and row.returned_minor == due.returned
        and row.standing_minor == due.standing
        and row.outcome == due.outcome
        and row.turn == due.turn
    )


def differing_cards(rows: Sequence[CardRow], deal: Deal | None) -> list[str]:
    """Describe each position whose row is not the card of the journal ("7: QS, journal QH")."""
    stored = {row.position: row.card for row in rows if row.card is not None}
    due = {} if deal is None else {at: card.text for at, card in enumerate([*deal.cards, *deal.pocket], start=1)}
    return [
        f"{at}: {stored.get(at) or '–'} ≠ {due.get(at) or '–'}"
        for at in sorted(stored.keys() | due.keys())
        if stored.get(at) != due.get(at)
    ]


def differing_bets(rows: Sequence[BetRow], deal: Deal | None) -> list[str]:
    """Name each bet whose row is not the bet of the journal: seat, rank, suit, amount, when it stood."""
    stored = {row.name: row for row in rows if row.made}
    due = {} if deal is None else deal.bets
    return [name for name in [*due, *(stored.keys() - due.keys())] if not _same_bet(stored.get(name), due.get(name))]


def _same_bet(row: BetRow | None, bet: Bet | None) -> bool:
    if row is None or bet is None:
        return False
    if row.kind == "sealed" and bet.was_sealed:
        named = True  # the row keeps it face down; what it was opened with is a deed of its own
    else:
        rank = None if bet.rank is None else RANKS[bet.rank]
        suit = None if bet.suit is None else SUITS[bet.suit]
        named = row.rank == rank and row.suit == suit
    return (
        named
        and row.seat == bet.seat
        and row.amount_minor == bet.amount
        and row.after == bet.after
        and row.of == bet.of
    )


def not_conserving(rows: Sequence[SettlementRow]) -> list[Key]:
    """Name the settlements that break stake + paid = taken + returned + standing, or have a negative amount."""
    return [
        (row.bet, row.position, row.by_deed)
        for row in rows
        if row.stake_minor + row.paid_minor != row.taken_minor + row.returned_minor + row.standing_minor
        or min(row.stake_minor, row.paid_minor, row.taken_minor, row.returned_minor, row.standing_minor) < 0
    ]


def broken_stakes(record: DealRecord) -> list[Key]:
    """Name the settlements whose stake is not what stood of the bet before them."""
    standing = {bet.name: bet.amount_minor for bet in record.bets if bet.made}
    found: list[Key] = []
    for row in sorted(record.settlements, key=lambda row: (row.position, row.by_deed)):
        if standing.get(row.bet) != row.stake_minor:
            found.append((row.bet, row.position, row.by_deed))
        standing[row.bet] = row.standing_minor
    return found


def unsettled_and_unfounded(record: DealRecord, finished: bool) -> list[str]:
    """Name the bets of a finished deal that still stand, and the settlements of bets that were not made."""
    standing = {bet.name: bet.amount_minor for bet in record.bets if bet.made}
    unfounded = [row.bet for row in record.settlements if row.bet not in standing]
    for row in sorted(record.settlements, key=lambda row: (row.position, row.by_deed)):
        standing[row.bet] = row.standing_minor
    return [*unfounded, *(name for name, left in standing.items() if left and finished)]


@dataclass(frozen=True, slots=True)
class CardCount:
    """A deal's card rows counted against its shoe."""

    shoe: int
    recorded: int
    beyond: Sequence[tuple[str, int, int]]
    """Card, how often it was recorded, how often the shoe holds it; 0 where the deck has no such card."""
    missing: Sequence[int]
    """Positions without a card below the last one recorded."""


def count_cards(rows: Sequence[CardRow], terms: Terms | None) -> CardCount:
    """Count each card of a deal against the shoe that its rules version names. Rules: C-2, C-5."""
    lain = {row.position: row.card for row in rows if row.card is not None}
    if terms is None:
        return CardCount(0, len(lain), (), ())
    game = terms.game
    ranks = RANKS[13 - game.deck // 4 :]
    seen = Counter(lain.values())
    beyond = [
        (card, times, game.decks if card[0] in ranks else 0)
        for card, times in sorted(seen.items())
        if times > (game.decks if card[0] in ranks else 0)
    ]
    return CardCount(
        game.deck * game.decks,
        len(lain),
        tuple(beyond),
        tuple(at for at in range(1, max(lain, default=0)) if at not in lain),
    )


def drawn_by(record: DealRecord) -> dict[int, EventEntry]:
    """Return the entry that drew the card of each position, the one that lies there now."""
    drawn: dict[int, EventEntry] = {}
    position = 0
    for entry in record.entries:
        if entry.type == "card":
            position += 1
            drawn[position] = entry
        elif entry.type == "pocket":
            for _card in range(4):
                position += 1
                drawn[position] = entry
        elif entry.type == "correct":
            cards = entry.event.get("cards")
            if isinstance(cards, dict) and any(card is None for card in cards.values()):
                drawn.pop(position, None)
                position -= 1
    return drawn
