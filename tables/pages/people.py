"""Log-in, log-out, language, a person's own page; and the guard that asks the table of deeds for pages."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from tables import access
from tables.access import Author
from tables.actions import people
from tables.queries import people as queries
from tables.rules.refusals import Refusal

P = ParamSpec("P")
StaffView = Callable[Concatenate[HttpRequest, Author, P], HttpResponseBase]


def deed_required(deed: str) -> Callable[[StaffView[P]], Callable[Concatenate[HttpRequest, P], HttpResponseBase]]:
    """Let a page in only who may do this deed somewhere, and hand the page its person after the request.

    In which pits he may, the page asks itself (`access.pits`, `access.require`): it alone knows the tables.
    """

    def guard(view: StaffView[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                query = urlencode({"next": request.get_full_path()})
                return HttpResponseRedirect(f"{resolve_url(settings.LOGIN_URL)}?{query}")
            author = queries.author_of_user(request.user.pk)
            if author is None or not access.may_somewhere(author, deed):
                raise PermissionDenied
            return view(request, author, *args, **kwargs)

        update_wrapper(guarded, view)
        guarded.deed = deed  # type: ignore[attr-defined] # what the test of the table of deeds reads
        return guarded

    return guard


class LogInForm(AuthenticationForm):
    """Staff number and password. Numbers are written in capitals; nobody has to."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # Django's own signature, handed on
        self.fields["username"].label = _("Staff number")
        self.fields["password"].label = _("Password")

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).strip().upper()

    def clean(self) -> dict[str, Any]:
        """Ask who it is, in place of Django's own asking: failures add up, and then a person must wait."""
        number, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if number and password:
            assert self.request is not None
            try:
                user = people.verify_password(
                    number=number, password=password, address=_address(self.request), now=timezone.now()
                )
            except Refusal as refusal:
                self.add_error(None, _("Not logged in: staff number or password is wrong."))
                _say_wait(self, refusal)
            else:
                self.user_cache = cast(User, user)
        return self.cleaned_data


def _address(request: HttpRequest) -> str:
    """Return where a request comes from: behind a trusted proxy, what the proxy itself added last."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
    address = forwarded if settings.TRUST_PROXY and forwarded else str(request.META["REMOTE_ADDR"])
    return address[:64]


def _say_wait(form: forms.Form, refusal: Refusal) -> None:
    if "wait_seconds" in refusal.facts:
        wait = _("The next attempt counts in %(seconds)s s.") % {"seconds": refusal.facts["wait_seconds"]}
        form.add_error(None, wait)


class LogIn(auth_views.LoginView):
    """The log-in page. It answers in the language that the person last chose."""

    template_name = "people/log_in.html"
    authentication_form = LogInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        language = queries.language_of_user(form.get_user().pk)
        if language is not None:
            _remember_language(response, language)
        return response


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """Change the language, of this browser and of the person logged in."""
    response = set_language(request)
    chosen = request.POST.get("language", "")
    author = queries.author_of_user(request.user.pk)
    if author is not None and translation.check_for_language(chosen) and chosen in dict(settings.LANGUAGES):
        people.choose_language(staff_id=author.staff_id, language=chosen)
    return response


def _remember_language(response: HttpResponse, chosen: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        chosen,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
    )


# Where somebody begins: the first of these pages that he may see.
_FIRST_PAGES = (
    ("event.misdeal", "/pit/"),
    ("report.read", "/audit/"),
    ("read.floor", "/pit/"),
    ("slip.issue", "/cage/"),
    ("box.count", "/count-room/"),
)


@deed_required("own")
def home(request: HttpRequest, author: Author) -> HttpResponse:
    """Bring a person to the page of his work; who has none yet, to his own."""
    at_a_table = all(post.role in access.ONE_PLACE_ROLES for post in author.posts)
    for deed, address in () if at_a_table else _FIRST_PAGES:
        if access.may_somewhere(author, deed):
            return redirect(address)
    return redirect("me")


class PinForm(forms.Form):
    """The old PIN, and the new one twice."""

    old = forms.CharField(label=_("Present PIN"), widget=forms.PasswordInput, max_length=6)
    new = forms.CharField(label=_("New PIN, six digits"), widget=forms.PasswordInput, max_length=6)
    again = forms.CharField(label=_("New PIN again"), widget=forms.PasswordInput, max_length=6)

    def __init__(self, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type] # a QueryDict or None
        for field in self.fields.values():
            field.widget.attrs |= {"inputmode": "numeric", "autocomplete": "off"}

    def clean_again(self) -> str:
        if self.cleaned_data.get("new") != self.cleaned_data["again"]:
            raise forms.ValidationError(_("The two new PINs differ."))
        return str(self.cleaned_data["again"])


_PIN_WORDS = {
    "bad_pin": _("Not changed: a PIN has six digits, not six the same and not six in a row."),
    "wrong_pin": _("Not changed: the present PIN is wrong."),
}


@require_http_methods(["GET", "POST"])
@deed_required("own")
def me(request: HttpRequest, author: Author) -> HttpResponse:
    """Show a person his posts, and let him change his PIN."""
    form = PinForm(request.POST if request.method == "POST" else None)
    changed = False
    person = queries.person(author.staff_id)
    if form.is_valid():
        try:
            people.change_own_pin(
                author=author,
                casino_id=person.casino_id,
                old=form.cleaned_data["old"],
                new=form.cleaned_data["new"],
                now=timezone.now(),
            )
        except Refusal as refusal:
            form.add_error(None, _PIN_WORDS[refusal.code])
            _say_wait(form, refusal)
        else:
            form, changed = PinForm(), True
    context = {"form": form, "changed": changed, "person": person}
    return render(request, "people/me.html", context, status=400 if form.errors else 200)
