"""The dealer's console and the players' casekeep as pages: empty cloths, filled in the browser from the API."""

from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from tables.pages.words import catalogue

_WORKER = Path(__file__).parents[1] / "static" / "tables" / "console" / "worker.js"


@require_safe
def console(request: HttpRequest, code: str) -> HttpResponse:
    """Show the console of a table: an empty cloth that asks for its device token before it shows anything."""
    return render(request, "tables/console.html", {"code": code})


@require_safe
@cache_control(no_cache=True)
def worker(request: HttpRequest) -> HttpResponse:
    """Return the console's service worker, from an address under which it may keep every table's console."""
    return HttpResponse(_WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")


@require_safe
def casekeep(request: HttpRequest, code: str) -> HttpResponse:
    """Show the players' side what is undealt. `?language=ru` chooses for a display that nobody touches."""
    wanted = request.GET.get("language")
    language = wanted if wanted in dict(settings.LANGUAGES) else get_language()
    return render(request, "tables/casekeep.html", {"code": code, "language": language})


@require_safe
@cache_control(max_age=60, public=True)
def words(request: HttpRequest) -> HttpResponse:
    """Return the words of the screens in every language."""
    return JsonResponse(catalogue(), json_dumps_params={"ensure_ascii": False})
