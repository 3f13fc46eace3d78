"""`manage.py staff`: how a real house gets its people, from the shell, without a secret on the command line."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from tables.models import Staff
from tests.tables.a_house import House, a_house

pytestmark = pytest.mark.django_db


def staff(monkeypatch: pytest.MonkeyPatch, *words: str, typed: str = "") -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "\n"))
    out = io.StringIO()
    call_command("staff", *words, stdout=out)
    return out.getvalue()


def signs_on(house: House, pin: str) -> int:
    body = {"staff": "D-7", "pin": pin}
    return int(house.client("A").post("/api/tables/A/signons", body, format="json").status_code)


def test_a_dealer_is_taken_on_works_in_his_pit_and_leaves(monkeypatch):
    house = a_house()
    staff(monkeypatch, "hire", "d-7", "--name", "Ерлан Абаев", typed="a new dealer's password")
    staff(monkeypatch, "appoint", "d-7", "--role", "dealer", "--pit", "main")
    staff(monkeypatch, "pin", "d-7", typed="472916")
    assert staff(monkeypatch, "list", "d-7") == "D-7\tЕрлан Абаев\tdealer (main)\n"
    assert APIClient().login(username="D-7", password="a new dealer's password")
    assert signs_on(house, "472916") == 201
    staff(monkeypatch, "dismiss", "d-7", "--role", "dealer", "--pit", "main")
    assert signs_on(house, "472916") == 403
    staff(monkeypatch, "leave", "d-7")
    assert not APIClient().login(username="D-7", password="a new dealer's password")
    assert house.journal()[-6:] == [
        ("staff", ""),
        ("post", ""),
        ("pin", ""),
        ("sign_on", "D-7"),
        ("post_ended", ""),
        ("staff_left", ""),
    ]


@pytest.mark.parametrize(
    ("words", "typed", "told"),
    [
        (("hire", "D-1", "--name", "X"), "a long enough password", "Staff number D-1 is taken."),
        (("hire", "D-8", "--name", "X"), "short", "too short"),
        (("pin", "D-1"), "111111", "too easy to guess"),
        (("pin", "D-99"), "472916", "Nobody here has the staff number D-99."),
        (("appoint", "D-1", "--role", "dealer", "--pit", "none"), "", "There is no pit 'none'."),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(monkeypatch, words, typed, told):
    house = a_house()
    before = (Staff.objects.count(), house.journal())
    with pytest.raises(CommandError, match=told):
        staff(monkeypatch, *words, typed=typed)
    assert (Staff.objects.count(), house.journal()) == before
