"""The pages of the audit: ask for a report, watch it being made, open it; and whether a paper is ours."""

import hashlib
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.db import transaction
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from audit import actions, queries
from audit.actions import Wish
from audit.queries import ReportView, Search
from audit.refusals import ReportCode, ReportRefused
from audit.reports.words import report_kind
from audit.signing import certificate_pem
from tables import access
from tables.access import Author
from tables.calendar import MOST_SHIFTS
from tables.pages.people import deed_required
from tables.rules.refusals import Refusal

_WORDS = {
    ReportCode.UNKNOWN_KIND: _("Not asked for: there is no such report."),
    ReportCode.UNKNOWN_LANGUAGE: _("Not asked for: there is no report in this language."),
    ReportCode.UNKNOWN_TABLE: _("Not asked for: there is no such table."),
    ReportCode.UNKNOWN_DEAL: _("Not asked for: this table has no deal of that name."),
    ReportCode.BAD_SCOPE: _(
        "Not asked for: a deal needs its table, a period ends after it begins, a shift is one of its gaming day, a "
        "shift report takes a shift or a gaming day, nothing less, and how the record stood can be said of the past."
    ),
    ReportCode.NOT_SEALED: _("Not asked for: nothing of this was sealed yet, or there is no such seal."),
    ReportCode.REPORT_FINISHED: _("Not called off: the report is finished."),
    ReportCode.UNKNOWN_REPORT: _("The report has no file yet."),
    ReportCode.FILE_DIFFERS: _("Not shown: the file is not the one that was made. Tell the administrator."),
}
_STATES = {
    "requested": _("waits"),
    "running": _("is being made"),
    "done": _("done"),
    "failed": _("failed"),
    "cancelled": _("called off"),
}
_STATUS = {"draft": _("draft"), "final": _("final"), "superseded": _("superseded")}


class ReportForm(forms.Form):
    """What a report is wanted of."""

    kind = forms.ChoiceField(label=_("Report"))
    table = forms.ChoiceField(label=_("Table"), required=False)
    deal = forms.CharField(label=_("Deal (empty: all)"), required=False, max_length=200)
    gaming_date = forms.DateField(
        label=_("Gaming day (empty: all)"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    shift = forms.TypedChoiceField(
        label=_("Shift"),
        required=False,
        coerce=int,
        empty_value=None,
        choices=[("", _("all shifts")), *((number, str(number)) for number in range(1, MOST_SHIFTS + 1))],
    )
    as_of = forms.DateTimeField(
        label=_("As it stood (empty: now)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)

    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, initial=initial)
        kind, table = self.fields["kind"], self.fields["table"]
        assert isinstance(kind, forms.ChoiceField)
        assert isinstance(table, forms.ChoiceField)
        kind.choices = [(code, report_kind(code)) for code in ("payout_audit", "shift_report", "bundle")]
        table.choices = [("", _("all tables"))] + [(one.code, one.name) for one in queries.tables_to_choose()]

    def wish(self) -> Wish:
        said = self.cleaned_data
        day = said["gaming_date"]
        if said["kind"] == "shift_report" and day is None:
            day = queries.last_gaming_date(said["table"])
        return Wish(
            kind=said["kind"],
            language=said["language"],
            table=said["table"],
            deal=said["deal"],
            gaming_date=day,
            shift=said["shift"],
            as_of=said["as_of"],
        )


class SearchForm(forms.Form):
    """Which reports are looked for."""

    words = forms.CharField(label=_("Serial, SHA-256 or who asked"), required=False, max_length=64)
    kind = forms.ChoiceField(label=_("Report"), required=False)
    table = forms.ChoiceField(label=_("Table"), required=False)
    state = forms.ChoiceField(label=_("State"), required=False)
    since = forms.DateField(label=_("Gaming day from"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label=_("to"), required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="search_%s")
        any_of = [("", _("all"))]
        for name, choices in (
            ("kind", [(code, report_kind(code)) for code in ("payout_audit", "shift_report", "bundle")]),
            ("table", [(one.code, one.name) for one in queries.tables_to_choose()]),
            ("state", list(_STATES.items())),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [*any_of, *choices]

    def search(self) -> Search:
        """Return what is looked for; a field that says nothing sensible looks for nothing."""
        self.is_valid()
        return Search(**{name: value for name, value in self.cleaned_data.items() if value})


def _shown(report: ReportView, zone: ZoneInfo) -> dict[str, Any]:
    def local(moment: datetime | None) -> str:
        return moment.astimezone(zone).strftime("%d.%m.%Y %H:%M:%S") if moment else ""

    return {
        "report": report,
        "kind": report_kind(report.kind),
        "scope": _scope(report, zone),
        "state": _STATES[report.state],
        "status": _STATUS[report.status] if report.state == "done" else "",
        "asked_at": local(report.asked_at),
        "finished_at": local(report.finished_at),
        "as_of": local(report.as_of),
        "language": dict(settings.LANGUAGES)[report.language],
    }


def _scope(report: ReportView, zone: ZoneInfo) -> str:
    parts = [report.table or str(_("all tables"))]
    if report.deal:
        parts.append(translation.gettext("deal %(deal)s") % {"deal": report.deal})
    if report.gaming_date:
        parts.append(report.gaming_date.strftime("%d.%m.%Y"))
    if report.seal is not None:
        parts.append(translation.gettext("seal %(number)d") % {"number": report.seal})
    if report.shift is not None:
        parts.append(translation.gettext("shift %(name)s") % {"name": report.shift})
    if report.as_of is not None:
        moment = report.as_of.astimezone(zone).strftime("%d.%m.%Y %H:%M:%S")
        parts.append(translation.gettext("as it stood on %(moment)s") % {"moment": moment})
    return ", ".join(parts)


@require_http_methods(["GET", "HEAD", "POST"])
@deed_required("report.read")
def reports(request: HttpRequest, author: Author) -> HttpResponse:
    """List the reports that this person may read, and take a wish for one."""
    house = queries.house()
    asking = access.may_somewhere(author, "report.request")
    form = ReportForm(
        request.POST if request.method == "POST" else None,
        initial={"language": translation.get_language(), "table": request.GET.get("table", "")},
    )
    with timezone.override(house.zone):  # a moment is typed as the clock in the house says
        valid = form.is_valid()
    if valid:
        try:
            with transaction.atomic():
                serial = actions.request_report(form.wish(), author=author, now=timezone.now())
        except ReportRefused as refusal:
            form.add_error(None, _WORDS[refusal.code])
        except Refusal:
            form.add_error(None, _("Not asked for: your post does not cover these tables."))
        else:
            return redirect("report", serial=serial)
    before = request.GET.get("before", "")
    looked_for = SearchForm(request.GET)
    found = queries.latest_reports(
        before=int(before) if before.isdecimal() else None,
        search=looked_for.search(),
        pits=access.pits(author, "report.read"),
    )
    shown = [_shown(one, house.zone) for one in found]
    following = request.GET.copy()
    if len(found) == 50:
        following["before"] = str(found[-1].id)
    older = f"?{following.urlencode()}" if len(found) == 50 else ""
    context = {
        "form": form if asking else None,
        "reports": shown,
        "older": older,
        "search": looked_for,
        "searched": looked_for.search() != Search(),
        "may_read_journal": access.may(author, "read.journal", None),
        "may_settle": access.may(author, "exception.settle", None),
        "may_use_lab": access.may(author, "shuffle.lab", None),
    }
    return render(request, "audit/reports.html", context, status=400 if form.errors else 200)


def _report(author: Author, serial: str) -> ReportView:
    found = queries.report_by_serial(serial)
    if found is None or not access.may(author, "report.read", found.pit_id):
        raise Http404
    return found


@require_safe
@deed_required("report.read")
def report(request: HttpRequest, author: Author, serial: str) -> HttpResponse:
    """Show one report: how far it is, what it is sealed with, and the way to its file."""
    found = _report(author, serial)
    context = _shown(found, queries.house().zone) | {
        "may_cancel": not found.finished and access.may(author, "report.request", found.pit_id)
    }
    return render(request, "audit/report.html", context)


@require_POST
@deed_required("report.request")
def cancel(request: HttpRequest, author: Author, serial: str) -> HttpResponse:
    """Call a report off and go back to it."""
    _report(author, serial)
    try:
        with transaction.atomic():
            actions.cancel_report(serial, author=author)
    except (ReportRefused, Refusal):
        pass  # it was finished meanwhile, or is not his: its page shows how it stands
    return HttpResponseRedirect(reverse("report", args=[serial]))


@require_safe
@deed_required("report.read")
def file(request: HttpRequest, author: Author, serial: str) -> HttpResponseBase:
    """Open the PDF, or bring the ZIP of a bundle."""
    found = _report(author, serial)
    try:
        path = queries.file_of(found)
    except ReportRefused as refusal:
        context = _shown(found, queries.house().zone) | {"refused": _WORDS[refusal.code]}
        return render(request, "audit/report.html", context, status=409)
    return FileResponse(path.open("rb"), filename=f"{serial}.{found.extension}")


@require_safe
@deed_required("report.read")
def data(request: HttpRequest, author: Author, serial: str) -> HttpResponseBase:
    """Bring the data that a finished report was printed from."""
    found = _report(author, serial)
    try:
        path = queries.data_of(found)
    except ReportRefused as refusal:
        context = _shown(found, queries.house().zone) | {"refused": _WORDS[refusal.code]}
        return render(request, "audit/report.html", context, status=409)
    return FileResponse(path.open("rb"), filename=f"{serial}.jsonl.gz", as_attachment=True)


# So much a file may hold that somebody wants verified.
LARGEST_FILE = 200 * 1024 * 1024


@csrf_exempt  # It changes nothing; and the token would have the file read before its size is looked at.
@require_http_methods(["GET", "HEAD", "POST"])
def verify(request: HttpRequest, serial: str) -> HttpResponse:
    """Say to anybody who holds a paper whether its serial is ours, and whether a file is that paper. Nothing else."""
    found = queries.report_by_serial(serial)
    known = found is not None and found.state == "done"
    context = _shown(found, queries.house().zone) if found and known else {}
    given = ""
    if request.method == "POST":
        if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_FILE:
            context["verdict"] = "large"
        elif file := request.FILES.get("file"):
            digest = hashlib.sha256()
            for piece in file.chunks():
                digest.update(piece)
            given = digest.hexdigest()
    else:
        given = request.GET.get("sha256", "").strip().lower()
    if given:
        same = found if found and known and found.sha256 == given else None
        other = None if same else queries.report_by_digest(given)
        context |= {"given": given, "verdict": "ours" if same else "other" if other else "stranger", "other": other}
    context |= {"serial": serial, "signed": certificate_pem() is not None}
    return render(request, "audit/verify.html", context, status=200 if known else 404)


verify.deed = "public"  # type: ignore[attr-defined] # what the test of the table of deeds reads


@require_safe
def certificate(request: HttpRequest) -> HttpResponse:
    """Hand out the certificate that papers are signed under."""
    pem = certificate_pem()
    if pem is None:
        raise Http404
    response = HttpResponse(pem, content_type="application/x-pem-file")
    response["Content-Disposition"] = 'attachment; filename="certificate.pem"'
    return response


certificate.deed = "public"  # type: ignore[attr-defined] # what the test of the table of deeds reads
