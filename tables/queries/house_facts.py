"""Facts of a house with what the entry of the casino's journal that made each must say. It compares nothing."""

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection

from tables.journal.chain import time_text
from tables.models import Table

_TABLE = "JOIN tables_table t ON t.id = r.table_id"
_SLIP = "JOIN tables_slip s ON s.id = r.slip_id JOIN tables_table t ON t.id = s.table_id"
_DROP = (
    "JOIN tables_drop d ON d.id = r.drop_id JOIN tables_opening o ON o.id = d.opening_id"
    " JOIN tables_table t ON t.id = o.table_id"
)
_OF_DROP = "'box', d.box, 'table', t.code, 'opening', o.number"
_SEAT = "JOIN tables_opening o ON o.id = {of}.opening_id JOIN tables_table t ON t.id = o.table_id"
# Entries of the casino's journal that rows without a sequence are found by: who, and when.
_ENTRIES = (
    "jsonb_to_recordset(%(entries)s) AS e(sequence bigint, type text, author text, happened_at timestamptz, body jsonb)"
)
_CHIPS = "COALESCE((SELECT jsonb_object_agg(c.chip, c.pieces) FROM {of} c WHERE c.{key} = r.id), '{{}}')"
_WORTH = "(SELECT COALESCE(sum(c.pieces * c.value_minor), 0)::bigint FROM {of} c WHERE c.{key} = r.id)"
# What all rows of a group say, or else all that they say.
_ONE = "array_to_string(array_agg(DISTINCT COALESCE({0}, '')), ' and ')"
_STARTED = "COALESCE((e.body->>'started_at')::timestamptz, e.happened_at)"


def _else(condition: str, name: str, value: str) -> str:
    """Add to what a row says something that no entry says, unless a condition holds: it is named if it does not."""
    said = f"jsonb_build_object('{name}', COALESCE(to_jsonb({value}), '\"nothing\"'))"
    return f" || CASE WHEN {condition} THEN '{{}}' ELSE {said} END"


# By kind: the types of entry that make such rows; the rows, each with sequence (0: no entry made it), type and author
# ('*': the row does not say) of its own entry, with what that entry's body says as an object, with when it happened
# ('epoch': the row does not say), and with its casino as `of`.
# ruff: noqa: S608 - the text is our own
_FACTS: Final[dict[str, tuple[str, str]]] = {
    "slip": (
        "slip_requested",
        "SELECT r.sequence, 'slip_requested', r.requested_by, jsonb_build_object('slip', r.id::text, 'kind', r.kind,"
        " 'table', t.code, 'amount_minor', r.amount_minor, 'late', r.late, 'paper', r.paper_number, 'chips',"
        f" {_CHIPS.format(of='tables_slipchip', key='slip_id')})"
        + _else("r.currency = t.currency", "currency", "r.currency")
        + _else(
            f"r.amount_minor = {_WORTH.format(of='tables_slipchip', key='slip_id')}",
            "worth of its chips",
            _WORTH.format(of="tables_slipchip", key="slip_id"),
        )
        + f", r.requested_at, r.casino_id AS of FROM tables_slip r {_TABLE}",
    ),
    "slip step": (
        "slip_issued slip_declined slip_carried slip_received slip_void",
        "SELECT r.sequence, 'slip_' || r.step, r.author, jsonb_build_object('slip', s.id::text, 'second', r.second)"
        " || CASE WHEN r.step = 'issued' THEN jsonb_build_object('year', n.year, 'number', n.number) ELSE '{}' END"
        + _else("n.slip_id IS NULL OR n.kind = s.kind", "kind", "n.kind")
        + ", r.done_at, s.casino_id AS of"
        f" FROM tables_slipstep r {_SLIP} LEFT JOIN tables_slipnumber n ON n.slip_id = s.id"
        " AND n.casino_id = s.casino_id",
    ),
    "slip correction": (
        "slip_corrected",
        "SELECT r.sequence, 'slip_corrected', r.author, jsonb_build_object('correction', r.id::text, 'slip',"
        " s.id::text, 'approver', r.approver, 'number', r.number, 'revision', r.revision, 'amount_minor',"
        " r.amount_minor, 'difference_minor', r.difference_minor, 'chips',"
        f" {_CHIPS.format(of='tables_slipcorrectionchip', key='correction_id')})"
        + _else(
            f"r.amount_minor = {_WORTH.format(of='tables_slipcorrectionchip', key='correction_id')}",
            "worth of its chips",
            _WORTH.format(of="tables_slipcorrectionchip", key="correction_id"),
        )
        + _else(
            "EXISTS (SELECT 1 FROM tables_movement m WHERE m.opening_id = r.opening_id AND m.kind = s.kind ||"
            " '_correction')",
            "opening",
            "r.opening_id",
        )
        + f", r.corrected_at, r.casino_id AS of FROM tables_slipcorrection r {_SLIP}",
    ),
    "movement of the chip bank": (
        "chip_delivery slip_issued slip_void slip_received slip_corrected",
        "SELECT r.sequence, CASE r.why WHEN 'delivery' THEN 'chip_delivery' WHEN 'fill' THEN 'slip_issued' WHEN 'void'"
        " THEN 'slip_void' WHEN 'credit' THEN 'slip_received' ELSE 'slip_corrected' END, '*',"
        " CASE r.why WHEN 'delivery' THEN jsonb_build_object('currency', r.currency, 'chips', r.moved)"
        " WHEN 'correction' THEN jsonb_build_object('slip', r.slip_id::text, 'from_bank', r.moved)"
        " ELSE jsonb_build_object('slip', r.slip_id::text)"
        + _else(
            "r.moved = (SELECT jsonb_object_agg(c.chip, c.pieces * CASE r.why WHEN 'fill' THEN -1 ELSE 1 END)"
            " FROM tables_slipchip c WHERE c.slip_id = r.slip_id)",
            "chips",
            "r.moved",
        )
        + " END"
        + _else("r.slip_id IS NULL OR r.currency = s.currency", "currency", "r.currency")
        + ", 'epoch'::timestamptz, r.casino_id AS of FROM (SELECT casino_id, currency, why, slip_id, sequence,"
        " jsonb_object_agg(chip, pieces) AS moved FROM tables_bankmovement"
        " GROUP BY casino_id, currency, why, slip_id, sequence) r LEFT JOIN tables_slip s ON s.id = r.slip_id",
    ),
    "chip": (
        "chips",
        "SELECT r.sequence, 'chips', '*', jsonb_build_object('currency', r.currency, 'chip_set', r.chip_set,"
        " 'values_minor', COALESCE(jsonb_object_agg(COALESCE(r.name, ''), r.value_minor)"
        " FILTER (WHERE r.value_minor IS NOT NULL),"
        " '{}'), 'colours', COALESCE(jsonb_agg(r.name ORDER BY r.name COLLATE \"C\") FILTER (WHERE r.value_minor IS"
        " NULL), '[]'))"
        + _else("bool_and(r.withdrawn_at IS NULL)", "withdrawn_at", "max(r.withdrawn_at)")  # no deed withdraws one
        + ", 'epoch'::timestamptz, r.casino_id AS of FROM tables_chip r"
        " GROUP BY r.sequence, r.currency, r.chip_set, r.casino_id",
    ),
    "chip policy": (
        "chip_policy",
        "SELECT r.sequence, 'chip_policy', r.author, jsonb_build_object('approver', r.approver, 'number', r.number,"
        " 'notice_minor', r.notice_minor, 'grave_minor', r.grave_minor, 'tolerance_minor', r.tolerance_minor,"
        " 'currency', NULLIF(r.currency, '')), 'epoch'::timestamptz, r.casino_id AS of FROM tables_chippolicy r",
    ),
    "box step": (
        "box_attached box_removed box_received",
        f"SELECT r.sequence, 'box_' || r.step, r.author, jsonb_build_object({_OF_DROP}, 'second', r.second)"
        + _else("r.step <> 'attached' OR d.sequence = r.sequence", "sequence", "d.sequence")
        + f", r.done_at, t.casino_id AS of FROM tables_dropstep r {_DROP}",
    ),
    "count of a box": (
        "box_counted",
        f"SELECT r.sequence, 'box_counted', r.author, jsonb_build_object({_OF_DROP}, 'second', r.second, 'number',"
        " r.number, 'total_minor', r.total_minor, 'lines', COALESCE((SELECT jsonb_agg(jsonb_build_array("
        "l.denomination_minor, l.pieces) ORDER BY l.denomination_minor DESC)"
        " FROM tables_dropcountline l WHERE l.count_id = r.id), '[]')),"
        f" r.counted_at, t.casino_id AS of FROM tables_dropcount r {_DROP}",
    ),
    "approval of a count": (
        "box_approved",
        f"SELECT r.sequence, 'box_approved', r.approver, jsonb_build_object({_OF_DROP}, 'count', c.number,"
        " 'expected_minor', r.expected_minor, 'counted_minor', r.counted_minor, 'variance_minor', r.variance_minor),"
        f" r.approved_at, t.casino_id AS of FROM tables_dropapproval r {_DROP}"
        " JOIN tables_dropcount c ON c.id = r.count_id AND c.drop_id = r.drop_id",
    ),
    "dispute": (
        "dispute",
        "SELECT r.sequence, 'dispute', r.author, jsonb_build_object('dispute', r.number, 'table', t.code, 'deal',"
        " l.name, 'turn', r.turn, 'bet', r.bet, 'snapshot', encode(sha256(convert_to(r.snapshot, 'UTF8')), 'hex'),"
        " 'since', to_char(r.since AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'until',"
        " to_char(r.until AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'))"
        + _else("r.digest = encode(sha256(convert_to(r.snapshot, 'UTF8')), 'hex')", "digest", "r.digest")
        + f", r.opened_at, r.casino_id AS of FROM tables_dispute r {_TABLE} JOIN tables_deal l ON l.id = r.deal_id",
    ),
    "ruling": (
        "ruling",
        "SELECT r.sequence, 'ruling', r.author, jsonb_build_object('dispute', p.number, 'amount_minor', r.amount_minor,"
        " 'approver', r.approver, 'seat', COALESCE(r.seat, 0))"
        + _else(
            "r.opening_id IS NOT DISTINCT FROM (SELECT max(m.opening_id) FROM tables_movement m JOIN tables_opening o"
            " ON o.id = m.opening_id WHERE o.table_id = p.table_id AND m.kind = 'ruling' AND m.slip = p.number::text)",
            "opening",
            "r.opening_id",
        )
        + ", r.ruled_at, p.casino_id AS of FROM tables_ruling r JOIN tables_dispute p ON p.id = r.dispute_id",
    ),
    "clearing of a debt": (
        "debt_cleared",
        "SELECT r.sequence, 'debt_cleared', r.author, jsonb_build_object('how', r.how, 'second', r.second, 'debt',"
        " CASE WHEN r.ruling_id IS NOT NULL THEN 'ruling' WHEN r.slip_correction_id IS NOT NULL THEN 'slip' WHEN"
        " r.adjustment_id IS NOT NULL THEN 'adjustment' ELSE 'movement' END, 'id', COALESCE(p.number, s.number,"
        " r.adjustment_id, r.movement_correction_id))"
        + _else(
            "num_nonnulls(r.adjustment_id, r.ruling_id, r.slip_correction_id, r.movement_correction_id) = 1",
            "debts",
            "r.id",
        )
        + ", r.cleared_at,"
        " COALESCE(p.casino_id, s.casino_id, t.casino_id) AS of FROM tables_clearing r"
        " LEFT JOIN tables_dispute p ON p.id = r.ruling_id"
        " LEFT JOIN tables_slipcorrection s ON s.id = r.slip_correction_id"
        " LEFT JOIN tables_adjustment a ON a.id = r.adjustment_id"
        " LEFT JOIN tables_movementcorrection m ON m.id = r.movement_correction_id"
        " LEFT JOIN tables_opening o ON o.id = COALESCE(a.opening_id, m.opening_id)"
        " LEFT JOIN tables_table t ON t.id = o.table_id",
    ),
    "note": (
        "incident surveillance",
        "SELECT r.sequence, r.kind, r.author, jsonb_build_object('number', r.number, 'table', COALESCE(t.code, ''),"
        " 'about', COALESCE(a.number, 0)), r.happened_at, r.casino_id AS of FROM tables_note r"
        " LEFT JOIN tables_table t ON t.id = r.table_id LEFT JOIN tables_note a ON a.id = r.about_id",
    ),
    "step of decks": (
        "decks_received decks_in_service decks_retired decks_retained decks_destroyed",
        f"SELECT r.sequence, 'decks_' || r.step, {_ONE.format('r.author')}, jsonb_build_object('serials',"
        f" jsonb_agg(d.serial ORDER BY d.serial COLLATE \"C\"), 'second', {_ONE.format('r.second')})"
        " || CASE r.step WHEN 'received' THEN jsonb_build_object('size', min(d.size)) WHEN 'in_service' THEN"
        f" jsonb_build_object('table', {_ONE.format('t.code')}) ELSE '{{}}' END"
        + _else("min(d.size) = max(d.size) AND count(d.size) = count(*)", "sizes", "jsonb_agg(d.size)")
        + _else(
            "bool_and(r.step <> 'received' OR d.sequence IS NOT DISTINCT FROM r.sequence)",
            "received",
            "min(d.sequence)",
        )
        + _else("min(r.done_at) = max(r.done_at) AND count(r.done_at) = count(*)", "times", "max(r.done_at)")
        + _else(
            "bool_and(COALESCE(r.number, 0) = (SELECT count(*) FROM tables_deckstep x WHERE x.deck_id = r.deck_id"
            " AND x.sequence <= r.sequence))",
            "number",
            "min(r.number)",
        )
        + _else("r.step = 'in_service' OR bool_and(r.table_id IS NULL)", "at a table", "min(t.code)")
        + ", min(r.done_at), d.casino_id AS of FROM tables_deckstep r JOIN tables_deck d"
        " ON d.id = r.deck_id LEFT JOIN tables_table t ON t.id = r.table_id GROUP BY r.sequence, r.step, d.casino_id",
    ),
    "count of decks": (
        "decks_counted",
        f"SELECT r.sequence, 'decks_counted', {_ONE.format('r.author')}, jsonb_build_object('number',"
        f" CASE WHEN min(r.number) = max(r.number) THEN min(r.number) END, 'gaming_date',"
        f" {_ONE.format('r.gaming_date::text')}, 'second', {_ONE.format('r.second')}, 'counted',"
        " jsonb_object_agg(COALESCE(r.state, ''), r.counted), 'expected', jsonb_object_agg(COALESCE(r.state, ''),"
        " r.expected))"
        + _else(
            "min(r.counted_at) = max(r.counted_at) AND count(r.counted_at) = count(*)", "times", "max(r.counted_at)"
        )
        + ", min(r.counted_at), r.casino_id AS of FROM tables_deckcount r"
        " GROUP BY r.sequence, r.casino_id",
    ),
    "plan of shifts": (
        "shift_plan",
        "SELECT r.sequence, 'shift_plan', r.author, jsonb_build_object('number', r.number, 'since_date',"
        " r.since_date::text, 'approver', r.approver, 'starts', COALESCE((SELECT jsonb_agg(to_char(h.starts_at,"
        " 'HH24:MI') ORDER BY h.number) FROM tables_shiftstart h WHERE h.plan_id = r.id), '[]'))"
        + _else(
            "(SELECT COALESCE(min(h.number) = 1 AND max(h.number) = count(*), true) FROM tables_shiftstart h"
            " WHERE h.plan_id = r.id)",
            "numbers",
            "false",
        )
        + ", 'epoch'::timestamptz, r.casino_id AS of FROM tables_shiftplan r",
    ),
    "closing of a shift": (
        "shift_closed",
        "SELECT r.sequence, 'shift_closed', r.author, jsonb_build_object('gaming_date', r.gaming_date::text, 'shift',"
        " r.shift, 'tables', COALESCE((SELECT jsonb_agg(jsonb_build_array(t.code, h.sequence) ORDER BY t.code COLLATE"
        ' "C") FROM tables_shiftclosingtable h JOIN tables_table t ON t.id = h.table_id WHERE h.closing_id = r.id),'
        " '[]')), r.closed_at, r.casino_id AS of FROM tables_shiftclosing r",
    ),
    "console's options": (
        "console_options",
        "SELECT r.sequence, 'console_options', r.author, jsonb_build_object('table', t.code, 'number', r.number,"
        " 'approver', r.approver, 'bets_down', r.bets_down::int, 'confirm', r.confirm::int, 'check_minor',"
        f" r.check_minor), 'epoch'::timestamptz, t.casino_id AS of FROM tables_consoleoptions r {_TABLE}",
    ),
    "marks of the floor": (
        "floor_marks",
        "SELECT r.sequence, 'floor_marks', r.author, to_jsonb(r) - 'id' - 'casino_id' - 'author' - 'sequence',"
        " 'epoch'::timestamptz, r.casino_id AS of FROM tables_floormarks r",
    ),
    "player": (
        "player",
        "SELECT r.sequence, 'player', '*', jsonb_build_object('player', r.number), 'epoch'::timestamptz,"
        " r.casino_id AS of FROM tables_player r",
    ),
    "sitting": (
        "seat_taken",
        "SELECT r.sequence, 'seat_taken', r.author, jsonb_build_object('table', t.code, 'opening', o.number, 'seat',"
        " r.seat, 'player', p.number), r.sat_at, t.casino_id AS of FROM tables_sitting r"
        f" {_SEAT.format(of='r')} JOIN tables_player p ON p.id = r.player_id",
    ),
    "end of a sitting": (
        "seat_left",
        "SELECT r.sequence, CASE WHEN n.id IS NULL THEN 'seat_left' ELSE 'seat_taken' END, r.author,"
        " jsonb_build_object('table', t.code, 'opening', o.number, 'seat', s.seat)"
        + _else("n.id IS NOT NULL", "player", "p.number")
        + ", r.left_at, t.casino_id AS of FROM tables_sittingend r JOIN tables_sitting s ON s.id = r.sitting_id"
        f" {_SEAT.format(of='s')} JOIN tables_player p ON p.id = s.player_id LEFT JOIN tables_sitting n"
        " ON n.opening_id = s.opening_id AND n.sequence = r.sequence AND n.seat = s.seat",
    ),
    "decision": (
        "approval",
        "SELECT COALESCE(e.sequence, 0), 'approval', f.number, jsonb_build_object('event', r.approval_id::text, 'deed',"
        " a.deed, 'table', t.code, 'asked_by', b.number, 'verdict', r.verdict), r.decided_at, t.casino_id AS of"
        " FROM tables_approvaldecision r JOIN tables_approval a ON a.id = r.approval_id"
        " JOIN tables_table t ON t.id = a.table_id JOIN tables_staff b ON b.id = a.author_id"
        f" JOIN tables_staff f ON f.id = r.approver_id LEFT JOIN {_ENTRIES} ON e.type = 'approval'"
        " AND e.body->>'event' = r.approval_id::text",
    ),
    "sign-on": (
        "sign_on relief",
        "SELECT COALESCE(e.sequence, 0), COALESCE(e.type, 'sign_on'), f.number, jsonb_build_object('staff', f.number,"
        " 'role', r.role, 'table', t.code, 'device', d.code)"
        + _else("(r.ending IS NULL) = (r.ended_at IS NULL)", "ending", "r.ending")
        + _else("COALESCE(r.ending = 'relief', false) = (r.relieved_by_id IS NOT NULL)", "relief", "r.relieved_by_id")
        # Whatever came after it that ends such a one has ended it.
        + _else(
            f"r.ended_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM {_ENTRIES.replace('AS e(', 'AS x(')}"
            " WHERE x.sequence > e.sequence AND CASE x.type WHEN 'staff_left' THEN x.body->>'staff' = f.number"
            " WHEN 'device_revoked' THEN x.body->>'device' = d.code WHEN 'sign_off' THEN x.body->>'staff' = f.number"
            " AND x.body->>'table' = t.code AND x.body->>'device' = d.code ELSE x.type IN ('sign_on', 'relief') AND"
            " (x.author = f.number AND x.body->>'device' = d.code AND x.body->>'table' = t.code OR x.body->>'role' ="
            " r.role AND (x.body->>'table' = t.code AND f.number = ANY(string_to_array(x.body->>'relieved', ',')) OR"
            " x.author = f.number AND t.code = ANY(string_to_array(x.body->>'moved_from', ',')))) END)",
            "on duty",
            "true",
        )
        + ", 'epoch'::timestamptz, f.casino_id AS of FROM tables_signon r JOIN tables_staff f ON f.id = r.staff_id"
        " JOIN tables_table t ON t.id = r.table_id"
        f" JOIN tables_device d ON d.id = r.device_id LEFT JOIN {_ENTRIES} ON e.type IN ('sign_on', 'relief')"
        f" AND e.author = f.number AND {_STARTED} = r.started_at AND e.body->>'table' = t.code"
        " AND e.body->>'device' = d.code",
    ),
    "end of a sign-on": (
        "sign_off",
        "SELECT COALESCE(e.sequence, 0), COALESCE(e.type, 'sign_off'), '*', '{}'::jsonb, 'epoch'::timestamptz,"
        " f.casino_id AS of FROM tables_signon r JOIN tables_staff f ON f.id = r.staff_id"
        " JOIN tables_table t ON t.id = r.table_id JOIN tables_device d ON d.id = r.device_id"
        f" LEFT JOIN (SELECT e.*, {_STARTED} AS moment FROM {_ENTRIES}) e ON e.moment = r.ended_at"
        " AND CASE r.ending WHEN 'off' THEN e.body->>'staff' = f.number AND (e.type IN ('staff_left', 'post_ended') OR"
        " e.type = 'sign_off' AND e.body->>'table' = t.code AND e.body->>'device' = d.code) WHEN 'revoked' THEN"
        " e.type = 'device_revoked' AND e.body->>'device' = d.code WHEN 'moved' THEN e.author = f.number AND e.type IN"
        " ('sign_on', 'relief') WHEN 'again' THEN e.author = f.number AND e.type IN ('sign_on', 'relief') AND"
        " e.body->>'table' = t.code WHEN 'relief' THEN e.type = 'relief' AND e.body->>'table' = t.code AND e.author ="
        " (SELECT h.number FROM tables_signon g JOIN tables_staff h ON h.id = g.staff_id WHERE g.id = r.relieved_by_id)"
        " END"
        # A clock that went back ends nothing before it began: its entry says another moment.
        " WHERE r.ended_at > r.started_at OR r.ended_at IS NOT NULL AND e.sequence IS NOT NULL",
    ),
    "member of the staff": (
        "staff",
        "SELECT COALESCE(e.sequence, 0), 'staff', '*', jsonb_build_object('staff', r.number)"
        + _else(
            "r.left_at IS NOT DISTINCT FROM (SELECT max(x.happened_at) FROM"
            f" {_ENTRIES.replace('AS e(', 'AS x(')} WHERE x.type = 'staff_left' AND x.body->>'staff' = r.number)",
            "left_at",
            "r.left_at",
        )
        + _else(
            "r.left_at IS NULL OR NOT EXISTS (SELECT 1 FROM tables_appointment a WHERE a.staff_id = r.id"
            " AND a.until_at IS NULL)",
            "posts",
            "true",
        )
        + f", r.joined_at, r.casino_id AS of FROM tables_staff r LEFT JOIN {_ENTRIES}"
        " ON e.type = 'staff' AND e.body->>'staff' = r.number",
    ),
    "post": (
        "post",
        "SELECT COALESCE(e.sequence, 0), 'post', '*', jsonb_build_object('staff', f.number, 'role', r.role, 'pit',"
        " COALESCE(p.name, '')), r.from_at, f.casino_id AS of FROM tables_appointment r"
        " JOIN tables_staff f ON f.id = r.staff_id LEFT JOIN tables_pit p ON p.id = r.pit_id"
        f" LEFT JOIN {_ENTRIES} ON e.type = 'post' AND e.happened_at = r.from_at AND e.body->>'staff' = f.number"
        " AND e.body->>'role' = r.role AND COALESCE(e.body->>'pit', '') = COALESCE(p.name, '')",
    ),
    "end of a post": (
        "post_ended",
        "SELECT COALESCE(e.sequence, 0), COALESCE(e.type, 'post_ended'), '*', '{}'::jsonb, 'epoch'::timestamptz,"
        " f.casino_id AS of FROM tables_appointment r JOIN tables_staff f ON f.id = r.staff_id"
        " LEFT JOIN tables_pit p ON p.id = r.pit_id"
        f" LEFT JOIN {_ENTRIES} ON e.happened_at = r.until_at AND e.body->>'staff' = f.number AND (e.type ="
        " 'staff_left' OR e.type = 'post_ended' AND e.body->>'role' = r.role"
        " AND COALESCE(e.body->>'pit', '') = COALESCE(p.name, '')) WHERE r.until_at IS NOT NULL",
    ),
    "device": (
        "device",
        "SELECT COALESCE(e.sequence, 0), 'device', COALESCE(i.number, ''), jsonb_build_object('kind', r.kind, 'table',"
        " COALESCE(t.code, ''))"
        + _else(
            "r.revoked_at IS NOT DISTINCT FROM (SELECT CASE x.type WHEN 'device_revoked' THEN x.happened_at END FROM"
            f" {_ENTRIES.replace('AS e(', 'AS x(')} WHERE x.type IN ('device', 'device_revoked')"
            " AND x.body->>'device' = r.code ORDER BY x.sequence DESC LIMIT 1)",
            "revoked_at",
            "r.revoked_at",
        )
        + _else(
            "r.revoked_at IS NULL OR COALESCE(v.number, '') = (SELECT x.author FROM"
            f" {_ENTRIES.replace('AS e(', 'AS x(')} WHERE x.type = 'device_revoked' AND x.body->>'device' = r.code"
            " ORDER BY x.sequence DESC LIMIT 1)",
            "revoked_by",
            "v.number",
        )
        + _else("r.revoked_at IS NOT NULL OR r.revoked_by_id IS NULL", "revoked by", "v.number")
        + ", 'epoch'::timestamptz, r.casino_id AS of FROM tables_device r"
        " LEFT JOIN tables_table t ON t.id = r.table_id LEFT JOIN tables_staff i ON i.id = r.issued_by_id"
        " LEFT JOIN tables_staff v ON v.id = r.revoked_by_id"
        f" LEFT JOIN {_ENTRIES} ON e.type = 'device' AND e.body->>'device' = r.code AND e.happened_at = r.issued_at",
    ),
}
_KINDS_OF: Final[dict[str, list[str]]] = {}
for _kind, (_types, _rows) in _FACTS.items():
    for _type in _types.split():
        _KINDS_OF.setdefault(_type, []).append(_kind)
# Types of entry that rows without a sequence are found by.
_FOUND_BY: Final = [
    *("approval", "sign_on", "relief", "sign_off", "staff", "staff_left", "post", "post_ended", "device"),
    "device_revoked",
]
# And by what of what they say.
_NAMES: Final = ("device", "event", "moved_from", "pit", "relieved", "role", "staff", "started_at", "table")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_BANK: Final = "movement of the chip bank"
_MOVES_BANK: Final = {("slip_issued", "fill"), ("slip_void", "fill"), ("slip_received", "credit")}


def kinds_made(type: str, body: dict[str, Any]) -> list[str]:
    """Name the kinds of row that an entry of a casino's journal has made."""
    moves = type in ("chip_delivery", "slip_corrected") or (type, body.get("kind")) in _MOVES_BANK
    renewed = type == "device" and body.get("renewed")
    return [kind for kind in _KINDS_OF.get(type, ()) if (kind != _BANK or moves) and not renewed]


@dataclass(frozen=True, slots=True)
class HouseFact:
    """A row, or rows that one entry made together: what the entry's type, author, body and moment must be.

    What the row itself does not say is None.
    """

    kind: str
    type: str
    author: str | None
    said: dict[str, Any]
    at: str | None


def house_facts(journal_id: int, casino_id: int) -> dict[int, list[HouseFact]]:
    """Read the facts whose entries are in a casino's journal, by sequence; under 0 those that no entry is found for."""
    found: dict[int, list[HouseFact]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sequence, type, author, happened_at, text FROM tables_entry"
            " WHERE journal_id = %s AND type = ANY(%s)",
            [journal_id, _FOUND_BY],
        )
        entries = json.dumps([_entry(*row) for row in cursor.fetchall()])
        asked: dict[str, int | str] = {"casino": casino_id, "entries": entries}
        for kind, (_types, rows) in _FACTS.items():
            cursor.execute(f"SELECT * FROM ({rows}) f WHERE f.of = %(casino)s", asked)
            for sequence, type, author, said, at, _casino in cursor.fetchall():
                # NULL is said only where somebody made it so behind the guards.
                who = None if author == "*" else author or ""
                moment = "" if at is None else None if at == _EPOCH else time_text(at)
                found[sequence or 0].append(HouseFact(kind, str(type), who, json.loads(said), moment))
    return found


def _entry(sequence: int, type: str, author: str, happened_at: datetime, text: str) -> dict[str, Any]:
    """Return of an entry what rows are found by; one whose text no service wrote finds none."""
    body = {}
    try:
        said = json.loads(text)["body"]
        body = {name: said[name] for name in _NAMES if name in said}
        for value in body.values():
            if b"\0" in value.encode():  # which raises for half a pair of surrogates
                raise ValueError(f"{value!r} is in no row")
        datetime.fromisoformat(body.get("started_at", "2000-01-01"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        body = {}
    return {"sequence": sequence, "type": type, "author": author, "happened_at": time_text(happened_at), "body": body}


def heads_of_house(casino_id: int) -> list[str]:
    """Name what of the house's heads does not follow from its facts: the chip bank, the numbers given to slips."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('the chip bank says %%s of chip %%s in %%s, its movements %%s', COALESCE(s.pieces, 0),"
            " COALESCE(s.chip, m.chip), COALESCE(s.currency, m.currency), COALESCE(m.pieces, 0))"
            " FROM (SELECT * FROM tables_bankstock WHERE casino_id = %(casino)s) s FULL JOIN (SELECT currency, chip,"
            " sum(pieces) AS pieces, max(sequence) AS sequence FROM tables_bankmovement"
            " WHERE casino_id = %(casino)s GROUP BY currency, chip) m"
            " ON m.currency = s.currency AND m.chip = s.chip"
            " WHERE COALESCE(s.pieces, 0) <> COALESCE(m.pieces, 0) OR s.sequence IS DISTINCT FROM m.sequence"
            " UNION ALL SELECT format('the last %%s slip of %%s is %%s, its slips say %%s', COALESCE(r.kind, n.kind),"
            " COALESCE(r.year, n.year), r.last, COALESCE(n.last, 0)) FROM (SELECT * FROM tables_slipseries"
            " WHERE casino_id = %(casino)s) r FULL JOIN (SELECT kind, year, max(number) AS last"
            " FROM tables_slipnumber WHERE casino_id = %(casino)s GROUP BY kind, year) n"
            " ON n.kind = r.kind AND n.year = r.year WHERE COALESCE(r.last, 0) <> COALESCE(n.last, 0)"
            " UNION ALL SELECT format('the head of table %%s names other options of its console than the last', t.code)"
            " FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE t.casino_id = %(casino)s AND"
            " h.options_id IS DISTINCT FROM (SELECT c.id FROM tables_consoleoptions c WHERE c.table_id = t.id"
            " ORDER BY c.number DESC LIMIT 1)",
            {"casino": casino_id},
        )
        return [what for (what,) in cursor.fetchall()]


def pits_of(casino_id: int) -> dict[str, str]:
    """Name the pit in which each table of a casino stands ("": in none)."""
    return {code: pit or "" for code, pit in Table.objects.filter(casino=casino_id).values_list("code", "pit__name")}
