"""Reads of the record over HTTP: tables, deals, rows as they were recorded, the floor. It translates queries."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.dateparse import parse_date
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.actions import console as console_actions
from tables.api.authentication import author_of, device_of
from tables.queries import casekeep, console, luck, play, playing, rows, shift_view
from tables.queries import floor as floor_queries
from tables.queries.hours import BY, day_by, hours
from tables.queries.people import person
from tables.queries.shifts import calendar_of

PAGE, LONGEST_PAGE = 100, 1000

PAGED = [
    OpenApiParameter("cursor", str, description="where the page before ended: its `next`"),
    OpenApiParameter("limit", int, description=f"rows of a page, {PAGE} unless told, at most {LONGEST_PAGE}"),
]


@extend_schema_field(OpenApiTypes.OBJECT)
class Anything(serializers.Field[Any, Any, Any, Any]):
    """An object described in docs/."""


class PageGiven(serializers.Serializer[object]):
    """Rows in their total order; `next` is the cursor of the page after, null on the last one."""

    next = serializers.CharField(allow_null=True)
    results = serializers.ListField(child=serializers.DictField())


def _may_read(request: Request, code: str, deed: str = "read.table") -> rows.TableAbout:
    """Find the table that is asked about, for somebody who may read it."""
    table = rows.table(code)
    if table is None:
        raise NotFound
    device = device_of(request)
    if device is not None:
        if device.casino_id != table.casino_id:
            raise NotFound
        device.require_table(table.id)
        return table
    author = author_of(request)
    assert author is not None, "MayDo lets nobody else in"
    access.require(author, deed, table.pit_id)
    return table


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= LONGEST_PAGE:
        raise ValidationError({"limit": f"a whole number from 1 to {LONGEST_PAGE}"})
    return int(text)


def _cursor(request: Request, parts: int) -> tuple[int, ...] | None:
    """Read a cursor: the sort key of the last row of the page before."""
    text = request.query_params.get("cursor")
    if text is None:
        return None
    numbers = text.split(".")
    if len(numbers) != parts or not all(each.isascii() and each.isdigit() and len(each) < 19 for each in numbers):
        raise ValidationError({"cursor": "take it from the page before"})
    return tuple(map(int, numbers))


def _page(results: list[dict[str, Any]], keys: Sequence[tuple[int, ...]], limit: int) -> Response:
    """Answer with a page: one row more than the limit was read, to know whether there is another."""
    more = len(results) > limit
    following = ".".join(map(str, keys[limit - 1])) if more else None
    return Response({"next": following, "results": results[:limit]})


class Tables(APIView):
    """All tables that may be read, by code."""

    deeds = {"GET": "read.floor"}

    @extend_schema(responses=PageGiven, parameters=PAGED)
    def get(self, request: Request) -> Response:
        """List tables with what holds at them."""
        author = author_of(request)
        assert author is not None, "a device reads its own table"
        limit = _limit(request)
        cursor = _cursor(request, 1)
        pits = access.pits(author, "read.floor")
        found = rows.tables(after=cursor[0] if cursor else 0, limit=limit + 1, pit_ids=pits)
        return _page([each.data() for each in found], [(each.id,) for each in found], limit)


class OneTable(APIView):
    """One table."""

    deeds = {"GET": "read.table"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """Say what holds at a table."""
        return Response(_may_read(request, code).data())


class State(APIView):
    """What a console needs of its table."""

    deeds = {"GET": "read.table"}

    @extend_schema(
        responses={200: OpenApiTypes.OBJECT, 204: None},
        parameters=[
            OpenApiParameter("since", int, description="204 where the journal still has that sequence"),
            OpenApiParameter("desk", str, description="and the desk that mark"),
        ],
    )
    def get(self, request: Request, code: str) -> Response:
        """Say how a table stands: terms, deal, standing bets, what to take, what was settled last, who is at it."""
        _may_read(request, code)
        device, since = device_of(request), request.query_params.get("since")
        if device is not None or since is not None:
            head = console.head(code)
            if device is not None and device.id == head.pen_id and head.shared:
                console_actions.hear(device.id)
            asked = request.query_params.get("desk", head.mark)
            if since == str(head.sequence) and asked == head.mark:
                return Response(status=204)
        return Response(console.console_state(code).data())


class Casekeep(APIView):
    """What the players' side may see of a table."""

    deeds = {"GET": "public"}

    @extend_schema(
        auth=[],
        responses={200: OpenApiTypes.OBJECT, 204: None},
        parameters=[OpenApiParameter("since", int, description="204 where the journal still has that sequence")],
    )
    def get(self, request: Request, code: str) -> Response:
        """Say what is undealt, rank by rank: no bet, no seat, no sum, no order."""
        try:
            if request.query_params.get("since") == str(console.head_sequence(code)):
                return Response(status=204)
            return Response(casekeep.casekeep(code).data())
        except console.UnknownTableError:
            raise NotFound from None


class Playing(APIView):
    """What a browser needs to play its table by itself while it is off line."""

    deeds = {"GET": "read.table"}

    @extend_schema(
        responses={200: OpenApiTypes.OBJECT, 204: None},
        parameters=[OpenApiParameter("since", int, description="only the events of play after that sequence")],
    )
    def get(self, request: Request, code: str) -> Response:
        """Give the built game, the terms and the last deal's acts, or the events since; 204 where there are none."""
        _may_read(request, code)
        since = request.query_params.get("since", "")
        known = int(since) if since.isascii() and since.isdigit() and len(since) < 19 else None
        found = playing.playing(code, known)
        return Response(status=204) if found.sequence == known else Response(found.data())


class Floor(APIView):
    """The floor at a glance."""

    deeds = {"GET": "read.floor"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Say how every table stands, and what its day has brought."""
        author = author_of(request)
        assert author is not None, "a device reads its own table"
        return Response(floor_queries.floor(access.pits(author, "read.floor")).data())


class Luck(APIView):
    """Luck or leak."""

    deeds = {"GET": "read.floor"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Judge wins and splits by table, shift, day, dealer, shoe and deal, with false alarms controlled."""
        author = author_of(request)
        assert author is not None, "a device reads its own table"
        casino_id = person(author.staff_id).casino_id
        return Response(luck.luck(casino_id, timezone.now(), access.pits(author, "read.floor")).data())


class Hours(APIView):
    """Results by the hour."""

    deeds = {"GET": "read.floor"}

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=[
            OpenApiParameter("day", str, description="a gaming day, 2026-01-31; else this one"),
            OpenApiParameter("by", str, enum=list(BY), description="with the sums of each, and of each currency"),
        ],
    )
    def get(self, request: Request) -> Response:
        """Give turns, splits, win and expectation of every table in every hour of a gaming day, or what adds up."""
        author = author_of(request)
        assert author is not None, "a device reads its own table"
        casino_id = person(author.staff_id).casino_id
        calendar = calendar_of(casino_id)
        try:
            day = parse_date(request.query_params.get("day", "")) or calendar.gaming_date(timezone.now())
        except ValueError:
            raise ValidationError({"day": "a gaming day as 2026-01-31"}) from None
        of = casino_id, day, ZoneInfo(calendar.time_zone), access.pits(author, "read.floor")
        if (by := request.query_params.get("by")) is None:
            return Response([asdict(each) for each in hours(*of)])
        if by not in BY:
            raise ValidationError({"by": f"one of {', '.join(BY)}"})
        return Response(day_by(by, *of).data())


class Shift(APIView):
    """One table's shift."""

    deeds = {"GET": "read.floor"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """Give the shift of a table's last opening: win by turn, bets by rank and seat, people, chips, last entries."""
        _may_read(request, code, "read.floor")
        try:
            return Response(shift_view.shift_view(code).data())
        except shift_view.NoShiftError:
            raise NotFound from None


class Deals(APIView):
    """Deals of a table, in their order."""

    deeds = {"GET": "read.table"}

    @extend_schema(responses=PageGiven, parameters=PAGED)
    def get(self, request: Request, code: str) -> Response:
        """List the deals of a table."""
        _may_read(request, code)
        limit, cursor = _limit(request), _cursor(request, 1)
        found = play.deals(code, after=cursor[0] if cursor else 0, limit=limit + 1)
        return _page([_deal(each) for each in found], [(each.number,) for each in found], limit)


class OneDeal(APIView):
    """A deal with all that holds of it."""

    deeds = {"GET": "read.table"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str, deal: str) -> Response:
        """Say what holds of a deal, corrections included: turns, bets, settlements in the order of C-14."""
        _may_read(request, code)
        found = play.deal(code, deal)
        if found is None:
            raise NotFound
        (record,) = play.deal_records([found])
        return Response(
            {
                **_deal(found),
                "turns": [asdict(turn) for turn in play.turns(record)],
                "pocket": [card.card for card in record.cards if card.pocket],
                "bets": [asdict(bet) for bet in record.bets],
                "settlements": [asdict(each) for each in record.settlements],
            }
        )


def _deal(deal: play.DealView) -> dict[str, Any]:
    data = asdict(deal)
    del data["id"]
    return data


class Recorded(APIView):
    """Rows of a table's deals as they were recorded, every revision, in the order of the journal."""

    deeds = {"GET": "read.table"}
    kind = ""

    @extend_schema(
        responses=PageGiven, parameters=[*PAGED, OpenApiParameter("deal", str, description="of one deal alone")]
    )
    def get(self, request: Request, code: str) -> Response:
        """List rows as they were recorded; a higher revision replaces a lower one."""
        table = _may_read(request, code)
        limit, cursor = _limit(request), _cursor(request, 2)
        found = rows.recorded(
            self.kind, table.id, after=cursor or (0, 0), limit=limit + 1, deal=request.query_params.get("deal")
        )
        keys = [(row["sequence"], row.pop("id")) for row in found]
        return _page(found, keys, limit)


class Entries(APIView):
    """A table's journal."""

    deeds = {"GET": "read.journal"}

    @extend_schema(responses=PageGiven, parameters=PAGED)
    def get(self, request: Request, code: str) -> Response:
        """List entries, with the texts that are hashed."""
        author = author_of(request)
        assert author is not None, "no device reads a journal"
        table = _may_read(request, code)
        access.require(author, "read.journal", None)
        limit, cursor = _limit(request), _cursor(request, 1)
        found = rows.entries(table.id, after=cursor[0] if cursor else 0, limit=limit + 1)
        return _page(found, [(row["sequence"],) for row in found], limit)
