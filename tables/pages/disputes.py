"""Disputes and debts as pages: freeze a turn, look at what is known of it, rule, and clear what is owed."""

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import disputes
from tables.models.house import Table
from tables.models.people import Role
from tables.names import OUTCOMES, named
from tables.pages.books import SLIP_DEBTS, bet_text, card_text
from tables.pages.desk import HOW, Desk, debt_of, desk_of, done, form_id, money, signers
from tables.pages.people import deed_required
from tables.queries import disputes as queries
from tables.queries.disputes import Debt, DisputeView
from tables.rules.terms import minor_digits, parse_amount


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.disputes")
def overview(request: HttpRequest, author: Author) -> HttpResponse:
    """Show open debts and the disputes; freeze a turn, clear a debt."""
    desk = desk_of(author)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _deed(request, desk))
        if not problem:
            return redirect("disputes")
    found = [each for each in queries.disputes(desk.casino_id) if access.may(author, "read.disputes", each.pit_id)]
    debts = [each for each in queries.debts(desk.casino_id) if access.may(author, "read.disputes", each.pit_id)]
    pits = access.pits(author, "dispute.open")
    tables = Table.objects.filter(casino_id=desk.casino_id).order_by("code")
    context = {
        "disputes": [_dispute_row(desk, each) for each in found],
        "debts": [_debt_row(desk, each) for each in debts],
        "tables": [table.code for table in tables if pits is None or table.pit_id in pits],
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/disputes.html", context, status=409 if problem else 200)


def _dispute_row(desk: Desk, dispute: DisputeView) -> dict[str, Any]:
    ruling = dispute.ruling
    return {
        "dispute": dispute,
        "opened_at": desk.local(dispute.opened_at),
        "ruling": ruling,
        "amount": money(ruling.amount_minor, dispute.exponent) if ruling else "",
    }


def _debt_row(desk: Desk, debt: Debt) -> dict[str, Any]:
    to_player, of_slip = debt.amount_minor > 0, debt.kind == "slip"
    words = SLIP_DEBTS if of_slip else HOW
    may = debt.how is None and access.may(desk.author, "debt.clear", debt.pit_id)
    return {
        "debt": debt,
        "key": f"{debt.kind}-{debt.id}",
        "what": debt_of(debt),
        "amount": money(abs(debt.amount_minor), debt.exponent),
        "to_player": to_player,
        "of_slip": of_slip,
        "since": desk.local(debt.since),
        "how": words[debt.how] if debt.how else "",
        "cleared": ", ".join(filter(None, (debt.cleared_by, debt.second))) if debt.how else "",
        "choices": [(how, words[how]) for how in ("paid" if to_player else "collected", "written_off", "never_moved")]
        if may
        else [],
    }


def _deed(request: HttpRequest, desk: Desk) -> None:
    now = timezone.now()
    if request.POST["deed"] == "freeze":
        table = Table.objects.filter(code=request.POST["table"], casino_id=desk.casino_id).first()
        if table is None:
            raise ValueError("no such table")
        turn = request.POST.get("turn", "").strip()
        disputes.open_dispute(
            table.code,
            id=form_id(request),
            author=desk.author,
            now=now,
            deal=request.POST.get("deal", "").strip() or None,
            turn=int(turn) if turn else None,
            bet=request.POST.get("bet", "").strip(),
            reason=request.POST.get("reason", ""),
        )
        return
    kind, debt_id, how, id = request.POST["kind"], int(request.POST["debt"]), request.POST["how"], form_id(request)
    if request.POST["deed"] != "clear" or not 0 <= debt_id < 2**62:
        raise ValueError("no such deed")
    author, *others = signers(request, desk, 1)
    second = others[0] if others else None
    disputes.clear_debt(desk.casino_id, kind, debt_id, how, author=author, second=second, now=now, id=id)


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.disputes")
def one(request: HttpRequest, author: Author, dispute_id: uuid.UUID) -> HttpResponse:
    """Show what was frozen of a turn, both computations side by side; rule on it."""
    desk = desk_of(author)
    found = queries.dispute(dispute_id)
    if found is None or found.casino_id != desk.casino_id or not access.may(author, "read.disputes", found.pit_id):
        raise Http404
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _rule(request, desk, dispute_id, found.currency))
        if not problem:
            return redirect("dispute", dispute_id=dispute_id)
    known, exponent = found.snapshot, found.exponent

    def lines(settlements: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {
                **each,
                "outcome": named(OUTCOMES, each["outcome"]),
                "amounts": [
                    money(each[f"{name}_minor"], exponent)
                    for name in ("stake", "taken", "paid", "returned", "standing")
                ],
            }
            for each in settlements
        ]

    context = {
        **_dispute_row(desk, found),
        "bets": [
            {
                **bet,
                "on": bet_text(bet["kind"], bet["rank"], bet["suit"], bet["card"]),
                "sum": money(bet["amount_minor"], exponent),
            }
            for bet in known["bets"]
        ],
        "staff": [{**each, "role": Role(each["role"]).label} for each in known["staff"]],
        "cards": [card_text(card) for card in known["cards"][-2:]],
        "before": [card_text(card) for card in known["cards"][:-2]],
        "computations": [
            (_("As recorded"), lines(known["recorded"])),
            (_("Computed again"), lines(known["computed_again"])),
        ],
        "since": desk.local(found.since),
        "until": desk.local(found.until),
        "ruled_at": desk.local(found.ruling.ruled_at) if found.ruling else "",
        "may_rule": found.ruling is None and access.may(author, "dispute.rule", found.pit_id),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/dispute.html", context, status=409 if problem else 200)


def _rule(request: HttpRequest, desk: Desk, dispute_id: uuid.UUID, currency: str) -> None:
    text = "".join(request.POST.get("amount", "").split()).replace(",", ".")
    amount = parse_amount(text, minor_digits(currency)) if text else 0
    if not isinstance(amount, int):
        raise ValueError(text)
    sign, id = {"player": 1, "house": -1}[request.POST["to"]], form_id(request)
    author, approver = signers(request, desk, 2)
    disputes.rule(
        dispute_id,
        amount_minor=sign * amount,
        reason=request.POST.get("reason", ""),
        author=author,
        approver=approver,
        now=timezone.now(),
        ruling_id=id,
    )
