"""The door over HTTP: envelopes in, answers out. It translates; `tables.actions.door` decides."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import tablelog
from tables.actions import door
from tables.actions.door import Envelope, UnknownTableError
from tables.api.authentication import SCHEME
from tables.ledger import AMOUNTS, After
from tables.queries.console import console_state
from tables.refusals import DoorCode
from tables.rules.refusals import Code, Refusal

LARGEST_BODY = 1_000_000
_KEYS = frozenset({"id", "device", "device_seq", "signon", "at", "sent_at", "after", "event"})
_MAY = frozenset({"seen", "expected"})
_SHOWN_KEYS = frozenset({"settlements", "takes"})
_AFTER_KEYS = frozenset({"deal", "position", "take_backs"})
_LARGEST_WHOLE = 2**53
_TWICE = "\0twice"  # no event has such a key, so that one with a key given twice is a bad line


class AfterKnown(serializers.Serializer[object]):
    """The last card as the sender knew it, his own queue included; before any deal: null, 0, 0."""

    deal = serializers.CharField(allow_null=True)
    position = serializers.IntegerField(min_value=0)
    take_backs = serializers.IntegerField(min_value=0)


class EnvelopeSent(serializers.Serializer[object]):
    """An event of the table log (docs/table-log.md), without `at` and `by`, as a device hands it in."""

    id = serializers.UUIDField()
    device = serializers.CharField()
    device_seq = serializers.IntegerField(allow_null=True)
    signon = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField()
    after = AfterKnown(allow_null=True)
    event = serializers.DictField()
    seen = serializers.IntegerField(
        required=False, allow_null=True, help_text="the journal's sequence that was known when it was entered"
    )
    expected = serializers.DictField(
        required=False,
        help_text="what the screen had shown of it, provisionally: settlements and takes, as in the answer;"
        " where the record counts otherwise, the floor is alerted",
    )


class AnswerGiven(serializers.Serializer[object]):
    """How an event stands. Settlements and takes are lines of the table log."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(["recorded", "repeated", "waiting", "refused", "not_tried"])
    sequence = serializers.IntegerField(required=False)
    hash = serializers.CharField(required=False)
    recorded_at = serializers.DateTimeField(required=False)
    settlements = serializers.ListField(child=serializers.DictField(), required=False)
    takes = serializers.ListField(child=serializers.DictField(), required=False)
    adjustments = serializers.ListField(child=serializers.DictField(), required=False)
    code = serializers.CharField(required=False)
    message = serializers.CharField(required=False)
    facts = serializers.DictField(required=False)


class Receipt(serializers.Serializer[object]):
    """Where a journal stands."""

    sequence = serializers.IntegerField()
    hash = serializers.CharField()


class AnswersGiven(serializers.Serializer[object]):
    """One answer an envelope, in their order; then the head of the table's journal and its last card."""

    answers = AnswerGiven(many=True)
    head = Receipt()
    after = AfterKnown()
    state = serializers.DictField(required=False, help_text="with ?state=1: what GET .../state says now")


class Events(APIView):
    """The one door for writing what happens at a table."""

    deed = "write.table"

    @extend_schema(
        request=EnvelopeSent(many=True),
        responses=AnswersGiven,
        parameters=[OpenApiParameter("state", bool, description="answer with the console's state as well")],
    )
    def post(self, request: Request, code: str) -> Response:
        """Record events of a table in their order. At most 500, or 1 MB, a request."""
        raise AssertionError("dispatch answers")  # pragma: no cover # this method describes it, for the schema

    @csrf_exempt  # a device's token in a header, which no other site can make a browser send
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer without the framework's machinery: this address is asked at every card of the house."""
        if request.method != "POST":
            return super().dispatch(request, *args, **kwargs)
        return _answer(request, str(kwargs["code"]))


def _answer(request: HttpRequest, code: str) -> HttpResponse:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != SCHEME or not token:
        return _refused(401, Refusal(DoorCode.NOT_SIGNED_ON, "Events come from a device, by its token."))
    try:
        too_large = len(request.body) > LARGEST_BODY
    except RequestDataTooBig:
        too_large = True
    if too_large:
        refusal = Refusal(DoorCode.BATCH_TOO_LARGE, "A request has at most 1 MB.", limit=LARGEST_BODY)
        return _refused(413, refusal)
    try:
        envelopes = _read(request.body)
    except ValueError as error:
        return _refused(400, Refusal(Code.BAD_LINE, f"These are no envelopes: {error}."))
    try:
        answers, head, after = door.record(code, envelopes, device_token=token.strip())
    except UnknownTableError:
        return _refused(404, Refusal(DoorCode.NOT_ALLOWED, f"There is no table {code!r}."))
    except Refusal as refusal:
        status = {DoorCode.NOT_SIGNED_ON: 401, DoorCode.BATCH_TOO_LARGE: 413}
        return _refused(status.get(DoorCode(refusal.code), 403), refusal)
    body: dict[str, Any] = {
        "answers": [answer.data() for answer in answers],
        "head": {"sequence": head.sequence, "hash": head.hash},
        "after": after.data(),
    }
    if request.GET.get("state") in ("1", "true"):
        body["state"] = console_state(code).data()
    return _json(200, body)


def _json(status: int, body: Mapping[str, Any]) -> HttpResponse:
    return HttpResponse(_ENCODER.encode(body), status=status, content_type="application/json")


def _plain(value: Any) -> str:
    return value.isoformat().replace("+00:00", "Z") if hasattr(value, "isoformat") else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


def _refused(status: int, refusal: Refusal) -> HttpResponse:
    response = _json(status, {"code": str(refusal.code), "message": refusal.message, "facts": refusal.facts})
    if status == 401:
        response["WWW-Authenticate"] = SCHEME
    return response


# -- reading envelopes


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        read[_TWICE] = True
    return read


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def _read(body: bytes) -> list[Envelope]:
    """Read a list of envelopes. Raises: ValueError, saying what could not be read."""
    try:
        listed = _DECODER.decode(body.decode())
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(listed, list):
        raise ValueError("the body is a JSON list")
    return [_envelope(each, place) for place, each in enumerate(listed)]


def _envelope(sent: Any, place: int) -> Envelope:
    if not isinstance(sent, dict) or sent.keys() - _MAY != _KEYS:
        raise ValueError(f"envelope {place} has the keys {', '.join(sorted(_KEYS))}, once each")
    id, device, number, signon = sent["id"], sent["device"], sent["device_seq"], sent["signon"]
    event, shown = sent["event"], sent.get("expected")
    if not isinstance(id, str) or len(id) != 36:
        raise ValueError(f"the id of envelope {place} is a UUID")
    if not isinstance(device, str) or not isinstance(signon, str | None):
        raise ValueError(f"device and signon of envelope {place} are texts")
    if number is not None and not _is_whole(number):
        raise ValueError(f"the device_seq of envelope {place} is a whole number")
    seen = sent.get("seen")
    if seen is not None and not _is_whole(seen):
        raise ValueError(f"the seen of envelope {place} is a whole number")
    if not isinstance(event, dict):
        raise ValueError(f"the event of envelope {place} is an object")
    if shown is not None and not _is_shown(shown):
        raise ValueError(f"what envelope {place} expected are settlements and takes")
    if device != device.encode(errors="replace").decode() or "\0" in device:
        raise ValueError(f"the device of envelope {place} is no text")
    return Envelope(
        UUID(id),
        device,
        number,
        (signon or "").encode(errors="replace").decode(),
        _time(sent["at"], place),
        _time(sent["sent_at"], place),
        _after(sent["after"], place),
        event,
        seen,
        shown,
    )


def _is_shown(shown: Any) -> bool:
    if not isinstance(shown, dict) or shown.keys() != _SHOWN_KEYS:
        return False
    rows = [row for rows in shown.values() if isinstance(rows, list) for row in rows]
    amounts = [row.get(name) if isinstance(row, dict) else None for row in rows for name in AMOUNTS]
    return all(isinstance(rows, list) for rows in shown.values()) and all(isinstance(each, str) for each in amounts)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST_WHOLE


def _time(value: Any, place: int) -> str:
    try:
        return tablelog._time(value, "at")
    except Refusal as refusal:
        raise ValueError(f"a time of envelope {place}: {refusal.message}") from None


def _after(value: Any, place: int) -> After | None:
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() != _AFTER_KEYS:
        raise ValueError(f"the after of envelope {place} has deal, position and take_backs")
    deal, position, take_backs = value["deal"], value["position"], value["take_backs"]
    if not isinstance(deal, str | None) or not _is_whole(position) or not _is_whole(take_backs):
        raise ValueError(f"the after of envelope {place} is a deal's name and two whole numbers")
    return After(deal, position, take_backs)
