"""The chips of the house as a page: which there are, from which difference on a count is an incident, the chip bank."""

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import cage
from tables.models.house import Casino
from tables.pages.books import amount_named, pieces_named
from tables.pages.desk import Desk, desk_of, done, form_id, money, signers
from tables.pages.people import deed_required
from tables.queries import chips as queries
from tables.queries import slips as slip_queries
from tables.queries.chips import Policy
from tables.rules.terms import minor_digits


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.chips")
def house_chips(request: HttpRequest, author: Author) -> HttpResponse:
    """Show chips, chip bank and thresholds; declare chips, take a delivery, set thresholds by two."""
    desk = desk_of(author)
    casino = Casino.objects.get(pk=desk.casino_id)
    problem = ""
    if request.method == "POST":
        problem = done(request, lambda: _deed(request, desk, casino))
        if not problem:
            return redirect("chips")
    bank = slip_queries.bank(desk.casino_id) if access.may(author, "read.bank", None) else ()
    stock = {(each.currency, each.chip): each for each in bank}
    shown = queries.chips_shown(desk.casino_id)
    currencies = queries.currencies(desk.casino_id)
    made = queries.policies(desk.casino_id)

    def policy_row(currency: str, policy: Policy, who: str, holds: bool) -> dict[str, Any]:
        minor = (policy.notice_minor, policy.grave_minor, policy.tolerance_minor)
        amounts = [money(each, minor_digits(currency)) for each in minor]
        return {"currency": currency, "number": policy.number, "amounts": amounts, "who": who, "holds": holds}

    policies = []
    for currency in currencies:
        of = [each for each in made if each.currency == currency]
        policies += [
            policy_row(currency, each.policy, f"{each.author}, {each.approver}", each is of[0]) for each in of
        ] or [policy_row(currency, queries.policy(desk.casino_id, currency), "", True)]
    context = {
        "currencies": [
            {
                "currency": currency,
                "chips": [
                    {
                        "chip": chip,
                        "value": money(chip.value_minor, minor_digits(currency)) if chip.value_minor else "",
                        "stock": stock.get((currency, chip.name)),
                    }
                    for chip in chips
                ],
            }
            for currency, chips in shown.items()
        ],
        "sees_bank": access.may(author, "read.bank", None),
        "policies": policies,
        "policy_currencies": currencies,
        "currency": casino.currency,
        "may_declare": access.may(author, "chips.declare", None),
        "may_deliver": access.may(author, "bank.deliver", None),
        "lines": range(1, 9),
        "id": uuid.uuid4,
        "problem": problem,
        "me": author.number,
    }
    return render(request, "books/chips.html", context, status=409 if problem else 200)


def _deed(request: HttpRequest, desk: Desk, casino: Casino) -> None:
    deed, now = request.POST["deed"], timezone.now()
    if deed == "declare":
        currency, chip_set = request.POST["currency"].strip().upper(), request.POST["chip_set"].strip()
        values: dict[str, int | None] = {}
        for name, value in zip(request.POST.getlist("name"), request.POST.getlist("value"), strict=True):
            if not name.strip():
                continue
            if not queries.is_name(name.strip()) or name.strip() in values:
                raise ValueError(name)
            values[name.strip()] = amount_named(value, currency) if value.strip() else None
        if not values or not 0 < len(currency) <= 40 or not 0 < len(chip_set) <= 40:
            raise ValueError("nothing to declare")
        id = form_id(request)
        signers(request, desk, 1)
        cage.declare_chips(desk.casino_id, currency, chip_set, values, by=desk.author, now=now, id=id)
    elif deed == "deliver":
        currency = request.POST["currency"]
        pieces = pieces_named(request, queries.chips_shown(desk.casino_id).get(currency, ()))
        id = form_id(request)
        author, second = signers(request, desk, 2)
        cage.deliver(desk.casino_id, currency, pieces, author=author, second=second, now=now, id=id)
    elif deed == "policy":
        currency = request.POST.get("currency") or casino.currency
        notice, grave, tolerance = (
            amount_named(request.POST[name], currency) if request.POST[name].strip("0 ") else 0
            for name in ("notice", "grave", "tolerance")
        )
        id = form_id(request)
        author, approver = signers(request, desk, 2)
        cage.set_policy(
            desk.casino_id,
            currency=currency,
            notice_minor=notice,
            grave_minor=grave,
            tolerance_minor=tolerance,
            author=author,
            approver=approver,
            now=now,
            id=id,
        )
    else:
        raise ValueError(deed)
