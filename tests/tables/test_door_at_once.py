"""Many at one door: one event for one id, one turn after another, and nothing acknowledged is ever lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, connections

from tables.actions import door
from tables.actions.importing import import_log
from tables.models import Bet, Card, Closing, Deal, Entry, EventId, Opening, Pit, TableHead
from tests.tables.a_game import STOS, Tablet, a_game, a_tablet, bet, card, put_up, statuses

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(deeds: list[Any]) -> list[Any]:
    """Do all of it at one moment, each in a thread and on a connection of its own."""
    barrier = threading.Barrier(len(deeds))

    def run(deed: Any) -> Any:
        barrier.wait()
        try:
            return deed()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def intact() -> bool:
    """Whether every journal agrees with itself, its head and its rows; what does not is printed."""
    out = StringIO()
    try:
        call_command("verify_journal", stdout=out)
    except SystemExit:
        print(out.getvalue())
        return False
    return True


def test_fifty_senders_of_one_id_make_one_row_and_get_fifty_equal_answers():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "Q"), card("QS"))
    envelope = tablet.envelope(card("KH"))
    answers = [
        answer for response in at_once([lambda: tablet.post([envelope])] * 50) for answer in response.json()["answers"]
    ]
    assert sorted(answer.pop("status") for answer in answers) == ["recorded"] + ["repeated"] * 49
    assert answers == [answers[0]] * 50
    assert answers[0]["settlements"][0]["outcome"] == "lose"
    assert (Card.objects.count(), EventId.objects.filter(id=envelope["id"]).count()) == (2, 1)
    assert intact()


def test_two_writers_at_one_table_are_served_one_after_the_other():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    deeds = [
        lambda each=each: statuses(tablet.post([tablet.envelope(each)]).json()["answers"])
        for each in (bet(f"{seat}{rank}", seat, rank) for seat in range(1, 6) for rank in "23456")
    ]
    assert at_once(deeds) == [["recorded"]] * 25
    assert list(Bet.objects.order_by("sequence").values_list("ordinal", flat=True)) == list(range(1, 26))
    assert intact()


def test_two_cards_for_one_place_one_is_recorded_and_the_other_did_not_know_the_last_card():
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"})
    deeds = [
        lambda text=text: statuses(tablet.post([tablet.envelope(card(text))]).json()["answers"])
        for text in ("2C", "3C", "4C", "5C")
    ]
    assert sorted(at_once(deeds)) == [["recorded"]] + [["wrong_position"]] * 3
    assert Card.objects.count() == 1


def test_one_id_sent_to_two_tables_at_once_is_recorded_at_one_of_them():
    tablet = a_game()
    table = put_up({**STOS, "table": "S2"}, Pit.objects.select_related("casino").get(pk=tablet.house.pits["main"]))
    tablet.house.tables["S2"] = table.pk
    other = a_tablet(tablet.house, "S2", "D-2")
    for round in range(5):
        id = str(uuid.uuid4())
        deeds = [
            lambda each=each, id=id, round=round: statuses(
                each.post([each.envelope({"type": "deal", "deal": f"{round}"}, id=id)]).json()["answers"]
            )
            for each in (tablet, other)
        ]
        assert sorted(at_once(deeds)) == [["id_reused"], ["recorded"]]
        for each in (tablet, other):
            if Deal.objects.filter(table__code=each.table, name=f"{round}").exists():
                each.after = {"deal": f"{round}", "position": 0, "take_backs": 0}
                each.send({"type": "end"})
    assert intact()


def test_one_file_brought_in_four_times_at_once_is_recorded_once():
    log = (
        '{"type": "table", "table": "T", "game": "stuss", "currency": "RUB", "min": "1", "max": "9", "chip": "1"}\n'
        '{"type": "deal", "deal": "1"}\n{"type": "card", "card": "QS"}\n'
    )
    imported = at_once([lambda: import_log(log.encode())] * 4)
    assert sorted((each.recorded, each.repeated) for each in imported) == [(0, 3), (0, 3), (0, 3), (3, 0)]
    assert len({each.hash for each in imported}) == 1
    assert intact()


def test_a_table_whose_head_is_held_makes_no_other_table_wait():
    tablet = a_game()
    table = put_up({**STOS, "table": "S2"}, Pit.objects.select_related("casino").get(pk=tablet.house.pits["main"]))
    tablet.house.tables["S2"] = table.pk
    other = a_tablet(tablet.house, "S2", "D-2")
    with held("S"):
        assert statuses(other.send({"type": "deal", "deal": "1"})) == ["recorded"]


def another_connection(*, autocommit: bool = False) -> psycopg.Connection[Any]:
    settings = connection.settings_dict
    return psycopg.connect(
        host=settings["HOST"], port=settings["PORT"] or None, user=settings["USER"],
        password=settings["PASSWORD"] or None, dbname=settings["NAME"], autocommit=autocommit,
    )  # fmt: skip


def until_waiting(count: int) -> None:
    """Return when so many of this database's connections wait for somebody else's lock."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    deadline = time.monotonic() + 10
    with another_connection(autocommit=True) as looker:
        while looker.execute(waiting).fetchone() != (count,):
            assert time.monotonic() < deadline, f"not {count} wait for their turn"
            time.sleep(0.002)


def in_line(deeds: list[Any]) -> list[Any]:
    """Do all of it at one moment, and let nobody through before every one of them has begun and waits for his turn.

    Whatever a deed looks at before it takes its turn, it has looked at before any other was done. One that takes no
    turn at all never waits, and fails here.
    """
    with ThreadPoolExecutor(len(deeds)) as pool:
        holder = another_connection()
        try:
            holder.execute("SELECT 1 FROM tables_casinohead FOR UPDATE")
            holder.execute("SELECT 1 FROM tables_tablehead FOR UPDATE")

            def run(deed: Any) -> Any:
                try:
                    return deed()
                finally:
                    connections.close_all()

            begun = [pool.submit(run, deed) for deed in deeds]
            until_waiting(len(deeds))
        finally:
            holder.close()
        return [each.result() for each in begun]


@contextmanager
def held(code: str) -> Iterator[None]:
    """Hold a table's head on a connection of its own."""
    holder = another_connection()
    holder.execute(
        "SELECT 1 FROM tables_tablehead h JOIN tables_table t ON t.id = h.table_id WHERE t.code = %s FOR UPDATE OF h",
        [code],
    )
    yield
    holder.close()


WRITER = """
import json, sys, uuid
import django
django.setup()
from django.test import Client
import logging
logging.disable(logging.CRITICAL)
table, token, device, signon = sys.argv[1:]
position = 0
print("ready", flush=True)
sys.stdin.readline()
cards = [rank + suit for rank in "23456789TJQKA" for suit in "CDHS"] * 6
for position, text in enumerate(cards):
    body = [{
        "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{position}")), "device": device, "device_seq": position,
        "signon": signon, "at": "2026-01-15T18:00:00Z", "sent_at": "2026-01-15T18:00:00Z",
        "after": {"deal": "1", "position": position, "take_backs": 0}, "event": {"type": "card", "card": text},
    }]
    answer = Client().post(f"/api/tables/{table}/events", body, content_type="application/json",
                           headers={"Authorization": f"Device {token}"}).json()["answers"][0]
    print(json.dumps([position, answer["status"], answer["sequence"], answer["hash"]]), flush=True)
"""


def acknowledged(tablet: Tablet, kill_after: float, tmp_path: Path) -> list[tuple[int, int, str]]:
    """Let another process write cards, kill it at that moment, and return what it had been told was recorded."""
    script = tmp_path / "writer.py"
    script.write_text(WRITER)
    settings = connection.settings_dict
    url = f"postgres://{settings['USER']}@{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
    writer = subprocess.Popen(
        [sys.executable, str(script), tablet.table, tablet.token, tablet.device, tablet.signon],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": url,
            "DATABASE_OWNER_URL": url,
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
    )
    assert writer.stdout is not None
    assert writer.stdin is not None
    assert writer.stdout.readline() == "ready\n"
    writer.stdin.write("go\n")
    writer.stdin.flush()
    time.sleep(kill_after)
    writer.send_signal(signal.SIGKILL)
    said, _ = writer.communicate()
    return [
        (position, sequence, hash)
        for line in said.splitlines()
        if line.endswith("]")
        for position, _status, sequence, hash in [json.loads(line)]
    ]


@pytest.mark.parametrize("kill_after", [0.11, 0.19, 0.31])
def test_a_process_killed_between_any_two_lines_loses_nothing_acknowledged(kill_after: float, tmp_path: Path):
    tablet = a_game()
    tablet.send({"type": "deal", "deal": "1"}, bet("a", 1, "A"))
    told = acknowledged(tablet, kill_after, tmp_path)
    door.ledgers.discard(tablet.house.tables["S"])
    deadline = time.monotonic() + 10  # the server rolls the broken transaction back when it sees the socket closed
    recorded = Card.objects.count()
    while time.monotonic() < deadline and recorded != Card.objects.count():
        recorded = Card.objects.count()
    for position, sequence, hash in told:
        assert Entry.objects.get(journal__table_head__table__code="S", sequence=sequence).hash == hash
        assert Card.objects.filter(position=position + 1).exists()
    assert len(told) <= recorded <= len(told) + 1
    assert Entry.objects.filter(type="card").count() == recorded
    assert (
        TableHead.objects.get(table__code="S").sequence
        == Entry.objects.filter(journal__table_head__table__code="S").count()
    )
    assert intact()


def test_a_service_whose_database_is_replaced_under_it_believes_nothing_of_the_old_one():
    log = (
        '{"type": "table", "table": "S", "game": "stuss", "currency": "RUB", "min": "1", "max": "9", "chip": "1"}\n'
        '{"type": "deal", "deal": "1", "at": "2024-02-29T20:00:00Z"}\n'
        '{"type": "misdeal", "reason": "torn card", "at": "2024-02-29T20:05:00Z"}\n'
    )
    call_command("flush", interactive=False, verbosity=0)  # ids begin again at 1, as in another database
    assert statuses(a_game().send({"type": "deal", "deal": "1"}, card("QS"))) == ["recorded"] * 2
    old = Opening.objects.get()
    call_command("flush", interactive=False, verbosity=0)
    import_log(log.encode())
    opening = Opening.objects.get()
    assert opening.pk == old.pk
    assert Closing.objects.get().closed_at == datetime(2024, 2, 29, 20, 5, tzinfo=UTC)
    assert Deal.objects.get().gaming_date == opening.gaming_date == date(2024, 2, 29)
    assert intact()
