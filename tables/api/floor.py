"""What the floor is watched by, over HTTP: alerts, who has seen them, and a house's marks."""

from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.access import Author
from tables.actions import alerts as actions
from tables.actions import cage, floor
from tables.api.authentication import author_of
from tables.marks import TURNS, Marks
from tables.models.house import Table
from tables.queries import alerts as queries
from tables.queries.people import person
from tables.queries.shifts import calendar_of


def _author(request: Request) -> tuple[Author, int]:
    author = author_of(request)
    assert author is not None, "no device watches the floor"
    return author, person(author.staff_id).casino_id


class Alerts(APIView):
    """Alerts."""

    deeds = {"GET": "read.floor"}

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=[OpenApiParameter("day", str, description="all of a gaming day, 2026-01-31; else those unseen")],
    )
    def get(self, request: Request) -> Response:
        """List the alerts that nobody has seen, or all of a gaming day with who saw them."""
        author, casino_id = _author(request)
        pits = access.pits(author, "read.floor")
        day = request.query_params.get("day")
        if day is None:
            found = queries.unseen(casino_id, pits)
        else:
            found = queries.raised_between(casino_id, pits, *gaming_day(casino_id, day))
        return Response([each.data() for each in found])


def gaming_day(casino_id: int, text: str) -> tuple[datetime, datetime]:
    """Return when a gaming day begins and ends. Raises: ValidationError."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 # a date has no zone
        calendar = calendar_of(casino_id)
        return calendar.day_start(day), calendar.day_start(day + timedelta(days=1))
    except (ValueError, OverflowError):
        raise ValidationError({"day": "a gaming day as 2026-01-31"}) from None


class Note(serializers.Serializer[Any]):
    note = serializers.CharField(required=False, allow_blank=True, default="", max_length=actions.LONGEST_NOTE)


class AlertSeen(APIView):
    """Somebody has seen an alert."""

    deeds = {"POST": "alert.see"}

    @extend_schema(request=Note, responses={204: None})
    def post(self, request: Request, alert_id: int) -> Response:
        """Note who has seen an alert and when, once; whoever did may send a note then or later."""
        author, _casino_id = _author(request)
        body = Note(data=request.data)
        body.is_valid(raise_exception=True)
        actions.see(alert_id, author=author, note=body.validated_data["note"], now=timezone.now())
        return Response(status=204)


class DeedAsked(serializers.Serializer[Any]):
    """A deed at a table, signed by whoever is logged in; the same id sent twice is one deed."""

    pin = serializers.CharField(max_length=16)
    id = serializers.UUIDField()
    pit = serializers.IntegerField(required=False, min_value=1, max_value=2**53 - 1)


class TableDeed(APIView):
    """Open, close, pause, resume or move a table from the floor."""

    deeds = {"POST": "table.state"}

    @extend_schema(request=DeedAsked, responses={200: OpenApiTypes.OBJECT, 204: None})
    def post(self, request: Request, code: str, deed: str) -> Response:
        """Do it by PIN. `move` names the id of the pit that the table is carried to."""
        author, casino_id = _author(request)
        table = get_object_or_404(Table, code=code, casino_id=casino_id)
        body = DeedAsked(data=request.data)
        body.is_valid(raise_exception=True)
        asked = body.validated_data
        now = timezone.now()
        cage.sign(casino_id, [(author.number, asked["pin"])], here=author.number, device_id=None, at_least=1, now=now)
        if deed == "move":
            floor.move(table.code, asked.get("pit", 0), author=author, id=asked["id"], now=now)
            return Response(status=204)
        return Response(floor.set_state(table.code, deed, author=author, id=asked["id"]).data())


class HouseMarks(APIView):
    """A house's marks."""

    deeds = {"GET": "read.floor", "PUT": "marks.set"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Say from where on a figure of the floor wants a look."""
        casino_id = _author(request)[1]
        return Response(asdict(queries.marks_of_houses().get(casino_id, Marks())))

    @extend_schema(request=OpenApiTypes.OBJECT, responses={204: None})
    def put(self, request: Request) -> Response:
        """Set all of them."""
        author, casino_id = _author(request)
        actions.set_marks(casino_id, _read(request.data), author=author, now=timezone.now())
        return Response(status=204)


def _read(data: Any) -> Marks:
    """Read marks: every name once, whole numbers. Raises: ValidationError."""
    names = {each.name for each in fields(Marks)}
    if not isinstance(data, dict) or data.keys() != names or not isinstance(data["turns"], dict):
        raise ValidationError({"detail": f"the marks are {', '.join(sorted(names))}"})
    numbers = [*data["turns"].values(), *(value for name, value in data.items() if name != "turns")]
    if data["turns"].keys() != TURNS.keys() or not all(type(value) is int for value in numbers):
        raise ValidationError({"detail": "a mark is a whole number, turns has one for each game"})
    return Marks(**data)
