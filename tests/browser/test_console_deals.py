"""A whole deal of each game at the console, by keyboard and by touch: the record is what `settle` makes of its log."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from tables.queries import play
from tables.queries.log import export_log
from tests.browser.a_desk import Desk
from tests.browser.a_floor import Floor, log

LEFT_FOR_THE_POCKET = {"7C", "7D", "JH", "3S"}
# The whole shoe of a stuss deal by suits, as no shuffle ever gave it; what matters is that every card comes once.
STUSS_CARDS = [r + s for s in "SHDC" for r in "24568TJQKA937" if r + s not in LEFT_FOR_THE_POCKET]

STUSS = log("""
{"type":"deal","deal":"1"}
{"type":"bet","bet":"a","seat":1,"rank":"2","amount":"300"}
{"type":"bet","bet":"b","seat":2,"rank":"4","amount":"1000"}
{"type":"bet","bet":"c","seat":10,"rank":"7","amount":"150"}
{"type":"bet","bet":"d","seat":3,"rank":"K","amount":"200"}
{"type":"withdraw","bet":"d"}
{"type":"bet","bet":"e","seat":3,"rank":"J","amount":"450"}
""")
STUSS += [{"type": "card", "card": card} for card in STUSS_CARDS]
STUSS += [{"type": "pocket", "cards": ["3S", "JH", "7D", "7C"]}]

PRIVATE = log("""
{"type":"deal","deal":"1"}
{"type":"bet","bet":"a","seat":1,"amount":"2000"}
{"type":"cut"}
{"type":"card","card":"8D"}
{"type":"card","card":"KC"}
{"type":"reveal","bet":"a","card":"QS"}
{"type":"card","card":"3D"}
{"type":"card","card":"QH"}
""")

STOS = log("""
{"type":"deal","deal":"1"}
{"type":"bet","bet":"a","seat":1,"rank":"Q","amount":"500"}
{"type":"bet","bet":"b","seat":1,"suit":"H","amount":"500"}
{"type":"bet","bet":"c","seat":4,"rank":"Q","amount":"500"}
{"type":"bet","bet":"d","seat":4,"rank":"J","amount":"500"}
{"type":"bet","bet":"e","seat":4,"suit":"D","amount":"600"}
{"type":"bet","bet":"f","seat":5,"rank":"9","amount":"2500"}
{"type":"bet","bet":"g","seat":5,"suit":"C","amount":"1000"}
{"type":"bet","bet":"h","seat":10,"rank":"T","amount":"100"}
{"type":"card","card":"QH"}
{"type":"card","card":"9S"}
{"type":"card","card":"JH"}
{"type":"card","card":"JD"}
{"type":"card","card":"2C"}
{"type":"card","card":"3C"}
{"type":"end"}
""")

PHARAON = log("""
{"type":"deal","deal":"1"}
{"type":"bet","bet":"a","seat":3,"card":"QH","amount":"500"}
{"type":"bet","bet":"b","seat":2,"rank":"9","amount":"200"}
{"type":"bet","bet":"c","seat":4,"amount":"1000"}
{"type":"cut"}
{"type":"card","card":"8S"}
{"type":"card","card":"QS"}
{"type":"paroli","bet":"d","of":"a"}
{"type":"reveal","bet":"c","card":"8H"}
{"type":"card","card":"9H"}
{"type":"card","card":"QD"}
{"type":"paroli","bet":"e","of":"d"}
{"type":"card","card":"QC"}
{"type":"card","card":"2H"}
{"type":"end"}
""")

DEALS = {"Stuss-1": STUSS, "Private-1": PRIVATE, "Stos-1": STOS, "Pharaon-1": PHARAON}


Settle = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture
def settle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Settle:
    """What `manage.py settle` prints of a log, without the summary."""

    def settled(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        file = tmp_path / "deal.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        capsys.readouterr()
        call_command("settle", str(file))
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()][:-1]

    return settled


def recorded_lines(table: str, names: dict[str, str]) -> list[dict[str, Any]]:
    """The log that the record hands out, its bets by the names of the log that was played."""
    lines = []
    for line in list(export_log(table))[1:]:
        bare = {key: value for key, value in line.items() if key not in ("at", "by")}
        lines.append({key: names.get(value, value) if key in ("bet", "of") else value for key, value in bare.items()})
    return lines


def recorded_settlements(table: str, names: dict[str, str]) -> list[dict[str, Any]]:
    """The settlements of the only deal, in the words of `settle`; KZT has two digits."""
    [record] = play.deal_records(play.deals(table))
    amounts = ("stake", "paid", "taken", "returned", "standing")
    return [
        {"deal": row.deal, "turn": row.turn, "position": row.position, "bet": names[row.bet], "seat": row.seat,
         "outcome": row.outcome, **{name: f"{getattr(row, f'{name}_minor') / 100:g}" for name in amounts}}
        for row in record.settlements
    ]  # fmt: skip


@pytest.mark.parametrize("hand", ["keys", "touch"])
@pytest.mark.parametrize("table", DEALS)
def test_a_whole_deal_at_the_console_is_recorded_as_settle_settles_it(
    table: str, hand: str, floor: Floor, desk: Callable[..., Desk], settle: Settle
) -> None:
    lines = DEALS[table]
    at = desk(table)
    said = []
    for line in lines:
        said.append(at.play(line, hand, ahead=hand == "keys"))
        at.confirm(hand)
    at.settled()

    made = [line["bet"] for line in recorded_lines(table, {}) if line["type"] in ("bet", "paroli")]
    names = dict(zip(made, [line["bet"] for line in lines if line["type"] in ("bet", "paroli")], strict=True))
    settled = settle([floor.table_line(table), *lines])
    assert recorded_lines(table, names) == lines
    assert recorded_settlements(table, names) == settled
    assert [words for words in said if words.startswith("↑ PAY")] == pays(settled)


@pytest.mark.parametrize("table", DEALS)
def test_a_whole_deal_off_line_is_sent_in_its_order_and_settled_as_it_was_shown(
    table: str, floor: Floor, desk: Callable[..., Desk], settle: Settle
) -> None:
    lines = DEALS[table]
    at = desk(table)
    join = at.cut_off()
    said = []
    for line in lines:
        said.append(at.play(line, "keys"))
        at.confirm("keys")
    assert recorded_lines(table, {}) == []
    join()
    at.settled()

    made = [line["bet"] for line in recorded_lines(table, {}) if line["type"] in ("bet", "paroli")]
    names = dict(zip(made, [line["bet"] for line in lines if line["type"] in ("bet", "paroli")], strict=True))
    settled = settle([floor.table_line(table), *lines])
    assert recorded_lines(table, names) == lines
    assert recorded_settlements(table, names) == settled
    assert [words for words in said if words.startswith("↑ PAY")] == pays(settled)
    assert at.page.locator("#act [role=alert]").count() == 0


def test_a_sealed_bet_that_opens_as_the_odd_card_is_taken_then_and_nothing_is_paid_twice(
    desk: Callable[..., Desk],
) -> None:
    at = desk("Pharaon-1")
    said = []
    for line in PHARAON[:9]:
        said.append(at.play(line, "keys"))
        at.confirm("keys")

    assert said[6:] == ["↑ PAY 500", "OPEN CARD", "↓ TAKE 1000"]


def pays(settled: list[dict[str, Any]]) -> list[str]:
    """What the console must have said after each card that pays: the headline, and the sum."""
    totals: dict[int, int] = {}
    for row in settled:
        if row["paid"] != "0":
            totals[row["turn"]] = totals.get(row["turn"], 0) + int(row["paid"])
    return [f"↑ PAY {total}" for total in totals.values()]
