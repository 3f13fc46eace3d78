"""What the floor is watched by: a house's marks, and the alerts that stay until somebody has seen them."""

from django.db import models
from django.db.models import Q

from tables.models.house import Casino, Table
from tables.models.kinds import Fact, Work


class FloorMarks(Fact):
    """From where on a figure of a house's floor wants a look (`tables.marks`); the highest number holds."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="floor_marks")
    number = models.PositiveIntegerField()
    low_float_times = models.PositiveIntegerField()
    big_win_times = models.PositiveIntegerField()
    turns_stuss = models.PositiveIntegerField()
    turns_private = models.PositiveIntegerField()
    turns_stos = models.PositiveIntegerField()
    turns_pharaon = models.PositiveIntegerField()
    slow_percent = models.PositiveIntegerField()
    fast_percent = models.PositiveIntegerField()
    dealer_minutes = models.PositiveIntegerField()
    silent_seconds = models.PositiveIntegerField()
    author = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="floor_marks_number_unique"),
            models.CheckConstraint(
                condition=Q(
                    big_win_times__gt=0,
                    turns_stuss__gt=0,
                    turns_private__gt=0,
                    turns_stos__gt=0,
                    turns_pharaon__gt=0,
                    slow_percent__lt=100,
                    fast_percent__gt=100,
                    dealer_minutes__gt=0,
                    silent_seconds__gte=15,
                ),
                name="floor_marks_possible",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.casino_id}/{self.number}"


class Alert(Work):
    """Something that wanted a look: of a table, or of the house. It stays until somebody has seen it.

    `key` names what it is about, so that the same thing is told once: a bet, a dispute; of a state, when it began.
    `over_at`: when the state ended by itself; an alert about something that happened is over when it is raised.
    """

    casino = models.ForeignKey(Casino, models.CASCADE, related_name="alerts")
    table = models.ForeignKey(Table, models.CASCADE, null=True, related_name="alerts")
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=80)
    level = models.CharField(max_length=5)
    value = models.BigIntegerField(null=True)
    limit = models.BigIntegerField(null=True)
    since = models.DateTimeField(null=True)
    raised_at = models.DateTimeField()
    over_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField(null=True)
    seen_by = models.CharField(max_length=16, blank=True)
    seen_name = models.CharField(max_length=120, blank=True)
    note = models.CharField(max_length=500, blank=True)

    class Meta(Work.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["casino", "table", "kind", "key"], nulls_distinct=False, name="alert_told_once"
            ),
            models.UniqueConstraint(
                fields=["casino", "table", "kind"],
                condition=Q(over_at=None),
                nulls_distinct=False,
                name="alert_one_of_a_state",
            ),
            models.CheckConstraint(condition=Q(level__in=["red", "amber"]), name="alert_level"),
            models.CheckConstraint(
                condition=Q(seen_at=None, seen_by="", note="") | (Q(seen_at__isnull=False) & ~Q(seen_by="")),
                name="alert_seen_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["casino"], condition=Q(seen_at=None), name="alert_unseen"),
            models.Index(fields=["table"], condition=Q(seen_at=None) | Q(over_at=None), name="alert_open"),
            models.Index(fields=["casino", "raised_at"], name="alert_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
