"""Starts everything that `./run` starts, watches it, and stops it all.

Runs services; knows nothing of tables. What it starts dies with it, also when it is killed.
"""

import argparse
import fcntl
import hashlib
import os
import secrets
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import IO

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from casino import environment
from casino.embedded import authority, broker, messages, postgres
from casino.embedded.paper_certificate import new_certificate
from casino.embedded.parent import die_with_parent

BASE_DIR = Path(__file__).resolve().parent.parent.parent
OWNER, SERVICE, BROKER = "casino_owner", "casino_service", "casino_broker"
DATABASE, BROKER_DATABASE = "casino", "casino_broker"
OWNERS_VARIABLES = {"DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL"}
STOP_SECONDS = 15
START_SECONDS = 60
# A machine gets a new address, and a certificate's end comes near, while the floor runs.
CERTIFICATE_SECONDS = 60
LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}
# A service that ends this often within a minute will not come up by being started at once again.
RESTARTS_A_MINUTE = 5
# What says in a run directory that its database is what this code expects.
PREPARED = "prepared"
LOG_BYTES = 10 * 1024 * 1024


class CannotStart(Exception):
    """The service cannot run as asked; the message is for the person at the terminal."""


class StopRequested(Exception):
    """Somebody asked the supervisor to end (Ctrl-C, SIGTERM, the terminal closed)."""


@dataclass(slots=True)
class Service:
    """One program to keep running."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    starts: list[float] = field(default_factory=list)
    rests: bool = False

    def start(self, log_dir: Path, variables: Mapping[str, str]) -> None:
        supervisor = os.getpid()
        with open_log(log_dir / f"{self.name}.log") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=BASE_DIR,
                env=dict(variables),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A session of its own: Ctrl-C reaches the supervisor alone, which stops things in order.
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGKILL, supervisor),
            )
        self.starts.append(time.monotonic())

    def keep_running(self, log_dir: Path, variables: Mapping[str, str]) -> None:
        """Start it again if it ended; one that keeps ending rests for a minute, and the others go on.

        A live page or a report that fails must never stop the dealers' entry.
        """
        if self.process is None or self.process.poll() is None:
            return
        self.starts = [start for start in self.starts if time.monotonic() - start < 60]
        if len(self.starts) < RESTARTS_A_MINUTE:
            say(f"{self.name} ended with status {self.process.returncode}; starting it again")
            self.start(log_dir, variables)
            self.rests = False
        elif not self.rests:
            say(f"{self.name} keeps ending; it is tried again in a minute. The end of its log:")
            say(tail(log_dir, self.name))
            self.rests = True

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def wait(self, deadline: float) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            say(f"{self.name} did not end by itself and was killed")
            self.process.kill()
            self.process.wait()


def say(line: str) -> None:
    print(line, flush=True)


def open_log(file: Path) -> IO[bytes]:
    """Open a log to append to; one that has grown too long is kept once as NAME.1."""
    if file.exists() and file.stat().st_size > LOG_BYTES:
        file.replace(file.with_name(f"{file.name}.1"))
    return file.open("ab")


def tail(log_dir: Path, name: str, lines: int = 12) -> str:
    file = log_dir / f"{name}.log"
    if not file.exists():
        return "(no log)"
    return "\n".join(file.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


@contextmanager
def only_one(run_dir: Path) -> Iterator[None]:
    """Hold the run directory: a second supervisor on it is refused, one on another is not."""
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        lock = (run_dir / "supervisor.lock").open("a+")
    except OSError as refused:
        raise CannotStart(f"RUN_DIR cannot be {run_dir}: {refused.strerror}") from refused
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CannotStart(
                f"{run_dir} is in use by process {lock.read().strip()}. "
                "For a second one give it another RUN_DIR and PORT."
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


@contextmanager
def free_ports() -> Iterator[None]:
    """Refuse ports on which somebody else listens. Raises: CannotStart."""
    host, port = address()
    named = {"PORT": port}
    if os.environ.get("LIVE_PORT"):
        named["LIVE_PORT"] = number_of_port("LIVE_PORT", os.environ["LIVE_PORT"])
    for name, number in named.items():
        if not postgres.is_free(number, host):
            raise CannotStart(f"port {number} is taken; choose another: {name}={number + 1} ./run")
    yield


@contextmanager
def signals_stop() -> Iterator[None]:
    """Turn the signals that mean "end" into StopRequested, once: a second one does not break the stopping."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.SIG_IGN)
        raise StopRequested(signal.Signals(number).name)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, stop)
    yield


@dataclass(frozen=True, slots=True)
class Servers:
    """The variables that lead to database and broker, and the database server where it is ours to keep running."""

    variables: Mapping[str, str]
    database: postgres.Server | None = None


@contextmanager
def database_server(run_dir: Path, *, for_tests: bool = False, empty: bool = False) -> Iterator[Servers]:
    """Run the embedded PostgreSQL with its roles and databases; `empty` throws away what the service's one holds."""
    server = postgres.Server(run_dir, durability=postgres.FORGETFUL if for_tests else postgres.DURABLE)
    try:
        server.start()
        with server.connect() as connection:
            # Tests make databases and roles, switch triggers off, and flush past the guards (tests/database).
            server.make_role(connection, OWNER, "SUPERUSER" if for_tests else "NOSUPERUSER")
            server.make_role(connection, SERVICE)
            server.make_role(connection, BROKER, "CREATEDB" if for_tests else "NOCREATEDB")
            if empty:
                (run_dir / PREPARED).unlink(missing_ok=True)
                connection.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
            server.make_database(connection, DATABASE, OWNER)
            server.make_database(connection, BROKER_DATABASE, BROKER)
            connection.execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO {SERVICE}")
        variables = {
            "DATABASE_URL": server.url(SERVICE, DATABASE),
            "DATABASE_OWNER_URL": server.url(OWNER, DATABASE),
            "DATABASE_SUPERUSER_URL": server.url(postgres.SUPERUSER, DATABASE),
            "CELERY_BROKER_URL": server.url(BROKER, BROKER_DATABASE, "pgmq"),
            "POSTGRES_BIN": str(server.install / "bin"),
        }
        yield Servers(variables, server)
    finally:
        server.stop()


@contextmanager
def servers(run_dir: Path, *, for_tests: bool = False, empty: bool = False) -> Iterator[Servers]:
    """Yield the database and the broker: the house's where it names them, else embedded (`empty`: without its data)."""
    named = {name for name in ("DATABASE_URL", "CELERY_BROKER_URL") if os.environ.get(name)}
    if len(named) == 1 and not for_tests:
        raise CannotStart(
            f"{named.pop()} is set and the other is not: name DATABASE_URL and CELERY_BROKER_URL both "
            "(a pgmq:// broker may be a database on the same server), or neither."
        )
    if "DATABASE_URL" in named:
        yield Servers({})
        return
    with database_server(run_dir, for_tests=for_tests, empty=empty) as ours:
        # For tests a RabbitMQ may be named beside the embedded database.
        variables = {name: value for name, value in ours.variables.items() if name not in named}
        yield Servers(variables, ours.database)


def service_variables(run_dir: Path, found: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the services: what the caller set, over what we know and made."""
    secret_files = {}
    for name in ("SECRET_KEY", "PIN_KEY"):
        if not os.environ.get(name) and not os.environ.get(f"{name}_FILE"):
            file = run_dir / "secrets" / name.lower()
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            postgres.remembered(file, lambda: secrets.token_urlsafe(48))
            secret_files[f"{name}_FILE"] = str(file)
    if not os.environ.get("SEAL_KEY_FILE"):
        # A demonstration's key: the house's own lies where the operator of the database does not come.
        file = run_dir / "secrets" / "seal_key"
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        postgres.remembered(file, new_seal_key)
        secret_files["SEAL_KEY_FILE"] = str(file)
    if not os.environ.get("PAPER_KEY_FILE") and not os.environ.get("PAPER_CERTIFICATE_FILE"):
        secret_files |= paper_files(run_dir / "secrets")
    host, port = address()
    return {
        "LIVE_PORT": str(live_port(host, port)),
        "HTTPS": "0",
        "COOKIE_PREFIX": f"casino{port}",
        "ALLOWED_HOSTS": ",".join(sorted(LOOPBACK)) if host in LOOPBACK else "*",
        "FILES_DIR": str(run_dir / "files"),
        "SEALS_DIR": str(run_dir / "seals"),
        "SITE_URL": home(host, port),
        **secret_files,
        **found,
        **{name: value for name, value in os.environ.items() if name not in found},
        "RUN_DIR": str(run_dir),
        "DJANGO_SETTINGS_MODULE": "casino.settings",
        "PYTHONUNBUFFERED": "1",
    }


def serves_tls() -> bool:
    """Say whether web and live floor end TLS themselves: HTTPS is asked for, and no proxy does it for them."""
    return os.environ.get("HTTPS") == "1" and os.environ.get("TRUST_PROXY") != "1"


def own_certificate(run_dir: Path) -> authority.Kept | None:
    """Keep the floor's own authority and certificate in order, where TLS is ours and the house names no certificate.

    Raises: CannotStart.
    """
    named = {name for name in ("TLS_CERTIFICATE_FILE", "TLS_KEY_FILE") if os.environ.get(name)}
    if not serves_tls() or len(named) == 2:
        return None
    if named:
        raise CannotStart(f"{named.pop()} is set and the other is not: name TLS_CERTIFICATE_FILE and TLS_KEY_FILE both")
    more = [word for word in os.environ.get("TLS_NAMES", "").split(",") if word]
    secrets_dir = run_dir / "secrets"
    secrets_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return authority.keep(secrets_dir, authority.here(more), datetime.now(UTC))


def certificate_variables(kept: authority.Kept | None) -> dict[str, str]:
    """Return what the services must know of a certificate of our own."""
    if kept is None:
        return {}
    return {
        "TLS_CERTIFICATE_FILE": str(kept.server_file),
        "TLS_KEY_FILE": str(kept.server_file),
        "TLS_AUTHORITY_FILE": str(kept.authority_file),
        # A browser keeps HSTS by name for a year, for every port of it: too much for a name like "localhost".
        "HSTS_SECONDS": os.environ.get("HSTS_SECONDS") or "0",
    }


def paper_files(secrets_dir: Path) -> dict[str, str]:
    """Make, once, the key and the certificate that sign a demonstration's papers."""
    key_file, certificate_file = secrets_dir / "paper_key", secrets_dir / "paper_certificate"
    if not key_file.exists():
        secrets_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        key, certificate = new_certificate("Demonstration house", datetime.now(UTC))
        # The certificate is there before the key is: who is killed between the two makes both anew.
        certificate_file.unlink(missing_ok=True)
        postgres.remembered(certificate_file, certificate.strip)
        postgres.remembered(key_file, key.strip)
    return {"PAPER_KEY_FILE": str(key_file), "PAPER_CERTIFICATE_FILE": str(certificate_file)}


def new_seal_key() -> str:
    """Make an Ed25519 key, as `openssl genpkey -algorithm ed25519` does."""
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode().strip()


def address() -> tuple[str, int]:
    """Return where the web server listens. Raises: CannotStart."""
    return os.environ.get("HOST", "127.0.0.1"), number_of_port("PORT", os.environ.get("PORT", "8000"))


def number_of_port(name: str, port: str) -> int:
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise CannotStart(f"{name} is a number from 1 to 65535, not {port!r}")
    return int(port)


def live_port(host: str, port: int) -> int:
    """Choose where the live floor is served: a thousand above the web, or anywhere free."""
    wanted = port + 1000
    return wanted if wanted < 2**16 and postgres.is_free(wanted, host) else postgres.free_port()


def home(host: str, port: int) -> str:
    """Return the address for a person at this machine."""
    return f"{'https' if serves_tls() else 'http'}://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/"  # noqa: S104 # compared


def publish(run_dir: Path, variables: Mapping[str, str]) -> None:
    """Write what `manage.py` in another shell needs to find this floor, for our user alone."""
    names = {
        "DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SUPERUSER_URL", "CELERY_BROKER_URL", "POSTGRES_BIN",
        "SECRET_KEY_FILE", "PIN_KEY_FILE", "FILES_DIR", "HTTPS", "COOKIE_PREFIX", "ALLOWED_HOSTS", "SITE_URL",
        "SEAL_KEY_FILE", "SEALS_DIR", "PAPER_KEY_FILE", "PAPER_CERTIFICATE_FILE", "TLS_AUTHORITY_FILE",
    }  # fmt: skip
    draft = run_dir / f"{environment.FILE_NAME}.new"
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    lines = [f"{name}={variables[name]}" for name in sorted(names & variables.keys())]
    draft.write_text("# Written by ./run at each start\n" + "\n".join(lines) + "\n", encoding="utf-8")
    draft.replace(run_dir / environment.FILE_NAME)


def manage(*arguments: str, variables: Mapping[str, str], capture: bool = False) -> str:
    """Run a management command to its end.

    Raises: CannotStart, with what it said, where it fails.
    """
    supervisor = os.getpid()
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE_DIR,
        env=dict(variables),
        text=True,
        stdout=subprocess.PIPE,
        stderr=None if capture else subprocess.STDOUT,
        check=False,
        preexec_fn=lambda: die_with_parent(signal.SIGKILL, supervisor),
    )
    if done.returncode != 0:
        raise CannotStart(f"manage.py {' '.join(arguments)} failed:\n{done.stdout}")
    return done.stdout


def has_command(name: str) -> bool:
    return (BASE_DIR / "tables" / "management" / "commands" / f"{name}.py").exists()


def source_digest() -> str:
    """Return the digest of every file that decides how the database looks."""
    digest = hashlib.sha256()
    for app in ("casino", "tables", "audit"):
        for file in sorted((BASE_DIR / app).rglob("*.py")):
            digest.update(str(file.relative_to(BASE_DIR)).encode() + b"\0" + file.read_bytes() + b"\0")
    digest.update((BASE_DIR / "requirements.txt").read_bytes())
    return digest.hexdigest()


def prepare(run_dir: Path, variables: Mapping[str, str]) -> None:
    """Bring database, grants, broker and demonstration house to what this code expects.

    Left out where the same code has done it to the same database before: a second start is quick.
    """
    stamp = run_dir / PREPARED
    state = f"{source_digest()} {variables['DATABASE_URL']} {variables['CELERY_BROKER_URL']}"
    state = hashlib.sha256(state.encode()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == state:
        return
    say("preparing the database …")
    manage("migrate", "--noinput", "--verbosity=0", variables=variables)
    manage("grant", variables=variables)
    if variables["CELERY_BROKER_URL"].startswith("pgmq:"):
        broker.install(variables["CELERY_BROKER_URL"])
    if variables.get("SEED", "1") == "1" and has_command("seed"):
        log_ins = manage("seed", variables=variables, capture=True)
        file = run_dir / "log_ins"
        # The first output alone holds the devices' tokens: only their digests are kept anywhere else.
        if log_ins.strip() and not file.exists():
            file.touch(mode=0o600)
            file.write_text(log_ins, encoding="utf-8")
    stamp.write_text(state, encoding="utf-8")


def services(variables: Mapping[str, str]) -> list[Service]:
    python = sys.executable
    host, _port = address()
    workers = int(os.environ.get("WORKER_PROCESSES", "2"))
    run_dir = environment.run_dir(BASE_DIR)
    tls = []
    if serves_tls():
        tls = ["--ssl-certfile", variables["TLS_CERTIFICATE_FILE"], "--ssl-keyfile", variables["TLS_KEY_FILE"]]
    return [
        Service("web", [python, "-m", "gunicorn", "--config", "python:casino.embedded.web", "casino.wsgi"]),
        Service(
            "live",
            [
                python, "-m", "uvicorn", "casino.asgi:application", "--host", host, "--port", variables["LIVE_PORT"],
                "--no-access-log", "--no-server-header", "--ws", "none", "--timeout-graceful-shutdown", "1", *tls,
            ],
        ),
        # One process each, never a pool of children: docs/decisions/broker.md.
        *(
            Service(
                f"worker-{number}",
                [
                    python, "-m", "celery", "--app", "casino.celery", "worker", "--hostname", f"worker-{number}@%h",
                    "--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat",
                ],
            )
            for number in range(1, workers + 1)
        ),
        Service(
            "beat",
            [
                python, "-m", "celery", "--app", "casino.celery", "beat", "--loglevel", "INFO",
                "--schedule", str(run_dir / "beat"), "--pidfile", "",
            ],
        ),
    ]  # fmt: skip


def answers(url: str, context: ssl.SSLContext) -> bool:
    """Say whether somebody speaks HTTP there; a refusal is an answer too."""
    try:
        with urllib.request.urlopen(url, timeout=2, context=context):  # noqa: S310 # our own address
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def who_answers(kept: authority.Kept | None) -> ssl.SSLContext:
    """Trust our own authority alone; a house's certificate names the house, not the loopback that we ask."""
    if kept is not None:
        return ssl.create_default_context(cafile=kept.authority_file)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def serve() -> None:
    """Run the whole service until somebody asks it to end."""
    run_dir = environment.run_dir(BASE_DIR)
    host, port = address()
    began = time.monotonic()
    with only_one(run_dir), signals_stop(), free_ports(), servers(run_dir) as found:
        kept = own_certificate(run_dir)
        variables = service_variables(run_dir, found.variables) | certificate_variables(kept)
        log_dir = run_dir / "log"
        log_dir.mkdir(exist_ok=True)
        messages.compile_all(BASE_DIR)
        publish(run_dir, variables)
        prepare(run_dir, variables)
        running = services(variables)
        # What serves people holds no key to more than its own role may do.
        variables = {name: value for name, value in variables.items() if name not in OWNERS_VARIABLES}
        try:
            web, *others = running
            web.start(log_dir, variables)
            address_here = home(host, port)
            context = who_answers(kept)
            wait_for_web(lambda: answers(address_here, context), web, log_dir)
            # After the web: people wait for it, and three imports at once would keep two cores busy.
            for service in others:
                service.start(log_dir, variables)
            announce(address_here, run_dir, time.monotonic() - began)
            if kept is not None:
                announce_certificate(kept, host, port)
            say("  Ctrl-C stops everything.\n")
            looked_at = time.monotonic()
            while True:
                time.sleep(1)
                if kept is not None and time.monotonic() - looked_at > CERTIFICATE_SECONDS:
                    looked_at = time.monotonic()
                    renew_certificate(run_dir, next(each for each in running if each.name == "live"))
                if found.database is not None and found.database.keep_running():
                    say("PostgreSQL had ended; it was started again")
                for service in running:
                    service.keep_running(log_dir, variables)
        finally:
            say("stopping …")
            for service in running:
                service.stop()
            deadline = time.monotonic() + STOP_SECONDS
            for service in running:
                service.wait(deadline)


def renew_certificate(run_dir: Path, live: Service) -> None:
    """Look whether the certificate still holds. The web reads a new one by itself; the live floor is started again."""
    kept = own_certificate(run_dir)
    if kept is not None and kept.changed:
        say(f"a new certificate: {', '.join([*kept.served.names, *map(str, kept.served.addresses)])}")
        live.stop()


def wait_for_web(ready: Callable[[], bool], web: Service, log_dir: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if web.process is not None and web.process.poll() is not None:
            raise CannotStart(f"the web server ended at once:\n{tail(log_dir, web.name)}")
        if time.monotonic() > deadline:
            raise CannotStart(f"the web server does not answer:\n{tail(log_dir, web.name)}")
        time.sleep(0.05)


def announce(address_here: str, run_dir: Path, seconds: float) -> None:
    say(f"\n  Up in {seconds:.1f} s\n")
    for name, path in (
        ("floor", "pit/"),
        ("dealer console", "console/<table>/"),
        ("audit", "audit/"),
        ("API", "api/docs"),
    ):
        say(f"  {name:<16}{address_here}{path}")
    say(f"\n  data and logs   {run_dir}")
    log_ins = run_dir / "log_ins"
    if log_ins.exists():
        say("\n" + log_ins.read_text(encoding="utf-8").rstrip())
    say("")


def announce_certificate(kept: authority.Kept, host: str, port: int) -> None:
    """Say how a tablet comes to trust this floor, and by what a person knows that it is this one."""
    reached = [str(each) for each in kept.served.addresses if not each.is_loopback and each.version == 4]
    shown = reached if host == "0.0.0.0" else [host]  # noqa: S104 # compared
    for each in shown or ["127.0.0.1"]:
        say(f"  tablets         https://{each}:{port}/trust/")
    say(f"  its SHA-256     {kept.fingerprint}")
    if kept.beyond:
        say(
            f"  not certified   {', '.join(kept.beyond)}: the authority was made without. For a new one, which every "
            f"tablet must trust anew, delete {kept.authority_file} and {kept.authority_file}_key"
        )
    say("")


def with_servers(command: Sequence[str], *, name: str, for_tests: bool) -> int:
    """Run a command with a database and a broker, in a corner of the run directory of its own."""
    run_dir = environment.run_dir(BASE_DIR) / name
    # A benchmark measures on what it made itself: what earlier ones left, no rules made, is read by the floor as well.
    with only_one(run_dir), signals_stop(), servers(run_dir, for_tests=for_tests, empty=not for_tests) as found:
        messages.compile_all(BASE_DIR)
        variables = service_variables(run_dir, found.variables)
        if not for_tests:
            prepare(run_dir, {**variables, "SEED": "0"})
        supervisor = os.getpid()
        process = subprocess.Popen(
            command,
            cwd=BASE_DIR,
            env=variables,
            preexec_fn=lambda: die_with_parent(signal.SIGTERM, supervisor),
        )
        try:
            return process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="casino.embedded.supervisor")
    parser.add_argument("deed", choices=["serve", "test", "check", "bench"])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    try:
        if arguments.deed == "serve":
            serve()
            return 0
        return with_servers(arguments.command, name=arguments.deed, for_tests=arguments.deed != "bench")
    except StopRequested:
        return 0 if arguments.deed == "serve" else 130
    except (CannotStart, postgres.NoServer, psycopg.OperationalError) as refused:
        print(f"./run: {refused}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
