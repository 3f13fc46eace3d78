"""The page of the shuffle lab: what a period's shuffles left behind, and whether it is too much for luck."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import formats
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from audit import queries, shuffle_lab
from audit.checks.shuffles import FALSE_ALARMS, Group
from audit.reports import words
from tables.access import Author
from tables.pages.people import deed_required

_KINDS = {"table": _("Table"), "shoe": _("Shoe (decks)"), "dealer": _("Dealer"), "way": _("Way of shuffling")}
# A position of the picture, in its own units; a long shoe is shown up to here.
_CELL = 10
_MOST_POSITIONS = 104


class LabForm(forms.Form):
    """Which deals are looked at."""

    table = forms.ChoiceField(label=_("Table"), required=False)
    since = forms.DateField(label=_("Gaming day from"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("to"), required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        field = self.fields["table"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("all tables"))] + [(one.code, one.name) for one in queries.tables_to_choose()]


@require_safe
@deed_required("shuffle.lab")
def shuffles(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the lab for the deals that are asked for, nothing before they are."""
    casino = queries.casino_id()
    if casino is None:
        raise Http404
    form = LabForm(request.GET if "table" in request.GET else None)
    context: dict[str, Any] = {"form": form, "percent": formats.localize(round(FALSE_ALARMS * 100))}
    if form.is_valid():
        lab = shuffle_lab.look(casino, **form.cleaned_data)
        context |= {"lab": lab, "groups": [_shown(group) for group in lab.groups]}
    return render(request, "audit/shuffles.html", context)


def _shown(group: Group) -> dict[str, Any]:
    width = min(len(group.heat[0][1]), _MOST_POSITIONS)
    return {
        "kind": _KINDS[group.kind],
        "name": group.name,
        "deals": group.deals,
        "bad": group.stands_out,
        "measures": [
            {
                "name": words.MEASURES[each.name],
                "deals": each.deals,
                "seen": formats.localize(round(each.seen, 2)) if each.deals else "–",
                "expected": formats.localize(round(each.expected, 2)) if each.deals else "–",
                "chance": _chance(each.chance),
                "bad": each.stands_out,
            }
            for each in group.measures
        ],
        "cells": list(_cells(group)),
        "ranks": [(rank, row * _CELL + 8) for row, (rank, _counts) in enumerate(group.heat)],
        "width": width * _CELL + 14,
        "height": len(group.heat) * _CELL,
    }


def _chance(chance: float | None) -> str:
    """Write a chance with two figures; below what a float can say, as less than that."""
    if chance is None:
        return "–"
    return f"{chance:.2g}" if chance > 1e-300 else "< 1e-300"


def _cells(group: Group) -> Iterator[dict[str, Any]]:
    """Yield a square for each rank at each position, as strong as it is far from expected, four deviations at most."""
    for row, (_rank, counts) in enumerate(group.heat):
        for position, far in enumerate(counts[:_MOST_POSITIONS]):
            strength = min(abs(far) / 4, 1)
            if strength > 0.1:
                yield {
                    "x": position * _CELL + 14,
                    "y": row * _CELL,
                    "opacity": f"{strength:.2f}",
                    "more": far > 0,
                }
