"""Sends the Content-Security-Policy with every answer. Django 5.2 has none of its own (6.0 will)."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port


class ContentPolicy:
    """Adds the policy of the settings; a view that must differ sets the header itself."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # A browser's PDF viewer is a page of its own making, with styles this policy would take away.
        if not response.get("Content-Type", "").startswith("application/pdf"):
            response.headers.setdefault("Content-Security-Policy", _policy(request))
        return response


def _policy(request: HttpRequest) -> str:
    policy = dict(settings.CONTENT_POLICY)
    host = split_domain_port(request.headers.get("Host", ""))[0]
    if settings.LIVE_PORT and host:  # the live floor is served beside us, at another port of the same host
        policy["connect-src"] += f" {request.scheme}://{host}:{settings.LIVE_PORT}"
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())
