"""Four eyes: what one person asked for, another decides, once, by his PIN."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from tables.actions import people
from tables.models import ApprovalDecision
from tables.queries import people as queries
from tables.rules.refusals import Refusal
from tests.tables.a_house import PIN, T0, House, a_house

pytestmark = pytest.mark.django_db

EVENT = uuid.UUID("6f1c1f0e-0000-4000-8000-000000000001")


def asked(house: House, by: str = "D-1", table: str = "A", deed: str = "correct") -> None:
    with transaction.atomic():
        people.ask_approval(table_id=house.tables[table], deed=deed, event_id=EVENT, author_id=house.staff[by], now=T0)


def decided(house: House, by: str, verdict: str = "approved") -> str:
    """Let a person decide: the verdict that holds, or the code with which he is refused."""
    try:
        with transaction.atomic():
            people.decide(
                approval_id=EVENT, approver=house.author(by), verdict=verdict, device_id=None, now=timezone.now()
            )
    except Refusal as refusal:
        return str(refusal.code)
    return ApprovalDecision.objects.get().verdict


def test_an_inspector_approves_what_a_dealer_asked_for_and_both_are_named():
    house = a_house()
    asked(house)
    assert decided(house, "I-1") == "approved"
    view = queries.approval(EVENT)
    assert view is not None
    assert (view.author, view.approver, view.verdict, view.table) == ("D-1", "I-1", "approved", "A")
    assert house.journal()[-1] == ("approval", "I-1")


def test_nobody_approves_what_he_asked_for_himself():
    house = a_house()
    asked(house, by="P-1")
    assert decided(house, "P-1") == "not_allowed"
    assert not ApprovalDecision.objects.exists()


def test_the_database_itself_lets_no_author_approve():
    house = a_house()
    asked(house, by="P-1")
    with pytest.raises(IntegrityError, match="nobody approves what he asked for himself"):
        ApprovalDecision.objects.create(
            approval_id=EVENT, approver_id=house.staff["P-1"], verdict="approved", decided_at=T0
        )


@pytest.mark.parametrize(
    ("by", "table"),
    [("D-2", "A"), ("C-1", "A"), ("A-1", "A"), ("X-1", "A"), ("P-1", "Z")],
    ids=["dealer", "controller", "auditor", "administrator", "pit boss of another pit"],
)
def test_nobody_approves_whose_posts_do_not_say_so(by, table):
    house = a_house()
    asked(house, by="D-9" if table == "Z" else "D-1", table=table)
    assert decided(house, by) == "not_allowed"


def test_the_first_decision_holds():
    house = a_house()
    asked(house)
    assert decided(house, "I-1", "refused") == "refused"
    assert decided(house, "P-1") == "not_allowed"
    view = queries.approval(EVENT)
    assert view is not None
    assert (view.approver, view.verdict) == ("I-1", "refused")


def test_asking_twice_for_one_event_is_asking_once():
    house = a_house()
    asked(house)
    asked(house)
    assert [view.id for view in queries.waiting_at([house.tables["A"]])] == [EVENT]


def test_what_waits_is_shown_to_those_who_may_decide_it_and_to_nobody_else():
    house = a_house()
    asked(house, by="I-1")
    seen = {number: len(queries.waiting_for(house.author(number))) for number in ("I-1", "P-1", "D-1", "X-1")}
    assert seen == {"I-1": 0, "P-1": 1, "D-1": 0, "X-1": 0}


def test_a_person_at_his_log_in_decides_by_his_own_pin_alone():
    house = a_house()
    asked(house)
    answer = house.session("P-1").post(
        f"/api/approvals/{EVENT}", {"decision": "approve", "staff": "I-1", "pin": PIN["I-1"]}, format="json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")
    answer = house.session("P-1").post(
        f"/api/approvals/{EVENT}", {"decision": "approve", "pin": PIN["I-1"]}, format="json"
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_pin")
    assert not ApprovalDecision.objects.exists()


def test_a_device_decides_nothing_without_a_persons_pin_and_nothing_of_another_table():
    house = a_house()
    asked(house)
    unnamed = house.client("A").post(f"/api/approvals/{EVENT}", {"decision": "approve", "pin": ""}, format="json")
    assert unnamed.status_code == 400
    body = {"decision": "approve", "staff": "I-1", "pin": PIN["I-1"]}
    elsewhere = house.client("B").post(f"/api/approvals/{EVENT}", body, format="json")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (403, "not_allowed")
    assert not ApprovalDecision.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_decisions_at_the_same_moment_one_takes_effect():
    house = a_house()
    asked(house)

    def decide(number: str) -> str:
        try:
            return decided(house, number, {"I-1": "approved", "P-1": "refused"}[number])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        answers = set(pool.map(decide, ("I-1", "P-1")))
    assert answers in ({"approved", "not_allowed"}, {"refused", "not_allowed"})
    assert [type for type, _author in house.journal()].count("approval") == 1
