"""The regulator's bundle: all that one needs to check a seal's record off line, as one ZIP. It writes nothing else.

A bundle is of a seal: it holds what the seal stands for and nothing that came later, so that it is made in the same
bytes whenever it is asked for. (What was erased since is missing from it: docs/decisions/bundle.md.)
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db.models import QuerySet

import audit.verify_journal
from audit.models import Report, Seal
from audit.sealing import key_rows, seal_row
from tables.journal.chain import canonical
from tables.models import Entry, RulesVersion, Table
from tables.queries.journals import entries, journals
from tables.queries.log import export_log

FORMAT = "casino-bundle/1"
JOURNAL = "journal.jsonl"
MANIFEST = "MANIFEST.json"
# What a reader needs to read the record, besides the verifier: from the clone that made the bundle.
_TEXTS = {
    "README.en.txt": "audit/regulator.en.txt",
    "README.ru.txt": "audit/regulator.ru.txt",
    "rules/rules.md": "docs/rules.md",
    "rules/table-log.md": "docs/table-log.md",
    "rules/journal-format.md": "docs/journal-format.md",
}
# How the name of the data ends that lies beside a report's file.
DATA_SUFFIX = ".data.gz"
# So much of a report is held at once.
_PIECE = 1 << 20


class Sink(Protocol):
    """What a bundle is written to."""

    def write(self, piece: bytes, /) -> int: ...


@dataclass(slots=True)
class _Zip:
    """A ZIP whose bytes follow from what is put into it: no clock, no owner, written front to back."""

    file: Sink
    on_member: Callable[[int], None]
    files: dict[str, dict[str, object]] = field(default_factory=dict)
    _zip: zipfile.ZipFile = field(init=False)

    def __post_init__(self) -> None:
        self._zip = zipfile.ZipFile(_Forwards(self.file), "w", zipfile.ZIP_DEFLATED, compresslevel=6)

    def add(self, name: str, pieces: Iterable[bytes], *, packed: bool = False) -> None:
        """Add a member; `packed`: its content does not shrink any more."""
        about = zipfile.ZipInfo(name)  # of 1 January 1980, the earliest that a ZIP can say
        about.create_system = 3
        about.external_attr = 0o644 << 16
        about.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
        digest, size = hashlib.sha256(), 0
        with self._zip.open(about, "w", force_zip64=True) as member:
            for piece in pieces:
                member.write(piece)
                digest.update(piece)
                size += len(piece)
        self.files[name] = {"sha256": digest.hexdigest(), "size": size}
        self.on_member(len(self.files))

    def close(self) -> None:
        self._zip.close()


@dataclass(slots=True)
class _Forwards:
    """A file that cannot go back, so that the bytes are the same whether a file is written or only hashed."""

    sink: Sink

    def write(self, piece: bytes, /) -> int:
        return self.sink.write(piece)

    def flush(self) -> None:
        """Leave that to whoever opened the file."""

    def close(self) -> None:
        """As with `flush`."""


@dataclass(slots=True)
class Digest:
    """A file that keeps nothing but the SHA-256 and the size of what was written."""

    hash: Any = field(default_factory=hashlib.sha256)
    size: int = 0

    def write(self, piece: bytes, /) -> int:
        self.hash.update(piece)
        self.size += len(piece)
        return len(piece)


def members(seal: Seal, table: Table | None) -> int:
    """Say how many members a bundle will have, for whoever watches."""
    versions = RulesVersion.objects.filter(table__casino=seal.casino_id)
    if table is not None:
        versions = versions.filter(table=table)
    of_tables = seal.heads.filter(journal__startswith="table:").count() if table is None else 1
    papers = _reports(seal, table)
    return len(_TEXTS) + 3 + of_tables + versions.count() + papers.count() + papers.exclude(data_sha256="").count()


def write_bundle(
    file: Sink, seal: Seal, table: Table | None, *, on_member: Callable[[int], None] = lambda _count: None
) -> int:
    """Write the bundle of a seal, of one table or of all, and return how many members it has.

    Read it as of one moment: the caller's transaction.
    """
    of_casino = f"casino:{seal.casino.code}"
    heads = {head.journal: head for head in seal.heads.order_by("position")}
    if table is not None:
        heads = {name: head for name, head in heads.items() if name in (of_casino, f"table:{table.code}")}
    archive = _Zip(file, on_member)
    for name, source in _TEXTS.items():
        archive.add(name, [(settings.BASE_DIR / source).read_bytes()])
    archive.add("verify_journal.py", [Path(audit.verify_journal.__file__).read_bytes()])
    archive.add(JOURNAL, _lines(_journal_rows(seal, {name: head.sequence for name, head in heads.items()})))
    logs, rules = {}, []
    of_tables = [name.removeprefix("table:") for name in heads if name.startswith("table:")]
    for place, code in enumerate(of_tables, 1):
        until = heads[f"table:{code}"].sequence
        folder = f"{place:03d}-{re.sub(r'[^A-Za-z0-9_-]+', '_', code)[:40]}"
        logs[code] = f"logs/{folder}.jsonl"
        archive.add(logs[code], _lines(export_log(code, until=until)))
        for version in RulesVersion.objects.filter(table__code=code, sequence__lte=until).order_by("number"):
            path = f"rules/{folder}/{version.number}.game.json"
            archive.add(path, [version.game_data.encode()])
            rules.append({"file": path, "number": version.number, "sequence": version.sequence, "table": code})
    reports = list(_add_reports(archive, seal, table, heads[of_casino].sequence if of_casino in heads else 0))
    manifest = {
        "casino": seal.casino.code,
        "files": archive.files,
        "format": FORMAT,
        "journals": list(heads),
        "logs": [{"file": path, "table": code} for code, path in logs.items()],
        "reports": reports,
        "rules": rules,
        "seal": seal.number,
        "seal_sha256": seal.hash,
        "table": None if table is None else table.code,
    }
    archive.add(MANIFEST, [canonical({**manifest, "files": dict(archive.files)}).encode()])
    archive.close()
    return len(archive.files)


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _journal_rows(seal: Seal, until: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Yield the rows of an export of journals up to where the seal says, with the seals up to this one."""
    yield {"format": "casino-journal/1", "since": 1}
    for name, last in until.items():
        for journal in journals(name):
            hash = ""
            for entry in entries(journal, until=last):
                yield entry_row(name, entry.sequence, entry.hash, entry.text, entry.texts)
                hash = entry.hash
            yield {"kind": "head", "journal": name, "sequence": last, "hash": hash}
    yield from key_rows(seal.casino_id, until=seal.sequence)
    earlier = Seal.objects.filter(casino=seal.casino_id, number__lte=seal.number).order_by("number")
    for each in earlier.iterator(200):
        yield seal_row(each)


def entry_row(
    journal: str, sequence: int, hash: str, text: str, texts: Iterable[tuple[str, str | None, str | None]]
) -> dict[str, Any]:
    """Return an entry as it stands in an export."""
    row: dict[str, Any] = {"kind": "entry", "journal": journal, "sequence": sequence, "hash": hash, "text": text}
    kept = {name: {"salt": salt, "text": words} for name, salt, words in texts}
    return row | {"texts": kept} if kept else row


def _reports(seal: Seal, table: Table | None) -> QuerySet[Report]:
    """Select the papers of the scope that were finished before the seal, as rows; what proves them is the journal."""
    finished = Report.objects.filter(casino=seal.casino_id, state=Report.State.DONE).exclude(kind=Report.Kind.BUNDLE)
    if table is not None:
        finished = finished.filter(table=table)
    return finished.filter(journal_sequence__lt=seal.sequence).order_by("journal_sequence")


def _add_reports(archive: _Zip, seal: Seal, table: Table | None, until: int) -> Iterator[dict[str, Any]]:
    """Add the papers, each with its data; one whose file is not there any more, or another one, is named without."""
    for report in _reports(seal, table).filter(journal_sequence__lte=until):
        assert report.journal_sequence is not None, "a finished report has its entry"
        said = Entry.objects.get(journal__casino_head__casino=seal.casino_id, sequence=report.journal_sequence)
        body = json.loads(said.text)["body"]
        path = Path(settings.MEDIA_ROOT) / "reports" / report.file
        about: dict[str, Any] = {"sequence": report.journal_sequence, "serial": report.serial, "sha256": body["sha256"]}
        about["file"] = _add_kept(archive, path, body["sha256"], f"reports/{report.serial}.pdf")
        if "data_sha256" in body:
            about["data_sha256"], data = body["data_sha256"], path.with_suffix(DATA_SUFFIX)
            about["data"] = _add_kept(archive, data, body["data_sha256"], f"reports/{report.serial}{DATA_SUFFIX}")
        yield about


def _add_kept(archive: _Zip, path: Path, digest: str, name: str) -> str | None:
    """Add a file that was kept, and return its name; None where it is not there any more, or another one."""
    if not path.is_file() or file_digest(path) != digest:
        return None
    archive.add(name, _pieces(path), packed=True)
    return name


def file_digest(path: Path) -> str:
    """Return a file's SHA-256, read piece by piece."""
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
