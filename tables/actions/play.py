"""Writing what happened at a table: sealed entries, their facts, the head, in one statement. It judges nothing.

Every parameter is the text of an array, one element a row: neither side spends its time on types.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final, cast
from uuid import UUID

import psycopg

from tables import live
from tables.journal.chain import Sealed
from tables.ledger import Facts

# Columns of a fact as the sealed entry has them, and their types.
_COLUMNS = {
    "card": {"position": "int", "revision": "int", "card": "text", "pocket": "boolean"},
    "bet": {
        "name": "text",
        "revision": "int",
        "made": "boolean",
        "seat": "int",
        "kind": "text",
        "rank": "text",
        "suit": "text",
        "amount_minor": "bigint",
        "after": "int",
        "ordinal": "int",
        "of": "text",
    },
    "correction": {
        "number": "int",
        "author": "text",
        "approver": "text",
        "alone": "boolean",
        "given": "boolean",
    },
    "settlement": {
        "turn": "int",
        "position": "int",
        "by_deed": "boolean",
        "revision": "int",
        "outcome": "text",
        "stake_minor": "bigint",
        "paid_minor": "bigint",
        "taken_minor": "bigint",
        "returned_minor": "bigint",
        "standing_minor": "bigint",
        "clause": "text",
    },
    "deed": {"type": "text", "position": "int", "card": "text", "seat": "int"},
    "adjustment": {
        "stake_minor": "bigint",
        "paid_minor": "bigint",
        "taken_minor": "bigint",
        "returned_minor": "bigint",
        "standing_minor": "bigint",
    },
}
# Facts that name a bet, or a correction, are inserted after it.
_FIRST = ("card", "bet", "correction")
_THEN = ("settlement", "deed", "adjustment")

_ENTRIES = """
u AS MATERIALIZED (
    SELECT * FROM unnest(
        %(sequences)s::bigint[], %(types)s::text[], %(authors)s::text[], %(recorded)s::timestamptz[],
        %(happened)s::timestamptz[], %(late)s::boolean[], %(hashes)s::text[], %(texts)s::text[],
        %(ids)s::uuid[], %(digests)s::text[]
    ) AS u(sequence, type, author, recorded_at, happened_at, late, hash, text, id, digest)
)"""
_STORE = """
e AS (
    INSERT INTO tables_entry
        (journal_id, sequence, type, author, recorded_at, happened_at, late, hash, text)
    SELECT %(journal)s, sequence, type, author, recorded_at, happened_at, late, hash, text FROM u
), i AS (
    INSERT INTO tables_eventid (id, table_id, digest, sequence)
    SELECT id, %(table)s, digest, sequence FROM u WHERE id IS NOT NULL
), h AS (
    UPDATE tables_tablehead SET sequence = %(sequence)s, hash = %(hash)s, state = %(state)s,
        opening_id = %(opening)s, live_deal_id = {live}, last_deal_id = {last}, rules_version_id = %(version)s
    WHERE table_id = %(table)s AND sequence = %(before)s
    RETURNING 1
)"""
_DEAL = """
deal AS (
    INSERT INTO tables_deal
        (table_id, number, name, rules_version_id, bank_minor, opening_id, gaming_date, sequence)
    SELECT %(table)s, r.number, r.name, %(version)s, r.bank_minor, r.opening_id, r.gaming_date, r.sequence
    FROM unnest(
        %(deal_number)s::int[], %(deal_name)s::text[], %(deal_bank_minor)s::bigint[], %(deal_opening)s::bigint[],
        %(deal_date)s::date[], %(deal_sequence)s::bigint[]
    ) AS r(number, name, bank_minor, opening_id, gaming_date, sequence)
    RETURNING id
)"""


def _fact(kind: str) -> str:
    columns = _COLUMNS[kind]
    into = ", ".join(f'"{name}"' for name in columns)
    values = ", ".join(f'r."{name}"' for name in columns)
    read = {**columns, **({"bet": "text"} if kind in _THEN else {})}
    arrays = ", ".join(f"%({kind}_{name})s::{type}[]" for name, type in read.items())
    names = ", ".join(f'"{name}"' for name in read)
    joins = ""
    if kind in _THEN:
        # One look into an index for each: a join would read every bet that the deal ever had.
        into = into + ", bet_id"
        values += ", (SELECT b.id FROM tables_bet b WHERE b.deal_id = %(deal)s AND b.name = r.bet AND b.revision = 0)"
    if kind == "adjustment":
        into, values = into + ", correction_id", values + ", c.id"
        joins += """
    JOIN tables_correction c ON c.deal_id = %(deal)s AND c.sequence = r.sequence"""
    return f"""
{kind} AS (
    INSERT INTO tables_{kind} (deal_id, opening_id, gaming_date, sequence, {into})
    SELECT %(deal)s, r.opening_id, r.gaming_date, r.sequence, {values}
    FROM unnest(
        %({kind}_opening)s::bigint[], %({kind}_date)s::date[], %({kind}_sequence)s::bigint[], {arrays}
    ) AS r(opening_id, gaming_date, sequence, {names}){joins}
    RETURNING 1
)"""  # noqa: S608 # every name is our own


@lru_cache(maxsize=256)
def _statement(store: bool, kinds: tuple[str, ...]) -> str:
    """Make the one statement that stores entries, moves the head and inserts the facts of these kinds."""
    opens = kinds == ("deal",)
    parts = [_DEAL] if opens else [_fact(kind) for kind in kinds]
    if store:
        opened = "(SELECT id FROM deal)"
        live, last = (opened, opened) if opens else ("%(live)s::bigint", "%(last)s::bigint")
        parts += [_ENTRIES, _STORE.format(live=live, last=last)]
    moved = "(SELECT count(*) FROM h)" if store else "1"
    inserted = " + ".join(f"(SELECT count(*) FROM {kind})" for kind in kinds) or "0"  # noqa: S608 # our own names
    deal = "(SELECT id FROM deal)" if opens else "NULL::bigint"
    return f"WITH{','.join(parts)}\nSELECT {moved}, {inserted}, {deal}"  # every name is our own


def array(values: Iterable[object]) -> str:
    """Write the text of a PostgreSQL array."""
    listed = list(values)
    types = set(map(type, listed))
    if types <= _BARE:  # Python writes a list of these as PostgreSQL reads it, but for the name of nothing
        return "{" + repr(listed)[1:-1].replace("None", "NULL") + "}"
    if types == {str}:
        joined = '","'.join(cast(list[str], listed))
        if "\\" not in joined and joined.count('"') == 2 * (len(listed) - 1):  # no sign that must be quoted
            return '{"' + joined + '"}'
    return "{" + ",".join(["NULL" if value is None else _quoted(value) for value in listed]) + "}"


_BARE: Final = frozenset({int, bool, type(None)})


def _quoted(value: object) -> str:
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event judged and sealed, to be written: in which opening, under which sender's id, with which facts."""

    entry: Sealed
    id: UUID | None
    digest: str
    opening_id: int | None
    gaming_date: date | None
    facts: Facts


@dataclass(slots=True)
class HeadRow:
    """The locked head of a table, and what never changes of the table itself."""

    table_id: int
    journal_id: int
    sequence: int
    hash: str
    state: str
    opening_id: int | None
    live_deal_id: int | None
    last_deal_id: int | None
    rules_version_id: int | None
    code: str
    currency: str
    pit_id: int | None
    casino_id: int
    pen_id: int | None
    options_id: int | None


def write(cursor: psycopg.Cursor[Any], head: HeadRow, before: int, recorded: Sequence[Recorded]) -> int | None:
    """Write what was recorded after the sequence `before`, and move the head to where `head` now says.

    Facts of one deal at most; a `deal` event comes alone, and the new deal's id is returned.
    """
    last = recorded[-1].entry
    parameters: dict[str, object] = {
        "sequences": array(each.entry.sequence for each in recorded),
        "types": array(each.entry.type for each in recorded),
        "authors": array(each.entry.author for each in recorded),
        "recorded": array(each.entry.recorded_at for each in recorded),
        "happened": array(each.entry.happened_at for each in recorded),
        "late": array(each.entry.late for each in recorded),
        "hashes": array(each.entry.hash for each in recorded),
        "texts": array(each.entry.text for each in recorded),
        "ids": array(each.id for each in recorded),
        "digests": array(each.digest for each in recorded),
        "journal": head.journal_id,
        "table": head.table_id,
        "sequence": last.sequence,
        "hash": last.hash,
        "state": head.state,
        "opening": head.opening_id,
        "live": head.live_deal_id,
        "last": head.last_deal_id,
        "version": head.rules_version_id,
        "before": before,
        "deal": head.last_deal_id,
    }
    counts: dict[str, int] = {}
    for kind in ("deal", *_COLUMNS):
        rows = [(each, row) for each in recorded for row in each.facts.get(kind, ())]
        if rows:
            counts[kind] = len(rows)
            parameters[f"{kind}_opening"] = array(each.opening_id for each, _ in rows)
            parameters[f"{kind}_date"] = array(each.gaming_date for each, _ in rows)
            parameters[f"{kind}_sequence"] = array(each.entry.sequence for each, _ in rows)
            for name in rows[0][1]:
                parameters[f"{kind}_{name}"] = array(row[name] for _, row in rows)
    deal_id = None
    for store, kinds in _steps(counts):
        cursor.execute(_statement(store, kinds), parameters, prepare=True)
        row = cursor.fetchone()
        assert row is not None
        moved, inserted, deal_id = row
        expected = sum(counts[kind] for kind in kinds)
        assert (moved, inserted) == (1, expected), f"wrote {inserted} of {expected} facts, moved {moved} heads"
    texts = [(each.entry.sequence, *text) for each in recorded for text in each.entry.texts]
    if texts:
        cursor.executemany(
            "INSERT INTO tables_text (journal_id, sequence, field, salt, text) VALUES (%s, %s, %s, %s, %s)",
            [(head.journal_id, *text) for text in texts],
        )
    live.tell_on_commit(head.table_id, last.sequence)
    return deal_id


def _steps(counts: dict[str, int]) -> list[tuple[bool, tuple[str, ...]]]:
    """Say in which statements to write: one, unless a fact names a bet or a correction written beside it."""
    if "deal" in counts:
        return [(True, ("deal",))]
    first = tuple(kind for kind in _FIRST if kind in counts)
    then = tuple(kind for kind in _THEN if kind in counts)
    if then and ("bet" in counts or "correction" in counts):
        return [(True, first), (False, then)]
    return [(True, first + then)]
