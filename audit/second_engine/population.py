"""Every deal of a population recomputed from its facts and compared with what was recorded. It reads and never writes.

The facts are read as columns, a few hundred deals at a time, by a fixed number of queries: memory does not grow with
the population. Facts are only ever added, so those up to the heads that were read first are one moment's record.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Any, Final, Literal

from django.db import connection

from audit.second_engine.facts import BetRow, Departure, Facts, Settled
from audit.second_engine.house_rules import HouseRules, UnreadableTermsError, read_rules
from audit.second_engine.settling import settle

DEALS_AT_A_TIME: Final = 100
BY_DEED: Final = frozenset({"withdrawn", "refused", "returned", "void"})

_Key = tuple[str, int, bool]  # bet, position, by a deed
Kind = Literal["amounts", "outcome", "missing", "unexpected", "bet", "bank", "cards", "unreadable"]

_HEADS = (
    "SELECT table_id, sequence FROM tables_tablehead WHERE %(tables)s::bigint[] IS NULL OR table_id = ANY(%(tables)s)"
)
_DEALS = """
SELECT d.id, d.table_id, t.code, d.name, d.number, d.rules_version_id, d.bank_minor, h.until
FROM unnest(%(tables)s::bigint[], %(untils)s::bigint[]) AS h(table_id, until)
JOIN tables_deal d ON d.table_id = h.table_id AND d.sequence <= h.until
JOIN tables_table t ON t.id = d.table_id
WHERE (d.table_id, d.number) > (%(after_table)s, %(after_number)s)
    AND (%(since)s::date IS NULL OR d.gaming_date >= %(since)s)
    AND (%(until)s::date IS NULL OR d.gaming_date < %(until)s)
    AND (%(deals)s::bigint[] IS NULL OR d.id = ANY(%(deals)s))
ORDER BY d.table_id, d.number LIMIT %(limit)s
"""
_TERMS = "SELECT terms, digits FROM tables_rulesversion WHERE id = %s"


def _each(table: str) -> str:
    """Return the rows of the deals in question, deal by deal (OFFSET 0): a plan that reads them all would not scale."""
    return (
        "unnest(%(ids)s::bigint[], %(untils)s::bigint[]) AS scope(id, until) CROSS JOIN LATERAL ("  # noqa: S608
        f"SELECT * FROM tables_{table} WHERE deal_id = scope.id AND sequence <= scope.until OFFSET 0) AS"
    )  # the names are our own


# A column of cards as one text: the ranks in order of position, then the suits; and where the cards lie.
_CARDS = f"""
SELECT deal_id, string_agg(left(card, 1), '' ORDER BY position), string_agg(right(card, 1), '' ORDER BY position),
    max(position), count(*) FILTER (WHERE pocket), min(position) FILTER (WHERE pocket)
FROM (
    SELECT DISTINCT ON (c.deal_id, c.position) c.deal_id, c.position, c.card, c.pocket
    FROM {_each("card")} c
    ORDER BY c.deal_id, c.position, c.revision DESC
) AS c WHERE card IS NOT NULL GROUP BY deal_id
"""  # noqa: S608 # our own text
# All revisions of a row come, and the highest is picked here: few rows have a second one, and sorting is what costs.
_BETS = f"""
SELECT b.deal_id, b.id, b.made, b.name, b.kind, b.seat, b.rank, b.suit, b.amount_minor, b.after, b.of
FROM {_each("bet")} b
ORDER BY b.deal_id, b.after, b.ordinal, b.name COLLATE "C", b.revision
"""  # noqa: S608 # our own text
_DEEDS = f"""
SELECT d.deal_id, d.type, d.position, d.bet_id, d.card
FROM {_each("deed")} d
WHERE d.type <> 'cut' ORDER BY d.deal_id, d.sequence
"""  # noqa: S608 # our own text
_SETTLED = f"""
SELECT s.deal_id, s.revision, s.by_deed, s.turn, s.position, s.bet_id, s.outcome,
    s.stake_minor, s.paid_minor, s.taken_minor, s.returned_minor, s.standing_minor
FROM {_each("settlement")} s
"""  # noqa: S608 # our own text


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the record and the second engine do not say the same.

    kind        outcome     the bet was settled there, but otherwise
                amounts     with the same outcome, but other amounts or in another turn
                missing     a settlement that should be recorded and is not
                unexpected  one that is recorded and should not be
                bet         a bent corner (F-10) on another card, or of another amount, than its won bet gives
                bank        a private bank that does not go on from the deal before
                cards       positions of the deal without a card, or a pocket at the wrong place
                unreadable  house rules that the second engine does not know: the deal was not recomputed
    """

    kind: Kind
    table_id: int
    table: str
    deal_id: int
    deal: str
    bet: str = ""
    turn: int = 0
    position: int = 0
    recorded: Settled | None = None
    recomputed: Settled | None = None
    note: str = ""

    @property
    def gain_minor(self) -> int:
        """Return by how much the record did better by the players than the second engine."""
        return _players(self.recorded) - _players(self.recomputed)


def _players(settled: Settled | None) -> int:
    return 0 if settled is None else settled.paid - settled.taken


class Recomputation:
    """The differences in a population, found while they are iterated over; the counts are whole at the end.

    heads         the sequence up to which each table's journal was read, by the table's id
    settlements   as recomputed, and `paid_minor` and `taken_minor` with them
    recorded      as recorded
    unreadable    deals that could not be recomputed
    """

    def __init__(self, heads: Mapping[int, int], scope: Mapping[str, Any]) -> None:
        self.heads = dict(heads)
        self.deals = self.turns = self.bets = self.settlements = self.recorded = self.unreadable = 0
        self.paid_minor = self.taken_minor = 0
        self.differences = 0
        self._differences = self._compare(scope)

    def __iter__(self) -> Iterator[Difference]:
        return self

    def __next__(self) -> Difference:
        difference = next(self._differences)
        self.differences += 1
        return difference

    def _compare(self, scope: Mapping[str, Any]) -> Iterator[Difference]:
        houses: dict[int, HouseRules | str] = {}
        bank = _Bank()
        for chunk in _chunks(self.heads, scope):
            facts, names = _facts(chunk)
            recorded = _recorded(chunk, names)
            for row in chunk.rows:
                self.deals += 1
                if row.rules_version_id not in houses:
                    houses[row.rules_version_id] = _house(row.rules_version_id)
                house, known = houses[row.rules_version_id], recorded[row.id]
                self.recorded += len(known)
                deal = facts[row.id]
                if isinstance(house, str):
                    self.unreadable += 1
                    yield row.difference("unreadable", note=house)
                    continue
                for note in deal.faults(house):
                    yield row.difference("cards", note=note)
                settled = settle(house, deal.facts)
                self.bets += len(deal.facts.bets)
                self.turns += (len(deal.facts.ranks) - deal.facts.pocket) // 2
                if house.game == "pharaon":
                    yield from _bent(row, deal.facts, settled)
                paid = taken = 0
                self.settlements += len(settled)
                for each in settled:
                    paid += each.paid
                    taken += each.taken
                    key = (each.bet, each.position, each.outcome in BY_DEED)
                    found = known.pop(key, None)
                    if found != each:
                        yield row.compared(found, each)
                for left in known.values():
                    yield row.compared(left, None)
                self.paid_minor += paid
                self.taken_minor += taken
                note = bank.goes_on(row, taken - paid)
                if note:
                    yield row.difference("bank", note=note)


def recompute(
    *,
    tables: Sequence[int] | None = None,
    since: date | None = None,
    until: date | None = None,
    deals: Sequence[int] | None = None,
    heads: Mapping[int, int] | None = None,
) -> Recomputation:
    """Recompute a population and iterate over what differs from the record.

    The population is the deals of these tables (by default of all), on gaming dates from `since` to before `until`,
    and among these ids. `heads` are the sequences up to which each table's journal counts, by default as it stands.
    """
    if heads is None:
        with connection.cursor() as cursor:
            cursor.execute(_HEADS, {"tables": None if tables is None else list(tables)})
            heads = dict(cursor.fetchall())
    elif tables is not None:
        heads = {table: sequence for table, sequence in heads.items() if table in set(tables)}
    return Recomputation(heads, {"since": since, "until": until, "deals": None if deals is None else list(deals)})


@dataclass(frozen=True, slots=True)
class _DealRow:
    id: int
    table_id: int
    table: str
    name: str
    number: int
    rules_version_id: int
    bank_minor: int | None
    until: int

    def difference(self, kind: Kind, **more: Any) -> Difference:
        return Difference(kind, self.table_id, self.table, self.id, self.name, **more)

    def compared(self, recorded: Settled | None, recomputed: Settled | None) -> Difference:
        """Say how a settlement as recorded and as recomputed differ; at least one of them there is."""
        each = recorded or recomputed
        assert each is not None
        kind: Kind = "outcome"
        if recorded is None or recomputed is None:
            kind = "missing" if recorded is None else "unexpected"
        elif recorded.outcome == recomputed.outcome:
            kind = "amounts"
        return self.difference(
            kind, bet=each.bet, turn=each.turn, position=each.position, recorded=recorded, recomputed=recomputed
        )


@dataclass(frozen=True, slots=True)
class _Chunk:
    rows: list[_DealRow]

    def parameters(self) -> dict[str, list[int]]:
        return {"ids": [row.id for row in self.rows], "untils": [row.until for row in self.rows]}


@dataclass(frozen=True, slots=True)
class _Found:
    """A deal's facts, and where its cards lie."""

    facts: Facts
    last: int
    pocket_from: int | None

    def faults(self, rules: HouseRules) -> Iterator[str]:
        cards = len(self.facts.ranks)
        if self.last != cards:
            yield f"{cards} cards lie on positions up to {self.last}"
        if self.facts.pocket and (not rules.pocket or (self.facts.pocket, self.pocket_from) != (4, 49)):
            yield f"a pocket of {self.facts.pocket} from position {self.pocket_from}"
        if cards > rules.cards:
            yield f"{cards} cards from a shoe of {rules.cards}"


class _Bank:
    """A private bank from deal to deal of one table, as long as its terms are the same. Rules: C-13."""

    def __init__(self) -> None:
        self._last: tuple[int, int, int, int] | None = None

    def goes_on(self, row: _DealRow, result: int) -> str:
        """Say what is wrong with the bank that a deal opened with, or nothing."""
        last, note = self._last, ""
        if row.bank_minor is None:
            self._last = None
            return ""
        goes_on = last is not None and last[:3] == (row.table_id, row.number - 1, row.rules_version_id)
        if goes_on and last is not None and last[3] != row.bank_minor:
            note = f"opened with {row.bank_minor}, the deal before left {last[3]}"
        self._last = (row.table_id, row.number, row.rules_version_id, row.bank_minor + result)
        return note


def _chunks(heads: Mapping[int, int], scope: Mapping[str, Any]) -> Iterator[_Chunk]:
    after_table = after_number = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                _DEALS,
                {
                    **scope,
                    "tables": list(heads),
                    "untils": list(heads.values()),
                    "after_table": after_table,
                    "after_number": after_number,
                    "limit": DEALS_AT_A_TIME,
                },
            )
            rows = [_DealRow(*row) for row in cursor.fetchall()]
        if rows:
            yield _Chunk(rows)
        if len(rows) < DEALS_AT_A_TIME:
            return
        after_table, after_number = rows[-1].table_id, rows[-1].number


def _house(version: int) -> HouseRules | str:
    """Return the house rules of a version, or why they cannot be read."""
    with connection.cursor() as cursor:
        cursor.execute(_TERMS, [version])
        terms, digits = cursor.fetchone()
    try:
        return read_rules(terms, digits)
    except UnreadableTermsError as unreadable:
        return str(unreadable)


def _facts(chunk: _Chunk) -> tuple[dict[int, _Found], dict[int, str]]:
    """Read the facts of a chunk of deals, by the deal's id, and the names of the bets by the ids of their rows."""
    bets: dict[int, list[BetRow]] = {row.id: [] for row in chunk.rows}
    names: dict[int, str] = {}
    departures: dict[int, dict[str, Departure]] = {}
    opened: dict[int, dict[str, str]] = {}
    closing: dict[int, str] = {}
    unmade: set[tuple[int, str]] = set()
    parameters = chunk.parameters()
    with connection.cursor() as cursor:
        cursor.execute(_BETS, parameters)
        for deal, id, made, *columns in cursor.fetchall():
            bet = BetRow(*columns)
            names[id] = bet.name
            of_deal = bets[deal]
            if of_deal and of_deal[-1].name == bet.name:
                of_deal.pop()
            of_deal.append(bet)
            if not made:
                unmade.add((deal, bet.name))
        cursor.execute(_DEEDS, parameters)
        for order, (deal, type, position, bet_id, card) in enumerate(cursor.fetchall()):
            if bet_id is None:
                closing[deal] = type
                continue
            name = names.get(bet_id, f"#{bet_id}")
            if type == "reveal":
                opened.setdefault(deal, {})[name] = card
            else:
                outcome = "withdrawn" if type == "withdraw" else "refused"
                departures.setdefault(deal, {})[name] = Departure(outcome, position, order)
        cursor.execute(_CARDS, parameters)
        cards = {deal: rest for deal, *rest in cursor.fetchall()}
    for deal in {deal for deal, _ in unmade}:
        bets[deal] = [bet for bet in bets[deal] if (deal, bet.name) not in unmade]
    found = {}
    for row in chunk.rows:
        id = row.id
        ranks, suits, last, pocket, pocket_from = cards.get(id, ("", "", 0, 0, None))
        facts = Facts(ranks, suits, pocket, bets[id], departures.get(id, {}), opened.get(id, {}), closing.get(id))
        found[id] = _Found(facts, last, pocket_from)
    return found, names


def _recorded(chunk: _Chunk, names: Mapping[int, str]) -> dict[int, dict[_Key, Settled]]:
    """Read what is recorded as settled, by the deal's id and by bet, position and whether a deed did it."""
    recorded: dict[int, dict[_Key, Settled]] = {row.id: {} for row in chunk.rows}
    revised = []
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, chunk.parameters())
        for row in cursor.fetchall():
            if row[1]:
                revised.append(row)
                continue
            deal, _, by_deed, turn, position, bet_id, *rest = row
            bet = names.get(bet_id) or f"#{bet_id}"
            recorded[deal][bet, position, by_deed] = Settled(turn, position, bet, *rest)
    for deal, _, by_deed, turn, position, bet_id, outcome, *amounts in sorted(revised, key=itemgetter(1)):
        bet = names.get(bet_id) or f"#{bet_id}"
        if outcome == "annulled":
            recorded[deal].pop((bet, position, by_deed), None)
        else:
            recorded[deal][bet, position, by_deed] = Settled(turn, position, bet, outcome, *amounts)
    return recorded


def _bent(row: _DealRow, facts: Facts, settled: Sequence[Settled]) -> Iterator[Difference]:
    """Compare every bent corner with the win that it is of. Rules: F-10."""
    bets = {bet.name: bet for bet in facts.bets}
    won = {each.bet: each for each in settled if each.outcome == "win"}
    for bet in facts.bets:
        if bet.of is None:
            continue
        win, of = won.get(bet.of), bets.get(bet.of)
        if win is None or of is None or bet.after != win.turn * 2:
            yield row.difference("bet", bet=bet.name, note=f"{bet.of} did not win in the turn before")
            continue
        card = facts.opened.get(of.name, "") if of.kind == "sealed" else (of.rank or "") + (of.suit or "")
        if bet.amount != win.returned or (bet.rank or "") + (bet.suit or "") != card:
            note = f"recorded {bet.rank}{bet.suit or ''} for {bet.amount}, won {card} for {win.returned}"
            yield row.difference("bet", bet=bet.name, note=note)
