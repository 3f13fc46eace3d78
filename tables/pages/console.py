"""The dealer's console as a page: an empty cloth, filled in the browser from the API with the device's token."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from tables.pages.words import catalogue


@require_safe
def console(request: HttpRequest, code: str) -> HttpResponse:
    """Show the console of a table: an empty cloth that asks for its device token before it shows anything."""
    return render(request, "tables/console.html", {"code": code})


@require_safe
@cache_control(max_age=60, public=True)
def words(request: HttpRequest) -> HttpResponse:
    """Return the words of the screens in every language."""
    return JsonResponse(catalogue(), json_dumps_params={"ensure_ascii": False})
