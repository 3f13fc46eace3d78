"""Verifying: an honest record is intact, and whatever is changed behind its back is named."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

import audit.verify_journal
from tables.actions.importing import import_log
from tables.models import Entry, TableHead

pytestmark = pytest.mark.django_db

LOG = """\
{"type": "table", "table": "T1", "game": "stos", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"}
{"type": "deal", "deal": "1", "shuffle": "by hand"}
{"type": "bet", "bet": "a", "seat": 1, "amount": "400", "rank": "Q"}
{"type": "bet", "bet": "b", "seat": 2, "amount": "400", "rank": "K"}
{"type": "card", "card": "QC"}
{"type": "card", "card": "KD"}
{"type": "correct", "cards": {"1": "JC"}, "reason": "it was a jack"}
{"type": "end"}
"""
A_CARD = 6  # its sequence: the table is opened after its first line


def verify(**options: Any) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("verify_journal", stdout=out, stderr=out, **options)
    except SystemExit as stopped:
        return int(str(stopped.code)), out.getvalue()
    return 0, out.getvalue()


def behind_the_back(statement: str, *parameters: Any) -> None:
    """Do what a superuser can do with the guards off."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement, parameters)
        cursor.execute("SET LOCAL session_replication_role = origin")


def test_an_honest_record_is_intact_and_an_empty_one_nothing_to_verify():
    assert verify() == (1, "nothing to verify\n")
    head = import_log(LOG.encode())
    assert verify() == (0, f"intact table:T1 1..10 {head.hash}\n")
    assert verify(since=11) == (1, "nothing to verify\n")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE tables_settlement SET paid_minor = 90000, returned_minor = 130000 WHERE outcome = 'win'",
            "entry 7: a settlement was changed or added: bet b position 2 outcome win"
            " (paid_minor is 90000, was 40000, returned_minor is 130000, was 80000)",
        ),
        ("DELETE FROM tables_settlement WHERE outcome = 'lose'", "entry 7: 1 of its 2 rows of settlement are missing"),
        ("UPDATE tables_card SET card = 'KC' WHERE position = 1 AND revision = 0", "entry 6: a card was changed"),
        ("UPDATE tables_bet SET amount_minor = 50000 WHERE name = 'a'", "entry 4: a bet was changed"),
        ("UPDATE tables_bet SET sequence = 99 WHERE name = 'a'", "entry 4: 1 of its 1 rows of bet are missing"),
        (
            "UPDATE tables_adjustment SET standing_minor = 0, returned_minor = 40000",
            "entry 8: a adjustment was changed",
        ),
        ("UPDATE tables_settlement SET gaming_date = '2020-01-01'", "entry 7: a settlement stands under another day"),
        ("UPDATE tables_correction SET given = false, approver = 'I-1'", "entry 8: a correction was changed"),
        ("UPDATE tables_rulesversion SET max_minor = 2000000", "entry 1: a rules_version was changed"),
        ("UPDATE tables_rulesversion SET game_data = '{}'", "entry 1: a rules_version was changed"),
        ("UPDATE tables_opening SET gaming_date = '2020-01-01'", "entry 2: a opening was changed"),
        ("UPDATE tables_entry SET author = 'D-9' WHERE sequence = 5", "entry 5: its column author says 'D-9'"),
        ("UPDATE tables_entry SET text = replace(text, 'QC', 'JC') WHERE sequence = 6", "entry 6: its hash is not"),
        ("DELETE FROM tables_entry WHERE sequence = 5", "entry 5: entry 5 is missing: 6 follows 4"),
        ("UPDATE tables_tablehead SET hash = repeat('0', 64)", "entry 11: the head says 10"),
        ("UPDATE tables_tablehead SET state = 'open', opening_id = (SELECT id FROM tables_opening)", "head's state"),
        ("DELETE FROM tables_eventid WHERE sequence = 7", "entry 7: its sender's id is"),
        ("UPDATE tables_text SET text = 'the player cheated'", "entry 3: the text 'shuffle' is not the one"),
    ],
)
def test_what_is_changed_with_the_guards_off_is_named(statement: str, says: str):
    import_log(LOG.encode())
    behind_the_back(statement)
    status, said = verify()
    assert (status, said.startswith("TAMPERED table:T1 ")) == (2, True)
    assert says in said


def test_an_entry_made_anew_with_its_hash_is_found_by_the_one_after_it():
    import_log(LOG.encode())
    text = Entry.objects.get(sequence=A_CARD).text.replace("QC", "QH")
    behind_the_back(
        "UPDATE tables_entry SET text = %s, hash = %s WHERE sequence = %s",
        text,
        audit.verify_journal.sha256(text),
        A_CARD,
    )
    status, said = verify()
    assert status == 2
    assert "entry 6" in said  # its facts; the one after it does not name its hash either
    assert "more)" in said


def test_a_tail_that_was_cut_with_its_facts_and_its_head_is_found_by_a_receipt(tmp_path: Path):
    head = import_log(LOG.encode())
    kept = tmp_path / "receipts.jsonl"
    kept.write_text(json.dumps({"journal": "table:T1", "sequence": head.sequence, "hash": head.hash}) + "\n")
    assert verify(receipts=kept)[0] == 0
    for kind in ("settlement", "card", "deed", "adjustment", "correction"):
        behind_the_back(f"DELETE FROM tables_{kind} WHERE sequence > 6")
    behind_the_back("DELETE FROM tables_text WHERE sequence > 6")
    behind_the_back("DELETE FROM tables_opening WHERE sequence > 6")
    behind_the_back("DELETE FROM tables_closing WHERE sequence > 6")
    behind_the_back("DELETE FROM tables_eventid WHERE sequence > 6")
    behind_the_back("DELETE FROM tables_entry WHERE sequence > 6")
    behind_the_back(
        "UPDATE tables_tablehead SET sequence = 6, live_deal_id = last_deal_id, state = 'open',"
        " opening_id = (SELECT id FROM tables_opening), hash = (SELECT hash FROM tables_entry WHERE sequence = 6)"
    )
    assert verify()[0] == 0, "without a receipt a tail cut clean is not to be seen"
    status, said = verify(receipts=kept)
    assert (status, said) == (2, "TAMPERED table:T1 entry 10: somebody holds a receipt of it, and it is not there\n")


def test_erased_texts_leave_the_record_intact():
    import_log(LOG.encode())
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_text SET salt = NULL, text = NULL")
    assert verify()[0] == 0


def alone(*arguments: str) -> tuple[int, str]:
    """Run the one file as a regulator does: without the service, Django or a database."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", audit.verify_journal.__file__, *arguments],
        capture_output=True,
        text=True,
        env={},
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_an_export_is_verified_by_one_file_without_the_service(tmp_path: Path):
    head = import_log(LOG.encode())
    export = tmp_path / "journal.jsonl"
    assert verify(export=export)[0] == 0
    assert alone(str(export)) == (0, f"intact table:T1 1..10 {head.hash}\n")
    whole = export.read_text()
    export.write_text(whole.replace("QC", "QH"))
    assert alone(str(export))[0] == 2
    export.write_text("\n".join(whole.split("\n")[:4] + whole.split("\n")[5:]))
    assert alone(str(export))[:1] == (2,)
    export.write_text(whole.split("\n")[0])
    assert alone(str(export)) == (1, "nothing to verify\n")
    export.write_text("no journal")
    assert alone(str(export))[0] == 1
    assert alone(str(tmp_path / "missing"))[0] == 1


def test_a_verification_that_could_not_run_says_so():
    import_log(LOG.encode())
    assert verify(receipts=Path("/nowhere/receipts"))[0] == 1


@pytest.mark.parametrize(
    ("scope", "said_alone"), [({"until": 6}, ["--until", "6"]), ({"table": "T2"}, ["--journal", "table:T2"])]
)
def test_a_receipt_of_what_was_not_asked_for_says_nothing_against_it(
    tmp_path: Path, scope: dict[str, Any], said_alone: list[str]
):
    import_log(LOG.encode())
    import_log(LOG.replace('"T1"', '"T2"').encode())
    head = TableHead.objects.get(table__code="T1")
    kept, export = tmp_path / "receipts.jsonl", tmp_path / "journal.jsonl"
    verify(export=export, **scope)
    asked = [str(export), "--receipts", str(kept)]
    kept.write_text(json.dumps({"journal": "table:T1", "sequence": head.sequence, "hash": head.hash}) + "\n")
    assert verify(receipts=kept, **scope)[0] == 0
    assert alone(*asked, *said_alone)[0] == 0
    assert alone(*asked)[0] == 2, "an export does not say of itself what was asked for"
    kept.write_text('{"journal": "table:T2", "sequence": 5, "hash": "other"}\n')
    assert verify(receipts=kept, **scope)[0] == 2
    assert alone(*asked, *said_alone)[0] == 2


@pytest.mark.parametrize("line", ["[" * 100_000, "[1]", '{"kind": "entry", "texts": 1}', '{"kind": []}', "\ud800"])
def test_what_is_no_export_is_neither_intact_nor_tampered(tmp_path: Path, line: str):
    export = tmp_path / "journal.jsonl"
    export.write_bytes(f'{{"format": "casino-journal/1", "since": 1}}\n{line}\n'.encode(errors="surrogatepass"))
    status, said = alone(str(export))
    assert (status, said.split(":")[0]) == (1, "could not verify")
