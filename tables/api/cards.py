"""Card control over HTTP. It translates; the actions decide."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.actions import cards
from tables.api.books import Signed, casino_of, day_of, read, signers
from tables.queries import cards as queries
from tables.queries.cards import DeckView


class DecksAsked(Signed):
    """Decks by their serials; `size` as they are received, `table` as they go into service, and why."""

    serials = serializers.ListField(
        child=serializers.CharField(max_length=40), min_length=1, max_length=cards.MOST_DECKS
    )
    size = serializers.ChoiceField(list(cards.SIZES), required=False, default=52)
    table = serializers.CharField(max_length=200, required=False, default="")
    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class DeckCountAsked(Signed):
    """How many decks two counted, by state."""

    counted = serializers.DictField(child=serializers.IntegerField(min_value=0, max_value=999_999), allow_empty=False)


def _deck_data(deck: DeckView) -> dict[str, Any]:
    return {name: value for name, value in asdict(deck).items() if name != "pit_id"}


class Decks(APIView):
    """The decks of the house."""

    deeds = {"GET": "read.cards"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("gaming_date", OpenApiTypes.DATE)])
    def get(self, request: Request) -> Response:
        """List those that are not destroyed, and reconcile a gaming day: before + came - left = after."""
        casino_id, day = casino_of(request), day_of(request)
        return Response(
            {
                "decks": [_deck_data(deck) for deck in queries.decks(casino_id)],
                "gaming_date": day,
                "reconciliation": [
                    asdict(each) | {"difference": each.difference} for each in queries.reconciliation(casino_id, day)
                ],
            }
        )


class DeckHistory(APIView):
    """The life of a deck."""

    deeds = {"GET": "read.cards"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, serial: str) -> Response:
        """Tell it from the receipt on."""
        found = queries.history(casino_of(request), serial)
        if not found:
            raise NotFound
        return Response([asdict(each) for each in found])


class DeckSteps(APIView):
    """The steps of decks: `received`, `in_service`, `retired`, `retained`, `destroyed`."""

    deeds = {"POST": "cards.step"}

    @extend_schema(request=DecksAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, step: str) -> Response:
        """Take all named decks a step further, or none, by two."""
        if step not in cards.STEPS:
            raise NotFound
        asked, casino_id, now = read(DecksAsked, request), casino_of(request), timezone.now()
        author, second = signers(request, asked, at_least=2)
        if step == "received":
            found = cards.receive_decks(
                casino_id, asked["serials"], asked["size"], author=author, second=second, now=now, id=asked["id"]
            )
        else:
            found = cards.move_decks(
                casino_id,
                asked["serials"],
                step,
                author=author,
                second=second,
                now=now,
                table=asked["table"],
                reason=asked["reason"],
                id=asked["id"],
            )
        return Response([_deck_data(deck) for deck in found], status.HTTP_201_CREATED)


class DeckCounts(APIView):
    """Counts of decks."""

    deeds = {"POST": "cards.step"}

    @extend_schema(request=DeckCountAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Record a count, by two; a difference stays."""
        asked = read(DeckCountAsked, request)
        author, second = signers(request, asked, at_least=2)
        differs = cards.count_decks(
            casino_of(request),
            asked["counted"],
            author=author,
            second=second,
            now=timezone.now(),
            id=asked["id"],
        )
        return Response({"differs": differs}, status.HTTP_201_CREATED)
