"""What a console needs of its table: terms, the deal as it stands, what to take and what was settled last.

Read from the record, never from the door: a ledger of its own, caught up with the journal. Nothing in it says or
hints at the order of undealt cards (C-3).
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from django.db import connection

from tables.models import ConsoleOptions, Entry, Mispay
from tables.queries.people import on_duty
from tables.queries.record import OPENS_BETS, OPENS_TURN, Kept, Ledgers, OptionsView, event_of, last_type, options
from tables.rules.bet import Bet
from tables.rules.cards import RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.settlement import Settlement

CARDS_SHOWN = 12
TURNS_SHOWN = 3

_ledgers = Ledgers()


class UnknownTableError(Exception):
    """There is no such table."""


@dataclass(frozen=True, slots=True)
class AfterView:
    """The last card, as the next event's sender must know it."""

    deal: str | None
    position: int
    take_backs: int


@dataclass(frozen=True, slots=True)
class TableView:
    """A table and the terms that hold from its next deal on; `bank_minor`: what a player's bank holds now."""

    code: str
    name: str
    pit: str | None
    game: str
    currency: str
    digits: int
    state: str
    gaming_date: str | None
    rules_version: int
    min_minor: int
    max_minor: int
    chip_minor: int
    seats: int
    rules: dict[str, Any]
    game_digest: str
    bank_minor: int | None


@dataclass(frozen=True, slots=True)
class StandingBet:
    """A bet that stands. `card`: the one that an open pharaon bet names; `bends`: corners bent on the way to it."""

    bet: str
    seat: int
    kind: str
    rank: str | None
    suit: str | None
    card: str | None
    amount_minor: int
    standing_minor: int
    sealed: bool
    dormant: bool
    of: str | None
    bends: int
    after: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class SettledBet:
    """What happened, or will happen, to a bet, and what bet it is or was.

    `was_sealed`: it was opened after the odd card's list, so that it is taken or paid when it is opened.
    """

    deal: str
    turn: int
    position: int
    bet: str
    seat: int
    outcome: str
    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int
    corrected: bool
    clause: str
    kind: str
    rank: str | None
    suit: str | None
    card: str | None
    amount_minor: int
    of: str | None
    was_sealed: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """A complete turn, its two sums and what the bank has of it."""

    turn: int
    odd: str
    even: str
    split: bool
    taken_minor: int
    paid_minor: int
    bank_minor: int
    settlements: tuple[SettledBet, ...]


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card and its position."""

    position: int
    card: str


@dataclass(frozen=True, slots=True)
class DealView:
    """The last deal, also after its end. `settlements`: what was settled last. Bets in the order of placing."""

    deal: str
    number: int
    position: int
    turn: int
    turn_open: bool
    take_backs: int
    finished: bool
    cut: bool
    betting_closed: bool
    splits: int
    size: int
    undealt: tuple[int, ...]
    odd: str | None
    even: str | None
    cards: tuple[DealtCard, ...]
    pocket: tuple[str, ...]
    bets: tuple[StandingBet, ...]
    takes: tuple[SettledBet, ...]
    settlements: tuple[SettledBet, ...]
    last_turns: tuple[TurnView, ...]
    bet_count: int
    taken_minor: int
    paid_minor: int


@dataclass(frozen=True, slots=True)
class WaitingView:
    """A correction that waits for a second person."""

    id: str
    event: dict[str, Any]
    author: str
    author_name: str
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class DealerView:
    """Who deals, and since when."""

    staff: str
    name: str
    since: datetime


@dataclass(frozen=True, slots=True)
class HeadMark:
    """Where a table's journal stands, and who is there. `shared`: somebody is signed on beside the pen's device."""

    sequence: int
    pen_id: int | None
    shared: bool
    mark: str


@dataclass(frozen=True, slots=True)
class ProposalView:
    """What another device sent while the pen was silent, and the dealer has not entered; `id`: as it was sent."""

    id: str
    event: dict[str, Any]
    author: str
    author_name: str
    proposed_at: datetime
    declined: bool


@dataclass(frozen=True, slots=True)
class DeskView:
    """Who is at a table with which device, and what the house asks for there.

    pen         the device that enters the cards, None: whoever comes first
    silent      it has not been heard: other devices' bets are no more than proposals
    controller  somebody is signed on for the bets
    down        bets are down; confirmed: the last turn is; both only where the house asks for it
    proposals   what waits for the holder of the pen, and what he has declined in this deal
    """

    mark: str
    pen: str | None
    silent: bool
    controller: bool
    options: OptionsView | None
    down: bool
    confirmed: bool
    proposals: tuple[ProposalView, ...]


@dataclass(frozen=True, slots=True)
class ConsoleState:
    """A table as its console shows it, as of the journal's `sequence`."""

    sequence: int
    hash: str
    server_at: datetime
    after: AfterView
    table: TableView
    desk: DeskView
    bet_kinds: dict[str, bool]
    next_deal: str
    dealer: DealerView | None
    deal: DealView | None
    waiting: tuple[WaitingView, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        data: dict[str, Any] = plain(self)
        return data


def plain(value: Any) -> Any:
    """Return values as dicts and lists. `dataclasses.asdict` copies every leaf and takes five times as long."""
    names = getattr(type(value), "__dataclass_fields__", None)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    return [plain(each) for each in value] if isinstance(value, tuple) else value


# The device with the pen, whether it is silent, whether a bet controller is there, and how many proposals there are.
_DESK = """d.code, COALESCE((
    SELECT r.heard_at < clock_timestamp() - interval '3 seconds' FROM tables_heard r WHERE r.device_id = h.pen_id
) AND EXISTS (
    SELECT 1 FROM tables_signon s WHERE s.table_id = h.table_id AND s.ended_at IS NULL AND s.device_id <> h.pen_id
), false), EXISTS (
    SELECT 1 FROM tables_signon s
    WHERE s.table_id = h.table_id AND s.ended_at IS NULL AND s.role = 'bet_controller'
), (SELECT concat(count(*), '-', count(y.declined_at)) FROM tables_proposal y WHERE y.deal_id = h.live_deal_id)"""
_HEAD = """
SELECT h.table_id, h.journal_id, h.sequence, h.hash, h.state, h.last_deal_id, t.code, t.name, p.name, t.game,
    t.currency, o.gaming_date, v.number, v.digits, v.game_digest, h.options_id, {desk}, clock_timestamp(),
    (SELECT 1 + max(d.name::bigint) FROM tables_deal d WHERE d.table_id = t.id AND d.name ~ '^[1-9][0-9]{0,8}$')
FROM tables_table t JOIN tables_tablehead h ON h.table_id = t.id LEFT JOIN tables_pit p ON p.id = t.pit_id
LEFT JOIN tables_opening o ON o.id = h.opening_id LEFT JOIN tables_rulesversion v ON v.id = h.rules_version_id
LEFT JOIN tables_device d ON d.id = h.pen_id
WHERE t.code = %s
""".replace("{desk}", _DESK)
_MARK = f"""
SELECT h.sequence, h.pen_id, h.options_id, EXISTS (
    SELECT 1 FROM tables_signon s WHERE s.table_id = h.table_id AND s.ended_at IS NULL AND s.device_id <> h.pen_id
), {_DESK}
FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id LEFT JOIN tables_device d ON d.id = h.pen_id
WHERE t.code = %s
"""  # noqa: S608 # our own text
_WAITING = """
SELECT w.id::text, w.envelope::json->'event', w.author, s.name, w.asked_at
FROM tables_waitingcorrection w LEFT JOIN tables_staff s ON s.id = w.author_staff_id
WHERE w.table_id = %s AND w.state = 'waiting' ORDER BY w.asked_at, w.id
"""


_PROPOSALS = """
SELECT y.id::text, y.event::json, s.number, s.name, y.proposed_at, y.declined_at IS NOT NULL
FROM tables_proposal y JOIN tables_staff s ON s.id = y.staff_id
WHERE y.deal_id = %s ORDER BY y.proposed_at, y.id
"""


def head_sequence(code: str) -> int:
    """Return the sequence at which a table's journal stands. Raises: UnknownTableError."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT h.sequence FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE t.code = %s",
            [code],
        )
        row = cursor.fetchone()
    if row is None:
        raise UnknownTableError(code)
    return int(row[0])


def head(code: str) -> HeadMark:
    """Say where a table's journal stands and who is at the table, in one query. Raises: UnknownTableError."""
    with connection.cursor() as cursor:
        cursor.execute(_MARK, [code])
        row = cursor.fetchone()
    if row is None:
        raise UnknownTableError(code)
    sequence, pen_id, options_id, shared, *desk = row
    return HeadMark(sequence, pen_id, shared, _mark(options_id, *desk))


def _desk(
    journal_id: int,
    sequence: int,
    options_id: int | None,
    about: tuple[str | None, bool, bool, str],
    proposals: tuple[ProposalView, ...],
) -> DeskView:
    pen, silent, controller, _count = about
    asked = None if options_id is None else options(options_id)
    down = asked is not None and asked.bets_down and last_type(journal_id, sequence, OPENS_BETS) == "bets_down"
    confirms = asked is not None and (asked.confirm or asked.check_minor is not None)
    return DeskView(
        mark=_mark(options_id, *about),
        pen=pen,
        silent=silent,
        controller=controller,
        options=asked,
        down=down,
        confirmed=confirms and last_type(journal_id, sequence, OPENS_TURN) == "confirm",
        proposals=proposals,
    )


def _mark(options_id: int | None, pen: str | None, silent: bool, controller: bool, proposals: str) -> str:
    return f"{options_id or 0}.{silent:d}.{controller:d}.{proposals}.{pen or ''}"


def _proposals(deal_id: int, deal: Deal | None) -> tuple[ProposalView, ...]:
    """List what was proposed in a deal and is not in its record yet, in the order of proposing."""
    with connection.cursor() as cursor:
        cursor.execute(_PROPOSALS, [deal_id])
        found = [ProposalView(*row) for row in cursor.fetchall()]
    return tuple(each for each in found if deal is not None and not _entered(each.event, deal))


def _entered(event: dict[str, Any], deal: Deal) -> bool:
    if event["type"] in ("withdraw", "refuse"):
        return event["bet"] not in deal.standing
    return event["bet"] in deal.bets


def console_state(code: str) -> ConsoleState:
    """Read a table as its console shows it. Raises: UnknownTableError."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [code])
        row = cursor.fetchone()
        if row is None:
            raise UnknownTableError(code)
        table_id, journal_id, sequence, hash, state, last_deal_id, *about = row
        _code, name, pit, game, currency, gaming_date, version, digits, digest, options_id, *about = about
        pen, silent, controller, count, now, next_deal = about
        cursor.execute(_WAITING, [table_id])
        waiting = tuple(
            WaitingView(id, event_of({"event": event}, event), author, author_name or "", asked_at)
            for id, event, author, author_name, asked_at in cursor.fetchall()
        )
    ledger = _ledgers.take(table_id, journal_id, last_deal_id, sequence, hash).ledger
    try:
        deal, terms = ledger.state.deal, ledger.state.terms
        assert terms is not None, "a table's first entry is its `table` line"
        after = ledger.after
        proposals = () if count == "0-0" else _proposals(last_deal_id, deal)
        deeds = terms.game.deeds
        offers = {
            "rank": not terms.game.names_card,
            "card": "card" in deeds,
            "suit": "suit" in deeds,
            "sealed": "sealed" in deeds,
            "paroli": "paroli" in deeds,
            "refuse": "refuse" in deeds,
            "cut": "cut" in deeds,
            "pocket": "pocket" in deeds,
            "withdraw": True,
        }
        return ConsoleState(
            sequence=sequence,
            hash=hash,
            server_at=now,
            after=AfterView(after.deal, after.position, after.take_backs),
            table=TableView(
                code=code,
                name=name,
                pit=pit,
                game=game,
                currency=currency,
                digits=digits,
                state=state,
                gaming_date=None if gaming_date is None else gaming_date.isoformat(),
                rules_version=version,
                min_minor=terms.minimum,
                max_minor=terms.maximum,
                chip_minor=terms.chip,
                seats=terms.seats,
                rules=_rules(terms.rules, ledger.line.get("rules", {})),
                game_digest=digest,
                bank_minor=ledger.state.bank,
            ),
            desk=_desk(journal_id, sequence, options_id, (pen, silent, controller, count), proposals),
            bet_kinds=offers,
            next_deal=str(next_deal or ledger.deal_number + 1),
            dealer=_dealer(table_id),
            deal=None if deal is None else deal_view(deal, ledger.deal_number),
            waiting=waiting,
        )
    finally:
        _ledgers.put(table_id, sequence, hash, Kept(ledger))


@dataclass(frozen=True, slots=True)
class OptionsSet:
    """Options of a console with who set them."""

    number: int
    bets_down: bool
    confirm: bool
    check_minor: int | None
    author: str
    approver: str


def options_of(code: str) -> tuple[OptionsSet, ...]:
    """List the options of a table's console, those that hold first."""
    found = ConsoleOptions.objects.filter(table__code=code).order_by("-number")[:200]
    columns = ("number", "bets_down", "confirm", "check_minor", "author", "approver")
    return tuple(OptionsSet(*row) for row in found.values_list(*columns))


@dataclass(frozen=True, slots=True)
class MispayView:
    """A bet that was collected or paid otherwise than shown; `error_minor` is what the house lost by it."""

    deal: str
    bet: str
    seat: int
    way: str
    shown_minor: int
    done_minor: int
    error_minor: int
    recovered: bool
    dealer: str
    gaming_date: date


@dataclass(frozen=True, slots=True)
class ErrorsView:
    """A dealer's errors both ways: what the house lost by them, and what the players did; recovered ones apart."""

    dealer: str
    count: int
    house_lost_minor: int
    players_lost_minor: int
    recovered_count: int


def mispays(code: str, opening: int | None = None) -> tuple[MispayView, ...]:
    """List the mispays of a table, or of one opening of it, the last first."""
    found = Mispay.objects.filter(opening__table__code=code)
    if opening is not None:
        found = found.filter(opening__number=opening)
    columns = ("bet__deal__name", "bet__name", "bet__seat", "way", "shown_minor", "done_minor", "error_minor")
    rows = found.order_by("-sequence")[:1000].values_list(*columns, "recovered", "dealer", "gaming_date")
    return tuple(MispayView(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class MispayOnPaper:
    """A mispay with where and when it happened, for a report."""

    table: str
    at: datetime
    currency: str
    mispay: MispayView


def mispays_of(
    *, deals: Iterable[int] | None = None, openings: Iterable[int] | None = None
) -> tuple[MispayOnPaper, ...]:
    """List the mispays of deals, or of openings, in the order of their tables and journals."""
    found = Mispay.objects.order_by("opening__table__name", "opening__table_id", "sequence")
    if deals is not None:
        found = found.filter(bet__deal__in=deals)
    if openings is not None:
        found = found.filter(opening__in=openings)
    columns = ("bet__deal__name", "bet__name", "bet__seat", "way", "shown_minor", "done_minor", "error_minor")
    where = ("opening__table__name", "opening__table__currency", "opening__table__head__journal_id", "sequence")
    rows = list(found.values_list(*columns, "recovered", "dealer", "gaming_date", *where))
    pairs = {(row[-2], row[-1]) for row in rows}
    at = {
        (journal, sequence): happened_at
        for journal, sequence, happened_at in Entry.objects.filter(
            journal_id__in={journal for journal, _sequence in pairs},
            type="mispay",
        ).values_list("journal_id", "sequence", "happened_at")
    }
    return tuple(
        MispayOnPaper(table, at[journal, sequence], currency, MispayView(*row))
        for *row, table, currency, journal, sequence in rows
    )


def errors_of(found: Iterable[MispayView]) -> tuple[ErrorsView, ...]:
    """Sum mispays by dealer. What was recovered counts as an error and not as money."""
    by_dealer: dict[str, list[MispayView]] = {}
    for each in found:
        by_dealer.setdefault(each.dealer, []).append(each)
    return tuple(
        ErrorsView(
            dealer,
            len(rows),
            sum(max(row.error_minor, 0) for row in rows if not row.recovered),
            sum(max(-row.error_minor, 0) for row in rows if not row.recovered),
            sum(row.recovered for row in rows),
        )
        for dealer, rows in sorted(by_dealer.items())
    )


def _rules(rules: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return house rules as plain data: as they were given, and the defaults of those that were not."""
    data: dict[str, Any] = {}
    for each in fields(rules):
        value = getattr(rules, each.name)
        data[each.name] = (
            {} if each.name == "positions" else value if isinstance(value, bool | int | str) else str(value)
        )
    return data | given


def _dealer(table_id: int) -> DealerView | None:
    for duty in on_duty([table_id]).get(table_id, ()):
        if duty.role == "dealer":
            return DealerView(duty.number, duty.name, duty.since)
    return None


def deal_view(deal: Deal, number: int) -> DealView:
    """Show a deal, the table's `number`th, as the console does; so does `view` of rules.mjs in the browser."""
    cards = deal.cards
    complete = len(cards) // 2
    last_turns = tuple(_turn(deal, turn) for turn in range(complete, max(complete - TURNS_SHOWN, 0), -1))
    shown = cards[-1:] if deal.turn_open else cards[2 * complete - 2 : 2 * complete]
    bets = sorted(deal.standing.values(), key=lambda bet: bet.ordinal)
    return DealView(
        deal=deal.name,
        number=number,
        position=deal.position,
        turn=(len(cards) + 1) // 2,
        turn_open=deal.turn_open,
        take_backs=deal.take_backs,
        finished=deal.finished,
        cut=deal.cut,
        betting_closed=deal.betting_closed,
        splits=sum(odd.rank == even.rank for odd, even in zip(cards[::2], cards[1::2], strict=False)),
        size=deal.shoe.size,
        undealt=tuple(deal.undealt),
        odd=shown[0].text if shown else None,
        even=shown[1].text if len(shown) > 1 else None,
        cards=tuple(DealtCard(position, card.text) for position, card in list(enumerate(cards, 1))[-CARDS_SHOWN:]),
        pocket=tuple(card.text for card in deal.pocket),
        bets=tuple(_standing(deal, bet) for bet in bets),
        takes=tuple(settled_view(deal, each) for each in deal.takes()),
        settlements=_last(deal),
        last_turns=last_turns,
        bet_count=len(deal.bets),
        taken_minor=sum(each.taken for each in deal.settlements),
        paid_minor=sum(each.paid for each in deal.settlements),
    )


def _last(deal: Deal) -> tuple[SettledBet, ...]:
    """Return what was settled last: by the last complete turn, or by the pocket, the end or a misdeal."""
    last = [each for each in deal.settlements if each.turn >= deal.turn]
    if deal.finished and (given_back := [each for each in last if each.outcome in ("returned", "void")]):
        last = given_back
    elif deal.pocket:
        last = [each for each in last if each.turn > deal.turn]
    return tuple(
        settled_view(deal, each)
        for each in last
        if each.outcome not in ("withdrawn", "refused") and (each.turn == deal.turn or deal.pocket)
    )


def _turn(deal: Deal, turn: int) -> TurnView:
    odd, even = deal.cards[2 * turn - 2], deal.cards[2 * turn - 1]
    settled = [
        each
        for each in reversed(deal.settlements)
        if each.turn == turn and each.outcome not in ("withdrawn", "refused", "returned", "void")
    ][::-1]
    taken, paid = sum(each.taken for each in settled), sum(each.paid for each in settled)
    return TurnView(
        turn,
        odd.text,
        even.text,
        odd.rank == even.rank,
        taken,
        paid,
        taken - paid,
        tuple(settled_view(deal, each) for each in settled),
    )


def _names(bet: Bet) -> tuple[str, str | None, str | None, str | None]:
    """Return kind, rank, suit and card of a bet, as far as it is open."""
    rank = None if bet.rank is None else RANKS[bet.rank]
    suit = None if bet.suit is None else SUITS[bet.suit]
    kind = "sealed" if bet.sealed else bet.kind.name
    return kind, rank, suit, rank + suit if rank and suit else None


def _standing(deal: Deal, bet: Bet) -> StandingBet:
    bends, won = 0, bet.of
    while won is not None:
        bends, won = bends + 1, deal.bets[won].of
    return StandingBet(
        bet.name,
        bet.seat,
        *_names(bet),
        bet.amount,
        bet.standing,
        bet.sealed,
        deal.dormant(bet),
        bet.of,
        bends,
        bet.after,
        bet.ordinal,
    )


def settled_view(deal: Deal, each: Settlement) -> SettledBet:
    """Show what happened, or will happen, to a bet of a deal."""
    bet = deal.bets[each.bet]
    return SettledBet(
        each.deal,
        each.turn,
        each.position,
        each.bet,
        each.seat,
        each.outcome,
        each.stake,
        each.paid,
        each.taken,
        each.returned,
        each.standing,
        each.corrected,
        each.clause,
        *_names(bet),
        bet.amount,
        bet.of,
        bet.was_sealed,
    )
