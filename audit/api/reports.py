"""Reports over HTTP: ask, watch, call off, fetch the file."""

from django.db import transaction
from django.http import FileResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import actions, queries
from audit.actions import Wish
from audit.queries import ReportView, Search
from audit.refusals import ReportCode, ReportRefused
from tables import access
from tables.access import Author
from tables.api.authentication import author_of

PAGE = 50


class ReportAsked(serializers.Serializer[object]):
    """What a report is wanted of. Without a table: all tables of the currency, by default the casino's own."""

    kind = serializers.ChoiceField(["payout_audit", "shift_report", "bundle"])
    language = serializers.ChoiceField(["en", "ru"], default="en")
    table = serializers.CharField(max_length=200, required=False, default="")
    deal = serializers.CharField(max_length=200, required=False, default="")
    since = serializers.DateTimeField(required=False, default=None, allow_null=True)
    until = serializers.DateTimeField(required=False, default=None, allow_null=True)
    gaming_date = serializers.DateField(required=False, default=None, allow_null=True)
    shift = serializers.IntegerField(min_value=1, required=False, default=None, allow_null=True)
    currency = serializers.CharField(max_length=40, required=False, default="")
    seal = serializers.IntegerField(
        min_value=1, required=False, default=None, allow_null=True, help_text="Of a bundle; by default the last one."
    )
    as_of = serializers.DateTimeField(
        required=False,
        default=None,
        allow_null=True,
        help_text="Look at the record as it stood then; by default as it stands. Not of a bundle: its seal says that.",
    )


class ReportShown(serializers.Serializer[object]):
    """A report and how far it is. `pages_expected` is an estimate until it is done."""

    serial = serializers.CharField()
    revision = serializers.IntegerField()
    kind = serializers.CharField()
    language = serializers.CharField()
    currency = serializers.CharField()
    table = serializers.CharField(source="table_code")
    deal = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)
    gaming_date = serializers.DateField(allow_null=True)
    shift = serializers.IntegerField(allow_null=True)
    seal = serializers.IntegerField(allow_null=True)
    as_of = serializers.DateTimeField(allow_null=True)
    status = serializers.ChoiceField(["draft", "final", "superseded"])
    successor = serializers.CharField(allow_blank=True)
    asked_by = serializers.CharField()
    asked_at = serializers.DateTimeField()
    state = serializers.ChoiceField(["requested", "running", "done", "failed", "cancelled"])
    pages_done = serializers.IntegerField()
    pages_expected = serializers.IntegerField()
    finished_at = serializers.DateTimeField(allow_null=True)
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    data_sha256 = serializers.CharField(help_text="Of the data it was printed from; empty where none was kept.")
    journal_sequence = serializers.IntegerField(allow_null=True)
    problem = serializers.CharField()


class ReportSearch(serializers.Serializer[object]):
    """Which reports are looked for; what is not named says nothing."""

    words = serializers.CharField(
        max_length=64, required=False, help_text="A part of the serial, the beginning of the SHA-256, or who asked."
    )
    kind = serializers.ChoiceField(["payout_audit", "shift_report", "bundle"], required=False)
    table = serializers.CharField(max_length=200, required=False)
    state = serializers.ChoiceField(["requested", "running", "done", "failed", "cancelled"], required=False)
    since = serializers.DateField(required=False, help_text="Gaming day, inclusive.")
    until = serializers.DateField(required=False, help_text="Gaming day, inclusive.")


class ReportPage(serializers.Serializer[object]):
    """Reports, newest first; `next` continues after the last of them."""

    next = serializers.CharField(allow_null=True)
    results = ReportShown(many=True)


def _readable(request: Request, serial: str) -> ReportView:
    """Find a report that this person may read. Raises NotFound; Refusal: not_allowed."""
    found = queries.report_by_serial(serial)
    if found is None:
        raise NotFound
    access.require(_author(request), "report.read", found.pit_id)
    return found


def _refused(refusal: ReportRefused) -> Response:
    missing = refusal.code in (ReportCode.UNKNOWN_REPORT, ReportCode.UNKNOWN_TABLE, ReportCode.UNKNOWN_DEAL)
    body = {"code": str(refusal.code), "message": refusal.message, "facts": {}}
    return Response(body, status.HTTP_404_NOT_FOUND if missing else status.HTTP_409_CONFLICT)


def _author(request: Request) -> Author:
    author = author_of(request)
    assert author is not None, "MayDo lets nobody else in"
    return author


class Reports(APIView):
    """All reports, and asking for one."""

    deeds = {"GET": "report.read", "POST": "report.request"}

    @extend_schema(
        parameters=[
            OpenApiParameter("before", OpenApiTypes.INT, description="The `next` of the page before."),
            ReportSearch,
        ],
        responses=ReportPage,
    )
    def get(self, request: Request) -> Response:
        """List the reports that one may read, newest first, all or those looked for."""
        looked_for = ReportSearch(data=request.query_params)
        looked_for.is_valid(raise_exception=True)
        before = request.query_params.get("before", "")
        found = queries.latest_reports(
            before=int(before) if before.isdecimal() else None,
            limit=PAGE,
            search=Search(**looked_for.validated_data),
            pits=access.pits(_author(request), "report.read"),
        )
        following = str(found[-1].id) if len(found) == PAGE else None
        return Response({"next": following, "results": ReportShown(found, many=True).data})

    @extend_schema(request=ReportAsked, responses={201: ReportShown})
    def post(self, request: Request) -> Response:
        """Ask for a report."""
        asked = ReportAsked(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            with transaction.atomic():
                serial = actions.request_report(
                    Wish(**asked.validated_data), author=_author(request), now=timezone.now()
                )
        except ReportRefused as refusal:
            return _refused(refusal)
        return Response(ReportShown(queries.report_by_serial(serial)).data, status.HTTP_201_CREATED)


class OneReport(APIView):
    """One report: how far it is, and calling it off."""

    deeds = {"GET": "report.read", "DELETE": "report.request"}

    @extend_schema(responses=ReportShown)
    def get(self, request: Request, serial: str) -> Response:
        """Say how far a report is."""
        return Response(ReportShown(_readable(request, serial)).data)

    @extend_schema(responses=ReportShown)
    def delete(self, request: Request, serial: str) -> Response:
        """Call a report off; it keeps its serial."""
        try:
            with transaction.atomic():
                actions.cancel_report(serial, author=_author(request))
        except ReportRefused as refusal:
            return _refused(refusal)
        return Response(ReportShown(queries.report_by_serial(serial)).data)


class ReportFile(APIView):
    """The file of a finished report: a PDF, of a bundle a ZIP."""

    deed = "report.read"

    @extend_schema(
        responses={(200, "application/pdf"): OpenApiTypes.BINARY, (200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, serial: str) -> Response | FileResponse:
        """Fetch the file, byte for byte as it was made."""
        try:
            report = _readable(request, serial)
            path = queries.file_of(report)
        except ReportRefused as refusal:
            return _refused(refusal)
        return FileResponse(path.open("rb"), filename=f"{report.serial}.{report.extension}")


class ReportData(APIView):
    """The data that a finished report was printed from: lines of JSON, compressed."""

    deed = "report.read"

    @extend_schema(responses={(200, "application/gzip"): OpenApiTypes.BINARY})
    def get(self, request: Request, serial: str) -> Response | FileResponse:
        """Fetch the data, byte for byte as it was kept."""
        try:
            report = _readable(request, serial)
            path = queries.data_of(report)
        except ReportRefused as refusal:
            return _refused(refusal)
        return FileResponse(
            path.open("rb"), filename=f"{report.serial}.jsonl.gz", as_attachment=True, content_type="application/gzip"
        )
