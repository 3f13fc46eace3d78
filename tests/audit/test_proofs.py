"""One entry is proven to whoever holds nothing but the published key; so is that a day continues an earlier one."""

import html
import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from audit import proofs, sealing
from audit.verify_journal import check_proof, signed
from tables.actions.importing import import_log
from tables.models import Casino, Entry
from tests.audit.test_seals import casino, log_of, public_key, rewrite, seal  # noqa: F401 # fixtures
from tests.audit.test_verify_journal import LOG, alone
from tests.tables.a_house import a_house


def verified(proof, tmp_path, *arguments):
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof))
    return alone(str(file), *arguments)


def test_the_settlement_of_a_bet_is_proven_under_the_published_key(casino, public_key, tmp_path):  # noqa: F811
    import_log(log_of("T2"))
    seal(casino, 15)
    assert proofs.entries_of_bet("T1", "1", "a") == [7, 8, 9], "the turn, its correction and the end"
    for sequence in (7, 8, 9):
        proof = proofs.prove_entry(casino.pk, "table:T1", sequence)
        status, said = verified(proof, tmp_path, "--key", public_key)
        text = Entry.objects.get(journal__name="table:T1", sequence=sequence).text
        assert status == 0
        assert said.endswith(f"proven table:T1 entry {sequence} under seal 1\n{text}\n")
    assert verified(proof, tmp_path, "--key", "00" * 32)[0] == 2


def test_every_entry_is_proven_under_the_first_seal_after_it(casino, tmp_path):  # noqa: F811
    seal(casino, 15)
    import_log(log_of("T2"))
    seal(casino, 16)
    under: dict[tuple[str, int], list[int]] = {}
    for entry in Entry.objects.select_related("journal").order_by("sequence"):
        try:
            proof = proofs.prove_entry(casino.pk, entry.journal.name, entry.sequence)
        except proofs.NoProof:
            continue
        assert check_proof(proof) == []
        under.setdefault((entry.journal.name, proof["seal"]), []).append(entry.sequence)
    assert under["table:T1", 1] == under["table:T2", 2] == list(range(1, 11))
    last = Entry.objects.filter(type="seal").latest("sequence")
    with pytest.raises(proofs.NoProof, match="is not sealed yet"):
        proofs.prove_entry(casino.pk, last.journal.name, last.sequence)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda proof: proof["entry"].update(text=proof["entry"]["text"].replace("QC", "QH")), "not among those"),
        (lambda proof: proof["entry"].update(sequence=5), "is not the one that the proof names"),
        (lambda proof: proof["journal_path"].pop(), "not among those that the head stands for"),
        (lambda proof: proof.update(head=proof["head"].replace('"root":"', '"root":"0')), "that the head stands for"),
        (lambda proof: proof.update(head_index=1 - proof["head_index"]), "not among those that the seal stands for"),
    ],
)
def test_a_proof_that_was_changed_proves_nothing(casino, tmp_path, change, says):  # noqa: F811
    seal(casino, 15)
    proof = proofs.prove_entry(casino.pk, "table:T1", 6)
    change(proof)
    status, said = verified(proof, tmp_path)
    assert (status, says in said) == (2, True), said


def test_a_day_is_proven_to_continue_an_earlier_one_and_a_rewritten_one_is_not(casino, public_key, tmp_path):  # noqa: F811
    for day, table in ((15, "T2"), (16, "T3"), (17, "T4")):
        seal(casino, day)
        import_log(log_of(table))
    seal(casino, 18)
    proof = proofs.prove_continuation(casino.pk, 1, 4)
    status, said = verified(proof, tmp_path, "--key", public_key)
    assert (status, said.splitlines()[-1]) == (0, "proven seal 4 continues seal 1")
    rewrite(f"casino:{casino.code}", '"number":1', '"number":7')
    forged = proofs.prove_continuation(casino.pk, 2, 4)
    status, said = verified(forged, tmp_path)
    assert (status, "does not begin with what was sealed first" in said) == (2, True)
    del proof["seals"][2]  # the key, seal 1, seal 2
    assert "a seal between the two is missing" in verified(proof, tmp_path)[1]
    with pytest.raises(proofs.NoProof):
        proofs.prove_continuation(casino.pk, 3, 3)


@pytest.mark.django_db
def test_the_api_seals_shows_and_proves_to_those_who_may_read_the_journal(public_key, tmp_path):  # noqa: F811
    house = a_house()
    auditor, boss = house.session("A-1"), house.session("P-1")
    assert boss.post("/api/seals").status_code == 403
    made = auditor.post("/api/seals")
    assert made.status_code == 201
    assert signed(public_key, made.json()["text"].encode(), made.json()["signature"])
    assert [each["number"] for each in auditor.get("/api/seals").json()["results"]] == [1]
    file = tmp_path / "seal.jsonl"
    file.write_bytes(auditor.get("/api/seals/1").content)
    assert alone(str(file), "--key", public_key)[0] == 0
    proof = auditor.get("/api/proofs/entries", {"journal": "table:A", "sequence": "1"}).json()
    assert verified(proof, tmp_path, "--key", public_key)[0] == 0
    assert auditor.get("/api/proofs/entries", {"journal": "table:A", "sequence": "99"}).json()["code"] == "no_proof"
    assert auditor.get("/api/proofs/entries", {"journal": "table:A", "sequence": "x"}).status_code == 400
    assert auditor.get("/api/proofs/bets", {"table": "A", "deal": "1", "bet": "a"}).json()["code"] == "no_proof"
    sealing.seal(house.casino_id, gaming_date=None, author=None, now=timezone.now())
    days = auditor.get("/api/proofs/days", {"first": 1, "second": 2}).json()
    assert verified(days, tmp_path, "--key", public_key)[0] == 0
    assert auditor.get("/api/seals/9").status_code == 404
    assert boss.get("/api/proofs/days", {"first": 1, "second": 2}).status_code == 403
    assert Casino.objects.count() == 1


def test_the_shell_writes_a_proof_of_each_entry_that_settled_a_bet(casino, public_key, tmp_path, capsys):  # noqa: F811
    seal(casino, 15)
    import_log(log_of("T2"))
    seal(casino, 16)
    call_command("prove", "bet", "T1", "1", "a", "--out", str(tmp_path))
    written = capsys.readouterr().out.split()
    assert [Path(file).name for file in written] == [f"proof-table-T1-{sequence}.json" for sequence in (7, 8, 9)]
    call_command("prove", "days", "1", "2", "--out", str(tmp_path))
    call_command("prove", "entry", "table:T2", "3", "--out", str(tmp_path))
    written += capsys.readouterr().out.split()
    assert [alone(file, "--key", public_key)[0] for file in written] == [0] * 5
    for wrong, says in (
        (["bet", "T1", "1", "z"], "has no bet z"),
        (["bet", "T9", "1", "a"], "no such casino or table"),
        (["days", "2", "1"], "the one after the other"),
        (["entry", "table:T1", "99"], "There is no entry 99"),
    ):
        with pytest.raises(CommandError, match=says):
            call_command("prove", *wrong, "--out", str(tmp_path))


@pytest.mark.django_db
def test_the_auditor_seals_and_takes_a_proof_away_and_a_pit_boss_has_no_business_there(public_key, tmp_path):  # noqa: F811
    house = a_house()
    import_log(LOG.replace('"T1"', '"Стол \\"7\\""').encode())
    auditor, boss = house.session("A-1"), house.session("P-1")
    assert "Nothing was sealed yet" in auditor.get("/seals/").content.decode()
    asked: dict[str, str] = {"table": 'Стол "7"', "deal": "1", "bet": "a"}
    assert auditor.get("/seals/", asked).content.decode().count("not sealed yet") == 3
    assert auditor.post("/seals/").status_code == 302
    page = auditor.get("/seals/", asked).content.decode()
    addresses: list[str] = [html.unescape(found) for found in re.findall(r'href="(/seals/proof[^"]*)"', page)]
    assert len(addresses) == 3
    for address in addresses:
        answer = auditor.get(address)
        file = tmp_path / "proof.json"
        file.write_bytes(answer.content)
        assert alone(str(file), "--key", public_key)[0] == 0
        assert re.fullmatch(r'attachment; filename="proof-table-7--\d+\.json"', answer["Content-Disposition"])
    assert auditor.get("/seals/1.jsonl").content == auditor.get("/api/seals/1").content
    auditor.post("/seals/")
    assert auditor.get("/seals/proof", {"first": "1", "second": "2"}).json()["kind"] == "consistency"
    missing = auditor.get("/seals/proof", {"journal": "table:A", "sequence": "99"})
    assert (missing.status_code, "There is no such proof" in missing.content.decode()) == (409, True)
    assert auditor.get("/seals/proof").status_code == 404
    assert "There is no such bet" in auditor.get("/seals/", {**asked, "bet": "nobody"}).content.decode()
    assert [boss.get(page).status_code for page in ("/seals/", "/seals/1.jsonl", "/seals/proof")] == [403] * 3
    assert boss.post("/seals/").status_code == 403
    rewrite("table:A", "stos", "stuss")
    assert "no longer begins with what was sealed" in auditor.post("/seals/").content.decode()
