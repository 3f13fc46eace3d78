"""A log brought in: recorded through the door, settled as `settle` settles it, and handed out again the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tables import tablelog
from tables.actions.importing import StoppedError, import_log
from tables.journal.chain import check
from tables.ledger import AMOUNTS
from tables.models import Card, Correction, Entry, EventId, Opening, Settlement, Table, TableHead
from tables.queries.log import export_log
from tables.queries.play import DealRecord, deal_records, deals
from tables.rules.terms import amount_text, minor_digits

pytestmark = pytest.mark.django_db

CASES = Path(__file__).parent.parent / "cases"
NAMES = sorted(path.stem for path in CASES.glob("*.jsonl"))
ACCEPTED = [name for name in NAMES if not (CASES / f"{name}.err").exists()]
REFUSED = [name for name in NAMES if (CASES / f"{name}.err").exists()]


def content(name: str) -> bytes:
    return (CASES / f"{name}.jsonl").read_bytes()


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for _, line in tablelog.lines(text)]


def printed(record: DealRecord, digits: int) -> list[dict[str, Any]]:
    """Write what is recorded of a deal as `settle` prints it."""
    lines = []
    for each in record.settlements:
        line: dict[str, Any] = {
            name: getattr(each, name) for name in ("deal", "turn", "position", "bet", "seat", "outcome")
        }
        line |= {name: amount_text(getattr(each, f"{name}_minor"), digits) for name in AMOUNTS}
        lines.append({**line, "corrected": True} if each.corrected else line)
    return lines


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_is_recorded_of_a_case_is_what_settle_prints_of_it(name: str) -> None:
    table = import_log(content(name)).table
    digits = minor_digits(Table.objects.get(code=table).currency)
    expected = [line for line in objects((CASES / f"{name}.out").read_text()) if line.get("type") != "summary"]
    assert [line for record in deal_records(deals(table)) for line in printed(record, digits)] == expected


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_export_of_an_import_is_the_same_log_line_by_line(name: str) -> None:
    assert list(export_log(import_log(content(name)).table)) == objects(content(name).decode())


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_that_settle_refuses_is_refused_at_the_same_line_and_leaves_no_trace(name: str) -> None:
    with pytest.raises(StoppedError) as stopped:
        import_log(content(name))
    expected = json.loads((CASES / f"{name}.err").read_text())
    assert (stopped.value.line, str(stopped.value.refusal.code)) == (expected["line"], expected["code"])
    for model in (Table, TableHead, Entry, EventId, Opening, Card, Settlement):
        assert model._default_manager.count() == 0


STOS = """\
{"type": "table", "table": "Стос 3", "game": "stos", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"}
{"type": "deal", "deal": "1", "shuffle": "by hand", "cut_by": "Иванов", "at": "2026-11-29T23:00:00+03:00", "by": "D-07"}

{"type": "bet", "bet": "a", "seat": 1, "amount": "400.00", "rank": "q", "at": "2026-11-29T23:00:01+03:00"}
{"type": "card", "card": "10h", "position": 1}
{"type": "card", "card": "Q♠"}
"""


def test_a_file_imported_twice_is_repeated_not_doubled() -> None:
    first = import_log(STOS.encode())
    again = import_log(STOS.encode())
    assert (first.recorded, first.repeated, again.recorded, again.repeated) == (5, 0, 0, 5)
    assert (again.sequence, again.hash) == (first.sequence, first.hash)
    assert Card.objects.count() == 2


def test_a_log_is_handed_out_as_it_was_written_stamps_and_spellings_included() -> None:
    import_log(STOS.encode())
    assert list(export_log("Стос 3")) == objects(STOS)
    assert [line["type"] for line in export_log("Стос 3", floor=True)] == [
        "table", "open", "deal", "bet", "card", "card",
    ]  # fmt: skip


def test_an_imported_deal_that_is_exported_alone_begins_with_what_held() -> None:
    text = STOS + '{"type": "end"}\n{"type": "rules", "min": "200"}\n{"type": "deal", "deal": "2"}\n{"type": "end"}\n'
    import_log(text.encode())
    assert list(export_log("Стос 3", deal="2")) == [
        {**objects(STOS)[0], "min": "200"},
        {"type": "deal", "deal": "2"},
        {"type": "end"},
    ]


def test_the_texts_of_people_stay_out_of_the_journal_and_can_be_erased_from_the_export() -> None:
    from tables.models import Text

    import_log(STOS.encode())
    entry = Entry.objects.get(type="deal")
    assert "Иванов" not in entry.text
    assert "by hand" not in entry.text
    Text.objects.filter(field="cut_by").update(salt=None, text=None)
    assert next(line for line in export_log("Стос 3") if line["type"] == "deal") == {
        "type": "deal",
        "deal": "1",
        "shuffle": "by hand",
        "cut_by": "[erased]",
        "at": "2026-11-29T23:00:00+03:00",
        "by": "D-07",
    }


def test_an_imported_session_has_an_opening_of_its_own_on_the_gaming_day_of_its_first_event() -> None:
    import_log((STOS + '{"type": "end"}\n').encode())
    opening = Opening.objects.select_related("closing").get()
    assert (opening.number, opening.gaming_date.isoformat()) == (1, "2026-11-29")
    assert opening.opened_at.isoformat() == "2026-11-29T20:00:00+00:00"
    assert opening.closing.closed_at.isoformat() == "2026-11-29T20:00:01+00:00"
    assert TableHead.objects.get().state == "closed"


def test_an_imported_correction_says_that_its_approval_was_taken_as_given() -> None:
    import_log(content("C-12-stos-chain"))
    correction = Correction.objects.get()
    assert (correction.given, correction.alone, correction.approver) == (True, False, "")


def test_a_deal_name_that_the_table_already_has_is_refused_whole() -> None:
    import_log((STOS + '{"type": "end"}\n').encode())
    other = STOS + '{"type": "misdeal", "reason": "another session"}\n'
    with pytest.raises(StoppedError) as stopped:
        import_log(other.encode())
    assert (stopped.value.line, str(stopped.value.refusal.code)) == (2, "duplicate_deal")
    assert Opening.objects.count() == 1


def test_a_later_session_on_other_terms_is_recorded_after_a_rules_event() -> None:
    import_log((STOS + '{"type": "end"}\n').encode())
    later = STOS.replace('"deal": "1"', '"deal": "2"').replace('"min": "100"', '"min": "50"') + '{"type": "end"}\n'
    import_log(later.encode())
    assert [line["type"] for line in export_log("Стос 3")][5:9] == ["end", "rules", "deal", "bet"]
    assert [view.rules_version for view in deals("Стос 3")] == [1, 2]


def test_no_log_is_brought_in_onto_a_table_with_a_live_deal() -> None:
    import_log(STOS.encode())
    later = STOS.replace('"deal": "1"', '"deal": "2"')
    with pytest.raises(StoppedError) as stopped:
        import_log(later.encode())
    assert (stopped.value.line, str(stopped.value.refusal.code)) == (1, "deal_not_finished")


def a_log(**table: Any) -> bytes:
    lines = [
        {"type": "table", "table": "T", "game": "stos", "currency": "RUB", "min": "1", "max": "1000", "chip": "1"}
        | table,
        {"type": "deal", "deal": "1"},
    ]
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.mark.parametrize(
    ("log", "line", "code"),
    [
        (a_log(by="x" * 201), 1, "bad_line"),
        (a_log(table=".."), 1, "bad_line"),
        (a_log(table="T\nintact table:T"), 1, "bad_line"),
        (a_log(table="T\u202e1"), 1, "bad_line"),
        (a_log(max="100000000001"), 1, "bad_rules"),
        (a_log(banker={"bank": "10000000000001"}), 1, "bad_rules"),
        (a_log(game="pharaon", max="1000000", rules={"bonus": "3000"}), 1, "bad_rules"),
    ],
)
def test_what_no_record_can_hold_stops_a_file_at_its_line_and_leaves_nothing(log: bytes, line: int, code: str) -> None:
    with pytest.raises(StoppedError) as stopped:
        import_log(log)
    assert (stopped.value.line, stopped.value.refusal.code) == (line, code)
    assert not Table.objects.exists()


def test_the_largest_bets_of_a_record_stay_within_what_a_journal_holds() -> None:
    bets = [
        {"type": "bet", "bet": "a", "seat": 1, "rank": "K", "amount": "100000000000"},
        {"type": "card", "card": "QS"},
        {"type": "card", "card": "KS"},
    ]
    log = a_log(max="100000000000") + b"\n" + "\n".join(map(json.dumps, bets)).encode()
    table = import_log(log).table
    assert Settlement.objects.get().returned_minor == 20_000_000_000_000
    for text in Entry.objects.filter(journal__name=f"table:{table}").values_list("text", flat=True):
        check(json.loads(text))
