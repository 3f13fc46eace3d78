"""`./run` starts a whole floor, keeps it up, and takes all of it down again, however it ends."""

import os
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from casino.embedded import supervisor
from tests.casino.floors import Floor
from tests.casino.processes import WAIT_SECONDS, children, command, family, is_alive, lines, wait_for

pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("services")]


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Floor]:
    """A second one, not started."""
    made = Floor(tmp_path / "run")
    yield made
    made.end()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """A floor over plain HTTP, whose first start two tests share; each starts it where the other has ended it."""
    made = Floor(tmp_path_factory.mktemp("plain") / "run")
    yield made
    made.end()


def test_a_killed_floor_leaves_no_orphan_and_comes_back_with_its_data_and_without_the_work_of_a_first_start(
    floor, plain
):
    plain.keep_running()
    assert (plain.status(), floor.status()) == (404, 404)
    plain.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    wait_for(plain.is_complete, "everything to run")
    its_own, the_others = family(plain.process.pid), family(floor.process.pid)

    plain.process.kill()
    plain.process.wait()
    wait_for(lambda: not any(is_alive(pid) for pid in its_own), "every process to end")
    assert all(is_alive(pid) for pid in the_others)
    assert floor.status() == 404

    plain.start()
    assert plain.execute("SELECT answer FROM kept") == [(42,)]
    # The five seconds it may take depend on the machine: `./run bench start`.
    assert plain.seconds_to_start[-1] < plain.seconds_to_start[0]

    its_own = family(plain.process.pid)
    plain.process.send_signal(signal.SIGINT)
    assert plain.process.wait(WAIT_SECONDS) == 0
    assert [command for pid, command in its_own.items() if is_alive(pid)] == []


def test_a_killed_web_server_is_started_again(floor):
    web = next(pid for pid, command in family(floor.process.pid).items() if "gunicorn" in command)
    workers = children(web)
    os.kill(web, signal.SIGKILL)
    wait_for(lambda: not any(is_alive(pid) for pid in workers), "the web server's processes to end")
    wait_for(lambda: "web ended with status -9; starting it again" in floor.output.read_text(), "a word of it")
    wait_for(floor.answers, "the web server to answer again")


def test_a_killed_database_server_is_started_again_with_what_it_had(floor):
    floor.execute("CREATE TABLE committed AS SELECT 7 AS answer")
    server = next(pid for pid, command in family(floor.process.pid).items() if "postgres -D" in command)
    os.kill(server, signal.SIGKILL)
    wait_for(lambda: "PostgreSQL had ended; it was started again" in floor.output.read_text(), "a word of it")
    assert floor.execute("SELECT answer FROM committed") == [(7,)]
    wait_for(floor.is_complete, "everything to run")


def test_a_second_floor_in_the_same_run_directory_is_refused_and_harms_nothing(floor):
    intruder = Floor(floor.run_dir)
    intruder.output = floor.run_dir.with_suffix(".intruder")
    assert intruder.launch().wait(WAIT_SECONDS) == 1
    assert lines(intruder.output) == [
        f"./run: {floor.run_dir} is in use by process {floor.process.pid}. "
        "For a second one give it another RUN_DIR and PORT."
    ]
    wait_for(floor.answers, "the first to answer")


@pytest.mark.parametrize("variable", ["PORT", "LIVE_PORT"])
def test_a_taken_port_is_refused_by_name(floor, another, variable):
    another.variables[variable] = str(floor.port)
    assert another.launch().wait(WAIT_SECONDS) == 1
    assert lines(another.output) == [
        f"./run: port {floor.port} is taken; choose another: {variable}={floor.port + 1} ./run"
    ]


def test_a_live_page_that_cannot_start_is_said_and_stops_nobody(plain):
    plain.keep_running()
    with socket.socket() as taken:
        live = next(pid for pid, command in family(plain.process.pid).items() if "casino.asgi" in command)
        port = int(command(live).split("--port ")[1].split()[0])
        os.kill(live, signal.SIGKILL)
        wait_for(lambda: not is_alive(live), "the live floor to end")
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        wait_for(lambda: "live keeps ending; it is tried again in a minute" in plain.output.read_text(), "a word")
        assert plain.status() == 404


def test_a_service_that_rests_is_tried_again_after_a_minute(tmp_path):
    service = supervisor.Service("live", [sys.executable, "-c", "pass"])
    for _ in range(supervisor.RESTARTS_A_MINUTE):
        service.start(tmp_path, {})
        assert service.process is not None
        service.process.wait()
    service.keep_running(tmp_path, {})
    assert (service.rests, len(service.starts)) == (True, supervisor.RESTARTS_A_MINUTE)
    service.starts = [start - 60 for start in service.starts]
    service.keep_running(tmp_path, {})
    assert (service.rests, len(service.starts)) == (False, 1)
    service.process.wait()


@pytest.mark.parametrize("port", ["abc", "0", "65536", "", "-1", "8000.0"])
def test_a_port_that_is_none_is_refused_by_name(another, port):
    another.variables["PORT"] = port
    assert another.launch().wait(WAIT_SECONDS) == 1
    assert lines(another.output) == [f"./run: PORT is a number from 1 to 65535, not {port!r}"]


def test_a_run_directory_that_cannot_be_one_is_refused_by_name(another, tmp_path):
    file = tmp_path / "a_file"
    file.touch()
    for place, why in ((file, "File exists"), (file / "below", "Not a directory")):
        another.variables["RUN_DIR"] = str(place)
        assert another.launch().wait(WAIT_SECONDS) == 1
        assert lines(another.output) == [f"./run: RUN_DIR cannot be {place}: {why}"]


def test_half_of_the_houses_own_servers_is_refused(another):
    another.variables["DATABASE_URL"] = "postgresql://casino@db.example/casino"
    assert another.launch().wait(WAIT_SECONDS) == 1
    assert lines(another.output) == [
        "./run: DATABASE_URL is set and the other is not: name DATABASE_URL and CELERY_BROKER_URL both "
        "(a pgmq:// broker may be a database on the same server), or neither."
    ]


def test_what_unlocks_the_books_is_for_the_person_who_started_it_alone(floor):
    kept = [floor.run_dir / "environment", *(floor.run_dir / "secrets").iterdir()]
    assert {stat.S_IMODE(file.stat().st_mode) for file in kept} == {0o600}


def test_the_embedded_database_is_durable_and_its_broker_cannot_enter_the_books(floor):
    assert floor.execute("SHOW fsync") == [("on",)]
    assert floor.execute("SHOW synchronous_commit") == [("on",)]
    assert floor.execute("SELECT has_database_privilege('casino_broker', 'casino', 'CONNECT')") == [(False,)]
