"""What was typed into a form whose deed was refused: the page gives it back where it stood. Never a PIN."""

from django.http import HttpRequest

_KEPT_BACK = ("pin", "password", "csrfmiddlewaretoken")


def typed(request: HttpRequest) -> dict[str, object]:
    """Hand a page that answers a form what the form said; a deed that was done is answered by another page.

    A deed's form is one that was handed out with an id: a log-in is none.
    """
    if request.method != "POST" or "id" not in request.POST:
        return {}
    return {"typed": {name: values for name, values in request.POST.lists() if not name.startswith(_KEPT_BACK)}}
