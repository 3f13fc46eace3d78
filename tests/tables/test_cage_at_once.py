"""Many at one cage: what two ask for at one moment takes effect once, and the chip bank never gives what it has not."""

import io
import os
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from tables.actions import cage
from tables.models import BankMovement, Closing, DropApproval, SlipNumber
from tables.queries import slips
from tables.rules.refusals import Refusal
from tests.tables.a_cage import Cage, a_cage
from tests.tables.a_house import T0
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db(transaction=True)

# 500 of 500 are run by `./run bench cage`.
ROUNDS = int(os.environ.get("CAGE_ROUNDS", "10"))


def tried(deed: Callable[..., Any], *given: Any, **named: Any) -> Callable[[], str]:
    """A deed that says how it went: done, or the code it was refused with."""

    def run() -> str:
        try:
            deed(*given, **named)
        except Refusal as refusal:
            return str(refusal.code)
        return "done"

    return run


def intact() -> bool:
    out = io.StringIO()
    call_command("verify_journal", stdout=out)
    return "TAMPERED" not in out.getvalue()


def two_fills_round(table: Cage) -> list[str]:
    """Two fills of 60 out of 100 chips of 1,000, issued at one moment; the one that was issued goes back."""
    ids = [table.request("fill", c1000=60).id for _ in range(2)]
    cashiers = (table["K-1"], table["K-2"])
    said = in_line([tried(cage.issue_slip, id, author=who, now=T0) for id, who in zip(ids, cashiers, strict=True)])
    for id, answer in zip(ids, said, strict=True):
        if answer == "done":
            cage.void_slip(id, reason="again", author=table["K-1"], approver=table["S-1"], now=T0)
        else:
            cage.decline_slip(id, reason="not enough", author=table["K-1"], now=T0)
    return sorted(said)


def test_two_fills_that_fit_the_chip_bank_alone_but_not_together_one_is_issued_each_time():
    table = a_cage()
    said = Counter(tuple(two_fills_round(table)) for _ in range(ROUNDS))
    assert said == {("bank_short", "done"): ROUNDS}
    # The refused ones used no number: the series runs from 1 without a gap, and every number in it is void.
    assert list(SlipNumber.objects.order_by("number").values_list("number", flat=True)) == list(range(1, ROUNDS + 1))
    (series,) = slips.series_report(table.house.casino_id, 2026)
    assert (series.missing, series.void, series.unused) == ((), tuple(range(1, ROUNDS + 1)), ())
    assert [(stock.chip, stock.pieces, stock.agrees) for stock in slips.bank(table.house.casino_id)] == [
        ("1000", 100, True),
        ("500", 100, True),
        ("100", 100, True),
    ]


def test_two_closings_two_voids_two_receipts_two_approvals_one_of_each_takes_effect():
    table = a_cage()
    table.open(c1000=50)
    issued = table.request("fill", c100=5).id
    cage.issue_slip(issued, author=table["K-1"], now=T0)
    voids = [
        tried(cage.void_slip, issued, reason="wrong table", author=table[who], approver=table["S-1"], now=T0)
        for who in ("K-1", "K-2")
    ]
    assert sorted(in_line(voids)) == ["already_done", "done"]

    carried = table.request("fill", c100=7).id
    cage.issue_slip(carried, author=table["K-1"], now=T0)
    cage.carry_slip(carried, author=table["K-2"], second=None, now=T0)
    receipts = [
        tried(cage.receive_slip, carried, author=table[who], second=table["I-1"], now=T0) for who in ("D-1", "D-2")
    ]
    assert sorted(in_line(receipts)) == ["already_done", "done"]
    assert table.books().fills_minor == 70_000

    box = table.drop({}).id
    approvals = [tried(cage.approve_count, box, approver=table[who], now=T0) for who in ("S-1", "A-1")]
    assert sorted(in_line(approvals)) == ["already_done", "done"]
    assert DropApproval.objects.count() == 1

    closings = [
        tried(
            cage.close_counted,
            "S",
            {"1000": count, "100": 7},
            dealer=table[who],
            inspector=table["I-1"],
            id=uuid.uuid4(),
            now=T0,
        )
        for who, count in (("D-1", 50), ("D-2", 49))
    ]
    assert sorted(in_line(closings)) == ["done", "table_closed"]
    assert Closing.objects.count() == 1
    # What came in: 5 voided back, 7 at the table.
    moved = BankMovement.objects.filter(chip="100").values_list("why", "pieces")
    assert Counter(moved) == Counter([("delivery", 100), ("fill", -5), ("void", 5), ("fill", -7)])
    assert intact()
