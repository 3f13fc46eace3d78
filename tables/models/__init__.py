"""Rows, by subject. Only actions and queries touch them."""

from tables.models.house import Casino, CasinoHead, Closing, Opening, Pit, RulesVersion, Table
from tables.models.journal import Entry, Journal, Text
from tables.models.people import (
    Appointment,
    Approval,
    ApprovalDecision,
    Device,
    Pin,
    PinAttempt,
    SignOn,
    Staff,
)
from tables.models.play import (
    Adjustment,
    Bet,
    Card,
    Correction,
    Deal,
    Deed,
    EventId,
    Settlement,
    TableHead,
    WaitingCorrection,
)

__all__ = [
    "Adjustment",
    "Appointment",
    "Approval",
    "ApprovalDecision",
    "Bet",
    "Card",
    "Casino",
    "CasinoHead",
    "Closing",
    "Correction",
    "Deal",
    "Deed",
    "Device",
    "Entry",
    "EventId",
    "Journal",
    "Opening",
    "Pin",
    "PinAttempt",
    "Pit",
    "RulesVersion",
    "Settlement",
    "SignOn",
    "Staff",
    "Table",
    "TableHead",
    "Text",
    "WaitingCorrection",
]
