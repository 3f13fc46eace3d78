"""Luck or leak: results and splits beside what the exact odds expect, and which of many stand out. It accuses nobody.

A win is judged by the normal law with the exact expectation and variance of its turns, and only with enough of them;
a number of splits by its exact distribution. What stands out does so among all of its kind, false alarms controlled.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from math import isqrt
from typing import Any, Final

from django.db import connection

from tables import stats
from tables.calendar import Calendar
from tables.queries import theory
from tables.queries.floor import one_in, word
from tables.queries.shifts import calendar_of
from tables.queries.snapshot import one_moment
from tables.queries.theory import Theory, Turn
from tables.rules.terms import minor_digits

FALSE_ALARMS: Final = 0.05  # of the results said to stand out, this share at most is luck on average
DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Result:
    """A win beside what could be expected. `word` is `check` where it stands out among all of its kind.

    kind    table (its shift), table_day, shift (of the house), day (of the house), dealer (his last 30 gaming days)
    chance  of a result at least as far from the expected one, either way; None with too few turns
    """

    kind: str
    name: str
    currency: str
    exponent: int
    turns: int
    win_minor: int
    expected_minor: int
    deviation_minor: int
    z: str | None
    chance: float | None
    one_in: int | None
    stands_out: bool
    word: str


@dataclass(frozen=True, slots=True)
class Splits:
    """A number of splits beside its exact distribution.

    kind  table (its shift), deal, shoe (since its decks came to the table), dealer
    """

    kind: str
    name: str
    turns: int
    splits: int
    expected: float
    chance: float
    one_in: int | None
    stands_out: bool


@dataclass(frozen=True, slots=True)
class Luck:
    """Everything that is judged of a house at one moment."""

    at: datetime
    gaming_date: date
    false_alarms: float
    results: tuple[Result, ...]
    splits: tuple[Splits, ...]

    def data(self) -> dict[str, Any]:
        """Return it as plain data, as the API gives it."""
        return asdict(self)


@dataclass(slots=True)
class _Dealt:
    """Turns counted for their splits: of each its chance, and how many split."""

    chances: list[float] = field(default_factory=list)
    splits: int = 0

    def add(self, chances: Iterable[float], splits: int) -> None:
        self.chances += chances
        self.splits += splits


Sums = dict[tuple[str, str, str], Theory]
Counted = dict[tuple[str, str], _Dealt]


@dataclass(frozen=True, slots=True)
class _Opening:
    id: int
    table_id: int
    table: str
    currency: str
    shift: int
    latest: bool


_OPENINGS = """
SELECT o.id, t.id, t.code, t.currency, COALESCE(o.shift, 1),
    (o.gaming_date, COALESCE(o.shift, 1)) = (l.gaming_date, COALESCE(l.shift, 1))
FROM tables_table t
JOIN LATERAL (SELECT * FROM tables_opening o WHERE o.table_id = t.id ORDER BY o.number DESC LIMIT 1) l ON true
JOIN tables_opening o ON o.table_id = t.id
WHERE t.casino_id = %s AND o.gaming_date = %s AND (%s::bigint[] IS NULL OR t.pit_id = ANY(%s))
"""
_CHANCES = """
SELECT {key}, array_agg(o.split_ways::float8 / (o.undealt * (o.undealt - 1))), count(*) FILTER (WHERE o.split)
FROM tables_turnodds o JOIN tables_deal d ON d.id = o.deal_id
JOIN tables_oddshead w ON w.table_id = d.table_id AND d.number <= w.deal_number
JOIN tables_table t ON t.id = d.table_id
WHERE NOT o.pocket AND {where} GROUP BY {key}
"""
_SUMS = """
SELECT {key}, t.currency, o.undealt, d.bank_minor IS NOT NULL, o.pocket, count(*),
    count(*) FILTER (WHERE o.spread > 0), 0, count(*) FILTER (WHERE o.split), sum(o.split_ways), sum(o.win_minor),
    sum(o.mean), sum(o.spread)
FROM tables_turnodds o JOIN tables_deal d ON d.id = o.deal_id
JOIN tables_oddshead w ON w.table_id = d.table_id AND d.number <= w.deal_number
JOIN tables_table t ON t.id = d.table_id
WHERE t.casino_id = %s AND d.gaming_date BETWEEN %s AND %s AND {where}
GROUP BY {key}, t.currency, o.undealt, d.bank_minor IS NOT NULL, o.pocket
"""
# Since when the decks of a table are there: the last time that any came to it.
_SHOES = """
SELECT s.table_id, max(s.done_at) FROM tables_deckstep s JOIN tables_table t ON t.id = s.table_id
WHERE s.step = 'in_service' AND t.casino_id = %s GROUP BY s.table_id
"""


def luck(casino_id: int, now: datetime, pit_ids: frozenset[int] | None = None) -> Luck:
    """Judge a house's results and splits of this gaming day, its dealers and days over thirty of them.

    Of a pit boss's pits alone where `pit_ids` are given: what is judged together is then what he sees.
    """
    with one_moment():
        return _luck(casino_id, now, pit_ids, calendar_of(casino_id))


def _luck(casino_id: int, now: datetime, pit_ids: frozenset[int] | None, calendar: Calendar) -> Luck:
    today = calendar.gaming_date(now)
    since = today - timedelta(days=DAYS - 1)
    pits = None if pit_ids is None else list(pit_ids)
    with connection.cursor() as cursor:
        cursor.execute(_OPENINGS, [casino_id, today, pits, pits])
        openings = {row[0]: _Opening(*row) for row in cursor.fetchall()}
    results: Sums = defaultdict(Theory)
    for opening_id, odds in theory.of_openings({each.id: each.table_id for each in openings.values()}, now).items():
        each = openings[opening_id]
        keys = [("day", today.isoformat()), ("shift", str(each.shift)), ("table_day", each.table)]
        for kind, name in [*keys, *([("table", each.table)] if each.latest else [])]:
            results[kind, name, each.currency] = results[kind, name, each.currency].plus(odds)
    of_pits = "(%s::bigint[] IS NULL OR t.pit_id = ANY(%s))"
    _add_sums(results, "day", "d.gaming_date", of_pits, casino_id, since, today - timedelta(days=1), pits, pits)
    following = _live_turns({each.id: each.table_id for each in openings.values()})
    splits = _splits_of_today(list(openings.values()), following)
    dealers = [name for kind, name in splits if kind == "dealer"]
    _add_sums(results, "dealer", "o.dealer", "o.dealer = ANY(%s)", casino_id, since, today, dealers)
    for turn in following:
        results["dealer", turn.dealer, openings[turn.opening_id].currency].add(turn, now)
    _add_splits_of_dealers(splits, casino_id, dealers, since, following)
    _add_shoes(splits, casino_id, {each.table_id: each for each in openings.values() if each.latest}, following)
    return Luck(now, today, FALSE_ALARMS, _judged(results), _judged_splits(splits))


def _add_sums(results: Sums, kind: str, key: str, where: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SUMS.format(key=key, where=where), parameters)
        for name, currency, *row in cursor.fetchall():
            results[kind, str(name), currency] = results[kind, str(name), currency].plus(theory.summed(*row))


def _live_turns(openings: dict[int, int]) -> list[Turn]:
    """Follow the deals of openings whose odds are not kept for good."""
    through = theory.heads(set(openings.values()))
    deals = theory.deals_of_openings({opening: through.get(table, 0) for opening, table in openings.items()})
    return [turn for each in theory.reckon(deals) for turn in each.turns or ()]


def _splits_of_today(openings: Sequence[_Opening], following: Sequence[Turn]) -> Counted:
    found: Counted = defaultdict(_Dealt)
    by_id = {each.id: each for each in openings}
    with connection.cursor() as cursor:
        cursor.execute(
            _CHANCES.format(key="d.opening_id, d.name, o.dealer", where="d.opening_id = ANY(%s)"), [list(by_id)]
        )
        rows = [
            (opening, deal, dealer, chances, splits) for opening, deal, dealer, chances, splits in cursor.fetchall()
        ]
    rows += [
        (turn.opening_id, turn.deal, turn.dealer, [float(turn.step.split_chance)], int(turn.step.split))
        for turn in following
        if not turn.step.pocket
    ]
    for opening_id, deal, dealer, chances, splits in rows:
        opening = by_id[opening_id]
        found["deal", f"{opening.table} · {deal}"].add(chances, splits)
        found["dealer", dealer].add((), 0)  # who he is; what he dealt is read over more days
        if opening.latest:
            found["table", opening.table].add(chances, splits)
    return found


def _add_splits_of_dealers(
    splits: Counted, casino_id: int, dealers: Sequence[str], since: date, following: Sequence[Turn]
) -> None:
    """Add what the dealers of today dealt over thirty gaming days, at whatever tables."""
    where = "t.casino_id = %s AND o.dealer = ANY(%s) AND d.gaming_date >= %s"
    with connection.cursor() as cursor:
        cursor.execute(_CHANCES.format(key="o.dealer", where=where), [casino_id, list(dealers), since])
        for dealer, chances, split in cursor.fetchall():
            splits["dealer", dealer].add(chances, split)
    for turn in following:
        if not turn.step.pocket:
            splits["dealer", turn.dealer].add([float(turn.step.split_chance)], int(turn.step.split))


def _add_shoes(splits: Counted, casino_id: int, tables: dict[int, _Opening], following: Sequence[Turn]) -> None:
    """Add the splits of every table's decks since they came to it."""
    with connection.cursor() as cursor:
        cursor.execute(_SHOES, [casino_id])
        shoes = {table: since for table, since in cursor.fetchall() if table in tables}
        cursor.execute(
            _CHANCES.format(
                key="d.table_id",
                where="EXISTS (SELECT 1 FROM unnest(%s::bigint[], %s::timestamptz[]) AS s(id, since)"
                " WHERE s.id = d.table_id AND o.happened_at >= s.since)",
            ),
            [list(shoes), list(shoes.values())],
        )
        for table, chances, split in cursor.fetchall():
            splits["shoe", tables[table].table].add(chances, split)
    of_opening = {each.id: each for each in tables.values()}
    for turn in following:
        opening = of_opening.get(turn.opening_id)
        since = None if opening is None else shoes.get(opening.table_id)
        if opening is not None and since is not None and turn.happened_at >= since and not turn.step.pocket:
            splits["shoe", opening.table].add([float(turn.step.split_chance)], int(turn.step.split))


def _judged(results: Sums) -> tuple[Result, ...]:
    rows = [
        Result(
            kind=kind,
            name=name,
            currency=currency,
            exponent=minor_digits(currency),
            turns=odds.turns,
            win_minor=odds.win_minor,
            expected_minor=round(odds.expectation),
            deviation_minor=isqrt(int(odds.variance)),
            z=None if odds.z is None else str(odds.z),
            chance=odds.chance,
            one_in=one_in(odds.chance),
            stands_out=False,
            word=word(odds),
        )
        for (kind, name, currency), odds in results.items()
    ]
    found: list[Result] = []
    for kind in ("table", "table_day", "shift", "day", "dealer"):
        of_kind = sorted((row for row in rows if row.kind == kind), key=lambda row: _order(row.chance, row.name))
        out = stats.stand_out([row.chance for row in of_kind], FALSE_ALARMS)
        found += [
            replace(row, stands_out=stands, word="check" if stands else row.word)
            for row, stands in zip(of_kind, out, strict=True)
        ]
    return tuple(found)


def _judged_splits(splits: Counted) -> tuple[Splits, ...]:
    rows = []
    for (kind, name), dealt in splits.items():
        chance = stats.chance_of_count(dealt.chances, dealt.splits)
        expected = round(sum(dealt.chances), 1)
        rows.append(Splits(kind, name, len(dealt.chances), dealt.splits, expected, chance, one_in(chance), False))
    found: list[Splits] = []
    for kind in ("table", "shoe", "dealer", "deal"):
        of_kind = sorted((row for row in rows if row.kind == kind), key=lambda row: _order(row.chance, row.name))
        out = stats.stand_out([row.chance for row in of_kind], FALSE_ALARMS)
        found += [replace(row, stands_out=stands) for row, stands in zip(of_kind, out, strict=True)]
    return tuple(found)


def _order(chance: float | None, name: str) -> tuple[float, str]:
    return (2.0 if chance is None else chance), name
