"""What several devices at one table need beside play: who was heard when, what is proposed, what was paid otherwise.

Never a card, a bet or a settlement.
"""

from django.db import models
from django.db.models import F, Q

from tables.models.chips import TableFact
from tables.models.house import Table
from tables.models.kinds import Fact, Work
from tables.models.people import Device, Staff
from tables.models.play import Bet, Deal


class Heard(Work):
    """When a device was heard last. Kept for one that holds a pen while another device is at its table."""

    device = models.OneToOneField(Device, models.PROTECT, primary_key=True, related_name="heard")
    heard_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.device_id} {self.heard_at}"


class Proposal(Work):
    """A bet, or what becomes of one, that another device sent while the pen was silent: the dealer enters it, or not.

    It has the sender's id. What the dealer has entered is found in the record itself; `declined_at`: he will not.
    """

    id = models.UUIDField(primary_key=True)
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="proposals")
    staff = models.ForeignKey(Staff, models.PROTECT, related_name="+")
    event = models.TextField()
    proposed_at = models.DateTimeField()
    declined_at = models.DateTimeField(null=True)

    class Meta(Work.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(declined_at=None) | Q(declined_at__gte=F("proposed_at")), name="proposal_declined_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deal_id} {self.id}"


class ConsoleOptions(Fact):
    """What a house asks for at a table's console; the highest number holds. Set by two.

    `bets_down`: with a bet controller, the odd card waits for his word. `confirm`: the next card waits until the
    turn is confirmed as collected and paid. `check_minor`: a payment above it is confirmed with an inspector's PIN.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="console_options")
    number = models.PositiveIntegerField()
    bets_down = models.BooleanField()
    confirm = models.BooleanField()
    check_minor = models.BigIntegerField(null=True)
    author = models.CharField(max_length=200)
    approver = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="console_options_number_unique"),
            models.CheckConstraint(
                condition=Q(check_minor__isnull=True) | Q(check_minor__gte=0), name="console_options_check"
            ),
            models.CheckConstraint(condition=~Q(author=F("approver")), name="console_options_by_two"),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class Mispay(TableFact):
    """A bet that was collected or paid otherwise than the console showed; what it cost the house is `error_minor`.

    `recovered`: the chips were put right at the table.
    """

    class Way(models.TextChoices):
        PAY = "pay"
        TAKE = "take"

    bet = models.ForeignKey(Bet, models.PROTECT, related_name="mispays")
    way = models.CharField(max_length=4, choices=Way)
    shown_minor = models.BigIntegerField()
    done_minor = models.BigIntegerField()
    error_minor = models.BigIntegerField()
    recovered = models.BooleanField()
    dealer = models.CharField(max_length=200)

    class Meta(TableFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["opening", "sequence"], name="mispay_sequence_unique"),
            models.CheckConstraint(
                condition=Q(way="pay", error_minor=F("done_minor") - F("shown_minor"))
                | Q(way="take", error_minor=F("shown_minor") - F("done_minor")),
                name="mispay_error",
            ),
            models.CheckConstraint(
                condition=Q(shown_minor__gte=0, done_minor__gte=0) & ~Q(error_minor=0), name="mispay_amounts"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bet_id} {self.error_minor}"
