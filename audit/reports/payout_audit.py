"""The payout audit as data: what was recorded, what it comes to when settled again, where they differ.

Plain values in a fixed order: the same record gives the same data, and the same data the same pages.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from audit import second_engine
from audit.checks import deals as checks
from audit.checks.records import BetRow, DealRecord, EventEntry, SettlementRow
from audit.checks.rounding import Moved, Rounding, roundings
from audit.checks.shuffles import FALSE_ALARMS, Shuffled, examine, judged_whole
from audit.checks.splits import pairs_of, split_chances
from audit.reports.sheet import Imprint
from tables import stats
from tables.queries.console import MispayOnPaper
from tables.queries.disputes import DisputeView
from tables.rules import odds
from tables.rules.cards import RANKS, SUITS
from tables.rules.deal import Deal
from tables.rules.settlement import Settlement

Favour = Literal["house", "player", "none"]
DifferenceClass = Literal["amounts", "missing", "unexpected", "outcome"]
FoundBy = Literal["both", "first", "second"]
CorrectionKind = Literal["cards", "bet", "unmade", "unrecorded"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the audit covers. Tables by name; times in UTC, the end excluded."""

    tables: Sequence[str]
    deal: str = ""
    since: datetime | None = None
    until: datetime | None = None
    gaming_date: date | None = None
    shift: int | None = None


@dataclass(frozen=True, slots=True)
class Population:
    """What was audited of one game (or, with an empty game, of all)."""

    game: str
    tables: int
    deals: int
    turns: int
    bets: int
    settlements: int
    handle_minor: int
    taken_minor: int
    paid_minor: int

    @property
    def game_win_minor(self) -> int:
        return self.taken_minor - self.paid_minor


@dataclass(frozen=True, slots=True)
class IntegrityTest:
    """One test over the whole population. `code` names it; `examined` None means "all rows"."""

    code: str
    examined: int | None
    found: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a test found. `what` is in the record's own notation."""

    test: str
    table: str
    deal: str
    what: str


class Amounts(NamedTuple):
    """The five amounts of a settlement, in minor units."""

    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A settlement whose recorded and recomputed amounts or outcome are not the same.

    `recorded` is None for a settlement that should be there and is not, `recomputed` for one that should not.
    `by` says which engine found it: where the two disagree, that itself is a finding; `recomputed` is then that of the
    one that differs from the record.
    """

    number: int
    table: str
    deal: str
    turn: int
    position: int
    bet: str
    seat: int
    on: str
    recorded: Amounts | None
    recomputed: Amounts | None
    recorded_outcome: str
    recomputed_outcome: str
    kind: DifferenceClass
    corrected: bool
    by: FoundBy

    @property
    def difference_minor(self) -> int:
        """What the players were given beyond what was due to them; negative: what they were short of."""
        return _players_gain(self.recorded) - _players_gain(self.recomputed)

    @property
    def favour(self) -> Favour:
        difference = self.difference_minor
        return "player" if difference > 0 else "house" if difference < 0 else "none"


def _players_gain(amounts: Amounts | None) -> int:
    return amounts.paid_minor - amounts.taken_minor if amounts else 0


class SettlementLine(NamedTuple):
    """One settlement as recorded, for the annex. `card` is empty where no card settled it."""

    deal: str
    turn: int
    position: int
    card: str
    bet: str
    seat: int
    on: str
    outcome: str
    stake_minor: int
    paid_minor: int
    taken_minor: int
    returned_minor: int
    standing_minor: int
    difference: int
    """Number of the difference it belongs to; 0 = agrees."""
    corrected: bool = False


class Casekeep(NamedTuple):
    """A deal's cards against its shoe: how many it held, how many came out, and what does not fit."""

    table: str
    deal: str
    shoe: int
    recorded: int
    undealt: int
    turns: int
    beyond: str
    """Cards recorded more often than the shoe holds them ("QS 5/4"); empty where none is."""
    missing: str
    """Positions without a card; empty where none is missing."""


@dataclass(frozen=True, slots=True)
class DealSettlements:
    """A deal with its settlements in the order in which it settled them."""

    table: str
    deal: str
    rules: str
    """Game and version of the rules that the deal names."""
    cards: str
    """The cards as recorded, a turn after the other."""
    lines: Sequence[SettlementLine]


@dataclass(frozen=True, slots=True)
class Correction:
    """What was put right in the period, by whom, and what it changed for the bank."""

    table: str
    deal: str
    at: datetime
    asked_by: str
    approved_by: str
    kind: CorrectionKind
    what: str
    """In the notation of the table log: "3: QH; 4: QS", "a: seat 3; amount 500"."""
    reason: str
    adjustment_minor: int
    entry: int
    alone: bool
    given: bool


@dataclass(frozen=True, slots=True)
class JournalRange:
    """The part of a journal the report rests on. An empty part has `last` 0."""

    name: str
    first: int
    last: int
    head: str
    """SHA-256 of the last entry, hexadecimal."""
    broken: str = ""
    """Where the chain breaks; empty where it holds."""


@dataclass(frozen=True, slots=True)
class KindOfBet:
    """Results of one kind of bet of one game."""

    game: str
    kind: str
    settlements: int
    handle_minor: int
    game_win_minor: int
    differences: int


@dataclass(frozen=True, slots=True)
class Group:
    """Results of the settlements of one table, one hour of the day, or one rules version."""

    name: str
    settlements: int
    taken_minor: int
    paid_minor: int
    differences: int

    @property
    def game_win_minor(self) -> int:
        return self.taken_minor - self.paid_minor


@dataclass(frozen=True, slots=True)
class TableGroup:
    """A table's results with the exact expectation of its turns; None where one could not be judged."""

    group: Group
    theoretical_minor: Fraction | None
    variance: Fraction | None

    @property
    def z(self) -> Decimal | None:
        if self.theoretical_minor is None or self.variance is None:
            return None
        return stats.z(self.group.game_win_minor, self.theoretical_minor, self.variance)


@dataclass(frozen=True, slots=True)
class DealerErrors:
    """What went wrong under one dealer's hands: found by this audit, or put right before with a change of money.

    `over`: the players were given too much; `under`: too little. Dealers by staff number, empty where none is known.
    """

    dealer: str
    settlements: int
    over: int
    under: int

    @property
    def per_thousand(self) -> Fraction:
        return Fraction(1000 * (self.over + self.under), self.settlements) if self.settlements else Fraction()

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of errors per 1,000 settlements."""
        errors = min(self.over + self.under, self.settlements)
        low, high = stats.rate_interval(errors, self.settlements)
        return 1000 * low, 1000 * high


@dataclass(frozen=True, slots=True)
class RoundingSum:
    """What one clause of one game rounded in one direction: how often, exactly how much, and as whole chips."""

    game: str
    clause: str
    outcome: str
    moved: Moved
    shares: int
    rounded: int
    """Of the shares, those that were not whole chips."""
    exact_minor: Fraction
    minor: int

    @property
    def to_players_minor(self) -> Fraction:
        """What the players have more for it; below zero less."""
        return self.exact_minor - self.minor if self.moved == "taken" else self.minor - self.exact_minor


@dataclass(frozen=True, slots=True)
class ChanceTest:
    """One measure of how the cards of a game fell, against what honest shuffles give."""

    game: str
    measure: str
    """`splits` or a measure of the shuffle lab."""
    over: int
    """Turns, or deals."""
    seen: float
    expected: float
    chance: float | None
    """None where there is too little to judge."""
    stands_out: bool


@dataclass(frozen=True, slots=True)
class FollowedUp:
    """An exception about something of the scope that an earlier final paper named, and how far it is.

    `number`: of this audit's difference, `finding`: of what a test of it found; 0 where it is none of these.
    """

    number: int
    code: str
    table: str
    deal: str
    bet: str
    serial: str
    found_at: datetime
    owner: str
    due_on: date | None
    outcome: str
    """Empty while it is open."""
    settled_at: datetime | None
    settled_by: str
    note: str
    """What was written of its outcome; empty where nothing was, or where it was erased."""
    finding: int = 0


@dataclass(frozen=True, slots=True)
class SealedJournal:
    """How far a journal of the scope lies under the newest seal, and the path from its head to the seal's root."""

    name: str
    sequence: int
    root: str
    index: int
    path: Sequence[str]


@dataclass(frozen=True, slots=True)
class Annexed:
    """What the annex says so that somebody can check the audit against a seal and a bundle."""

    seal_sha256: str
    signature: str
    key: str
    size: int
    """Leaves of the seal's tree."""
    journals: Sequence[SealedJournal]
    bundle_table: str
    """Code of the table that the bundle is of; empty for the whole house."""
    bundle_sha256: str
    bundle_size: int


@dataclass(frozen=True, slots=True)
class PayoutAudit:
    """The whole report."""

    imprint: Imprint
    scope: Scope
    currency: str
    first_engine: str
    """Version of the engine that recorded, and settles the journal's events again."""
    second_engine: str
    """Version of the engine that recomputes from the facts and shares no code with the first."""
    populations: Sequence[Population]
    total: Population
    tests: Sequence[IntegrityTest]
    findings: Sequence[Finding]
    differences: Sequence[Difference]
    kinds: Sequence[KindOfBet]
    casekeeps: Sequence[Casekeep]
    corrections: Sequence[Correction]
    journals: Sequence[JournalRange]
    rules: Sequence[tuple[str, str]]
    """Rules version and its digest, for each that a deal of the period names."""
    deals: Sequence[DealSettlements]
    digits: int
    whole: bool
    """No amount of the report needs the digits of the minor unit."""
    tables: Sequence[TableGroup] = ()
    hours: Sequence[Group] = ()
    versions: Sequence[Group] = ()
    dealers: Sequence[DealerErrors] = ()
    rulings: Sequence[DisputeView] = ()
    mispays: Sequence[MispayOnPaper] = ()
    roundings: Sequence[RoundingSum] = ()
    chances: Sequence[ChanceTest] = ()
    follow_ups: Sequence[FollowedUp] = ()
    annexed: Annexed | None = None
    """None where nothing of the scope was sealed yet."""

    @property
    def agreeing(self) -> int:
        """Settlements that agree to the last chip."""
        return self.total.settlements - sum(1 for item in self.differences if item.recorded is not None)

    @property
    def failed_tests(self) -> int:
        return sum(1 for test in self.tests if test.found)


# What is tested, in the order in which it is printed.
TESTS = (
    "journal",
    "rules",
    "refused",
    "card_rows",
    "bet_rows",
    "cards",
    "conservation",
    "chain",
    "unsettled",
    "engines",
    "second",
)


@dataclass(frozen=True, slots=True)
class Second:
    """What the second engine found: its version, and where it differs from the record, by the deal's id."""

    version: str
    differences: Mapping[int, Sequence[second_engine.Difference]]


def put_together(
    *,
    imprint: Imprint,
    scope: Scope,
    currency: str,
    digits: int,
    engine: str,
    second: Second,
    deals: Iterable[DealRecord],
    journals: Sequence[tuple[JournalRange, int, Sequence[str]]],
    zone: ZoneInfo,
    rulings: Sequence[DisputeView] = (),
    mispays: Sequence[MispayOnPaper] = (),
    annexed: Annexed | None = None,
) -> PayoutAudit:
    """Settle every deal again, compare with it and with the second engine, count, and return the report.

    `journals`: the part of each journal, how many entries of it were examined and what was found wrong; it is read
    after the deals are through, for it may be filled while they are read.
    """
    work = _Work(second, zone)
    for record in deals:
        work.take(record)
    report = work.report(imprint, scope, currency, digits, engine, journals, rulings)
    return replace(report, mispays=mispays, annexed=annexed)


@dataclass(slots=True)
class _Sums:
    tables: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Work:
    """What has been read so far."""

    second: Second
    zone: ZoneInfo
    groups: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    steps: dict[str, list[tuple[Fraction, Fraction] | None]] = field(default_factory=dict)
    errors: dict[str, Counter[str]] = field(default_factory=dict)
    sums: dict[str, _Sums] = field(default_factory=dict)
    kinds: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    examined: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    casekeeps: list[Casekeep] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)
    deals: list[DealSettlements] = field(default_factory=list)
    roundings: dict[tuple[str, str, str, Moved], list[Rounding]] = field(default_factory=dict)
    splits: dict[str, tuple[int, list[Fraction]]] = field(default_factory=dict)
    shuffled: list[Shuffled] = field(default_factory=list)
    before: tuple[str, list[str]] = ("", [])

    def take(self, record: DealRecord) -> None:
        again = checks.settle_again(record)
        deal = again.deal
        finished = deal.finished if deal else not record.live
        self._test(record, "rules", 1, [] if self._same_rules(record, again) else [record.rules])
        self._test(
            record,
            "refused",
            len(record.entries),
            [f"{item.sequence} {item.type}: {item.code}. {item.message}" for item in again.refused],
        )
        self._test(record, "card_rows", len(record.cards), checks.differing_cards(record.cards, deal))
        self._test(record, "bet_rows", len(record.bets), checks.differing_bets(record.bets, deal))
        cards = checks.count_cards(record.cards, again.terms)
        beyond = [f"{card} {times}/{held}" for card, times, held in cards.beyond]
        self._test(record, "cards", 1, [*beyond, *(f"{at}: –" for at in cards.missing)])
        settlements = record.settlements
        self._test(record, "conservation", len(settlements), map(_place, checks.not_conserving(settlements)))
        self._test(record, "chain", len(settlements), map(_place, checks.broken_stakes(record)))
        self._test(record, "unsettled", len(record.bets), checks.unsettled_and_unfounded(record, finished))
        self._count(record)
        lain = {row.position: row.card for row in record.cards if row.card}
        self.casekeeps.append(
            Casekeep(
                record.table,
                record.deal,
                cards.shoe,
                cards.recorded,
                cards.shoe - cards.recorded,
                sum(1 for row in record.cards if row.card and not row.pocket) // 2,
                "; ".join(beyond),
                ", ".join(map(str, cards.missing)),
            )
        )
        lines = self._compare(record, deal, lain)
        for rounding in () if deal is None else roundings(deal):
            key = record.game, rounding.clause, rounding.outcome, rounding.moved
            self.roundings.setdefault(key, []).append(rounding)
        self._fall(record, again)
        self._correct(record)
        self._group(record, again, lines)

    def _same_rules(self, record: DealRecord, again: checks.SettledAgain) -> bool:
        self.rules.setdefault(f"{record.table}: {record.rules}", record.digest)
        return again.terms is not None and again.terms.game.digest() == record.digest

    def _test(self, record: DealRecord, test: str, examined: int, found: Iterable[str]) -> None:
        self.examined[test] += examined
        self.findings.extend(Finding(test, record.table, record.deal, what) for what in found)

    def _count(self, record: DealRecord) -> None:
        sums = self.sums.setdefault(record.game, _Sums())
        sums.tables.add(record.table)
        made = [bet for bet in record.bets if bet.made]
        touched = {row.bet for row in record.settlements if not row.by_deed}
        undone = {row.bet for row in record.settlements if row.outcome in ("withdrawn", "refused", "void")} - touched
        sums.counts.update(
            deals=1,
            turns=sum(1 for row in record.cards if row.card and not row.pocket) // 2,
            bets=len(made),
            settlements=len(record.settlements),
            handle_minor=sum(bet.amount_minor for bet in made if bet.name not in undone),
            taken_minor=sum(row.taken_minor for row in record.settlements),
            paid_minor=sum(row.paid_minor for row in record.settlements),
        )
        kinds = {bet.name: _kind(record.game, bet) for bet in made}
        for bet in made:
            part = self.kinds.setdefault((record.game, kinds[bet.name]), Counter())
            part["handle_minor"] += 0 if bet.name in undone else bet.amount_minor
        for row in record.settlements:
            part = self.kinds.setdefault((record.game, kinds.get(row.bet, "rank")), Counter())
            part["settlements"] += 1
            part["game_win_minor"] += row.taken_minor - row.paid_minor

    def _group(self, record: DealRecord, again: checks.SettledAgain, lines: Sequence[SettlementLine]) -> None:
        """Count the settlements of a deal under its table, its hours, its rules version and its dealers."""
        drawn = checks.drawn_by(record)
        first = record.entries[0] if record.entries else None
        for line in lines:
            entry = drawn.get(line.position, first)
            hour = f"{entry.happened_at.astimezone(self.zone).hour:02d}:00" if entry else ""
            for key in (("table", record.table), ("hour", hour), ("version", f"{record.table}: {record.rules}")):
                self.groups.setdefault(key, Counter()).update(
                    settlements=1,
                    taken_minor=line.taken_minor,
                    paid_minor=line.paid_minor,
                    differences=int(line.difference > 0),
                )
            dealer = self.errors.setdefault(entry.author if entry else "", Counter())
            dealer["settlements"] += 1
            if line.difference:
                dealer[self.differences[line.difference - 1].favour] += 1
        entries = {entry.sequence: entry for entry in record.entries}
        placed = {str(entry.event.get("bet")): entry for entry in record.entries if entry.type in ("bet", "paroli")}
        for row in record.corrections:
            if row.adjustment_minor and row.sequence in entries:
                event = entries[row.sequence].event
                cards = event.get("cards")
                touched = drawn.get(int(next(iter(cards)))) if isinstance(cards, dict) and cards else None
                origin = touched or placed.get(str(event.get("bet"))) or entries[row.sequence]
                favour = "player" if row.adjustment_minor > 0 else "house"
                self.errors.setdefault(origin.author, Counter())[favour] += 1
        steps = None if again.deal is None or again.refused else odds.deal_steps(again.deal)
        self.steps.setdefault(record.table, []).append(
            None
            if steps is None
            else (
                sum((step.expectation for step in steps), Fraction()),
                sum((step.variance for step in steps), Fraction()),
            )
        )

    def _fall(self, record: DealRecord, again: checks.SettledAgain) -> None:
        """Keep how the cards of a deal fell: its splits, and its order beside that of the deal before."""
        cards = [row.card for row in record.cards if row.card]
        table, last = self.before
        self.before = record.table, cards
        if again.terms is None:
            return
        game, pairs = again.terms.game, pairs_of(record.cards)
        seen, chances = self.splits.setdefault(record.game, (0, []))
        chances.extend(split_chances(pairs, game))
        self.splits[record.game] = seen + sum(odd[0] == even[0] for odd, even in pairs), chances
        if judged_whole(len(cards), record.game, game.size):
            before = last if table == record.table else None
            self.shuffled.append(Shuffled(cards, before, {"game": record.game}, game.size))

    def _chances(self) -> tuple[ChanceTest, ...]:
        """Judge splits and shuffles of each game, all together under one control of false alarms."""
        tests = []
        for game, (seen, chances) in sorted(self.splits.items()):
            chance = stats.chance_of_count(chances, seen) if chances else None
            tests.append(ChanceTest(game, "splits", len(chances), seen, float(sum(chances)), chance, False))
        for group in examine(self.shuffled):
            tests.extend(
                ChanceTest(group.name, each.name, each.deals, each.seen, each.expected, each.chance, False)
                for each in group.measures
            )
        out = stats.stand_out([test.chance for test in tests], FALSE_ALARMS)
        return tuple(replace(test, stands_out=bad) for test, bad in zip(tests, out, strict=True))

    def _rounded(self) -> Iterator[RoundingSum]:
        for (game, clause, outcome, moved), found in sorted(self.roundings.items()):
            yield RoundingSum(
                game,
                clause,
                outcome,
                moved,
                shares=len(found),
                rounded=sum(each.exact_minor != each.minor for each in found),
                exact_minor=sum((each.exact_minor for each in found), Fraction()),
                minor=sum(each.minor for each in found),
            )

    def _groups(self, kind: str) -> list[Group]:
        return [
            Group(name, sums["settlements"], sums["taken_minor"], sums["paid_minor"], sums["differences"])
            for (of, name), sums in sorted(self.groups.items())
            if of == kind
        ]

    def _tables(self) -> Iterator[TableGroup]:
        for group in self._groups("table"):
            judged = [step for step in self.steps[group.name] if step is not None]
            if len(judged) < len(self.steps[group.name]):
                yield TableGroup(group, None, None)
            else:
                mean = sum((each for each, _spread in judged), Fraction())
                yield TableGroup(group, mean, sum((spread for _mean, spread in judged), Fraction()))

    def _compare(self, record: DealRecord, deal: Deal | None, lain: dict[int, str]) -> list[SettlementLine]:
        bets = {bet.name: bet for bet in record.bets}
        lines: list[SettlementLine] = []
        other: dict[checks.Key, second_engine.Difference] = {}
        facts: list[str] = []
        for found in self.second.differences.get(record.id, ()):
            each = found.recorded or found.recomputed
            if each is None:
                facts.append(" ".join(filter(None, (found.bet, found.note))))
            else:
                other[each.bet, each.position, each.outcome in checks.BY_DEED] = found
        self._test(record, "second", 1, facts)
        disagreeing: list[str] = []
        for compared in checks.compare_settlements(record, deal):
            row, due = compared.recorded, compared.recomputed
            key = checks.key_of(compared)
            found_too = other.pop(key, None)
            number = 0
            if not compared.same or found_too is not None:
                number = self._differ(record, deal, key, compared, found_too)
                if compared.same or found_too is None:
                    disagreeing.append(_place(key))
            if row is not None:
                lines.append(
                    SettlementLine(
                        record.deal,
                        row.turn,
                        row.position,
                        "" if row.by_deed else lain.get(row.position, ""),
                        row.bet,
                        bets[row.bet].seat if row.bet in bets else due.seat if due else 0,
                        _on(row.bet, bets, deal),
                        row.outcome,
                        row.stake_minor,
                        row.paid_minor,
                        row.taken_minor,
                        row.returned_minor,
                        row.standing_minor,
                        number,
                        row.corrected,
                    )
                )
        for key, left in other.items():
            self._differ(record, deal, key, None, left)
            disagreeing.append(_place(key))
        self._test(record, "engines", len(lines), disagreeing)
        played = [card for _position, card in sorted(lain.items())]
        pairs = " ".join("·".join(played[at : at + 2]) for at in range(0, len(played), 2))
        self.deals.append(DealSettlements(record.table, record.deal, record.rules, pairs, lines))
        return lines

    def _differ(
        self,
        record: DealRecord,
        deal: Deal | None,
        key: checks.Key,
        compared: checks.Compared | None,
        other: second_engine.Difference | None,
    ) -> int:
        """Keep a difference that the first engine, the second or both found, and return its number."""
        bets = {bet.name: bet for bet in record.bets}
        name, position, _by_deed = key
        row = compared.recorded if compared else None
        first = compared is not None and not compared.same
        due = _settled(other.recomputed) if other else compared and _due(compared.recomputed)
        if other is not None and row is None and other.recorded is not None:
            row_amounts, row_outcome, row_turn = _settled(other.recorded) or (None, "", 0)
        else:
            row_amounts, row_outcome, row_turn = _recorded(row), row.outcome if row else "", row.turn if row else 0
        amounts, outcome, turn = due or (None, "", 0)
        number = len(self.differences) + 1
        self.differences.append(
            Difference(
                number=number,
                table=record.table,
                deal=record.deal,
                turn=row_turn or turn,
                position=position,
                bet=name,
                seat=bets[name].seat if name in bets else 0,
                on=_on(name, bets, deal),
                recorded=row_amounts,
                recomputed=amounts,
                recorded_outcome=row_outcome,
                recomputed_outcome=outcome,
                kind=_class(row_amounts, amounts),
                corrected=row.corrected if row else False,
                by="both" if first and other else "first" if first else "second",
            )
        )
        kind = _kind(record.game, bets.get(name))
        self.kinds.setdefault((record.game, kind), Counter())["differences"] += 1
        return number

    def _correct(self, record: DealRecord) -> None:
        entries = {entry.sequence: entry for entry in record.entries}
        for row in record.corrections:
            entry = entries.get(row.sequence)
            if entry is None:
                self.findings.append(Finding("journal", record.table, record.deal, f"{row.sequence}: –"))
                continue
            kind, what = correction_in_words(entry)
            self.corrections.append(
                Correction(
                    record.table,
                    record.deal,
                    entry.happened_at,
                    row.author,
                    row.approver,
                    kind,
                    what,
                    str(entry.event.get("reason", "")),
                    row.adjustment_minor,
                    row.sequence,
                    row.alone,
                    row.given,
                )
            )

    def report(
        self,
        imprint: Imprint,
        scope: Scope,
        currency: str,
        digits: int,
        engine: str,
        journals: Sequence[tuple[JournalRange, int, Sequence[str]]],
        rulings: Sequence[DisputeView],
    ) -> PayoutAudit:
        for part, examined, found in journals:
            self.examined["journal"] += examined
            self.findings.extend(Finding("journal", part.name, "", what) for what in found)
        per_test = Counter(finding.test for finding in self.findings)
        populations = tuple(_population(game, [self.sums[game]]) for game in sorted(self.sums))
        return PayoutAudit(
            imprint=imprint,
            scope=scope,
            currency=currency,
            first_engine=engine,
            second_engine=self.second.version,
            populations=populations,
            total=_population("", list(self.sums.values())),
            tests=tuple(IntegrityTest(test, self.examined[test], per_test[test]) for test in TESTS),
            findings=tuple(self.findings),
            differences=tuple(self.differences),
            kinds=tuple(
                KindOfBet(
                    game,
                    kind,
                    sums["settlements"],
                    sums["handle_minor"],
                    sums["game_win_minor"],
                    sums["differences"],
                )
                for (game, kind), sums in sorted(self.kinds.items())
            ),
            casekeeps=tuple(self.casekeeps),
            corrections=tuple(self.corrections),
            journals=tuple(part for part, _examined, _found in journals),
            rules=tuple(sorted(self.rules.items())),
            deals=tuple(self.deals),
            digits=digits,
            whole=not any(
                amount % 10**digits
                for amount in (*self._amounts(), *(each.ruling.amount_minor for each in rulings if each.ruling))
            ),
            tables=tuple(self._tables()),
            hours=tuple(self._groups("hour")),
            versions=tuple(self._groups("version")),
            dealers=tuple(
                DealerErrors(dealer, sums["settlements"], sums["player"], sums["house"])
                for dealer, sums in sorted(self.errors.items())
            ),
            rulings=tuple(rulings),
            roundings=tuple(self._rounded()),
            chances=self._chances(),
        )

    def _amounts(self) -> Iterable[int]:
        for deal in self.deals:
            for line in deal.lines:
                yield from (line.stake_minor, line.paid_minor, line.taken_minor, line.returned_minor)
        for difference in self.differences:
            yield from difference.recorded or ()
            yield from difference.recomputed or ()
        for correction in self.corrections:
            yield correction.adjustment_minor
        for sums in self.sums.values():
            yield sums.counts["handle_minor"]


def correction_in_words(entry: EventEntry) -> tuple[CorrectionKind, str]:
    """Say what a `correct` event changes, in the notation of the table log."""
    event: dict[str, Any] = dict(entry.event)
    cards = event.get("cards")
    if isinstance(cards, dict):
        named = sorted(cards.items(), key=lambda pair: int(pair[0]))
        return "cards", "; ".join(f"{position}: {card or '–'}" for position, card in named)
    bet = str(event.get("bet", ""))
    if event.get("made") is False:
        return "unmade", bet
    fields = "; ".join(
        f"{name} {event[name]}" for name in ("seat", "rank", "card", "suit", "amount", "after") if name in event
    )
    return ("unrecorded" if event.get("made") else "bet"), f"{bet}: {fields}"


def _place(key: checks.Key) -> str:
    bet, position, _by_deed = key
    return f"{position} {bet}"


def _recorded(row: SettlementRow | None) -> Amounts | None:
    if row is None:
        return None
    return Amounts(row.stake_minor, row.paid_minor, row.taken_minor, row.returned_minor, row.standing_minor)


def _due(due: Settlement | None) -> tuple[Amounts, str, int] | None:
    if due is None:
        return None
    return Amounts(due.stake, due.paid, due.taken, due.returned, due.standing), due.outcome, due.turn


def _settled(settled: second_engine.Settled | None) -> tuple[Amounts, str, int] | None:
    if settled is None:
        return None
    amounts = Amounts(settled.stake, settled.paid, settled.taken, settled.returned, settled.standing)
    return amounts, settled.outcome, settled.turn


def _class(recorded: Amounts | None, recomputed: Amounts | None) -> DifferenceClass:
    if recorded is None:
        return "missing"
    if recomputed is None:
        return "unexpected"
    return "amounts" if recorded != recomputed else "outcome"


def _kind(game: str, bet: BetRow | None) -> str:
    if bet is not None and bet.kind == "suit":
        return "suit"
    return "card" if game in ("pharaon", "private") else "rank"


def _on(name: str, rows: dict[str, BetRow], deal: Deal | None) -> str:
    """Say what a bet stands on; a sealed one, on the card it was opened with."""
    bet = deal.bets.get(name) if deal else None
    if bet is not None:
        return ("" if bet.rank is None else RANKS[bet.rank]) + ("" if bet.suit is None else SUITS[bet.suit])
    row = rows.get(name)
    return "" if row is None else (row.rank or "") + (row.suit or "")


def _population(game: str, parts: Sequence[_Sums]) -> Population:
    tables: set[str] = set().union(*(part.tables for part in parts))
    counts: Counter[str] = sum((part.counts for part in parts), Counter())
    return Population(
        game,
        len(tables),
        counts["deals"],
        counts["turns"],
        counts["bets"],
        counts["settlements"],
        counts["handle_minor"],
        counts["taken_minor"],
        counts["paid_minor"],
    )
