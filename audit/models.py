"""Rows of the audit: requests for reports with their outbox, which are work and prove nothing, and the seals.

What proves something of a report is its SHA-256 in the casino's journal, and of the journals the seals.
"""

from django.db import models
from django.db.models import F, Q

from tables.models import Casino, Table
from tables.models.kinds import Fact, Work


class ReportSeries(Work):
    """The last number given to a kind of report in a year; locked while one is given, so that none is left out."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20)
    year = models.PositiveSmallIntegerField()
    last = models.PositiveIntegerField(default=0)

    class Meta(Work.Meta):
        constraints = [models.UniqueConstraint(fields=["casino", "kind", "year"], name="report_series_unique")]

    def __str__(self) -> str:
        return f"{self.kind} {self.year}: {self.last}"


class Report(Work):
    """A report that somebody asked for, and how far it is.

    Scope: one table or (without) all tables of one currency; of a table one deal, or all of them; all bounded by
    `since` and `until` (when the deal opened, end excluded), or by the gaming date and, in it, by a shift. A bundle
    has a seal, and one table or all. `as_of`: the record is looked at as it stood at that moment.
    `revision` and `stage` are what the finished paper says: 0 and draft while something of the scope was still open;
    else final, in the revision that the shift had when the report was made.
    While it is made, a worker holds it: `lease_holder` until `lease_until`. The file of a finished report is named by
    `file`, relative to the reports' directory; beside it lies the data that it was printed from (`data_sha256`).
    """

    class Kind(models.TextChoices):
        PAYOUT_AUDIT = "payout_audit"
        SHIFT_REPORT = "shift_report"
        BUNDLE = "bundle"

    class Stage(models.TextChoices):
        DRAFT = "draft"
        FINAL = "final"

    class State(models.TextChoices):
        REQUESTED = "requested"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="reports")
    serial = models.CharField(max_length=30, unique=True)
    revision = models.PositiveIntegerField(default=1)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    language = models.CharField(max_length=5)
    currency = models.CharField(max_length=40)
    table = models.ForeignKey(Table, models.PROTECT, null=True, related_name="+")
    deal = models.CharField(max_length=200, blank=True, default="")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    gaming_date = models.DateField(null=True)
    asked_by = models.CharField(max_length=200, blank=True, default="")
    asked_at = models.DateTimeField()
    shift = models.PositiveSmallIntegerField(null=True)
    seal = models.ForeignKey("audit.Seal", models.PROTECT, null=True, related_name="+")
    as_of = models.DateTimeField(null=True)
    # Of a report that the clock asked for: the revision of its shift that it is to be of.
    clock_revision = models.PositiveIntegerField(null=True)
    stage = models.CharField(max_length=5, choices=Stage.choices, default=Stage.FINAL)
    state = models.CharField(max_length=10, choices=State.choices, default=State.REQUESTED)
    attempt = models.PositiveIntegerField(default=0)
    lease_holder = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    pages_done = models.PositiveIntegerField(default=0)
    pages_expected = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField(null=True)
    file = models.CharField(max_length=100, blank=True, default="")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    data_sha256 = models.CharField(max_length=64, blank=True, default="")
    journal_sequence = models.BigIntegerField(null=True)
    problem = models.TextField(blank=True, default="")

    class Meta(Work.Meta):
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done")
                | (
                    Q(sha256__regex=r"^[0-9a-f]{64}$", size__gt=0, finished_at__isnull=False)
                    & Q(journal_sequence__isnull=False)
                    & ~Q(file="")
                ),
                name="report_done_with_its_file",
            ),
            models.CheckConstraint(
                condition=Q(state="running", lease_holder__isnull=False, lease_until__isnull=False)
                | (~Q(state="running") & Q(lease_holder__isnull=True, lease_until__isnull=True)),
                name="report_leased_while_running",
            ),
            models.CheckConstraint(condition=Q(until__gt=F("since")), name="report_until_after_since"),
            models.CheckConstraint(
                condition=Q(shift__isnull=True) | Q(gaming_date__isnull=False), name="report_shift_of_a_day"
            ),
            models.CheckConstraint(condition=Q(deal="") | Q(table__isnull=False), name="report_deal_of_a_table"),
            models.CheckConstraint(
                condition=Q(kind="bundle", seal__isnull=False) | (~Q(kind="bundle") & Q(seal__isnull=True)),
                name="report_bundle_of_a_seal",
            ),
            models.CheckConstraint(
                condition=Q(as_of__isnull=True) | (~Q(kind="bundle") & Q(clock_revision__isnull=True)),
                name="report_as_of_is_asked_for",
            ),
            models.CheckConstraint(
                condition=Q(data_sha256="") | Q(data_sha256__regex=r"^[0-9a-f]{64}$"), name="report_data_sha256"
            ),
            models.UniqueConstraint(
                fields=["casino", "gaming_date", "shift", "kind", "currency", "clock_revision"],
                condition=Q(clock_revision__isnull=False),
                name="report_by_the_clock_once",
            ),
            models.CheckConstraint(
                condition=Q(clock_revision__isnull=True) | Q(shift__isnull=False, table__isnull=True),
                name="report_by_the_clock_of_a_shift",
            ),
        ]
        indexes = [
            models.Index(fields=["state"], condition=Q(state__in=["requested", "running"]), name="report_unfinished"),
            models.Index(fields=["casino", "-id"], name="report_latest"),
        ]

    def __str__(self) -> str:
        return self.serial


class Outbox(Work):
    """A report whose task is to be sent to the broker, or to be sent again: one row until the report is finished.

    `sent_at` empty: not sent yet, or the broker did not take it.
    """

    report = models.OneToOneField(Report, models.CASCADE, primary_key=True, related_name="outbox")
    sent_at = models.DateTimeField(null=True)
    sendings = models.PositiveIntegerField(default=0)

    class Meta(Work.Meta):
        indexes = [models.Index(fields=["sent_at"], name="outbox_sent_at")]

    def __str__(self) -> str:
        return str(self.report)


class FollowUp(Work):
    """An exception of a final report that somebody has to settle, once however many reports name it (`key`).

    What people wrote about it stays in the journals; the row names the report that says it in words. `settled_sequence`
    is the entry of the casino's journal that carries the outcome's note.
    """

    class Outcome(models.TextChoices):
        CORRECTED = "corrected"
        EXPLAINED = "explained"
        LOSS = "loss"
        NO_FAULT = "no_fault"

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="follow_ups")
    key = models.CharField(max_length=64)
    report = models.ForeignKey(Report, models.PROTECT, related_name="follow_ups")
    code = models.CharField(max_length=20)
    table = models.CharField(max_length=200, blank=True, default="")
    deal = models.CharField(max_length=200, blank=True, default="")
    bet = models.CharField(max_length=200, blank=True, default="")
    amount_minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=40, blank=True, default="")
    found_at = models.DateTimeField()
    owner = models.CharField(max_length=16, blank=True, default="")
    due_on = models.DateField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, blank=True, default="")
    settled_at = models.DateTimeField(null=True)
    settled_by = models.CharField(max_length=200, blank=True, default="")
    settled_sequence = models.BigIntegerField(null=True)

    class Meta(Work.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "key"], name="follow_up_once"),
            models.CheckConstraint(
                condition=Q(owner="", due_on__isnull=True) | (~Q(owner="") & Q(due_on__isnull=False)),
                name="follow_up_owner_and_day",
            ),
            models.CheckConstraint(
                condition=Q(outcome="", settled_at__isnull=True, settled_sequence__isnull=True)
                | (~Q(outcome="") & Q(settled_at__isnull=False, settled_sequence__isnull=False)),
                name="follow_up_settled_whole",
            ),
        ]
        indexes = [models.Index(fields=["due_on"], condition=Q(settled_at__isnull=True), name="follow_up_open")]

    def __str__(self) -> str:
        return f"{self.report_id}: {self.code}"


class SealKey(Fact):
    """The public half of a key that seals, announced. `text` is what the key `previous` (the first: itself) signed."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="seal_keys")
    key = models.CharField(max_length=64)
    previous = models.CharField(max_length=64, blank=True)
    announced_at = models.DateTimeField()
    text = models.TextField()
    signature = models.CharField(max_length=128)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "key"], name="seal_key_unique"),
            models.UniqueConstraint(fields=["casino", "previous"], name="seal_key_follows_one"),
            models.CheckConstraint(condition=Q(key__regex=r"^[0-9a-f]{64}$"), name="seal_key_hex"),
            models.CheckConstraint(condition=Q(signature__regex=r"^[0-9a-f]{128}$"), name="seal_key_signature"),
        ]

    def __str__(self) -> str:
        return self.key


class Seal(Fact):
    """How far all journals of a casino had come at one moment, signed. `gaming_date` NULL: made on demand.

    `text` is what is signed and `hash` its SHA-256, which the next seal names; the other columns repeat what it says.
    `sequence` is the entry of the casino's journal that says that it was made.
    """

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="seals")
    number = models.PositiveIntegerField()
    gaming_date = models.DateField(null=True)
    sealed_at = models.DateTimeField()
    key = models.ForeignKey(SealKey, models.PROTECT, related_name="seals")
    root = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    text = models.TextField()
    signature = models.CharField(max_length=128)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="seal_number_unique"),
            models.UniqueConstraint(fields=["casino", "gaming_date"], name="seal_of_day_unique"),
            models.CheckConstraint(condition=Q(number__gt=0), name="seal_number_positive"),
            models.CheckConstraint(condition=Q(hash__regex=r"^[0-9a-f]{64}$"), name="seal_hash"),
            models.CheckConstraint(condition=Q(signature__regex=r"^[0-9a-f]{128}$"), name="seal_signature"),
        ]

    def __str__(self) -> str:
        return f"{self.casino_id}: {self.number}"


class SealHead(Fact):
    """A leaf of a seal's tree: how far one journal had come. `text` is the leaf."""

    seal = models.ForeignKey(Seal, models.PROTECT, related_name="heads")
    position = models.PositiveIntegerField()
    journal = models.CharField(max_length=240)
    sequence = models.BigIntegerField()
    text = models.TextField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["seal", "position"], name="seal_head_position_unique"),
            models.UniqueConstraint(fields=["seal", "journal"], name="seal_head_journal_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.seal_id}: {self.journal}@{self.sequence}"


class SealDelivery(Work):
    """A way by which a seal leaves the database: as a file, or by mail to an address. `done_at` NULL: still to do."""

    class Way(models.TextChoices):
        FILE = "file"
        MAIL = "mail"

    seal = models.ForeignKey(Seal, models.PROTECT, related_name="deliveries")
    way = models.CharField(max_length=4, choices=Way.choices)
    address = models.CharField(max_length=320, blank=True, default="")
    done_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True, default="")

    class Meta(Work.Meta):
        constraints = [models.UniqueConstraint(fields=["seal", "way", "address"], name="seal_delivery_unique")]
        indexes = [models.Index(fields=["seal"], condition=Q(done_at__isnull=True), name="seal_delivery_due")]

    def __str__(self) -> str:
        return f"{self.seal_id}: {self.way} {self.address}"
