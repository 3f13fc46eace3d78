"""How a tablet comes to trust the floor's own certificate authority. Public: a certificate is no secret."""

import hashlib
import ssl

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def trust(request: HttpRequest) -> HttpResponse:
    """Say how, and by which SHA-256 a person knows that the certificate is this floor's."""
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(_certificate())).digest().hex(":").upper()
    return render(request, "tables/trust.html", {"fingerprint": fingerprint})


@require_safe
def authority(request: HttpRequest) -> HttpResponse:
    """Give the certificate, in a form that every tablet takes."""
    answer = HttpResponse(_certificate(), content_type="application/x-x509-ca-cert")
    answer["Content-Disposition"] = 'attachment; filename="casino-floor.crt"'
    return answer


def _certificate() -> str:
    if settings.TLS_AUTHORITY_FILE is None:
        raise Http404
    text: str = settings.TLS_AUTHORITY_FILE.read_text(encoding="ascii")
    return text
