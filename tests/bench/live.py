"""How soon a commit is on the screens, and whether those who look on slow the writers down.

The web service, the live floor's process and the worker's work for the floor run as under `./run`. Writers record over
HTTP; those who look on are sockets in a process of their own, which reads and throws away, and a few of them, the first
and the last served among them, note when each table's sequence arrives. A latency is from the moment that the
database gave the entry (`recorded_at`, before its commit was durable) to that socket: what a person would wait, less
the browser's drawing. Commits come at a floor's pace by chance, as they do at tables, some of them at once. Writing is
timed in turns, with viewers and without, so that both meet the same weather.
"""

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from tests.bench.write import CLIENTS, RANKS, ROOT, Place, Tablet, all_recorded, house, web

VIEWERS = int(os.environ.get("BENCH_VIEWERS", "200"))
NOTING = 5
TABLES = 24
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
COMMITS = int(os.environ.get("BENCH_COMMITS", "400"))
PIECES = 2
PACED = 5.0  # commits a second while latency is measured: a floor at work, not at the end of its strength
TARGET_MS = 250
RATIO_TARGET = 0.95


@contextmanager
def live(port: int) -> Iterator[None]:
    """Run the live floor's process as `./run` does."""
    server = subprocess.Popen(
        [
            sys.executable, "-m", "uvicorn", "casino.asgi:application", "--port", str(port),
            "--no-access-log", "--ws", "none", "--timeout-graceful-shutdown", "1",
        ],
        cwd=ROOT,
        env={**os.environ, "HTTPS": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while not _healthy(port):
            assert time.monotonic() < deadline, "the live floor does not start"
            time.sleep(0.2)
        yield
    finally:
        server.terminate()
        server.wait()


def _healthy(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/live/health")
        return connection.getresponse().status == 200
    except OSError:
        return False


def session() -> str:
    """Log a pit boss in; return the cookie."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.db import transaction
    from django.test import Client
    from django.utils import timezone

    from tables.actions import people
    from tables.models import Casino

    with transaction.atomic():
        casino = Casino.objects.latest("id")
        user = get_user_model().objects.create_user(f"b-{casino.code[-8:]}")
        staff = people.hire(
            casino_id=casino.pk, number=f"b-{casino.code[-8:]}", name="Boss", language="en", user_id=user.pk, by=None,
            now=timezone.now(),
        )  # fmt: skip
        people.appoint(staff_id=staff, role="pit_boss", pit_id=None, by=None, now=timezone.now())
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


class Watching:
    """Viewers of one floor, in a process of their own, until `end`."""

    def __init__(self, port: int, cookie: str, viewers: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench._viewers"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.said = self.process.stdout
        asked = {"port": port, "cookie": cookie, "viewers": viewers, "noting": NOTING}
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        assert self.said.readline() == "ready\n", "not every viewer is served"

    def end(self) -> list[list[tuple[str, int, float]]]:
        """Return what each that noted has seen: table, sequence, when."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        seen: list[list[tuple[str, int, float]]] = json.loads(self.said.readline())
        self.process.wait()
        return seen


@contextmanager
def worker() -> Iterator[None]:
    """Do the worker's work for the floor beside us."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench._worker"], cwd=ROOT, env={**os.environ, "HTTPS": "0"}
    )
    try:
        yield
        assert process.poll() is None, "the worker ended"
    finally:
        process.terminate()
        process.wait()


def write(places: list[Place], tablets: list[Tablet], seconds: float) -> float:
    """Let every client record turns of its tables for some seconds; return events a second."""
    counts = [0] * CLIENTS
    end = time.perf_counter() + seconds

    def run(client: int) -> None:
        mine = places[client::CLIENTS]
        while time.perf_counter() < end:
            for place in mine:
                counts[client] += _turn(place, tablets[client])

    threads = [threading.Thread(target=run, args=(client,)) for client in range(CLIENTS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)


def _turn(place: Place, tablet: Tablet) -> int:
    """Record one turn, event by event as a dealer does; a new deal where the shoe runs low."""
    number = place.position // 2
    if number >= 100:
        all_recorded(tablet.send(Tablet.request(place, [place.envelope({"type": "end"})])))
        all_recorded(tablet.send(Tablet.request(place, [place.new_deal()])))
        number = 0
    before, even = place.turn(number)
    for envelope in [*before[:2], before[-1], *even]:
        all_recorded(tablet.send(Tablet.request(place, [envelope])))
    return 4


def latencies(places: list[Place], tablet: Tablet, watching: Watching) -> list[float]:
    """Record at a floor's pace; return milliseconds from each entry to its arrival at each viewer that notes."""
    told: list[tuple[str, int, float]] = []
    chance = random.Random(14)  # no secret: the same pace in every run
    for number in range(COMMITS):
        place = places[number % len(places)]
        bet = {
            "type": "bet",
            "bet": f"late-{number}",
            "seat": 10 - number // len(places) % 10,
            "rank": RANKS[-1 - number // len(places) // 10 % 13],
            "amount": "100",
        }
        body = tablet.send(Tablet.request(place, [place.envelope(bet)]))
        entry = datetime.fromisoformat(all_recorded(body)["recorded_at"])
        told.append((place.code, json.loads(body)["head"]["sequence"], entry.timestamp()))
        time.sleep(chance.expovariate(PACED))
    time.sleep(2)
    found = []
    for seen in watching.end():
        for code, sequence, recorded_at in told:
            arrived = [at for table, its, at in seen if table == code and its >= sequence]
            assert arrived, f"{code} {sequence} never arrived"
            found.append((min(arrived) - recorded_at) * 1000)
    return found


def connections() -> int:
    """Count the database's connections, but for the one that asks."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        (count,) = cursor.fetchone()
        return int(count)


def main() -> None:
    """Measure, and print the figures."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    os.environ.setdefault("HTTPS", "0")
    import django

    django.setup()
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(int(free.getsockname()[1]))
    places, _mark = house(TABLES)
    cookie = session()
    with web(ports[0]), live(ports[1]), worker():
        tablets = [Tablet(ports[0]) for _ in range(CLIENTS)]
        for index, place in enumerate(places):
            all_recorded(tablets[index % CLIENTS].send(Tablet.request(place, [place.new_deal()])))
        write(places, tablets, SECONDS / 3)  # both processes have read their code and their plans
        alone: list[float] = []
        watched: list[float] = []
        lent: dict[str, Any] = {}
        for _piece in range(PIECES):
            alone.append(write(places, tablets, SECONDS))
            lent["alone"] = connections()
            watching = Watching(ports[1], cookie, VIEWERS)
            watched.append(write(places, tablets, SECONDS))
            lent["watched"] = connections()
            watching.end()
        for index, place in enumerate(places):
            tablet = tablets[index % CLIENTS]
            all_recorded(tablet.send(Tablet.request(place, [place.envelope({"type": "end"}), place.new_deal()])))
        late = sorted(latencies(places, tablets[0], Watching(ports[1], cookie, VIEWERS)))
    ratio = statistics.mean(watched) / statistics.mean(alone)
    p99 = late[min(len(late) - 1, int(len(late) * 0.99))]
    print(f"from entry to {NOTING} of {VIEWERS} viewers' sockets, {COMMITS} commits, {PACED:.0f} a second on average:")
    print(f"median {statistics.median(late):.0f} ms, p99 {p99:.0f} ms (at most {TARGET_MS}), worst {late[-1]:.0f} ms")
    print(f"events a second, {CLIENTS} clients: {statistics.mean(alone):.0f}, watched {statistics.mean(watched):.0f}")
    print(f"ratio: {ratio:.2f} (at least {RATIO_TARGET})")
    print(f"database connections: {lent['alone']} without viewers, {lent['watched']} with {VIEWERS}")
    if p99 > TARGET_MS or ratio < RATIO_TARGET:
        sys.exit("below the target")


if __name__ == "__main__":
    main()
