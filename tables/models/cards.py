"""Card control: decks with their serials, from the day they are received until they are destroyed; and their counts.

Facts of the casino's journal. Never which card lies where in a shoe: nobody knows that (C-3).
"""

from django.db import models
from django.db.models import F, Q

from tables.models.house import Casino, Table
from tables.models.kinds import Fact

STATES = ("received", "in_service", "retired", "retained", "destroyed")


class Deck(Fact):
    """A deck of cards of the house, under the serial on its seal."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="decks")
    serial = models.CharField(max_length=40)
    size = models.PositiveSmallIntegerField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "serial"], name="deck_serial_unique"),
            models.CheckConstraint(condition=Q(size__in=[52, 36, 32]) & ~Q(serial=""), name="deck_size"),
        ]

    def __str__(self) -> str:
        return self.serial


class DeckStep(Fact):
    """What became of a deck, by two; the highest number says where it is. `table`: where it is in service."""

    deck = models.ForeignKey(Deck, models.PROTECT, related_name="steps")
    number = models.PositiveSmallIntegerField()
    step = models.CharField(max_length=10)
    table = models.ForeignKey(Table, models.PROTECT, null=True, related_name="+")
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200)
    done_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deck", "number"], name="deck_step_number_unique"),
            models.UniqueConstraint(fields=["deck", "step"], condition=~Q(step="in_service"), name="deck_step_once"),
            models.CheckConstraint(
                condition=Q(step="in_service", table__isnull=False)
                | Q(step__in=["received", "retired", "retained", "destroyed"], table__isnull=True),
                name="deck_step_place",
            ),
            models.CheckConstraint(condition=~Q(second="") & ~Q(author=F("second")), name="deck_step_by_two"),
        ]
        indexes = [models.Index(fields=["done_at"], name="deck_step_by_time")]

    def __str__(self) -> str:
        return f"{self.deck_id} {self.step}"


class DeckCount(Fact):
    """Decks counted by two on a gaming day, in one state: how many there should have been, and how many there were."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="deck_counts")
    gaming_date = models.DateField()
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10)
    expected = models.PositiveIntegerField()
    counted = models.PositiveIntegerField()
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200)
    counted_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number", "state"], name="deck_count_unique"),
            models.CheckConstraint(
                condition=Q(state__in=["received", "in_service", "retired", "retained"]) & ~Q(author=F("second")),
                name="deck_count_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gaming_date}/{self.number} {self.state}"
