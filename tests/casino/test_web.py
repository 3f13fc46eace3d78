"""How the web processes share out the tablets of a house. No database, no page: gunicorn as `./run` starts it."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from casino.embedded import postgres
from casino.embedded.parent import die_with_parent
from tests.casino.processes import children, wait_for

TABLETS = 20


class Web:
    """Two processes that answer anything, and tablets that keep their connection open."""

    def __init__(self, port: int, pid: int) -> None:
        self.port, self.pid = port, pid
        self.tablets: list[socket.socket] = []

    def processes(self) -> list[int]:
        return sorted(pid for pid in children(self.pid) if sockets(pid))

    def connect(self, tablets: int) -> None:
        """Connect all of them at once, then let each be answered."""
        came = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(tablets)]
        for tablet in came:
            tablet.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert tablet.recv(65536).startswith(b"HTTP/1.1 200")
        self.tablets += came

    def drop_dead(self) -> int:
        """Close the tablets' ends of connections that a killed process held; return how many."""
        dead = []
        for tablet in self.tablets:
            tablet.settimeout(0.2)
            try:
                while tablet.recv(65536):
                    pass
                dead.append(tablet)
            except ConnectionError:
                dead.append(tablet)
            except TimeoutError:
                continue
        for tablet in dead:
            tablet.close()
            self.tablets.remove(tablet)
        return len(dead)


def sockets(pid: int) -> int:
    """Count the connections that a process holds, with the one that it listens at."""
    try:
        return sum(os.readlink(each).startswith("socket:") for each in Path(f"/proc/{pid}/fd").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return 0


@pytest.fixture
def web():
    port, test = postgres.free_port(), os.getpid()
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--config", "python:casino.embedded.web", "wsgiref.simple_server:demo_app"],
        env={**os.environ, "PORT": str(port), "HOST": "127.0.0.1", "WEB_PROCESSES": "2"},
        preexec_fn=lambda: die_with_parent(signal.SIGTERM, test),
    )
    web = Web(port, process.pid)
    wait_for(lambda: len(web.processes()) == 2, "both processes")
    yield web
    for tablet in web.tablets:
        tablet.close()
    process.terminate()
    process.wait()


def test_tablets_that_come_back_at_once_are_shared_out_between_the_processes_also_after_one_was_killed(web):
    before = {pid: sockets(pid) for pid in web.processes()}
    web.connect(TABLETS)
    held = {pid: sockets(pid) - before[pid] for pid in before}
    assert sum(held.values()) == TABLETS
    # Even but for a process that the machine kept waiting; it was one to four or worse.
    assert max(held.values()) - min(held.values()) <= TABLETS // 5

    killed, kept = sorted(held)
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: len(web.processes()) == 2 and killed not in web.processes(), "the one that takes its place")
    assert web.drop_dead() == held[killed]
    (new,) = set(web.processes()) - {kept}
    none = sockets(new)
    web.connect(held[killed])
    assert sockets(kept) - before[kept] - held[kept] <= TABLETS // 5
    assert sockets(new) - none >= held[killed] - TABLETS // 5
