"""Results hour by hour of a gaming day, by table, pit and game, with their sums. It writes nothing."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from functools import reduce
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import connection

from tables.queries import theory
from tables.queries.snapshot import one_moment
from tables.queries.theory import Theory
from tables.rules.terms import minor_digits


@dataclass(frozen=True, slots=True)
class HourOfTable:
    """A table in one hour by the clock on the wall; money of play is the house's alone."""

    hour: datetime
    table: str
    name: str
    pit: str
    game: str
    currency: str
    exponent: int
    turns: int
    splits: int
    win_minor: int
    expected_minor: int


@dataclass(frozen=True, slots=True)
class Part:
    """A table, a pit or a game on a gaming day, in one currency; `name` empty: all of them, or tables in no pit.

    hours_minor  won in each of the day's `Day.hours`; None where nothing was played
    total        all of a currency, and no part of it
    """

    name: str
    currency: str
    exponent: int
    total: bool
    hours_minor: tuple[int | None, ...]
    turns: int
    splits: int
    win_minor: int
    expected_minor: int


@dataclass(frozen=True, slots=True)
class Day:
    """A gaming day by its parts, currency by currency, the sum of each currency last. Its hours are the zone's."""

    gaming_date: date
    by: str
    hours: tuple[datetime, ...]
    parts: tuple[Part, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Table:
    code: str
    name: str
    pit: str
    game: str
    currency: str


_Read = Mapping[tuple[datetime, int], Theory]
BY: Final[Mapping[str, Callable[[_Table], str]]] = {
    "table": lambda table: table.name or table.code,
    "pit": lambda table: table.pit,
    "game": lambda table: table.game,
}

_OPENINGS = """
SELECT o.id, t.id, t.code, t.name, COALESCE(p.name, ''), t.game, t.currency FROM tables_opening o
JOIN tables_table t ON t.id = o.table_id LEFT JOIN tables_pit p ON p.id = t.pit_id
WHERE t.casino_id = %s AND o.gaming_date = %s AND (%s::bigint[] IS NULL OR t.pit_id = ANY(%s))
"""
_SUMS = """
SELECT d.opening_id, date_trunc('hour', o.happened_at, %s), o.undealt, d.bank_minor IS NOT NULL, o.pocket, count(*),
    count(*) FILTER (WHERE o.spread > 0), 0, count(*) FILTER (WHERE o.split), sum(o.split_ways), sum(o.win_minor),
    sum(o.mean), sum(o.spread)
FROM unnest(%s::bigint[], %s::bigint[]) AS w(opening_id, through)
JOIN tables_deal d ON d.opening_id = w.opening_id AND d.number <= w.through
JOIN tables_turnodds o ON o.deal_id = d.id
GROUP BY d.opening_id, date_trunc('hour', o.happened_at, %s), o.undealt, d.bank_minor IS NOT NULL, o.pocket
"""


def hours(
    casino_id: int, gaming_date: date, zone: ZoneInfo, pit_ids: frozenset[int] | None = None
) -> tuple[HourOfTable, ...]:
    """Read a gaming day hour by hour, all tables or those of these pits; by hour, then table."""
    found, tables = _read(casino_id, gaming_date, zone, pit_ids)
    ordered = sorted(found.items(), key=lambda item: (item[0][0], tables[item[0][1]].code))
    return tuple(_hour(hour, tables[table_id], odds) for (hour, table_id), odds in ordered)


def day_by(by: str, casino_id: int, gaming_date: date, zone: ZoneInfo, pit_ids: frozenset[int] | None = None) -> Day:
    """Read a gaming day hour by hour by what `BY` names, with its sums; an expectation is rounded once, as a sum."""
    found, tables = _read(casino_id, gaming_date, zone, pit_ids)
    marks = tuple(sorted({hour for hour, _table in found}))
    parts: dict[tuple[str, bool, str], dict[datetime, list[Theory]]] = defaultdict(lambda: defaultdict(list))
    for (hour, table_id), odds in found.items():
        table = tables[table_id]
        parts[table.currency, False, BY[by](table)][hour].append(odds)
        parts[table.currency, True, ""][hour].append(odds)
    return Day(gaming_date, by, marks, tuple(_part(*key, of, marks) for key, of in sorted(parts.items(), key=_first)))


def _first(item: tuple[tuple[str, bool, str], Any]) -> tuple[str, bool, str]:
    return item[0]


def _part(
    currency: str, total: bool, name: str, of: Mapping[datetime, list[Theory]], marks: tuple[datetime, ...]
) -> Part:
    whole = reduce(Theory.plus, (odds for each in of.values() for odds in each))
    return Part(
        name=name,
        currency=currency,
        exponent=minor_digits(currency),
        total=total,
        hours_minor=tuple(sum(odds.win_minor for odds in of[mark]) if mark in of else None for mark in marks),
        turns=whole.turns,
        splits=whole.splits,
        win_minor=whole.win_minor,
        expected_minor=round(whole.expectation),
    )


def _read(
    casino_id: int, gaming_date: date, zone: ZoneInfo, pit_ids: frozenset[int] | None
) -> tuple[_Read, dict[int, _Table]]:
    pits = None if pit_ids is None else list(pit_ids)
    found: dict[tuple[datetime, int], Theory] = defaultdict(Theory)
    with one_moment(), connection.cursor() as cursor:
        cursor.execute(_OPENINGS, [casino_id, gaming_date, pits, pits])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        tables = {row[1]: _Table(*row[2:]) for row in rows}
        table_of = {row[0]: row[1] for row in rows}
        through = theory.heads(set(table_of.values()))
        marks = {opening: through.get(table, 0) for opening, table in table_of.items()}
        cursor.execute(_SUMS, [zone.key, list(marks), list(marks.values()), zone.key])
        for opening_id, hour, *row in cursor.fetchall():
            key = hour.astimezone(zone), table_of[opening_id]
            found[key] = found[key].plus(theory.summed(*row))
        for reckoned in theory.reckon(theory.deals_of_openings(marks)):
            for turn in reckoned.turns or ():
                hour = turn.happened_at.astimezone(zone).replace(minute=0, second=0, microsecond=0)
                found[hour, table_of[turn.opening_id]].add(turn, hour)
    return found, tables


def _hour(hour: datetime, table: _Table, odds: Theory) -> HourOfTable:
    return HourOfTable(
        hour=hour,
        table=table.code,
        name=table.name,
        pit=table.pit,
        game=table.game,
        currency=table.currency,
        exponent=minor_digits(table.currency),
        turns=odds.turns,
        splits=odds.splits,
        win_minor=odds.win_minor,
        expected_minor=round(odds.expectation),
    )
