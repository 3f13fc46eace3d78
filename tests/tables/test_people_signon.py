"""Signing on, relief and signing off at a table: who is the author of what."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from tables.actions import people
from tables.models import Device, SignOn
from tables.queries import people as queries
from tables.rules.refusals import Refusal
from tests.tables.a_house import T0, House, a_house

pytestmark = pytest.mark.django_db


def live(house: House, table: str) -> list[tuple[str, str]]:
    """Role and number of everybody at a table, longest there first."""
    on_duty = queries.on_duty([house.tables[table]])
    return [(duty.role, duty.number) for duty in on_duty.get(house.tables[table], ())]


def author(house: House, token: str, *, table: str, device: str, minutes: float = 0) -> str:
    """The number that authors what this device sends under this token, so many minutes after T0; or the refusal."""
    try:
        found = queries.author_of_signon(
            queries.signon_of_token(token),
            device_id=Device.objects.get(code=f"tablet-{device}").pk,
            table_id=house.tables[table],
            happened_at=timezone.now() + timedelta(minutes=minutes),
        )
    except Refusal as refusal:
        return str(refusal.code)
    return found.number


def test_a_dealer_signs_on_by_number_and_pin_and_gets_a_token_and_an_entry():
    house = a_house()
    answer = house.sign_on("A", "D-1")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["staff"], body["name"], body["role"], body["relieved"]) == ("D-1", "Name of D-1", "dealer", [])
    assert (len(body["signon"]), body["device"]) == (43, "tablet-A")
    assert live(house, "A") == [("dealer", "D-1")]
    assert house.journal()[-1] == ("sign_on", "D-1")


def test_a_sign_on_of_table_a_is_nobody_at_table_b_or_on_another_device():
    house = a_house()
    token = house.sign_on("A", "D-1").json()["signon"]
    assert author(house, token, table="A", device="A") == "D-1"
    assert author(house, token, table="B", device="A") == "not_signed_on"
    assert author(house, token, table="B", device="B") == "not_signed_on"
    assert author(house, token, table="A", device="A2") == "not_signed_on"
    assert author(house, "made up", table="A", device="A") == "not_signed_on"


def test_an_ended_sign_on_still_authors_what_happened_before_its_end_and_nothing_after():
    house = a_house()
    token = house.sign_on("A", "D-1").json()["signon"]
    answer = house.client("A").delete("/api/tables/A/signons", {"signon": token}, format="json")
    assert answer.status_code == 204
    assert author(house, token, table="A", device="A", minutes=-1) == "D-1"
    assert author(house, token, table="A", device="A", minutes=1) == "not_signed_on"
    assert live(house, "A") == []


def test_a_second_dealer_is_told_who_is_there_and_takes_over_only_as_relief():
    house = a_house()
    first = house.sign_on("A", "D-1").json()["signon"]
    refused = house.sign_on("A", "D-2")
    assert refused.status_code == 403
    assert refused.json() == {
        "code": "not_allowed",
        "message": "Staff D-1 is on duty at this table: sign on as relief.",
        "facts": {"on_duty": "D-1"},
    }
    second = house.sign_on("A", "D-2", relieve=True).json()
    assert second["relieved"] == ["D-1"]
    assert live(house, "A") == [("dealer", "D-2")]
    assert author(house, first, table="A", device="A", minutes=1) == "not_signed_on"
    assert author(house, second["signon"], table="A", device="A", minutes=1) == "D-2"
    assert house.journal()[-1] == ("relief", "D-2")
    relieved = SignOn.objects.get(staff__number="D-1")
    assert relieved.relieved_by is not None
    assert (relieved.ending, relieved.relieved_by.staff.number) == ("relief", "D-2")
    assert relieved.ended_at == relieved.relieved_by.started_at


def test_relief_needs_the_newcomers_pin():
    house = a_house()
    house.sign_on("A", "D-1")
    assert house.sign_on("A", "D-2", relieve=True, pin="000111").json()["code"] == "wrong_pin"
    assert live(house, "A") == [("dealer", "D-1")]


def test_dealer_bet_controller_and_inspector_stand_at_one_table_together():
    house = a_house()
    for number, device in (("D-1", "A"), ("C-1", "A2"), ("I-1", "A")):
        assert house.sign_on("A", number, device=device).status_code == 201
    assert live(house, "A") == [("dealer", "D-1"), ("bet_controller", "C-1"), ("inspector", "I-1")]


def test_a_dealer_with_two_tablets_is_one_person_on_both():
    house = a_house()
    first = house.sign_on("A", "D-1").json()["signon"]
    second = house.sign_on("A", "D-1", device="A2").json()["signon"]
    assert author(house, first, table="A", device="A", minutes=1) == "D-1"
    assert author(house, second, table="A", device="A2", minutes=1) == "D-1"
    assert house.sign_on("A", "D-2", relieve=True).json()["relieved"] == ["D-1"]
    assert live(house, "A") == [("dealer", "D-2")]


def test_a_dealer_who_signs_on_at_another_table_has_left_the_first():
    house = a_house()
    first = house.sign_on("A", "D-1").json()["signon"]
    house.sign_on("B", "D-1")
    assert (live(house, "A"), live(house, "B")) == ([], [("dealer", "D-1")])
    assert author(house, first, table="A", device="A", minutes=1) == "not_signed_on"


def test_an_inspector_watches_two_tables_at_once():
    house = a_house()
    house.sign_on("A", "I-1")
    house.sign_on("Z", "I-1")
    assert (live(house, "A"), live(house, "Z")) == ([("inspector", "I-1")], [("inspector", "I-1")])


@pytest.mark.parametrize(
    ("table", "number", "role"),
    [("Z", "D-1", None), ("A", "C-1", "dealer"), ("A", "D-1", "inspector"), ("Z", "P-1", None)],
    ids=["dealer of another pit", "controller as dealer", "dealer as inspector", "pit boss of another pit"],
)
def test_nobody_signs_on_where_or_as_what_he_has_no_post(table, number, role):
    house = a_house()
    refused = house.sign_on(table, number, **({"role": role} if role else {}))
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
    assert live(house, table) == []


def test_a_tables_device_signs_nobody_on_at_another_table_and_a_loose_one_everywhere():
    house = a_house()
    assert house.sign_on("B", "D-1", device="A").json()["code"] == "not_allowed"
    assert house.sign_on("B", "D-1", device="loose").status_code == 201


def test_a_log_in_is_no_sign_on():
    house = a_house()
    body = {"staff": "P-1", "pin": "263748"}
    answer = house.session("P-1").post("/api/tables/A/signons", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


def test_a_revoked_device_says_nothing_more_and_its_people_are_signed_off():
    house = a_house()
    token = house.sign_on("A", "D-1").json()["signon"]
    people.revoke_device(device_id=Device.objects.get(code="tablet-A").pk, by=house.author("P-1"), now=timezone.now())
    assert house.sign_on("A", "D-1").status_code == 401
    assert live(house, "A") == []
    assert SignOn.objects.get().ending == "revoked"
    assert author(house, token, table="A", device="A", minutes=-1) == "D-1"
    assert house.journal()[-1] == ("device_revoked", "P-1")


def test_a_device_that_gets_a_new_token_keeps_its_sign_on_and_its_old_token_is_dead():
    house = a_house()
    signon = house.sign_on("A", "D-1").json()["signon"]
    renewed = people.issue_device_token(
        casino_id=house.casino_id,
        kind="console",
        table_id=house.tables["A"],
        code="tablet-A",
        by=house.author("P-1"),
        now=timezone.now(),
    )
    assert house.client("A").get("/api/tables/A/signons").status_code == 401
    house.tokens["A"] = renewed.token
    assert house.client("A").get("/api/tables/A/signons").json()[0]["staff"] == "D-1"
    assert author(house, signon, table="A", device="A") == "D-1"


def test_a_device_lists_who_may_sign_on_at_its_table():
    house = a_house()
    listed = house.client("A").get("/api/tables/A/staff").json()
    assert [(person["staff"], person["roles"]) for person in listed] == [
        ("C-1", ["bet_controller"]),
        ("D-1", ["dealer"]),
        ("D-2", ["dealer"]),
        ("I-1", ["inspector"]),
        ("P-1", ["pit_boss"]),
    ]


def test_who_leaves_the_house_leaves_his_table_his_pin_and_his_log_in():
    house = a_house()
    house.sign_on("A", "D-1")
    people.leave(staff_id=house.staff["D-1"], by=house.author("X-1"), now=timezone.now())
    assert live(house, "A") == []
    assert house.sign_on("A", "D-1").json()["code"] == "wrong_pin"
    assert queries.posts_of(house.staff["D-1"]) == ()


def test_a_post_taken_away_ends_the_sign_on_that_rests_on_it_and_no_other():
    house = a_house()
    house.sign_on("A", "D-1")
    house.sign_on("A", "I-1")
    people.relieve_of_post(
        staff_id=house.staff["D-1"],
        role="dealer",
        pit_id=house.pits["main"],
        by=house.author("X-1"),
        now=timezone.now(),
    )
    assert live(house, "A") == [("inspector", "I-1")]


def test_an_administrator_gives_himself_no_post():
    house = a_house()
    with pytest.raises(Refusal) as refused:
        people.appoint(staff_id=house.staff["X-1"], role="pit_boss", pit_id=None, by=house.author("X-1"), now=T0)
    assert refused.value.code == "not_allowed"


@pytest.mark.django_db(transaction=True)
def test_of_two_dealers_who_sign_on_at_the_same_moment_one_is_the_dealer():
    house = a_house()

    def sign_on(number: str) -> int:
        try:
            return int(house.sign_on("A", number, device={"D-1": "A", "D-2": "A2"}[number]).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        for _round in range(5):
            assert sorted(pool.map(sign_on, ("D-1", "D-2"))) == [201, 403]
            assert len(live(house, "A")) == 1
            SignOn.objects.filter(ended_at=None).update(ended_at=timezone.now(), ending="off")
