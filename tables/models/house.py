"""The house: casinos, pits, tables and the numbered versions of what holds at them. Never a deal."""

from django.db import models
from django.db.models import F, Q

from tables.models.journal import Journal
from tables.models.kinds import Fact, Head, MovesOnly, Work


class Casino(Work):
    """A licensed house. Its gaming day starts at `day_start_hour`, local time of `time_zone`."""

    code = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=200)
    licence = models.CharField(max_length=100, blank=True, default="")
    currency = models.CharField(max_length=3)
    time_zone = models.CharField(max_length=64, default="UTC")
    day_start_hour = models.PositiveSmallIntegerField(default=6)
    demonstration = models.BooleanField(default=False)

    class Meta(Work.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(day_start_hour__lte=23), name="casino_day_start_hour"),
            models.CheckConstraint(condition=~Q(code=""), name="casino_code_not_empty"),
        ]

    def __str__(self) -> str:
        return self.name


class Pit(Work):
    """A group of tables under one pit boss."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="pits")
    name = models.CharField(max_length=100)

    class Meta(Work.Meta):
        constraints = [models.UniqueConstraint(fields=["casino", "name"], name="pit_name_unique")]

    def __str__(self) -> str:
        return self.name


class Table(Head):
    """A gaming table. Its code, game and currency are for life; it may be carried to another pit."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="tables")
    pit = models.ForeignKey(Pit, models.PROTECT, related_name="tables", null=True, blank=True)
    code = models.CharField(max_length=200, unique=True)
    name = models.CharField(max_length=200)
    game = models.CharField(max_length=20)
    currency = models.CharField(max_length=40)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("pit", "name")]
        constraints = [
            models.CheckConstraint(condition=Q(game__in=["stuss", "private", "stos", "pharaon"]), name="table_game"),
            models.CheckConstraint(condition=~Q(code=""), name="table_code_not_empty"),
        ]

    def __str__(self) -> str:
        return self.name


class RulesVersion(Fact):
    """What holds at a table from one `table` or `rules` event to the next, and the game built from it.

    `terms` is the canonical text of a whole `table` line; `game_data` that of the built game, which the audit settles
    old deals from. `sequence` is that of the table's journal. `bank_minor`: a player's bank as the event gave it.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="rules_versions")
    number = models.PositiveIntegerField()
    sequence = models.BigIntegerField()
    game = models.CharField(max_length=20)
    currency = models.CharField(max_length=40)
    digits = models.PositiveSmallIntegerField()
    min_minor = models.BigIntegerField()
    max_minor = models.BigIntegerField()
    chip_minor = models.BigIntegerField()
    seats = models.PositiveIntegerField()
    bank_minor = models.BigIntegerField(null=True)
    terms = models.TextField()
    game_data = models.TextField()
    game_digest = models.CharField(max_length=64)
    author = models.CharField(max_length=200, blank=True, default="")
    approver = models.CharField(max_length=200, blank=True, default="")

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="rules_version_number_unique"),
            models.UniqueConstraint(fields=["table", "sequence"], name="rules_version_sequence_unique"),
            models.CheckConstraint(
                condition=Q(chip_minor__gt=0, min_minor__gt=0, seats__gt=0, number__gt=0)
                & Q(max_minor__gte=F("min_minor")),
                name="rules_version_limits",
            ),
            models.CheckConstraint(condition=Q(game_digest__regex=r"^[0-9a-f]{64}$"), name="rules_version_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class Opening(Fact):
    """A table's time from opener to closer; the opener's moment decides the gaming date and the shift.

    `shift` is NULL where it was opened before the house told shifts apart: the first of its day.
    """

    table = models.ForeignKey(Table, models.PROTECT, related_name="openings")
    number = models.PositiveIntegerField()
    sequence = models.BigIntegerField()
    opened_at = models.DateTimeField()
    gaming_date = models.DateField()
    shift = models.PositiveSmallIntegerField(null=True)

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="opening_number_unique"),
            models.UniqueConstraint(fields=["table", "sequence"], name="opening_sequence_unique"),
        ]
        indexes = [models.Index(fields=["gaming_date"], name="opening_gaming_date")]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.number}"


class Closing(Fact):
    """The end of an opening."""

    opening = models.OneToOneField(Opening, models.PROTECT, primary_key=True, related_name="closing")
    sequence = models.BigIntegerField()
    closed_at = models.DateTimeField()

    class Meta(Fact.Meta):
        pass

    def __str__(self) -> str:
        return str(self.opening)


class CasinoHead(Head):
    """The last entry of a casino's journal. Locked before the head of any of its tables."""

    casino = models.OneToOneField(Casino, models.PROTECT, primary_key=True, related_name="head")
    journal = models.OneToOneField(Journal, models.PROTECT, related_name="casino_head")
    sequence = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("sequence", "hash")]

    def __str__(self) -> str:
        return f"{self.casino_id}@{self.sequence}"
