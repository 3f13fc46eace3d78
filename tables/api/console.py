"""The console beside play over HTTP: an inspector's check, the house's options, mispays. It translates."""

import uuid
from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.actions import console
from tables.api.authentication import device_of
from tables.api.books import Signed, read, signers, table_of
from tables.api.disputes import asker
from tables.api.events import AfterKnown
from tables.ledger import After
from tables.queries import console as queries
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal


class CheckAsked(Signed):
    """A turn that an inspector has seen paid; the device sends the sign-on of its dealer.

    A check off line is a claim until the PIN: then both times are sent, and the turn was confirmed so long ago.
    """

    signon = serializers.CharField(max_length=200, required=False, write_only=True)
    after = AfterKnown()
    at = serializers.DateTimeField(required=False, help_text="by the device's clock, as sent_at")
    sent_at = serializers.DateTimeField(required=False)
    paid_minor = serializers.IntegerField(
        required=False, min_value=0, max_value=2**53 - 1, help_text="all that the turn had paid on the screen"
    )


class DeclineAsked(serializers.Serializer[object]):
    """The sign-on of the dealer who declines."""

    signon = serializers.CharField(max_length=200, write_only=True)


class OptionsAsked(Signed):
    """What the house asks for at the console; `check_minor` null: no payment is checked."""

    bets_down = serializers.BooleanField()
    confirm = serializers.BooleanField()
    check_minor = serializers.IntegerField(min_value=0, max_value=2**53 - 1, allow_null=True)


class Check(APIView):
    """An inspector's check of what a turn paid."""

    deeds = {"POST": "turn.check"}

    @extend_schema(request=CheckAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> Response:
        """Confirm the last turn as collected and paid, by the inspector's PIN."""
        table = table_of(request, code, "turn.check")
        asked = read(CheckAsked, request)
        now = timezone.now()
        happened_at = None
        if {"at", "sent_at"} <= asked.keys():
            happened_at = min(now, now - (asked["sent_at"] - asked["at"]))
        dealer = asker(request, table, asked.get("signon"), happened_at)
        inspector = signers(request, asked)[-1]
        answer = console.check_turn(
            code,
            id=asked["id"],
            dealer=dealer,
            inspector=inspector,
            after=After(**asked["after"]),
            happened_at=happened_at,
            paid_minor=asked.get("paid_minor"),
        )
        return Response(answer.data(), status.HTTP_201_CREATED)


class ProposalDeclined(APIView):
    """A dealer's no to what was proposed while his console was silent. His yes is that he enters it."""

    deeds = {"POST": "proposal.decline"}

    @extend_schema(request=DeclineAsked, responses={204: None})
    def post(self, request: Request, code: str, proposal_id: uuid.UUID) -> Response:
        """Decline a proposal, at the device that enters the cards."""
        table = table_of(request, code, "proposal.decline")
        dealer = asker(request, table, read(DeclineAsked, request)["signon"])
        device = device_of(request)
        if device is None:
            raise Refusal(DoorCode.NOT_ALLOWED, "Proposals are answered at the table.")
        console.decline(code, proposal_id, dealer=dealer, device_id=device.id, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class Options(APIView):
    """What the house asks for at a table's console."""

    deeds = {"GET": "read.rules", "POST": "console.options"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """List the options, those that hold first."""
        table = table_of(request, code, "read.rules")
        return Response([asdict(each) for each in queries.options_of(table.code)])

    @extend_schema(request=OptionsAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> Response:
        """Set them, by two, from now on."""
        table = table_of(request, code, "console.options")
        asked = read(OptionsAsked, request)
        author, approver = signers(request, asked, at_least=2)
        console.set_options(
            table.code,
            bets_down=asked["bets_down"],
            confirm=asked["confirm"],
            check_minor=asked["check_minor"],
            author=author,
            approver=approver,
            now=timezone.now(),
            id=asked["id"],
        )
        return Response(asdict(queries.options_of(table.code)[0]), status.HTTP_201_CREATED)


class Mispays(APIView):
    """What was collected or paid otherwise than shown."""

    deeds = {"GET": "read.books"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """List the mispays of a table, the last first, and what they add up to by dealer, both ways."""
        table = table_of(request, code, "read.books")
        found = queries.mispays(table.code)
        return Response(
            {
                "results": [asdict(each) for each in found],
                "dealers": [asdict(each) for each in queries.errors_of(found)],
            }
        )
