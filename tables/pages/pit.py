"""The live floor as a page. Its tiles are filled from the API; no figure is made here."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tables.access import Author
from tables.pages.people import deed_required


@require_safe
@deed_required("read.floor")
def pit(request: HttpRequest, author: Author) -> HttpResponse:
    """Show the floor: a tile a table, and what waits for this person."""
    live = "/live/floor"
    if settings.LIVE_PORT:
        live = f"//{split_domain_port(request.get_host())[0]}:{settings.LIVE_PORT}{live}"
    return render(request, "tables/pit.html", {"live": live, "number": author.number})
