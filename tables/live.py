"""From commit to the dashboards: which tables moved, and how far. It carries nothing else and decides nothing.

A NOTIFY inside a writing transaction would make every commit of the server queue behind one lock. So the process tells
after its commit, from a thread and a transaction of their own, for all its tables at once and at most every 50 ms.
What is lost here (a process killed between commit and telling) is found in the record: tables.api.stream compares.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from django.db import connection, transaction

CHANNEL: Final = "casino_live"
PAUSE: Final = 0.05
_A_NOTIFICATION: Final = 150  # tables; a payload must stay below 8000 bytes

log = logging.getLogger(__name__)


class Teller:
    """Tells which tables moved; its thread begins with the first one and is this process's alone."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._heads: dict[int, int] = {}
        self._thread: threading.Thread | None = None

    def moved(self, table_id: int, sequence: int) -> None:
        """Have it told soon that a table's journal reached a sequence. Never waits for the database."""
        with self._condition:
            self._heads[table_id] = max(sequence, self._heads.get(table_id, 0))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="live", daemon=True)
                self._thread.start()
            self._condition.notify()

    def _run(self) -> None:
        while True:
            with self._condition:
                while not self._heads:
                    self._condition.wait()
                heads, self._heads = self._heads, {}
            try:
                _notify(heads)
            except Exception as error:
                # The next sweep of the record finds it; the thread outlives whatever it was.
                log.warning("not told: %s", error)
            time.sleep(PAUSE)


teller = Teller()


def _forked() -> None:
    global teller
    teller = Teller()  # a thread does not survive a fork


os.register_at_fork(after_in_child=_forked)


def tell_on_commit(table_id: int, sequence: int) -> None:
    """Tell the dashboards, once the caller's transaction is committed, that a table's journal moved."""
    transaction.on_commit(partial(_tell, table_id, sequence), robust=True)


def _tell(table_id: int, sequence: int) -> None:
    teller.moved(table_id, sequence)


def _notify(heads: Mapping[int, int]) -> None:
    try:
        with connection.cursor() as cursor:
            for payload in payloads(heads):
                # One statement, one transaction, one round trip; nothing here need survive a crash.
                cursor.execute(
                    "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s)", [CHANNEL, payload]
                )
    finally:
        connection.close()  # back to the pool: telling keeps no connection


def payloads(heads: Mapping[int, int]) -> Iterator[str]:
    """Write heads as `table:sequence,…`, in as many notifications as they need."""
    pairs = [f"{table_id}:{sequence}" for table_id, sequence in sorted(heads.items())]
    for first in range(0, len(pairs), _A_NOTIFICATION):
        yield ",".join(pairs[first : first + _A_NOTIFICATION])


def heads_of(payload: str) -> dict[int, int]:
    """Read a notification's payload."""
    pairs = (pair.split(":") for pair in payload.split(","))
    return {int(table_id): int(sequence) for table_id, sequence in pairs}
