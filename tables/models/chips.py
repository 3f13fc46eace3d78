"""Chips and cash: what the house has, what moved at a table, slips, the chip bank, drop boxes and their counts.

Facts of a table carry the `sequence` of its own journal, everything else that of the casino's.
"""

from django.db import models
from django.db.models import F, Q

from tables.models.house import Casino, Opening, Table
from tables.models.kinds import Fact, Head, MovesOnly

CHIP = r"^[A-Za-z0-9][A-Za-z0-9.:-]{0,19}$"
COUNTED = ("opener", "closer", "count")
CORRECTED = ("fill_correction", "credit_correction")
# Movements whose own event was wrong. An exchange is of equal value, and so is what it is corrected to, or it is owed.
RECOUNTED = ("opener_correction", "closer_correction", "fee_correction")
REWRITTEN = ("exchange_correction", "tip_exchange_correction")


class Chip(Head):
    """A chip of the house, under the name that the table log gives it. Without a value it is a colour chip."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="chips")
    currency = models.CharField(max_length=40)
    name = models.CharField(max_length=20)
    chip_set = models.CharField(max_length=40)
    value_minor = models.BigIntegerField(null=True)
    sequence = models.BigIntegerField()
    withdrawn_at = models.DateTimeField(null=True)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("withdrawn_at")]
        constraints = [
            models.UniqueConstraint(fields=["casino", "currency", "name"], name="chip_name_unique"),
            models.CheckConstraint(condition=Q(name__regex=CHIP), name="chip_name"),
            models.CheckConstraint(condition=Q(value_minor__isnull=True) | Q(value_minor__gt=0), name="chip_value"),
        ]

    def __str__(self) -> str:
        return self.name


class ChipPolicy(Fact):
    """From which difference on a count is an incident, and how much a residual may be, at the tables of a currency.

    The highest number of a currency holds there. Without one it is of before they were named: of the house's own.
    """

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="chip_policies")
    number = models.PositiveIntegerField()
    currency = models.CharField(max_length=40, blank=True, default="")
    notice_minor = models.BigIntegerField()
    grave_minor = models.BigIntegerField()
    tolerance_minor = models.BigIntegerField()
    author = models.CharField(max_length=200)
    approver = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="chip_policy_number_unique"),
            models.CheckConstraint(
                condition=Q(notice_minor__gt=0, grave_minor__gte=F("notice_minor"), tolerance_minor__gte=0),
                name="chip_policy_amounts",
            ),
            models.CheckConstraint(condition=~Q(author=F("approver")), name="chip_policy_by_two"),
        ]

    def __str__(self) -> str:
        return f"{self.casino_id}/{self.number}"


# -- at a table


class TableFact(Fact):
    """A fact of an opening that is no play."""

    opening = models.ForeignKey(Opening, models.PROTECT, related_name="%(class)ss")
    gaming_date = models.DateField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        abstract = True


class Movement(TableFact):
    """What moved into or out of a table's float beside play, or what a count found in it.

    `slip` is the number of a fill or credit slip, or of the dispute that was ruled on; `second` whoever signed beside
    the entry's author.
    """

    kind = models.CharField(max_length=30)
    seat = models.PositiveIntegerField(null=True)
    slip = models.CharField(max_length=40, blank=True)
    cash_minor = models.BigIntegerField()
    in_minor = models.BigIntegerField()
    out_minor = models.BigIntegerField()
    counted_minor = models.BigIntegerField()
    second = models.CharField(max_length=200, blank=True)

    class Meta(TableFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["opening", "sequence"], name="movement_sequence_unique"),
            models.UniqueConstraint(fields=["opening"], condition=Q(kind="opener"), name="movement_one_opener"),
            models.UniqueConstraint(fields=["opening"], condition=Q(kind="closer"), name="movement_one_closer"),
            models.CheckConstraint(
                condition=Q(kind__in=COUNTED, cash_minor=0, in_minor=0, out_minor=0, counted_minor__gte=0)
                | Q(kind__in=["fill", "fee"], cash_minor=0, in_minor__gt=0, out_minor=0, counted_minor=0)
                | Q(kind="credit", cash_minor=0, in_minor=0, out_minor__gt=0, counted_minor=0)
                | (
                    Q(kind__in=CORRECTED, cash_minor=0, in_minor__gte=0, out_minor__gte=0, counted_minor=0)
                    & (Q(in_minor__gt=0) | Q(out_minor__gt=0))
                )
                | (
                    Q(kind="ruling", cash_minor=0, in_minor__gte=0, out_minor__gte=0, counted_minor=0)
                    & (Q(in_minor=0, out_minor__gt=0) | Q(in_minor__gt=0, out_minor=0))
                )
                | Q(kind__in=RECOUNTED, cash_minor=0, in_minor__gte=0, out_minor__gte=0, counted_minor=0)
                | Q(kind__in=REWRITTEN, cash_minor=0, in_minor=0, out_minor=0, counted_minor=0)
                | Q(
                    kind="buy_in_correction",
                    cash_minor=F("out_minor") - F("in_minor"),
                    in_minor__gte=0,
                    out_minor__gte=0,
                    counted_minor=0,
                )
                | Q(kind="buy_in", cash_minor__gt=0, in_minor=0, out_minor=F("cash_minor"), counted_minor=0)
                | Q(
                    kind__in=["exchange", "tip_exchange"],
                    cash_minor=0,
                    in_minor__gt=0,
                    out_minor=F("in_minor"),
                    counted_minor=0,
                ),
                name="movement_amounts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.opening_id}#{self.sequence} {self.kind}"


class MovementChip(Fact):
    """Chips of one name in a movement. A colour chip that is counted has no value of its own: 0."""

    movement = models.ForeignKey(Movement, models.PROTECT, related_name="chips")
    side = models.CharField(max_length=7)
    chip = models.CharField(max_length=20)
    pieces = models.PositiveIntegerField()
    value_minor = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["movement", "side", "chip"], name="movement_chip_unique"),
            models.CheckConstraint(
                condition=Q(side__in=["in", "out", "counted"], pieces__gt=0, value_minor__gte=0),
                name="movement_chip_amounts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.movement_id} {self.side} {self.pieces}x{self.chip}"


class MovementCorrection(TableFact):
    """What a movement should have said, by two; the movement and every correction before this one stay.

    What it adds to the float is a movement of its own, of the same entry. `owed_minor`: what came in less what went
    out, as corrected, beyond what it was before: owed to the player, or (less than 0) by him, until it is cleared.
    """

    movement = models.ForeignKey(Movement, models.PROTECT, related_name="corrections")
    revision = models.PositiveIntegerField()
    seat = models.PositiveIntegerField(null=True)
    cash_minor = models.BigIntegerField()
    owed_minor = models.BigIntegerField()
    author = models.CharField(max_length=200, blank=True)
    approver = models.CharField(max_length=200, blank=True)

    class Meta(TableFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["movement", "revision"], name="movement_correction_revision_unique"),
            models.UniqueConstraint(fields=["opening", "sequence"], name="movement_correction_sequence_unique"),
            # In a file that is brought in the approval is taken as given.
            models.CheckConstraint(
                condition=Q(revision__gt=0, cash_minor__gte=0) & (Q(approver="") | ~Q(author=F("approver"))),
                name="movement_correction_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.movement_id}/{self.revision}"


class MovementCorrectionChip(Fact):
    """Chips of one name in a movement as corrected."""

    correction = models.ForeignKey(MovementCorrection, models.PROTECT, related_name="chips")
    side = models.CharField(max_length=7)
    chip = models.CharField(max_length=20)
    pieces = models.PositiveIntegerField()
    value_minor = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["correction", "side", "chip"], name="movement_correction_chip_unique"),
            models.CheckConstraint(
                condition=Q(side__in=["in", "out", "counted"], pieces__gt=0, value_minor__gte=0),
                name="movement_correction_chip_amounts",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.correction_id} {self.side} {self.pieces}x{self.chip}"


class ColourValue(TableFact):
    """What a colour counts for at a seat, from this entry on until another of the same opening."""

    seat = models.PositiveIntegerField()
    chip = models.CharField(max_length=20)
    value_minor = models.BigIntegerField()

    class Meta(TableFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["opening", "sequence"], name="colour_value_sequence_unique"),
            models.CheckConstraint(condition=Q(value_minor__gt=0), name="colour_value_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.opening_id}: {self.chip} at {self.seat}"


class Incident(TableFact):
    """Two numbers that should be one and differ by more than the house lets pass."""

    kind = models.CharField(max_length=20)
    level = models.CharField(max_length=6)
    expected_minor = models.BigIntegerField()
    found_minor = models.BigIntegerField()

    class Meta(TableFact.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["opener_differs", "closer_differs"], level__in=["notice", "grave"])
                & ~Q(expected_minor=F("found_minor")),
                name="incident_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.opening_id} {self.kind}"


# -- slips and the chip bank


class Slip(Fact):
    """A fill or a credit slip as it was requested. `late`: written by hand while nothing could be recorded."""

    class Kind(models.TextChoices):
        FILL = "fill"
        CREDIT = "credit"

    id = models.UUIDField(primary_key=True)
    casino = models.ForeignKey(Casino, models.PROTECT, related_name="slips")
    table = models.ForeignKey(Table, models.PROTECT, related_name="slips")
    kind = models.CharField(max_length=6, choices=Kind)
    currency = models.CharField(max_length=40)
    amount_minor = models.BigIntegerField()
    late = models.BooleanField()
    paper_number = models.CharField(max_length=40, blank=True)
    requested_at = models.DateTimeField()
    requested_by = models.CharField(max_length=200)
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["fill", "credit"], amount_minor__gt=0)
                & (Q(late=False, paper_number="") | (Q(late=True) & ~Q(paper_number=""))),
                name="slip_kind",
            ),
            models.UniqueConstraint(
                fields=["casino", "kind", "paper_number"], condition=Q(late=True), name="slip_paper_number_unique"
            ),
        ]
        indexes = [models.Index(fields=["casino", "requested_at"], name="slip_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class SlipChip(Fact):
    """Chips of one name on a slip."""

    slip = models.ForeignKey(Slip, models.PROTECT, related_name="chips")
    chip = models.CharField(max_length=20)
    pieces = models.PositiveIntegerField()
    value_minor = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["slip", "chip"], name="slip_chip_unique"),
            models.CheckConstraint(condition=Q(pieces__gt=0, value_minor__gt=0), name="slip_chip_amounts"),
        ]

    def __str__(self) -> str:
        return f"{self.slip_id} {self.pieces}x{self.chip}"


class SlipStep(Fact):
    """A step of a slip, once: who and when. A slip has one end: received, void, or declined before it was issued."""

    class Step(models.TextChoices):
        ISSUED = "issued"
        CARRIED = "carried"
        RECEIVED = "received"
        VOID = "void"
        DECLINED = "declined"

    slip = models.ForeignKey(Slip, models.PROTECT, related_name="steps")
    step = models.CharField(max_length=8, choices=Step)
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200, blank=True)
    done_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["slip", "step"], name="slip_step_once"),
            models.UniqueConstraint(
                fields=["slip"], condition=Q(step__in=["received", "void", "declined"]), name="slip_one_end"
            ),
            models.CheckConstraint(
                condition=Q(step__in=["issued", "carried", "received", "declined"])
                | (Q(step="void") & ~Q(second="") & ~Q(second=F("author"))),
                name="slip_void_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slip_id} {self.step}"


class SlipNumber(Fact):
    """The number of an issued slip: from 1, without a gap, for each kind and year of the gaming day."""

    slip = models.OneToOneField(Slip, models.PROTECT, primary_key=True, related_name="number")
    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=6)
    year = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "kind", "year", "number"], name="slip_number_unique"),
            models.CheckConstraint(condition=Q(number__gt=0), name="slip_number_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.year}/{self.number}"


class SlipCorrection(Fact):
    """What a received slip should have said, by two; the slip and every correction before this one stay.

    `difference_minor` is what it adds to the table's float, or (less than 0) takes from it, in the slip's own opening.
    Until it is cleared, chips of that worth are owed between cage and table.
    """

    id = models.UUIDField(primary_key=True)
    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    slip = models.ForeignKey(Slip, models.PROTECT, related_name="corrections")
    revision = models.PositiveIntegerField()
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="slip_corrections")
    amount_minor = models.BigIntegerField()
    difference_minor = models.BigIntegerField()
    author = models.CharField(max_length=200)
    approver = models.CharField(max_length=200)
    corrected_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="slip_correction_number_unique"),
            models.UniqueConstraint(fields=["slip", "revision"], name="slip_correction_revision_unique"),
            models.CheckConstraint(
                condition=Q(revision__gt=0, amount_minor__gte=0) & ~Q(author=F("approver")),
                name="slip_correction_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slip_id}/{self.revision}"


class SlipCorrectionChip(Fact):
    """Chips of one name on a slip as corrected."""

    correction = models.ForeignKey(SlipCorrection, models.PROTECT, related_name="chips")
    chip = models.CharField(max_length=20)
    pieces = models.PositiveIntegerField()
    value_minor = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["correction", "chip"], name="slip_correction_chip_unique"),
            models.CheckConstraint(condition=Q(pieces__gt=0, value_minor__gt=0), name="slip_correction_chip_amounts"),
        ]

    def __str__(self) -> str:
        return f"{self.correction_id} {self.pieces}x{self.chip}"


class SlipSeries(Head):
    """The last number given in a series. It moves in the transaction that uses the number, and goes back with it."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=6)
    year = models.PositiveSmallIntegerField()
    last = models.PositiveIntegerField(default=0)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("last")]
        constraints = [models.UniqueConstraint(fields=["casino", "kind", "year"], name="slip_series_unique")]

    def __str__(self) -> str:
        return f"{self.kind} {self.year}: {self.last}"


class BankMovement(Fact):
    """Chips of one name that came into the cage's chip bank, or (less than 0) left it."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    currency = models.CharField(max_length=40)
    chip = models.CharField(max_length=20)
    pieces = models.IntegerField()
    why = models.CharField(max_length=10)
    slip = models.ForeignKey(Slip, models.PROTECT, null=True, related_name="bank_movements")
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(why="delivery", slip__isnull=True, pieces__gt=0)
                | Q(why="fill", slip__isnull=False, pieces__lt=0)
                | Q(why__in=["credit", "void"], slip__isnull=False, pieces__gt=0)
                | (Q(why="correction", slip__isnull=False) & ~Q(pieces=0)),
                name="bank_movement_why",
            )
        ]

    def __str__(self) -> str:
        return f"{self.pieces}x{self.chip} {self.why}"


class BankStock(Head):
    """How many chips of one name lie in the chip bank, as at an entry of the casino's journal; never less than none."""

    casino = models.ForeignKey(Casino, models.PROTECT, related_name="+")
    currency = models.CharField(max_length=40)
    chip = models.CharField(max_length=20)
    pieces = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField()

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("pieces", "sequence")]
        constraints = [
            models.UniqueConstraint(fields=["casino", "currency", "chip"], name="bank_stock_unique"),
            models.CheckConstraint(condition=Q(pieces__gte=0), name="bank_stock_never_short"),
        ]

    def __str__(self) -> str:
        return f"{self.pieces}x{self.chip}"


# -- drop


class Drop(Fact):
    """A drop box in its time at one opening of a table."""

    box = models.CharField(max_length=40)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="drops")
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["opening", "box"], name="drop_box_once"),
            models.CheckConstraint(condition=~Q(box=""), name="drop_box_named"),
        ]

    def __str__(self) -> str:
        return f"{self.box} at {self.opening_id}"


class DropStep(Fact):
    """The box changes hands: put on the table, taken off it, received in the count room. Each once, by two."""

    class Step(models.TextChoices):
        ATTACHED = "attached"
        REMOVED = "removed"
        RECEIVED = "received"

    drop = models.ForeignKey(Drop, models.PROTECT, related_name="steps")
    step = models.CharField(max_length=8, choices=Step)
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200)
    done_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["drop", "step"], name="drop_step_once"),
            models.CheckConstraint(condition=~Q(second="") & ~Q(author=F("second")), name="drop_step_by_two"),
        ]

    def __str__(self) -> str:
        return f"{self.drop_id} {self.step}"


class DropCount(Fact):
    """What two people counted in a box, not knowing what to expect. The highest number holds; all of them stay."""

    drop = models.ForeignKey(Drop, models.PROTECT, related_name="counts")
    number = models.PositiveIntegerField()
    total_minor = models.BigIntegerField()
    author = models.CharField(max_length=200)
    second = models.CharField(max_length=200)
    counted_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["drop", "number"], name="drop_count_number_unique"),
            models.CheckConstraint(
                condition=Q(total_minor__gte=0) & ~Q(second="") & ~Q(author=F("second")), name="drop_count_by_two"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.drop_id}/{self.number}"


class DropCountLine(Fact):
    """Notes or coins of one denomination in a count."""

    count = models.ForeignKey(DropCount, models.PROTECT, related_name="lines")
    denomination_minor = models.BigIntegerField()
    pieces = models.PositiveIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["count", "denomination_minor"], name="drop_count_line_unique"),
            models.CheckConstraint(condition=Q(denomination_minor__gt=0, pieces__gt=0), name="drop_count_line_amounts"),
        ]

    def __str__(self) -> str:
        return f"{self.pieces}x{self.denomination_minor}"


class DropApproval(Fact):
    """A count taken note of by somebody who did not count. It keeps the variance that he saw, and changes none."""

    drop = models.OneToOneField(Drop, models.PROTECT, primary_key=True, related_name="approval")
    count = models.OneToOneField(DropCount, models.PROTECT, related_name="approval")
    expected_minor = models.BigIntegerField()
    counted_minor = models.BigIntegerField()
    variance_minor = models.BigIntegerField()
    approver = models.CharField(max_length=200)
    approved_at = models.DateTimeField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(variance_minor=F("counted_minor") - F("expected_minor")), name="drop_approval_variance"
            )
        ]

    def __str__(self) -> str:
        return f"{self.drop_id}: {self.variance_minor}"
