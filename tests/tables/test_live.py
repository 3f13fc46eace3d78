"""From commit to the dashboards: what is told and when, and the floor as a stream that loses nothing."""

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPResponse
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from tables import live
from tables.actions import door, people
from tables.api import stream
from tables.models import Casino, Pit, Staff, Table
from tables.queries.people import device_of_token
from tests.browser.a_floor import PASSWORD, PINS, T0, Floor, a_floor
from tests.live_process import Look, live_process

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("live")]


@pytest.fixture(autouse=True)
def house() -> Floor:
    return a_floor()


def play(*events: dict[str, object], table: str = "Stos-1") -> int:
    """Record what the house vouches for; return the sequence of the table's head."""
    _answers, receipt, _after = door.record_for_house(table, door.vouch(list(events), author="P-1"))
    return receipt.sequence


def id_of(table: str) -> int:
    return Table.objects.get(code=table).pk


@pytest.fixture
def listening() -> Iterator[Callable[[float], list[str]]]:
    """What is told to somebody who listens: everything that comes within some seconds of silence."""
    with closing(
        psycopg.connect(**connection.get_connection_params() | {"cursor_factory": None}, autocommit=True)
    ) as on:
        on.execute(f"LISTEN {live.CHANNEL}")
        list(on.notifies(timeout=0.3))  # what the floor's own making told
        yield lambda seconds: [each.payload for each in on.notifies(timeout=seconds)]


def test_a_commit_tells_which_table_moved_and_how_far_and_nothing_before_it(listening):
    with transaction.atomic():
        sequence = play({"type": "deal", "deal": "1"})
        assert listening(0.3) == []

    assert listening(0.5) == [f"{id_of('Stos-1')}:{sequence}"]


def test_what_is_rolled_back_is_told_to_nobody(listening):
    with transaction.atomic():
        play({"type": "deal", "deal": "1"})
        transaction.set_rollback(True)

    assert listening(0.4) == []


def test_whatever_telling_runs_into_the_next_commit_is_told(listening, monkeypatch):
    struck = threading.Event()

    def strike(heads: dict[int, int]) -> None:
        struck.set()
        raise RuntimeError("struck by lightning")

    with monkeypatch.context() as weather:
        weather.setattr(live, "_notify", strike)
        play({"type": "deal", "deal": "1"})
        assert struck.wait(30)

    sequence = play({"type": "card", "card": "2S"})
    assert listening(0.5)[-1] == f"{id_of('Stos-1')}:{sequence}"


def test_forty_commits_in_a_row_are_told_at_most_every_50_ms_and_the_last_one_surely(listening):
    for _ in range(20):
        play({"type": "pause"})
        last = play({"type": "resume"})

    told = listening(0.5)
    assert told[-1] == f"{id_of('Stos-1')}:{last}"
    assert len(told) < 40


def test_many_tables_fit_into_notifications_of_less_than_8000_bytes():
    heads = {2**40 + table: 2**40 for table in range(400)}
    payloads = list(live.payloads(heads))

    assert len(payloads) == 3
    assert max(map(len, payloads)) < 8000
    assert {table: sequence for each in payloads for table, sequence in live.heads_of(each).items()} == heads


# -- the stream


@pytest.fixture
def port() -> Iterator[int]:
    with live_process() as port:
        yield port


def log_in(number: str) -> tuple[Client, str]:
    client = Client()
    assert client.login(username=number, password=PASSWORD)
    name = settings.SESSION_COOKIE_NAME
    return client, f"{name}={client.cookies[name].value}"


@pytest.fixture
def boss(port: int) -> Iterator[tuple[Client, Look]]:
    client, cookie = log_in("P-1")
    with closing(Look(port, cookie)) as look:
        yield client, look


def answer(port: int, cookie: str = "", **headers: str) -> HTTPResponse:
    with closing(Look(port, cookie, **headers)) as look:
        return look.answer


def tables(client: Client) -> list[dict[str, object]]:
    return list(client.get("/api/floor").json()["tables"])


def test_the_stream_begins_with_the_floor_as_the_api_gives_it(boss):
    client, look = boss

    first = look.next()
    assert first["event"] == "floor"
    assert sorted(first["tables"], key=lambda table: table["table"]) == tables(client)


def test_what_moves_at_a_table_is_sent_for_that_table_alone_as_the_api_gives_it(boss):
    client, look = boss
    look.next("floor")

    play(
        {"type": "deal", "deal": "1"},
        {"type": "bet", "bet": "a", "seat": 1, "rank": "Q", "amount": "500"},
        {"type": "card", "card": "QH"},
        {"type": "card", "card": "2S"},
    )

    tiles = look.next("tiles")["tables"]
    assert [(tile["table"], tile["game_win_minor"]) for tile in tiles] == [("Stos-1", 50000)]
    assert tiles == [table for table in tables(client) if table["table"] == "Stos-1"]


def test_what_nobody_was_told_is_found_in_the_record(boss):
    _client, look = boss
    look.next("floor")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
        )
        assert cursor.fetchall() == [(True,)], "one connection listens"

    sequence = play({"type": "deal", "deal": "1"})

    assert [(tile["table"], tile["sequence"]) for tile in look.next("tiles")["tables"]] == [("Stos-1", sequence)]


def test_a_dealer_who_signs_on_is_on_the_tile_though_no_table_s_journal_moved(boss, house, monkeypatch):
    monkeypatch.setattr(stream, "WHOLE_EVERY", 0.5)
    _client, look = boss
    look.next("floor")
    device = device_of_token(house.tokens["Stos-1"])

    people.sign_on(
        device=device, table_id=id_of("Stos-1"), number="D-3", pin=PINS["D-3"], role=None, relieve=False, now=T0
    )

    assert [(tile["table"], tile["dealer"]) for tile in look.next("tiles")["tables"]] == [("Stos-1", "L. Weber")]


def test_silence_is_broken_by_a_beat_while_the_record_is_heard(boss):
    _client, look = boss
    look.next("floor")

    assert look.next()["event"] == "beat"


def test_nobody_streams_without_a_log_in_and_a_dealer_sees_no_floor(port):
    _client, dealer = log_in("D-1")

    assert answer(port).status == 401
    assert answer(port, f"{settings.SESSION_COOKIE_NAME}=made-up").status == 401
    assert answer(port, dealer).status == 403


def test_a_pit_boss_of_one_pit_is_sent_nothing_of_another():
    casino = Casino.objects.get()
    other = Pit.objects.create(casino=casino, name="Salon")
    Table.objects.filter(code="Stuss-1").update(pit=other)
    staff = Staff.objects.get(number="D-2")
    with transaction.atomic():
        people.appoint(staff_id=staff.pk, role="pit_boss", pit_id=other.pk, by=None, now=T0)
    client, cookie = log_in("D-2")

    # Begun only now: a process that had read the floor before would show the old pits for up to a second.
    with live_process() as port, closing(Look(port, cookie)) as look:
        assert [table["table"] for table in look.next("floor")["tables"]] == ["Stuss-1"]
        play({"type": "deal", "deal": "1"}, table="Stos-1")
        play({"type": "deal", "deal": "1"}, table="Stuss-1")
        sent = [tile["table"] for _ in range(2) for tile in look.next("tiles", "beat")["tables"]]
    assert sent == ["Stuss-1"]
    assert [table["table"] for table in tables(client)] == ["Stuss-1"]


def test_a_log_out_ends_the_stream(monkeypatch):
    monkeypatch.setattr(stream, "LOOK_AGAIN_EVERY", 0.2)
    with live_process() as port:
        client, cookie = log_in("P-1")
        with closing(Look(port, cookie)) as look:
            look.next("floor")
            client.logout()
            while look.next() is not None:
                pass
        assert answer(port, cookie).status == 401


def test_twenty_who_look_on_need_no_more_connections_than_one(boss, port):
    def connections() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
            return int(cursor.fetchone()[0])

    _client, look = boss
    look.next("floor")
    before = connections()
    _client, cookie = log_in("V-1")
    others = [Look(port, cookie) for _ in range(20)]
    for other in others:
        assert len(other.next("floor")["tables"]) == 4
    play({"type": "deal", "deal": "1"})

    assert {other.next("tiles")["tables"][0]["deal"] for other in [look, *others]} == {"1"}
    assert connections() <= before + 1  # a reader or a teller may be at work at this very moment
    for other in others:
        other.close()


def test_another_site_s_page_may_not_read_the_stream(port, settings):
    settings.LIVE_PORT, settings.SITE_URL = port, "http://127.0.0.1:8000/"
    _client, cookie = log_in("P-1")

    ours = answer(port, cookie, Origin="http://127.0.0.1:8000").headers
    theirs = answer(port, cookie, Origin="http://127.0.0.1:8001").headers
    assert ours["Access-Control-Allow-Origin"] == "http://127.0.0.1:8000"
    assert theirs["Access-Control-Allow-Origin"] is None


# -- through a proxy

NGINX_CONF = """
daemon off; pid {dir}/pid; error_log stderr; {user}
events {{}}
http {{
    access_log off; client_body_temp_path {dir}; proxy_temp_path {dir}; fastcgi_temp_path {dir}; uwsgi_temp_path {dir};
    scgi_temp_path {dir};
    server {{ listen 127.0.0.1:{port}; {locations} }}
}}
"""


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def proxy(port: int, tmp_path: Path) -> Iterator[int]:
    """The locations of docs/nginx.conf, served by an nginx."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if nginx is None:
        if os.environ.get("CI"):
            pytest.fail("no nginx here, and .ci/run installs one")
        pytest.skip("no nginx here (.ci/run installs one)")
    conf = (Path(settings.BASE_DIR) / "docs" / "nginx.conf").read_text()
    locations = conf[conf.index("    location / ") : conf.rindex("}")].replace("127.0.0.1:9000", f"127.0.0.1:{port}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listen = int(free.getsockname()[1])
    file = tmp_path / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""
    file.write_text(NGINX_CONF.format(dir=tmp_path, port=listen, locations=locations, user=user))
    with subprocess.Popen([nginx, "-c", str(file), "-e", "stderr"]) as process:
        deadline = time.monotonic() + 10
        while not _answers(listen):
            assert process.poll() is None, "nginx ended"
            assert time.monotonic() < deadline, "nginx does not start"
            time.sleep(0.05)
        yield listen
        process.terminate()


def test_an_event_comes_through_nginx_at_once_as_docs_nginx_conf_has_it(proxy):
    _client, cookie = log_in("P-1")
    with closing(Look(proxy, cookie)) as look:
        assert look.answer.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert len(look.next("floor")["tables"]) == 4
        look.next("beat")
        play({"type": "deal", "deal": "1"})
        began = time.monotonic()
        assert [tile["deal"] for tile in look.next("tiles")["tables"]] == ["1"]
        assert time.monotonic() - began < 2
