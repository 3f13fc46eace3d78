"""What people do as people: join, take a post, set a PIN, sign on, relieve, approve; and their devices.

Never journals a name, a PIN or a token: people by staff number, devices by name. `now` comes from the edge.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Greatest
from django.utils.functional import SimpleLazyObject

from tables import access, backoff, pins, tokens
from tables.access import Author, Post
from tables.journal import append_to_casino
from tables.journal.chain import time_text
from tables.models.console import Heard
from tables.models.house import CasinoHead, Pit, Table
from tables.models.people import (
    Appointment,
    Approval,
    ApprovalDecision,
    Device,
    DeviceSight,
    LogInAttempt,
    Pin,
    PinAttempt,
    SignOn,
    Staff,
)
from tables.models.play import TableHead
from tables.queries import people as queries
from tables.queries.people import DeviceView
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal

SEEN_EVERY: Final = timedelta(seconds=10)


# A claim that is older is a sign-on from now on: what waited is recorded, and its time is doubted.
LONGEST_CLAIM = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class IssuedDevice:
    """A device with its token: the only moment at which the token is known to us."""

    id: int
    code: str
    token: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A sign-on that a device made by itself while nobody could check a PIN: its token, and when that was."""

    token: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class Started:
    """A sign-on with its token: the only moment at which the token is known to us."""

    token: str
    number: str
    name: str
    language: str
    role: str
    started_at: datetime
    relieved: tuple[str, ...]


# --- staff and posts -------------------------------------------------------------------------------------


def hire(
    *,
    casino_id: int,
    number: str,
    name: str,
    language: str,
    user_id: int | None,
    by: Author | None,
    now: datetime,
) -> int:
    """Take a person onto the staff and give his id. `by` None is the operator's shell.

    Raises: not_allowed.
    """
    _require_house(by, "staff.write")
    staff = Staff.objects.create(
        casino_id=casino_id, number=number, name=name, language=language, user_id=user_id, joined_at=now
    )
    append_to_casino(casino_id, "staff", {"staff": number}, author=_number(by), happened_at=now)
    return staff.pk


def leave(*, staff_id: int, by: Author | None, now: datetime) -> None:
    """End a person's work here: his posts, his sign-ons, his PIN and his log-in end with it.

    Raises: not_allowed.
    """
    _require_house(by, "staff.write")
    staff = Staff.objects.select_related("user").get(id=staff_id)
    _lock_casino(staff.casino_id)
    Staff.objects.filter(id=staff_id, left_at=None).update(left_at=now)
    Appointment.objects.filter(staff_id=staff_id, until_at=None).update(until_at=now)
    _end(SignOn.objects.filter(staff_id=staff_id), SignOn.Ending.OFF, now)
    Pin.objects.filter(staff_id=staff_id).delete()
    if staff.user is not None:
        staff.user.is_active = False
        staff.user.save(update_fields=["is_active"])
    append_to_casino(staff.casino_id, "staff_left", {"staff": staff.number}, author=_number(by), happened_at=now)


def appoint(*, staff_id: int, role: str, pit_id: int | None, by: Author | None, now: datetime) -> None:
    """Give a person a post, in a pit or (None) in the whole house. A post he holds already stays as it is.

    Raises: not_allowed.
    """
    _require_house(by, "staff.write")
    _refuse_self(by, staff_id)
    staff = Staff.objects.get(id=staff_id)
    _lock_casino(staff.casino_id)
    post = _live_posts(staff_id, role, pit_id)
    if not post.exists():
        Appointment.objects.create(staff_id=staff_id, role=role, pit_id=pit_id, from_at=now)
        append_to_casino(staff.casino_id, "post", _post_body(staff, role, pit_id), author=_number(by), happened_at=now)


def relieve_of_post(*, staff_id: int, role: str, pit_id: int | None, by: Author | None, now: datetime) -> None:
    """Take a post from a person; the sign-ons that rest on it end.

    Raises: not_allowed.
    """
    _require_house(by, "staff.write")
    _refuse_self(by, staff_id)
    staff = Staff.objects.get(id=staff_id)
    _lock_casino(staff.casino_id)
    if _live_posts(staff_id, role, pit_id).update(until_at=now):
        left = queries.posts_of(staff_id)
        for signon in SignOn.objects.filter(staff_id=staff_id, role=role, ended_at=None).select_related("table"):
            if not any(post.role == role and post.pit_id in (None, signon.table.pit_id) for post in left):
                _end(SignOn.objects.filter(id=signon.pk), SignOn.Ending.OFF, now)
        append_to_casino(
            staff.casino_id,
            "post_ended",
            _post_body(staff, role, pit_id),
            author=_number(by),
            happened_at=now,
        )


def choose_language(*, staff_id: int, language: str) -> None:
    """Remember in which language a person reads his screens. It is no fact about the house: no entry."""
    Staff.objects.filter(id=staff_id).update(language=language)


# --- PINs ------------------------------------------------------------------------------------------------


def set_pin(*, staff_id: int, pin: str, by: Author | None, now: datetime) -> None:
    """Set another person's PIN and forget his failed attempts. `by` None is the operator's shell.

    Raises: not_allowed, bad_pin.
    """
    _require_house(by, "pin.set")
    _keep_pin(staff_id, pin, _number(by), now)


def change_own_pin(*, author: Author, casino_id: int, old: str, new: str, now: datetime) -> None:
    """Let a logged-in person change his PIN, who must know the old one. Own transaction.

    Raises: wrong_pin, bad_pin.
    """
    pins.check_form(new)
    verify_pin(casino_id=casino_id, number=author.number, pin=old, device_id=None, now=now)
    with transaction.atomic():
        _keep_pin(author.staff_id, new, author.number, now)


def _keep_pin(staff_id: int, pin: str, by: str, now: datetime) -> None:
    pins.check_form(pin)
    staff = Staff.objects.get(id=staff_id, left_at=None)
    encoded = pins.encode(pin, staff_id, settings.PIN_KEY)
    _lock_casino(staff.casino_id)
    Pin.objects.update_or_create(staff_id=staff_id, defaults={"encoded": encoded, "set_at": now})
    PinAttempt.objects.filter(staff_id=staff_id).update(failure_count=0, next_at=None)
    append_to_casino(staff.casino_id, "pin", {"staff": staff.number}, author=by, happened_at=now)


def verify_pin(*, casino_id: int, number: str, pin: str, device_id: int | None, now: datetime) -> Author:
    """Find out that a person is there, by his PIN; give him with all his posts. Own transaction.

    Own, because a failed attempt must be remembered whatever becomes of the deed it was meant for. Attempts
    of one person on one device happen in turn, so that guesses sent at once do not all count as the first.
    While he must wait, the PIN is not even looked at: a right one tells as little as a wrong one.

    Raises: wrong_pin (`facts.wait_seconds` where a further attempt must wait).
    """
    with transaction.atomic(durable=True):
        attempt = _attempt_for_update(casino_id, number, device_id)
        if attempt is None:
            pins.matches(pin, 0, settings.PIN_KEY, str(_NOBODY))
            raise Refusal(DoorCode.WRONG_PIN, "Staff number or PIN is wrong.")
        if not _must_wait(attempt, now):
            if pins.matches(pin, attempt.staff_id, settings.PIN_KEY, attempt.staff.pin.encoded):
                _forgive(attempt)
                return Author(attempt.staff_id, number, queries.posts_of(attempt.staff_id))
            _remember_failure(attempt, now)
            if attempt.next_at is not None:
                device = attempt.device.code if attempt.device else ""
                _journal_delay(casino_id, "pin_delayed", attempt, {"device": device}, now)
    raise _refusal_after(attempt, now, DoorCode.WRONG_PIN, "Staff number or PIN is wrong.")


def verify_password(*, number: str, password: str, address: str, now: datetime) -> AbstractBaseUser:
    """Find out that a person is there, by the password of his log-in, and give it. Own transaction.

    Failures of one person from one address add up as those of his PIN on a device do (`verify_pin`).

    Raises: wrong_password (`facts.wait_seconds` where a further attempt must wait).
    """
    with transaction.atomic(durable=True):
        attempt = _log_in_for_update(number, address)
        if attempt is None or not _must_wait(attempt, now):
            user = authenticate(username=number, password=password)  # as slow for a number that nobody has
            if user is not None:
                if attempt is not None:
                    _forgive(attempt)
                return user
            if attempt is not None:
                _remember_failure(attempt, now)
                if attempt.next_at is not None:
                    _journal_delay(attempt.staff.casino_id, "log_in_delayed", attempt, {"address": address}, now)
    raise _refusal_after(attempt, now, DoorCode.WRONG_PASSWORD, "Staff number or password is wrong.")


# Somebody who does not exist costs as much time as somebody who does.
_NOBODY = SimpleLazyObject(lambda: pins.encode("000000", 0, settings.PIN_KEY))


def _attempt_for_update(casino_id: int, number: str, device_id: int | None) -> PinAttempt | None:
    found = Staff.objects.filter(casino_id=casino_id, number=number, left_at=None, pin__isnull=False)
    staff_id = found.values_list("id", flat=True).first()
    if staff_id is None:
        return None
    PinAttempt.objects.bulk_create([PinAttempt(staff_id=staff_id, device_id=device_id)], ignore_conflicts=True)
    rows = PinAttempt.objects.select_for_update(of=("self",)).select_related("staff__pin", "device")
    rows = rows.filter(device__isnull=True) if device_id is None else rows.filter(device_id=device_id)
    return rows.get(staff_id=staff_id)


def _log_in_for_update(number: str, address: str) -> LogInAttempt | None:
    found = Staff.objects.filter(user__username=number, user__is_active=True)
    staff_id = found.values_list("id", flat=True).first()
    if staff_id is None:
        return None
    LogInAttempt.objects.bulk_create([LogInAttempt(staff_id=staff_id, address=address)], ignore_conflicts=True)
    rows = LogInAttempt.objects.select_for_update(of=("self",)).select_related("staff")
    return rows.get(staff_id=staff_id, address=address)


def _must_wait(attempt: PinAttempt | LogInAttempt, now: datetime) -> bool:
    """Say whether nothing is looked at yet, be it right or wrong."""
    return attempt.next_at is not None and attempt.next_at > now


def _remember_failure(attempt: PinAttempt | LogInAttempt, now: datetime) -> None:
    """Count a failure; from the fifth in a row on it sets when the next attempt counts (`next_at`)."""
    attempt.failure_count += 1
    attempt.last_failed_at = now
    delay = backoff.delay(attempt.failure_count)
    attempt.next_at = now + delay if delay else None
    attempt.save(update_fields=["failure_count", "last_failed_at", "next_at"])


def _forgive(attempt: PinAttempt | LogInAttempt) -> None:
    """Forget the failures before a success."""
    if attempt.failure_count:
        attempt.failure_count, attempt.next_at = 0, None
        attempt.save(update_fields=["failure_count", "next_at"])


def _refusal_after(attempt: PinAttempt | LogInAttempt | None, now: datetime, code: DoorCode, sentence: str) -> Refusal:
    """Return the refusal of an attempt, with the seconds to wait before the next one where there are any."""
    if attempt is None or attempt.next_at is None:
        return Refusal(code, sentence)
    seconds = -((now - attempt.next_at).total_seconds() // 1)
    return Refusal(code, f"{sentence} The next attempt counts in {seconds:.0f} s.", wait_seconds=int(seconds))


def _journal_delay(
    casino_id: int, kind: str, attempt: PinAttempt | LogInAttempt, place: dict[str, str], now: datetime
) -> None:
    body = {"staff": attempt.staff.number, **place, "failures": attempt.failure_count}
    append_to_casino(casino_id, kind, body, author="", happened_at=now)


# --- devices ---------------------------------------------------------------------------------------------


def issue_device_token(
    *, casino_id: int, kind: str, table_id: int | None, code: str, by: Author | None, now: datetime
) -> IssuedDevice:
    """Give a device a token; a device of that code gets a new one in place of its old.

    The token is random and kept as SHA-256, so this answer is the only place where it can be read.
    A device keeps its sign-ons across a new token: they author what it still has queued.

    Raises: not_allowed.
    """
    pit_id = Table.objects.values_list("pit_id", flat=True).get(id=table_id) if table_id else None
    if by is not None:
        access.require(by, "device.issue", pit_id)
    _lock_casino(casino_id)
    token = tokens.make()
    device, created = Device.objects.get_or_create(
        code=code,
        defaults={
            "casino_id": casino_id,
            "kind": kind,
            "table_id": table_id,
            "token_sha256": tokens.digest(token),
            "issued_at": now,
            "issued_by_id": by.staff_id if by else None,
        },
    )
    if not created:
        if (device.casino_id, device.kind, device.table_id) != (casino_id, kind, table_id):
            raise Refusal(
                DoorCode.NOT_ALLOWED,
                f"Device {code} is of another kind or belongs to another table.",
                device=code,
            )
        Device.objects.filter(id=device.pk).update(token_sha256=tokens.digest(token), revoked_at=None, revoked_by=None)
    body: dict[str, int | str] = {
        "device": code,
        "kind": kind,
        "table": _code(table_id),
        "renewed": int(not created),
    }
    append_to_casino(casino_id, "device", body, author=_number(by), happened_at=now)
    return IssuedDevice(device.pk, code, token)


def revoke_device(*, device_id: int, by: Author | None, now: datetime) -> None:
    """Take a device's token back and end its sign-ons: a lost tablet says nothing more.

    Raises: not_allowed.
    """
    device = Device.objects.select_related("table").get(id=device_id)
    if by is not None:
        access.require(by, "device.revoke", device.table.pit_id if device.table else None)
    _lock_casino(device.casino_id)
    revoked = Device.objects.filter(id=device_id, revoked_at=None).update(
        revoked_at=now, revoked_by_id=by.staff_id if by else None
    )
    if revoked:
        _end(SignOn.objects.filter(device_id=device_id), SignOn.Ending.REVOKED, now)
        append_to_casino(
            device.casino_id, "device_revoked", {"device": device.code}, author=_number(by), happened_at=now
        )


def see_device(device: DeviceView, now: datetime) -> None:
    """Note that a device was heard, unless that was noted a moment ago. It is in no journal and proves nothing."""
    if device.seen_at is None or now - device.seen_at > SEEN_EVERY:
        DeviceSight.objects.update_or_create(device_id=device.id, defaults={"seen_at": now})


# --- sign-on, relief, sign-off -----------------------------------------------------------------------------


def sign_on(
    *,
    device: DeviceView,
    table_id: int,
    number: str,
    pin: str,
    role: str | None,
    relieve: bool,
    pen: bool = False,
    claim: Claim | None = None,
    now: datetime,
) -> Started:
    """Sign a person on at a table by his PIN over the device's token. Own transaction.

    A table has one dealer and one bet controller at a time, as have they one table: who signs on elsewhere
    has left the first. Another person's place is taken only as his relief (`relieve`), which the newcomer's
    PIN makes good; his token authors no more than what happened before this moment. Who is there already on
    another device stays on both.

    The pen, with which the cards are entered, comes with a dealer where no dealer is left at the device that
    holds it, and wherever he takes it (`pen`).

    A `claim` that a device made off line becomes the sign-on, with its token and from its moment on: what was entered
    under it is that person's, whose PIN says so now.

    Raises: wrong_pin, not_allowed.
    """
    device.require_table(table_id)
    if device.kind != Device.Kind.CONSOLE:
        raise Refusal(DoorCode.NOT_ALLOWED, "A shoe has no keys for a PIN: its dealer signs on at a console.")
    person = verify_pin(casino_id=device.casino_id, number=number, pin=pin, device_id=device.id, now=now)
    table = Table.objects.get(id=table_id, casino_id=device.casino_id)
    chosen = _post_at(person, role, table.pit_id)
    with transaction.atomic():
        _lock_casino(device.casino_id)
        if not Device.objects.filter(id=device.id, revoked_at=None).exists():
            raise Refusal(DoorCode.NOT_ALLOWED, f"Device {device.code} has been revoked.")
        there = SignOn.objects.filter(table_id=table_id, role=chosen.role, ended_at=None)
        others = there.exclude(staff_id=person.staff_id)
        if chosen.role not in access.ONE_PLACE_ROLES:
            others = others.filter(device_id=device.id)
        relieved = tuple(others.order_by("staff__number").values_list("staff__number", flat=True).distinct())
        if relieved and not relieve:
            raise Refusal(
                DoorCode.NOT_ALLOWED,
                f"Staff {', '.join(relieved)} is on duty at this table: sign on as relief.",
                on_duty=",".join(relieved),
            )
        started_at = now if claim is None else min(max(claim.made_at, now - LONGEST_CLAIM), now)
        relieved_ids = list(others.values_list("id", flat=True))
        _end(SignOn.objects.filter(id__in=relieved_ids), SignOn.Ending.RELIEF, started_at)
        _end(there.filter(staff_id=person.staff_id, device_id=device.id), SignOn.Ending.AGAIN, started_at)
        moved_from = _leave_other_tables(person, chosen.role, table_id, now)
        token = tokens.make() if claim is None else claim.token
        if SignOn.objects.filter(token_sha256=tokens.digest(token)).exists():
            raise Refusal(DoorCode.ALREADY_DONE, "This claim is a sign-on already.")
        signon = SignOn.objects.create(
            staff_id=person.staff_id,
            role=chosen.role,
            table_id=table_id,
            device_id=device.id,
            token_sha256=tokens.digest(token),
            started_at=started_at,
        )
        SignOn.objects.filter(id__in=relieved_ids).update(relieved_by=signon)
        body: dict[str, int | str] = {
            "staff": number,
            "role": chosen.role,
            "table": table.code,
            "device": device.code,
            "relieved": ",".join(relieved),
            "moved_from": ",".join(moved_from),
            "claimed": int(claim is not None),
            "started_at": time_text(started_at),
            "pen_from": _move_pen(table_id, device, chosen.role, take=pen, now=now),
        }
        append_to_casino(device.casino_id, "relief" if relieved else "sign_on", body, author=number, happened_at=now)
        staff = Staff.objects.get(id=person.staff_id)
    return Started(token, number, staff.name, staff.language, chosen.role, started_at, relieved)


def _move_pen(table_id: int, device: DeviceView, role: str, *, take: bool, now: datetime) -> str:
    """Let a dealer's device enter the cards if nobody's does, or if he takes the pen; name the device that did.

    The table is locked, so that no card is being recorded meanwhile. Raises: not_allowed.
    """
    if take and role != access.DEALER:
        raise Refusal(DoorCode.NOT_ALLOWED, "Only a dealer enters the cards.")
    head = TableHead.objects.select_for_update().get(table_id=table_id)
    held = head.pen_id
    dealers = SignOn.objects.filter(table_id=table_id, role=access.DEALER, ended_at=None)
    left = held is None or not dealers.filter(device_id=held).exists()
    moves = role == access.DEALER and held != device.id and (take or left)
    if moves:
        TableHead.objects.filter(table_id=table_id).update(pen_id=device.id)
    holder = device.id if moves else held
    if holder is not None:
        # Whoever holds it is given a moment before he counts as silent.
        Heard.objects.update_or_create(device_id=holder, defaults={"heard_at": now})
    return Device.objects.values_list("code", flat=True).get(id=held) if moves and held is not None else ""


def _post_at(person: Author, role: str | None, pit_id: int | None) -> Post:
    """Choose the post under which somebody stands at a table: the named role, or his first that can."""
    wanted = access.TABLE_ROLES if role is None else (role,)
    for name in wanted:
        for post in person.posts:
            held = Author(person.staff_id, person.number, (post,))
            if post.role == name and access.may(held, "signon", pit_id):
                return post
    what = "any role" if role is None else role
    raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {person.number} may not sign on here as {what}.", staff=person.number)


def _leave_other_tables(person: Author, role: str, table_id: int, now: datetime) -> list[str]:
    if role not in access.ONE_PLACE_ROLES:
        return []
    elsewhere = SignOn.objects.filter(staff_id=person.staff_id, role__in=access.ONE_PLACE_ROLES, ended_at=None).exclude(
        table_id=table_id
    )
    codes = sorted(set(elsewhere.values_list("table__code", flat=True)))
    _end(elsewhere, SignOn.Ending.MOVED, now)
    return codes


def sign_off(*, device: DeviceView, table_id: int, token: str, now: datetime) -> None:
    """End a sign-on of this device. Its token authors no more than what happened before this moment.

    Signing off twice is signing off once.

    Raises: not_signed_on.
    """
    _lock_casino(device.casino_id)
    signon = queries.signon_of_token(token)
    queries.author_of_signon(
        signon, device_id=device.id, table_id=table_id, happened_at=signon.started_at if signon else now
    )
    assert signon is not None
    if _end(SignOn.objects.filter(id=signon.id), SignOn.Ending.OFF, now):
        body: dict[str, int | str] = {
            "staff": signon.number,
            "role": signon.role,
            "table": _code(table_id),
            "device": device.code,
        }
        append_to_casino(device.casino_id, "sign_off", body, author=signon.number, happened_at=now)


# --- four eyes -------------------------------------------------------------------------------------------


def ask_approval(*, table_id: int, deed: str, event_id: uuid.UUID, author_id: int, now: datetime) -> None:
    """Note that an event waits for a second person, once for each event; its id is the approval's.

    Journals nothing: what waits has changed nothing, and who asked is in the event.
    """
    Approval.objects.get_or_create(
        id=event_id, defaults={"table_id": table_id, "deed": deed, "author_id": author_id, "asked_at": now}
    )


def decide(*, approval_id: uuid.UUID, approver: Author, verdict: str, device_id: int | None, now: datetime) -> None:
    """Decide what waits for a second person: once, by somebody else than its author.

    The caller has checked his PIN. Locks the casino's head: call it before a table's is locked. Of two
    decisions the first holds.

    Raises: not_allowed.
    """
    approval = Approval.objects.select_related("table", "author").get(id=approval_id)
    access.require(approver, f"approve.{approval.deed}", approval.table.pit_id)
    if approver.staff_id == approval.author_id:
        raise Refusal(
            DoorCode.NOT_ALLOWED,
            f"Staff {approver.number} asked for this himself: another person decides.",
            staff=approver.number,
        )
    casino_id = approval.table.casino_id
    _lock_casino(casino_id)
    earlier = ApprovalDecision.objects.filter(approval_id=approval_id).select_related("approver").first()
    if earlier is not None:
        raise Refusal(
            DoorCode.NOT_ALLOWED,
            f"Staff {earlier.approver.number} has decided this already: {earlier.verdict}.",
            staff=earlier.approver.number,
        )
    ApprovalDecision.objects.create(
        approval_id=approval_id,
        approver_id=approver.staff_id,
        verdict=verdict,
        device_id=device_id,
        decided_at=now,
    )
    body: dict[str, int | str] = {
        "deed": approval.deed,
        "event": str(approval_id),
        "table": approval.table.code,
        "asked_by": approval.author.number,
        "verdict": verdict,
    }
    append_to_casino(casino_id, "approval", body, author=approver.number, happened_at=now)


# --- shared ------------------------------------------------------------------------------------------------


def _require_house(by: Author | None, deed: str) -> None:
    if by is not None:
        access.require(by, deed, None)


def _refuse_self(by: Author | None, staff_id: int) -> None:
    if by is not None and by.staff_id == staff_id:
        raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {by.number} may not change his own posts.", staff=by.number)


def _number(by: Author | None) -> str:
    """Name who did it in an entry; the operator's shell has no number."""
    return by.number if by else ""


def _code(table_id: int | None) -> str:
    return Table.objects.values_list("code", flat=True).get(id=table_id) if table_id else ""


def _live_posts(staff_id: int, role: str, pit_id: int | None) -> QuerySet[Appointment]:
    posts = Appointment.objects.filter(staff_id=staff_id, role=role, until_at=None)
    return posts.filter(pit__isnull=True) if pit_id is None else posts.filter(pit_id=pit_id)


def _post_body(staff: Staff, role: str, pit_id: int | None) -> dict[str, int | str]:
    pit = Pit.objects.values_list("name", flat=True).get(id=pit_id) if pit_id else ""
    return {"staff": staff.number, "role": role, "pit": pit}


def _lock_casino(casino_id: int) -> None:
    """Take the casino's turn: what touches it happens in order. Its entries take the same lock."""
    CasinoHead.objects.select_for_update().get(casino_id=casino_id)


def _end(signons: QuerySet[SignOn], ending: str, now: datetime) -> int:
    """End those of these sign-ons that are live. A clock that went back does not end one before it began."""
    return signons.filter(ended_at=None).update(ended_at=Greatest(F("started_at"), Value(now)), ending=ending)
