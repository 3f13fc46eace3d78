"""Players as far as the house wants to know them: a number, an alias that may be erased, and where they sat.

No name, no birthday, no document. The alias is a text of the casino's journal, under the entry of its player.
"""

from django.db import models
from django.db.models import Q

from tables.models.house import Casino, Opening
from tables.models.kinds import Fact


class Player(Fact):
    """A player under a number of the house; his alias is the text `alias` of the entry `sequence`."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="players")
    number = models.PositiveIntegerField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="player_number_unique"),
            models.UniqueConstraint(fields=["casino", "sequence"], name="player_sequence_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.casino_id}/{self.number}"


class Sitting(Fact):
    """A player on a seat of an opening, from a moment on."""

    opening = models.ForeignKey(Opening, models.PROTECT, related_name="sittings")
    seat = models.PositiveIntegerField()
    player = models.ForeignKey(Player, models.PROTECT, related_name="sittings")
    sat_at = models.DateTimeField()
    author = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["opening", "seat", "sat_at"], name="sitting_unique"),
            models.CheckConstraint(condition=Q(seat__gt=0), name="sitting_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.opening_id}: {self.player_id} at {self.seat}"


class SittingEnd(Fact):
    """A player leaves his seat, or another takes it."""

    sitting = models.OneToOneField(Sitting, models.PROTECT, primary_key=True, related_name="end")
    left_at = models.DateTimeField()
    author = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.sitting_id} until {self.left_at}"
