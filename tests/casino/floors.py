"""One `./run` as a test starts it: in a run directory and on a port of its own."""

import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import psycopg

from casino import environment
from casino.embedded import postgres
from casino.embedded.parent import die_with_parent
from tests.casino.processes import family, lines, wait_for

ROOT = Path(__file__).resolve().parents[2]
# Nothing else of what a person, or `./run test` for its own services, has set reaches the floors under test.
MACHINE = {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ", "EMBEDDED_POSTGRES"}


class Floor:
    """One `./run` in a run directory and on a port of its own."""

    def __init__(self, run_dir: Path, **variables: str) -> None:
        self.run_dir = run_dir
        self.port = postgres.free_port()
        self.variables = {name: value for name, value in os.environ.items() if name in MACHINE} | {
            "RUN_DIR": str(run_dir),
            "PORT": str(self.port),
            "SEED": "0",
            **variables,
        }
        self.output = run_dir.with_suffix(".out")
        self.launched: subprocess.Popen[bytes] | None = None
        self.seconds_to_start: list[float] = []

    def start(self) -> None:
        """Start it and wait until it says that it is up; note how long it took."""
        began = time.monotonic()
        self.launch()
        wait_for(lambda: self.is_up() or self.process.poll() is not None, "the floor to come up")
        assert self.is_up(), self.output.read_text()
        self.seconds_to_start.append(time.monotonic() - began)

    def keep_running(self) -> None:
        """Start it where it does not run."""
        if self.launched is None or self.launched.poll() is not None:
            self.start()

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

    @property
    def trusted(self) -> ssl.SSLContext | None:
        """Trust the floor's authority and nobody else; None where it speaks plain HTTP."""
        if self.variables.get("HTTPS") != "1":
            return None
        trusted = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusted.load_verify_locations(self.run_dir / "secrets" / "tls_authority")
        return trusted

    def status(self) -> int:
        try:
            url = f"{'http' if self.trusted is None else 'https'}://127.0.0.1:{self.port}/no-such-page/"
            with urllib.request.urlopen(url, timeout=5, context=self.trusted) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as answer:
            return answer.code

    def answers(self) -> bool:
        try:
            return self.status() == 404
        except OSError:
            return False

    def is_complete(self) -> bool:
        """Say whether everything runs that makes up a floor, the pool of the web included."""
        commands = self.commands()
        wanted = {"postgres": 2, "gunicorn": 3, "celery worker": 2, "celery beat": 1}
        words = {name: name.split() for name in wanted}
        return all(
            sum(all(word in command for word in words[name]) for command in commands) >= count
            for name, count in wanted.items()
        )

    def commands(self) -> list[str]:
        """Return the command lines of everything that it runs."""
        return list(family(self.process.pid).values())

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
