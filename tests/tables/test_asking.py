"""What one person signs and a second approves from the floor: it waits, is read before it is decided, and done once."""

import uuid
from typing import Any

import pytest
from django.db import transaction

from tables.actions import cage, people
from tables.models import ApprovalDecision, WaitingDeed
from tables.queries import movements, slips, terms
from tests.tables.a_cage import CAGE_PINS, Cage, a_cage, buy_in
from tests.tables.a_game import bet, card
from tests.tables.a_house import PIN, T0
from tests.tables.test_door_at_once import in_line

pytestmark = pytest.mark.django_db
PINS = PIN | CAGE_PINS


def ask(of: Cage, number: str, address: str, **body: Any) -> Any:
    body |= {"ask": True, "signatures": [{"staff": number, "pin": PINS[number]}]}
    return of.house.session(number).post(f"/api/{address}", body, format="json")


def waiting(of: Cage, number: str = "P-1") -> list[dict[str, Any]]:
    return list(of.house.session(number).get("/api/approvals").json())


def decide(of: Cage, number: str, id: str, decision: str = "approve", pin: str = "") -> Any:
    body = {"decision": decision, "pin": pin or PINS[number]}
    return of.house.session(number).post(f"/api/approvals/{id}", body, format="json")


def tile(of: Cage) -> dict[str, Any]:
    tables = of.house.session("P-1").get("/api/floor").json()["tables"]
    return dict(next(each for each in tables if each["table"] == "S"))


def test_a_count_that_an_inspector_signs_opens_the_table_when_the_pit_boss_approves_it():
    of = a_cage()
    of.open(c1000=40)
    of.close(c1000=40)
    asked = ask(of, "I-1", "tables/S/float/opener", chips={"1000": 39})
    assert asked.status_code == 202, asked.content
    assert (tile(of)["state"], tile(of)["waiting"]) == ("closed", 1)

    (each,) = waiting(of)
    assert each["asked_by"] == "I-1"
    assert {name: each["asked"][name] for name in ("what", "amount_minor", "expected_minor", "pieces")} == {
        "what": "opener", "amount_minor": 3_900_000, "expected_minor": 4_000_000, "pieces": [["1000", 39]],
    }  # fmt: skip
    assert waiting(of, "I-1") == []  # nobody decides what he asked for
    assert decide(of, "P-1", each["id"]).json()["answer"]["status"] == "recorded"

    assert (tile(of)["state"], tile(of)["waiting"], tile(of)["float_minor"]) == ("open", 0, 3_900_000)
    movement = of.books(2)
    assert movement.opener_minor == 3_900_000
    assert of.house.journal()[-1] == ("approval", "P-1")
    assert waiting(of) == []


def test_a_closing_is_approved_and_says_what_should_lie_there():
    of = a_cage()
    of.open(c1000=40)
    id = ask(of, "D-1", "tables/S/float/closer", chips={"1000": 38}).json()["id"]
    (each,) = waiting(of)
    assert (each["asked"]["amount_minor"], each["asked"]["expected_minor"]) == (3_800_000, 4_000_000)
    assert decide(of, "P-1", id).status_code == 200
    assert (tile(of)["state"], of.books().closer_minor) == ("closed", 3_800_000)


def test_a_fill_the_dealer_has_in_hand_is_received_by_the_pit_boss_s_pin():
    of = a_cage()
    of.open(c1000=40)
    id = of.request("fill", c1000=5).id
    cage.issue_slip(id, author=of["K-1"], now=T0)
    assert ask(of, "I-1", f"slips/{id}/received").json()["code"] == "step_missing"  # nobody has carried it
    cage.carry_slip(id, author=of["K-2"], second=None, now=T0)
    approval = ask(of, "I-1", f"slips/{id}/received").json()
    assert (approval["asked"]["kind"], approval["asked"]["slip"]) == ("fill", "F-2026-000001")
    assert approval["asked"]["amount_minor"] == 500_000

    assert decide(of, "P-1", approval["id"]).status_code == 200
    slip = slips.slip(id)
    assert slip is not None
    last = slip.steps[-1]
    assert (last.step, last.author, last.second) == ("received", "I-1", "P-1")
    assert tile(of)["float_minor"] == 4_500_000


def test_a_credit_leaves_the_table_when_it_is_approved_and_a_void_is_for_somebody_who_had_no_part():
    of = a_cage()
    of.open(c1000=40)
    credit = of.request("credit", c1000=10).id
    cage.issue_slip(credit, author=of["K-1"], now=T0)
    assert ask(of, "I-1", f"slips/{credit}/received").json()["code"] == "not_offered"  # the cage's, alone
    assert decide(of, "P-1", ask(of, "I-1", f"slips/{credit}/carried").json()["id"]).status_code == 200
    assert tile(of)["float_minor"] == 3_000_000

    fill = of.request("fill", c1000=5).id
    cage.issue_slip(fill, author=of["K-1"], now=T0)
    assert ask(of, "K-1", f"slips/{fill}/void", reason="").json()["code"] == "bad_line"
    void = ask(of, "K-1", f"slips/{fill}/void", reason="=1+1 wrong table").json()
    assert void["asked"]["reason"] == "=1+1 wrong table"
    assert waiting(of, "I-1") == []  # an inspector makes nothing void
    assert decide(of, "P-1", void["id"]).status_code == 200
    slip = slips.slip(fill)
    assert slip is not None
    assert (slip.state, slip.steps[-1].author, slip.steps[-1].second) == ("void", "K-1", "P-1")


def test_a_received_slip_is_corrected_on_approval_and_shows_both_sums_before():
    of = a_cage()
    of.open(c1000=40)
    slip = of.fill(c1000=10)
    asked = ask(of, "K-1", f"slips/{slip.id}/corrections", chips={"1000": 9}, known=0, reason="one short").json()
    assert (asked["asked"]["amount_minor"], asked["asked"]["expected_minor"]) == (900_000, 1_000_000)
    assert decide(of, "P-1", asked["id"]).status_code == 200
    found = slips.slip(slip.id)
    assert found is not None
    assert (found.standing_minor, found.corrections[-1].approver) == (900_000, "P-1")


def test_a_fill_that_a_dealer_wants_is_asked_of_the_cage_by_whoever_approves_it():
    of = a_cage()
    of.open(c1000=40)
    wanted = {"table": "S", "kind": "fill", "chips": {"1000": 5}}
    signed = {"signatures": [{"staff": "D-1", "pin": PINS["D-1"]}]}
    alone = of.house.session("D-1").post("/api/slips", wanted | signed, format="json")
    assert (alone.status_code, alone.json()["code"]) == (403, "not_allowed")
    asked = ask(of, "D-1", "slips", **wanted).json()
    assert {name: asked["asked"][name] for name in ("what", "kind", "amount_minor", "pieces")} == {
        "what": "request", "kind": "fill", "amount_minor": 500_000, "pieces": [["1000", 5]],
    }  # fmt: skip
    assert tile(of)["slips"] == []
    assert decide(of, "P-1", asked["id"]).status_code == 200
    (slip,) = slips.open_slips()
    assert (str(slip.id), slip.requested_by, slip.state, tile(of)["slips"]) == (
        asked["id"], "P-1", "requested", ["fill requested"],
    )  # fmt: skip


def test_a_slip_written_by_hand_is_entered_when_a_pit_boss_has_approved_it():
    of = a_cage()
    of.open(c1000=40)
    paper = {"table": "S", "kind": "fill", "chips": {"1000": 2}, "paper_number": "B 17", "happened_at": T0.isoformat()}
    asked = ask(of, "K-1", "slips/late", **paper).json()
    assert (asked["asked"]["slip"], asked["asked"]["amount_minor"]) == ("B 17", 200_000)
    assert waiting(of, "I-1") == []  # an inspector vouches for no paper
    assert decide(of, "P-1", asked["id"]).status_code == 200
    (slip,) = slips.latest_slips()
    assert (slip.number, slip.paper_number, slip.late, slip.state) == ("F-2026-000001", "B 17", True, "received")
    assert {each.second for each in slip.steps} == {"P-1"}


def test_a_movement_that_was_written_wrong_is_corrected_on_approval_and_shows_both_before():
    of = a_cage()
    of.open(c1000=40)
    cage.move_chips("S", buy_in("5000", c1000=5), id=uuid.uuid4(), author=of["I-1"])
    said = {"event": {**buy_in("4000", c1000=4), "seat": 2}, "known": 0, "reason": "one note too many"}
    asked = ask(of, "I-1", "books/S/1/movements/2/corrections", **said).json()
    assert {name: asked["asked"][name] for name in ("what", "kind", "slip", "holds", "to_be")} == {
        "what": "movement",
        "kind": "buy_in",
        "slip": "2",
        "holds": {"cash_minor": 500_000, "seat": 1, "came": [], "left": [["1000", 5]], "counted": []},
        "to_be": {"cash_minor": 400_000, "seat": 2, "came": [], "left": [["1000", 4]], "counted": []},
    }
    assert decide(of, "P-1", asked["id"]).status_code == 200
    found = movements.movement_at(of.house.tables["S"], 1, 2)
    assert found is not None
    assert (found.standing.cash_minor, found.corrections[0].author, found.corrections[0].approver) == (
        400_000, "I-1", "P-1",
    )  # fmt: skip


def test_steps_of_slips_wait_for_whoever_may_take_them_now():
    of = a_cage()
    of.open(c1000=40)
    fill, credit = of.request("fill", c1000=5).id, of.request("credit", c1000=1).id

    def due(number: str) -> list[tuple[str, str, str | None]]:
        found = of.house.session(number).get("/api/slips/due").json()
        return sorted((each["kind"], each["step"], each["dealer"]) for each in found)

    assert due("K-1") == [("credit", "issued", None), ("fill", "issued", None)]
    assert due("P-1") == []  # the cage's
    for slip in (fill, credit):
        cage.issue_slip(slip, author=of["K-1"], now=T0)
    assert due("K-1") == []  # who issued a fill does not carry it
    assert due("K-2") == [("fill", "carried", None)]
    assert due("P-1") == [("fill", "carried", None)]  # nobody deals at the table yet
    of.tablet()
    assert due("P-1") == [("credit", "carried", "D-1"), ("fill", "carried", None)]
    assert of.house.session("D-1").get("/api/slips/due").status_code == 403

    cage.carry_slip(fill, author=of["P-1"], second=None, now=T0)
    assert due("P-1") == [("credit", "carried", "D-1"), ("fill", "received", "D-1")]
    ask(of, "I-1", f"slips/{fill}/received")
    assert due("P-1") == [("credit", "carried", "D-1")]  # the other is an approval now
    signed = {"signatures": [{"staff": number, "pin": PINS[number]} for number in ("D-1", "P-1")]}
    answer = of.house.session("P-1").post(f"/api/slips/{credit}/carried", signed, format="json")
    assert (answer.status_code, answer.json()["state"]) == (200, "carried")
    assert due("K-2") == [("credit", "received", None)]
    assert of.house.session("P-1").get("/api/slips/due").json() == []


def test_limits_asked_for_inside_a_deal_wait_until_it_has_ended():
    of = a_cage()
    of.open()
    tablet = of.tablet()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "100"))
    assert ask(of, "P-1", "tables/S/rules/versions", change={"min": "300", "max": "200"}).json()["code"] == "bad_rules"
    asked = ask(of, "P-1", "tables/S/rules/versions", change={"min": "200", "seats": 8}).json()
    assert asked["asked"]["limits"] == [["min", 10_000, 20_000]]
    assert asked["asked"]["others"] == ["seats"]
    assert decide(of, "S-1", asked["id"]).json()["code"] == "deal_not_finished"
    assert [each["id"] for each in waiting(of, "S-1")] == [asked["id"]]

    tablet.send(card("KS"), card("QH"), {"type": "end"})
    assert decide(of, "P-1", asked["id"]).json()["code"] == "not_allowed"  # not his own, and not a pit boss
    assert decide(of, "S-1", asked["id"]).status_code == 200
    holds = terms.versions("S")[0]
    assert (holds.min_minor, holds.seats, holds.author, holds.approver) == (20_000, 8, "P-1", "S-1")


def test_a_refused_asking_changes_nothing_and_is_gone():
    of = a_cage()
    id = ask(of, "I-1", "tables/S/float/opener", chips={"1000": 39}).json()["id"]
    assert decide(of, "P-1", id, pin="000000").json()["code"] == "wrong_pin"
    assert decide(of, "P-1", id, "refuse").json()["answer"]["status"] == "refused"
    assert decide(of, "P-1", id).json()["code"] == "not_allowed"
    assert (tile(of)["state"], waiting(of), WaitingDeed.objects.count()) == ("closed", [], 0)


def test_what_could_not_be_done_now_is_not_asked_for_and_an_id_asks_once():
    of = a_cage()
    refused = [
        ask(of, "I-1", "tables/S/float/closer", chips={"1000": 1}),
        ask(of, "I-1", "tables/S/float/opener", chips={"7": 1}),
        ask(of, "P-1", f"slips/{of.request('fill', c1000=1).id}/issued"),
        ask(of, "D-1", "slips", table="S", kind="fill", chips={"7": 1}),
    ]
    assert [each.json()["code"] for each in refused] == ["table_closed", "unknown_chip", "not_offered", "unknown_chip"]
    assert ask(of, "I-1", "tables/S/rules/versions", change={"min": "200"}).status_code == 403
    id = str(uuid.uuid4())
    assert [ask(of, "I-1", "tables/S/float/opener", id=id, chips={"1000": 9}).status_code for _ in range(2)] == [
        202
    ] * 2
    assert ask(of, "I-1", "tables/S/float/opener", id=id, chips={"1000": 8}).json()["code"] == "id_reused"
    assert len(waiting(of)) == 1


def test_who_has_lost_his_post_meanwhile_opens_nothing():
    of = a_cage()
    id = ask(of, "D-1", "tables/S/float/opener", chips={"1000": 9}).json()["id"]
    with transaction.atomic():
        people.relieve_of_post(
            staff_id=of.house.staff["D-1"], role="dealer", pit_id=of.house.pits["main"], by=None, now=T0
        )  # fmt: skip
    assert decide(of, "P-1", id).json()["code"] == "not_allowed"
    assert tile(of)["state"] == "closed"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_approve_one_opening_at_the_same_moment_one_opens_it():
    of = a_cage()
    id = ask(of, "D-1", "tables/S/float/opener", chips={"1000": 9}).json()["id"]

    both = [lambda number=number: str(decide(of, number, id).json().get("code", "done")) for number in ("I-1", "P-1")]
    assert sorted(in_line(both)) == ["done", "not_allowed"]
    assert ApprovalDecision.objects.count() == 1
    assert of.books().opener_minor == 900_000
