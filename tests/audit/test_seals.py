"""A seal that lies outside finds whoever rewrites the record: guards off, all hashes made anew, key in hand."""

import json
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from audit import sealing
from audit.models import Seal, SealDelivery
from audit.seals import Head, NoKey, Tree, seal_text, signer
from tables.actions.importing import import_log
from tables.journal.chain import START, canonical, digest
from tables.models import Casino, Entry
from tables.rules.refusals import Refusal
from tests.audit.test_verify_journal import LOG, alone, behind_the_back, verify
from tests.tables.a_house import a_house

NOW = datetime(2026, 1, 16, 9, 0, tzinfo=UTC)


def new_key(file: Path) -> str:
    """Make a key as the operator does, and return its public half."""
    key = Ed25519PrivateKey.generate()
    file.touch(mode=0o600)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return key.public_key().public_bytes_raw().hex()


@pytest.fixture
def public_key(settings, tmp_path):
    settings.SEALS_DIR = tmp_path / "seals"
    settings.SEAL_KEY_FILE = tmp_path / "key"
    settings.SEAL_MAIL_TO = ["regulator@example.org"]
    return new_key(settings.SEAL_KEY_FILE)


@pytest.fixture
def casino(db, public_key):
    import_log(LOG.encode())
    return Casino.objects.get()


def log_of(table: str) -> bytes:
    return LOG.replace('"T1"', f'"{table}"').encode()


def seal(casino, day: int | None = None):
    gaming_date = None if day is None else date(2026, 1, day)
    return sealing.seal(casino.pk, gaming_date=gaming_date, author=None, now=NOW)


def kept_outside(settings) -> list[str]:
    sealing.deliver(NOW)
    return sorted(str(path) for path in settings.SEALS_DIR.iterdir())


def rewrite(journal: str, before: str, after: str, *, since: int = 1) -> None:
    """Replace a word in a journal's entries and make every hash from there on anew, the head's too."""
    previous = START
    for entry in Entry.objects.filter(journal__name=journal).order_by("sequence"):
        said = json.loads(entry.text)
        if entry.sequence >= since:
            said = json.loads(entry.text.replace(before, after))
        said["previous"] = previous
        text = canonical(said)
        previous = digest(text)
        behind_the_back(
            "UPDATE tables_entry SET text = %s, hash = %s WHERE journal_id = %s AND sequence = %s",
            text,
            previous,
            entry.journal_id,
            entry.sequence,
        )
    for head in ("tablehead", "casinohead"):
        behind_the_back(
            f"UPDATE tables_{head} SET hash = %s WHERE journal_id = (SELECT id FROM tables_journal WHERE name = %s)",
            previous,
            journal,
        )


def export(tmp_path: Path) -> str:
    file = tmp_path / "journal.jsonl"
    assert verify(export=file)[0] == 0
    return str(file)


def test_an_honest_house_is_intact_under_its_seals(casino, public_key, settings, tmp_path):
    first = seal(casino, 15)
    import_log(log_of("T2"))
    second = seal(casino, 16)
    files = kept_outside(settings)
    assert [Path(file).name for file in files] == [f"seal-{casino.code}-00000{n}.jsonl" for n in (1, 2)]
    assert json.loads(second.text)["previous"] == first.hash == digest(first.text)
    status, said = alone(export(tmp_path), "--seals", *files, "--key", public_key)
    assert (status, said.splitlines()[-1]) == (0, f"sealed {casino.code} 1..2 {second.root}")
    status, said = verify(seals=[Path(file) for file in files], key=[public_key])
    assert (status, said.splitlines()[-1]) == (0, f"sealed {casino.code} 1..2 {second.root}")
    status, said = alone(files[1])
    assert status == 0
    assert f"key {public_key} is taken on trust" in said
    assert alone(files[1], "--key", "00" * 32)[0] == 2


def test_the_root_is_that_of_the_trees_of_all_journals(casino):
    made = seal(casino)
    leaves = []
    for name in (f"casino:{casino.code}", "table:T1"):
        entries = Entry.objects.filter(journal__name=name).order_by("sequence")
        if name.startswith("casino"):
            entries = entries.filter(sequence__lt=made.sequence - 1)  # before the key and the seal themselves
        hashes = list(entries.values_list("hash", flat=True))
        if hashes:
            root = Tree(map(bytes.fromhex, hashes)).root().hex()
            leaves.append(Head(name, len(hashes), hashes[-1], root).text.encode())
    assert made.root == Tree(leaves).root().hex()
    assert Entry.objects.get(type="seal").sequence == made.sequence


# What a superuser can do


def test_a_table_rewritten_whole_is_found_by_a_seal_outside(casino, settings, tmp_path):
    seal(casino, 15)
    files = kept_outside(settings)
    rewrite("table:T1", "QC", "QH")
    status, said = alone(export(tmp_path))
    assert status == 2, "the house's own seals find it too"
    behind_the_back("DELETE FROM audit_sealhead")
    behind_the_back("DELETE FROM audit_sealdelivery")
    behind_the_back("DELETE FROM audit_seal")
    assert alone(export(tmp_path))[0] == 0, "without any seal a table rewritten whole is not to be seen"
    status, said = alone(export(tmp_path), "--seals", *files)
    assert status == 2
    assert f"TAMPERED seal {casino.code} 1: somebody outside holds it, and the house does not (and 1 more)" in said


def forged(casino, key, *, number=1, previous=START):
    """Seal the record as it stands now, as one who has the key."""
    with transaction.atomic():
        heads = sealing._measure(casino.pk, {}).heads
    text = seal_text(
        casino=casino.code,
        number=number,
        gaming_date=date(2026, 1, 15),
        sealed_at=NOW,
        heads=heads,
        previous=previous,
        key=key.key,
    )
    return text, key.sign(text), heads


def test_who_has_the_key_and_seals_his_own_history_anew_is_found_by_the_seal_outside(casino, settings, tmp_path):
    made = seal(casino, 15)
    files = kept_outside(settings)
    rewrite("table:T1", "QC", "QH")
    text, signature, heads = forged(casino, signer(settings.SEAL_KEY_FILE))
    behind_the_back(
        "UPDATE audit_seal SET text = %s, hash = %s, root = %s, signature = %s",
        text,
        digest(text),
        json.loads(text)["root"],
        signature,
    )
    for position, head in enumerate(heads[: made.heads.count()]):
        behind_the_back("UPDATE audit_sealhead SET text = %s WHERE position = %s", head.text, position)
    status, said = alone(export(tmp_path), "--seals", *files)
    assert status == 2
    assert "there are two of this number, and they differ" in said


def test_a_key_of_his_own_does_not_help(casino, public_key, settings, tmp_path):
    seal(casino, 15)
    files = kept_outside(settings)
    his = tmp_path / "his"
    new_key(his)
    text, signature, _heads = forged(casino, signer(his))
    behind_the_back("UPDATE audit_seal SET text = %s, signature = %s", text, signature)
    for arguments in (["--key", public_key], []):
        status, said = alone(export(tmp_path), *arguments)
        assert (status, "is none that the house announced under a good one" in said) == (2, True)
    status, said = alone(export(tmp_path), "--seals", *files)
    assert (status, "there are two of this number" in said) == (2, True)


@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (["DELETE FROM tables_entry WHERE journal_id = {T1} AND sequence > 8"], "entry 10 is not there"),
        (
            [
                "DELETE FROM audit_seal" + each
                for each in ("delivery WHERE seal_id = {S1}", "head WHERE seal_id = {S1}", " WHERE id = {S1}")
            ],
            "1: it is missing",
        ),
        (
            ["UPDATE audit_seal SET text = replace(text, '2026-01-15', '2026-01-14') WHERE id = {S1}"],
            "signature is not",
        ),
        (["DELETE FROM audit_sealhead WHERE seal_id = {S1} AND position = 0"], "1: its heads do not have its root"),
        (["UPDATE audit_sealhead SET text = replace(text, ':10', ':9')"], "its heads do not have its root"),
        (
            ['UPDATE audit_sealkey SET text = replace(text, \'previous":""\', \'previous":"0"\')'],
            "is none that the house announced",
        ),
    ],
)
def test_what_else_is_done_behind_the_back_is_named(casino, statements, says, tmp_path):
    first = seal(casino, 15)
    seal(casino, 16)
    for statement in statements:
        journal = Entry.objects.filter(journal__name="table:T1").first().journal_id
        behind_the_back(statement.format(T1=journal, S1=first.pk))
    status, said = verify()
    assert (status, says in said) == (2, True), said
    status, said = alone(export(tmp_path))
    assert (status, says in said) == (2, True), said


def test_a_casino_journal_rewritten_is_found_too(casino, settings, tmp_path):
    seal(casino, 15)
    seal(casino, 16)
    files = kept_outside(settings)
    rewrite(f"casino:{casino.code}", '"number":1', '"number":7')
    status, said = alone(export(tmp_path), "--seals", *files)
    assert (status, f"seals entry 2 of casino:{casino.code} as" in said) == (2, True), said


def test_a_seal_is_not_made_of_a_record_that_no_longer_begins_with_what_was_sealed(casino):
    seal(casino, 15)
    rewrite("table:T1", "QC", "QH")
    with pytest.raises(sealing.SealRefused, match="table:T1 no longer begins with what seal 1 sealed"):
        seal(casino, 16)
    assert Seal.objects.count() == 1


# Made once


def test_the_seal_of_a_gaming_day_is_made_once_and_one_on_demand_as_often_as_wanted(casino):
    assert seal(casino, 15).pk == seal(casino, 15).pk
    assert [seal(casino).number, seal(casino).number] == [2, 3]


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_seal_a_day_at_once_make_one_seal(public_key):
    import_log(LOG.encode())
    casino = Casino.objects.get()
    start, made = threading.Barrier(2), []

    def work():
        start.wait()
        made.append(seal(casino, 15).pk)
        sealing.deliver(NOW)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made[0] == made[1]
    assert list(Seal.objects.values_list("number", flat=True)) == [1]
    assert Entry.objects.filter(type="seal").count() == 1
    assert not SealDelivery.objects.filter(done_at__isnull=True).exists()


def test_beat_seals_the_day_that_ended_and_what_was_missed_with_it(casino):
    begun = Entry.objects.order_by("recorded_at").first().recorded_at
    assert sealing.seal_ended_days(begun) == 0, "the first day is still going on"
    assert [sealing.seal_ended_days(begun + timedelta(days=1)) for _ in range(2)] == [1, 0]
    assert [sealing.seal_ended_days(begun + timedelta(days=5)) for _ in range(2)] == [1, 0]
    days = list(Seal.objects.order_by("number").values_list("gaming_date", flat=True))
    assert days[1] - days[0] == timedelta(days=4)


def test_a_seal_that_did_not_leave_is_handed_out_the_next_time(casino, settings, tmp_path, mailoutbox):
    seal(casino, 15)
    good, settings.SEALS_DIR = settings.SEALS_DIR, tmp_path / "key" / "a file is no directory"
    assert sealing.deliver(NOW) == 1
    assert "NotADirectoryError" in SealDelivery.objects.get(done_at__isnull=True).problem
    settings.SEALS_DIR = good
    assert sealing.deliver(NOW) == 1
    assert sealing.deliver(NOW) == 0
    (mail,) = mailoutbox
    assert mail.to == ["regulator@example.org"]
    name, content, _type = mail.attachments[0]
    assert content == (good / name).read_text()


# Keys


def test_a_key_that_others_may_read_or_that_is_none_seals_nothing(casino, settings, tmp_path):
    settings.SEAL_KEY_FILE.chmod(0o640)
    with pytest.raises(NoKey, match="readable by its owner alone"):
        seal(casino)
    settings.SEAL_KEY_FILE.chmod(0o600)
    settings.SEAL_KEY_FILE.write_text("no key")
    with pytest.raises(NoKey, match="is no key in PEM"):
        seal(casino)
    settings.SEAL_KEY_FILE = None
    with pytest.raises(NoKey, match="names no key"):
        seal(casino)
    assert sealing.seal_ended_days(datetime(2099, 1, 1, tzinfo=UTC)) == 0
    assert not Seal.objects.exists()


def test_the_next_key_seals_once_the_present_one_has_signed_for_it(casino, public_key, settings, tmp_path):
    seal(casino, 15)
    following = tmp_path / "next"
    key = new_key(following)
    present, settings.SEAL_KEY_FILE = settings.SEAL_KEY_FILE, following
    with pytest.raises(sealing.SealRefused, match="not announced"):
        seal(casino, 16)
    settings.SEAL_KEY_FILE = present
    assert sealing.announce_next_key(following, now=NOW) == key
    assert sealing.announce_next_key(following, now=NOW) == key
    settings.SEAL_KEY_FILE = following
    seal(casino, 16)
    files = kept_outside(settings)
    assert alone(export(tmp_path), "--seals", *files, "--key", public_key)[0] == 0
    assert alone(files[1], "--key", public_key)[0] == 0, "the old key vouches for the new one"
    assert alone(files[1], "--key", key)[0] == 0
    assert alone(files[0], "--key", key)[0] == 2, "the new key does not vouch for the old one"


def test_the_shell_seals_now_and_says_what(casino, public_key, capsys):
    call_command("seal")
    made = Seal.objects.get()
    assert capsys.readouterr().out == f"sealed {casino.code} 1 {made.root} key {public_key}\n"
    assert SealDelivery.objects.filter(done_at__isnull=False).count() == 2
    with pytest.raises(CommandError, match="no such casino"):
        call_command("seal", casino="nowhere")


def test_a_seal_is_a_fact(casino):
    made = seal(casino)
    for row in (made, made.key, made.heads.first()):
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            type(row).objects.filter(pk=row.pk).update(text="")
        with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
            type(row).objects.filter(pk=row.pk).delete()


@pytest.mark.django_db
def test_who_may_not_seal_is_refused(public_key):
    house = a_house()
    with pytest.raises(Refusal) as refused:
        sealing.seal(house.casino_id, gaming_date=None, author=house.author("P-1"), now=NOW)
    assert refused.value.code == "not_allowed"
    assert sealing.seal(house.casino_id, gaming_date=None, author=house.author("A-1"), now=NOW).number == 1
    assert house.journal()[-1] == ("seal", "A-1")
