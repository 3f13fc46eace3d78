"""Shifts of the house: the plans that divide its gaming days, and the closing of each shift. Never a table's play.

A shift itself is no row: it follows from the plan (`tables.calendar`). An opening carries the number of its shift.
"""

from django.db import models
from django.db.models import F, Q

from tables.models.house import Casino, Table
from tables.models.kinds import Fact


class ShiftPlan(Fact):
    """How gaming days from `since_date` on are divided; of those that hold on a day, the highest number decides.

    A house without one has one shift of 24 hours from `Casino.day_start_hour`.
    """

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="shift_plans")
    number = models.PositiveIntegerField()
    since_date = models.DateField()
    author = models.CharField(max_length=200)
    approver = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="shift_plan_number_unique"),
            models.CheckConstraint(condition=~Q(author=F("approver")), name="shift_plan_by_two"),
        ]

    def __str__(self) -> str:
        return f"{self.casino_id}/{self.number}"


class ShiftStart(Fact):
    """When a shift of a plan begins, by the clock on the wall; the first begins the gaming day."""

    plan = models.ForeignKey(ShiftPlan, models.PROTECT, related_name="starts")
    number = models.PositiveSmallIntegerField()
    starts_at = models.TimeField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["plan", "number"], name="shift_start_number_unique"),
            models.UniqueConstraint(fields=["plan", "starts_at"], name="shift_start_unique"),
            models.CheckConstraint(condition=Q(number__gt=0), name="shift_start_number_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.plan_id}: {self.starts_at}"


class ShiftClosing(Fact):
    """The closing of a shift, once. What arrives later amends the shift and says so."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="shift_closings")
    gaming_date = models.DateField()
    shift = models.PositiveSmallIntegerField()
    closed_at = models.DateTimeField()
    author = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "gaming_date", "shift"], name="shift_closed_once"),
            models.CheckConstraint(condition=Q(shift__gt=0), name="shift_closing_number"),
        ]

    def __str__(self) -> str:
        return f"{self.gaming_date}/{self.shift}"


class ShiftClosingTable(Fact):
    """How far the journal of a table had come when a shift was closed: whatever comes after it is late."""

    closing = models.ForeignKey(ShiftClosing, models.PROTECT, related_name="tables")
    table = models.ForeignKey(Table, models.PROTECT, related_name="+")
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [models.UniqueConstraint(fields=["closing", "table"], name="shift_closing_table_unique")]

    def __str__(self) -> str:
        return f"{self.closing_id}: {self.table_id}@{self.sequence}"
