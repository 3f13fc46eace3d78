"""Sends the Content-Security-Policy with every answer. Django 5.2 has none of its own (6.0 will)."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ContentPolicy:
    """Adds the policy of the settings; a view that must differ sets the header itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.policy = "; ".join(f"{name} {sources}" for name, sources in settings.CONTENT_POLICY.items())

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A browser's PDF viewer is a page of its own making, with styles this policy would take away.
        if not response.get("Content-Type", "").startswith("application/pdf"):
            response.headers.setdefault("Content-Security-Policy", self.policy)
        return response
