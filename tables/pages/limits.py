"""What holds at a table: limits, house rules, bank, in numbered versions; and a change of it, by two."""

import json
import uuid
from dataclasses import MISSING, fields
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from tables import access
from tables.access import Author
from tables.actions import console, terms
from tables.models.house import Table
from tables.pages.desk import Desk, asks, desk_of, done, form_id, money, signers, waiting
from tables.pages.people import deed_required
from tables.queries import console as console_queries
from tables.queries import terms as queries
from tables.queries.terms import TermsVersion
from tables.rules.house_rules import GAMES
from tables.rules.terms import amount_text, parse_amount

# What a house rule may be, as the table log writes it; a rule without a row here is typed.
_CHOICES: dict[str, tuple[str, ...]] = {
    "fractions": ("player", "house"),
    "secondary_bets": ("true", "false"),
    "deal_from": ("shoe", "hand"),
    "deck": ("52", "36", "32"),
    "decks": ("6", "7", "8"),
    "two_hits": ("sequence", "opening"),
    "half_win": ("close", "ride"),
    "half_win_reduced": ("grow", "restore", "pay"),
    "split_take": ('"1"', '"1/2"'),
    "last_card_void": ("false", "true"),
    "thirds": ("false", "true"),
    "half_stake": ("false", "true"),
    "paroli": ("true", "false"),
}
_TEXTS = {"fractions", "deal_from", "two_hits", "half_win", "half_win_reduced", "bonus"}
RULES = {
    "fractions": _("Fractions of a chip go to"),
    "secondary_bets": _("Bets on a rank already dealt"),
    "deal_from": _("Dealt from"),
    "deck": _("Cards in the deck"),
    "decks": _("Decks"),
    "ratio": _("Largest ratio of two bets"),
    "suit_multiple": _("Suit bet a multiple of, chips"),
    "two_hits": _("Two cards on a suit bet"),
    "half_win": _("Half colour wins"),
    "half_win_reduced": _("Half colour wins, reduced bet"),
    "split_take": _("Taken in a split"),
    "last_card_void": _("Last card is void"),
    "positions": _("Pay by position (JSON)"),
    "thirds": _("Thirds by colour"),
    "half_stake": _("First card takes half"),
    "bonus": _("Bonus on the second card"),
    "paroli": _("Paroli"),
}
VALUES = {
    "true": _("yes"),
    "false": _("no"),
    "player": _("the player"),
    "house": _("the house"),
    "shoe": _("a shoe"),
    "hand": _("the hand"),
    "sequence": _("one after the other"),
    "opening": _("both on the opening stake"),
    "close": _("half is paid, the bet is closed"),
    "ride": _("half is paid, the stake stands"),
    "grow": _("it grows by half"),
    "restore": _("the last halving is undone"),
    "pay": _("half is paid, the bet is closed"),
    '"1"': _("all"),
    '"1/2"': _("half"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.rules")
def table_limits(request: HttpRequest, author: Author, code: str) -> HttpResponse:
    """Show what holds at a table and held before; change it from the next deal on, and at its console from now on."""
    desk = desk_of(author)
    table = get_object_or_404(Table, code=code, casino_id=desk.casino_id)
    if not access.may(author, "read.rules", table.pit_id):
        raise Http404
    problem = ""
    if request.method == "POST":
        deed = _set_options if request.POST.get("what") == "console" else _change
        problem = done(request, lambda: deed(request, desk, table))
        if not problem:
            return redirect("limits", code=code)
    found = queries.versions(code)
    holds = found[0]
    context = {
        "table": table,
        "versions": [_version_row(desk, each) for each in found],
        "now": _fields(request, holds),
        "rules": _rules(request, holds),
        "may_change": access.may(author, "rules.change", table.pit_id),
        "waiting": waiting(desk, [table.pk]),
        "console": _options(code, holds.exponent),
        "may_set": access.may(author, "console.options", table.pit_id),
        "problem": problem,
        "id": uuid.uuid4,
        "me": author.number,
    }
    return render(request, "books/limits.html", context, status=409 if problem else 200)


def _version_row(desk: Desk, version: TermsVersion) -> dict[str, Any]:
    given = version.terms.get("rules", {})
    return {
        "version": version,
        "since": desk.local(version.since),
        "min": money(version.min_minor, version.exponent),
        "max": money(version.max_minor, version.exponent),
        "chip": money(version.chip_minor, version.exponent),
        "bank": "" if version.bank_minor is None else money(version.bank_minor, version.exponent),
        "rules": [
            (
                RULES.get(name, name),
                VALUES.get(json.dumps(value).strip('"') if name in _TEXTS else json.dumps(value), value),
            )
            for name, value in given.items()
        ],
        "who": ", ".join(filter(None, (version.author, version.approver))),
    }


def _fields(request: HttpRequest, holds: TermsVersion) -> dict[str, str]:
    amounts = {"min": holds.min_minor, "max": holds.max_minor, "chip": holds.chip_minor}
    values = {name: amount_text(minor, holds.exponent) for name, minor in amounts.items()}
    values["seats"] = str(holds.seats)
    values["bank"] = "" if holds.bank_minor is None else amount_text(holds.bank_minor, holds.exponent)
    return {name: request.POST.get(name, value) for name, value in values.items()}


def _rules(request: HttpRequest, holds: TermsVersion) -> list[dict[str, Any]]:
    """Say for each house rule of the game what it is now, and what else it may be."""
    given = holds.terms.get("rules", {})
    shown = []
    for each in fields(GAMES[holds.game]):
        default = {} if each.default is MISSING else each.default
        value = given.get(each.name, default)
        text = value if isinstance(value, str) and each.name in _TEXTS else _written(each.name, value)
        chosen = request.POST.get(f"rule-{each.name}", text)
        choices = _CHOICES.get(each.name, ())
        shown.append(
            {
                "name": each.name,
                "word": RULES[each.name],
                "value": chosen,
                "choices": [(choice, VALUES.get(choice, choice), choice == chosen) for choice in choices],
            }
        )
    return shown


def _written(name: str, value: Any) -> str:
    """Write a value of a house rule as the table log does."""
    if name == "ratio":
        return str(value)
    return json.dumps(value if isinstance(value, bool | int | str | dict) else str(value))


def _change(request: HttpRequest, desk: Desk, table: Table) -> None:
    change: dict[str, Any] = {name: request.POST[name].strip().replace(",", ".") for name in ("min", "max", "chip")}
    change["seats"] = int(request.POST["seats"])
    bank = request.POST.get("bank", "").strip().replace(",", ".")
    change["banker"] = {"bank": bank} if bank else "house"
    holds = queries.versions(table.code)[0]
    rules: dict[str, Any] = {}
    for each in fields(GAMES[holds.game]):
        text = request.POST.get(f"rule-{each.name}", "").strip()
        default = (
            "{}"
            if each.default is MISSING
            else (str(each.default) if each.name in _TEXTS else _written(each.name, each.default))
        )
        if text and text != default:
            rules[each.name] = text if each.name in _TEXTS else json.loads(text)
    change["rules"] = rules
    id = form_id(request)
    if asks(request, desk, table.code, "rules", {"change": change}, id):
        return
    author, approver = signers(request, desk, 2)
    terms.change_rules(table.code, change, id=id, author=author, approver=approver, now=timezone.now())


def _options(code: str, exponent: int) -> dict[str, Any]:
    """Say what the house asks for at the table's console, and who set it; before it has: nothing."""
    found = console_queries.options_of(code)[:1]
    if not found:
        return {"number": 0, "bets_down": False, "confirm": False, "check": "", "who": ""}
    (holds,) = found
    return {
        "number": holds.number,
        "bets_down": holds.bets_down,
        "confirm": holds.confirm,
        "check": "" if holds.check_minor is None else amount_text(holds.check_minor, exponent),
        "who": f"{holds.author}, {holds.approver}",
    }


def _set_options(request: HttpRequest, desk: Desk, table: Table) -> None:
    text = request.POST["check"].strip().replace(",", ".")
    check = parse_amount(text, queries.versions(table.code)[0].exponent) if text else None
    if check is not None and not isinstance(check, int):
        raise ValueError(text)
    id = form_id(request)
    author, approver = signers(request, desk, 2)
    console.set_options(
        table.code,
        bets_down="bets_down" in request.POST,
        confirm="confirm" in request.POST,
        check_minor=check,
        author=author,
        approver=approver,
        now=timezone.now(),
        id=id,
    )
