"""What the bank could expect of the turns that were dealt, exactly, and what it got. It writes nothing.

Deals after which another was opened never change again (C-12): what their turns could expect is kept
(`tables.actions.odds`). The last deal of each table is followed in the process, from the journal, turn by turn.
Everything is read for many tables at once.
"""

import json
import logging
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from django.db import connection

from tables import stats
from tables.ledger import Ledger
from tables.queries.record import feed
from tables.rules.odds import DealSteps, Step
from tables.rules.refusals import Refusal

log = logging.getLogger(__name__)

FOLLOWED: Final = 1000  # deals kept in the process
ENOUGH: Final = 30  # turns with money at stake; with fewer, the normal law says nothing of a chance


@dataclass(frozen=True, slots=True)
class DealRef:
    """A deal and where its entries stand in its table's journal: from `sequence` to `until`.

    of_player  the bank is a player's: what it wins is not the house's
    corrected  sequence of its last correction, or 0
    final      another deal was opened after it: it never changes again
    """

    id: int
    table_id: int
    opening_id: int
    name: str
    number: int
    bank_minor: int | None
    version: int
    terms: str
    journal_id: int
    sequence: int
    until: int
    corrected: int
    final: bool

    @property
    def of_player(self) -> bool:
        return self.bank_minor is not None


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was dealt, or the pocket, with when and by whom. `number`: that of its deal at the table."""

    opening_id: int
    deal: str
    number: int
    of_player: bool
    step: Step
    happened_at: datetime
    dealer: str


@dataclass(frozen=True, slots=True)
class Reckoned:
    """The turns of a deal as of a sequence. `known`: how many of them are kept already. None: it cannot be judged.

    certain  no bet is sealed any more: what a turn could expect will not change, but by a correction
    """

    deal: DealRef
    sequence: int
    turns: tuple[Turn, ...] | None
    known: int
    certain: bool


@dataclass(slots=True)
class Theory:
    """Turns together: what the bank could expect of them, and what it got. Money is the house's alone.

    turns     complete ones, the pocket is none; `at_stake` of them could have moved money
    recent    those since a moment that the reader named
    """

    turns: int = 0
    at_stake: int = 0
    recent: int = 0
    splits: int = 0
    splits_expected: Fraction = Fraction(0)
    win_minor: int = 0
    expectation: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)

    def add(self, turn: Turn, since: datetime) -> None:
        """Add one turn."""
        step = turn.step
        if not step.pocket:
            self.turns += 1
            self.splits += step.split
            self.splits_expected += step.split_chance
            self.recent += turn.happened_at > since
        if not turn.of_player:
            self.win_minor += step.actual
            self.expectation += step.expectation
            self.variance += step.variance
            self.at_stake += step.variance > 0

    def plus(self, other: "Theory") -> "Theory":
        """Return both together."""
        return Theory(*(getattr(self, name) + getattr(other, name) for name in Theory.__slots__))

    @property
    def z(self) -> Decimal | None:
        return stats.z(self.win_minor, self.expectation, self.variance)

    @property
    def chance(self) -> float | None:
        """Return the chance of a result at least as far from the expected one; None with too few turns to say."""
        if self.at_stake < ENOUGH:
            return None
        return stats.chance_so_far(self.win_minor, self.expectation, self.variance)


# -- which deals

_DEALS = """
SELECT d.id, d.table_id, d.opening_id, d.name, d.number, d.bank_minor, v.number, v.terms, h.journal_id, d.sequence,
    COALESCE(n.sequence - 1, h.sequence),
    COALESCE((SELECT max(c.sequence) FROM tables_correction c WHERE c.deal_id = d.id), 0), n.id IS NOT NULL
FROM {source} JOIN tables_tablehead h ON h.table_id = d.table_id
JOIN tables_rulesversion v ON v.id = d.rules_version_id
LEFT JOIN tables_deal n ON n.table_id = d.table_id AND n.number = d.number + 1
{where} ORDER BY d.table_id, d.number
"""
_OF_OPENINGS = """
unnest(%s::bigint[], %s::bigint[]) AS o(opening_id, through)
JOIN tables_deal d ON d.opening_id = o.opening_id AND d.number > o.through
"""
_OF_TABLES = """
unnest(%s::bigint[], %s::bigint[]) AS o(table_id, through)
CROSS JOIN LATERAL (
    SELECT * FROM tables_deal d WHERE d.table_id = o.table_id AND d.number > o.through ORDER BY d.number LIMIT %s
) d
"""


def heads(table_ids: Collection[int]) -> dict[int, int]:
    """Say for each table up to which deal the odds of its turns are kept for good."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_id, deal_number FROM tables_oddshead WHERE table_id = ANY(%s)", [list(table_ids)])
        return dict(cursor.fetchall())


def deals_of_openings(openings: Mapping[int, int]) -> list[DealRef]:
    """Find the deals of openings that are numbered above what is given for each."""
    return _deals(_OF_OPENINGS, "", list(openings), list(openings.values()))


def deals_of_tables(tables: Mapping[int, int], limit: int) -> list[DealRef]:
    """Find the first deals of tables that are numbered above what is given for each."""
    return _deals(_OF_TABLES, "", list(tables), list(tables.values()), limit)


def _deals(source: str, where: str, *parameters: Any) -> list[DealRef]:
    with connection.cursor() as cursor:
        cursor.execute(_DEALS.format(source=source, where=where), parameters)
        return [DealRef(*row) for row in cursor.fetchall()]


# -- their turns

_KEPT = """
SELECT o.deal_id, o.turn, o.position, o.pocket, o.undealt, o.mean, o.spread, o.split_ways, o.split, o.win_minor
FROM unnest(%s::bigint[], %s::bigint[]) AS d(id, corrected)
JOIN tables_turnodds o ON o.deal_id = d.id AND o.sequence >= d.corrected
WHERE NOT o.pocket ORDER BY o.deal_id, o.turn
"""
_ENTRIES = """
SELECT d.id, e.sequence, e.hash, e.type, e.author, e.happened_at, e.text
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[]) AS d(id, journal_id, since, until)
JOIN tables_entry e ON e.journal_id = d.journal_id AND e.sequence BETWEEN d.since AND d.until
ORDER BY d.id, e.sequence
"""


@dataclass(slots=True)
class _Followed:
    """A deal played again from the journal, as it stood at the entry with this sequence and hash."""

    ledger: Ledger
    sequence: int = 0
    hash: str = ""
    steps: DealSteps | None = None
    drawn: list[tuple[datetime, str]] = field(default_factory=list)
    refused: bool = False

    def feed(self, sequence: int, hash: str, type: str, author: str, happened_at: datetime, text: str) -> None:
        if not self.refused:
            try:
                feed(self.ledger, json.loads(text))
            except Refusal as refusal:  # a finding of the audit; here the deal is just not judged
                log.warning("entry %s is not judged: %s", sequence, refusal)
                self.refused = True
        self.sequence, self.hash = sequence, hash
        deal = self.ledger.state.deal
        position = 0 if deal is None else deal.position
        del self.drawn[position:]
        self.drawn += [(happened_at, author)] * (position - len(self.drawn))


class _Following:
    """Deals followed in this process. Whoever takes one owns it until he puts it back; it is believed by its hash."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, _Followed] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, deal_id: int) -> _Followed | None:
        with self._lock:
            return self._kept.pop(deal_id, None)

    def put(self, deal_id: int, followed: _Followed) -> None:
        with self._lock:
            self._kept[deal_id] = followed
            while len(self._kept) > FOLLOWED:
                self._kept.popitem(last=False)


_following = _Following()


def reckon(deals: Sequence[DealRef]) -> list[Reckoned]:
    """Return the turns of these deals, in four queries for all of them."""
    kept: dict[int, list[Step]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, [[deal.id for deal in deals], [deal.corrected for deal in deals]])
        for deal_id, *row in cursor.fetchall():
            step = _step(*row)
            if len(kept[deal_id]) == step.turn - 1:  # none is missing before it
                kept[deal_id].append(step)
    followed = {deal.id: _following.take(deal.id) for deal in deals}
    read = _entries([(deal, one.sequence) for deal in deals if (one := followed[deal.id]) is not None])
    for deal in deals:
        one = followed[deal.id]
        if one is not None and [row[:2] for row in read.get(deal.id, [])[:1]] != [(one.sequence, one.hash)]:
            followed[deal.id] = None  # of a journal that was rolled back, or of another database
    anew = _entries([(deal, deal.sequence) for deal in deals if followed[deal.id] is None])
    found = []
    for deal in deals:
        one = followed[deal.id]
        entries = anew.get(deal.id, []) if one is None else read[deal.id][1:]
        if one is None:
            one = _Followed(Ledger.before_deal(json.loads(deal.terms), deal.bank_minor, deal.version, deal.number - 1))
        for entry in entries:
            one.feed(*entry)
        found.append(_reckoned(deal, one, kept.get(deal.id, [])))
        if len(found[-1].turns or ()) > len(kept.get(deal.id, ())) or not deal.final:
            _following.put(deal.id, one)  # until its turns are kept, it is not to be played again each time
    return found


def _entries(since: Sequence[tuple[DealRef, int]]) -> dict[int, list[tuple[Any, ...]]]:
    """Read the entries of deals from a sequence on, that one included."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    if since:
        with connection.cursor() as cursor:
            cursor.execute(
                _ENTRIES,
                [
                    [deal.id for deal, _ in since],
                    [deal.journal_id for deal, _ in since],
                    [sequence for _, sequence in since],
                    [deal.until for deal, _ in since],
                ],
            )
            for deal_id, *entry in cursor.fetchall():
                found[deal_id].append(tuple(entry))
    return found


def _reckoned(deal: DealRef, followed: _Followed, kept: Sequence[Step]) -> Reckoned:
    played = followed.ledger.state.deal
    if followed.refused or played is None:
        return Reckoned(deal, followed.sequence, None, 0, True)
    if followed.steps is None or followed.steps.deal is not played:
        followed.steps = DealSteps(played, kept[: len(played.cards) // 2])
    turns = tuple(
        Turn(deal.opening_id, deal.name, deal.number, deal.of_player, step, *followed.drawn[step.position - 1])
        for step in followed.steps.steps()
    )
    return Reckoned(deal, followed.sequence, turns, len(kept), followed.steps.certain)


def _step(
    turn: int,
    position: int,
    pocket: bool,
    undealt: int,
    mean: Decimal,
    spread: Decimal,
    split_ways: int,
    split: bool,
    win_minor: int,
) -> Step:
    pairs = undealt * (undealt - 1)
    return Step(
        turn=turn,
        position=position,
        pocket=pocket,
        undealt=undealt,
        expectation=Fraction(int(mean), pairs),
        variance=Fraction(int(spread), pairs * pairs),
        split_chance=Fraction(split_ways, pairs),
        split=split,
        actual=win_minor,
    )


_TURNS = """
SELECT d.opening_id, d.name, d.number, d.bank_minor IS NOT NULL, o.happened_at, o.dealer,
    o.turn, o.position, o.pocket, o.undealt, o.mean, o.spread, o.split_ways, o.split, o.win_minor
FROM unnest(%s::bigint[], %s::bigint[]) AS w(opening_id, through)
JOIN tables_deal d ON d.opening_id = w.opening_id AND d.number <= w.through
JOIN tables_turnodds o ON o.deal_id = d.id ORDER BY d.table_id, d.number, o.turn
"""


def turns_of_openings(openings: Mapping[int, int]) -> list[Turn]:
    """Read the turns of openings, each given with its table's id, a table's in their order."""
    through = heads(set(openings.values()))
    marks = {opening: through.get(table, 0) for opening, table in openings.items()}
    with connection.cursor() as cursor:
        cursor.execute(_TURNS, [list(marks), list(marks.values())])
        turns = [
            Turn(opening, name, number, of_player, _step(*step), happened_at, dealer)
            for opening, name, number, of_player, happened_at, dealer, *step in cursor.fetchall()
        ]
    for reckoned in reckon(deals_of_openings(marks)):
        turns += reckoned.turns or ()
    return turns


# -- sums

_SUMS = """
SELECT d.opening_id, o.undealt, d.bank_minor IS NOT NULL, o.pocket, count(*), count(*) FILTER (WHERE o.spread > 0),
    count(*) FILTER (WHERE o.happened_at > %s), count(*) FILTER (WHERE o.split), sum(o.split_ways), sum(o.win_minor),
    sum(o.mean), sum(o.spread)
FROM unnest(%s::bigint[], %s::bigint[]) AS w(opening_id, through)
JOIN tables_deal d ON d.opening_id = w.opening_id AND d.number <= w.through
JOIN tables_turnodds o ON o.deal_id = d.id
GROUP BY d.opening_id, o.undealt, d.bank_minor IS NOT NULL, o.pocket
"""


def of_openings(openings: Mapping[int, int], since: datetime) -> dict[int, Theory]:
    """Sum the turns of openings, each given with its table's id; `recent` are those after `since`."""
    through = heads(set(openings.values()))
    marks = {opening: through.get(table, 0) for opening, table in openings.items()}
    found = {opening: Theory() for opening in openings}
    with connection.cursor() as cursor:
        cursor.execute(_SUMS, [since, list(marks), list(marks.values())])
        for opening_id, *row in cursor.fetchall():
            found[opening_id] = found[opening_id].plus(summed(*row))
    for reckoned in reckon(deals_of_openings(marks)):
        for turn in reckoned.turns or ():
            found[turn.opening_id].add(turn, since)
    return found


def summed(
    undealt: int,
    of_player: bool,
    pocket: bool,
    turns: int,
    at_stake: int,
    recent: int,
    splits: int,
    split_ways: int,
    win_minor: int,
    mean: Decimal,
    spread: Decimal,
) -> Theory:
    """Return what a row of sums says, all of turns with as many cards undealt."""
    pairs = undealt * (undealt - 1)
    found = Theory()
    if not pocket:
        found.turns, found.recent, found.splits = turns, recent, splits
        found.splits_expected = Fraction(int(split_ways), pairs)
    if not of_player:
        found.at_stake, found.win_minor = at_stake, int(win_minor)
        found.expectation, found.variance = Fraction(int(mean), pairs), Fraction(int(spread), pairs * pairs)
    return found


def in_whole_numbers(step: Step) -> tuple[int, int, int]:
    """Return mean, spread and ways of a split of a step, as `TurnOdds` keeps them."""
    pairs = step.undealt * (step.undealt - 1)
    numbers = (step.expectation * pairs, step.variance * pairs * pairs, step.split_chance * pairs)
    assert all(number.denominator == 1 for number in numbers), "chances of a turn are over ordered pairs of cards"
    mean, spread, ways = (number.numerator for number in numbers)
    return mean, spread, ways


def total(theories: Iterable[Theory]) -> Theory:
    """Return many together."""
    found = Theory()
    for each in theories:
        found = found.plus(each)
    return found
