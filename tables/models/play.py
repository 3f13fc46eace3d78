"""What is recorded of play: deals, cards, bets, settlements and the other deeds. It imports no subject but the house.

Facts of a deal carry its opening, its gaming date (the key to partition by, later) and the `sequence` of the journal
entry that made them: who did it and when is said there, once.
"""

from django.db import models
from django.db.models import F, Q

from tables.models.house import Opening, RulesVersion, Table
from tables.models.journal import Journal
from tables.models.kinds import Fact, Head, MovesOnly, Work

CARD = r"^[2-9TJQKA][CDHS]$"
OPENED = r"^[2-9TJQKA][CDHS]?$"  # a correction may leave of an opened bet its rank alone (C-12)
OUTCOMES = (
    "win",
    "lose",
    "split",
    "pocket",
    "half_win",
    "half_lose",
    "push",
    "returned",
    "withdrawn",
    "refused",
    "void",
)


class TableHead(Head):
    """The last entry of a table's journal and what is live there. Every write at the table locks it first, once.

    `pen`: the console that enters the cards; NULL until a dealer has signed on. `options`: what its console asks for.
    """

    class State(models.TextChoices):
        CLOSED = "closed"
        OPEN = "open"
        PAUSED = "paused"

    table = models.OneToOneField(Table, models.PROTECT, primary_key=True, related_name="head")
    journal = models.OneToOneField(Journal, models.PROTECT, related_name="table_head")
    sequence = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.CLOSED)
    opening = models.ForeignKey(Opening, models.PROTECT, null=True, related_name="+")
    live_deal = models.ForeignKey("Deal", models.PROTECT, null=True, related_name="+")
    last_deal = models.ForeignKey("Deal", models.PROTECT, null=True, related_name="+")
    rules_version = models.ForeignKey(RulesVersion, models.PROTECT, null=True, related_name="+")
    pen = models.ForeignKey("tables.Device", models.PROTECT, null=True, related_name="+")
    options = models.ForeignKey("tables.ConsoleOptions", models.PROTECT, null=True, related_name="+")

    class Meta(Head.Meta):
        triggers = [
            *Head.Meta.triggers,
            MovesOnly(
                *("sequence", "hash", "state", "opening", "live_deal", "last_deal", "rules_version", "pen", "options")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="closed", opening__isnull=True)
                | Q(state__in=["open", "paused"], opening__isnull=False),
                name="head_open_with_an_opening",
            ),
            models.CheckConstraint(
                condition=Q(live_deal__isnull=True) | Q(live_deal=F("last_deal")),
                name="head_one_live_deal_the_last",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id}@{self.sequence}"


class Deal(Fact):
    """One passage through the shoe, as it was opened. Whether it is over follows from the other facts."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="deals")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    rules_version = models.ForeignKey(RulesVersion, models.PROTECT, related_name="deals")
    bank_minor = models.BigIntegerField(null=True)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="deals")
    gaming_date = models.DateField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["table", "name"], name="deal_name_unique"),
            models.UniqueConstraint(fields=["table", "number"], name="deal_number_unique"),
            models.UniqueConstraint(fields=["table", "sequence"], name="deal_sequence_unique"),
        ]
        indexes = [models.Index(fields=["gaming_date"], name="deal_gaming_date")]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.name}"


class DealFact(Fact):
    """A fact of a deal.

    No index of the deal alone: where a longer one begins with it, the planner, who guesses ten bets a deal, took the
    short one, and a bet named in turn 150 was looked for among all that the deal had had.
    """

    deal = models.ForeignKey(Deal, models.PROTECT, related_name="%(class)ss", db_index=False)
    opening = models.ForeignKey(Opening, models.PROTECT, related_name="+")
    gaming_date = models.DateField()
    sequence = models.BigIntegerField()

    class Meta(Fact.Meta):
        abstract = True


class Card(DealFact):
    """The card at a position. A higher revision replaces a lower one; without a card it was taken back."""

    position = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    card = models.CharField(max_length=2, null=True)
    pocket = models.BooleanField()

    class Meta(DealFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deal", "position", "revision"], name="card_position_unique"),
            models.CheckConstraint(condition=Q(position__gt=0), name="card_position_positive"),
            models.CheckConstraint(condition=Q(card__isnull=True) | Q(card__regex=CARD), name="card_notation"),
        ]

    def __str__(self) -> str:
        return f"{self.deal_id}:{self.position}.{self.revision} {self.card or '-'}"


class Bet(DealFact):
    """A bet as it was placed. A higher revision is a correction; `made` false says it was never made.

    `after` is the even position after which it stood (0: before the first card) and `ordinal` its place among the
    bets of that moment: together the order of bets, whenever they were recorded. `of` names the won bet of a paroli.
    """

    name = models.CharField(max_length=200)
    revision = models.PositiveIntegerField()
    made = models.BooleanField()
    seat = models.PositiveIntegerField()
    kind = models.CharField(max_length=6)
    rank = models.CharField(max_length=1, null=True)
    suit = models.CharField(max_length=1, null=True)
    amount_minor = models.BigIntegerField()
    after = models.PositiveIntegerField()
    ordinal = models.PositiveIntegerField()
    of = models.CharField(max_length=200, null=True)

    class Meta(DealFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deal", "name", "revision"], name="bet_name_unique"),
            models.CheckConstraint(
                condition=Q(kind="rank", rank__isnull=False)
                | Q(kind="suit", rank__isnull=True, suit__isnull=False)
                | Q(kind="sealed", rank__isnull=True, suit__isnull=True),
                name="bet_kind",
            ),
            models.CheckConstraint(
                condition=(Q(rank__isnull=True) | Q(rank__regex="^[2-9TJQKA]$"))
                & (Q(suit__isnull=True) | Q(suit__regex="^[CDHS]$")),
                name="bet_notation",
            ),
            models.CheckConstraint(
                condition=Q(amount_minor__gt=0, seat__gt=0) & ~Q(name=""), name="bet_amount_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deal_id}:{self.name}.{self.revision}"


class Settlement(DealFact):
    """What a card or a deed did to a bet (C-6). The highest revision of (bet, position, by_deed) holds.

    `by_deed` tells a bet withdrawn, refused or returned after a position from one that the position's card settled.
    A revision `annulled` says that after a correction nothing happened to the bet there.
    """

    bet = models.ForeignKey(Bet, models.PROTECT, related_name="settlements", db_index=False)
    turn = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    by_deed = models.BooleanField()
    revision = models.PositiveIntegerField()
    outcome = models.CharField(max_length=10)
    stake_minor = models.BigIntegerField()
    paid_minor = models.BigIntegerField()
    taken_minor = models.BigIntegerField()
    returned_minor = models.BigIntegerField()
    standing_minor = models.BigIntegerField()
    clause = models.CharField(max_length=20, blank=True)

    class Meta(DealFact.Meta):
        indexes = [models.Index(fields=["deal"], name="settlement_deal")]
        constraints = [
            models.UniqueConstraint(fields=["bet", "position", "by_deed", "revision"], name="settlement_of_bet_unique"),
            models.CheckConstraint(
                condition=Q(taken_minor=F("stake_minor") + F("paid_minor") - F("returned_minor") - F("standing_minor")),
                name="settlement_conserves",
            ),
            models.CheckConstraint(
                condition=Q(
                    stake_minor__gte=0,
                    paid_minor__gte=0,
                    taken_minor__gte=0,
                    returned_minor__gte=0,
                    standing_minor__gte=0,
                ),
                name="settlement_amounts_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=OUTCOMES)
                | Q(outcome="annulled", stake_minor=0, paid_minor=0, taken_minor=0, returned_minor=0),
                name="settlement_outcome",
            ),
            models.CheckConstraint(condition=Q(turn=(F("position") + 1) / 2), name="settlement_turn_of_position"),
        ]

    def __str__(self) -> str:
        return f"{self.bet_id}@{self.position} {self.outcome}"


class Deed(DealFact):
    """Everything else that happens in a deal: who did it and when says the journal entry of its sequence."""

    type = models.CharField(max_length=10)
    position = models.PositiveIntegerField()
    bet = models.ForeignKey(Bet, models.PROTECT, null=True, related_name="deeds")
    card = models.CharField(max_length=2, null=True)
    seat = models.PositiveIntegerField(null=True)

    class Meta(DealFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deal", "sequence"], name="deed_sequence_unique"),
            models.UniqueConstraint(fields=["deal"], condition=Q(type="misdeal"), name="deed_one_misdeal_a_deal"),
            models.UniqueConstraint(fields=["deal"], condition=Q(type="cut"), name="deed_one_cut_a_deal"),
            models.CheckConstraint(
                condition=Q(type__in=["cut", "end", "misdeal"], bet__isnull=True, card__isnull=True)
                | Q(type__in=["withdraw", "refuse"], bet__isnull=False, card__isnull=True)
                | Q(type="reveal", bet__isnull=False, card__regex=OPENED),
                name="deed_type",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deal_id}#{self.sequence} {self.type}"


class Correction(DealFact):
    """A correction of a deal, by two: author and approver.

    `alone`: an odd card of an open turn, which needs no approval; `given`: an imported file's word was taken for it.
    """

    number = models.PositiveIntegerField()
    author = models.CharField(max_length=200, blank=True)
    approver = models.CharField(max_length=200, blank=True)
    alone = models.BooleanField()
    given = models.BooleanField()

    class Meta(DealFact.Meta):
        constraints = [
            models.UniqueConstraint(fields=["deal", "number"], name="correction_number_unique"),
            models.CheckConstraint(
                condition=Q(alone=True, given=False, approver="")
                | Q(alone=False, given=True, approver="")
                | (Q(alone=False, given=False) & ~Q(approver="") & ~Q(approver=F("author"))),
                name="correction_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.deal_id}/{self.number}"


class Adjustment(DealFact):
    """The money that a correction moves on one bet: what holds now less what held before, which may be negative."""

    correction = models.ForeignKey(Correction, models.PROTECT, related_name="adjustments")
    bet = models.ForeignKey(Bet, models.PROTECT, related_name="adjustments")
    stake_minor = models.BigIntegerField()
    paid_minor = models.BigIntegerField()
    taken_minor = models.BigIntegerField()
    returned_minor = models.BigIntegerField()
    standing_minor = models.BigIntegerField()

    class Meta(DealFact.Meta):
        indexes = [models.Index(fields=["deal"], name="adjustment_deal")]
        constraints = [
            models.UniqueConstraint(fields=["correction", "bet"], name="adjustment_of_bet_unique"),
            models.CheckConstraint(
                condition=Q(taken_minor=F("stake_minor") + F("paid_minor") - F("returned_minor") - F("standing_minor")),
                name="adjustment_conserves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.correction_id}:{self.bet_id}"


class EventId(Fact):
    """An id made by a sender, and what it was sent for: the same again is answered as before.

    `sequence` is empty where the event had to wait for an approval; `WaitingCorrection` says how it stands.
    """

    id = models.UUIDField(primary_key=True)
    table = models.ForeignKey(Table, models.PROTECT, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    sequence = models.BigIntegerField(null=True)

    class Meta(Fact.Meta):
        pass

    def __str__(self) -> str:
        return str(self.id)


class WaitingCorrection(Work):
    """A correction that waits for a second person, as its sender sent it, and how it went.

    `envelope` is canonical text; once decided its reason is blanked there, for it lives on as a text of the journal.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RECORDED = "recorded"
        REFUSED = "refused"

    id = models.UUIDField(primary_key=True)
    table = models.ForeignKey(Table, models.PROTECT, related_name="waiting_corrections")
    deal = models.ForeignKey(Deal, models.PROTECT, related_name="+")
    envelope = models.TextField()
    author = models.CharField(max_length=200)
    author_staff_id = models.BigIntegerField(null=True)
    asked_at = models.DateTimeField()
    happened_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    sequence = models.BigIntegerField(null=True)
    code = models.CharField(max_length=40, blank=True, default="")
    message = models.TextField(blank=True, default="")

    class Meta(Work.Meta):
        indexes = [models.Index(fields=["table"], condition=Q(state="waiting"), name="waiting_correction_of_table")]

    def __str__(self) -> str:
        return str(self.id)
