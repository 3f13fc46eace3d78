"""How many settlements a second the audit's second engine recomputes from the record, and in how much memory.

A few deals of each of three games are brought in through the door, and then multiplied row by row in a database of
their own until the population is as large as wanted. What is timed is the whole of it, in a process of its own: to read
the facts, settle, read the recorded settlements and compare. Differences must be none.
"""

import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

SIZES = (100_000, 1_000_000)
DEALS = {"stuss": 20, "stos": 12, "pharaon": 30}
TARGET_SECONDS = 60

_STRIDE = 10_000_000
# Columns of a row that name another row, or number it, are moved on by as many strides as the copy is away.
_MOVED = {
    "tables_deal": ("id", "sequence", "number"),
    "tables_card": ("id", "deal_id", "sequence"),
    "tables_bet": ("id", "deal_id", "sequence"),
    "tables_settlement": ("id", "deal_id", "bet_id", "sequence"),
    "tables_deed": ("id", "deal_id", "bet_id", "sequence"),
}

_TYPES: dict[str, tuple[str, dict[str, str]]] = {
    "Table": ("table", {"minimum": "min", "maximum": "max"}),
    "OpenDeal": ("deal", {}),
    "PlaceBet": ("bet", {}),
    "Cut": ("cut", {}),
    "DrawCard": ("card", {}),
    "ShowPocket": ("pocket", {}),
    "EndDeal": ("end", {}),
}


def main() -> None:
    """Print the rate and the peak memory at each size."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    # A database of its own, and rows past the guards: more than the service's owner may do.
    if "DATABASE_SUPERUSER_URL" in os.environ:
        os.environ["DATABASE_OWNER_URL"] = os.environ["DATABASE_SUPERUSER_URL"]
    import django

    django.setup()
    from django.db import connection

    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        base = _bring_in()
        copies = 1
        for size in SIZES:
            wanted = -(-size // base)
            _multiply(copies, wanted)
            copies = wanted
            run = [sys.executable, "-m", "tests.bench.second_engine", str(connection.settings_dict["NAME"])]
            done = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=False)
            print(done.stdout, end="", flush=True)
            if done.returncode:
                sys.exit(f"second_engine: below its target at {size:,} settlements")
    finally:
        connection.creation.destroy_test_db(connection.settings_dict["NAME"], verbosity=0)


def _bring_in() -> int:
    """Record the first deals of the games that the first engine is measured with, and count their settlements."""
    from tables.actions.importing import import_log
    from tables.models import Settlement
    from tables.rules.events import Event, OpenDeal
    from tests.bench import rules

    games: list[Callable[[random.Random], Iterator[Event]]] = [rules.stuss, rules.stos, rules.pharaon]
    for game in games:
        events, opened = [], 0
        for event in rules._played(game(random.Random(1)), random.Random(1)):
            opened += isinstance(event, OpenDeal)
            if opened > DEALS[game.__name__]:
                break
            if getattr(event, "bet", "") != "refused":
                events.append(json.dumps(_line(event)))
        import_log("\n".join(events).encode())
    return Settlement.objects.count()


def _line(event: object) -> dict[str, Any]:
    """Write one of the events that the first engine is measured with as a line of a table log."""
    type, renamed = _TYPES[event.__class__.__name__]
    return {"type": type} | {
        renamed.get(field.name, field.name): value
        for field in fields(event)  # type: ignore[arg-type] # every event is a dataclass
        if (value := getattr(event, field.name)) is not None
    }


def _multiply(since: int, until: int) -> None:
    """Insert the copies numbered from `since` to before `until` of everything that belongs to a deal."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # what is copied has been checked once
        for table, moved in _MOVED.items():
            cursor.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s ORDER BY ordinal_position",
                [table],
            )
            columns = [row[0] for row in cursor.fetchall()]
            values = [f't."{name}"' + (f" + n * {_STRIDE}" if name in moved else "") for name in columns]
            if table == "tables_deal":
                values[columns.index("name")] = "t.name || '.' || n"
                values[columns.index("number")] = "t.number + n * 1000"
            names = ", ".join(f'"{name}"' for name in columns)
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} t"
                f" CROSS JOIN generate_series(%s, %s) n WHERE t.id < {_STRIDE}",
                [since, until - 1],
            )
            cursor.execute(f"ANALYZE {table}")
        cursor.execute("UPDATE tables_tablehead SET sequence = %s", [until * _STRIDE])


def _served() -> float:
    """Return the seconds of a core that the connection's server process has used; 0 where it is not on this machine."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (process,) = cursor.fetchone()
    try:
        user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except FileNotFoundError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _measure(database: str) -> int:
    """Recompute the whole population of a database once; 0 if a million would be recomputed in time."""
    import django
    from django.conf import settings

    django.setup()
    settings.DATABASES["default"]["NAME"] = database
    from audit.second_engine import recompute

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, own, served = time.perf_counter(), time.process_time(), _served()
    found = recompute()
    differences = list(islice(found, 5))
    seconds, own, served = time.perf_counter() - start, time.process_time() - own, _served() - served
    assert not differences, differences
    assert found.settlements == found.recorded
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{found.settlements:,} settlements of {found.bets:,} bets in {found.deals:,} deals: {seconds:.1f} s"
        f" ({own:.1f} s of a core here, {served:.1f} s in the database) = {found.settlements / seconds:,.0f}/s,"
        f" a million in {seconds * 1e6 / found.settlements:.0f} s (target {TARGET_SECONDS});"
        f" {peak / 1024:.0f} MB at the most, {(peak - before) / 1024:.0f} MB more than before it began"
    )
    return int(seconds * 1e6 / found.settlements > TARGET_SECONDS)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    sys.exit(_measure(sys.argv[1]))
