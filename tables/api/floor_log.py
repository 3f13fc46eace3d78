"""Duty, incidents and the surveillance log over HTTP. It translates; the actions decide."""

from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.actions import notes
from tables.api.authentication import author_of
from tables.api.books import casino_of, day_of, read
from tables.queries import duty as duty_queries
from tables.queries import notes as queries


class NoteAsked(serializers.Serializer[object]):
    """What happened, when, and where; `about` is the number of a note that this one corrects."""

    id = serializers.UUIDField()
    text = serializers.CharField(max_length=notes.LONGEST_NOTE)
    happened_at = serializers.DateTimeField(required=False)
    table = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    about = serializers.IntegerField(min_value=1, max_value=2**31 - 1, required=False)


class _Notes(APIView):
    kind = ""

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List the notes, newest first."""
        author = author_of(request)
        assert author is not None, "no device reads notes"
        found = queries.notes(casino_of(request), self.kind)
        readable = [each for each in found if access.may(author, f"{self.kind}.read", each.pit_id)]
        return Response([{k: v for k, v in asdict(each).items() if k != "pit_id"} for each in readable])

    @extend_schema(request=NoteAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Write one. It is never changed: a correction is another, `about` it."""
        asked, author, now = read(NoteAsked, request), author_of(request), timezone.now()
        assert author is not None, "no device writes notes"
        number = notes.write_note(
            casino_of(request),
            self.kind,
            asked["text"],
            id=asked["id"],
            author=author,
            happened_at=asked.get("happened_at") or now,
            now=now,
            table=asked["table"],
            about=asked.get("about"),
        )
        return Response({"number": number}, status.HTTP_201_CREATED)


class Incidents(_Notes):
    """Incidents of the floor."""

    kind = "incident"
    deeds = {"GET": "incident.read", "POST": "incident.write"}


class SurveillanceLog(_Notes):
    """The surveillance log."""

    kind = "surveillance"
    deeds = {"GET": "surveillance.read", "POST": "surveillance.write"}


class DutyOfDay(APIView):
    """Who stood where."""

    deeds = {"GET": "read.duty"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("gaming_date", OpenApiTypes.DATE)])
    def get(self, request: Request) -> Response:
        """Say of everybody where he stood on a gaming day, who relieved him, when he rested, what he watches now."""
        found = duty_queries.duty_of_day(casino_of(request), day_of(request))
        return Response(
            [
                asdict(each) | {"tables_now": each.tables_now, "rested_seconds": round(each.rested.total_seconds())}
                for each in found
            ]
        )
