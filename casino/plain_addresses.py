"""Addresses that no database can be asked about end here, before any view tries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest


class PlainAddresses:
    """Refuse an address with a NUL in it: nothing of ours has such a name, and PostgreSQL takes it in no text."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponseBadRequest()
        return self.get_response(request)
