"""How gunicorn serves the embedded default."""

import os

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


def post_fork(server: object, worker: object) -> None:
    die_with_parent()
