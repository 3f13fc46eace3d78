"""Croupiers of the demonstration at all four tables, through the API: their play is recorded and settles the same."""

import io
import json
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone
from rest_framework.test import APIClient

from tables import access, tablelog
from tables.demonstration import house
from tables.demonstration.evening import Call, Evening, Rota, SomebodyElseError
from tables.models import Entry, Settlement

pytestmark = pytest.mark.django_db


def in_this_process(token: str) -> Call:
    """The API without a network."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Device {token}")

    def call(method: str, path: str, body: Any) -> tuple[int, Any]:
        answer = client.generic(method, path, "" if body is None else json.dumps(body), "application/json")
        return answer.status_code, json.loads(answer.content) if answer.content else None

    return call


def evenings(dice: int) -> list[Evening]:
    consoles = house.build(timezone.now())
    rota = Rota(person for person in house.PEOPLE if person.role == access.DEALER)
    inspector = next(person for person in house.PEOPLE if person.role == access.INSPECTOR)
    return [
        Evening(
            in_this_process(str(console.token)),
            table=console.table,
            device=console.device,
            rota=rota,
            inspector=inspector,
            random=Random(f"{dice}-{console.table}"),
            sleep=lambda _seconds: None,
        )
        for console in consoles
    ]


def play(evening: Evening, steps: int) -> None:
    for _step in range(steps):
        evening.step()


def test_what_four_croupiers_play_is_recorded_whole_and_settles_the_same_without_a_database():
    for evening in evenings(dice=5):
        play(evening, 70)
        assert evening.refusals == []
        out = io.StringIO()
        call_command("export_log", evening.table, stdout=out)
        *settled, summary = tablelog.settle(tablelog.lines(out.getvalue()))
        assert isinstance(summary, dict)
        assert summary["turns"] > 10
        recorded = Settlement.objects.filter(deal__table__code=evening.table).exclude(outcome="annulled")
        latest = recorded.order_by("bet", "position", "by_deed", "-revision").distinct("bet", "position", "by_deed")
        result = sum(row.taken_minor - row.paid_minor for row in latest)
        assert Decimal(result) / 100 == Decimal(summary["result"])
        assert len(settled) == len(latest)
        authors = Entry.objects.filter(journal__name=f"table:{evening.table}", type="card").values_list("author")
        assert {number[0] for (number,) in authors} == {"D"}


def test_a_croupier_steps_aside_for_a_person_who_signs_on_as_dealer():
    evening, *_others = evenings(dice=1)
    play(evening, 3)
    visitor = APIClient()
    token = io.StringIO()
    call_command("issue_token", table=evening.table, stdout=token, stderr=io.StringIO())
    visitor.credentials(HTTP_AUTHORIZATION=f"Device {token.getvalue().strip()}")
    body = {"staff": "D-06", "pin": "205793", "relieve": True}
    assert visitor.post(f"/api/tables/{evening.table}/signons", body, format="json").status_code == 201
    with pytest.raises(SomebodyElseError):
        play(evening, 5)
    on_duty = visitor.get(f"/api/tables/{evening.table}/signons").json()
    assert [each["staff"] for each in on_duty if each["role"] == "dealer"] == ["D-06"]
    assert evening.refusals == [(evening.refusals[0][0], "not_signed_on")]
