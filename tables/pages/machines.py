"""For machines that watch the service: metrics in Prometheus' text format, and two addresses that say it is well."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from tables.queries import machines


@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Say whether people can be served: the database answers."""
    well = machines.is_well()
    return HttpResponse("ok\n" if well else "no database\n", content_type="text/plain", status=200 if well else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Give the figures to whoever has the token; without one set, to nobody."""
    scheme, _space, token = request.headers.get("Authorization", "").partition(" ")
    known = settings.METRICS_TOKEN
    if not known or scheme != "Bearer" or not hmac.compare_digest(token.encode(), known.encode()):
        raise Http404
    lines, last = [f'casino_build_info{{build="{settings.BUILD}"}} 1'], ""
    for name, label, value, figure in machines.gauges():
        if name != last:
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {machines.HELP[name]}", f"# TYPE {name} {kind}"]
        last = name
        lines.append(f'{name}{{{label}="{value}"}} {figure:g}' if label else f"{name} {figure:.15g}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")
