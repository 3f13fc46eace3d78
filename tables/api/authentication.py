"""Who asks, and whether he may: device tokens, sessions, the table of deeds. It answers nothing itself.

A view names its deed (`deed = "read.floor"`) or one for each method (`deeds = {"GET": ..., "POST": ...}`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from tables import access
from tables.access import Author, Scope
from tables.actions.people import see_device
from tables.queries import people as queries
from tables.queries.people import DeviceView

if TYPE_CHECKING:  # its settings name this module: importing it here would go round in a circle
    from rest_framework.views import APIView

SCHEME = "Device"


class DeviceAuthentication(BaseAuthentication):
    """`Authorization: Device <token>`. It proves a device, never a person: `request.auth` is a DeviceView."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, DeviceView] | None:
        scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != SCHEME:
            return None
        device = queries.device_of_token(token.strip())
        if device is None:
            raise exceptions.AuthenticationFailed("This device token is unknown or revoked.")
        see_device(device, timezone.now())
        return AnonymousUser(), device

    def authenticate_header(self, request: Request) -> str:
        """Name the scheme in a 401, so that nobody is answered 403 for want of a token."""
        return SCHEME


class StaffSession(SessionAuthentication):
    """A person's log-in, with Django's CSRF check. `request.auth` is the Author with all his posts."""

    def authenticate(self, request: Request) -> tuple[Any, Author | None] | None:
        found = super().authenticate(request)
        if found is None:
            return None
        return found[0], queries.author_of_user(found[0].pk)


class MayDo(BasePermission):
    """Ask the table of deeds. In which pits somebody may, the view asks itself: it alone knows the table."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not hasattr(view, (request.method or "GET").lower()):
            raise exceptions.MethodNotAllowed(request.method or "")
        row = access.ACCESS[deed_of(view, request.method or "GET")]
        if row.scope is Scope.PUBLIC:
            return True
        if isinstance(request.auth, DeviceView):
            return row.device
        author = author_of(request)
        return author is not None and access.may_somewhere(author, deed_of(view, request.method or "GET"))


def deed_of(view: APIView, method: str) -> str:
    """Give the deed that a view's method does; HEAD and OPTIONS ask for what GET asks, or else the only method."""
    deeds: dict[str, str] = getattr(view, "deeds", {})
    found = deeds.get(method) or deeds.get("GET") or getattr(view, "deed", None) or next(iter(deeds.values()), None)
    assert found is not None, f"{type(view).__name__} names no deed"
    return str(found)


def author_of(request: Request) -> Author | None:
    """Name the person behind a session. A device is nobody."""
    return request.auth if isinstance(request.auth, Author) else None


def device_of(request: Request) -> DeviceView | None:
    """Give the device behind a request, if one sent it."""
    return request.auth if isinstance(request.auth, DeviceView) else None
