"""The regulator's bundle: checked off line by the one file in it, in the same bytes whenever it is made."""

import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import TestCase
from django.utils import timezone
from pypdf import PdfReader

from audit import actions, queries
from audit.actions import Wish
from audit.refusals import ReportRefused
from audit.verify_journal import PLAY
from tables.actions.importing import import_log
from tables.models import Casino
from tables.rules.refusals import Refusal
from tables.tablelog import FLOOR_TYPES
from tests.audit.test_seals import (  # noqa: F401 # fixtures
    NOW,
    kept_outside,
    log_of,
    public_key,
    rewrite,
    seal,
)
from tests.audit.test_verify_journal import LOG, alone, behind_the_back
from tests.tables.a_house import a_house

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def files(settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path / "files"
    # The renewing thread has a connection of its own, which does not see what a test has not committed.
    monkeypatch.setattr(actions, "RENEW_SECONDS", 3600)
    monkeypatch.setattr(actions, "_send_quietly", lambda _report_id: None)


@pytest.fixture
def casino(public_key):  # noqa: F811
    import_log(LOG.encode())
    import_log(log_of("T2").replace(b'"by hand"', '"руками, «быстро»"'.encode()))
    return Casino.objects.get()


def made(wish: Wish, now=NOW) -> queries.ReportView:
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        serial = actions.request_report(wish, author=None, now=now)
    report = queries.report_by_serial(serial)
    assert actions.make(report.id, now=now)
    return queries.report_by_serial(serial)


def bundle(table: str = "", number: int | None = None) -> queries.ReportView:
    return made(Wish("bundle", "en", table=table, seal=number))


def path_of(report: queries.ReportView) -> str:
    return str(queries.file_of(report))


def test_a_bundle_of_the_house_is_proven_off_line_by_the_verifier_that_lies_in_it(
    casino,
    public_key,  # noqa: F811
    settings,
    tmp_path,
):
    audit = made(Wish("payout_audit", "en", table="T1"))
    seal(casino, 15)
    report = bundle()
    with zipfile.ZipFile(path_of(report)) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "out")
        assert archive.read(f"reports/{audit.serial}.pdf") == queries.file_of(audit).read_bytes()
        assert archive.read(f"reports/{audit.serial}.data.gz") == queries.data_of(audit).read_bytes()
    assert names == [
        *("README.en.txt", "README.ru.txt", "rules/rules.md", "rules/table-log.md", "rules/journal-format.md"),
        *("verify_journal.py", "journal.jsonl", "logs/001-T1.jsonl", "rules/001-T1/1.game.json"),
        *("logs/002-T2.jsonl", "rules/002-T2/1.game.json", f"reports/{audit.serial}.pdf"),
        *(f"reports/{audit.serial}.data.gz", "MANIFEST.json"),
    ]
    assert report.pages_done == len(names) == report.pages_expected
    ran = subprocess.run(
        [
            *(sys.executable, "-I", "-S", "verify_journal.py", path_of(report)),
            *("--key", public_key, "--seals", *kept_outside(settings)),
        ],
        cwd=tmp_path / "out",
        capture_output=True,
        text=True,
        env={},
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == (
        f"bundle of the whole house under seal {casino.code} 1: every file is what the journals say"
    )
    assert "TAMPERED" not in ran.stdout
    assert "not in this bundle" not in ran.stdout


def test_the_logs_of_a_bundle_settle_as_they_did(casino, tmp_path, capsys):
    seal(casino, 15)
    with zipfile.ZipFile(path_of(bundle())) as archive:
        log = tmp_path / "T2.jsonl"
        log.write_bytes(archive.read("logs/002-T2.jsonl"))
    call_command("settle", str(log))
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line.get("bet"), line.get("outcome"), line.get("paid")) for line in told[:-1]] == [
        ("b", "win", "400"),
        ("a", "returned", "0"),
    ]


def test_a_bundle_of_one_table_names_what_it_leaves_out(casino, public_key):  # noqa: F811
    made(Wish("payout_audit", "en", table="T2"))
    of_t1 = made(Wish("payout_audit", "en", table="T1"))
    seal(casino, 15)
    report = bundle("T1")
    with zipfile.ZipFile(path_of(report)) as archive:
        assert [name for name in archive.namelist() if name.startswith(("logs", "reports"))] == [
            "logs/001-T1.jsonl",
            f"reports/{of_t1.serial}.pdf",
            f"reports/{of_t1.serial}.data.gz",
        ]
    status, said = alone(path_of(report), "--key", public_key)
    assert status == 0
    assert said.splitlines()[-2:] == [
        "not in this bundle: table:T2: 10 entries",
        f"bundle of table T1 under seal {casino.code} 1: every file is what the journals say",
    ]


def test_the_bundle_of_a_seal_has_the_same_bytes_whatever_came_later(casino, public_key):  # noqa: F811
    made(Wish("payout_audit", "en", table="T1"))
    seal(casino, 15)
    first = bundle()
    import_log(log_of("T3"))
    made(Wish("payout_audit", "ru", table="T1"))
    seal(casino, 16)
    assert bundle(number=1).sha256 == first.sha256
    second = bundle()
    assert second.sha256 != first.sha256
    assert alone(path_of(second), "--key", public_key)[0] == 0


def test_an_audit_prints_the_digest_of_the_bundle_that_is_made_after_it(casino, public_key):  # noqa: F811
    sealed = seal(casino, 15)
    for table in ("T1", ""):
        audit = made(Wish("payout_audit", "en", table=table))
        text = "".join(page.extract_text() for page in PdfReader(queries.file_of(audit)).pages).replace("\n", "")
        later = bundle(table, number=1)
        assert later.sha256 in text
        assert sealed.root in text
        assert f"{sealed.root[:4]} {sealed.root[4:8]}" in text, "and each paper says the seal in its head"
        assert public_key in text


def test_the_verifier_knows_what_the_log_of_a_table_holds():
    page = (Path(__file__).parents[2] / "docs" / "table-log.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"\w+", row)}
    assert documented - FLOOR_TYPES == PLAY


def changed(path: str, name: str, change, *, manifest: bool) -> str:
    """Write a bundle with one file changed, and if wanted its digest in the manifest with it."""
    said = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(said, "w") as new:
        content = {each: old.read(each) for each in old.namelist()}
        content[name] = change(content[name])
        if manifest:
            about = json.loads(content["MANIFEST.json"])
            about["files"][name]["sha256"] = hashlib.sha256(content[name]).hexdigest()
            content["MANIFEST.json"] = json.dumps(about).encode()
        for each, what in content.items():
            new.writestr(each, what)
    out = Path(path).with_suffix(".changed.zip")
    out.write_bytes(said.getvalue())
    return str(out)


@pytest.mark.parametrize(
    ("name", "change", "manifest", "says"),
    [
        ("rules/rules.md", lambda text: text + b"!", False, "rules/rules.md was changed"),
        (
            "logs/001-T1.jsonl",
            lambda text: text.replace(b'"400"', b'"500"'),
            True,
            "logs/001-T1.jsonl is not what the journal of T1 says",
        ),
        (
            "rules/001-T1/1.game.json",
            lambda text: text.replace(b"0", b"1", 1),
            True,
            "rules/001-T1/1.game.json is not the game that the journal of T1 names",
        ),
        (
            "reports/PA-2026-000001.pdf",
            lambda text: text + b"%",
            True,
            "is not the file that the casino's journal names",
        ),
        (
            "reports/PA-2026-000001.data.gz",
            lambda text: text[:-1],
            True,
            "is not the data that the casino's journal names",
        ),
        ("journal.jsonl", lambda text: text.replace(b"QC", b"QH"), True, "entry 6: its hash is not that of its text"),
        (
            "journal.jsonl",
            lambda text: text.replace(b'date\\":\\"2026-01-15', b'date\\":\\"2026-01-14'),
            True,
            "signature is not that of its key",
        ),
    ],
)
def test_whatever_is_changed_in_a_bundle_is_named(casino, public_key, name, change, manifest, says):  # noqa: F811
    made(Wish("payout_audit", "en", table="T1"))
    seal(casino, 15)
    status, said = alone(changed(path_of(bundle()), name, change, manifest=manifest), "--key", public_key)
    assert (status, says in said) == (2, True), said


def test_a_record_rewritten_after_its_seal_gives_no_good_bundle(casino):
    seal(casino, 15)
    rewrite("table:T1", "QC", "QH")
    assert alone(path_of(bundle()))[0] == 2


def test_a_text_erased_since_reads_erased_and_the_bundle_stays_good(casino):
    seal(casino, 15)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_text SET salt = NULL, text = NULL")
    path = path_of(bundle())
    assert alone(path)[0] == 0
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("logs/001-T1.jsonl").splitlines()[1])["shuffle"] == "[erased]"


def test_a_paper_that_the_house_lost_is_named_and_not_left_out_in_silence(casino, public_key):  # noqa: F811
    audit = made(Wish("payout_audit", "en", table="T1"))
    seal(casino, 15)
    for kept in (queries.file_of(audit), queries.data_of(audit)):
        kept.unlink()
    status, said = alone(path_of(bundle()), "--key", public_key)
    assert status == 0
    for what in ("file", "data"):
        assert f"not in this bundle: report {audit.serial}: the house no longer has the {what} that it made" in said
    behind_the_back("DELETE FROM audit_report WHERE serial = %s", audit.serial)
    assert alone(path_of(bundle()), "--key", public_key)[0] == 0


def test_a_bundle_is_of_a_seal_and_of_nothing_else(casino):
    with pytest.raises(ReportRefused) as refused:
        bundle()
    assert refused.value.code == "not_sealed"
    seal(casino, 15)
    for wish, code in (
        (Wish("bundle", "en", seal=9), "not_sealed"),
        (Wish("bundle", "en", table="T1", deal="1"), "bad_scope"),
        (Wish("payout_audit", "en", seal=1), "bad_scope"),
    ):
        with pytest.raises(ReportRefused) as refused, transaction.atomic():
            actions.request_report(wish, author=None, now=NOW)
        assert refused.value.code == code


def test_page_and_api_give_bundles_to_who_may_read_the_journal_and_a_pit_boss_is_not_one(public_key):  # noqa: F811
    house = a_house()
    seal(Casino.objects.get(), 15)
    auditor, boss = house.session("A-1"), house.session("P-1")
    assert boss.post("/api/reports", {"kind": "bundle", "table": "A"}, format="json").status_code == 403
    asked = auditor.post("/api/reports", {"kind": "bundle", "table": "A"}, format="json")
    assert (asked.status_code, asked.json()["seal"]) == (201, 1)
    serial = asked.json()["serial"]
    actions.make(queries.report_by_serial(serial).id, now=timezone.now())
    fetched = auditor.get(f"/audit/{serial}.zip")
    assert fetched["Content-Type"] == "application/zip"
    content = fetched.getvalue()
    assert hashlib.sha256(content).hexdigest() == queries.report_by_serial(serial).sha256
    assert auditor.get(f"/api/reports/{serial}/file").getvalue() == content
    assert [boss.get(path).status_code for path in (f"/audit/{serial}.zip", f"/api/reports/{serial}/file")] == [
        404,
        403,
    ]
    page = auditor.get(f"/audit/{serial}/").content.decode()
    assert "Download ZIP" in page
    assert "A, seal 1" in page
    answer = auditor.post("/audit/", {"kind": "bundle", "table": "", "language": "en", "shift": ""})
    assert answer.status_code == 302
    with pytest.raises(Refusal), transaction.atomic():
        actions.request_report(Wish("bundle", "en"), author=house.author("P-1"), now=NOW)


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_sees_one_moment_of_the_record_makes_audit_and_bundle(public_key):  # noqa: F811
    """As in the service, where no transaction is around it: what is read is read only."""
    import_log(LOG.encode())
    sealed = seal(Casino.objects.get(), 15)
    audit, bundled = made(Wish("payout_audit", "en", table="T1")), bundle("T1")
    assert (audit.state, bundled.state, bundled.seal) == ("done", "done", sealed.number)
    assert bundled.pages_done == bundled.pages_expected == 10
    text = "".join(page.extract_text() for page in PdfReader(queries.file_of(audit)).pages).replace("\n", "")
    assert bundled.sha256 in text
