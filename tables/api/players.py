"""Players and their play over HTTP. It translates; the actions decide."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.actions import players
from tables.api.authentication import author_of
from tables.api.books import Signed, casino_of, day_of, read, signers, table_of
from tables.api.disputes import asker
from tables.queries import players as queries
from tables.queries.players import PlayerPlay, SeatPlay


class SeatAsked(serializers.Serializer[object]):
    """Who takes the seat, by alias; without one whoever sat there leaves. A device sends the sign-on of who says so."""

    id = serializers.UUIDField()
    alias = serializers.CharField(max_length=players.LONGEST_ALIAS, required=False, default="", allow_blank=True)
    signon = serializers.CharField(max_length=200, required=False, write_only=True)


def _play(play: SeatPlay | PlayerPlay) -> dict[str, Any]:
    data = asdict(play) | {
        "played_seconds": round(play.played.total_seconds()),
        "average_bet_minor": play.average_bet_minor,
        "exponent": play.exponent,
    }
    return {name: value for name, value in data.items() if name not in ("played", "pit_id")}


class Players(APIView):
    """What seats and players played on a gaming day."""

    deeds = {"GET": "read.players"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("gaming_date", OpenApiTypes.DATE)])
    def get(self, request: Request) -> Response:
        """Say it by seat, and added up by player: buy-ins, bets, average bet, turns and time played."""
        author = author_of(request)
        assert author is not None, "no device reads players"
        day, pits = day_of(request), access.pits(author, "read.players")
        play = [each for each in queries.play_of_day(casino_of(request), day) if pits is None or each.pit_id in pits]
        return Response(
            {
                "gaming_date": day,
                "seats": [_play(each) for each in play],
                "players": [_play(each) for each in queries.by_player(play)],
            }
        )


class Seats(APIView):
    """Who sits on a seat."""

    deeds = {"POST": "player.sit"}

    @extend_schema(request=SeatAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str, seat: int) -> Response:
        """Seat a player under an alias, or let the one there leave."""
        table = table_of(request, code, "player.sit")
        asked = read(SeatAsked, request)
        author, id, now = asker(request, table, asked.get("signon")), asked["id"], timezone.now()
        number = None
        if asked["alias"]:
            number = players.sit(table.code, seat, asked["alias"], author=author, now=now, id=id)
        else:
            players.stand_up(table.code, seat, author=author, now=now, id=id)
        return Response({"seat": seat, "player": number}, status.HTTP_201_CREATED)


class ErasedPlayer(APIView):
    """The erasure of an alias."""

    deeds = {"POST": "player.erase"}

    @extend_schema(request=Signed, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, player: int) -> Response:
        """Erase it, signed by PIN; what was played stays."""
        asked = read(Signed, request)
        (author, *_others) = signers(request, asked)
        players.erase_alias(casino_of(request), player, author=author, now=timezone.now(), id=asked["id"])
        return Response({"player": player, "alias": None}, status.HTTP_201_CREATED)
