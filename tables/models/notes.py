"""What people write down of the floor: incidents, and the surveillance log. A correction is a new note."""

from django.db import models
from django.db.models import Q

from tables.models.house import Casino, Table
from tables.models.kinds import Fact


class Note(Fact):
    """A note under a number of the house; what it says is the text `note` of its entry, which may be erased."""

    class Kind(models.TextChoices):
        INCIDENT = "incident"
        SURVEILLANCE = "surveillance"

    id = models.UUIDField(primary_key=True)
    casino = models.ForeignKey(Casino, models.PROTECT, related_name="notes")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind)
    table = models.ForeignKey(Table, models.PROTECT, null=True, related_name="+")
    about = models.ForeignKey("self", models.PROTECT, null=True, related_name="later")
    happened_at = models.DateTimeField()
    written_at = models.DateTimeField()
    author = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="note_number_unique"),
            models.CheckConstraint(condition=Q(kind__in=["incident", "surveillance"]), name="note_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"
