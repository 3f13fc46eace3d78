"""Shifts of the house over HTTP: how far each is, its closing, the plan. It translates; the actions decide."""

from dataclasses import asdict
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.actions import shifts
from tables.api.authentication import author_of
from tables.api.books import Signed, casino_of, day_of, read, signers
from tables.calendar import MOST_SHIFTS
from tables.queries import books as book_queries
from tables.queries import shifts as queries
from tables.queries.books import Books, Total
from tables.queries.shifts import ShiftState


class PlanAsked(Signed):
    """When the shifts begin, by the clock on the wall, and from which gaming day on."""

    since = serializers.DateField()
    starts = serializers.ListField(
        child=serializers.TimeField(format="%H:%M", input_formats=["%H:%M"]), min_length=1, max_length=MOST_SHIFTS
    )


def _total(total: Total) -> dict[str, Any]:
    hold = total.hold
    return asdict(total) | {
        "hold": None if hold is None else f"{hold.numerator}/{hold.denominator}",
        "within_tolerance": total.within_tolerance,
    }


def _shift(state: ShiftState, books: tuple[Books, ...]) -> dict[str, Any]:
    shift = state.shift
    return {
        "gaming_date": shift.gaming_date,
        "shift": shift.number,
        "since": shift.since,
        "until": shift.until,
        "stage": state.stage(timezone.now()),
        "revision": state.revision,
        "closed_at": state.closed_at,
        "closed_by": state.closed_by,
        "open_tables": [code for code, _opening in state.open_tables],
        "amendments": [asdict(each) for each in state.amendments],
        "tables": [
            {"table": table, "openings": [each.opening for each in of], **_total(total)}
            for table, of in book_queries.by_table(books).items()
            for total in book_queries.totals(of)
        ],
        "totals": [_total(total) for total in book_queries.totals(books)],
    }


class Shifts(APIView):
    """The shifts of a gaming day."""

    deeds = {"GET": "read.books"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("gaming_date", OpenApiTypes.DATE)])
    def get(self, request: Request) -> Response:
        """Say how far each shift is and what each table of it came to; `overdue`: tables to be rolled over now."""
        author = author_of(request)
        assert author is not None, "no device reads the books"
        day, casino_id, pits = day_of(request), casino_of(request), access.pits(author, "read.books")
        parts = book_queries.by_shift(book_queries.books_of_day(casino_id, day, pits))
        return Response(
            {
                "gaming_date": day,
                "shifts": [
                    _shift(state, parts.get(state.shift.number, ())) for state in queries.shifts_of_day(casino_id, day)
                ],
                "overdue": [
                    {"table": each.table, "opening": each.opening, "gaming_date": each.gaming_date, "shift": each.shift}
                    for each in queries.overdue(casino_id, timezone.now())
                    if pits is None or each.pit_id in pits
                ],
            }
        )


class CloseShift(APIView):
    """The closing of a shift."""

    deeds = {"POST": "shift.close"}

    @extend_schema(request=Signed, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, gaming_date: str, number: int) -> Response:
        """Close it, signed by the shift manager, once every table of it is closed."""
        try:
            day = parse_date(gaming_date)
        except ValueError:
            day = None
        if day is None or not date(2000, 1, 1) <= day <= date(9000, 1, 1):
            raise NotFound
        casino_id = casino_of(request)
        asked = read(Signed, request)
        (author, *_others) = signers(request, asked)
        state = shifts.close_shift(casino_id, day, number, author=author, now=timezone.now(), id=asked["id"])
        books = book_queries.by_shift(book_queries.books_of_day(casino_id, day))
        return Response(_shift(state, books.get(number, ())), status.HTTP_201_CREATED)


class ShiftPlans(APIView):
    """The versions of the shift plan."""

    deeds = {"GET": "shift.plan", "POST": "shift.plan"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List them, oldest first; none: one shift of 24 hours."""
        return Response(
            [
                asdict(plan) | {"starts": [start.isoformat("minutes") for start in plan.starts]}
                for plan in queries.plans(casino_of(request))
            ]
        )

    @extend_schema(request=PlanAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Make a new version, by two."""
        asked = read(PlanAsked, request)
        author, approver = signers(request, asked, at_least=2)
        shifts.set_plan(
            casino_of(request),
            since=asked["since"],
            starts=asked["starts"],
            author=author,
            approver=approver,
            now=timezone.now(),
            id=asked["id"],
        )
        response = self.get(request)
        response.status_code = status.HTTP_201_CREATED
        return response
