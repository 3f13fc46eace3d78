"""Counts, slips, the chip bank, drop boxes and the books over HTTP. It translates; the actions decide.

Whoever signs does so by PIN at this moment: `signatures` is a list of `{"staff", "pin"}`. From a log-in one of them is
the person logged in; from a table's device they are whoever stands there.
"""

import uuid
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import access
from tables.access import Author
from tables.actions import asking, cage, movements
from tables.api.authentication import author_of, device_of
from tables.api.people import shown
from tables.journal.chain import time_text
from tables.models.house import Casino, Table
from tables.queries import books as book_queries
from tables.queries import chips as chip_queries
from tables.queries import movements as movement_queries
from tables.queries import people as people_queries
from tables.queries import shifts as shift_queries
from tables.queries import slips as slip_queries
from tables.queries.movements import MovementRecord
from tables.queries.slips import DropView, SlipView
from tables.refusals import DoorCode
from tables.rules.refusals import Refusal

_LARGEST = 2**53 - 1


class Signature(serializers.Serializer[object]):
    """Who signs, by PIN."""

    staff = serializers.CharField(max_length=16)
    pin = serializers.CharField(max_length=16, trim_whitespace=False, write_only=True)


class Signed(serializers.Serializer[object]):
    """What people sign, the one who does it first. The same `id` again is the same deed, and is answered as before."""

    id = serializers.UUIDField()
    signatures = serializers.ListField(child=Signature(), min_length=1, max_length=2)


class Pieces(serializers.DictField):
    """Pieces by the name of a chip."""

    child = serializers.IntegerField(min_value=1, max_value=cage.MOST_PIECES)


class ByTwo(Signed):
    """What two sign. With `ask` one does, and it waits on the floor for the other: 202, and the approval."""

    ask = serializers.BooleanField(default=False)


class CountAsked(ByTwo):
    """A count of a float, signed by dealer and inspector."""

    chips = Pieces(allow_empty=True)


class MovementAsked(Signed):
    """What moves at a table beside play, as an event of the table log."""

    event = serializers.DictField()


class MovementCorrectionAsked(ByTwo):
    """What a movement should have said, as an event of the table log. `known`: corrections seen of it, 0 at first."""

    event = serializers.DictField()
    known = serializers.IntegerField(min_value=0, max_value=10_000)
    reason = serializers.CharField(max_length=500)


class ChipsAsked(serializers.Serializer[object]):
    """Chips of the house: values in minor units by name, null for a colour chip."""

    id = serializers.UUIDField()
    currency = serializers.CharField(max_length=40)
    chip_set = serializers.CharField(max_length=40)
    chips = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=_LARGEST, allow_null=True), allow_empty=False
    )

    def validate_chips(self, chips: dict[str, Any]) -> dict[str, Any]:
        """Refuse names that the table log does not take."""
        if not all(chip_queries.is_name(name) for name in chips):
            raise serializers.ValidationError("A chip has up to 20 letters, digits, dots, colons or hyphens.")
        return chips


class PolicyAsked(Signed):
    """Above which differences a count is an incident, and how much a residual may be, in minor units of a currency.

    Without a currency it is the house's own.
    """

    currency = serializers.CharField(max_length=40, required=False)
    notice_minor = serializers.IntegerField(min_value=1, max_value=_LARGEST)
    grave_minor = serializers.IntegerField(min_value=1, max_value=_LARGEST)
    tolerance_minor = serializers.IntegerField(min_value=0, max_value=_LARGEST)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a grave difference below one that is only noted."""
        if attrs["grave_minor"] < attrs["notice_minor"]:
            raise serializers.ValidationError({"grave_minor": "not below notice_minor"})
        return attrs


class DeliveryAsked(Signed):
    """Chips that come into the chip bank from outside, signed by two."""

    currency = serializers.CharField(max_length=40)
    chips = Pieces(allow_empty=False)


class SlipAsked(ByTwo):
    """A fill or a credit that is asked for; with `ask` a dealer wants it, and somebody over the table asks the cage."""

    table = serializers.CharField(max_length=200)
    kind = serializers.ChoiceField(["fill", "credit"])
    chips = Pieces(allow_empty=False)


class LateSlipAsked(SlipAsked):
    """A slip that was written by hand, with the number of its paper and when it happened."""

    paper_number = serializers.CharField(max_length=40)
    happened_at = serializers.DateTimeField()


class StepAsked(ByTwo):
    """A step of a slip or a box; a slip is voided or declined for a reason."""

    reason = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)


class SlipCorrectionAsked(ByTwo):
    """What a received slip should have said; no chips: nothing moved. `known`: corrections seen of it, 0 at first."""

    chips = Pieces(allow_empty=True)
    known = serializers.IntegerField(min_value=0, max_value=10_000)
    reason = serializers.CharField(max_length=500)


class BoxAsked(Signed):
    """A box that is put on a table."""

    table = serializers.CharField(max_length=200)
    box = serializers.CharField(max_length=40)


class BoxStepAsked(Signed):
    """A step of a box; a count says how many pieces of each denomination (in minor units) were found."""

    lines = serializers.DictField(
        child=serializers.IntegerField(min_value=1, max_value=cage.MOST_PIECES), required=False, default=dict
    )

    def validate_lines(self, lines: dict[str, int]) -> dict[int, int]:
        """Read the denominations."""
        if not all(each.isascii() and each.isdigit() and len(each) < 12 for each in lines):
            raise serializers.ValidationError("Denominations are whole minor units.")
        if len({int(each) for each in lines}) != len(lines):
            raise serializers.ValidationError("A denomination is given twice.")
        return {int(each): pieces for each, pieces in lines.items()}


def read(serializer: type[serializers.Serializer[object]], request: Request) -> dict[str, Any]:
    """Read the body that a serializer describes. Raises ValidationError."""
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


def casino_of(request: Request) -> int:
    """Return the house of whoever asks, person or device."""
    device, author = device_of(request), author_of(request)
    if device is not None:
        return device.casino_id
    assert author is not None, "MayDo lets nobody else in"
    return people_queries.person(author.staff_id).casino_id


def signers(request: Request, asked: dict[str, Any], *, at_least: int = 1) -> list[Author]:
    """Find out by PIN who signs. From a log-in one of them is the person logged in. Raises: wrong_pin, not_allowed."""
    here, device = author_of(request), device_of(request)
    return cage.sign(
        casino_of(request),
        [(each["staff"], each["pin"]) for each in asked["signatures"]],
        here=None if here is None else here.number,
        device_id=None if device is None else device.id,
        at_least=at_least,
        now=timezone.now(),
    )


def ask(request: Request, code: str, what: str, content: dict[str, Any], asked: dict[str, Any]) -> Response:
    """Let a deed by two wait for its second person: the one who signed asks."""
    (author, *_others) = signers(request, asked)
    id = asked["id"]
    asking.ask(code, what, content, id=id, author=author, now=timezone.now())
    found = people_queries.approval(id)
    assert found is not None, "it was asked for just now"
    return Response(shown([found])[0], status.HTTP_202_ACCEPTED)


def table_of(request: Request, code: str, deed: str) -> Table:
    """Return a table at which whoever asks may do this. Raises: not_allowed, Http404."""
    table = get_object_or_404(Table, code=code, casino_id=casino_of(request))
    device, author = device_of(request), author_of(request)
    if device is not None:
        device.require_table(table.pk)
    else:
        assert author is not None, "MayDo lets nobody else in"
        access.require(author, deed, table.pit_id)
    return table


def _may(request: Request, deed: str, pit_id: int | None) -> bool:
    author = author_of(request)
    return author is not None and access.may(author, deed, pit_id)


# -- chips


class Chips(APIView):
    """The chips of the house, and what a difference means to it."""

    deeds = {"GET": "read.chips", "POST": "chips.declare"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List the chips by currency."""
        shown = chip_queries.chips_shown(casino_of(request))
        return Response({currency: [asdict(chip) for chip in chips] for currency, chips in shown.items()})

    @extend_schema(request=ChipsAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Declare chips."""
        asked = read(ChipsAsked, request)
        author = author_of(request)
        if author is None:
            raise Refusal(DoorCode.NOT_ALLOWED, "No device declares chips.")
        cage.declare_chips(
            casino_of(request),
            asked["currency"],
            asked["chip_set"],
            asked["chips"],
            by=author,
            now=timezone.now(),
            id=asked["id"],
        )
        response = self.get(request)
        response.status_code = status.HTTP_201_CREATED
        return response


class ChipPolicies(APIView):
    """Above which differences a count is an incident."""

    deeds = {"GET": "chips.declare", "POST": "chips.declare"}

    @extend_schema(
        responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("currency", str, description="the casino's own")]
    )
    def get(self, request: Request) -> Response:
        """Say what holds."""
        return self._holds(request, request.query_params.get("currency"))

    @extend_schema(request=PolicyAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Set it, by two."""
        asked = read(PolicyAsked, request)
        author, approver = signers(request, asked, at_least=2)
        casino = Casino.objects.get(pk=casino_of(request))
        cage.set_policy(
            casino.pk,
            currency=asked.get("currency") or casino.currency,
            notice_minor=asked["notice_minor"],
            grave_minor=asked["grave_minor"],
            tolerance_minor=asked["tolerance_minor"],
            author=author,
            approver=approver,
            now=timezone.now(),
            id=asked["id"],
        )
        response = self._holds(request, asked.get("currency"))
        response.status_code = status.HTTP_201_CREATED
        return response

    def _holds(self, request: Request, currency: str | None) -> Response:
        casino = Casino.objects.get(pk=casino_of(request))
        of = currency or casino.currency
        return Response({"currency": of, **asdict(chip_queries.policy(casino.pk, of))})


class ChipBank(APIView):
    """The cage's chips."""

    deeds = {"GET": "read.bank", "POST": "bank.deliver"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """Say what lies there, and whether the movements add up to it."""
        found = slip_queries.bank(casino_of(request))
        return Response([asdict(stock) | {"agrees": stock.agrees} for stock in found])

    @extend_schema(request=DeliveryAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Put chips in that come from outside."""
        asked = read(DeliveryAsked, request)
        author, second = signers(request, asked, at_least=2)
        cage.deliver(
            casino_of(request),
            asked["currency"],
            asked["chips"],
            author=author,
            second=second,
            now=timezone.now(),
            id=asked["id"],
        )
        response = self.get(request)
        response.status_code = status.HTTP_201_CREATED
        return response


# -- a table's float


class Float(APIView):
    """A table's float."""

    deeds = {"GET": "read.chips"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str) -> Response:
        """Say how it stands: `proposed` is the last closer; `books` only for who may see what is expected."""
        table = table_of(request, code, "read.chips")
        state, number = chip_queries.state_of(table.pk)
        closer = chip_queries.last_closer(table.pk)
        found = book_queries.books_of_opening(code, number) if number is not None else None
        chips = chip_queries.chips_shown(table.casino_id).get(table.currency, ())
        return Response(
            {
                "table": code,
                "state": state,
                "opening": number,
                "currency": table.currency,
                "chips": [asdict(chip) for chip in chips if not chip.withdrawn],
                "rollover_due": any(
                    each.table == code for each in shift_queries.overdue(table.casino_id, timezone.now())
                ),
                "proposed": None if closer is None else asdict(closer),
                "books": found.data() if found is not None and _may(request, "read.books", table.pit_id) else None,
            }
        )


class FloatCount(APIView):
    """Counts of a float: `opener`, `closer`, `rollover` (both at once), `count`."""

    deeds = {"POST": "count.float"}

    @extend_schema(request=CountAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str, kind: str) -> Response:
        """Open or close the table with a count, or count its float now: dealer first, then inspector."""
        counts = {"opener": cage.open_counted, "closer": cage.close_counted, "count": cage.count_float}
        counts["rollover"] = cage.roll_over
        if kind not in counts:
            raise NotFound
        table_of(request, code, "count.float")
        asked = read(CountAsked, request)
        if asked["ask"]:
            return ask(request, code, kind, {"chips": asked["chips"]}, asked)
        dealer, inspector = signers(request, asked, at_least=2)
        answer = counts[kind](
            code,
            asked["chips"],
            dealer=dealer,
            inspector=inspector,
            id=asked["id"],
            now=timezone.now(),
        )
        return Response(answer.data(), status.HTTP_201_CREATED)


class FloatMovements(APIView):
    """What moves at a table beside play: buy-ins, exchanges, fees, values of colours."""

    deeds = {"POST": "chips.move"}

    @extend_schema(request=MovementAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str) -> Response:
        """Record it, signed by one person."""
        table = table_of(request, code, "chips.move")
        asked = read(MovementAsked, request)
        (author, *_others) = signers(request, asked)
        answer = cage.move_chips(table.code, asked["event"], id=asked["id"], author=author)
        return Response(answer.data(), status.HTTP_201_CREATED)


def _movement_data(found: MovementRecord) -> dict[str, Any]:
    data = asdict(found) | {"exponent": found.exponent}
    return {name: value for name, value in data.items() if name not in ("id", "opening_id", "casino_id", "pit_id")}


class MovementCorrections(APIView):
    """A movement of a float with its corrections. `place` is its number among the movements of its opening, from 1."""

    deeds = {"GET": "movement.correct", "POST": "movement.correct"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, code: str, number: int, place: int) -> Response:
        """Say what it said, and everything that it was corrected to."""
        return Response(_movement_data(self._found(request, code, number, place)))

    @extend_schema(request=MovementCorrectionAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, code: str, number: int, place: int) -> Response:
        """Correct it, by two of whom the second has had no part in it."""
        self._found(request, code, number, place)
        asked = read(MovementCorrectionAsked, request)
        if asked["ask"]:
            content = {"opening": number, "place": place}
            content |= {name: asked[name] for name in ("event", "known", "reason")}
            return ask(request, code, "movement", content, asked)
        author, approver = signers(request, asked, at_least=2)
        found = movements.correct_movement(
            code,
            number,
            place,
            asked["event"],
            id=asked["id"],
            known=asked["known"],
            reason=asked["reason"],
            author=author,
            approver=approver,
            now=timezone.now(),
        )
        return Response(_movement_data(found), status.HTTP_201_CREATED)

    def _found(self, request: Request, code: str, number: int, place: int) -> MovementRecord:
        table = table_of(request, code, "movement.correct")
        found = movement_queries.movement_at(table.pk, number, place)
        if found is None:
            raise NotFound
        return found


# -- slips


def _slip_data(slip: SlipView) -> dict[str, Any]:
    data = asdict(slip) | {"number": slip.number, "state": slip.state, "exponent": slip.exponent}
    data |= {"standing_minor": slip.standing_minor, "standing_chips": slip.standing_chips}
    return {name: value for name, value in data.items() if name not in ("casino_id", "table_id", "pit_id", "series")}


def _slip(request: Request, slip_id: uuid.UUID, deed: str) -> SlipView:
    slip = slip_queries.slip(slip_id)
    if slip is None or slip.casino_id != casino_of(request):
        raise NotFound
    device, author = device_of(request), author_of(request)
    if device is not None:
        device.require_table(slip.table_id)
    else:
        assert author is not None, "MayDo lets nobody else in"
        access.require(author, deed, slip.pit_id)
    return slip


class Slips(APIView):
    """Fills and credit slips."""

    deeds = {"GET": "read.slips", "POST": "slip.ask"}

    @extend_schema(
        responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("open", bool, description="only without an end")]
    )
    def get(self, request: Request) -> Response:
        """List slips, newest first."""
        found = slip_queries.open_slips() if "open" in request.query_params else slip_queries.latest_slips()
        casino_id = casino_of(request)
        return Response(
            [
                _slip_data(slip)
                for slip in found
                if slip.casino_id == casino_id and _may(request, "read.slips", slip.pit_id)
            ]
        )

    @extend_schema(request=SlipAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Ask for a fill, or offer a credit."""
        asked = read(SlipAsked, request)
        table = table_of(request, asked["table"], "slip.ask" if asked["ask"] else "slip.request")
        if asked["ask"]:
            wanted = {"kind": asked["kind"], "chips": asked["chips"]}
            return ask(request, table.code, "request", wanted, asked)
        (author, *_rest) = signers(request, asked)
        slip = cage.request_slip(
            table.code,
            asked["kind"],
            asked["chips"],
            id=asked["id"],
            author=author,
            now=timezone.now(),
        )
        return Response(_slip_data(slip), status.HTTP_201_CREATED)


class LateSlips(APIView):
    """Slips that were written by hand."""

    deeds = {"POST": "slip.issue"}

    @extend_schema(request=LateSlipAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Enter one: the cage, and somebody over the table."""
        asked = read(LateSlipAsked, request)
        table = get_object_or_404(Table, code=asked["table"], casino_id=casino_of(request))
        if asked["ask"]:
            content = {name: asked[name] for name in ("kind", "chips", "paper_number")}
            content["happened_at"] = time_text(asked["happened_at"])
            return ask(request, table.code, "late", content, asked)
        author, second = signers(request, asked, at_least=2)
        slip = cage.enter_late_slip(
            table.code,
            asked["kind"],
            asked["chips"],
            id=asked["id"],
            paper_number=asked["paper_number"],
            happened_at=asked["happened_at"],
            author=author,
            second=second,
            now=timezone.now(),
        )
        return Response(_slip_data(slip), status.HTTP_201_CREATED)


class SlipsDue(APIView):
    """Steps of slips that wait for somebody."""

    deeds = {"GET": "read.slips"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List the steps that this person may take now by his PIN, at the table after its dealer's; oldest first."""
        author = author_of(request)
        assert author is not None, "MayDo lets no device in"
        return Response([asdict(each) for each in slip_queries.due(author, casino_of(request))])


class SlipNumbers(APIView):
    """The yearly series."""

    deeds = {"GET": "read.slips"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("year", int)])
    def get(self, request: Request) -> Response:
        """Report missing, void and unused numbers of a year."""
        text = request.query_params.get("year", str(timezone.now().year))
        if not text.isascii() or not text.isdigit() or len(text) != 4:
            raise ValidationError({"year": "four digits"})
        return Response([asdict(series) for series in slip_queries.series_report(casino_of(request), int(text))])


class OneSlip(APIView):
    """One slip."""

    deeds = {"GET": "read.slips"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Say how it stands."""
        return Response(_slip_data(_slip(request, slip_id, "read.slips")))


class SlipSteps(APIView):
    """The steps of a slip: `issued`, `declined`, `carried`, `received`, `void`."""

    deeds = {"POST": "slip.step"}

    @extend_schema(request=StepAsked, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, slip_id: uuid.UUID, step: str) -> Response:
        """Take a step, signed by one or, at the table and to make void, by two."""
        if step not in ("issued", "declined", "carried", "received", "void"):
            raise NotFound
        found = _slip(request, slip_id, "slip.step")
        asked = read(StepAsked, request)
        if asked["ask"]:
            reason = {"reason": asked["reason"]} if step == "void" else {}
            return ask(request, found.table, step, {"slip": str(slip_id), **reason}, asked)
        author, *others = signers(request, asked, at_least=2 if step == "void" else 1)
        slip = cage.take_step(
            slip_id,
            step,
            author=author,
            second=others[0] if others else None,
            reason=asked["reason"],
            now=timezone.now(),
            step_id=asked["id"],
        )
        return Response(_slip_data(slip))


class SlipCorrections(APIView):
    """Corrections of a slip."""

    deeds = {"POST": "slip.correct"}

    @extend_schema(request=SlipCorrectionAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, slip_id: uuid.UUID) -> Response:
        """Correct it, by two of whom the second has had no part in it."""
        found = _slip(request, slip_id, "slip.correct")
        asked = read(SlipCorrectionAsked, request)
        if asked["ask"]:
            content = {"slip": str(slip_id)} | {name: asked[name] for name in ("chips", "known", "reason")}
            return ask(request, found.table, "slip_correction", content, asked)
        author, approver = signers(request, asked, at_least=2)
        slip = cage.correct_slip(
            slip_id,
            asked["chips"],
            correction_id=asked["id"],
            known=asked["known"],
            reason=asked["reason"],
            author=author,
            approver=approver,
            now=timezone.now(),
        )
        return Response(_slip_data(slip), status.HTTP_201_CREATED)


# -- drop boxes


def _drop_data(request: Request, drop: DropView) -> dict[str, Any]:
    """Say what somebody may know of a box: nobody who counts learns what is expected."""
    data = asdict(drop) | {"state": drop.state, "exponent": drop.exponent, "variance_minor": drop.variance_minor}
    hidden = {"pit_id", "casino_id", "opening_id"}
    if not _may(request, "read.books", drop.pit_id) or _may(request, "box.count", None):
        hidden |= {"expected_minor", "variance_minor", "approved_variance_minor"}
    return {name: value for name, value in data.items() if name not in hidden}


def _drop(request: Request, drop_id: int, deed: str) -> DropView:
    drop = slip_queries.drop(drop_id)
    if drop is None or drop.casino_id != casino_of(request):
        raise NotFound
    author = author_of(request)
    assert author is not None, "MayDo lets nobody else in"
    access.require(author, deed, drop.pit_id)
    return drop


class Drops(APIView):
    """Drop boxes, each in its time at a table."""

    deeds = {"GET": "read.drops", "POST": "box.move"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """List boxes, newest first."""
        casino_id = casino_of(request)
        return Response(
            [
                _drop_data(request, drop)
                for drop in slip_queries.latest_drops()
                if drop.casino_id == casino_id and _may(request, "read.drops", drop.pit_id)
            ]
        )

    @extend_schema(request=BoxAsked, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Put a box on an open table."""
        asked = read(BoxAsked, request)
        table = table_of(request, asked["table"], "box.move")
        author, second = signers(request, asked, at_least=2)
        drop = cage.attach_box(
            table.code, asked["box"], author=author, second=second, now=timezone.now(), id=asked["id"]
        )
        return Response(_drop_data(request, drop), status.HTTP_201_CREATED)


class OneDrop(APIView):
    """One box."""

    deeds = {"GET": "read.drops"}

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, drop_id: int) -> Response:
        """Say where it is and what was counted in it."""
        return Response(_drop_data(request, _drop(request, drop_id, "read.drops")))


class DropSteps(APIView):
    """The steps of a box: `removed`, `received`, `counted`, `approved`."""

    deeds = {"POST": "box.step"}

    @extend_schema(request=BoxStepAsked, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, drop_id: int, step: str) -> Response:
        """Take a step, signed by two; an approval by one who did not count."""
        if step not in ("removed", "received", "counted", "approved"):
            raise NotFound
        _drop(request, drop_id, "box.step")
        asked = read(BoxStepAsked, request)
        author, *others = signers(request, asked, at_least=1 if step == "approved" else 2)
        second = others[0] if others else author
        return Response(
            _drop_data(
                request,
                cage.take_box_step(
                    drop_id,
                    step,
                    lines=asked["lines"],
                    author=author,
                    second=second,
                    now=timezone.now(),
                    step_id=asked["id"],
                ),
            )
        )


# -- the books


def day_of(request: Request) -> date:
    """Read the gaming day that is asked for; today's where none is."""
    text = request.query_params.get("gaming_date")
    if text is None:
        return shift_queries.calendar_of(casino_of(request)).gaming_date(timezone.now())
    try:
        found = parse_date(text)
    except ValueError:
        found = None
    if found is None or not 1900 < found.year < 9000:
        raise ValidationError({"gaming_date": "a date, 2026-11-30"})
    return found


def _moment(request: Request) -> datetime | None:
    text = request.query_params.get("at")
    if text is None:
        return None
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 1900 < found.year < 9000:
        raise ValidationError({"at": "a moment with its offset, 2026-11-30T21:00:00Z"})
    return found


class DayBooks(APIView):
    """The books of a gaming day."""

    deeds = {"GET": "read.books"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("gaming_date", OpenApiTypes.DATE)])
    def get(self, request: Request) -> Response:
        """Say what every table won, held and cannot explain; `hold` is a fraction, null without a drop."""
        author = author_of(request)
        assert author is not None, "no device reads the books"
        day, pits = day_of(request), access.pits(author, "read.books")
        found = book_queries.books_of_day(casino_of(request), day, pits)
        totals = [
            asdict(total) | {"hold": None if total.hold is None else f"{total.hold.numerator}/{total.hold.denominator}"}
            for total in book_queries.totals(found)
        ]
        incidents = [asdict(each) for each in book_queries.incidents(casino_of(request), day, pits)]
        return Response(
            {
                "gaming_date": day,
                "openings": [each.data() for each in found],
                "totals": totals,
                "incidents": [{k: v for k, v in each.items() if k != "pit_id"} for each in incidents],
            }
        )


class OpeningBooks(APIView):
    """The books of one opening, down to movements, deals and boxes."""

    deeds = {"GET": "read.books"}

    @extend_schema(responses=OpenApiTypes.OBJECT, parameters=[OpenApiParameter("at", OpenApiTypes.DATETIME)])
    def get(self, request: Request, code: str, number: int) -> Response:
        """Say what its figures are made of; with `at`, what should have lain in the float at that moment."""
        table = table_of(request, code, "read.books")
        found = book_queries.account(table.code, number)
        if found is None:
            raise NotFound
        moment = _moment(request)
        at = {} if moment is None else {"expected_at_minor": book_queries.expected_at(found.books, moment)}
        return Response(
            {
                **found.books.data(),
                **at,
                "movements": [asdict(each) | {"difference_minor": each.difference_minor} for each in found.movements],
                "deals": [asdict(each) for each in found.deals],
                "drops": [_drop_data(request, each) for each in found.drops],
                "colours_out": dict(found.colours_out),
            }
        )
