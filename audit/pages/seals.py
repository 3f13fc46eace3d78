"""The pages of the seals: what was sealed, sealing now, and proofs of a bet or of a day to take away."""

import json
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from audit import proofs, queries, sealing
from audit.seals import NoKey
from tables import access
from tables.access import Author
from tables.pages.people import deed_required

PAGE = 50


def _casino() -> int:
    found = queries.casino_id()
    if found is None:
        raise Http404
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("read.journal")
def seals(request: HttpRequest, author: Author) -> HttpResponse:
    """List the seals, find the entries that settled a bet, and seal now."""
    casino, zone = _casino(), queries.house().zone
    refused = ""
    if request.method == "POST":
        if not access.may(author, "seal.make", None):
            raise PermissionDenied
        try:
            sealing.seal(casino, gaming_date=None, author=author, now=timezone.now())
        except NoKey:
            refused = _("Not sealed: the house has no key to seal with.")
        except sealing.SealRefused:
            refused = _("Not sealed: the record no longer begins with what was sealed. Tell the administrator.")
        else:
            return redirect("seals")

    def local(moment: datetime) -> str:
        return moment.astimezone(zone).strftime("%d.%m.%Y %H:%M:%S")

    before = request.GET.get("before", "")
    found = queries.latest_seals(casino, before=int(before) if before.isdecimal() else None, limit=PAGE)
    asked = {name: request.GET.get(name, "").strip() for name in ("table", "deal", "bet")}
    context: dict[str, Any] = {
        "refused": refused,
        "may_seal": access.may(author, "seal.make", None),
        "seals": [(each, local(each.sealed_at)) for each in found],
        "older": f"?before={found[-1].number}" if len(found) == PAGE else "",
        "last": found[0].number if found and not before else None,
        "asked": asked,
        "tables": queries.tables_to_choose(),
    }
    if all(asked.values()):
        try:
            sequences = proofs.entries_of_bet(**asked)
            journal = f"table:{asked['table']}"
            context["entries"] = [
                (each, local(each.recorded_at)) for each in queries.entries_under_seals(casino, journal, sequences)
            ]
        except proofs.NoProof:
            context["no_proof"] = _("There is no such bet, or it was not settled.")
    return render(request, "audit/seals.html", context, status=409 if refused else 200)


@require_safe
@deed_required("read.journal")
def seal_file(request: HttpRequest, author: Author, number: int) -> HttpResponse:
    """Hand out a seal's file, as it was mailed."""
    made = sealing.seal_of(_casino(), number)
    if made is None:
        raise Http404
    return _attached(sealing.lines_of(made), "application/x-ndjson", sealing.file_name(made))


@require_safe
@deed_required("read.journal")
def proof(request: HttpRequest, author: Author) -> HttpResponse:
    """Hand out the proof of an entry (`journal`, `sequence`) or that a seal continues one (`first`, `second`)."""
    said = request.GET
    numbers = {name: said[name][:15] for name in ("sequence", "first", "second") if said.get(name, "").isdecimal()}
    try:
        if "sequence" in numbers:
            made = proofs.prove_entry(_casino(), said.get("journal", ""), int(numbers["sequence"]))
        elif len(numbers) == 2:
            made = proofs.prove_continuation(_casino(), int(numbers["first"]), int(numbers["second"]))
        else:
            raise Http404
    except proofs.NoProof as why:
        context = {"why": str(why)}
        return render(request, "audit/no_proof.html", context, status=409)
    return _attached(json.dumps(made, ensure_ascii=False) + "\n", "application/json", proofs.file_name(made))


def _attached(content: str, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
