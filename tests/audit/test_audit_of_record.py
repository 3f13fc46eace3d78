"""The payout audit says what the log says, and names whatever was changed behind the record's back."""

import json
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from tables.actions.importing import import_log
from tests.audit.test_pages import squeezed, text_of
from tests.tables.a_house import T0

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parent.parent / "cases"
# Cases that end with a summary: the whole file was accepted.
ACCEPTED = sorted(
    path.stem for path in CASES.glob("*.out") if '"type": "summary"' in path.read_text().replace('":"', '": "')
)


def bring_in(name):
    return import_log((CASES / f"{name}.jsonl").read_bytes()).table


def audit_of(table, **scope):
    with transaction.atomic():
        serial = actions.request_report(Wish("payout_audit", "en", table=table, **scope), author=None, now=T0)
    return queries.payout_audit(Report.objects.get(serial=serial).pk, timezone.now())


def expected(name):
    return [json.loads(line) for line in (CASES / f"{name}.out").read_text().splitlines()]


WORDS = ("turn", "position", "bet", "seat", "outcome")
AMOUNTS = ("stake", "paid", "taken", "returned", "standing")


def words_of(line):
    """A settlement in the words of `settle`, be it a printed line or one of the audit."""
    if isinstance(line, dict):
        return [line[key] for key in WORDS], [Decimal(line[key]) for key in AMOUNTS], line.get("corrected", False)
    amounts = [units(getattr(line, f"{key}_minor")) for key in AMOUNTS]
    return [getattr(line, key) for key in WORDS], amounts, line.corrected


def units(minor):
    return Decimal(minor) / 100


@contextmanager
def behind_its_back():
    """As a superuser with the triggers off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield cursor
        cursor.execute("SET LOCAL session_replication_role = origin")


def found(audit):
    return {test.code: test.found for test in audit.tests if test.found}


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_audit_of_a_log_says_what_settle_says(name):
    *lines, summary = expected(name)
    audit = audit_of(bring_in(name))
    total = audit.total
    assert (total.turns, total.bets) == (summary["turns"], summary["bets"])
    assert [units(minor) for minor in (total.handle_minor, total.taken_minor, total.paid_minor)] == [
        Decimal(summary[key]) for key in ("handle", "taken", "paid")
    ]
    assert [(deal.deal, *words_of(line)) for deal in audit.deals for line in deal.lines] == [
        (line["deal"], *words_of(line)) for line in lines
    ]
    assert audit.differences == ()
    assert found(audit) == {}


def test_a_settlement_changed_behind_the_databases_back_is_named():
    table = bring_in("gen-stuss-1")
    due = next(line for line in expected("gen-stuss-1") if line["outcome"] == "win")
    with behind_its_back() as cursor:
        cursor.execute(
            "UPDATE tables_settlement SET paid_minor = paid_minor + 5000, returned_minor = returned_minor + 5000"
            " WHERE position = %s AND bet_id = (SELECT id FROM tables_bet WHERE name = %s)",
            [due["position"], due["bet"]],
        )
        assert cursor.rowcount == 1
    audit = audit_of(table)
    (difference,) = audit.differences
    assert (difference.bet, difference.deal, difference.turn) == (due["bet"], due["deal"], due["turn"])
    assert (difference.kind, difference.favour, difference.difference_minor) == ("amounts", "player", 5000)
    assert difference.recorded.paid_minor - difference.recomputed.paid_minor == 5000
    printed = squeezed(text_of(audit))
    assert "1differencewasfound,of50(net+50infavouroftheplayers)" in printed
    assert squeezed(f"{due['bet']}: {due['seat']}, {difference.on}") in printed


def test_a_settlement_taken_away_and_one_put_in_are_named():
    table = bring_in("gen-pharaon-1")
    gone = expected("gen-pharaon-1")[0]
    with behind_its_back() as cursor:
        cursor.execute(
            "UPDATE tables_settlement SET position = position + 2, turn = turn + 1 WHERE id ="
            " (SELECT s.id FROM tables_settlement s JOIN tables_bet b ON b.id = s.bet_id JOIN tables_deal d"
            " ON d.id = s.deal_id WHERE b.name = %s AND d.name = %s AND s.position = %s ORDER BY s.id LIMIT 1)",
            [gone["bet"], gone["deal"], gone["position"]],
        )
        assert cursor.rowcount == 1
    kinds = {difference.kind: difference for difference in audit_of(table).differences}
    assert kinds["missing"].position == gone["position"]
    assert kinds["unexpected"].position == gone["position"] + 2


@pytest.mark.parametrize(
    ("statement", "test"),
    [
        ("UPDATE tables_card SET card = 'AS' WHERE position = 1 AND card <> 'AS'", "card_rows"),
        ("UPDATE tables_card SET card = (SELECT c.card FROM tables_card c WHERE c.position = 2)"
         " WHERE position = 1", "cards"),
        ("DELETE FROM tables_card WHERE position = 3", "cards"),
        ("UPDATE tables_bet SET amount_minor = amount_minor + 5000 WHERE ordinal = 1 AND after = 0", "bet_rows"),
        ("UPDATE tables_settlement SET taken_minor = taken_minor + 1 WHERE id = (SELECT max(id) FROM"
         " tables_settlement)", "conservation"),
        ("UPDATE tables_entry SET text = replace(text, '\"seat\":', '\"Seat\":') WHERE sequence = 5", "journal"),
        ("DELETE FROM tables_entry WHERE sequence = 6", "journal"),
        ("UPDATE tables_tablehead SET sequence = sequence + 1", "journal"),
        ("UPDATE tables_rulesversion SET game_digest = repeat('0', 64)", "rules"),
    ],
)  # fmt: skip
def test_each_row_changed_behind_the_databases_back_fails_its_test(statement, test):
    table = bring_in("gen-stuss-1")
    with behind_its_back() as cursor:
        cursor.execute("ALTER TABLE tables_settlement DROP CONSTRAINT settlement_conserves")
        cursor.execute(statement)
        assert cursor.rowcount >= 1
    audit = audit_of(table)
    assert found(audit).get(test, 0) >= 1
    assert any(finding.test == test for finding in audit.findings)


def test_a_correction_is_on_the_trail_with_what_it_moved():
    audit = audit_of(bring_in("C-12-stos-chain"))
    (correction,) = audit.corrections
    assert (correction.kind, correction.what) == ("cards", "1: QH")
    assert (correction.reason, correction.given) == ("wrong card recorded", True)
    assert units(correction.adjustment_minor) == Decimal("-300")
    assert units(audit.total.game_win_minor) == Decimal(expected("C-12-stos-chain")[-1]["result"])


def test_an_audit_of_one_deal_holds_that_deal_and_its_part_of_the_journal():
    table = bring_in("gen-stos-1")
    whole, one = audit_of(table), audit_of(table, deal="2")
    assert [deal.deal for deal in whole.deals] == ["1", "2", "3"]
    assert [deal.deal for deal in one.deals] == ["2"]
    (all_of_it,), (part,) = whole.journals, one.journals
    assert all_of_it.first == 1
    assert 1 < part.first < part.last < all_of_it.last
    assert found(one) == {}


def test_a_table_without_a_deal_is_nothing_audited_and_not_a_clean_bill():
    bring_in("gen-stuss-1")
    audit = audit_of("T1", since=timezone.now())
    assert audit.total.settlements == 0
    assert "nothingwasaudited" in squeezed(text_of(audit))


def test_a_card_changed_behind_the_databases_back_makes_the_two_engines_disagree_and_both_are_named():
    table = bring_in("gen-stuss-1")
    won = next(line for line in expected("gen-stuss-1") if line["outcome"] == "win")
    with behind_its_back() as cursor:
        cursor.execute(
            "UPDATE tables_card SET card = CASE left(card, 1) WHEN '2' THEN '3' ELSE '2' END || right(card, 1)"
            " WHERE position = %s",
            [won["position"]],
        )
    audit = audit_of(table)
    mine = next(item for item in audit.differences if item.bet == won["bet"] and item.recorded)
    assert (mine.by, mine.kind) == ("second", "unexpected")
    assert found(audit)["engines"] >= 1
    assert found(audit)["card_rows"] == 1
    assert "onlybyengineB1" in squeezed(text_of(audit))


def test_what_is_summed_by_table_hour_version_and_dealer_is_the_whole_and_z_is_that_of_the_shift_report():
    # A banker's own bank is in no sum of the house, but its table has a row on both papers.
    table = bring_in("gen-stuss-1")
    audit = audit_of(table)
    for groups in ([item.group for item in audit.tables], audit.hours, audit.versions):
        assert sum(group.settlements for group in groups) == audit.total.settlements
        assert sum(group.game_win_minor for group in groups) == audit.total.game_win_minor
    assert sum(dealer.settlements for dealer in audit.dealers) == audit.total.settlements
    day = queries.last_gaming_date(table)
    with transaction.atomic():
        wish = Wish("shift_report", "en", table=table, gaming_date=day)
        serial = actions.request_report(wish, author=None, now=T0)
    report = queries.shift_report(Report.objects.get(serial=serial).pk, timezone.now())
    (row,) = report.parts[0].rows
    assert (row.result.z, row.result.game_win_minor) == (audit.tables[0].z, audit.total.game_win_minor)
