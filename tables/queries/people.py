"""Who somebody is, who is on duty where, and what waits for whom. It writes nothing."""

import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from tables import access, tokens
from tables.access import Author, Post
from tables.models.people import Appointment, Approval, Device, SignOn, Staff
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal


@dataclass(frozen=True, slots=True)
class DeviceView:
    """A device as its token proved it to be. `table_id` None: it may stand at any table; `seen_at`: roughly."""

    id: int
    code: str
    kind: str
    table_id: int | None
    casino_id: int
    seen_at: datetime | None

    def require_table(self, table_id: int) -> None:
        """Refuse a device that is bound to another table.

        Raises: not_allowed.
        """
        if self.table_id not in (None, table_id):
            raise Refusal(DoorCode.NOT_ALLOWED, f"Device {self.code} belongs to another table.", device=self.code)


@dataclass(frozen=True, slots=True)
class SignOnView:
    """A sign-on with what is needed to name an author. `pit_id` is that of its table."""

    id: int
    staff_id: int
    number: str
    role: str
    table_id: int
    pit_id: int | None
    device_id: int
    started_at: datetime
    ended_at: datetime | None

    @property
    def author(self) -> Author:
        """The person in the role he signed on with, and in that one alone."""
        return Author(self.staff_id, self.number, (Post(self.role, self.pit_id),))


@dataclass(frozen=True, slots=True)
class OnDuty:
    """Somebody at a table, for a screen."""

    table_id: int
    role: str
    number: str
    name: str
    device: str
    since: datetime


@dataclass(frozen=True, slots=True)
class PostShown:
    """A post in words; `pit` empty: the whole house."""

    role: str
    pit: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person with his present posts, for a screen."""

    id: int
    casino_id: int
    number: str
    name: str
    posts: tuple[PostShown, ...]


@dataclass(frozen=True, slots=True)
class MaySignOn:
    """Somebody who may sign on at a table, and as what."""

    number: str
    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """A deed that waits for, or got, its second person. Its id is that of the event that it holds up."""

    id: uuid.UUID
    deed: str
    table_id: int
    table: str
    pit_id: int | None
    author_id: int
    author: str
    author_name: str
    asked_at: datetime
    verdict: str | None
    approver: str | None
    decided_at: datetime | None


_SIGNON_FIELDS = (
    "id",
    "staff_id",
    "staff__number",
    "role",
    "table_id",
    "table__pit_id",
    "device_id",
    "started_at",
    "ended_at",
)


def device_of_token(token: str) -> DeviceView | None:
    """Find the device that holds this token; a revoked one is none."""
    fields = ("id", "code", "kind", "table_id", "casino_id", "sight__seen_at")
    row = Device.objects.filter(token_sha256=tokens.digest(token), revoked_at=None).values_list(*fields).first()
    return DeviceView(*row) if row else None


def signon_of_token(token: str) -> SignOnView | None:
    """Find the sign-on that this token stands for, ended or not."""
    row = SignOn.objects.filter(token_sha256=tokens.digest(token)).values_list(*_SIGNON_FIELDS).first()
    return SignOnView(*row) if row else None


def author_of_signon(signon: SignOnView | None, *, device_id: int, table_id: int, happened_at: datetime) -> Author:
    """Name the author of an event that a device sends under a sign-on.

    An ended sign-on still authors what happened up to its end.

    Raises: not_signed_on.
    """
    if signon is None:
        raise Refusal(DoorCode.NOT_SIGNED_ON, "Nobody is signed on with this token.")
    if signon.table_id != table_id or signon.device_id != device_id:
        raise Refusal(DoorCode.NOT_SIGNED_ON, f"Staff {signon.number} signed on at another table or device.")
    if signon.ended_at is not None and happened_at > signon.ended_at:
        raise Refusal(
            DoorCode.NOT_SIGNED_ON,
            f"Staff {signon.number} had left the table when this happened.",
            staff=signon.number,
        )
    return signon.author


def dealer_on_duty(table_id: int) -> SignOnView | None:
    """Find the dealer at a table: an electronic shoe's cards carry his name."""
    rows = SignOn.objects.filter(table_id=table_id, role=access.DEALER, ended_at=None).order_by("-started_at", "-id")
    row = rows.values_list(*_SIGNON_FIELDS).first()
    return SignOnView(*row) if row else None


def posts_of(staff_id: int) -> tuple[Post, ...]:
    """Give the posts that a person holds now, in the order of `access.ROLES`."""
    rows = Appointment.objects.filter(staff_id=staff_id, until_at=None).values_list("role", "pit_id")
    return tuple(sorted((Post(*row) for row in rows), key=_rank_of_post))


def _rank_of_post(post: Post) -> tuple[int, int]:
    return access.ROLES.index(post.role), post.pit_id or 0


def author_of_user(user_id: int | None) -> Author | None:
    """Name the person behind a log-in, with all his posts; None for a log-in that is no staff or has left."""
    row = Staff.objects.filter(user_id=user_id, left_at=None).values_list("id", "number").first() if user_id else None
    if row is None:
        return None
    staff_id, number = row
    return Author(staff_id, number, posts_of(staff_id))


def language_of_user(user_id: int) -> str | None:
    """Give the language in which the person behind a log-in reads; None for a log-in that is no staff."""
    return Staff.objects.filter(user_id=user_id).values_list("language", flat=True).first()


def person(staff_id: int) -> Person:
    """Show a person with his present posts."""
    staff = Staff.objects.get(id=staff_id)
    rows = Appointment.objects.filter(staff_id=staff_id, until_at=None).select_related("pit")
    held = sorted(rows, key=lambda row: _rank_of_post(Post(row.role, row.pit_id)))
    posts = tuple(PostShown(row.get_role_display(), row.pit.name if row.pit else "") for row in held)
    return Person(staff.pk, staff.casino_id, staff.number, staff.name, posts)


def may_sign_on(table_id: int, pit_id: int | None) -> tuple[MaySignOn, ...]:
    """List who may sign on at a table, by staff number."""
    rows = Appointment.objects.filter(
        Q(pit_id=None) | Q(pit_id=pit_id),
        until_at=None,
        staff__left_at=None,
        staff__casino__tables=table_id,
        staff__pin__isnull=False,
        role__in=access.TABLE_ROLES,
    ).values_list("staff__number", "staff__name", "role")
    roles: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for number, name, role in rows:
        roles[number, name].add(role)
    return tuple(
        MaySignOn(number, name, tuple(role for role in access.TABLE_ROLES if role in held))
        for (number, name), held in sorted(roles.items())
    )


@dataclass(frozen=True, slots=True)
class Duty:
    """A sign-on in a period: who, as what, at which table, from when to when, and how it ended."""

    table: str
    role: str
    number: str
    name: str
    since: datetime
    until: datetime | None
    ending: str
    relieved_by: str


def duties(table_ids: Iterable[int], since: datetime, until: datetime) -> tuple[Duty, ...]:
    """List the sign-ons at these tables that reach into the period, by table and time."""
    rows = (
        SignOn.objects.filter(table_id__in=list(table_ids), started_at__lt=until)
        .filter(Q(ended_at=None) | Q(ended_at__gt=since))
        .order_by("table__name", "table__code", "started_at", "id")
        .values_list(
            *("table__name", "role", "staff__number", "staff__name", "started_at", "ended_at", "ending"),
            "relieved_by__staff__number",
        )
    )
    return tuple(
        Duty(table, role, number, name, started_at, ended_at, ending or "", relieved_by or "")
        for table, role, number, name, started_at, ended_at, ending, relieved_by in rows
    )


def on_duty(table_ids: Iterable[int]) -> dict[int, tuple[OnDuty, ...]]:
    """Say who is at each of these tables, longest there first."""
    rows = (
        SignOn.objects.filter(table_id__in=list(table_ids), ended_at=None)
        .order_by("started_at", "id")
        .values_list("table_id", "role", "staff__number", "staff__name", "device__code", "started_at")
    )
    people: defaultdict[int, list[OnDuty]] = defaultdict(list)
    for row in rows:
        people[row[0]].append(OnDuty(*row))
    return {table_id: tuple(found) for table_id, found in people.items()}


_APPROVAL_FIELDS = (
    "id",
    "deed",
    "table_id",
    "table__code",
    "table__pit_id",
    "author_id",
    "author__number",
    "author__name",
    "asked_at",
    "decision__verdict",
    "decision__approver__number",
    "decision__decided_at",
)


def approval(approval_id: uuid.UUID) -> ApprovalView | None:
    """Find an approval, decided or not."""
    row = Approval.objects.filter(id=approval_id).values_list(*_APPROVAL_FIELDS).first()
    return ApprovalView(*row) if row else None


def waiting_at(table_ids: Iterable[int]) -> tuple[ApprovalView, ...]:
    """List what waits for a second person at these tables, oldest first."""
    waiting = Approval.objects.filter(table_id__in=list(table_ids), decision=None)
    return tuple(ApprovalView(*row) for row in waiting.order_by("asked_at", "id").values_list(*_APPROVAL_FIELDS))


def waiting_for(author: Author) -> tuple[ApprovalView, ...]:
    """List what this person may decide: in his pits, of a deed he may approve, asked for by another."""
    waiting = Approval.objects.filter(decision=None).exclude(author_id=author.staff_id)
    rows = waiting.order_by("asked_at", "id").values_list(*_APPROVAL_FIELDS)
    views = (ApprovalView(*row) for row in rows)
    return tuple(view for view in views if access.may(author, f"approve.{view.deed}", view.pit_id))


def open_places(table_id: int, role: str) -> tuple[SignOnView, ...]:
    """List the live sign-ons of one role at a table."""
    rows = SignOn.objects.filter(table_id=table_id, role=role, ended_at=None).order_by("id")
    return tuple(SignOnView(*row) for row in rows.values_list(*_SIGNON_FIELDS))
