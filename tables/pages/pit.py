"""The live floor as a page. Its tiles are filled from the API; no figure is made here."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
@login_required
def pit(request: HttpRequest) -> HttpResponse:
    """Show the floor: a tile a table, and what waits for this person."""
    return render(request, "tables/pit.html")
