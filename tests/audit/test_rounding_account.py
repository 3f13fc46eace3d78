"""What fractions of a chip came to stands in the audit clause by clause, exactly, and in whose favour."""

import json
from fractions import Fraction
from typing import Any

import pytest

from tables.actions.importing import import_log
from tests.audit.test_audit_of_record import audit_of
from tests.audit.test_pages import squeezed, text_of

Event = dict[str, Any]
pytestmark = pytest.mark.django_db
STOS = {"type": "table", "table": "T1", "game": "stos", "currency": "KZT", "min": "100", "max": "10000", "chip": "100"}
PHARAON = {**STOS, "game": "pharaon", "min": "1", "chip": "1"}


def cards(*names: str) -> list[Event]:
    return [{"type": "card", "card": name} for name in names]


def rounded(table: Event, *events: Event, rules: Event | None = None):
    lines = [table | ({"rules": rules} if rules else {}), {"type": "deal", "deal": "1"}, *events]
    return audit_of(import_log("\n".join(map(json.dumps, lines)).encode()).table)


def account(audit) -> list[tuple[object, ...]]:
    """Clause, outcome, taken or paid, shares, of them rounded, exactly and as chips, to the players: in units."""
    return [
        (each.clause, each.outcome, each.moved, each.shares, each.rounded,
         each.exact_minor / 100, each.minor / 100, each.to_players_minor / 100)
        for each in audit.roundings
    ]  # fmt: skip


def suit_bet(seat: int, amount: str, *, rank: str) -> list[Event]:
    return [
        {"type": "bet", "bet": f"{seat}r", "seat": seat, "amount": "1000", "rank": rank},
        {"type": "bet", "bet": f"{seat}s", "seat": seat, "amount": amount, "suit": "H"},
    ]


HALVES = [
    # Seats 1 and 2 lose half of 300 and half of 400 to QD; seats 3 and 4 win half of 500 and of 600 by KD.
    *suit_bet(1, "300", rank="Q"), *suit_bet(2, "400", rank="Q"),
    *suit_bet(3, "500", rank="K"), *suit_bet(4, "600", rank="K"),
    *cards("QD", "KD"), {"type": "end"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "lost", "won"),
    [
        (None, (350, 300, 50), (550, 600, 50)),
        ({"fractions": "house"}, (350, 400, -50), (550, 500, -50)),
    ],
)
def test_halves_of_odd_chips_are_added_up_exactly_in_favour_of_whom_the_house_rule_names(rules, lost, won):
    audit = rounded(STOS, *HALVES, rules=rules)
    assert account(audit) == [
        ("T-8", "half_lose", "taken", 2, 1, *lost),
        ("T-9", "half_win", "paid", 2, 1, *won),
    ]


def test_an_even_card_judged_on_what_stood_before_the_turn_rounds_the_half_of_that():
    # T-6, opening: of 500 the odd card takes half (200 for 250) and the even one pays half of 500, not of what is left.
    ranks = [{"type": "bet", "bet": f"1{rank}", "seat": 1, "amount": "1000", "rank": rank} for rank in "QK"]
    suit = {"type": "bet", "bet": "1s", "seat": 1, "amount": "500", "suit": "H"}
    audit = rounded(STOS, *ranks, suit, *cards("QD", "KD"), {"type": "end"}, rules={"two_hits": "opening"})
    assert account(audit) == [
        ("T-8", "half_lose", "taken", 1, 1, 250, 200, 50),
        ("T-9", "half_win", "paid", 1, 1, 250, 300, 50),
    ]


def test_thirds_are_kept_as_fractions_and_printed_as_such():
    # F-6: plain loses one third of 100, half colour wins two thirds of 100.
    bets = [
        {"type": "bet", "bet": name, "seat": 1, "amount": "100", "card": card}
        for name, card in (("a", "QS"), ("b", "KS"))
    ]
    audit = rounded(PHARAON, *bets, *cards("QD", "KC"), {"type": "end"}, rules={"thirds": True})
    third = Fraction(1, 3)
    assert account(audit) == [
        ("F-3", "lose", "taken", 1, 1, 33 + third, 33, third),
        ("F-3", "win", "paid", 1, 1, 66 + 2 * third, 67, third),
    ]
    text = squeezed(text_of(audit))
    assert "331/3" in text.replace("\u202f", "")
    assert "5Roundingaccount" in text
    assert "2/3player" in text.replace("\u202f", "")


def test_where_no_rule_has_a_share_there_is_no_account_and_the_paper_says_so():
    bet = {"type": "bet", "bet": "a", "seat": 1, "amount": "500", "rank": "Q"}
    audit = rounded(
        {**STOS, "game": "stuss"}, bet, *cards("2C", "QC"), {"type": "misdeal", "reason": "a card lay open"}
    )
    assert audit.roundings == ()
    assert "norule" in squeezed(text_of(audit))
