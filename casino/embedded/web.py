"""How gunicorn serves the embedded default."""

import multiprocessing
import os
import ssl
import threading
import time
from collections.abc import Callable
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from typing import Any

from casino.embedded.parent import die_with_parent
from casino.embedded.tls_worker import TlsWorker

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_PROCESSES", "2"))
# More threads than a core can use: most wait for a table's lock, or hold a live page open.
threads = int(os.environ.get("WEB_THREADS", "32"))
keepalive = 75
graceful_timeout = 10
timeout = 60
# Both processes share the imported code, and the second costs nothing to start.
preload_app = True
control_socket_disable = True
accesslog = None
errorlog = "-"

# Both or neither; `./run` names them where it ends TLS itself.
certfile = os.environ.get("TLS_CERTIFICATE_FILE") or None
keyfile = os.environ.get("TLS_KEY_FILE") or None
contexts: dict[int, ssl.SSLContext] = {}


def ssl_context(config: object, default: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    """Read the certificate once, and again when it was renewed: connections that are open stay."""
    assert certfile is not None, "gunicorn asks only where there is one"
    read_at = Path(certfile).stat().st_mtime_ns
    context = contexts.get(read_at)
    if context is None:
        context = default()
        contexts.clear()
        contexts[read_at] = context
    return context


# When the service comes back, every tablet of the house reconnects at once and stays with the process that answers it.
# So none answers before all are there; one that is started again later finds the barrier passed, or broken, for good.
all_are_there = multiprocessing.get_context("fork").Barrier(workers)
BOOT_SECONDS = 5
# And each leaves a new connection to one that holds fewer: whoever is awake already would else take most of them.
NOBODY = -1
held = RawArray("i", [NOBODY] * workers)  # how many connections each process holds
LEAVES_SECONDS, LEAVES_TIMES = 0.005, 3  # an interpreter's turn; then it is taken, for the other may hang


class Worker(TlsWorker):
    """gunicorn's threads, shared out evenly: none takes a new connection while another process holds fewer."""

    place: int | None = None

    def accept(self, listener: Any) -> None:
        for _ in range(LEAVES_TIMES):
            if self.nr_conns <= min((count for count in held if count != NOBODY), default=0):
                break
            time.sleep(LEAVES_SECONDS)
        super().accept(listener)
        self.tell()

    def notify(self) -> None:
        super().notify()
        self.tell()

    def tell(self) -> None:
        if self.place is not None:
            held[self.place] = self.nr_conns


worker_class = Worker


def pre_fork(server: object, worker: Worker) -> None:
    # While a reload has twice as many, the newer ones have no place; they take what comes.
    worker.place = next((place for place, count in enumerate(held) if count == NOBODY), None)
    worker.tell()


def child_exit(server: object, worker: Worker) -> None:
    if worker.place is not None:
        held[worker.place] = NOBODY


def post_fork(server: object, worker: Worker) -> None:
    die_with_parent()


def post_worker_init(worker: Worker) -> None:
    try:
        all_are_there.wait(BOOT_SECONDS)
    except threading.BrokenBarrierError:
        return
    all_are_there.abort()
