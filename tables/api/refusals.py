"""How a refusal that reaches the edge is answered: status, code, sentence, and the values named in it."""

from typing import Any

from rest_framework import status
from rest_framework.response import Response
from rest_framework.views import exception_handler

from tables.refusals import DoorCode
from tables.rules.refusals import Refusal

_STATUS: dict[str, int] = {
    DoorCode.NOT_ALLOWED: status.HTTP_403_FORBIDDEN,
    DoorCode.WRONG_PIN: status.HTTP_403_FORBIDDEN,
    DoorCode.NOT_SIGNED_ON: status.HTTP_403_FORBIDDEN,
    DoorCode.BAD_PIN: status.HTTP_400_BAD_REQUEST,
    DoorCode.BATCH_TOO_LARGE: status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
}


def answer_refusal(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Answer a refusal that reaches the edge with its code, its sentence and the values named in it."""
    if not isinstance(exc, Refusal):
        return exception_handler(exc, context)
    body = {"code": str(exc.code), "message": exc.message, "facts": exc.facts}
    return Response(body, _STATUS.get(exc.code, status.HTTP_409_CONFLICT))
