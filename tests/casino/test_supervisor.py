"""`./run` starts a whole floor, keeps it up, and takes all of it down again, however it ends."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from casino import environment
from casino.embedded import postgres, supervisor
from casino.embedded.parent import die_with_parent
from tests.casino.processes import WAIT_SECONDS, children, command, family, is_alive, lines, wait_for

pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("services")]

ROOT = Path(__file__).resolve().parents[2]
# Nothing else of what a person, or `./run test` for its own services, has set reaches the floors under test.
MACHINE = {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "EMBEDDED_POSTGRES"}


class Floor:
    """One `./run` in a run directory and on a port of its own."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.port = postgres.free_port()
        self.variables = {name: value for name, value in os.environ.items() if name in MACHINE} | {
            "RUN_DIR": str(run_dir),
            "PORT": str(self.port),
            "SEED": "0",
        }
        self.output = run_dir.with_suffix(".out")
        self.launched: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Start it and wait until it says that it is up; return the seconds that it took."""
        began = time.monotonic()
        self.launch()
        wait_for(lambda: self.is_up() or self.process.poll() is not None, "the floor to come up")
        assert self.is_up(), self.output.read_text()
        return time.monotonic() - began

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self.launched is not None
        return self.launched

    def launch(self) -> subprocess.Popen[bytes]:
        test = os.getpid()
        with self.output.open("wb") as output:
            self.launched = subprocess.Popen(
                [sys.executable, "-m", "casino.embedded.supervisor", "serve"],
                cwd=ROOT, env=self.variables, stdout=output, stderr=output,
                preexec_fn=lambda: die_with_parent(signal.SIGTERM, test),
            )  # fmt: skip
        return self.launched

    def is_up(self) -> bool:
        return any(line.strip().startswith("Up in") for line in lines(self.output))

    def status(self) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/no-such-page/", timeout=5) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as answer:
            return answer.code

    def answers(self) -> bool:
        try:
            return self.status() == 404
        except OSError:
            return False

    def is_complete(self) -> bool:
        """Say whether everything runs that makes up a floor, the pools of web and worker included."""
        commands = list(family(self.process.pid).values())
        wanted = {"postgres": 2, "gunicorn": 3, "celery worker": 3, "celery beat": 1}
        words = {name: name.split() for name in wanted}
        return all(
            sum(all(word in command for word in words[name]) for command in commands) >= count
            for name, count in wanted.items()
        )

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        variables = environment.parse((self.run_dir / "environment").read_text())
        with psycopg.connect(variables["DATABASE_OWNER_URL"]) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def end(self) -> None:
        if self.launched is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        note = self.run_dir / "data_directory"
        if note.exists():
            data = Path(note.read_text().strip())
            if postgres.SHARED_STATE in data.parents:
                shutil.rmtree(data.parent)


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """A floor that runs while these tests do; each leaves it running."""
    made = Floor(tmp_path_factory.mktemp("floor") / "run")
    try:
        made.start()
        yield made
    finally:
        made.end()


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Floor]:
    """A second one, not started."""
    made = Floor(tmp_path / "run")
    yield made
    made.end()


def test_a_killed_floor_leaves_no_orphan_and_comes_back_in_five_seconds_with_its_data(floor, another):
    another.start()
    assert (another.status(), floor.status()) == (404, 404)
    another.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    wait_for(another.is_complete, "everything to run")
    its_own, the_others = family(another.process.pid), family(floor.process.pid)

    another.process.kill()
    another.process.wait()
    wait_for(lambda: not any(is_alive(pid) for pid in its_own), "every process to end")
    assert all(is_alive(pid) for pid in the_others)
    assert floor.status() == 404

    seconds = another.start()
    assert another.execute("SELECT answer FROM kept") == [(42,)]
    # Five seconds are meant for a machine that does nothing else; this one may be running tests.
    assert seconds < 5 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))

    its_own = family(another.process.pid)
    another.process.send_signal(signal.SIGINT)
    assert another.process.wait(WAIT_SECONDS) == 0
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


def test_a_live_page_that_cannot_start_is_said_and_stops_nobody(another):
    another.start()
    with socket.socket() as taken:
        live = next(pid for pid, command in family(another.process.pid).items() if "casino.asgi" in command)
        port = int(command(live).split("--port ")[1].split()[0])
        os.kill(live, signal.SIGKILL)
        wait_for(lambda: not is_alive(live), "the live floor to end")
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        wait_for(lambda: "live keeps ending; it is tried again in a minute" in another.output.read_text(), "a word")
        assert another.status() == 404


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
