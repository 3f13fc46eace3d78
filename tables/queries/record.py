"""A table's ledger, rebuilt from its journal, and what is kept of it in the process. It writes nothing."""

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from tables import tablelog
from tables.ledger import Ledger
from tables.rules.refusals import Code, Refusal

# What bets and turns wait for holds until one of the others comes after it.
OPENS_BETS = frozenset({"bets_down", "card", "deal", "bet", "withdraw", "refuse", "paroli"})
OPENS_TURN = frozenset({"confirm", "card", "pocket", "reveal"})
FREE_TEXT = frozenset({"reason", "shuffle", "cut_by"})
ERASED = "[erased]"


@dataclass(frozen=True, slots=True)
class OpeningView:
    """A table's time from opener to closer."""

    id: int
    number: int
    gaming_date: date
    opened_at: datetime


@dataclass(frozen=True, slots=True)
class OptionsView:
    """What a house asks for at a table's console, beside the rules."""

    id: int
    bets_down: bool
    confirm: bool
    check_minor: int | None


def is_left_out(field: str, value: object) -> bool:
    """Say whether an event's field holds only the salted hash of a text."""
    return field in FREE_TEXT and isinstance(value, dict) and value.keys() == {"sha256"}


def event_of(entry: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the event of an entry as it was sent, with the texts that were left out of it, or `[erased]`."""
    texts = texts or {}
    return {
        field: texts.get(field, ERASED) if is_left_out(field, value) else value
        for field, value in entry["event"].items()
    }


def feed(ledger: Ledger, entry: Mapping[str, Any]) -> None:
    """Feed a recorded entry to a ledger. What was recorded is not refused: a refusal here is a finding."""
    sent = event_of(entry)
    event = tablelog.parse_object(sent)
    if not isinstance(event, tablelog.FloorEvent):
        ledger.apply(event, sent)


def catch_up(ledger: Ledger, journal_id: int, since: int, until: int) -> None:
    """Feed a ledger that stands at the sequence `since` with everything up to `until`."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT text FROM tables_entry WHERE journal_id = %s AND sequence > %s AND sequence <= %s"
            " ORDER BY sequence",
            [journal_id, since, until],
        )
        for (text,) in cursor.fetchall():
            feed(ledger, json.loads(text))


def rebuild(journal_id: int, last_deal_id: int | None, until: int) -> Ledger:
    """Read a table's ledger as it stood at the sequence `until`, which is not before its last deal."""
    if last_deal_id is None:
        ledger = Ledger()
        catch_up(ledger, journal_id, 0, until)
        return ledger
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT d.sequence, d.number, d.bank_minor, v.number, v.terms"
            " FROM tables_deal d JOIN tables_rulesversion v ON v.id = d.rules_version_id WHERE d.id = %s",
            [last_deal_id],
        )
        sequence, number, bank, version, terms = cursor.fetchone()
    ledger = Ledger.before_deal(json.loads(terms), bank, version, number - 1)
    catch_up(ledger, journal_id, sequence - 1, until)
    return ledger


def opening(opening_id: int) -> OpeningView:
    """Read an opening."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, number, gaming_date, opened_at FROM tables_opening WHERE id = %s", [opening_id])
        return OpeningView(*cursor.fetchone())


def opening_numbered(table_id: int, number: int | None) -> OpeningView:
    """Read an opening of a table by its number; None: the last one. Raises: bad_line where there is none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, number, gaming_date, opened_at FROM tables_opening"
            " WHERE table_id = %s AND (%s::int IS NULL OR number = %s) ORDER BY number DESC LIMIT 1",
            [table_id, number, number],
        )
        row = cursor.fetchone()
    if row is None:
        raise Refusal(Code.BAD_LINE, f"This table has no opening {number or ''}.".replace(" .", "."), value=number)
    return OpeningView(*row)


def opening_at(table_id: int, instant: datetime) -> OpeningView | None:
    """Read the opening of a table that contains an instant: from its opener, until before its closer."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.id, o.number, o.gaming_date, o.opened_at FROM tables_opening o"
            " LEFT JOIN tables_closing c ON c.opening_id = o.id"
            " WHERE o.table_id = %s AND o.opened_at <= %s AND (c.closed_at IS NULL OR c.closed_at > %s)"
            " ORDER BY o.number DESC LIMIT 1",
            [table_id, instant, instant],
        )
        row = cursor.fetchone()
    return None if row is None else OpeningView(*row)


def options(options_id: int) -> OptionsView:
    """Read options of a console."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, bets_down, confirm, check_minor FROM tables_consoleoptions WHERE id = %s", [options_id]
        )
        return OptionsView(*cursor.fetchone())


def last_type(journal_id: int, until: int, types: frozenset[str]) -> str:
    """Name the last entry of these types up to a sequence, "" for none."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT type FROM tables_entry WHERE journal_id = %s AND sequence <= %s AND type = ANY(%s)"
            " ORDER BY sequence DESC LIMIT 1",
            [journal_id, until, list(types)],
        )
        row = cursor.fetchone()
    return row[0] if row else ""


def bets_between(journal_id: int, since: int, until: int) -> list[tuple[str, str | None]]:
    """List the bets recorded after `since` up to `until`: name, and the device that sent it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT text FROM tables_entry WHERE journal_id = %s AND sequence > %s AND sequence <= %s"
            " AND type IN ('bet', 'paroli') ORDER BY sequence",
            [journal_id, since, until],
        )
        entries = [json.loads(text) for (text,) in cursor.fetchall()]
    return [(entry["event"]["bet"], entry.get("device")) for entry in entries]


def deal_exists(table_id: int, name: str) -> bool:
    """Say whether a deal's name is taken at a table."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM tables_deal WHERE table_id = %s AND name = %s", [table_id, name])
        return cursor.fetchone() is not None


@dataclass(frozen=True, slots=True)
class Kept:
    """A ledger, and the table's opening and the console's options if they are known, as they stood at a head."""

    ledger: Ledger
    opening: OpeningView | None = None
    options: OptionsView | None = None


class Ledgers:
    """Ledgers kept in the process, each with the head that it stood at.

    Whoever takes one owns it: it is not here while somebody feeds it. It is believed only where sequence and hash
    are those of the locked head, or of an entry before it, and then caught up with the journal; otherwise rebuilt.
    So nothing is believed that was rolled back, or that belongs to a database which another has replaced: ids may
    come again there, the hash of an entry does not. Nothing else read from the record outlives a request.
    """

    def __init__(self, limit: int = 500) -> None:
        self._limit = limit
        self._kept: OrderedDict[int, tuple[int, str, Kept]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, table_id: int, journal_id: int, last_deal_id: int | None, sequence: int, hash: str) -> Kept:
        """Return the ledger of a table as it stands at the head, out of what is kept or out of the journal.

        The opening and the options kept beside it held at that head or before it: whoever uses them compares their ids.
        """
        with self._lock:
            found = self._kept.pop(table_id, None)
        if found is not None:
            at, its_hash, kept = found
            if at == sequence and its_hash == hash:
                return kept
            if at < sequence and _passed_through(journal_id, at, its_hash):
                catch_up(kept.ledger, journal_id, at, sequence)
                return kept
        return Kept(rebuild(journal_id, last_deal_id, sequence))

    def put(self, table_id: int, sequence: int, hash: str, kept: Kept) -> None:
        """Keep a ledger that stands at this head."""
        with self._lock:
            self._kept[table_id] = (sequence, hash, kept)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)

    def discard(self, table_id: int) -> None:
        """Forget what is kept of a table: its transaction failed."""
        with self._lock:
            self._kept.pop(table_id, None)


def _passed_through(journal_id: int, sequence: int, hash: str) -> bool:
    """Say whether this journal passed through that head."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM tables_entry WHERE journal_id = %s AND sequence = %s AND hash = %s",
            [journal_id, sequence, hash],
        )
        return cursor.fetchone() is not None
