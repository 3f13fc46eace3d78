"""Disputes, their rulings, and the debts that corrections and rulings leave. Never the play that they are about.

Facts of the casino's journal; what was said and why are texts of their entries, which may be erased.
"""

from functools import reduce
from operator import or_

from django.db import models
from django.db.models import F, Q

from tables.models.chips import MovementCorrection, SlipCorrection
from tables.models.house import Casino, Opening, Table
from tables.models.kinds import Fact
from tables.models.play import Adjustment, Deal


class Dispute(Fact):
    """What was known of a turn when somebody disputed it, frozen.

    `snapshot` is canonical text: cards, bets, the settlements as recorded and as computed again, who stood there;
    `digest` of it is in the journal. `since` and `until` are for whoever looks for the film.
    """

    id = models.UUIDField(primary_key=True)
    casino = models.ForeignKey(Casino, models.PROTECT, related_name="disputes")
    number = models.PositiveIntegerField()
    table = models.ForeignKey(Table, models.PROTECT, related_name="disputes")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="+")
    turn = models.PositiveIntegerField()
    bet = models.CharField(max_length=200, blank=True)
    since = models.DateTimeField()
    until = models.DateTimeField()
    snapshot = models.TextField()
    digest = models.CharField(max_length=64)
    author = models.CharField(max_length=200)
    opened_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="dispute_number_unique"),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$", until__gte=F("since")), name="dispute_frozen"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class Ruling(Fact):
    """How a dispute was decided, once, by two. `amount_minor`: to the player, or (less than 0) from him.

    The money is an event `ruling` at the table, in the opening that it counts in.
    """

    dispute = models.OneToOneField(Dispute, models.PROTECT, primary_key=True, related_name="ruling")
    amount_minor = models.BigIntegerField()
    opening = models.ForeignKey(Opening, models.PROTECT, null=True, related_name="rulings")
    seat = models.PositiveIntegerField(null=True)
    author = models.CharField(max_length=200)
    approver = models.CharField(max_length=200)
    ruled_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(condition=~Q(author=F("approver")), name="ruling_by_two"),
            models.CheckConstraint(
                condition=Q(amount_minor=0, opening__isnull=True) | (~Q(amount_minor=0) & Q(opening__isnull=False)),
                name="ruling_money_counts_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return str(self.dispute_id)


# Where a debt comes from: a clearing names one of these.
_DEBTS = ("adjustment", "ruling", "slip_correction", "movement_correction")


class Clearing(Fact):
    """How a debt ended, once: the adjustment of a correction, what a ruling gave or took, the correction of a
    slip or of a movement.

    What cage and table owe each other is cleared by two, whichever way it ends.
    """

    class How(models.TextChoices):
        PAID = "paid"
        COLLECTED = "collected"
        WRITTEN_OFF = "written_off"
        NEVER_MOVED = "never_moved"

    adjustment = models.OneToOneField(Adjustment, models.PROTECT, null=True, related_name="clearing")
    ruling = models.OneToOneField(Ruling, models.PROTECT, null=True, related_name="clearing")
    slip_correction = models.OneToOneField(SlipCorrection, models.PROTECT, null=True, related_name="clearing")
    movement_correction = models.OneToOneField(MovementCorrection, models.PROTECT, null=True, related_name="clearing")
    how = models.CharField(max_length=11, choices=How)
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200, blank=True)
    cleared_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(
                condition=reduce(or_, (Q(**{f"{each}__isnull": each != debt for each in _DEBTS}) for debt in _DEBTS)),
                name="clearing_of_one_debt",
            ),
            models.CheckConstraint(
                condition=Q(how__in=["paid", "collected"], slip_correction__isnull=True)
                | (Q(how__in=["paid", "collected"]) & ~Q(second="") & ~Q(second=F("author")))
                | (Q(how__in=["written_off", "never_moved"]) & ~Q(second="") & ~Q(second=F("author"))),
                name="clearing_without_money_by_two",
            ),
        ]

    def __str__(self) -> str:
        of = self.adjustment_id or self.ruling_id or self.slip_correction_id or self.movement_correction_id
        return f"{of} {self.how}"
