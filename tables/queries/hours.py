"""Results hour by hour of a gaming day, by table: what was won and what could be expected. It writes nothing."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
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
    pits = None if pit_ids is None else list(pit_ids)
    found: dict[tuple[datetime, int], Theory] = defaultdict(Theory)
    with one_moment(), connection.cursor() as cursor:
        cursor.execute(_OPENINGS, [casino_id, gaming_date, pits, pits])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        tables = {row[1]: row[2:] for row in rows}
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
    ordered = sorted(found.items(), key=lambda item: (item[0][0], tables[item[0][1]][0]))
    return tuple(_hour(hour, tables[table_id], odds) for (hour, table_id), odds in ordered)


def _hour(hour: datetime, table: tuple[Any, ...], odds: Theory) -> HourOfTable:
    code, name, pit, game, currency = table
    return HourOfTable(
        hour=hour,
        table=code,
        name=name,
        pit=pit,
        game=game,
        currency=currency,
        exponent=minor_digits(currency),
        turns=odds.turns,
        splits=odds.splits,
        win_minor=odds.win_minor,
        expected_minor=round(odds.expectation),
    )
