"""The table log: JSON Lines in, events of the rules out, settlements as lines. Plain Python; it never settles.

The format is docs/table-log.md. Whatever it cannot read is `bad_line`.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from tables.rules.deal import Deal
from tables.rules.events import (
    BankOf,
    CorrectBet,
    CorrectCards,
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
    UnmadeBet,
    UnrecordedBet,
    Withdraw,
)
from tables.rules.refusals import Code, Refusal
from tables.rules.settlement import Settlement
from tables.rules.table import TableState
from tables.rules.terms import Terms, amount_text

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FloorEvent:
    """What happens at a table beside play: it is opened, paused, resumed, closed. The rules never see it."""

    type: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ChipEvent(FloorEvent):
    """Chips and cash that move at a table beside play, or are counted there. Chips are pieces by the name of a chip.

    into, out   chips that come into the float and leave it; `counted`, those that were found in it
    cash        what goes into the drop box, and `value`, what a colour counts for at a seat, as sent; of a ruling,
                what the player gets and what is collected from him
    inspector   who signed beside the author
    movement    of a correction, which movement was wrong, the first of `opening` is 1; no opening: the last one
    """

    into: Mapping[str, int] = field(default_factory=dict[str, int])
    out: Mapping[str, int] = field(default_factory=dict[str, int])
    counted: Mapping[str, int] = field(default_factory=dict[str, int])
    cash: str = ""
    seat: int | None = None
    slip: str = ""
    inspector: str = ""
    colour: str = ""
    value: str = ""
    movement: int = 0
    opening: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DeskEvent(FloorEvent):
    """A word of the desk about play: bets are down, a turn is confirmed, a bet was paid otherwise than shown.

    shown, done  what the console said and what the hands did, as sent; `way` "pay" or "take"
    inspector    who checked what was paid, by PIN
    """

    inspector: str = ""
    bet: str = ""
    way: str = ""
    shown: str = ""
    done: str = ""
    recovered: bool = False


CHIP_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.:-]{0,19}", re.ASCII)
_MOST_PIECES: Final = 10_000_000
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII)
_LARGEST_WHOLE: Final = 2**53  # whole numbers beyond it are read differently by other languages


def _bad(message: str) -> NoReturn:
    raise Refusal(Code.BAD_LINE, message)


# -- values


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        _bad(f"{key!r} must be a text.")
    if "\0" in value or (not value.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in value)):
        _bad(f"{key!r} holds a sign that no text can hold.")
    return value


def _name(value: Any, key: str) -> str:
    text = _text(value, key)
    if not text.strip():
        _bad(f"{key!r} must not be empty.")
    return text


def _whole(value: Any, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST_WHOLE:
        _bad(f"{key!r} must be a whole number.")
    return value


def _number(value: Any, key: str) -> int:
    if not 0 < _whole(value, key) < 1_000_000:
        _bad(f"{key!r} is a number from 1.")
    return int(value)


def _object(value: Any, key: str) -> Object:
    if not isinstance(value, dict):
        _bad(f"{key!r} must be an object.")
    return value  # pyright: ignore[reportUnknownVariableType]


def _banker(value: Any, key: str) -> str | BankOf:
    if isinstance(value, str):
        return _text(value, key)
    bank = _object(value, key)
    if set(bank) != {"bank"}:
        _bad("The banker is \"house\" or an object with the key 'bank'.")
    return BankOf(_text(bank["bank"], "bank"))


def _four_cards(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) != 4:  # pyright: ignore[reportUnknownArgumentType]
        _bad(f"{key!r} must be a list of four cards.")
    return tuple(_text(card, key) for card in value)  # pyright: ignore[reportUnknownVariableType]


def _cards_by_position(value: Any, key: str) -> dict[int, str | None]:
    cards = _object(value, key)
    if not cards:
        _bad(f"{key!r} must name a position.")
    for position in cards:
        if not re.fullmatch(r"0|[1-9][0-9]{0,8}", position, re.ASCII):
            _bad(f"{position!r} is no position.")
    return {int(position): None if card is None else _text(card, key) for position, card in cards.items()}


def _made(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        _bad(f"{key!r} must be true or false.")
    return value


def _chips(value: Any, key: str) -> dict[str, int]:
    chips = _object(value, key)
    for chip, pieces in chips.items():
        if not CHIP_NAME.fullmatch(chip):
            _bad(f"{chip!r} is no name of a chip.")
        if not 0 < _whole(pieces, key) <= _MOST_PIECES:
            _bad(f"There are {pieces} pieces of {chip!r}: that is no count.")
    return dict(chips)


def _some_chips(value: Any, key: str) -> dict[str, int]:
    chips = _chips(value, key)
    if not chips:
        _bad(f"{key!r} must hold a chip.")
    return chips


def _seat(value: Any, key: str) -> int:
    if not 0 < _whole(value, key) < 1_000_000:
        _bad(f"{value} is no seat.")
    return int(value)


def _chip(value: Any, key: str) -> str:
    if not CHIP_NAME.fullmatch(_text(value, key)):
        _bad(f"{value!r} is no name of a chip.")
    return str(value)


def _way(value: Any, key: str) -> str:
    if _text(value, key) not in ("pay", "take"):
        _bad(f"{key!r} is 'pay' or 'take'.")
    return str(value)


def _time(value: Any, key: str) -> str:
    text = _text(value, key)
    if not _TIME.fullmatch(text):
        _bad(f"{text!r} is no time with an offset (RFC 3339).")
    try:
        read_time(text)
    except ValueError:
        _bad(f"{text!r} is no time.")
    return text


def read_time(text: str) -> datetime:
    """Read an RFC 3339 time; digits after the sixth of a second are cut off."""
    text = re.sub(r"(\.\d{6})\d+", r"\1", text.upper())
    return datetime.fromisoformat(text)


# -- lines


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys of a line: how each is read, and which must be there."""

    readers: Mapping[str, Callable[[Any, str], Any]]
    needed: frozenset[str]
    make: Callable[[dict[str, Any]], Event | FloorEvent]


def _keys(make: Callable[[dict[str, Any]], Event | FloorEvent], **readers: Callable[[Any, str], Any]) -> _Keys:
    """A name that ends with "_" is optional."""
    return _Keys(
        {name.rstrip("_"): read for name, read in readers.items()},
        frozenset(name for name in readers if not name.endswith("_")),
        make,
    )


def _limits(values: dict[str, Any]) -> dict[str, Any]:
    for short, long in (("min", "minimum"), ("max", "maximum")):
        if short in values:
            values[long] = values.pop(short)
    return values


def _bet(values: dict[str, Any]) -> PlaceBet:
    if len(values.keys() & {"rank", "card", "suit"}) > 1:
        _bad("A bet names one of 'rank', 'card' and 'suit'.")
    return PlaceBet(**values)


def _correction(values: dict[str, Any]) -> Event:
    reason = values.pop("reason")
    if "cards" in values:
        if len(values) > 1:
            _bad("A correction is of cards or of a bet, not of both.")
        return CorrectCards(reason, values["cards"])
    if "bet" not in values:
        _bad("A correction names 'cards' or a 'bet'.")
    made = values.pop("made", None)
    if made is True:
        if "after" not in values or "seat" not in values:
            _bad("A bet that stood unrecorded needs 'seat' and 'after'.")
        after = values.pop("after")
        return UnrecordedBet(reason, _bet(values), after)
    if "after" in values:
        _bad("'after' goes with \"made\": true.")
    if made is False:
        if len(values) > 1:
            _bad('"made": false stands alone beside the bet.')
        return UnmadeBet(reason, values["bet"])
    if len(values) == 1:
        _bad("A correction of a bet names what was wrong.")
    if len(values.keys() & {"rank", "card", "suit"}) > 1:
        _bad("A bet has one of 'rank', 'card' and 'suit'.")
    return CorrectBet(reason, **values)


def _movement(type: str, *, chips: str) -> Callable[[dict[str, Any]], FloorEvent]:
    """Make events whose `chips` are those that `chips` says: into or out of the float, or counted in it."""

    def make(values: dict[str, Any]) -> FloorEvent:
        if "chips" in values:
            values[chips] = values.pop("chips")
        return ChipEvent(type, **values)

    return make


def _ruling(values: dict[str, Any]) -> FloorEvent:
    if len(values.keys() & {"pay", "collect"}) != 1:
        _bad("A ruling has one of 'pay' and 'collect'.")
    dispute, pay, collect = values.pop("dispute"), values.pop("pay", ""), values.pop("collect", "")
    return ChipEvent("ruling", slip=dispute, cash=pay, value=collect, **values)


def _corrected_slip(type: str) -> Callable[[dict[str, Any]], FloorEvent]:
    def make(values: dict[str, Any]) -> FloorEvent:
        if not values.keys() & {"in", "out"}:
            _bad("A corrected slip has chips 'in' or 'out'.")
        return ChipEvent(type, into=values.pop("in", {}), **values)

    return make


def _corrected_movement(type: str) -> Callable[[dict[str, Any]], FloorEvent]:
    side = {"opener": "counted", "closer": "counted", "buy_in": "out", "fee": "into"}.get(type, "")

    def make(values: dict[str, Any]) -> FloorEvent:
        sides = {name: values.pop(key) for key, name in (("in", "into"), ("chips", side)) if key in values}
        return ChipEvent(f"{type}_correction", **sides, **values)

    return make


def _exchange(type: str) -> Callable[[dict[str, Any]], FloorEvent]:
    return lambda values: ChipEvent(type, into=values.pop("in"), **values)


# What a movement that was wrong should have said. What is not named was not: no cash, no chips.
_CORRECTABLE: Final[dict[str, dict[str, Callable[[Any, str], Any]]]] = {
    "opener": {"chips": _chips},
    "closer": {"chips": _chips},
    "buy_in": {"cash_": _text, "chips_": _chips, "seat_": _seat},
    "exchange": {"in_": _chips, "out_": _chips, "seat_": _seat},
    "tip_exchange": {"in_": _chips, "out_": _chips},
    "fee": {"chips_": _chips, "seat_": _seat},
}
_LINES: Final[dict[str, _Keys]] = {
    "table": _keys(
        lambda values: Table(**_limits(values)),
        table=_name,
        game=_text,
        currency=_name,
        min=_text,
        max=_text,
        chip=_text,
        seats_=_whole,
        rules_=_object,
        banker_=_banker,
    ),
    "rules": _keys(
        lambda values: Rules(**_limits(values)),
        min_=_text,
        max_=_text,
        chip_=_text,
        seats_=_whole,
        rules_=_object,
        banker_=_banker,
    ),
    "deal": _keys(lambda values: OpenDeal(**values), deal=_name, shuffle_=_text, cut_by_=_text),
    "bet": _keys(_bet, bet=_name, seat=_whole, amount_=_text, rank_=_text, card_=_text, suit_=_text),
    "withdraw": _keys(lambda values: Withdraw(**values), bet=_name),
    "refuse": _keys(lambda values: Refuse(**values), bet=_name),
    "cut": _keys(lambda values: Cut(**values), seat_=_whole),
    "card": _keys(lambda values: DrawCard(**values), card=_text, position_=_whole),
    "reveal": _keys(lambda values: Reveal(**values), bet=_name, card=_text),
    "paroli": _keys(lambda values: Paroli(**values), bet=_name, of=_name),
    "pocket": _keys(lambda values: ShowPocket(**values), cards=_four_cards),
    "end": _keys(lambda values: EndDeal()),
    "misdeal": _keys(lambda values: Misdeal(**values), reason=_name),
    "correct": _keys(
        _correction,
        reason=_name,
        cards_=_cards_by_position,
        bet_=_name,
        made_=_made,
        after_=_whole,
        seat_=_whole,
        amount_=_text,
        rank_=_text,
        card_=_text,
        suit_=_text,
    ),
}

_LINES.update(
    {
        "open": _keys(lambda values: FloorEvent("open")),
        "close": _keys(lambda values: FloorEvent("close")),
        "pause": _keys(lambda values: FloorEvent("pause", **values), reason_=_name),
        "resume": _keys(lambda values: FloorEvent("resume")),
        "opener": _keys(_movement("opener", chips="counted"), chips=_chips, inspector_=_name),
        "closer": _keys(_movement("closer", chips="counted"), chips=_chips, inspector_=_name),
        "count": _keys(_movement("count", chips="counted"), chips=_chips, inspector_=_name),
        "fill": _keys(_movement("fill", chips="into"), slip=_name, chips=_some_chips, inspector_=_name),
        "credit": _keys(_movement("credit", chips="out"), slip=_name, chips=_some_chips, inspector_=_name),
        **{
            type: _keys(
                _corrected_slip(type),
                **{"slip": _name, "in_": _some_chips, "out_": _some_chips, "inspector_": _name},
            )
            for type in ("fill_correction", "credit_correction")
        },
        "buy_in": _keys(_movement("buy_in", chips="out"), cash=_text, chips=_some_chips, seat_=_seat),
        "exchange": _keys(_exchange("exchange"), **{"in": _some_chips, "out": _some_chips, "seat_": _seat}),
        "tip_exchange": _keys(_exchange("tip_exchange"), **{"in": _some_chips, "out": _some_chips}),
        "fee": _keys(_movement("fee", chips="into"), chips=_some_chips, seat_=_seat),
        "ruling": _keys(_ruling, dispute=_name, pay_=_text, collect_=_text, seat_=_seat, inspector_=_name),
        **{
            f"{type}_correction": _keys(
                _corrected_movement(type), movement=_number, opening_=_number, reason=_name, inspector_=_name, **said
            )
            for type, said in _CORRECTABLE.items()
        },
        "colour": _keys(_movement("colour", chips="counted"), seat=_seat, colour=_chip, value=_text),
        "bets_down": _keys(lambda values: DeskEvent("bets_down")),
        "confirm": _keys(lambda values: DeskEvent("confirm", **values), inspector_=_name),
        "mispay": _keys(
            lambda values: DeskEvent("mispay", **values), bet=_name, way=_way, shown=_text, done=_text, recovered=_made
        ),
    }
)
CHIP_TYPES: Final = frozenset(
    {
        "opener",
        "closer",
        "count",
        "fill",
        "credit",
        "fill_correction",
        "credit_correction",
        "buy_in",
        "exchange",
        "tip_exchange",
        "fee",
        "ruling",
        "colour",
        *(f"{type}_correction" for type in _CORRECTABLE),
    }
)
DESK_TYPES: Final = frozenset({"bets_down", "confirm", "mispay"})
FLOOR_TYPES: Final = CHIP_TYPES | DESK_TYPES | {"open", "close", "pause", "resume"}
_STAMPS: Final[dict[str, Callable[[Any, str], Any]]] = {"at": _time, "by": _name}


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    decoded = dict(pairs)
    if len(decoded) != len(pairs):
        _bad("A key is given twice.")
    return decoded


def _constant(text: str) -> NoReturn:
    _bad(f"{text} is no JSON.")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=Decimal, parse_constant=_constant)


def decode(text: str) -> Object:
    """Decode one line into its object, as it was sent. Raises bad_line."""
    try:
        decoded = _DECODER.decode(text)
    except (ValueError, RecursionError):
        _bad("This line is no JSON.")
    if not isinstance(decoded, dict):
        _bad("A line is a JSON object.")
    return decoded  # pyright: ignore[reportUnknownVariableType]


def parse_object(sent: Object, stamps: bool = True) -> Event | FloorEvent:
    """Read a decoded line into an event. Raises bad_line; also for `at` and `by` where stamps are not allowed."""
    kind = sent.get("type")
    keys = _LINES.get(kind) if isinstance(kind, str) else None
    if keys is None:
        _bad(f"There is no type {kind!r}.")
    values: dict[str, Any] = {}
    for key, value in sent.items():
        reader = keys.readers.get(key)
        if reader is not None:
            values[key] = reader(value, key)
        elif key != "type":
            if not stamps or key not in _STAMPS:
                _bad(f"A {kind!r} has no key {key!r}.")
            _STAMPS[key](value, key)
    missing = keys.needed - values.keys()
    if missing:
        _bad(f"A {kind!r} needs the key {min(missing)!r}.")
    return keys.make(values)


def parse_line(text: str) -> Event | FloorEvent:
    """Read one line of a table log into an event. Raises bad_line."""
    return parse_object(decode(text))


# -- settling a log


@dataclass(slots=True)
class _Totals:
    deals: int = 0
    turns: int = 0
    bets: int = 0
    handle: int = 0
    taken: int = 0
    paid: int = 0

    def add(self, deal: Deal) -> None:
        self.deals += 1
        self.turns += deal.turn
        self.bets += len(deal.bets)
        self.handle += handle(deal)
        self.taken += sum(each.taken for each in deal.settlements)
        self.paid += sum(each.paid for each in deal.settlements)


def handle(deal: Deal) -> int:
    """Return the sum of the amounts of a deal's bets, in minor units.

    Without those that no card settled, wholly or in part, and that were withdrawn, refused or void.
    """
    given_back = {each.bet for each in deal.settlements if each.outcome in ("withdrawn", "refused", "void")}
    return sum(bet.amount for bet in deal.bets.values() if bet.touched or bet.name not in given_back)


def settlement_object(settlement: Settlement, digits: int) -> dict[str, Any]:
    """Return a settlement as `settle` prints it; `digits` of the currency after the point."""
    line: dict[str, Any] = {
        "deal": settlement.deal,
        "turn": settlement.turn,
        "position": settlement.position,
        "bet": settlement.bet,
        "seat": settlement.seat,
        "outcome": settlement.outcome,
        "stake": amount_text(settlement.stake, digits),
        "paid": amount_text(settlement.paid, digits),
        "taken": amount_text(settlement.taken, digits),
        "returned": amount_text(settlement.returned, digits),
        "standing": amount_text(settlement.standing, digits),
    }
    if settlement.corrected:
        line["corrected"] = True
    return line


def _summary(totals: _Totals, terms: Terms) -> dict[str, Any]:
    return {
        "type": "summary",
        "deals": totals.deals,
        "turns": totals.turns,
        "bets": totals.bets,
        "handle": terms.text(totals.handle),
        "taken": terms.text(totals.taken),
        "paid": terms.text(totals.paid),
        "result": terms.text(totals.taken - totals.paid),
    }


@dataclass(frozen=True, slots=True)
class Stopped:
    """The line at which a log stopped, from 1, and why."""

    line: int
    refusal: Refusal

    def as_object(self) -> dict[str, Any]:
        return {"line": self.line, "code": str(self.refusal.code), "message": self.refusal.message}


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a log that hold something, with their numbers from 1. Only a line feed ends a line."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip(" \t\r"):
            yield number, line


def settle(numbered: Iterable[tuple[int, str]]) -> Iterator[dict[str, Any] | Stopped]:
    """Settle a log: yield its settlements and its summary as objects, or Stopped as the last thing.

    A deal is yielded when the next one opens or the log ends: until then a correction may still change it.
    """
    state, totals = TableState(), _Totals()

    def settled(deal: Deal | None) -> Iterator[dict[str, Any]]:
        if deal is not None:
            totals.add(deal)
            yield from (settlement_object(each, deal.terms.digits) for each in deal.settlements)

    for number, text in numbered:
        deal = state.deal
        try:
            event = parse_line(text)
            if not isinstance(event, FloorEvent):
                state.apply(event)
            elif state.terms is None:
                _bad("The first line of a table log is its table.")
        except Refusal as refusal:
            yield from settled(deal)
            yield Stopped(number, refusal)
            return
        if isinstance(event, OpenDeal):
            yield from settled(deal)
    if state.terms is None:
        yield Stopped(1, Refusal(Code.BAD_LINE, "A table log begins with its table; this one is empty."))
        return
    yield from settled(state.deal)
    yield _summary(totals, state.terms)


# -- the command


def main(files: Sequence[str], out: TextIO = sys.stdout, errors: TextIO = sys.stderr) -> int:
    """Settle files one after the other; several are each preceded by a line that names the file.

    Returns the worst of: 0, 1 (a line was refused), 2 (a file could not be read).
    """
    worst = 0
    for file in files:
        if len(files) > 1:
            _write({"file": file}, out)
        worst = max(worst, _settle_file(file, out, errors))
    return worst


def _settle_file(file: str, out: TextIO, errors: TextIO) -> int:
    try:
        text = Path(file).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        errors.write(f"settle: {file}: {error}\n")
        return 2
    for found in settle(lines(text)):
        if isinstance(found, Stopped):
            out.flush()
            _write(found.as_object(), errors)
            return 1
        _write(found, out)
    return 0


def _write(line: Object, stream: TextIO) -> None:
    stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
