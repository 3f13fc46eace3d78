"""Sign-on, relief, sign-off and approvals over HTTP. It translates; the actions decide."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.access import Author
from tables.actions import asking, door, people
from tables.actions.people import Claim
from tables.api.authentication import author_of, device_of
from tables.models.house import Table
from tables.models.people import ApprovalDecision
from tables.queries import asked as asked_queries
from tables.queries import people as queries
from tables.queries.people import ApprovalView, DeviceView
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal


class SignOnAsked(serializers.Serializer[object]):
    """Who wants to sign on. `relieve`: he takes the place of whoever is there; `pen`: he enters the cards now."""

    staff = serializers.CharField(max_length=16)
    pin = serializers.CharField(max_length=16, trim_whitespace=False, write_only=True)
    role = serializers.ChoiceField(access.TABLE_ROLES, required=False)
    relieve = serializers.BooleanField(default=False)
    pen = serializers.BooleanField(default=False)
    claim = serializers.RegexField(r"^[A-Za-z0-9_-]{43,86}$", required=False, write_only=True)
    claimed_at = serializers.DateTimeField(required=False, help_text="by the device's clock, as sent_at")
    sent_at = serializers.DateTimeField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a claim without its two times."""
        if "claim" in attrs and not {"claimed_at", "sent_at"} <= attrs.keys():
            raise serializers.ValidationError({"claim": "with claimed_at and sent_at"})
        return attrs


class SignOnGiven(serializers.Serializer[object]):
    """A sign-on: its token is said here and never again."""

    signon = serializers.CharField()
    device = serializers.CharField(help_text="what this device's envelopes call `device`")
    staff = serializers.CharField()
    name = serializers.CharField()
    language = serializers.CharField()
    role = serializers.CharField()
    since = serializers.DateTimeField()
    relieved = serializers.ListField(child=serializers.CharField())


class SignOffAsked(serializers.Serializer[object]):
    """Which sign-on ends."""

    signon = serializers.CharField(max_length=128)


class Duty(serializers.Serializer[object]):
    """Somebody at a table."""

    staff = serializers.CharField()
    name = serializers.CharField()
    role = serializers.CharField()
    device = serializers.CharField()
    since = serializers.DateTimeField()


class Candidate(serializers.Serializer[object]):
    """Somebody who may sign on at a table."""

    staff = serializers.CharField()
    name = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())


class DecisionAsked(serializers.Serializer[object]):
    """What the second person decides. From a log-in his own number may be left out; the PIN never."""

    decision = serializers.ChoiceField(["approve", "refuse"])
    staff = serializers.CharField(max_length=16, required=False)
    pin = serializers.CharField(max_length=16, trim_whitespace=False, write_only=True)


class ApprovalShown(serializers.Serializer[object]):
    """A deed that waits for, or got, its second person; `asked` says what for, until it is decided."""

    id = serializers.UUIDField()
    deed = serializers.CharField()
    table = serializers.CharField()
    asked_by = serializers.CharField()
    asked_by_name = serializers.CharField()
    asked_at = serializers.DateTimeField()
    verdict = serializers.CharField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    asked = serializers.DictField(allow_null=True)


class ApprovalDecided(ApprovalShown):
    """A decided deed, and what came of the event that had waited: of a correction an answer as the door gives it."""

    answer = serializers.DictField()


def _table_for(request: Request, code: str, deed: str) -> Table:
    """Find the table that is asked about, and refuse whoever has no business there."""
    table = get_object_or_404(Table, code=code)
    device = device_of(request)
    if device is not None:
        if device.casino_id != table.casino_id:
            raise NotFound
        device.require_table(table.pk)
        return table
    author = author_of(request)
    assert author is not None, "MayDo lets nobody else in"
    access.require(author, deed, table.pit_id)
    return table


def _device(request: Request) -> DeviceView:
    device = device_of(request)
    if device is None:
        raise Refusal(DoorCode.NOT_ALLOWED, "One signs on at a table's device, not from a log-in.")
    return device


class SignOns(APIView):
    """Who is at a table: see it, sign on, relieve, sign off."""

    deeds = {"GET": "read.table", "POST": "signon", "DELETE": "signon"}

    @extend_schema(responses=Duty(many=True))
    def get(self, request: Request, code: str) -> Response:
        """List who is on duty at the table, longest first."""
        table = _table_for(request, code, "read.table")
        found = queries.on_duty([table.pk]).get(table.pk, ())
        return Response(
            [{"staff": d.number, "name": d.name, "role": d.role, "device": d.device, "since": d.since} for d in found]
        )

    @extend_schema(request=SignOnAsked, responses={201: SignOnGiven})
    def post(self, request: Request, code: str) -> Response:
        """Sign a person on by PIN over the device's token."""
        device = _device(request)
        table = _table_for(request, code, "signon")
        asked = SignOnAsked(data=request.data)
        asked.is_valid(raise_exception=True)
        now = timezone.now()
        started = people.sign_on(
            device=device,
            table_id=table.pk,
            number=asked.validated_data["staff"],
            pin=asked.validated_data["pin"],
            role=asked.validated_data.get("role"),
            relieve=asked.validated_data["relieve"],
            pen=asked.validated_data["pen"],
            claim=_claim(asked.validated_data, now),
            now=now,
        )
        body = {
            "signon": started.token,
            "device": device.code,
            "staff": started.number,
            "name": started.name,
            "language": started.language,
            "role": started.role,
            "since": started.started_at,
            "relieved": list(started.relieved),
        }
        return Response(body, status.HTTP_201_CREATED)

    @extend_schema(request=SignOffAsked, responses={204: None})
    def delete(self, request: Request, code: str) -> Response:
        """Sign a person off."""
        device = _device(request)
        table = _table_for(request, code, "signon")
        asked = SignOffAsked(data=request.data)
        asked.is_valid(raise_exception=True)
        with transaction.atomic():
            people.sign_off(device=device, table_id=table.pk, token=asked.validated_data["signon"], now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


def _claim(asked: dict[str, Any], now: datetime) -> Claim | None:
    """Read a device's claim; when it was made counts by how long ago that was, so that a wrong clock cancels out."""
    if "claim" not in asked:
        return None
    return Claim(asked["claim"], now - max(asked["sent_at"] - asked["claimed_at"], timedelta()))


class TableStaff(APIView):
    """Who may sign on at a table, so that a person taps a name."""

    deed = "signon"

    @extend_schema(responses=Candidate(many=True))
    def get(self, request: Request, code: str) -> Response:
        """List who may sign on at the table, by staff number."""
        table = _table_for(request, code, "signon")
        found = queries.may_sign_on(table.pk, table.pit_id)
        return Response([{"staff": c.number, "name": c.name, "roles": list(c.roles)} for c in found])


class Approvals(APIView):
    """What waits for a second person."""

    deed = "approve"

    @extend_schema(responses=ApprovalShown(many=True))
    def get(self, request: Request) -> Response:
        """List what this person may decide, or what waits at this device's table; oldest first."""
        device = device_of(request)
        author = author_of(request)
        if device is not None:
            found = queries.waiting_at([device.table_id] if device.table_id else [])
        else:
            assert author is not None, "MayDo lets nobody else in"
            found = queries.waiting_for(author)
        return Response(shown(found))


class OneApproval(APIView):
    """One deed that waits for a second person."""

    deed = "approve"

    @extend_schema(responses=ApprovalShown)
    def get(self, request: Request, approval_id: uuid.UUID) -> Response:
        """Say how it stands."""
        return Response(shown([_approval_for(request, approval_id)])[0])

    @extend_schema(request=DecisionAsked, responses=ApprovalDecided)
    def post(self, request: Request, approval_id: uuid.UUID) -> Response:
        """Approve or refuse, by PIN at this moment."""
        view = _approval_for(request, approval_id)
        asked = DecisionAsked(data=request.data)
        asked.is_valid(raise_exception=True)
        now = timezone.now()
        device = device_of(request)
        approver = people.verify_pin(
            casino_id=Table.objects.values_list("casino_id", flat=True).get(id=view.table_id),
            number=_approver_number(author_of(request), asked.validated_data.get("staff")),
            pin=asked.validated_data["pin"],
            device_id=device.id if device else None,
            now=now,
        )
        approved = asked.validated_data["decision"] == "approve"
        verdict = ApprovalDecision.Verdict.APPROVED if approved else ApprovalDecision.Verdict.REFUSED
        device_id = device.id if device else None
        if view.deed == "correct":
            answer = door.decide(approval_id, approver, verdict, device_id, now).data()
        else:
            asking.decide(approval_id, approver, verdict, device_id, now)
            answer = {"id": str(approval_id), "status": "recorded" if approved else "refused"}
        return Response({**shown([_approval_for(request, approval_id)])[0], "answer": answer})


def _approver_number(author: Author | None, claimed: str | None) -> str:
    """Say whose PIN is asked. From a log-in only his own counts: nobody tries another's from his chair."""
    if author is None:
        if not claimed:
            raise serializers.ValidationError({"staff": "Who decides?"})
        return claimed
    if claimed not in (None, author.number):
        raise Refusal(DoorCode.NOT_ALLOWED, f"Staff {author.number} is logged in here and decides by his own PIN.")
    return author.number


def _approval_for(request: Request, approval_id: uuid.UUID) -> ApprovalView:
    view = queries.approval(approval_id)
    if view is None:
        raise NotFound
    _table_for(request, view.table, "approve")
    return view


def shown(views: Sequence[ApprovalView]) -> list[dict[str, Any]]:
    """Write approvals as the API gives them."""
    what = asked_queries.asked([view.id for view in views if view.verdict is None])
    return [
        {
            "id": view.id,
            "deed": view.deed,
            "table": view.table,
            "asked_by": view.author,
            "asked_by_name": view.author_name,
            "asked_at": view.asked_at,
            "verdict": view.verdict,
            "decided_by": view.approver,
            "decided_at": view.decided_at,
            "asked": asdict(what[view.id]) if view.id in what else None,
        }
        for view in views
    ]
