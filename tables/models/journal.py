"""The tamper-evident record: journals, their entries, and the texts that may be erased from them.

The texts that are hashed are made in `tables.journal.chain`, never here.
"""

from django.db import models
from django.db.models import Q

from tables.models.kinds import Erasable, Fact, erases


class Journal(Fact):
    """A chain of entries with a name of its own: `table:<code>` or `casino:<code>`."""

    name = models.CharField(max_length=240, unique=True)

    class Meta(Fact.Meta):
        constraints = [models.CheckConstraint(condition=Q(name__regex=r"^(table|casino):."), name="journal_name")]

    def __str__(self) -> str:
        return self.name


class Entry(Fact):
    """One thing that happened, sealed: `hash` is SHA-256 of `text`, and `text` names the hash before it.

    The other columns repeat what `text` says, for queries; `manage.py verify_journal` compares them.
    """

    pk = models.CompositePrimaryKey("journal_id", "sequence")
    journal = models.ForeignKey(Journal, models.PROTECT, related_name="entries", db_index=False)
    sequence = models.BigIntegerField()
    type = models.CharField(max_length=40)
    author = models.CharField(max_length=200, blank=True)
    recorded_at = models.DateTimeField()
    happened_at = models.DateTimeField()
    late = models.BooleanField()
    hash = models.CharField(max_length=64)
    text = models.TextField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(sequence__gt=0), name="entry_sequence_positive"),
            models.CheckConstraint(condition=Q(hash__regex=r"^[0-9a-f]{64}$"), name="entry_hash"),
        ]
        indexes = [models.Index(fields=["journal", "sequence"], condition=Q(late=True), name="entry_late")]

    def __str__(self) -> str:
        return f"{self.journal_id}#{self.sequence}"


class Text(Erasable):
    """Free text of an entry, which itself carries only SHA-256 of salt and text. Erased: both NULL."""

    journal = models.ForeignKey(Journal, models.PROTECT, related_name="texts", db_index=False)
    sequence = models.BigIntegerField()
    field = models.CharField(max_length=40)
    salt = models.BinaryField(null=True)
    text = models.TextField(null=True)

    class Meta(Erasable.Meta):
        triggers = [*Erasable.Meta.triggers, *erases("salt", "text")]
        constraints = [
            models.UniqueConstraint(fields=["journal", "sequence", "field"], name="text_of_entry_unique"),
            models.CheckConstraint(
                condition=Q(salt__isnull=True, text__isnull=True) | Q(salt__isnull=False, text__isnull=False),
                name="text_erased_with_its_salt",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.journal_id}#{self.sequence}.{self.field}"


class DeedId(Fact):
    """An id made by whoever asked for a deed that a casino's journal keeps, and what it was asked for.

    The same again changes nothing. `sequence` is how far the journal had come when the deed was done.
    """

    id = models.UUIDField(primary_key=True)
    journal = models.ForeignKey(Journal, models.PROTECT, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        pass

    def __str__(self) -> str:
        return str(self.id)
