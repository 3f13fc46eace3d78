"""What the bank could expect of each turn that was dealt, kept so that nobody computes it twice. It proves nothing.

Everything here follows from the facts of the deal and can be made again from them (`tables.queries.theory`).
"""

from django.db import models
from django.db.models import Q

from tables.models.house import Table
from tables.models.kinds import Work
from tables.models.play import Deal


class TurnOdds(Work):
    """A turn, or the pocket, just before it was dealt, in whole numbers: with n cards undealt and p = n(n - 1) pairs,

    its expectation is mean / p, its variance spread / p², the chance of a split split_ways / p. Minor units.
    `sequence`: how far the table's journal was read; a correction after it makes the row worthless.
    `dealer`: staff number of whoever recorded its last card.
    """

    deal = models.ForeignKey(Deal, models.CASCADE, related_name="odds")
    turn = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    pocket = models.BooleanField()
    sequence = models.BigIntegerField()
    happened_at = models.DateTimeField()
    dealer = models.CharField(max_length=200, blank=True)
    undealt = models.PositiveIntegerField()
    mean = models.DecimalField(max_digits=40, decimal_places=0)
    spread = models.DecimalField(max_digits=80, decimal_places=0)
    split_ways = models.PositiveIntegerField()
    split = models.BooleanField()
    win_minor = models.BigIntegerField()

    class Meta(Work.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deal", "turn"], name="turn_odds_once"),
            models.CheckConstraint(condition=Q(undealt__gt=1, spread__gte=0), name="turn_odds_possible"),
        ]
        indexes = [models.Index(fields=["dealer", "happened_at"], name="turn_odds_of_dealer")]

    def __str__(self) -> str:
        return f"{self.deal_id}/{self.turn}"


class OddsHead(Work):
    """Up to which deal a table's turns have their odds for good, and how far its journal was read for the last one."""

    table = models.OneToOneField(Table, models.CASCADE, primary_key=True, related_name="odds_head")
    deal_number = models.PositiveIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)

    class Meta(Work.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.table_id}: {self.deal_number}"
