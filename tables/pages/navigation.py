"""The bar of every page: the pages that a person may see, few enough to be read at a glance. It reads no rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.http import HttpRequest
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from tables import access
from tables.access import Author
from tables.queries import people as queries


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the bar: its name, its address, the deed that lets somebody see it, and what is reached by it."""

    name: str | Promise
    address: str
    deed: str
    leads_to: str = ""
    here: bool = False

    def is_at(self, path: str) -> bool:
        return path.startswith(self.address) or (self.leads_to != "" and path.startswith(self.leads_to))


@dataclass(frozen=True, slots=True)
class Group:
    """Pages under one word; a group of one page is that page."""

    name: str | Promise
    pages: tuple[Page, ...]

    @property
    def here(self) -> bool:
        return any(page.here for page in self.pages)


_FLOOR: Final = Page(_("Floor"), "/pit/", "read.floor")
BAR: Final = (
    Group(_("Floor"), (_FLOOR,)),
    Group(
        _("Tables"),
        (
            Page(_("Floats"), "/float/", "read.chips", "/limits/"),
            Page(_("Players"), "/players/", "read.players"),
            Page(_("Disputes and debts"), "/disputes/", "read.disputes"),
            Page(_("Card control"), "/cards/", "read.cards"),
        ),
    ),
    Group(
        _("Chips and cash"),
        (
            Page(_("Cage"), "/cage/", "read.slips"),
            Page(_("Count room"), "/count-room/", "read.drops"),
            Page(_("Chips of the house"), "/chips/", "read.chips"),
            Page(_("Numbers of the year"), "/cage/numbers/", "read.slips"),
        ),
    ),
    Group(
        _("Books"),
        (
            Page(_("Books"), "/books/", "read.books"),
            Page(_("Shifts"), "/shifts/", "read.books"),
            Page(_("Results by the hour"), "/hours/", "read.floor"),
            Page(_("Luck or leak"), "/luck/", "read.floor"),
            Page(_("Alerts"), "/alerts/", "read.floor"),
            Page(_("Reports"), "/audit/", "report.read", "/seals/"),
        ),
    ),
    Group(
        _("People"),
        (
            Page(_("Duty"), "/duty/", "read.duty"),
            Page(_("Incidents"), "/incidents/", "incident.read"),
            Page(_("Surveillance log"), "/surveillance/", "surveillance.read"),
        ),
    ),
)
# What a page's own links ask for.
_LINKS: Final = {"rules": "read.rules", "disputes": "read.disputes", "books": "read.books"}


def bar_of(author: Author, path: str) -> Iterator[Group]:
    """Give the groups with the pages that this person may see; the page at `path` is marked."""
    addresses = [page.address for group in BAR for page in group.pages if page.is_at(path)]
    here = max(addresses, key=len, default="")
    for group in BAR:
        pages = tuple(
            replace(page, here=page.address == here) for page in group.pages if access.may_somewhere(author, page.deed)
        )
        if pages:
            yield Group(group.name, pages)


def navigation(request: HttpRequest) -> dict[str, object]:
    """Say, for every page, what its bar holds and which links it may show; nothing is asked until a page asks."""

    def author() -> Author | None:
        return queries.author_of_user(request.user.pk)

    def bar() -> list[Group]:
        found = author()
        return [] if found is None else list(bar_of(found, request.path))

    def may() -> dict[str, bool]:
        found = author()
        return {link: found is not None and access.may_somewhere(found, deed) for link, deed in _LINKS.items()}

    return {"may": SimpleLazyObject(may), "bar": SimpleLazyObject(bar)}
