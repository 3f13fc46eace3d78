"""Facts of a house with what the entry of the casino's journal that made each must say. It compares nothing."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

_TABLE = "JOIN tables_table t ON t.id = r.table_id"
_SLIP = "JOIN tables_slip s ON s.id = r.slip_id JOIN tables_table t ON t.id = s.table_id"
_DROP = (
    "JOIN tables_drop d ON d.id = r.drop_id JOIN tables_opening o ON o.id = d.opening_id"
    " JOIN tables_table t ON t.id = o.table_id"
)
_OF_DROP = "'box', d.box, 'table', t.code, 'opening', o.number"
# By kind: the types of entry that make such rows; the rows, each with sequence, type and author of its own entry, with
# what that entry's body says as an object, and with its casino as `of`.
# ruff: noqa: S608 - the text is our own
_FACTS: Final[dict[str, tuple[str, str]]] = {
    "slip": (
        "slip_requested",
        "SELECT r.sequence, 'slip_requested', r.requested_by, json_build_object('slip', r.id::text, 'kind', r.kind,"
        " 'table', t.code, 'amount_minor', r.amount_minor, 'late', r.late, 'paper', r.paper_number, 'chips',"
        " COALESCE((SELECT json_object_agg(c.chip, c.pieces) FROM tables_slipchip c WHERE c.slip_id = r.id), '{}')),"
        f" r.casino_id AS of FROM tables_slip r {_TABLE}",
    ),
    "slip step": (
        "slip_issued slip_declined slip_carried slip_received slip_void",
        "SELECT r.sequence, 'slip_' || r.step, r.author, CASE WHEN r.step = 'issued' THEN json_build_object('slip',"
        " s.id::text, 'second', r.second, 'year', n.year, 'number', n.number)"
        " ELSE json_build_object('slip', s.id::text, 'second', r.second) END, s.casino_id AS of"
        f" FROM tables_slipstep r {_SLIP} LEFT JOIN tables_slipnumber n ON n.slip_id = s.id",
    ),
    "slip correction": (
        "slip_corrected",
        "SELECT r.sequence, 'slip_corrected', r.author, json_build_object('correction', r.id::text, 'slip', s.id::text,"
        " 'approver', r.approver, 'number', r.number, 'revision', r.revision, 'amount_minor', r.amount_minor,"
        " 'difference_minor', r.difference_minor, 'chips', COALESCE((SELECT json_object_agg(c.chip, c.pieces)"
        " FROM tables_slipcorrectionchip c WHERE c.correction_id = r.id), '{}')), r.casino_id AS of"
        f" FROM tables_slipcorrection r {_SLIP}",
    ),
    "box step": (
        "box_attached box_removed box_received",
        f"SELECT r.sequence, 'box_' || r.step, r.author, json_build_object({_OF_DROP}, 'second', r.second),"
        f" t.casino_id AS of FROM tables_dropstep r {_DROP}",
    ),
    "count of a box": (
        "box_counted",
        f"SELECT r.sequence, 'box_counted', r.author, json_build_object({_OF_DROP}, 'second', r.second, 'number',"
        " r.number, 'total_minor', r.total_minor, 'lines', COALESCE((SELECT json_agg(json_build_array("
        "l.denomination_minor, l.pieces) ORDER BY l.denomination_minor DESC)"
        " FROM tables_dropcountline l WHERE l.count_id = r.id), '[]')),"
        f" t.casino_id AS of FROM tables_dropcount r {_DROP}",
    ),
    "approval of a count": (
        "box_approved",
        f"SELECT r.sequence, 'box_approved', r.approver, json_build_object({_OF_DROP}, 'count', c.number,"
        " 'variance_minor', r.variance_minor), t.casino_id AS of"
        f" FROM tables_dropapproval r {_DROP} JOIN tables_dropcount c ON c.id = r.count_id",
    ),
    "dispute": (
        "dispute",
        "SELECT r.sequence, 'dispute', r.author, json_build_object('dispute', r.number, 'table', t.code, 'deal',"
        " l.name, 'turn', r.turn, 'bet', r.bet, 'snapshot', encode(sha256(convert_to(r.snapshot, 'UTF8')), 'hex')),"
        f" r.casino_id AS of FROM tables_dispute r {_TABLE} JOIN tables_deal l ON l.id = r.deal_id",
    ),
    "ruling": (
        "ruling",
        "SELECT r.sequence, 'ruling', r.author, json_build_object('dispute', p.number, 'amount_minor', r.amount_minor,"
        " 'approver', r.approver), p.casino_id AS of FROM tables_ruling r JOIN tables_dispute p ON p.id = r.dispute_id",
    ),
    "note": (
        "incident surveillance",
        "SELECT r.sequence, r.kind, r.author, json_build_object('number', r.number, 'table', COALESCE(t.code, ''),"
        " 'about', COALESCE(a.number, 0)), r.casino_id AS of FROM tables_note r"
        " LEFT JOIN tables_table t ON t.id = r.table_id LEFT JOIN tables_note a ON a.id = r.about_id",
    ),
    "step of decks": (
        "decks_received decks_in_service decks_retired decks_retained decks_destroyed",
        "SELECT r.sequence, 'decks_' || r.step, min(r.author), json_build_object('serials', json_agg(d.serial ORDER BY"
        " d.serial COLLATE \"C\"), 'second', min(r.second)), d.casino_id AS of FROM tables_deckstep r"
        " JOIN tables_deck d ON d.id = r.deck_id GROUP BY r.sequence, r.step, d.casino_id",
    ),
    "count of decks": (
        "decks_counted",
        "SELECT r.sequence, 'decks_counted', min(r.author), json_build_object('number', min(r.number), 'counted',"
        " json_object_agg(r.state, r.counted), 'expected', json_object_agg(r.state, r.expected)), r.casino_id AS of"
        " FROM tables_deckcount r GROUP BY r.sequence, r.casino_id",
    ),
    "closing of a shift": (
        "shift_closed",
        "SELECT r.sequence, 'shift_closed', r.author, json_build_object('gaming_date', r.gaming_date::text, 'shift',"
        " r.shift), r.casino_id AS of FROM tables_shiftclosing r",
    ),
}
KIND_OF: Final = {type: kind for kind, (types, _rows) in _FACTS.items() for type in types.split()}


@dataclass(frozen=True, slots=True)
class HouseFact:
    """A row, or rows that one entry made together: what the entry's type, author and body must be."""

    kind: str
    type: str
    author: str
    said: dict[str, Any]


def house_facts(journal_id: int) -> dict[int, list[HouseFact]]:
    """Read the facts whose entries are in a casino's journal, by sequence."""
    found: dict[int, list[HouseFact]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute("SELECT casino_id FROM tables_casinohead WHERE journal_id = %s", [journal_id])
        (casino_id,) = cursor.fetchone()
        for kind, (_types, rows) in _FACTS.items():
            cursor.execute(f"SELECT * FROM ({rows}) f WHERE f.of = %s", [casino_id])
            for sequence, type, author, said, _casino in cursor.fetchall():
                found[sequence].append(HouseFact(kind, type, author, said))
    return found
