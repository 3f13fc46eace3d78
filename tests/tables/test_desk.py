"""Several devices at one table: who enters the cards, what a card waits for, what was paid otherwise."""

import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from tables import tokens
from tables.actions import alerts, console, people
from tables.models import Entry, Heard, Mispay, Proposal, Staff, TableHead
from tests.tables.a_game import Tablet, a_game, a_tablet, bet, card, statuses
from tests.tables.a_house import PIN, T0

pytestmark = pytest.mark.django_db

NEW_DEAL = {"type": "deal", "deal": "1"}
DOWN = {"type": "bets_down"}
CONFIRM = {"type": "confirm"}


def controllers(dealer: Tablet) -> Tablet:
    """A second tablet at the table, with the bet controller, who knows the last card as the dealer does."""
    tablet = a_tablet(dealer.house, dealer.table, "C-1", "tablet-bets")
    tablet.after = dict(dealer.after)
    return tablet


def silent(tablet: Tablet, seconds: float) -> None:
    heard_at = timezone.now() - timedelta(seconds=seconds)
    assert Heard.objects.filter(device__code=tablet.device).update(heard_at=heard_at) == 1


def waited(tablet: Tablet, event: dict[str, Any], seconds: int, seen: int) -> str:
    """Send an event that waited on its tablet for so long; say how it stands."""
    times = {"at": "2026-01-15T18:00:00Z", "sent_at": f"2026-01-15T18:00:{seconds:02d}Z"}
    return statuses(tablet.post([tablet.envelope(event, seen=seen, **times)]).json()["answers"])[0]


def options(tablet: Tablet, *, bets_down: bool = False, confirm: bool = False, check: int | None = None) -> None:
    house = tablet.house
    people.appoint(staff_id=house.staff["I-1"], role="shift_manager", pit_id=None, by=None, now=T0)
    console.set_options(
        tablet.table,
        bets_down=bets_down,
        confirm=confirm,
        check_minor=check,
        author=house.author("P-1"),
        approver=house.author("I-1"),
        now=timezone.now(),
    )


def sit_down_again(tablet: Tablet, number: str, device: str, **more: Any) -> Tablet:
    """Sign somebody on at another tablet of the table."""
    answer = tablet.house.sign_on(tablet.table, number, device=device, **more)
    assert answer.status_code == 201, answer.content
    return Tablet(
        tablet.house, tablet.table, device, tablet.house.tokens[device], answer.json()["signon"], dict(tablet.after)
    )


# -- the pen


def test_only_the_device_that_holds_the_pen_enters_cards_and_another_takes_it_with_a_pin():
    first = a_game()
    first.send(NEW_DEAL, bet("a", 1, "Q"))
    second = a_tablet(first.house, "S", "D-1", "tablet-2")
    second.after = dict(first.after)

    (refused,) = second.send(card("QS"))
    assert (refused["code"], refused["facts"]) == ("pen_elsewhere", {"device": "tablet-S"})
    assert statuses(second.send(bet("b", 2, "K"))) == ["recorded"]

    third = sit_down_again(second, "D-1", "tablet-2", pen=True)
    assert statuses(third.send(card("QS"))) == ["recorded"]
    assert statuses(first.send(card("KS"))) == ["pen_elsewhere"]


def test_what_the_old_holder_had_recorded_is_answered_as_before_after_the_pen_has_moved():
    first = a_game()
    first.send(NEW_DEAL)
    lost = first.envelope(card("QS"))
    assert statuses(first.post([lost]).json()["answers"]) == ["recorded"]
    a_tablet(first.house, "S", "D-1", "tablet-2")
    sit_down_again(first, "D-1", "tablet-2", pen=True)

    assert statuses(first.post([lost]).json()["answers"]) == ["repeated"]


def test_a_relief_at_another_tablet_brings_the_pen_along_and_only_a_dealer_takes_it():
    first = a_game()
    first.send(NEW_DEAL)
    a_tablet(first.house, "S", "C-1", "tablet-2")
    assert first.house.sign_on("S", "C-1", device="tablet-2", pen=True).json()["code"] == "not_allowed"

    relief = sit_down_again(first, "D-2", "tablet-2", relieve=True)

    assert statuses(relief.send(card("QS"))) == ["recorded"]
    entry = Entry.objects.filter(type="relief").get()
    assert '"pen_from":"tablet-S"' in entry.text


def test_while_the_pen_is_silent_bets_of_other_devices_are_proposals_and_its_own_are_bets():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    controller = controllers(dealer)
    assert statuses(controller.send(bet("a", 1, "Q"))) == ["recorded"]

    silent(dealer, 4)
    (refused,) = controller.send(bet("b", 2, "K"))
    assert (refused["code"], refused["facts"]) == ("pen_silent", {"device": "tablet-S"})
    assert statuses(dealer.send(bet("b", 2, "K"))) == ["recorded"]

    silent(dealer, 1)
    assert statuses(controller.send(bet("c", 3, "K"))) == ["recorded"]


def proposals(tablet: Tablet) -> list[tuple[str, str, bool]]:
    state = tablet.house.client(tablet.device).get("/api/tables/S/state").json()
    return [(each["event"]["bet"], each["author_name"], each["declined"]) for each in state["desk"]["proposals"]]


def test_a_proposal_is_shown_to_the_dealer_until_he_enters_or_declines_it():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    controller = controllers(dealer)
    silent(dealer, 4)
    for event in (bet("a", 1, "Q"), bet("b", 2, "K"), bet("c", 3, "K")):
        assert statuses(controller.send(event)) == ["pen_silent"]
    name = Staff.objects.get(number="C-1").name
    assert proposals(dealer) == [("a", name, False), ("b", name, False), ("c", name, False)]
    before = dealer.house.client(dealer.device).get("/api/tables/S/state").json()

    assert statuses(dealer.send(bet("a", 1, "Q"))) == ["recorded"]
    declined = next(each["id"] for each in before["desk"]["proposals"] if each["event"]["bet"] == "b")
    assert decline(controller, declined).json()["code"] == "not_allowed"  # he has the bets, the dealer the pen
    assert decline(dealer, declined).status_code == 204

    assert proposals(dealer) == [("b", name, True), ("c", name, False)]
    since = f"?since={before['sequence'] + 1}&desk={before['desk']['mark']}"
    assert dealer.house.client(dealer.device).get(f"/api/tables/S/state{since}").status_code == 200  # it is news

    dealer.send({"type": "end"}, {"type": "deal", "deal": "2"})
    controller.after = dict(dealer.after)
    silent(dealer, 4)
    controller.send(bet("a", 1, "Q"))
    assert proposals(dealer) == [("a", name, False)]
    assert Proposal.objects.count() == 1  # the deal before is over, and so is what was proposed in it


def test_a_withdrawal_while_the_pen_is_silent_is_a_proposal_until_the_bet_is_gone():
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q"), {"type": "bet", "bet": "s", "seat": 1, "suit": "H", "amount": "100"})
    dealer.send(card("QS"), card("2S"))
    controller = controllers(dealer)
    silent(dealer, 4)
    gone = {"type": "withdraw", "bet": "s"}
    assert statuses(controller.send(gone)) == ["pen_silent"]
    assert [each[0] for each in proposals(dealer)] == ["s"]
    assert statuses(dealer.send(gone)) == ["recorded"]
    assert proposals(dealer) == []


def decline(tablet: Tablet, proposal: str) -> Any:
    body = {"signon": tablet.signon}
    return tablet.house.client(tablet.device).post(f"/api/tables/S/proposals/{proposal}/decline", body, format="json")


def test_a_poll_of_the_pens_device_is_heard_where_somebody_else_is_at_the_table():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    controller = controllers(dealer)
    silent(dealer, 60)
    state = controller.house.client("tablet-bets").get("/api/tables/S/state").json()
    assert (state["desk"]["pen"], state["desk"]["silent"], state["desk"]["controller"]) == ("tablet-S", True, True)

    since = f"?since={state['sequence']}&desk={state['desk']['mark']}"
    assert controller.house.client("tablet-bets").get(f"/api/tables/S/state{since}").status_code == 204
    dealer.house.client("tablet-S").get(f"/api/tables/S/state{since}")

    again = controller.house.client("tablet-bets").get(f"/api/tables/S/state{since}").json()
    assert again["desk"]["silent"] is False
    assert statuses(controller.send(bet("a", 1, "Q"))) == ["recorded"]


def test_a_card_that_waited_says_which_bets_its_sender_had_not_seen_until_he_has():
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q"))
    seen = TableHead.objects.get(table__code="S").sequence
    controllers(dealer).send(bet("b", 2, "Q"))

    late = dealer.envelope(card("QS"), seen=seen, at="2026-01-15T18:00:00Z", sent_at="2026-01-15T18:00:04Z")
    (refused,) = dealer.post([late]).json()["answers"]
    assert (refused["code"], refused["facts"]) == ("bet_unseen", {"bets": "b"})
    assert waited(dealer, card("QS"), 4, seen + 1) == "recorded"


def test_a_card_that_did_not_wait_counts_a_bet_that_came_just_before_it():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    seen = TableHead.objects.get(table__code="S").sequence
    controllers(dealer).send(bet("b", 2, "Q"))

    assert waited(dealer, card("QS"), 2, seen) == "recorded"


def test_a_claim_made_off_line_is_a_sign_on_from_its_own_moment_once_the_pin_has_said_so():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    claim = Tablet(dealer.house, "S", "tablet-S", dealer.token, tokens.make(), dict(dealer.after))
    waited_since = {"at": "2026-01-15T18:00:30Z", "sent_at": "2026-01-15T18:01:00Z"}
    late = claim.envelope(card("QS"), **waited_since)
    assert statuses(claim.post([late]).json()["answers"]) == ["not_signed_on"]

    asked = {"relieve": True, "claim": claim.signon, "claimed_at": "2026-01-15T18:00:10Z"}
    answer = dealer.house.sign_on("S", "D-2", device="tablet-S", **asked, sent_at="2026-01-15T18:01:00Z")
    assert (answer.status_code, answer.json()["signon"], answer.json()["relieved"]) == (201, claim.signon, ["D-1"])
    assert statuses(claim.post([late]).json()["answers"]) == ["recorded"]

    entry = Entry.objects.get(journal__name="table:S", type="card")
    assert entry.author == "D-2"
    assert 29 < (entry.recorded_at - entry.happened_at).total_seconds() < 31
    again = dealer.house.sign_on("S", "D-2", device="tablet-S", **asked, sent_at="2026-01-15T18:01:00Z")
    assert again.json()["code"] == "already_done"


# -- what a card waits for


def test_with_a_bet_controller_the_card_waits_for_bets_are_down_and_a_later_bet_opens_them_again():
    dealer = a_game()
    options(dealer, bets_down=True)
    dealer.send(NEW_DEAL, bet("a", 1, "Q"))
    assert statuses(dealer.send(card("2S"), card("3S"))) == ["recorded", "recorded"]  # nobody controls the bets

    controller = controllers(dealer)
    assert statuses(dealer.send(card("4S"))) == ["bets_open"]
    controller.send(DOWN, bet("b", 2, "K"))
    assert statuses(dealer.send(card("4S"))) == ["bets_open"]
    controller.send(DOWN)
    assert statuses(dealer.send(card("4S"), card("5S"))) == ["recorded", "recorded"]
    assert statuses(dealer.send(card("6S"))) == ["bets_open"]


def test_bets_are_down_of_another_turn_says_nothing_of_this_one():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    controller = controllers(dealer)
    dealer.send(card("2S"), card("3S"))

    assert statuses(controller.send(DOWN)) == ["wrong_position"]


def test_the_next_card_waits_until_the_turn_is_confirmed_where_something_moved():
    dealer = a_game()
    options(dealer, confirm=True)
    dealer.send(NEW_DEAL, bet("a", 1, "Q"))
    assert statuses(dealer.send(card("2S"), card("3S"), card("QS"))) == ["recorded"] * 3
    assert statuses(dealer.send(CONFIRM)) == ["turn_open"]
    dealer.send(card("4S"))

    assert statuses(dealer.send(card("5S"))) == ["not_confirmed"]
    assert statuses(dealer.send({"type": "end"})) == ["not_confirmed"]
    assert statuses(dealer.send(CONFIRM, card("5S"))) == ["recorded", "recorded"]


def test_a_payment_above_the_check_limit_waits_for_an_inspectors_pin():
    dealer = a_game()
    options(dealer, check=50000)
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), bet("b", 2, "K", "501"))
    dealer.send(card("2S"), card("QS"))
    assert statuses(dealer.send(card("3S"))) == ["recorded"]
    dealer.send(card("KS"))

    (refused,) = dealer.send(card("4S"))
    assert (refused["code"], refused["facts"]) == ("check_needed", {"value": "501", "limit": "500"})
    assert statuses(dealer.send(CONFIRM)) == ["check_needed"]
    assert statuses(dealer.send({"type": "confirm", "inspector": "I-1"})) == ["not_allowed"]
    for number, status in (("D-1", 403), ("I-1", 201)):
        answer = check(dealer, number)
        assert answer.status_code == status, answer.content
    assert statuses(dealer.send(card("4S"))) == ["recorded"]
    kept = Entry.objects.get(journal__name="table:S", type="confirm")
    assert (kept.author, '"inspector":"I-1"' in kept.text) == ("D-1", True)


def check(dealer: Tablet, number: str, **more: Any) -> Any:
    body = {
        "id": str(uuid.uuid4()),
        "signon": dealer.signon,
        "after": dealer.after,
        "signatures": [{"staff": number, "pin": PIN[number]}],
        **more,
    }
    return dealer.house.client(dealer.device).post("/api/tables/S/check", body, format="json")


def test_options_are_set_by_two_over_the_table_and_hold_at_once():
    dealer = a_game()
    house = dealer.house
    client = house.session("P-1")
    body = {"bets_down": True, "confirm": False, "check_minor": 100000}
    signatures = [{"staff": "P-1", "pin": PIN["P-1"]}, {"staff": "I-1", "pin": PIN["I-1"]}]
    assert client.post("/api/tables/S/options", {**body, "signatures": signatures}, format="json").status_code == 403

    people.appoint(staff_id=house.staff["I-1"], role="shift_manager", pit_id=None, by=None, now=T0)
    answer = client.post("/api/tables/S/options", {**body, "signatures": signatures}, format="json")

    assert answer.json() == {**body, "number": 1, "author": "P-1", "approver": "I-1"}
    state = house.client("tablet-S").get("/api/tables/S/state").json()
    assert {name: state["desk"]["options"][name] for name in body} == body


# -- what was shown otherwise than counted, or paid otherwise than shown


def taken(name: str, stake: str, position: int = 1) -> dict[str, Any]:
    amounts = {"stake": stake, "taken": stake, "paid": "0", "returned": "0", "standing": "0"}
    return {"bet": name, "position": position, "outcome": "lose", **amounts}


def differences(tablet: Tablet) -> list[tuple[str, int, int]]:
    """The alerts of the floor about them, the oldest first: how grave, counted, shown."""
    found = tablet.house.session("P-1").get("/api/alerts").json()
    return [(each["level"], each["value"], each["limit"]) for each in found if each["kind"] == "differs"]


def test_what_a_console_had_shown_otherwise_than_the_record_has_it_is_an_alert_of_the_floor_once():
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), bet("b", 5, "Q", "700"))

    def shown(*takes: dict[str, Any]) -> list[dict[str, Any]]:
        return [dealer.envelope(card("QS"), expected={"settlements": [], "takes": list(takes)})]

    off_line = shown(taken("a", "500"))
    for status in ("recorded", "repeated"):  # the answer was lost, and it is sent again
        assert statuses(dealer.post(off_line).json()["answers"]) == [status]
    assert differences(dealer) == [("red", 120000, 50000)]

    refused = dealer.post(shown(taken("a", "500", 2))).json()["answers"]
    assert statuses(refused) == ["wrong_position"]
    assert differences(dealer)[1:] == [("red", 0, 50000)]


def test_what_a_console_had_shown_rightly_is_no_alert_and_the_same_sum_of_another_seat_is_one():
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), bet("b", 5, "K", "500"))

    def sent(text: str, name: str, position: int) -> None:
        rows = {"settlements": [], "takes": [taken(name, "500", position)]}
        answer = dealer.post([dealer.envelope(card(text), expected=rows)]).json()
        assert statuses(answer["answers"]) == ["recorded"]
        dealer.after = answer["after"]

    sent("QS", "a", 1)
    assert differences(dealer) == []
    dealer.send(card("2S"))
    sent("KS", "x", 3)
    assert differences(dealer) == [("red", 50000, 50000)]


def test_what_cannot_be_what_a_console_had_shown_is_no_envelope():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    wrongs: list[Any] = [{}, {"settlements": [], "takes": [{}]}, {"settlements": 1, "takes": []}, []]
    for wrong in wrongs:
        assert dealer.post([dealer.envelope(card("QS"), expected=wrong)]).status_code == 400
    huge = {**taken("a", "9" * 5000), "paid": "nothing"}
    answer = dealer.post([dealer.envelope(card("QS"), expected={"settlements": [huge] * 9, "takes": []})])
    assert statuses(answer.json()["answers"]) == ["recorded"]
    assert differences(dealer) == [("red", 0, 2**53 - 1)]


def test_an_inspector_who_had_seen_another_sum_paid_is_an_alert_of_the_floor():
    dealer = a_game()
    options(dealer, check=10000)
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), card("2S"), card("QS"))

    assert check(dealer, "I-1", paid_minor=50000).status_code == 201
    assert differences(dealer) == []
    assert check(dealer, "I-1", paid_minor=120000).status_code == 201
    assert differences(dealer) == [("red", -50000, -120000)]


def test_mispays_show_a_dealers_errors_both_ways_and_stand_in_the_sealed_record():
    dealer = a_game()
    dealer.send(NEW_DEAL, bet("a", 1, "Q", "500"), bet("b", 2, "K", "500"), bet("c", 3, "Q", "300"))
    dealer.send(card("KS"), card("QS"))

    def mispay(name: str, way: str, shown: str, done: str, recovered: bool = False) -> dict[str, Any]:
        return {"type": "mispay", "bet": name, "way": way, "shown": shown, "done": done, "recovered": recovered}

    answers = dealer.send(
        mispay("a", "pay", "500", "700"),
        mispay("b", "take", "500", "0"),
        mispay("c", "pay", "300", "200"),
        mispay("c", "pay", "300", "1300", recovered=True),
        mispay("c", "pay", "300", "300"),
    )
    assert statuses(answers) == ["recorded", "recorded", "recorded", "recorded", "bad_amount"]
    assert statuses(dealer.send(mispay("z", "pay", "1", "2"))) == ["unknown_bet"]

    assert list(Mispay.objects.order_by("id").values_list("bet__name", "error_minor", "recovered")) == [
        ("a", 20000, False), ("b", 50000, False), ("c", -10000, False), ("c", 100000, True),
    ]  # fmt: skip
    told = dealer.house.session("P-1").get("/api/tables/S/mispays").json()
    assert told["dealers"] == [
        {
            "dealer": "D-1",
            "count": 4,
            "house_lost_minor": 70000,
            "players_lost_minor": 10000,
            "recovered_count": 1,
        }
    ]
    page = " ".join(dealer.house.session("P-1").get("/books/S/1/").content.decode().split())
    assert (
        "Mispays of D-1: 4. The house lost <b>700</b>, the players lost <b>100</b>, put right at the table: 1" in page
    )
    call_command("verify_journal", stdout=StringIO())  # it exits with a finding
    alerts.watch(timezone.now())
    alerted = dealer.house.session("P-1").get("/api/alerts").json()
    assert [(each["level"], each["value"]) for each in alerted if each["kind"] == "mispaid"] == [
        ("red", -20000), ("red", -50000), ("red", 10000), ("amber", -100000),
    ]  # fmt: skip


def test_a_shoe_needs_no_pen():
    dealer = a_game()
    dealer.send(NEW_DEAL)
    shoe = people.issue_device_token(
        casino_id=dealer.house.casino_id,
        kind="shoe",
        table_id=dealer.house.tables["S"],
        code="shoe-S",
        by=None,
        now=T0,
    )
    tablet = Tablet(dealer.house, "S", "shoe-S", shoe.token, "", dict(dealer.after))

    assert statuses(tablet.send(card("QS"))) == ["recorded"]
