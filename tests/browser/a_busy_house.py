"""A house in which something of everything has happened, so that no page of the books is empty. It asserts nothing."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tables.actions import cage, cards, disputes, door, movements, notes, people, players
from tests.database.remembered import remembered
from tests.tables.a_cage import Cage, a_cage, buy_in
from tests.tables.a_game import bet, card
from tests.tables.a_house import PASSWORD, PIN

LONG = "It lasted from the second deal until the last; both dealers saw it, and nobody had called the inspector. " * 4


@dataclass
class BusyHouse:
    """The house, and what pages are asked for by."""

    table: Cage
    slip: uuid.UUID
    dispute: uuid.UUID
    open_dispute: uuid.UUID
    day: str

    def pages(self) -> dict[str, tuple[str, ...]]:
        """Addresses, by who looks at them."""
        of_manager = (
            "/float/", "/float/S/", "/float/A/", "/float/S/1/movements/1/", "/float/S/1/movements/2/", "/limits/S/",
            "/players/", "/disputes/", f"/disputes/{self.dispute}/", f"/disputes/{self.open_dispute}/", "/alerts/",
            "/cards/?serial=AA-1001", "/cage/", f"/cage/slips/{self.slip}/", "/cage/numbers/", "/count-room/",
            "/chips/",
            f"/books/?gaming_date={self.day}", "/books/S/1/", "/books/S/1/deals/1/", f"/shifts/?gaming_date={self.day}",
            "/duty/", "/incidents/", "/me/",
        )  # fmt: skip
        cage = ("/cage/", "/chips/")
        return {
            "S-1": of_manager,
            "I-1": ("/float/S/",),
            "V-1": ("/surveillance/",),
            "N-1": ("/count-room/",),
            "K-1": cage,
        }


@remembered
def a_busy_house() -> BusyHouse:
    """Play a shift in which chips and cash are short, a fill was wrong, a turn is disputed and a card was corrected."""
    table = a_cage()
    casino, now = table.house.casino_id, datetime.now(UTC)
    with transaction.atomic():
        user = get_user_model().objects.create_user("V-1", password=PASSWORD)
        staff = people.hire(casino_id=casino, number="V-1", name="V", language="en", user_id=user.pk, by=None, now=now)
        people.appoint(staff_id=staff, role="surveillance", pit_id=None, by=None, now=now)
        table.house.staff["V-1"] = staff
        # Yesterday's opening of table A plays on: it is to be rolled over.
        yesterday = [{"type": "opener", "chips": {"1000": 30}, "inspector": "I-1"}]
        door.record_for_house("A", door.vouch(yesterday, author="D-1", happened_at=now - timedelta(days=1)))
    casino_cards: dict[str, Any] = {"author": table["K-1"], "second": table["S-1"], "now": now}
    cards.receive_decks(casino, [f"AA-{number}" for number in range(1001, 1007)], 52, **casino_cards)
    served: dict[str, Any] = {"author": table["S-1"], "second": table["I-1"], "now": now}
    cards.move_decks(casino, ["AA-1001", "AA-1002"], "in_service", table="S", reason="", **served)
    cards.move_decks(casino, ["AA-1001"], "retained", table="", reason="a nick on the QH", **served)

    table.open(c1000=80, c500=40)
    tablet = table.tablet()
    players.sit("S", 1, "the Colonel <b>of</b> Saint-Petersburg & his friends", author=table["D-1"], now=now)
    tablet.send(
        buy_in("20000", c1000=20),
        {"type": "deal", "deal": "1"},
        bet("a", 1, "Q", "4000"), bet("b", 2, "K", "500"), bet("c", 3, "9", "10000"),
        {"type": "bet", "bet": "d", "seat": 3, "suit": "S", "amount": "1000"},
        card("KS"), card("QH"), card("2S"), card("9S"), card("7D"), card("7C"),
        {"type": "end"},
    )  # fmt: skip
    (asked,) = tablet.send({"type": "correct", "reason": "it was a jack", "cards": {"2": "JH"}})
    decision = {"decision": "approve", "pin": PIN["I-1"]}
    table.house.session("I-1").post(f"/api/approvals/{asked['id']}", decision, format="json")
    dispute = disputes.open_dispute(
        "S",
        id=uuid.uuid4(),
        author=table["D-1"],
        now=now,
        deal="1",
        turn=1,
        bet="b",
        reason="he says the nine",
    )
    disputes.rule(
        dispute.id, amount_minor=100_000, reason=LONG, author=table["P-1"], approver=table["S-1"], now=now
    )  # fmt: skip
    undecided = disputes.open_dispute("S", id=uuid.uuid4(), author=table["D-1"], now=now, reason=LONG)
    movements.correct_movement(
        "S",
        1,
        2,
        buy_in("18000", c1000=19),
        id=uuid.uuid4(),
        known=0,
        reason="he had given eighteen, and was handed one too many",
        author=table["P-1"],
        approver=table["S-1"],
        now=now,
    )
    slip = table.fill(c1000=50)
    cage.correct_slip(
        slip.id,
        {"1000": 45},
        correction_id=uuid.uuid4(),
        known=0,
        reason="the tray held five fewer",
        author=table["K-1"],
        approver=table["S-1"],
        now=now,
    )
    table.credit(c500=40)
    void = table.request("fill", c100=5).id
    cage.issue_slip(void, author=table["K-1"], now=now)
    cage.void_slip(void, reason="wrong table", author=table["K-2"], approver=table["S-1"], now=now)
    cage.issue_slip(table.request("fill", c100=7).id, author=table["K-1"], now=now)
    table.request("credit", c1000=3)
    table.drop({100_000: 19, 50_000: 1}, box="BOX-7")
    table.close(c1000=95)
    table.open(c1000=94, c500=1)
    table.drop(box="BOX-8-OF-THE-MAIN-PIT-WITH-A-LONG-NAME-0")
    told: dict[str, Any] = {"table": "S", "about": None, "now": now, "happened_at": now}
    for kind, by in (("incident", "I-1"), ("surveillance", "V-1")):
        notes.write_note(casino, kind, LONG, id=uuid.uuid4(), author=table[by], **told)
    return BusyHouse(table, slip.id, dispute.id, undecided.id, table.books().gaming_date.isoformat())
