"""The versions of what holds at a table over HTTP, and a change of it by two. It translates; the actions decide."""

from dataclasses import asdict

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables.actions import terms
from tables.api.books import ByTwo, ask, read, signers, table_of
from tables.queries import terms as queries


class ChangeAsked(ByTwo):
    """What changes from the next deal on, as the table log's `rules` line says it; author first, then approver."""

    change = serializers.DictField(allow_empty=False)


class RulesVersions(APIView):
    """The numbered versions of limits, house rules and bank."""

    deeds = {"GET": "read.rules", "POST": "rules.change"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """List them, the one that holds first."""
        table = table_of(request, code, "read.rules")
        return Response([asdict(each) for each in queries.versions(table.code)])

    @extend_schema(request=ChangeAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> Response:
        """Make a new version, between deals."""
        table = table_of(request, code, "rules.change")
        asked = read(ChangeAsked, request)
        if asked["ask"]:
            return ask(request, table.code, "rules", {"change": asked["change"]}, asked)
        author, approver = signers(request, asked, at_least=2)
        answer = terms.change_rules(
            table.code,
            asked["change"],
            id=asked["id"],
            author=author,
            approver=approver,
            now=timezone.now(),
        )
        return Response(answer.data(), status.HTTP_201_CREATED)
