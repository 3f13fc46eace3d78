"""Rows, by subject. Only actions and queries touch them."""

from tables.models.house import Casino, CasinoHead, Closing, Opening, Pit, RulesVersion, Table
from tables.models.journal import Entry, Journal, Text
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
    "Bet",
    "Card",
    "Casino",
    "CasinoHead",
    "Closing",
    "Correction",
    "Deal",
    "Deed",
    "Entry",
    "EventId",
    "Journal",
    "Opening",
    "Pit",
    "RulesVersion",
    "Settlement",
    "Table",
    "TableHead",
    "Text",
    "WaitingCorrection",
]
