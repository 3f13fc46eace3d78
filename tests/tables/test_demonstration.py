"""The demonstration house: built once, never beside a real one, and open for play with what it prints."""

import io

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from tables.actions import house as floor
from tables.models import Casino, Staff, Table
from tables.models.people import Role

pytestmark = pytest.mark.django_db


def seeded() -> str:
    out = io.StringIO()
    call_command("seed", stdout=out, stderr=out)
    return out.getvalue()


def test_what_it_prints_opens_every_log_in_and_every_console():
    told = [line.split() for line in seeded().splitlines() if line.startswith("  ")]
    people = {words[0]: words for words in told if words[0][1] == "-"}
    tokens = {words[0]: words[1] for words in told if words[0] not in people}
    assert sorted(tokens) == ["Pharaon-1", "Private-1", "Stos-1", "Stuss-1"]
    assert {words[1] for words in people.values()} == set(Role.values)
    for number, words in people.items():
        assert APIClient().login(username=number, password=words[3]), number
    for number, (table, token) in zip(("D-01", "D-02", "D-03", "D-04"), tokens.items(), strict=True):
        device = APIClient()
        device.credentials(HTTP_AUTHORIZATION=f"Device {token}")
        body = {"staff": number, "pin": people[number][5]}
        assert device.post(f"/api/tables/{table}/signons", body, format="json").status_code == 201


def test_a_second_start_changes_nothing_and_shows_no_token_again():
    seeded()
    again = seeded()
    assert Casino.objects.get().demonstration
    assert (Table.objects.count(), Staff.objects.count()) == (4, 18)
    assert again.count("given before; a new one: manage.py issue_token --table") == 4


def test_beside_a_real_casino_nothing_is_built():
    floor.create_casino(code="real", name="Real", currency="RUB")
    assert seeded() == "This database holds another casino: no demonstration is built beside it.\n"
    assert not Staff.objects.exists()


def test_a_token_is_printed_alone_and_opens_its_table_alone():
    seeded()
    out, told = io.StringIO(), io.StringIO()
    call_command("issue_token", table="Stuss-1", stdout=out, stderr=told)
    assert told.getvalue() == "Token of device console-Stuss-1-1; it cannot be shown again:\n"
    device = APIClient()
    device.credentials(HTTP_AUTHORIZATION=f"Device {out.getvalue().strip()}")
    assert device.get("/api/tables/Stuss-1/staff").status_code == 200
    assert device.get("/api/tables/Stos-1/staff").status_code == 403
