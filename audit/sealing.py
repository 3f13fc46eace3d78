"""Deeds around seals: sealing a gaming day or on demand, handing seals out of the database, announcing a new key.

A seal is computed from one statement's view of the journals, without a lock, and written under the lock of the
casino's head, where it is compared with what was written meanwhile: of two workers one writes, the other finds the
seal there. A seal and what is to be done with it are one transaction; what is done twice after a crash (the same file,
the same mail) does no harm. A record that no longer begins with what was sealed before is not sealed.
"""

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.db.models import Q

from audit.models import Seal, SealDelivery, SealHead, SealKey
from audit.seals import START, Head, NoKey, Signer, Tree, digest, key_text, seal_text, signer
from audit.verify_journal import read_object
from tables import access
from tables.access import Author
from tables.journal import append_to_casino
from tables.journal.chain import time_text
from tables.models import Casino, CasinoHead, Entry
from tables.queries.house_facts import HouseFact
from tables.queries.shifts import calendar_of

log = logging.getLogger(__name__)

FORMAT = "casino-seals/1"


class SealRefused(Exception):
    """What is asked cannot be sealed, and why."""


@dataclass(frozen=True, slots=True)
class _Measured:
    heads: list[Head]
    # Of each journal sealed before: the hash and root that it has now at the length it had then.
    then: dict[str, tuple[str, str]]


def hashes_of(casino_id: int) -> Iterator[tuple[str, int, str]]:
    """Yield journal, sequence and hash of every entry of a casino's journals, all as of one moment, in order."""
    assert connection.in_atomic_block, "a cursor on the server lives inside a transaction"
    with connection.chunked_cursor() as cursor:
        cursor.execute(
            "SELECT j.name, e.sequence, e.hash FROM tables_entry e JOIN tables_journal j ON j.id = e.journal_id"
            " LEFT JOIN tables_tablehead h ON h.journal_id = j.id LEFT JOIN tables_table t ON t.id = h.table_id"
            " LEFT JOIN tables_casinohead c ON c.journal_id = j.id WHERE t.casino_id = %s OR c.casino_id = %s"
            ' ORDER BY j.name COLLATE "C", e.sequence',
            [casino_id, casino_id],
        )
        yield from cursor


def _measure(casino_id: int, before: dict[str, int]) -> _Measured:
    heads: list[Head] = []
    then: dict[str, tuple[str, str]] = {}
    name, tree, sequence, hash = "", Tree(), 0, START

    def end() -> None:
        if name:
            heads.append(Head(name, sequence, hash, tree.root().hex()))

    for journal, at, its_hash in hashes_of(casino_id):
        if journal != name:
            end()
            name, tree, sequence = journal, Tree(), 0
        if at != sequence + 1:
            raise SealRefused(f"Entry {sequence + 1} of {journal} is missing.")
        tree.add(bytes.fromhex(its_hash))
        sequence, hash = at, its_hash
        if before.get(journal) == at:
            then[journal] = (its_hash, tree.root().hex())
    end()
    return _Measured(heads, then)


def seal(casino_id: int, *, gaming_date: date | None, author: Author | None, now: datetime) -> Seal:
    """Seal all journals of a casino as they stand; the seal of a gaming day is made once and then given again.

    Raises NoKey; SealRefused where nothing is on record, where what was sealed before has changed, or where the key was
    not announced; Refusal: not_allowed.
    """
    if author is not None:
        access.require(author, "seal.make", None)
    key = signer(settings.SEAL_KEY_FILE)
    while True:
        if gaming_date is not None and (
            there := Seal.objects.filter(casino=casino_id, gaming_date=gaming_date).first()
        ):
            return there
        last = Seal.objects.filter(casino=casino_id).order_by("-number").first()
        with transaction.atomic():
            before = {} if last is None else {head.journal: head for head in last.heads.all()}
            measured = _measure(casino_id, {journal: head.sequence for journal, head in before.items()})
        for journal, head in before.items():
            said = json.loads(head.text)
            if measured.then.get(journal) != (said["hash"], said["root"]):
                raise SealRefused(f"{journal} no longer begins with what seal {last.number if last else 0} sealed.")
        if not measured.heads:
            raise SealRefused("There is nothing on record to seal.")
        made = _write(casino_id, key, measured.heads, last, gaming_date, author, now)
        if made is not None:
            return made


def _write(
    casino_id: int,
    key: Signer,
    heads: list[Head],
    last: Seal | None,
    gaming_date: date | None,
    author: Author | None,
    now: datetime,
) -> Seal | None:
    """Write the seal, or nothing if another one was made since `last`."""
    with transaction.atomic():
        casino = (
            CasinoHead.objects.select_for_update(of=("self",)).select_related("casino").get(casino=casino_id).casino
        )
        newest = Seal.objects.filter(casino=casino_id).order_by("-number").first()
        if (newest and newest.pk) != (last and last.pk):
            return None
        key_row = SealKey.objects.filter(casino=casino_id, key=key.key).first()
        if key_row is None:
            if SealKey.objects.filter(casino=casino_id).exists():
                raise SealRefused("The key was not announced under the one before it (manage.py seal --next-key).")
            key_row = _announce(casino, key, key, now)
        number = 1 if last is None else last.number + 1
        text = seal_text(
            casino=casino.code,
            number=number,
            gaming_date=gaming_date,
            sealed_at=now,
            heads=heads,
            previous=START if last is None else last.hash,
            key=key.key,
        )
        root = json.loads(text)["root"]
        receipt = append_to_casino(
            casino_id,
            "seal",
            {
                "gaming_date": gaming_date and gaming_date.isoformat(),
                "number": number,
                "root": root,
                "sha256": digest(text),
            },
            author=author.number if author else "",
        )
        made = Seal.objects.create(
            casino=casino,
            number=number,
            gaming_date=gaming_date,
            sealed_at=now,
            key=key_row,
            root=root,
            hash=digest(text),
            text=text,
            signature=key.sign(text),
            sequence=receipt.sequence,
        )
        SealHead.objects.bulk_create(
            SealHead(seal=made, position=position, journal=head.journal, sequence=head.sequence, text=head.text)
            for position, head in enumerate(heads)
        )
        SealDelivery.objects.create(seal=made, way=SealDelivery.Way.FILE)
        SealDelivery.objects.bulk_create(
            SealDelivery(seal=made, way=SealDelivery.Way.MAIL, address=address)
            for address in dict.fromkeys(settings.SEAL_MAIL_TO)
        )
    return made


def _announce(casino: Casino, key: Signer, under: Signer, now: datetime) -> SealKey:
    previous = "" if under.key == key.key else under.key
    text = key_text(casino=casino.code, key=key.key, previous=previous, announced_at=now)
    receipt = append_to_casino(casino.pk, "seal_key", {"key": key.key, "previous": previous}, author="")
    return SealKey.objects.create(
        casino=casino,
        key=key.key,
        previous=previous,
        announced_at=now,
        text=text,
        signature=under.sign(text),
        sequence=receipt.sequence,
    )


def announce_next_key(file: Path, *, now: datetime) -> str:
    """Let the present key sign for the one in a file, for every casino, and return the new public key. Once.

    From then on SEAL_KEY_FILE may name the new one. Raises NoKey; SealRefused where nothing was sealed yet, or where
    the present key has a follower already.
    """
    present, following = signer(settings.SEAL_KEY_FILE), signer(file)
    with transaction.atomic():
        for casino in Casino.objects.order_by("id"):
            CasinoHead.objects.select_for_update().get(casino=casino)
            keys = SealKey.objects.filter(casino=casino)
            if keys.filter(key=following.key).exists() or not keys.exists():
                continue
            if not keys.filter(key=present.key).exists() or keys.filter(previous=present.key).exists():
                raise SealRefused(f"The present key is not the last one announced for {casino.code}.")
            _announce(casino, following, present, now)
    if not SealKey.objects.filter(key=following.key).exists():
        raise SealRefused("Nothing was sealed yet: name the new key in SEAL_KEY_FILE, that is all.")
    return following.key


def seal_ended_days(now: datetime) -> int:
    """Seal the last gaming day that ended, in every casino with a record of it. Returns how many seals were made.

    Days before it that were missed (nothing ran) are covered by this one.
    """
    made = 0
    for casino in Casino.objects.order_by("id"):
        calendar = calendar_of(casino.pk)
        today = calendar.gaming_date(now)
        day = today - timedelta(days=1)
        if Seal.objects.filter(casino=casino, gaming_date__gte=day).exists():
            continue
        of_casino = Q(journal__casino_head__casino=casino) | Q(journal__table_head__table__casino=casino)
        if not Entry.objects.filter(of_casino, recorded_at__lt=calendar.day_start(today)).exists():
            continue
        try:
            seal(casino.pk, gaming_date=day, author=None, now=now)
        except (NoKey, SealRefused) as problem:
            log.error("the gaming day %s of %s was not sealed: %s", day, casino.code, problem)
        else:
            made += 1
    return made


def lines_of(made: Seal) -> str:
    """Return what leaves the house: the announced keys of the casino and one seal, as JSON Lines."""
    rows: list[dict[str, object]] = [{"format": FORMAT}]
    rows += key_rows(made.casino_id, until=made.sequence)
    rows.append(seal_row(made))
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def key_rows(casino_id: int, *, until: int | None = None) -> list[dict[str, object]]:
    """Return the keys announced for a casino, oldest first, up to an entry of its journal."""
    keys = SealKey.objects.filter(casino=casino_id).order_by("sequence")
    if until is not None:
        keys = keys.filter(sequence__lt=until)
    return [{"kind": "key", "text": key.text, "signature": key.signature} for key in keys]


def seal_row(made: Seal, *, heads: bool = True) -> dict[str, object]:
    """Return a seal as it stands in files, with or without its leaves."""
    row: dict[str, object] = {"kind": "seal", "text": made.text, "signature": made.signature}
    if heads:
        row["heads"] = list(made.heads.order_by("position").values_list("text", flat=True))
    return row


def seal_facts(casino_id: int) -> list[tuple[int, HouseFact]]:
    """Read keys and seals with what the entry of the casino's journal that made each must say, by its sequence.

    Where a column does not repeat what was signed, the fact says so, which no entry does.
    """
    facts = []
    for key in SealKey.objects.filter(casino=casino_id).select_related("casino"):
        said: dict[str, object] = {"key": key.key, "previous": key.previous}
        columns = {**said, "casino": key.casino.code, "announced_at": _moment(key.announced_at)}
        said |= _unlike(columns, key.text)
        facts.append((key.sequence or 0, HouseFact("key of seals", "seal_key", None, said, None)))
    for made in Seal.objects.filter(casino=casino_id).select_related("casino", "key").prefetch_related("heads"):
        said = {
            "number": made.number,
            "gaming_date": made.gaming_date and made.gaming_date.isoformat(),
            "root": made.root,
            "sha256": made.hash,
        }
        columns = {**said, "casino": made.casino.code, "sealed_at": _moment(made.sealed_at), "key": made.key.key}
        columns["sha256"] = None  # which the text cannot say of itself
        said |= _unlike(columns, made.text)
        if digest(made.text or "") != made.hash:
            said["hash"] = made.hash
        for place, head in enumerate(sorted(made.heads.all(), key=lambda head: head.position)):
            leaf = {"journal": head.journal, "sequence": head.sequence}
            said |= {f"head {place} {name}": value for name, value in _unlike(leaf, head.text).items()}
            if head.position != place:
                said[f"head {place} position"] = head.position
        facts.append((made.sequence or 0, HouseFact("seal", "seal", None, said, None)))
    return facts


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else time_text(moment)


def _unlike(columns: dict[str, object], text: str) -> dict[str, object]:
    """Return what the columns hold that differ from what a signed text says, or else a text that says nothing."""
    try:
        said = json.loads(text)
        return {f"{name} beside its text": value for name, value in columns.items() if said.get(name) != value}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {"text": text}


_TYPES: dict[str, dict[str, type]] = {
    "seal": {"casino": str, "number": int, "previous": str, "key": str, "root": str, "size": int},
    "key": {"casino": str, "key": str, "previous": str},
    "head": {"journal": str, "sequence": int, "hash": str, "root": str},
}


def is_readable(row: dict[str, Any]) -> bool:
    """Say whether the texts of a row, as it stands in files, are such as a service writes, right or wrong."""
    texts = [(row["kind"], row["text"]), *(("head", text) for text in row.get("heads", ()))]
    try:
        return bool(row["signature"]) and all(
            isinstance(said.get(name), type)
            for kind, said in ((kind, read_object(text, kind)) for kind, text in texts)
            for name, type in _TYPES[kind].items()
        )
    except (ValueError, TypeError, RecursionError):
        return False


def seal_of(casino_id: int, number: int) -> Seal | None:
    """Find a seal by its number."""
    return Seal.objects.select_related("casino").filter(casino=casino_id, number=number).first()


def file_name(made: Seal) -> str:
    """Name a seal's file."""
    return f"seal-{made.casino.code}-{made.number:06d}.jsonl"


def deliver(now: datetime) -> int:
    """Hand out what has not left the database yet. Returns how much did; what failed is tried again the next time."""
    done = 0
    for pk in list(SealDelivery.objects.filter(done_at__isnull=True).order_by("id").values_list("pk", flat=True)):
        with transaction.atomic():
            due = (
                SealDelivery.objects.select_for_update(skip_locked=True, of=("self",))
                .select_related("seal__casino")
                .filter(pk=pk, done_at__isnull=True)
                .first()
            )
            if due is None:
                continue
            try:
                if due.way == SealDelivery.Way.FILE:
                    _write_file(due.seal)
                else:
                    _mail(due.seal, due.address)
            except OSError as problem:  # smtplib's are OSErrors too
                due.problem = f"{type(problem).__name__}: {problem}"[:500]
                log.error("seal %s did not leave by %s: %s", due.seal.number, due.way, problem)
            else:
                due.done_at, due.problem = now, ""
                done += 1
            due.save(update_fields=["done_at", "problem"])
    return done


def _write_file(made: Seal) -> None:
    """Write a seal's file apart, force it to the disk and rename it, so that there is never a part of one."""
    directory = Path(settings.SEALS_DIR)
    directory.mkdir(parents=True, exist_ok=True)
    final = directory / file_name(made)
    part = directory / f"{final.name}.{os.getpid()}.part"
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(lines_of(made))
        file.flush()
        os.fsync(file.fileno())
    part.replace(final)
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mail(made: Seal, address: str) -> None:
    day = made.gaming_date or made.sealed_at.date()
    message = EmailMessage(
        subject=f"Seal {made.number} of {made.casino.code}, {day}",
        body=f"{made.text}\n\nsignature {made.signature}\n\nKeep this message: the seal in it is not ours to change.\n",
        to=[address],
    )
    message.attach(file_name(made), lines_of(made), "application/x-ndjson")
    message.send()
