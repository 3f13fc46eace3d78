"""The one table of who may do what: nothing in the project is outside it."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

import audit
import tables
from tables import access, tablelog
from tables.access import ACCESS, FUNCTIONS, ROLES, URLS, Author, Post, Scope
from tables.api.authentication import deed_of
from tables.models.people import Role
from tables.rules.refusals import Refusal

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def addresses() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every address of the project, as the resolver writes it, and its view."""

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        for pattern in patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, route)
            else:
                yield route, pattern.callback

    yield from walk(get_resolver().url_patterns, "")


def public_functions() -> set[str]:
    """Every public function of the actions of both apps, by its full name."""
    modules = []
    for app in (tables, audit):
        for found in pkgutil.iter_modules(app.__path__):
            if found.name == "actions":
                package = importlib.import_module(f"{app.__name__}.actions")
                modules.append(package)
                modules += [
                    importlib.import_module(f"{package.__name__}.{inner.name}")
                    for inner in pkgutil.iter_modules(getattr(package, "__path__", []))
                ]
    return {
        f"{module.__name__}.{name}"
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


def test_every_address_has_a_row_and_every_row_an_address():
    assert sorted(route for route, _view in addresses()) == sorted(URLS)


def test_every_public_function_of_the_actions_has_a_row_and_every_row_a_function():
    assert public_functions() == set(FUNCTIONS)


def test_every_row_names_a_deed_of_the_table():
    assert set(URLS.values()) | set(FUNCTIONS.values()) <= set(ACCESS)


@pytest.mark.parametrize(("route", "view"), list(addresses()), ids=[route or "/" for route, _view in addresses()])
def test_every_view_asks_for_the_deed_of_its_row(route, view):
    deed = URLS[route]
    drf = getattr(view, "cls", None)
    if drf is not None and hasattr(drf, "permission_classes"):
        methods = [method for method in METHODS if hasattr(drf, method.lower())]
        assert "MayDo" in [permission.__name__ for permission in drf.permission_classes]
        assert deed in {deed_of(drf, method) for method in methods}
        assert all(deed_of(drf, method) in ACCESS for method in methods)
    elif ACCESS[deed].scope is not Scope.PUBLIC:
        assert getattr(view, "deed", None) == deed, f"{route} is not guarded by deed_required({deed!r})"


def test_every_event_of_the_table_log_is_a_deed():
    assert {deed.removeprefix("event.") for deed in ACCESS if deed.startswith("event.")} == set(tablelog._LINES)


def test_the_roles_of_the_table_are_the_roles_of_the_staff():
    assert set(ROLES) == set(Role.values)
    assert set().union(*(row.roles for row in ACCESS.values())) <= set(ROLES)


def holder(role: str, pit: int | None) -> Author:
    return Author(1, "D-1", (Post(role, pit),))


@pytest.mark.parametrize(
    ("role", "held_in", "deed", "pit", "allowed"),
    [
        ("dealer", 1, "event.card", 1, True),
        ("dealer", 1, "event.card", 2, False),
        ("dealer", None, "event.card", 2, True),
        ("dealer", 1, "event.card", None, False),  # a table in no pit is the whole house's
        ("bet_controller", 1, "event.card", 1, False),
        ("bet_controller", 1, "event.bet", 1, True),
        ("inspector", 1, "event.bet", 1, False),
        ("inspector", 1, "approve.correct", 1, True),
        ("dealer", 1, "approve.correct", 1, False),
        ("pit_boss", 1, "rules.change", 1, True),
        ("pit_boss", 1, "rules.change", 2, False),
        ("shift_manager", None, "event.rules", 1, False),
        ("pit_boss", None, "approve.rules", 1, False),
        ("shift_manager", None, "approve.rules", 1, True),
        ("surveillance", None, "event.card", 1, False),
        ("surveillance", None, "read.floor", 1, True),
        ("cage", None, "read.floor", 1, False),
        ("admin", None, "event.card", 1, False),
        ("admin", None, "pin.set", None, True),
        ("admin", 1, "pin.set", 1, False),  # the staff list is the house's, not a pit's
        ("auditor", None, "event.table", None, False),  # from the shell alone
        ("dealer", None, "public", None, True),
    ],
)
def test_who_may_do_what_where(role, held_in, deed, pit, allowed):
    assert access.may(holder(role, held_in), deed, pit) is allowed


def test_what_somebody_may_not_do_is_refused_by_number_and_deed():
    with pytest.raises(Refusal) as refused:
        access.require(holder("dealer", 1), "event.rules", 1)
    assert refused.value.code == "not_allowed"
    assert refused.value.facts == {"staff": "D-1", "deed": "event.rules"}


def test_a_sign_on_does_what_its_role_may_and_nothing_else():
    assert [role for role in ROLES if access.may_as(role, "event.misdeal")] == [
        "dealer",
        "inspector",
        "pit_boss",
        "shift_manager",
    ]
    with pytest.raises(Refusal) as refused:
        access.require_as("inspector", "I-1", "event.card")
    assert refused.value.code == "not_allowed"


def test_a_person_of_two_pits_sees_those_two_and_one_of_the_whole_house_all():
    two = Author(1, "P-1", (Post("pit_boss", 1), Post("pit_boss", 4), Post("dealer", 7)))
    assert access.pits(two, "read.floor") == frozenset({1, 4})
    assert access.pits(holder("pit_boss", None), "read.floor") is None
    assert access.may_somewhere(two, "read.floor")
    assert not access.may_somewhere(holder("cage", None), "read.floor")


def test_every_deed_of_the_table_is_asked_for_somewhere():
    asked = set(URLS.values()) | set(FUNCTIONS.values())
    for route, view in addresses():
        drf = getattr(view, "cls", None)
        if drf is not None and URLS[route] != "public":
            asked |= {deed_of(drf, method) for method in METHODS if hasattr(drf, method.lower())}
    unasked = {deed for deed in ACCESS if not deed.startswith(("event.", "approve."))} - asked
    assert unasked == set()
