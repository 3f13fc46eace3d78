"""The record as it stood at a past moment, for whatever is read inside the block. It writes nothing that stays.

The record is append-only, so a moment is a set of heads: of each journal the last entry before the first one that was
recorded later. Inside the block every table of the record is covered by a temporary view of its name that leaves out
what came after these heads; PostgreSQL looks there first, so that no query has to know of it. The block is rolled back.

What is work and no fact (sign-ons, alerts, approvals that waited) is taken back to the moment as far as its times say.
Names of tables, pits and people are today's, and what was erased since is erased.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from django.db import connection, transaction
from django.db.models import Model

from audit.models import FollowUp, Seal, SealHead
from tables import models

_OF_TABLE: Final = "JOIN moment_tables h ON h.table_id = f.table_id"
_OF_OPENING: Final = (
    "JOIN {schema}.tables_opening o ON o.id = f.opening_id JOIN moment_tables h ON h.table_id = o.table_id"
)
_OF_CASINO: Final = "JOIN moment_casinos h ON h.casino_id = f.casino_id"
_OF_DROP: Final = "JOIN {schema}.tables_drop d ON d.id = f.drop_id "
_DROPPED: Final = (
    "JOIN {schema}.tables_opening o ON o.id = {drop}.opening_id JOIN moment_tables t ON t.table_id = o.table_id"
    " JOIN moment_casinos h ON h.casino_id = t.casino_id"
)
# Facts that stand until the moment where their sequence is not beyond `h`, the head of the journal that it counts in.
COUNTED: Final[Mapping[type[Model], str]] = {
    **dict.fromkeys((models.Entry, models.Text), "JOIN moment_journals h ON h.journal_id = f.journal_id"),
    **dict.fromkeys((models.Opening, models.RulesVersion, models.Deal), _OF_TABLE),
    **dict.fromkeys((models.Closing, models.Card, models.Bet, models.Settlement, models.Deed), _OF_OPENING),
    **dict.fromkeys((models.Correction, models.Adjustment, models.Mispay), _OF_OPENING),
    **dict.fromkeys((models.Movement, models.MovementCorrection, models.ColourValue), _OF_OPENING),
    models.Incident: _OF_OPENING,
    **dict.fromkeys((models.ChipPolicy, models.Slip, models.SlipCorrection), _OF_CASINO),
    **dict.fromkeys((models.Deck, models.DeckCount, models.Dispute, models.Note), _OF_CASINO),
    **dict.fromkeys((models.ShiftPlan, models.ShiftClosing, Seal), _OF_CASINO),
    models.Drop: _DROPPED.replace("{drop}", "f"),
    **dict.fromkeys(
        (models.DropStep, models.DropCount, models.DropApproval), _OF_DROP + _DROPPED.replace("{drop}", "d")
    ),
    models.DeckStep: (
        "JOIN {schema}.tables_deck p ON p.id = f.deck_id JOIN moment_casinos h ON h.casino_id = p.casino_id"
    ),
    models.SlipStep: (
        "JOIN {schema}.tables_slip p ON p.id = f.slip_id JOIN moment_casinos h ON h.casino_id = p.casino_id"
    ),
    models.Ruling: (
        "JOIN {schema}.tables_dispute p ON p.id = f.dispute_id JOIN moment_casinos h ON h.casino_id = p.casino_id"
    ),
}
# Facts without an entry of their own stand where the one that they came with does.
CAME_WITH: Final[Mapping[type[Model], str]] = {
    models.MovementChip: "JOIN tables_movement p ON p.id = f.movement_id",
    models.MovementCorrectionChip: "JOIN tables_movementcorrection p ON p.id = f.correction_id",
    models.SlipChip: "JOIN tables_slip p ON p.id = f.slip_id",
    models.SlipNumber: "JOIN tables_slipstep p ON p.slip_id = f.slip_id AND p.step = 'issued'",
    models.SlipCorrectionChip: "JOIN tables_slipcorrection p ON p.id = f.correction_id",
    models.DropCountLine: "JOIN tables_dropcount p ON p.id = f.count_id",
    models.ShiftStart: "JOIN tables_shiftplan p ON p.id = f.plan_id",
    models.ShiftClosingTable: "JOIN tables_shiftclosing p ON p.id = f.closing_id",
    SealHead: "JOIN audit_seal p ON p.id = f.seal_id",
}
_AT: Final = "(SELECT at FROM moment)"
# Rows that move: which of them there were, and what their columns said then.
MOVED: Final[Mapping[type[Model], tuple[str, Mapping[str, str]]]] = {
    models.TableHead: (
        "JOIN moment_tables h ON h.table_id = f.table_id"
        " LEFT JOIN LATERAL (SELECT id FROM tables_deal d WHERE d.table_id = f.table_id ORDER BY number DESC LIMIT 1) d"
        " ON true LEFT JOIN LATERAL (SELECT id FROM tables_rulesversion v WHERE v.table_id = f.table_id"
        " ORDER BY number DESC LIMIT 1) v ON true LEFT JOIN LATERAL (SELECT o.id FROM tables_opening o"
        " WHERE o.table_id = f.table_id AND NOT EXISTS (SELECT FROM tables_closing c WHERE c.opening_id = o.id)"
        " ORDER BY number DESC LIMIT 1) o ON true",
        {
            "sequence": "h.sequence",
            "hash": "h.hash",
            "state": "CASE WHEN o.id IS NULL THEN 'closed' ELSE 'open' END::varchar(10)",
            "opening_id": "o.id",
            "live_deal_id": "h.live_deal_id",
            "last_deal_id": "d.id",
            "rules_version_id": "v.id",
        },
    ),
    models.CasinoHead: (_OF_CASINO, {"sequence": "h.sequence", "hash": "h.hash"}),
    models.SlipSeries: (
        "JOIN LATERAL (SELECT max(number) AS last FROM tables_slipnumber n WHERE n.casino_id = f.casino_id"
        " AND n.kind = f.kind AND n.year = f.year) n ON n.last > 0",
        {"last": "n.last"},
    ),
    models.SignOn: (
        f"WHERE f.started_at <= {_AT}",
        {
            "ended_at": f"CASE WHEN f.ended_at <= {_AT} THEN f.ended_at END",
            "ending": f"CASE WHEN f.ended_at <= {_AT} THEN f.ending END",
            "relieved_by_id": f"CASE WHEN f.ended_at <= {_AT} THEN f.relieved_by_id END",
        },
    ),
    models.WaitingCorrection: (
        f"JOIN moment_tables h ON h.table_id = f.table_id WHERE f.asked_at <= {_AT}",
        {"state": "CASE WHEN f.sequence > h.sequence THEN 'waiting' ELSE f.state END::varchar(10)"},
    ),
    models.Alert: (
        f"WHERE f.raised_at <= {_AT}",
        {
            "over_at": f"CASE WHEN f.over_at <= {_AT} THEN f.over_at END",
            "seen_at": f"CASE WHEN f.seen_at <= {_AT} THEN f.seen_at END",
            **{
                name: f"CASE WHEN f.seen_at <= {_AT} THEN f.{name} ELSE '' END"
                for name in ("seen_by", "seen_name", "note")
            },
        },
    ),
    models.Clearing: (f"WHERE f.cleared_at <= {_AT}", {}),
    FollowUp: (
        f"WHERE f.found_at <= {_AT}",
        {
            "outcome": f"CASE WHEN f.settled_at <= {_AT} THEN f.outcome ELSE '' END::varchar(10)",
            "settled_by": f"CASE WHEN f.settled_at <= {_AT} THEN f.settled_by ELSE '' END::varchar(200)",
            "settled_sequence": f"CASE WHEN f.settled_at <= {_AT} THEN f.settled_sequence END",
            "settled_at": f"CASE WHEN f.settled_at <= {_AT} THEN f.settled_at END",
        },
    ),
}
# Facts that no report reads.
NOT_READ: Final = frozenset(
    {
        *(models.Approval, models.ApprovalDecision, models.BankMovement, models.ConsoleOptions, models.DeedId),
        *(models.EventId, models.FloorMarks, models.Player, models.Sitting, models.SittingEnd),
    }
)
# A journal that nothing was written to yet has a head of zeros.
_HEADS: Final = """
CREATE TEMP TABLE moment_journals ON COMMIT DROP AS
SELECT j.id AS journal_id, h.sequence, COALESCE(e.hash, repeat('0', 64)) AS hash
FROM {schema}.tables_journal j CROSS JOIN LATERAL (
    SELECT COALESCE(
        (SELECT min(e.sequence) - 1 FROM {schema}.tables_entry e, moment m
         WHERE e.journal_id = j.id AND e.recorded_at > m.at),
        (SELECT max(e.sequence) FROM {schema}.tables_entry e WHERE e.journal_id = j.id), 0) AS sequence
) h LEFT JOIN {schema}.tables_entry e ON e.journal_id = j.id AND e.sequence = h.sequence;
CREATE TEMP TABLE moment_tables ON COMMIT DROP AS
SELECT t.id AS table_id, t.casino_id, j.sequence, j.hash, NULL::bigint AS live_deal_id
FROM {schema}.tables_table t JOIN {schema}.tables_tablehead h ON h.table_id = t.id
JOIN moment_journals j ON j.journal_id = h.journal_id;
CREATE TEMP TABLE moment_casinos ON COMMIT DROP AS
SELECT h.casino_id, j.sequence, j.hash FROM {schema}.tables_casinohead h
JOIN moment_journals j ON j.journal_id = h.journal_id
"""


@contextmanager
def as_it_stood(at: datetime) -> Iterator[None]:
    """Let every statement of the block see the record as it stood then. Nothing that the block writes stays."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema())")
            (schema,) = cursor.fetchone()
            cursor.execute("CREATE TEMP TABLE moment ON COMMIT DROP AS SELECT %s::timestamptz AS at", [at])
            cursor.execute(_HEADS.format(schema=schema))
            for model, join in COUNTED.items():
                table = model._meta.db_table
                cursor.execute(
                    f"CREATE TEMP VIEW {table} AS SELECT f.* FROM {schema}.{table} f"  # noqa: S608 # our own names
                    f" {join.format(schema=schema)} WHERE f.sequence <= h.sequence"
                )
            for model, join in CAME_WITH.items():
                table = model._meta.db_table
                cursor.execute(f"CREATE TEMP VIEW {table} AS SELECT f.* FROM {schema}.{table} f {join}")  # noqa: S608
            for model, (join, said) in MOVED.items():
                table = model._meta.db_table
                names = [str(field.column) for field in model._meta.concrete_fields]
                columns = ", ".join(
                    f'{said.get(name, f"f.{connection.ops.quote_name(name)}")} AS "{name}"' for name in names
                )
                cursor.execute(f"CREATE TEMP VIEW {table} AS SELECT {columns} FROM {schema}.{table} f {join}")  # noqa: S608
        yield
        transaction.set_rollback(True)


def say_live(deals: list[int]) -> None:
    """Note which deals were being played at the moment; until then the block knows of none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE moment_tables h SET live_deal_id = d.id FROM tables_deal d WHERE d.table_id = h.table_id"
            " AND d.id = ANY(%s)",
            [deals],
        )
