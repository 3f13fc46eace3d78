"""Reports with invented figures, for looking at pages and for measuring. Every sum follows from its parts."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from random import Random
from uuid import UUID

from audit.reports.payout_audit import (
    Amounts,
    Casekeep,
    Correction,
    DealerErrors,
    DealSettlements,
    Difference,
    Finding,
    Group,
    IntegrityTest,
    JournalRange,
    KindOfBet,
    PayoutAudit,
    Population,
    Scope,
    SettlementLine,
    TableGroup,
)
from audit.reports.sheet import Imprint
from audit.reports.shift_report import Floor, Hour, Part, Remark, Result, ShiftReport, Spell, TableRow, summed
from tables.queries.alerts import AlertView
from tables.queries.books import Books, Inventory, totals
from tables.queries.devices import ClockDifference, FailedAttempts, OffLine
from tables.queries.disputes import DisputeView, RulingView
from tables.queries.notes import NoteView
from tables.queries.people import Duty
from tables.queries.shifts import Amendment
from tables.queries.slips import SeriesReport, SlipView, StepView

RANKS = "23456789TJQKA"
SUITS = "CDHS"


def imprint(**changes: object) -> Imprint:
    values = {
        "licensee": "Demonstration House, licence 0000-DEMO",
        "serial": "PA-2026-000365",
        "revision": 1,
        "status": "final",
        "asked_by": "A-003",
        "generated_at": datetime(2026, 11, 30, 1, 2, 11, tzinfo=UTC),
        "version": "1.4.2",
        "build": "9f3c71e2",
        "verify_url": "http://verify.example/verify/PA-2026-000365",
    } | changes
    return Imprint(**values)  # type: ignore[arg-type]  # a dictionary of the right fields


def payout_audit(
    settlements: int,
    *,
    seed: int = 1,
    differences: int = 3,
    reason: str = "wrong card",
    table: str = "Stuss 1",
    deals_of: int = 120,
) -> PayoutAudit:
    """Invent an audit of so many settlements at one table."""
    dice = Random(seed)
    deals: list[DealSettlements] = []
    casekeeps: list[Casekeep] = []
    found: list[Difference] = []
    taken = paid = handle = 0
    left = settlements
    wrong = set(dice.sample(range(settlements), min(differences, settlements)))
    index = 0
    while left:
        name = str(len(deals) + 1)
        size = min(left, deals_of)
        left -= size
        shoe = [rank + suit for rank in RANKS for suit in SUITS]
        dice.shuffle(shoe)
        turns = sorted(dice.randint(1, 24) for _ in range(size))
        lines = []
        for place, turn in enumerate(turns):
            won = dice.random() < 0.48
            stake = dice.choice((100, 200, 500, 1000, 2500)) * 100
            position = turn * 2 - (0 if won else 1)
            number = 0
            seat = dice.randint(1, 10)
            bet = f"{seat}-{place}"
            amounts = Amounts(stake, stake if won else 0, 0 if won else stake, 2 * stake if won else 0, 0)
            if index in wrong:
                number = len(found) + 1
                due = amounts
                amounts = amounts._replace(
                    paid_minor=amounts.paid_minor + 5000, returned_minor=amounts.returned_minor + 5000
                )
                found.append(
                    Difference(
                        number,
                        table,
                        name,
                        turn,
                        position,
                        bet,
                        seat,
                        shoe[position - 1][0],
                        amounts,
                        due,
                        "win" if won else "lose",
                        "win" if won else "lose",
                        "amounts",
                        number == 2,
                        "both",
                    )
                )
            lines.append(
                SettlementLine(
                    name,
                    turn,
                    position,
                    shoe[position - 1],
                    bet,
                    seat,
                    shoe[position - 1][0],
                    "win" if won else "lose",
                    *amounts,
                    number,
                )
            )
            handle += stake
            taken += amounts.taken_minor
            paid += amounts.paid_minor
            index += 1
        cards = " ".join(f"{shoe[i]}·{shoe[i + 1]}" for i in range(0, 48, 2))
        deals.append(DealSettlements(table, name, "stuss 4", cards, lines))
        casekeeps.append(Casekeep(table, name, 52, 52, 0, 24, "QS 2/1" if name == "3" else "", ""))
    total = Population("", 1, len(deals), 24 * len(deals), settlements, settlements, handle, taken, paid)
    return PayoutAudit(
        imprint=imprint(),
        scope=Scope((table,), since=datetime(2026, 11, 29, 5, tzinfo=UTC), until=datetime(2026, 11, 30, 5, tzinfo=UTC)),
        currency="KZT",
        first_engine="A 3",
        second_engine="B 2",
        populations=(Population("stuss", *_fields(total)),),
        total=total,
        tests=(
            IntegrityTest("journal", 48_211, 0),
            IntegrityTest("cards", len(deals), 1 if len(deals) > 2 else 0),
            IntegrityTest("card_rows", 52 * len(deals), 0),
            IntegrityTest("bet_rows", settlements, 0),
            IntegrityTest("unsettled", settlements, 0),
            IntegrityTest("refused", settlements, 0),
            IntegrityTest("conservation", settlements, 0),
            IntegrityTest("rules", 1, 0),
        ),
        findings=(Finding("cards", table, "3", "QS 2/1"),) if len(deals) > 2 else (),
        differences=tuple(found),
        kinds=(KindOfBet("stuss", "rank", settlements, handle, taken - paid, len(found)),),
        casekeeps=tuple(casekeeps),
        corrections=(
            Correction(
                table,
                "1",
                datetime(2026, 11, 29, 16, 12, 9, tzinfo=UTC),
                "D-014",
                "I-002",
                "cards",
                "3: QH; 4: QS",
                reason,
                -30_000,
                1204,
                False,
                False,
            ),
        ),
        journals=(JournalRange("stuss-1", 88_104, 136_314, "41c07be2" * 8),),
        rules=(("stuss 4", "6d1f0a94c37b52e8" * 4),),
        deals=tuple(deals),
        digits=2,
        whole=True,
        tables=(
            TableGroup(
                Group(table, settlements, taken, paid, len(found)),
                Fraction(handle, 60),
                Fraction(handle) * 150_000,
            ),
        ),
        hours=(Group("21:00", settlements, taken, paid, len(found)),),
        versions=(Group("stuss 4", settlements, taken, paid, len(found)),),
        dealers=(DealerErrors("D-014", settlements, len(found), 0),),
    )


def _fields(total: Population) -> tuple[int, ...]:
    return (
        total.tables,
        total.deals,
        total.turns,
        total.bets,
        total.settlements,
        total.handle_minor,
        total.taken_minor,
        total.paid_minor,
    )


def _books(table: str, game_win: int, drop: int, dice: Random) -> tuple[Books, ...]:
    """Invent the one opening of a table, closed with what there should be."""
    return (
        Books(
            opening_id=dice.randint(1, 10**6),
            table=table,
            pit_id=1,
            opening=1,
            gaming_date=date(2026, 11, 29),
            shift=3,
            currency="KZT",
            exponent=2,
            opened_at=datetime(2026, 11, 29, 14, 58, 12, tzinfo=UTC),
            closed_at=datetime(2026, 11, 29, 23, 6, 40, tzinfo=UTC),
            opener_minor=20_000_000,
            opener_of_minor=20_000_000,
            closer_minor=20_000_000 + 3_000_000 - drop + game_win,
            fills_minor=3_000_000,
            credits_minor=0,
            buy_ins_minor=drop,
            fees_minor=0,
            boxes=1,
            boxes_counted=1,
            drop_counted_minor=drop,
            taken_minor=game_win,
            paid_minor=0,
            rulings_minor=0,
            tolerance_minor=200_000,
        ),
    )


def shift_report(tables: int, *, seed: int = 1, pits: int = 2, counted: bool = False) -> ShiftReport:
    """Invent a shift of so many tables, with or without their chips counted."""
    dice = Random(seed)
    rows = []
    games = ("stuss", "stos", "pharaon", "private")
    for index in range(tables):
        game = games[index * 4 // tables] if tables > 3 else games[index]
        turns = dice.randint(200, 500)
        handle = dice.randint(400, 900) * 100_000
        theory = Fraction(handle * dice.randint(12, 25), 1007)
        variance = Fraction(dice.randint(19_000, 27_000) * 100) ** 2
        taken = handle // 2 + dice.randint(-30_000, 30_000) * 100
        # Whole tenge, so that what the chips say and what the bets say is the same in print.
        paid = (taken - int(theory) - int(dice.gauss(0, 1) * 23_000) * 100) // 100 * 100
        rows.append(
            TableRow(
                f"{game.title()} {index + 1}",
                "AB"[index * pits // tables] if pits > 1 else "A",
                game,
                game == "private",
                Result(
                    turns // 24,
                    turns,
                    turns // 17,
                    turns * 9,
                    handle,
                    taken,
                    paid,
                    theory,
                    variance,
                    [Fraction(1, 17)] * turns,
                ),
                _books(f"{game}-{index + 1}", taken - paid, handle // 600 * 100, dice)
                if counted and game != "private"
                else (),
                timedelta(hours=8, minutes=8),
            )
        )
    since = datetime(2026, 11, 29, 14, 58, 12, tzinfo=UTC)
    total = summed([row.result for row in rows])
    assert total.theoretical_minor is not None
    assert total.variance is not None
    hours = []
    for hour in range(1, 9):
        part = Fraction(hour, 8)
        hours.append(
            Hour(
                since + timedelta(hours=hour),
                int(total.game_win_minor * part) + int(dice.gauss(0, 1) * 20_000) * 100 * (hour < 8),
                total.theoretical_minor * part,
                total.variance * part,
            )
        )
    return ShiftReport(
        imprint=imprint(serial="SR-2026-001412", verify_url="http://verify.example/verify/SR-2026-001412"),
        gaming_date=date(2026, 11, 29),
        shift=3,
        planned=(datetime(2026, 11, 29, 15, tzinfo=UTC), datetime(2026, 11, 29, 23, tzinfo=UTC)),
        since=since,
        until=since + timedelta(hours=8, minutes=8),
        parts=(Part("KZT", 2, True, tuple(rows), tuple(hours)),),
        exceptions=(
            Remark(
                "correction",
                rows[0].table,
                "14",
                since + timedelta(hours=2),
                "D-014",
                "seat 3 had Q, not K",
                -30_000,
                "KZT",
            ),
            Remark(
                "misdeal",
                rows[-1].table,
                "3",
                since + timedelta(hours=3),
                "D-022",
                "card exposed on the floor",
                0,
            ),
        ),
        journals=tuple(
            JournalRange(row.table.lower().replace(" ", "-"), 1 + 900 * n, 900 * n + 880, f"{n:02x}c07be2" * 8)
            for n, row in enumerate(rows)
        ),
        rules=("stuss 4", "stos 7", "pharaon 3", "private 2"),
        floor=_floor(rows) if counted else Floor(),
    )


def shift_report_of(words: str, *, name: str) -> ShiftReport:
    """Invent a shift in which every table and person is called so, and everybody wrote these words wherever one may."""
    report = shift_report(3, counted=True)
    at, floor = report.since, report.floor
    codes = list(floor.tables)
    step = StepView("void", name, name, at, words)
    slip = SlipView(
        UUID(int=1), 1, "fill", codes[0], 1, None, "KZT", 100_000, True, name, at, name, (2026, 417), (), (step,), ()
    )
    dispute = DisputeView(
        UUID(int=2), 1, 7, codes[0], None, "KZT", name, 3, name, at, at, {}, "", name, at, words,
        RulingView(5_000, 1, name, name, at, words),
    )  # fmt: skip
    return replace(
        report,
        imprint=replace(report.imprint, licensee=name, asked_by=name),
        parts=[replace(part, rows=[replace(row, pit=name) for row in part.rows]) for part in report.parts],
        exceptions=[
            *(replace(remark, who=name, text=words) for remark in report.exceptions),
            Remark("alert", name, "", at, "", "", 0, count=2),
        ],
        rules=[name],
        floor=replace(
            floor,
            tables={code: (name, name, game, currency) for code, (_name, _pit, game, currency) in floor.tables.items()},
            slips=[slip],
            duties=[replace(duty, table=name, name=name, until=None) for duty in floor.duties],
            disputes=[dispute],
            spells=[Spell(code, 1, at, None) for code in codes],
            notes=[NoteView(UUID(int=3), 4, "incident", codes[0], None, None, at, at, name, words)],
            alerts=[
                AlertView(
                    1, codes[0], name, None, "KZT", "big_win", "red", 12_345, None, at, at, None, None, "", "", ""
                )
            ],
            off_line=[OffLine(codes[0], name, at, report.until, 3)],
            clocks=[ClockDifference(codes[0], name, timedelta(minutes=-3), 2)],
            failed_attempts=[FailedAttempts(name, name, 5, at)],
        ),
    )


def _floor(rows: list[TableRow]) -> Floor:
    books = [opening for row in rows for opening in row.books]
    names = {opening.table: row.table for row in rows for opening in row.books}
    since = datetime(2026, 11, 29, 14, 58, 12, tzinfo=UTC)
    chips = {"5000": 30, "1000": 40, "500": 20}
    return Floor(
        tables={code: (name, "A", code.split("-")[0], "KZT") for code, name in names.items()},
        books=books,
        played_minor={each.table: each.taken_minor - each.paid_minor for each in books},
        inventories=[
            Inventory(code, 1, kind, "KZT", chip, pieces, int(chip) * 100)
            for code in names
            for kind in ("opener", "closer")
            for chip, pieces in chips.items()
        ],
        series=(SeriesReport("fill", 2026, 417, 417, (), (), (417,), ()),),
        duties=[
            Duty(
                name, "dealer", f"D-{number:03d}", "Алия Серикова", since, since + timedelta(hours=1), "relief", "D-099"
            )
            for number, name in enumerate(names.values())
        ],
        spells=[Spell(each.table, 1, each.opened_at, each.closed_at) for each in books],
        periods=tuple((code, totals(books)) for code in ("shift", "day", "month", "year")),
        amendments=(Amendment(next(iter(names)), 1, "fill", "K-001", since, since + timedelta(hours=11)),),
        replaces=("SR-2026-001411",),
    )
