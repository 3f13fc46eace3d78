"""What a writer is told of an event: made of its journal entry alone, so that it is told the same again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tables.ledger import AMOUNTS
from tables.rules.refusals import Refusal
from tables.rules.terms import amount_text, minor_digits


@dataclass(frozen=True, slots=True)
class Answer:
    """How an event stands; settlements and takes as lines of the table log, amounts in units of the currency."""

    id: UUID
    status: str
    sequence: int | None = None
    hash: str = ""
    recorded_at: str = ""
    settlements: list[dict[str, Any]] = field(default_factory=list)
    takes: list[dict[str, Any]] = field(default_factory=list)
    adjustments: list[dict[str, Any]] = field(default_factory=list)
    code: str = ""
    message: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """Return the answer as the API gives it."""
        if self.status in ("recorded", "repeated"):
            data: dict[str, Any] = {
                "id": str(self.id),
                "status": self.status,
                "sequence": self.sequence,
                "hash": self.hash,
                "recorded_at": self.recorded_at,
                "settlements": self.settlements,
                "takes": self.takes,
            }
            if self.adjustments:
                data["adjustments"] = self.adjustments
            return data
        if self.code:
            data = {"id": str(self.id), "status": self.status, "code": self.code, "message": self.message}
            if self.facts:
                data["facts"] = dict(self.facts)
            return data
        return {"id": str(self.id), "status": self.status}


def answer_of(entry: Mapping[str, Any], hash: str, currency: str) -> Answer:
    """Answer with a recorded entry."""
    facts = entry["facts"]
    digits = minor_digits(currency)
    deal = entry.get("deal", "")
    corrected = "correction" in facts
    return Answer(
        UUID(entry["id"]),
        "recorded",
        entry["sequence"],
        hash,
        entry["recorded_at"],
        [_line(row, deal, digits, corrected) for row in facts.get("settlement", ()) if row["outcome"] != "annulled"],
        [_line(row, deal, digits, False) for row in entry.get("takes", ())],
        [
            {"bet": row["bet"], **{name: amount_text(row[f"{name}_minor"], digits) for name in AMOUNTS}}
            for row in facts.get("adjustment", ())
        ],
    )


def refused(id: UUID, refusal: Refusal) -> Answer:
    """Answer that an event changed nothing, and why."""
    return Answer(id, "refused", code=str(refusal.code), message=refusal.message, facts=refusal.facts)


def not_tried(id: UUID) -> Answer:
    """Answer that an event before this one was refused."""
    return Answer(id, "not_tried")


def _line(row: Mapping[str, Any], deal: str, digits: int, corrected: bool) -> dict[str, Any]:
    line = {
        "deal": deal,
        "turn": row["turn"],
        "position": row["position"],
        "bet": row["bet"],
        "seat": row["seat"],
        "outcome": row["outcome"],
        **{name: amount_text(row[f"{name}_minor"], digits) for name in AMOUNTS},
    }
    if corrected:
        line["corrected"] = True
    return line
