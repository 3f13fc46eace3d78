"""Disputes, rulings and debts over HTTP. It translates; the actions decide."""

import uuid
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.access import Author
from tables.actions import disputes
from tables.api.authentication import author_of, device_of
from tables.api.books import Signed, casino_of, read, signers, table_of
from tables.models.house import Table
from tables.queries import disputes as queries
from tables.queries import people as people_queries
from tables.queries.disputes import Debt, DisputeView
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal


class DisputeAsked(serializers.Serializer[object]):
    """A turn to be frozen; without deal and turn the last one. A device sends the sign-on of whoever asks."""

    id = serializers.UUIDField()
    deal = serializers.CharField(max_length=200, required=False)
    turn = serializers.IntegerField(min_value=1, max_value=10_000, required=False)
    bet = serializers.CharField(max_length=200, required=False, default="", allow_blank=True)
    reason = serializers.CharField(max_length=disputes.LONGEST_REASON, required=False, default="", allow_blank=True)
    signon = serializers.CharField(max_length=200, required=False, write_only=True)


class RulingAsked(Signed):
    """A ruling by two: what goes to the player, or (less than 0) comes from him, in minor units, and why."""

    amount_minor = serializers.IntegerField(
        min_value=-disputes.LARGEST_RULING_MINOR, max_value=disputes.LARGEST_RULING_MINOR
    )
    reason = serializers.CharField(max_length=disputes.LONGEST_REASON)


def _dispute_data(dispute: DisputeView) -> dict[str, Any]:
    data = asdict(dispute) | {"exponent": dispute.exponent}
    return {name: value for name, value in data.items() if name not in ("casino_id", "pit_id")}


def _debt_data(debt: Debt) -> dict[str, Any]:
    return {name: value for name, value in asdict(debt).items() if name != "pit_id"} | {"exponent": debt.exponent}


def asker(request: Request, table: Table, signon: str | None, happened_at: datetime | None = None) -> Author:
    """Say who asks: whoever is logged in, or whoever is, or at that moment was, signed on at the table's device.

    Raises: not_signed_on.
    """
    device, author = device_of(request), author_of(request)
    if device is None:
        assert author is not None, "MayDo lets nobody else in"
        return author
    if not signon:
        raise Refusal(DoorCode.NOT_SIGNED_ON, "Nobody is signed on here.")
    return people_queries.author_of_signon(
        people_queries.signon_of_token(signon),
        device_id=device.id,
        table_id=table.pk,
        happened_at=happened_at or timezone.now(),
    )


class TableDisputes(APIView):
    """Disputes at a table."""

    deeds = {"POST": "dispute.open"}

    @extend_schema(request=DisputeAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> Response:
        """Freeze what is known of a turn."""
        table = table_of(request, code, "dispute.open")
        asked = read(DisputeAsked, request)
        dispute = disputes.open_dispute(
            table.code,
            id=asked["id"],
            author=asker(request, table, asked.get("signon")),
            now=timezone.now(),
            deal=asked.get("deal"),
            turn=asked.get("turn"),
            bet=asked["bet"],
            reason=asked["reason"],
        )
        return Response(_dispute_data(dispute), status.HTTP_201_CREATED)


def _readable(request: Request, dispute_id: uuid.UUID, deed: str) -> DisputeView:
    author = author_of(request)
    assert author is not None, "MayDo lets nobody else in"
    found = queries.dispute(dispute_id)
    if found is None or found.casino_id != casino_of(request):
        raise NotFound
    access.require(author, deed, found.pit_id)
    return found


class Disputes(APIView):
    """The disputes of the house."""

    deeds = {"GET": "read.disputes"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List them, newest first."""
        author = author_of(request)
        assert author is not None, "no device reads disputes"
        found = queries.disputes(casino_of(request))
        return Response([_dispute_data(each) for each in found if access.may(author, "read.disputes", each.pit_id)])


class OneDispute(APIView):
    """One dispute."""

    deeds = {"GET": "read.disputes"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, dispute_id: uuid.UUID) -> Response:
        """Say what was frozen and how it was decided."""
        return Response(_dispute_data(_readable(request, dispute_id, "read.disputes")))


class Rulings(APIView):
    """The ruling on a dispute."""

    deeds = {"POST": "dispute.rule"}

    @extend_schema(request=RulingAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, dispute_id: uuid.UUID) -> Response:
        """Decide it, by two."""
        _readable(request, dispute_id, "dispute.rule")
        asked = read(RulingAsked, request)
        author, approver = signers(request, asked, at_least=2)
        decided = disputes.rule(
            dispute_id,
            amount_minor=asked["amount_minor"],
            reason=asked["reason"],
            author=author,
            approver=approver,
            now=timezone.now(),
            ruling_id=asked["id"],
        )
        return Response(_dispute_data(decided), status.HTTP_201_CREATED)


class Debts(APIView):
    """What corrections, of bets, cards and slips, and rulings leave owing."""

    deeds = {"GET": "read.disputes"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List debts, open ones first: `amount_minor` is to be paid to the player, less than 0 to be collected."""
        author = author_of(request)
        assert author is not None, "no device reads debts"
        found = queries.debts(casino_of(request))
        return Response([_debt_data(each) for each in found if access.may(author, "read.disputes", each.pit_id)])


class ClearDebt(APIView):
    """The end of a debt: `paid`, `collected`, `written_off`, `never_moved`."""

    deeds = {"POST": "debt.clear"}

    @extend_schema(request=Signed, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, kind: str, debt_id: int, how: str) -> Response:
        """Clear it, signed by one; by two where no money moves, or chips between table and cage."""
        asked = read(Signed, request)
        if kind not in ("adjustment", "ruling", "slip", "movement") or debt_id >= 2**62:
            raise NotFound
        author, *others = signers(request, asked)
        debt = disputes.clear_debt(
            casino_of(request),
            kind,
            debt_id,
            how,
            author=author,
            second=others[0] if others else None,
            now=timezone.now(),
            id=asked["id"],
        )
        return Response(_debt_data(debt), status.HTTP_201_CREATED)
