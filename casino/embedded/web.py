"""How gunicorn serves the embedded default."""

import multiprocessing
import os
import threading

from casino.embedded.parent import die_with_parent

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_PROCESSES", "2"))
worker_class = "gthread"
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
