"""The page of the auditor's exceptions: who settles each, until when, and how it ended."""

from datetime import datetime
from typing import Any

from django import forms
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from audit import follow_ups, queries
from audit.refusals import ReportCode, ReportRefused
from audit.reports import words
from tables import access
from tables.access import Author
from tables.pages.people import deed_required
from tables.rules.terms import amount_text, minor_digits

_WORDS = {
    ReportCode.UNKNOWN_EXCEPTION: _("There is no such exception."),
    ReportCode.UNKNOWN_STAFF: _("Not assigned: nobody of the house has this number."),
    ReportCode.BAD_OUTCOME: _("Not settled: an outcome needs its kind and a note."),
    ReportCode.SETTLED_ALREADY: _("It was settled already."),
}


class OwnerForm(forms.Form):
    """Who settles an exception, until when."""

    owner = forms.CharField(max_length=16)
    due_on = forms.DateField()


class OutcomeForm(forms.Form):
    """How an exception ended."""

    outcome = forms.ChoiceField(choices=words.OUTCOMES_OF_EXCEPTIONS)
    note = forms.CharField(max_length=follow_ups.LONGEST_NOTE)


def _page(request: HttpRequest, author: Author, refused: str = "") -> HttpResponse:
    casino, house = queries.casino_id(), queries.house()
    if casino is None:
        raise Http404
    today = timezone.now().astimezone(house.zone).date()

    def local(moment: datetime) -> str:
        return moment.astimezone(house.zone).strftime("%d.%m.%Y %H:%M")

    def shown(each: follow_ups.Listed) -> dict[str, Any]:
        item = each.item
        amount = amount_text(item.amount_minor, minor_digits(item.currency)) if item.currency else ""
        amount = amount.replace("-", "−")
        return {
            "item": item,
            "serial": each.serial,
            "code": words.exception(item.code),
            "where": ", ".join(filter(None, (item.table, item.deal, item.bet))) or "–",
            "amount": f"{amount} {item.currency}" if item.amount_minor else "–",
            "found_at": local(item.found_at),
            "late": item.due_on is not None and not item.outcome and item.due_on < today,
            "outcome": words.OUTCOMES_OF_EXCEPTIONS.get(item.outcome, ""),
            "settled_at": local(item.settled_at) if item.settled_at else "",
            "note": each.note if each.note is not None else _("erased"),
        }

    settled = request.GET.get("show") == "settled"
    context = {
        "settled": settled,
        "rows": [shown(each) for each in follow_ups.listed(casino, settled=settled)],
        "may_settle": access.may(author, "exception.settle", None),
        "outcomes": words.OUTCOMES_OF_EXCEPTIONS.items(),
        "refused": refused,
        "today": today,
    }
    return render(request, "audit/exceptions.html", context, status=409 if refused else 200)


@require_safe
@deed_required("exception.settle")
def exceptions(request: HttpRequest, author: Author) -> HttpResponse:
    """List the exceptions of final reports: the open ones, or those that were settled."""
    return _page(request, author)


@require_POST
@deed_required("exception.settle")
def owner(request: HttpRequest, author: Author, pk: int) -> HttpResponse:
    """Give an exception to somebody."""
    form = OwnerForm(request.POST)
    if not form.is_valid():
        return _page(request, author, str(_("Not assigned: name a person by number and a day.")))
    said = form.cleaned_data
    try:
        with transaction.atomic():
            follow_ups.assign(
                pk, owner=said["owner"].strip().upper(), due_on=said["due_on"], author=author, now=timezone.now()
            )
    except ReportRefused as refusal:
        return _page(request, author, str(_WORDS[refusal.code]))
    return redirect("exceptions")


@require_POST
@deed_required("exception.settle")
def outcome(request: HttpRequest, author: Author, pk: int) -> HttpResponse:
    """Say how an exception ended."""
    form = OutcomeForm(request.POST)
    if not form.is_valid():
        return _page(request, author, str(_WORDS[ReportCode.BAD_OUTCOME]))
    said = form.cleaned_data
    try:
        with transaction.atomic():
            follow_ups.settle(pk, outcome=said["outcome"], note=said["note"], author=author, now=timezone.now())
    except ReportRefused as refusal:
        return _page(request, author, str(_WORDS[refusal.code]))
    return redirect("exceptions")
