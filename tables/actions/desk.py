"""Several devices and pairs of eyes at one table: who enters the cards, and what a card waits for.

It is the door's own hand for this. It decides about entering alone, never about play, and computes no money.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from tables import access, live
from tables.journal.chain import LARGEST, canonical
from tables.ledger import AMOUNTS, BY_DEED, Facts
from tables.models import Alert, Bet, Device, Mispay, Proposal, SignOn
from tables.queries.answers import Answer
from tables.queries.record import OPENS_BETS, OPENS_TURN, OptionsView
from tables.refusals import DoorCode
from tables.rules.deal import Deal
from tables.rules.refusals import Code, Refusal
from tables.rules.settlement import Settlement
from tables.rules.terms import parse_amount
from tables.tablelog import DeskEvent

# A device that holds the pen and has not been heard for so long may have cards that nobody has seen.
SILENT: Final = timedelta(seconds=3)
CARDS: Final = frozenset({"deal", "card", "pocket", "end"})
_PROPOSED: Final = frozenset({"bet", "withdraw", "refuse", "paroli"})
_BETS: Final = frozenset({"bet", "withdraw", "refuse", "paroli", "reveal", "cut", "bets_down"})


def check_pen(type: str, console: int, pen: int | None, heard_at: datetime | None, now: datetime) -> None:
    """Refuse what another device of the table enters alone, or what nobody can promise while it is silent.

    Raises: pen_elsewhere, pen_silent.
    """
    if pen in (None, console):
        return
    if type in CARDS:
        code = _code(pen)
        raise Refusal(DoorCode.PEN_ELSEWHERE, f"Device {code} of this table enters the cards.", device=code)
    if type in _BETS and heard_at is not None and now - heard_at > SILENT:
        code = _code(pen)
        raise Refusal(
            DoorCode.PEN_SILENT,
            f"Device {code}, which enters the cards, has been silent: its dealer enters this bet.",
            device=code,
        )


def propose(
    id: UUID, event: Mapping[str, Any], *, staff_id: int, table_id: int, deal_id: int | None, now: datetime
) -> None:
    """Keep for the dealer what was refused because the pen is silent; what was proposed in earlier deals goes."""
    if deal_id is None or event["type"] not in _PROPOSED:
        return
    Proposal.objects.filter(deal__table_id=table_id).exclude(deal_id=deal_id).delete()
    about = {"deal_id": deal_id, "staff_id": staff_id, "event": canonical(dict(event)), "proposed_at": now}
    Proposal.objects.update_or_create(id=id, defaults={**about, "declined_at": None})


@dataclass(frozen=True, slots=True)
class Difference:
    """What the bank wins by the record, and by what a screen had said; the same where only seats or bets differ."""

    counted_minor: int
    shown_minor: int


_COMPARED: Final = ("bet", "position", "outcome", *AMOUNTS)
_WAITS: Final = frozenset(
    {DoorCode.BET_UNSEEN, DoorCode.BETS_OPEN, DoorCode.NOT_CONFIRMED, DoorCode.CHECK_NEEDED, DoorCode.APPROVAL_NEEDED}
)


def difference(shown: Mapping[str, list[dict[str, Any]]], answer: Answer, digits: int) -> Difference | None:
    """Say how the answer to an event is another than its device had shown; None where it is not, or is still to come.

    A refused event settles nothing. What is finer than the currency, or beyond what entries hold, is cut.
    """
    if answer.code in _WAITS:
        return None
    counted = {"settlements": answer.settlements, "takes": answer.takes}
    if all(_compared(rows) == _compared(counted[name]) for name, rows in shown.items()):
        return None
    return Difference(*(_bank(each["settlements"] + each["takes"], digits) for each in (counted, shown)))


def _compared(rows: Iterable[Mapping[str, Any]]) -> list[list[Any]]:
    return [[row.get(name) for name in _COMPARED] for row in rows]


def _bank(rows: Iterable[Mapping[str, Any]], digits: int) -> int:
    result = sum(_read(row["taken"], digits) - _read(row["paid"], digits) for row in rows)
    return max(-LARGEST, min(LARGEST, result))


def _read(text: str, digits: int) -> int:
    try:
        return min(int(parse_amount(text, digits)), LARGEST)
    except ValueError:  # nothing, or nothing that can be read
        return 0


def tell_difference(id: UUID, found: Difference, casino_id: int, table_id: int, now: datetime) -> None:
    """Alert the floor to it at once, and to the same event once, however often it is sent."""
    alert = Alert(
        casino_id=casino_id,
        table_id=table_id,
        kind="differs",
        key=str(id),
        level="red",
        value=found.counted_minor,
        limit=found.shown_minor,
        since=now,
        raised_at=now,
        over_at=now,
    )
    Alert.objects.bulk_create([alert], ignore_conflicts=True)
    live.tell_on_commit(table_id, 0)


def _code(device_id: int) -> str:
    return Device.objects.values_list("code", flat=True).get(id=device_id)


def check_seen(recorded: Iterable[tuple[str, str | None]], device: str | None, deal: Deal | None) -> None:
    """Refuse a card that waited while another device had a bet recorded that still stands. Raises: bet_unseen."""
    standing = {} if deal is None else deal.standing
    unseen = [name for name, of in recorded if of not in (None, device) and name in standing]
    if unseen:
        names = ", ".join(unseen)
        raise Refusal(DoorCode.BET_UNSEEN, f"Recorded meanwhile by another device: {names}.", bets=",".join(unseen))


def moved(deal: Deal) -> list[Settlement]:
    """Return what the last turn, or the pocket, moved between bank and players."""
    return [
        each
        for each in deal.settlements
        if each.turn >= deal.turn and each.outcome not in BY_DEED and (each.paid or each.taken or each.returned)
    ]


def paid(deal: Deal) -> int:
    """Sum what the last turn paid."""
    return sum(each.paid for each in moved(deal))


def needs_check(options: OptionsView, deal: Deal) -> int | None:
    """Return the largest payment of the last turn if an inspector must see it."""
    largest = max((each.paid for each in moved(deal)), default=0)
    return largest if options.check_minor is not None and largest > options.check_minor else None


def check_turn(
    options: OptionsView,
    type: str,
    deal: Deal,
    table_id: int,
    waited: timedelta,
    last_of: Callable[[frozenset[str]], str],
) -> None:
    """Refuse the next card while the house waits for somebody's word. `last_of` names the last entry of some types.

    Nobody's word could reach a card that was entered off line: it does not wait for the bets.

    Raises: bets_open, not_confirmed, check_needed.
    """
    if deal.turn_open:
        return
    check = needs_check(options, deal)
    if (options.confirm or check is not None) and moved(deal) and last_of(OPENS_TURN) != "confirm":
        if check is not None:
            raise _check_needed(options, check, deal)
        raise Refusal(DoorCode.NOT_CONFIRMED, f"Turn {deal.turn} is not confirmed as collected and paid.")
    if (
        options.bets_down
        and type == "card"
        and waited <= SILENT
        and not (deal.finished or deal.betting_closed)
        and SignOn.objects.filter(table_id=table_id, role=access.BET_CONTROLLER, ended_at=None).exists()
        and last_of(OPENS_BETS) != "bets_down"
    ):
        raise Refusal(DoorCode.BETS_OPEN, "The bet controller has not said that bets are down.")


def _check_needed(options: OptionsView, largest: int, deal: Deal) -> Refusal:
    assert options.check_minor is not None
    value, limit = deal.terms.text(largest), deal.terms.text(options.check_minor)
    return Refusal(
        DoorCode.CHECK_NEEDED, f"{value} is paid, above {limit}: an inspector checks it.", value=value, limit=limit
    )


def judge(event: DeskEvent, deal: Deal | None, options: OptionsView | None, author: str, *, vouched: bool) -> Facts:
    """Say which facts a word of the desk makes. Inserts nothing.

    Raises: deal_finished without a deal, turn_open, not_allowed, check_needed, unknown_bet, bad_amount.
    """
    if deal is None:
        raise Refusal(Code.DEAL_FINISHED, "There is no deal.")
    if deal.turn_open:
        raise Refusal(Code.TURN_OPEN, "The turn is open: first its even card.")
    if event.type == "confirm":
        check = None if options is None else needs_check(options, deal)
        if event.inspector and not vouched:
            raise Refusal(DoorCode.NOT_ALLOWED, "An inspector checks by his PIN.", value=event.inspector)
        if check is not None and options is not None and not event.inspector:
            raise _check_needed(options, check, deal)
        return {}
    if event.type == "bets_down":
        if deal.finished:
            raise Refusal(Code.DEAL_FINISHED, f"Deal {deal.name!r} has ended.", value=deal.name)
        return {}
    if event.bet not in deal.bets:
        raise Refusal(Code.UNKNOWN_BET, f"There is no bet {event.bet!r}.", value=event.bet)
    shown, done = _amount(event.shown, deal), _amount(event.done, deal)
    if shown == done:
        raise Refusal(Code.BAD_AMOUNT, "What was done is what was shown.", value=event.done)
    row = {
        "bet": event.bet,
        "way": event.way,
        "shown_minor": shown,
        "done_minor": done,
        "error_minor": done - shown if event.way == "pay" else shown - done,
        "recovered": event.recovered,
        "dealer": author,
    }
    return {"mispay": [row]}


def _amount(text: str, deal: Deal) -> int:
    """Read an amount that may be nothing."""
    try:
        amount = 0 if text == "0" else parse_amount(text, deal.terms.digits)
    except ValueError:
        amount = None
    if not isinstance(amount, int) or not 0 <= amount < 2**53:
        raise Refusal(Code.BAD_AMOUNT, f"{text!r} is no amount.", value=text)
    return amount


def insert(facts: Facts, deal_id: int, opening_id: int, day: date, sequence: int) -> None:
    """Insert the facts that `judge` made of one event, under its entry's sequence."""
    for row in facts["mispay"]:
        bet_id = Bet.objects.values_list("id", flat=True).get(deal_id=deal_id, name=row["bet"], revision=0)
        about = {"opening_id": opening_id, "gaming_date": day, "sequence": sequence}
        Mispay.objects.create(bet_id=bet_id, **about, **{name: value for name, value in row.items() if name != "bet"})
