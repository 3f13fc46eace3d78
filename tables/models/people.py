"""Who works here: staff and their posts, PINs, devices, sign-ons, approvals.

Holds no password (Django's own user has it), no PIN and no token: of a PIN the Argon2id of a keyed
digest, of a token its SHA-256.
"""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tables.models.kinds import Fact, Head, MovesOnly, Work

_SHA256 = Q(("token_sha256__regex", r"^[0-9a-f]{64}$"))


class Role(models.TextChoices):
    """What somebody is on the floor. `tables.access` says what each may do."""

    DEALER = "dealer", _("dealer")
    BET_CONTROLLER = "bet_controller", _("bet controller")
    INSPECTOR = "inspector", _("inspector")
    PIT_BOSS = "pit_boss", _("pit boss")
    SHIFT_MANAGER = "shift_manager", _("shift manager")
    CAGE = "cage", _("cage")
    COUNT_ROOM = "count_room", _("count room")
    AUDITOR = "auditor", _("auditor")
    SURVEILLANCE = "surveillance", _("surveillance")
    ADMIN = "admin", _("administrator")


class Staff(Head):
    """A person who works in the house. The journal knows him by `number` alone."""

    casino = models.ForeignKey("tables.Casino", models.PROTECT, related_name="staff")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="staff")
    number = models.CharField(max_length=16)
    name = models.CharField(max_length=120)
    language = models.CharField(max_length=2, choices=settings.LANGUAGES, default="ru")
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("user", "name", "language", "left_at")]
        constraints = [
            models.UniqueConstraint(fields=["casino", "number"], name="staff_number"),
            models.CheckConstraint(condition=~Q(number=""), name="staff_number_said"),
            models.CheckConstraint(
                condition=Q(left_at=None) | Q(left_at__gte=F("joined_at")), name="staff_left_after_joining"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"


class Appointment(Head):
    """A post of a person: a role, in one pit or (`pit` NULL) in the whole house, for a time."""

    staff = models.ForeignKey(Staff, models.PROTECT, related_name="appointments")
    role = models.CharField(max_length=16, choices=Role)
    pit = models.ForeignKey("tables.Pit", models.PROTECT, null=True, related_name="+")
    from_at = models.DateTimeField()
    until_at = models.DateTimeField(null=True)

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("until_at")]
        constraints = [
            models.UniqueConstraint(
                fields=["staff", "role", "pit"],
                condition=Q(until_at=None),
                nulls_distinct=False,
                name="appointment_once",
            ),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="appointment_role"),
            models.CheckConstraint(
                condition=Q(until_at=None) | Q(until_at__gte=F("from_at")),
                name="appointment_ends_after_start",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.staff_id} {self.role}"


class Pin(Work):
    """What is kept of a person's PIN: Argon2id over HMAC-SHA256 with a key that is not in the database."""

    staff = models.OneToOneField(Staff, models.PROTECT, primary_key=True, related_name="pin")
    encoded = models.CharField(max_length=128)
    set_at = models.DateTimeField()

    class Meta(Work.Meta):
        constraints = [models.CheckConstraint(condition=Q(encoded__startswith="$argon2id$"), name="pin_is_argon2id")]

    def __str__(self) -> str:
        return f"PIN of {self.staff_id}"


class Device(Head):
    """A screen or a shoe that may speak to us. `code` is what envelopes call `device`."""

    class Kind(models.TextChoices):
        CONSOLE = "console", _("console")
        SHOE = "shoe", _("electronic shoe")

    casino = models.ForeignKey("tables.Casino", models.PROTECT, related_name="devices")
    code = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=8, choices=Kind)
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, related_name="devices")
    token_sha256 = models.CharField(max_length=64, unique=True)
    issued_at = models.DateTimeField()
    issued_by = models.ForeignKey(Staff, models.PROTECT, null=True, related_name="+")
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(Staff, models.PROTECT, null=True, related_name="+")

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("token_sha256", "revoked_at", "revoked_by")]
        constraints = [
            models.CheckConstraint(condition=_SHA256, name="device_token_is_sha256"),
            models.CheckConstraint(condition=Q(kind__in=["console", "shoe"]), name="device_kind"),
            models.CheckConstraint(condition=~Q(kind="shoe") | Q(table__isnull=False), name="device_shoe_has_a_table"),
        ]

    def __str__(self) -> str:
        return self.code


class DeviceSight(Work):
    """When a device was last heard: roughly, so that asking costs no write each time."""

    device = models.OneToOneField(Device, models.CASCADE, primary_key=True, related_name="sight")
    seen_at = models.DateTimeField()

    class Meta(Work.Meta):
        pass

    def __str__(self) -> str:
        return f"{self.device_id} at {self.seen_at}"


class Attempts(Work):
    """Failures in a row, and until when no further attempt is looked at."""

    failure_count = models.PositiveIntegerField(default=0)
    last_failed_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)

    class Meta(Work.Meta):
        abstract = True


class PinAttempt(Attempts):
    """How often in a row a person's PIN was wrong on a device.

    `device` NULL stands for a person's own logged-in session.
    """

    staff = models.ForeignKey(Staff, models.PROTECT, related_name="+")
    device = models.ForeignKey(Device, models.PROTECT, null=True, related_name="+")

    class Meta(Attempts.Meta):
        abstract = False
        constraints = [
            models.UniqueConstraint(fields=["staff", "device"], nulls_distinct=False, name="pin_attempt_once")
        ]

    def __str__(self) -> str:
        return f"{self.staff_id} on {self.device_id}: {self.failure_count}"


class LogInAttempt(Attempts):
    """How often in a row the password of a person's log-in was wrong from an address."""

    staff = models.ForeignKey(Staff, models.PROTECT, related_name="+")
    address = models.CharField(max_length=64)

    class Meta(Attempts.Meta):
        abstract = False
        constraints = [models.UniqueConstraint(fields=["staff", "address"], name="log_in_attempt_once")]

    def __str__(self) -> str:
        return f"{self.staff_id} from {self.address}: {self.failure_count}"


class SignOn(Head):
    """A person at a table on a device. Ended, it still authors what the device queued before `ended_at`."""

    class Ending(models.TextChoices):
        OFF = "off", _("signed off")
        RELIEF = "relief", _("relieved")
        AGAIN = "again", _("signed on again")
        MOVED = "moved", _("signed on at another table")
        REVOKED = "revoked", _("device revoked")

    staff = models.ForeignKey(Staff, models.PROTECT, related_name="signons")
    role = models.CharField(max_length=16, choices=Role)
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="signons")
    device = models.ForeignKey(Device, models.PROTECT, related_name="signons")
    token_sha256 = models.CharField(max_length=64, unique=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=8, choices=Ending, null=True)
    relieved_by = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")

    class Meta(Head.Meta):
        triggers = [*Head.Meta.triggers, MovesOnly("ended_at", "ending", "relieved_by")]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "role", "device"],
                condition=Q(ended_at=None),
                name="signon_one_a_role_and_device",
            ),
            models.CheckConstraint(condition=_SHA256, name="signon_token_is_sha256"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ending=None) | Q(ended_at__gte=F("started_at"), ending__isnull=False),
                name="signon_ends_once_and_after_start",
            ),
        ]
        indexes = [models.Index(fields=["table", "role"], condition=Q(ended_at=None), name="signon_live")]

    def __str__(self) -> str:
        return f"{self.staff_id} {self.role} at {self.table_id}"


class Approval(Fact):
    """A deed at a table that waits for a second person. Its id is that of the event that it holds up."""

    id = models.UUIDField(primary_key=True)
    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="approvals")
    deed = models.CharField(max_length=16)
    author = models.ForeignKey(Staff, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.deed} at {self.table_id}"


class ApprovalDecision(Fact):
    """What the second person decided, once. The primary key lets no second decision in."""

    class Verdict(models.TextChoices):
        APPROVED = "approved", _("approved")
        REFUSED = "refused", _("refused")

    approval = models.OneToOneField(Approval, models.PROTECT, primary_key=True, related_name="decision")
    approver = models.ForeignKey(Staff, models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=8, choices=Verdict)
    device = models.ForeignKey(Device, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField()

    class Meta(Fact.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(verdict__in=["approved", "refused"]), name="approval_verdict")
        ]
        triggers = [
            *Fact.Meta.triggers,
            pgtrigger.Trigger(
                name="four_eyes",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func="""
                    IF EXISTS (SELECT 1 FROM tables_approval a
                               WHERE a.id = NEW.approval_id AND a.author_id = NEW.approver_id) THEN
                        RAISE EXCEPTION 'nobody approves what he asked for himself'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.approval_id} {self.verdict}"


class WaitingDeed(Work):
    """What the author of an approval has signed and nobody has decided yet; gone once somebody has.

    `content` is canonical text; `slip` the one that it moves on, corrects or makes void.
    """

    approval = models.OneToOneField(Approval, models.CASCADE, primary_key=True, related_name="asked")
    slip = models.ForeignKey("tables.Slip", models.PROTECT, null=True, related_name="+")
    content = models.TextField()

    class Meta(Work.Meta):
        pass

    def __str__(self) -> str:
        return str(self.approval_id)
