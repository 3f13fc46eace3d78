"""How gunicorn serves the embedded default."""

import multiprocessing
import os
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

from casino.embedded.parent import die_with_parent

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
worker_class = "casino.embedded.tls_worker.TlsWorker" if certfile else "gthread"
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


def post_fork(server: object, worker: object) -> None:
    die_with_parent()


def post_worker_init(worker: object) -> None:
    try:
        all_are_there.wait(BOOT_SECONDS)
    except threading.BrokenBarrierError:
        return
    all_are_there.abort()
