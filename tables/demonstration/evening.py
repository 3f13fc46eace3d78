"""An evening at one table of the demonstration, played through the public API like any console. No database.

It is a guest of the service: what is refused is looked at and played on, what fails is tried again later.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from random import Random
from typing import Any

from tables.demonstration.croupier import Croupier, Event
from tables.demonstration.house import Person

log = logging.getLogger(__name__)

# Method, path and body in; status and decoded answer out.
Call = Callable[[str, str, Any], tuple[int, Any]]
Sleep = Callable[[float], object]

_CARD_SECONDS = 1.6
_BETS_SECONDS = 2.5
_NEW_DEAL_SECONDS = 4.0
_OTHERS_TURN_SECONDS = 10.0
_DEALS_BEFORE_RELIEF = 3
_STEPS_BEFORE_APPROVAL = 12
_LEFT_TO_THE_PIT = 30
_REFUSED_IN_A_ROW = 4


class Rota:
    """Which dealer of the house is at which table: nobody is at two, and whoever rested longest comes next."""

    def __init__(self, dealers: Iterable[Person]) -> None:
        self._resting = list(dealers)
        self._lock = threading.Lock()

    def change(self, leaving: Person | None) -> Person:
        """Take the dealer who rested longest, and let the one who leaves rest."""
        with self._lock:
            coming = self._resting.pop(0)
            if leaving is not None:
                self._resting.append(leaving)
            return coming


class SomebodyElseError(Exception):
    """A person who is none of ours deals at the table: it is his."""


@dataclass
class _Asked:
    """A correction of ours that waits for the inspector."""

    id: str
    steps_left: int


class Evening:
    """The croupiers and the inspector of one table, on one device."""

    def __init__(
        self,
        call: Call,
        *,
        table: str,
        device: str,
        rota: Rota,
        inspector: Person,
        random: Random,
        sleep: Sleep,
    ) -> None:
        self.call = call
        self.table = table
        self.device = device
        self.rota = rota
        self.inspector = inspector
        self.random = random
        self.sleep = sleep
        self.croupier = Croupier(random)
        self.dealer: Person | None = None
        self.refusals: list[tuple[str, str]] = []
        self._signon: str | None = None
        self._state: dict[str, Any] | None = None
        self._asked: _Asked | None = None
        self._device_seq = int(datetime.now(UTC).timestamp() * 1000)
        self._deals_of_this_dealer = 0
        self._refused_in_a_row = 0

    def step(self) -> None:
        """Do the next thing at the table, and wait as long as it would take.

        Raises: SomebodyElseError.
        """
        if self._signon is None:
            self._relieve()
        state = self._state or self._look()
        if state["table"]["state"] == "paused":
            self._state = None
            self.sleep(_OTHERS_TURN_SECONDS)
            return
        self._let_the_inspector_decide()
        correction = self.croupier.wants_correction(state) if self._asked is None else None
        if correction is not None:
            self._send([correction])
            return
        events = self.croupier.next_events(state)
        if self._refused_in_a_row >= _REFUSED_IN_A_ROW:
            events = [{"type": "misdeal", "reason": "The croupier lost his place"}]
        if events[0]["type"] == "deal":
            self._rest_between_deals()
        self._send(events)
        kind = events[0]["type"]
        seconds = _NEW_DEAL_SECONDS if kind == "deal" else _BETS_SECONDS if kind == "bet" else _CARD_SECONDS
        self.sleep(seconds * self.random.uniform(0.6, 1.4))

    def forget(self) -> None:
        """Look and sign on anew before the next step: something went wrong in between."""
        self._state = None
        self._signon = None

    def _rest_between_deals(self) -> None:
        self._deals_of_this_dealer += 1
        if self._deals_of_this_dealer > _DEALS_BEFORE_RELIEF:
            self._relieve()

    # --- people ----------------------------------------------------------------------------------------

    def _relieve(self) -> None:
        """Bring the next dealer, unless somebody else has taken the table; and the inspector, if he is not there."""
        status, on_duty = self.call("GET", f"/api/tables/{self.table}/signons", None)
        _expect(status, HTTPStatus.OK, on_duty)
        if any(duty["role"] == "dealer" and duty["device"] != self.device for duty in on_duty):
            self._signon = None
            raise SomebodyElseError
        if not any(duty["role"] == "inspector" for duty in on_duty):
            self._sign_on(self.inspector)
        coming = self.rota.change(self.dealer)
        self.dealer = coming
        self._signon = self._sign_on(coming)
        self._deals_of_this_dealer = 0

    def _sign_on(self, person: Person) -> str:
        body = {"staff": person.number, "pin": person.pin, "role": person.role, "relieve": True}
        status, answer = self.call("POST", f"/api/tables/{self.table}/signons", body)
        _expect(status, HTTPStatus.CREATED, answer)
        return str(answer["signon"])

    def _let_the_inspector_decide(self) -> None:
        asked = self._asked
        if asked is None:
            return
        asked.steps_left -= 1
        if asked.steps_left > 0:
            return
        self._asked = None
        decision = "refuse" if self.random.randrange(10) == 0 else "approve"
        body = {"decision": decision, "staff": self.inspector.number, "pin": self.inspector.pin}
        status, answer = self.call("POST", f"/api/approvals/{asked.id}", body)
        self._state = None
        if status != HTTPStatus.OK:  # somebody in the pit was faster
            self._note("approval", answer)

    # --- the door --------------------------------------------------------------------------------------

    def _look(self) -> dict[str, Any]:
        status, state = self.call("GET", f"/api/tables/{self.table}/state", None)
        _expect(status, HTTPStatus.OK, state)
        self._state = state
        return dict(state)

    def _send(self, events: list[Event]) -> None:
        assert self._state is not None or self._signon is not None
        state = self._state or self._look()
        now = datetime.now(UTC).isoformat()
        envelopes = []
        for event in events:
            self._device_seq += 1
            envelopes.append(
                {
                    "id": str(uuid.uuid4()),
                    "device": self.device,
                    "device_seq": self._device_seq,
                    "signon": self._signon,
                    "at": now,
                    "sent_at": now,
                    "after": state["after"],
                    "event": event,
                }
            )
        status, answer = self.call("POST", f"/api/tables/{self.table}/events?state=1", envelopes)
        _expect(status, HTTPStatus.OK, answer)
        self._state = answer.get("state")
        for event, told in zip(events, answer["answers"], strict=True):
            if told["status"] == "refused":
                self._note(event["type"], told)
                self._refused_in_a_row += 1
                if told["code"] == "not_signed_on":
                    self._signon = None
                    self._state = None
            elif told["status"] == "waiting":
                left = self.random.randrange(100) < _LEFT_TO_THE_PIT
                self._asked = None if left else _Asked(told["id"], _STEPS_BEFORE_APPROVAL)
            elif told["status"] == "recorded":
                self._refused_in_a_row = 0

    def _note(self, what: str, answer: Any) -> None:
        code, message = answer.get("code", ""), answer.get("message", answer)
        self.refusals.append((what, str(code)))
        log.info("%s: %s not recorded: %s", self.table, what, message)


class UnexpectedAnswerError(Exception):
    """The service answered otherwise than a console may expect; what it said."""


def _expect(status: int, wanted: int, answer: Any) -> None:
    if status != wanted:
        raise UnexpectedAnswerError(f"{status}: {answer}")
