"""The door: what a tablet sends is recorded once, whole, in order, or refused without a trace."""

import json
import uuid
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tables import tokens
from tables.actions import door, people
from tables.models import (
    Adjustment,
    Bet,
    Card,
    Correction,
    Deal,
    Deed,
    Device,
    Entry,
    EventId,
    Pit,
    Settlement,
    SignOn,
    TableHead,
    Text,
    WaitingCorrection,
)
from tests.tables.a_game import STOS, Tablet, a_game, a_tablet, bet, card, put_up, statuses
from tests.tables.a_house import PIN

pytestmark = pytest.mark.django_db

TRACES = (Adjustment, Bet, Card, Correction, Deal, Deed, EventId, Settlement, Text, WaitingCorrection)


def traces() -> list[Any]:
    """Everything that an event at the table could leave."""
    head = TableHead.objects.values().get(table__code="S")
    return [head, Entry.objects.count(), *(model._default_manager.count() for model in TRACES)]


def test_bets_cards_and_what_they_settle_are_recorded_in_order_with_a_receipt_each():
    tablet = a_game()
    answers = tablet.send(
        {"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), bet("b", 2, "K"), card("QS"), card("KH")
    )
    assert [(answer["status"], answer["sequence"]) for answer in answers] == [
        ("recorded", 3), ("recorded", 4), ("recorded", 5), ("recorded", 6), ("recorded", 7),
    ]  # fmt: skip
    assert answers[3]["takes"] == [
        {
            "deal": "1", "turn": 1, "position": 1, "bet": "a", "seat": 1, "outcome": "lose",
            "stake": "500", "paid": "0", "taken": "500", "returned": "0", "standing": "0",
        }
    ]  # fmt: skip
    assert answers[4]["settlements"] == [
        *answers[3]["takes"],
        {
            "deal": "1", "turn": 1, "position": 2, "bet": "b", "seat": 2, "outcome": "win",
            "stake": "100", "paid": "100", "taken": "0", "returned": "200", "standing": "0",
        },
    ]  # fmt: skip
    head = TableHead.objects.get(table__code="S")
    assert (head.sequence, head.hash) == (7, answers[4]["hash"])


def test_events_before_a_refused_one_stay_and_those_after_it_are_not_tried():
    tablet = a_game()
    answers = tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"), bet("b", 1, "Q"), bet("c", 1, "K"))
    assert statuses(answers) == ["recorded", "recorded", "second_bet", "not_tried"]
    assert list(Bet.objects.values_list("name", flat=True)) == ["a"]


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"type": "bet", "bet": "b", "seat": 11, "rank": "K"}, "bad_seat"),
        ({"type": "bet", "bet": "b", "seat": 1, "rank": "K", "amount": "50"}, "below_minimum"),
        ({"type": "bet", "bet": "b", "seat": 1, "rank": "K", "by": "D-7"}, "bad_line"),
        ({"type": "bet", "bet": "b", "seat": 1.0, "rank": "K"}, "bad_line"),
        ({"type": "deal", "deal": "1"}, "duplicate_deal"),
        ({"type": "card", "card": "1S"}, "bad_card"),
        ({"type": "table", **STOS}, "not_allowed"),
        ({"type": "rules", "min": "200"}, "not_allowed"),
        ({"type": "close"}, "deal_not_finished"),
        ({"type": "open"}, "not_offered"),
        ({"type": "resume"}, "not_offered"),
        ({"type": "what"}, "bad_line"),
        ({"type": ["card"]}, "bad_line"),
        ({"type": "bet", "bet": "\ud800", "seat": 1, "rank": "K"}, "bad_line"),
        ({"type": "bet", "bet": "b" * 201, "seat": 1, "rank": "K"}, "bad_line"),
        ({"type": "rules", "rules": json.loads("[" * 700 + "]" * 700)}, "bad_line"),
    ],
)
def test_a_refused_event_leaves_no_trace(event: dict[str, Any], code: str):
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"))
    before = traces()
    assert statuses(tablet.send(event)) == [code]
    assert traces() == before


def test_a_message_that_did_not_know_the_last_card_lands_in_no_other_turn():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, card("2C"), card("3C"))
    for after in (
        {"deal": "1", "position": 0, "take_backs": 0},
        {"deal": "1", "position": 2, "take_backs": 1},
        {"deal": "2", "position": 2, "take_backs": 0},
        None,
    ):
        answers = tablet.post([tablet.envelope(bet("a", 1, "Q"), after=after)]).json()["answers"]
        assert statuses(answers) == ["wrong_position"]
    assert statuses(tablet.send(bet("a", 1, "Q"))) == ["recorded"]


def test_the_same_id_with_the_same_content_is_answered_as_before_and_with_other_content_refused():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"), card("QS"))
    even = tablet.envelope(card("KH"))
    (first,) = tablet.post([even]).json()["answers"]
    (again,) = tablet.post([{**even, "device_seq": 99, "sent_at": "2026-01-15T19:00:00Z"}]).json()["answers"]
    assert again == {**first, "status": "repeated"}
    other = {**even, "event": card("KD")}
    assert statuses(tablet.post([other]).json()["answers"]) == ["id_reused"]
    assert Card.objects.count() == 2


def test_a_free_text_is_part_of_what_an_id_stands_for_until_it_is_erased():
    tablet = a_game()
    envelope = tablet.envelope({"type": "deal", "deal": "1", "cut_by": "Ivanov"})
    other = {**envelope, "event": {**envelope["event"], "cut_by": "Petrov"}}
    assert statuses(tablet.post([envelope, envelope, other]).json()["answers"]) == [
        "recorded", "repeated", "id_reused",
    ]  # fmt: skip
    assert statuses(tablet.post([other]).json()["answers"]) == ["id_reused"]
    Text.objects.update(salt=None, text=None)
    assert statuses(tablet.post([other]).json()["answers"]) == ["repeated"], "nobody can tell any more"


def test_one_id_twice_in_one_request_is_one_event():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    envelope = tablet.envelope(card("2C"))
    answers = tablet.post([envelope, envelope]).json()["answers"]
    assert statuses(answers) == ["recorded", "repeated"]
    assert answers[1] == {**answers[0], "status": "repeated"}


def test_a_refused_id_is_not_remembered():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"))
    envelope = tablet.envelope(bet("b", 1, "Q"))
    assert statuses(tablet.post([envelope]).json()["answers"]) == ["second_bet"]
    other = {**envelope, "event": bet("b", 1, "K")}
    assert statuses(tablet.post([other]).json()["answers"]) == ["recorded"]


def test_the_author_comes_from_the_sign_on_and_never_from_the_message():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    assert Entry.objects.filter(type="deal").get().author == "D-1"
    for signon in (None, "", "guessed"):
        answers = tablet.post([tablet.envelope(card("2C"), signon=signon)]).json()["answers"]
        assert statuses(answers) == ["not_signed_on"]
    answers = tablet.post([tablet.envelope(card("2C"), device="tablet-A")]).json()["answers"]
    assert statuses(answers) == ["not_signed_on"]


def test_an_ended_sign_on_still_authors_what_was_queued_before_its_end():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    signon = SignOn.objects.filter(table__code="S")
    signon.update(ended_at=timezone.now() + timedelta(hours=1), ending="off")
    assert statuses(tablet.send(card("2C"))) == ["recorded"]
    signon.update(ended_at=signon.get().started_at)
    assert statuses(tablet.send(card("3C"))) == ["not_signed_on"]
    assert Entry.objects.get(type="card").author == "D-1"


def test_a_wrong_clock_cancels_out_and_what_is_implausible_is_flagged():
    tablet = a_game()
    SignOn.objects.filter(table__code="S").update(ended_at=timezone.now() + timedelta(hours=1), ending="off")
    tablet.send({"type": "deal", "deal": "1"})
    wrong = {"at": "1999-01-01T00:00:00.5+03:00", "sent_at": "1999-01-01T00:00:01+03:00"}
    tablet.post([tablet.envelope(card("2C"), **wrong, after={"deal": "1", "position": 0, "take_backs": 0})])
    future = {"at": "2026-01-15T18:00:09Z", "sent_at": "2026-01-15T18:00:00Z"}
    tablet.post([tablet.envelope(card("3C"), **future, after={"deal": "1", "position": 1, "take_backs": 0})])
    first, second = Entry.objects.filter(type="card").order_by("sequence")
    assert first.recorded_at - first.happened_at in (timedelta(milliseconds=500), timedelta(0))
    assert ("clock_doubted" in json.loads(first.text)) == (first.recorded_at == first.happened_at)
    assert (second.recorded_at, json.loads(second.text)["clock_doubted"]) == (second.happened_at, True)


def test_a_sign_on_taken_on_one_device_is_nobody_on_another():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    other = a_tablet(tablet.house, "S", "C-1", "tablet-C")
    for device in (tablet.device, other.device):
        envelope = tablet.envelope(card("2C"), device=device)
        assert statuses(other.post([envelope]).json()["answers"]) == ["not_signed_on"]


def test_the_cards_of_an_electronic_shoe_carry_the_dealer_signed_on_there():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    with transaction.atomic():
        issued = people.issue_device_token(
            casino_id=tablet.house.casino_id,
            kind="shoe",
            table_id=tablet.house.tables["S"],
            code="shoe-S",
            by=None,
            now=timezone.now(),
        )
    shoe = Tablet(tablet.house, "S", "shoe-S", issued.token, after=tablet.after)
    assert statuses(shoe.post([shoe.envelope(card("2C"), signon=None)]).json()["answers"]) == ["recorded"]
    assert Entry.objects.get(type="card").author == "D-1"
    shoe.after = {"deal": "1", "position": 1, "take_backs": 0}
    assert statuses(shoe.post([shoe.envelope({"type": "end"}, signon=None)]).json()["answers"]) == ["not_signed_on"]
    SignOn.objects.filter(table__code="S").update(ended_at=timezone.now(), ending="off")
    assert statuses(shoe.post([shoe.envelope(card("3C"), signon=None)]).json()["answers"]) == ["not_signed_on"]


def test_what_arrives_late_belongs_to_the_opening_that_contains_the_moment_it_happened():
    tablet = a_game()
    tablet.send({"type": "close"})
    now = timezone.now()
    for event, hours in (({"type": "open"}, 3), ({"type": "close"}, 1)):
        door.record_for_house("S", door.vouch([event], author="P-1", happened_at=now - timedelta(hours=hours)))
    token = tokens.make()
    SignOn.objects.create(
        staff_id=tablet.house.staff["D-2"],
        role="dealer",
        table_id=tablet.house.tables["S"],
        device=Device.objects.get(code=tablet.device),
        token_sha256=tokens.digest(token),
        started_at=now - timedelta(hours=4),
        ended_at=now - timedelta(minutes=30),
        ending="off",
    )
    for minutes, how in ((120, "recorded"), (45, "table_closed"), (20, "not_signed_on")):
        queued = {"at": now.isoformat(), "sent_at": (now + timedelta(minutes=minutes)).isoformat(), "signon": token}
        envelope = tablet.envelope({"type": "deal", "deal": f"{minutes}"}, **queued)
        assert statuses(tablet.post([envelope]).json()["answers"]) == [how]
    entry = Entry.objects.get(type="deal")
    assert (entry.late, entry.author, Deal.objects.get().opening.number) == (True, "D-2", 2)


def test_clocks_at_the_ends_of_the_calendar_are_doubted():
    tablet = a_game()
    ends = {"at": "0001-01-01T00:00:00+14:00", "sent_at": "9999-12-31T23:59:59-12:00"}
    (answer,) = tablet.post([tablet.envelope({"type": "deal", "deal": "1"}, **ends)]).json()["answers"]
    entry = Entry.objects.get(type="deal")
    assert (answer["status"], entry.recorded_at) == ("recorded", entry.happened_at)
    assert json.loads(entry.text)["clock_doubted"] is True


def test_a_bet_controller_places_bets_and_draws_no_cards():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    controller = a_tablet(tablet.house, "S", "C-1", "tablet-C")
    controller.after = tablet.after
    assert statuses(controller.send(bet("a", 1, "Q"))) == ["recorded"]
    assert statuses(controller.send(card("2C"))) == ["not_allowed"]
    assert Entry.objects.get(type="bet").author == "C-1"


def test_no_device_writes_at_another_table_and_no_stranger_anywhere():
    tablet = a_game()
    body = [tablet.envelope({"type": "deal", "deal": "1"})]
    headers = {"Authorization": f"Device {tablet.house.tokens['A']}"}
    path = "/api/tables/S/events"
    json_type = "application/json"
    assert Client().post(path, body, json_type, headers=headers).status_code == 403
    assert Client().post(path, body, json_type).status_code == 401
    assert Client().post(path, body, json_type, headers={"Authorization": "Device x"}).status_code == 401
    assert Deal.objects.count() == 0


def test_what_cannot_be_read_as_envelopes_is_no_answer_but_an_error():
    tablet = a_game()
    good = tablet.envelope({"type": "deal", "deal": "1"})
    for body in (
        "[",
        {"events": [good]},
        [{**good, "id": "7"}],
        [{**good, "at": "yesterday"}],
        [{**good, "more": 1}],
        [{key: value for key, value in good.items() if key != "after"}],
        [{**good, "event": "deal"}],
    ):
        response = tablet.post(body if isinstance(body, str) else json.dumps(body))
        assert (response.status_code, response.json()["code"]) == (400, "bad_line")
    assert tablet.post([good] * 501).status_code == 413
    assert tablet.post([{**good, "device": "x" * 1_000_000}]).status_code == 413


def test_a_key_given_twice_is_a_bad_line_and_the_events_before_it_stay():
    tablet = a_game()
    deal, twice = tablet.envelope({"type": "deal", "deal": "1"}), tablet.envelope(card("2C"))
    text = json.dumps([deal, twice]).replace('"card": "2C"', '"card": "2C", "card": "3C"')
    assert statuses(tablet.post(text).json()["answers"]) == ["recorded", "bad_line"]


def test_a_paused_table_takes_neither_bet_nor_card_and_a_closed_one_no_deal():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    boss = a_tablet(tablet.house, "S", "P-1", "tablet-P")
    assert statuses(boss.send({"type": "pause", "reason": "a chip on the floor"})) == ["recorded"]
    assert statuses(tablet.send(bet("a", 1, "Q"))) == ["paused"]
    assert statuses(boss.send({"type": "resume"})) == ["recorded"]
    assert statuses(tablet.send(bet("a", 1, "Q"), {"type": "end"}, {"type": "close"})) == ["recorded"] * 3
    assert statuses(tablet.send({"type": "deal", "deal": "2"})) == ["table_closed"]
    assert "floor" not in Entry.objects.get(type="pause").text


def test_the_dealer_corrects_an_open_odd_card_alone():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"), card("QS"))
    (answer,) = tablet.send({"type": "correct", "cards": {"1": "KS"}, "reason": "misread"})
    assert answer["status"] == "recorded"
    assert list(Card.objects.order_by("revision").values_list("card", "revision")) == [("QS", 0), ("KS", 1)]
    (answer,) = tablet.send({"type": "correct", "cards": {"1": None}, "reason": "fell from the shoe"})
    assert (answer["status"], tablet.after) == ("recorded", {"deal": "1", "position": 0, "take_backs": 1})
    tablet.send(card("QH"))
    assert list(Card.objects.order_by("revision").values_list("card", "revision")) == [
        ("QS", 0), ("KS", 1), (None, 2), ("QH", 3),
    ]  # fmt: skip


def waiting_correction(tablet: Any) -> tuple[str, dict[str, Any]]:
    """A bet on a queen lost to a queen that was a king."""
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q", "500"), card("QS"), card("2H"))
    envelope = tablet.envelope({"type": "correct", "cards": {"1": "KS"}, "reason": "it was a king"})
    (answer,) = tablet.post([envelope]).json()["answers"]
    assert (answer["status"], answer["code"]) == ("waiting", "approval_needed")
    return envelope["id"], envelope


def decision(tablet: Any, id: str, number: str, verdict: str = "approve") -> Any:
    body = {"decision": verdict, "staff": number, "pin": PIN[number]}
    return tablet.house.client(tablet.device).post(f"/api/approvals/{id}", body, format="json")


def test_a_correction_of_a_settled_turn_waits_and_changes_nothing_until_an_inspector_approves_it():
    tablet = a_game()
    id, envelope = waiting_correction(tablet)
    before = Entry.objects.filter(journal__table_head__table__code="S").count()
    assert statuses(tablet.send(bet("b", 2, "7"))) == ["recorded"], "it stops nothing"
    assert statuses(tablet.post([envelope]).json()["answers"]) == ["approval_needed"]
    other = {**envelope, "event": {**envelope["event"], "reason": "another"}}
    assert statuses(tablet.post([other]).json()["answers"]) == ["id_reused"]
    response = decision(tablet, id, "I-1")
    assert response.status_code == 200, response.content
    assert Entry.objects.filter(journal__table_head__table__code="S").count() == before + 2
    correction = Correction.objects.get()
    assert (correction.author, correction.approver, correction.given) == ("D-1", "I-1", False)
    adjustment = Adjustment.objects.get()
    assert (adjustment.taken_minor, adjustment.standing_minor, adjustment.paid_minor) == (-50000, 50000, 0)
    assert list(Settlement.objects.order_by("revision").values_list("outcome", "taken_minor")) == [
        ("lose", 50000), ("annulled", 0),
    ]  # fmt: skip
    (answer,) = tablet.post([envelope]).json()["answers"]
    assert (answer["status"], answer["adjustments"]) == (
        "repeated",
        [{"bet": "a", "stake": "0", "paid": "0", "taken": "-500", "returned": "0", "standing": "500"}],
    )


def test_who_asked_for_a_correction_does_not_approve_it_and_a_refused_one_stays_refused():
    tablet = a_game()
    id, envelope = waiting_correction(tablet)
    assert decision(tablet, id, "D-1").status_code == 403
    assert decision(tablet, id, "I-1", "refuse").status_code == 200
    assert statuses(tablet.post([envelope]).json()["answers"]) == ["not_allowed"]
    assert Correction.objects.count() == 0
    assert "it was a king" not in WaitingCorrection.objects.get().envelope


def test_an_approved_correction_that_meanwhile_cannot_hold_is_refused_with_the_code_it_gets_now():
    tablet = a_game()
    id, envelope = waiting_correction(tablet)
    tablet.send({"type": "end"}, {"type": "deal", "deal": "2"})
    response = decision(tablet, id, "I-1")
    assert response.status_code == 200, response.content
    assert Correction.objects.count() == 0
    assert statuses(tablet.post([envelope]).json()["answers"]) == ["wrong_position"]


def test_a_correction_that_could_not_be_made_is_refused_at_once_and_waits_for_nobody():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, card("QS"), card("2H"))
    before = traces()
    assert statuses(tablet.send({"type": "correct", "cards": {"7": "KS"}, "reason": "?"})) == ["wrong_position"]
    assert traces() == before


def test_what_is_kept_in_the_process_gives_the_same_as_what_is_rebuilt_from_the_journal():
    kept, rebuilt = [], []
    events = [
        {"type": "deal", "deal": "1"}, bet("a", 1, "Q", "400"), bet("b", 1, "K", "400"),
        {"type": "bet", "bet": "s", "seat": 1, "suit": "S", "amount": "400"}, card("QC"), card("2D"), card("2C"),
        {"type": "correct", "cards": {"3": "3C"}, "reason": "misread"}, card("KC"), {"type": "end"},
    ]  # fmt: skip
    tablet = a_game()
    for event in events:
        kept += tablet.send(event)
    tablet.send({"type": "deal", "deal": "2"}, {"type": "end"})
    for event in [{**event, "deal": "3"} if event["type"] == "deal" else event for event in events]:
        door.ledgers.discard(tablet.house.tables["S"])
        rebuilt += tablet.send(event)
    changing = ("id", "sequence", "hash", "recorded_at")
    strip = [
        json.loads(json.dumps({k: v for k, v in each.items() if k not in changing}).replace('"3"', '"1"'))
        for each in rebuilt
    ]
    assert strip == [
        json.loads(json.dumps({k: v for k, v in each.items() if k not in changing}).replace('"3"', '"1"'))
        for each in kept
    ]


def test_an_id_is_unique_over_the_whole_service():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    envelope = tablet.envelope(card("2C"), id=str(uuid.UUID(int=7)))
    tablet.post([envelope])
    table = put_up({**STOS, "table": "S2"}, Pit.objects.select_related("casino").get(pk=tablet.house.pits["main"]))
    tablet.house.tables["S2"] = table.pk
    other = a_tablet(tablet.house, "S2", "D-2")
    (answer,) = other.post([other.envelope({"type": "deal", "deal": "1"}, id=envelope["id"])]).json()["answers"]
    assert answer["code"] == "id_reused"


def test_a_body_however_large_is_answered_as_too_large():
    tablet = a_game()
    response = tablet.post(b" " * 5_000_000)
    assert (response.status_code, response.json()["code"]) == (413, "batch_too_large")


def test_a_deal_is_read_by_its_name_whatever_signs_it_has():
    tablet = a_game()
    for name in ("1/../2", "Ж/♠", "?x#y", "<img src=x>"):
        tablet.send({"type": "deal", "deal": name}, {"type": "misdeal", "reason": "try"})
        response = Client().get(
            f"/api/tables/S/deals/{quote(name, safe='')}", headers={"Authorization": f"Device {tablet.token}"}
        )
        assert (response.status_code, response.json().get("deal")) == (200, name)


def test_half_a_surrogate_pair_is_refused_wherever_json_is_read():
    tablet = a_game()
    response = Client().post(
        "/api/tables/S/signons",
        b'{"staff": "D-1", "pin": "1234", "role": "\\ud800"}',
        content_type="application/json",
        headers={"Authorization": f"Device {tablet.token}"},
    )
    assert response.status_code == 400
