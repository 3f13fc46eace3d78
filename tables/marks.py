"""From where on a figure of the floor wants a look: a house's marks, and what is beyond them. Plain Python."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

# Complete turns an hour at a table in play, where a house has not said otherwise.
TURNS: Final = {"stuss": 78, "private": 40, "stos": 55, "pharaon": 60}
Level = Literal["red", "amber"]


@dataclass(frozen=True, slots=True)
class Marks:
    """A house's marks.

    low_float_times  a float is low where it holds less than so many times the table's maximum
    big_win_times    a settlement that pays so many times the table's maximum is told
    turns            complete turns an hour that are expected of a game
    slow, fast       shares of that, in percent, below and above which a table is slow or fast
    dealer_minutes   how long a dealer stays at one table
    silent_seconds   after how long without a word a console is silent
    """

    low_float_times: int = 5
    big_win_times: int = 5
    turns: dict[str, int] = field(default_factory=lambda: dict(TURNS))
    slow_percent: int = 70
    fast_percent: int = 130
    dealer_minutes: int = 90
    silent_seconds: int = 30


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about a table that wants a look. `value` and `limit` are in the code's own unit; `since` when."""

    code: str
    level: Level
    value: int | None = None
    limit: int | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """What of an open table is held against the marks. `turns_an_hour` is None where nobody plays or nothing is known.

    float_minor, low_mark_minor  None where no float was counted
    """

    game: str
    at: datetime
    paused: bool
    playing: bool
    float_minor: int | None
    low_mark_minor: int | None
    turns_an_hour: int | None
    dealer_since: datetime | None
    silent_since: datetime | None
    waiting: int
    shift_over_since: datetime | None = None


# What never ends by itself: it happened.
HAPPENED: Final = frozenset({"mispay", "mispaid", "differs", "over_limit", "big_win", "count", "decks"})


def notices(seen: Seen, marks: Marks) -> Iterator[Notice]:
    """Say what of a table wants a look, what is gravest first."""
    if seen.silent_since is not None:
        yield Notice("silent", "red", since=seen.silent_since)
    if seen.shift_over_since is not None:
        yield Notice("rollover", "amber", since=seen.shift_over_since)
    if seen.waiting:
        yield Notice("waiting", "amber", seen.waiting)
    if seen.float_minor is not None and seen.low_mark_minor is not None and seen.float_minor < seen.low_mark_minor:
        yield Notice("float_low", "amber", seen.float_minor, seen.low_mark_minor)
    if seen.dealer_since is not None:
        here = seen.at - seen.dealer_since
        if here > timedelta(minutes=marks.dealer_minutes):
            yield Notice("dealer_long", "amber", here // timedelta(minutes=1), marks.dealer_minutes, seen.dealer_since)
    target = marks.turns[seen.game]
    if seen.turns_an_hour is not None and seen.playing and not seen.paused:
        if seen.turns_an_hour * 100 < target * marks.slow_percent:
            yield Notice("slow", "amber", seen.turns_an_hour, target)
        elif seen.turns_an_hour * 100 > target * marks.fast_percent:
            yield Notice("fast", "amber", seen.turns_an_hour, target)
