"""Seals and proofs over HTTP: what was sealed, sealing now, and proofs for whoever does not trust us."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import proofs, queries, sealing
from audit.seals import NoKey
from tables.api.authentication import author_of

PAGE = 100


class SealShown(serializers.Serializer[object]):
    """A seal; `text` is what `signature` signs under `key`."""

    number = serializers.IntegerField()
    gaming_date = serializers.DateField(allow_null=True)
    sealed_at = serializers.DateTimeField()
    merkle_root = serializers.CharField(source="root")
    sha256 = serializers.CharField(source="hash")
    key = serializers.CharField()
    text = serializers.CharField()
    signature = serializers.CharField()


class SealPage(serializers.Serializer[object]):
    """Seals, newest first; `next` continues after the last of them."""

    next = serializers.CharField(allow_null=True)
    results = SealShown(many=True)


def casino_id() -> int:
    """Return the casino of this service. Raises NotFound before there is one."""
    found = queries.casino_id()
    if found is None:
        raise NotFound
    return found


def _refused(code: str, message: str, answer: int = status.HTTP_409_CONFLICT) -> Response:
    return Response({"code": code, "message": message, "facts": {}}, answer)


class SealList(APIView):
    """All seals, and sealing now."""

    deeds = {"GET": "read.journal", "POST": "seal.make"}

    @extend_schema(
        parameters=[OpenApiParameter("before", OpenApiTypes.INT, description="The `next` of the page before.")],
        responses=SealPage,
    )
    def get(self, request: Request) -> Response:
        """List the seals, newest first."""
        before = request.query_params.get("before", "")
        shown = queries.latest_seals(casino_id(), before=int(before) if before.isdecimal() else None, limit=PAGE)
        following = str(shown[-1].number) if len(shown) == PAGE else None
        return Response({"next": following, "results": SealShown(shown, many=True).data})

    @extend_schema(request=None, responses={201: SealShown})
    def post(self, request: Request) -> Response:
        """Seal all journals as they stand."""
        try:
            made = sealing.seal(casino_id(), gaming_date=None, author=author_of(request), now=timezone.now())
        except NoKey:
            return _refused("no_key", "The house has no key to seal with.")
        except sealing.SealRefused as refusal:
            return _refused("not_sealed", str(refusal))
        return Response(SealShown(made).data, status.HTTP_201_CREATED)


class SealFile(APIView):
    """A seal's file, as it was mailed."""

    deed = "read.journal"

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.BINARY})
    def get(self, request: Request, number: int) -> HttpResponse:
        """Fetch the keys and one seal with its heads as JSON Lines, for verify_journal.py."""
        made = sealing.seal_of(casino_id(), number)
        if made is None:
            raise NotFound
        response = HttpResponse(sealing.lines_of(made), content_type="application/x-ndjson")
        response["Content-Disposition"] = f'attachment; filename="{sealing.file_name(made)}"'
        return response


class ProofOfEntry(APIView):
    """That an entry was sealed."""

    deed = "read.journal"

    @extend_schema(
        parameters=[
            OpenApiParameter("journal", OpenApiTypes.STR, required=True, description="`table:T1` or `casino:C`"),
            OpenApiParameter("sequence", OpenApiTypes.INT, required=True),
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """Prove one entry under the first seal after it (docs/journal-format.md)."""
        sequence = request.query_params.get("sequence", "")
        if not sequence.isdecimal():
            return _refused("bad_request", "Name the entry by its sequence.", status.HTTP_400_BAD_REQUEST)
        try:
            proof = proofs.prove_entry(casino_id(), request.query_params.get("journal", ""), int(sequence[:15]))
        except proofs.NoProof as refusal:
            return _refused("no_proof", str(refusal))
        return Response(proof)


class ProofOfBet(APIView):
    """That the settlements of a bet were sealed."""

    deed = "read.journal"

    @extend_schema(
        parameters=[OpenApiParameter(name, OpenApiTypes.STR, required=True) for name in ("table", "deal", "bet")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """Prove each entry that settled a bet, the corrections too."""
        said = request.query_params
        table = said.get("table", "")
        try:
            sequences = proofs.entries_of_bet(table, said.get("deal", ""), said.get("bet", ""))
            found = [proofs.prove_entry(casino_id(), f"table:{table}", sequence) for sequence in sequences]
        except proofs.NoProof as refusal:
            return _refused("no_proof", str(refusal))
        return Response({"proofs": found})


class ProofOfDays(APIView):
    """That a seal continues an earlier one."""

    deed = "read.journal"

    @extend_schema(
        parameters=[OpenApiParameter(name, OpenApiTypes.INT, required=True) for name in ("first", "second")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request) -> Response:
        """Prove that every journal begins with what was sealed before."""
        first, second = (request.query_params.get(name, "") for name in ("first", "second"))
        if not (first.isdecimal() and second.isdecimal()):
            return _refused("bad_request", "Name two seals by their numbers.", status.HTTP_400_BAD_REQUEST)
        try:
            proof = proofs.prove_continuation(casino_id(), int(first[:9]), int(second[:9]))
        except proofs.NoProof as refusal:
            return _refused("no_proof", str(refusal))
        return Response(proof)
