"""The live floor and its tables as pages. They are filled from the API; no figure is made here."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from tables import access
from tables.access import Author
from tables.models.house import Table
from tables.pages.people import deed_required


@require_safe
@deed_required("read.floor")
def pit(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the floor: a tile a table, and what waits for this person."""
    return render(request, "tables/pit.html", {"live": _stream(request), "number": author.number})


@require_safe
@deed_required("read.floor")
def table(request: HttpRequest, author: Author, code: str) -> HttpResponse:
    """Show one table's shift, live."""
    found = get_object_or_404(Table, code=code)
    if not access.may(author, "read.floor", found.pit_id):
        raise Http404
    context = {"live": _stream(request), "number": author.number, "code": code, "name": found.name or code}
    return render(request, "tables/pit_table.html", context)


def _stream(request: HttpRequest) -> str:
    """Say where the live floor's stream is: behind a proxy at our own address, else at a port of its own."""
    if not settings.LIVE_PORT:
        return "/live/floor"
    return f"//{split_domain_port(request.get_host())[0]}:{settings.LIVE_PORT}/live/floor"
