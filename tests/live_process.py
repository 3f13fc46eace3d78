"""The live floor's process as a thread of the tests, on the tests' database. It asserts nothing."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tables.api.stream import FloorStream


class Streaming:
    """The process; stopped and started again, it serves at the same port."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.server: uvicorn.Server | None = None
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        self.stream = FloorStream()
        config = uvicorn.Config(
            self.stream, port=self.port, log_level="warning", ws="none", timeout_graceful_shutdown=1, lifespan="on"
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive(), "the stream does not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self.server is not None and self.thread is not None:
            self.server.should_exit = True
            self.thread.join()

    def viewers(self) -> int:
        return len(self.stream.viewers)


@contextmanager
def live_process() -> Iterator[int]:
    """Serve the stream until the end of the block; yield its port."""
    process = Streaming()
    process.start()
    try:
        yield process.port
    finally:
        process.stop()


class Look:
    """Somebody's stream, read event by event."""

    def __init__(self, port: int, cookie: str = "", **headers: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
        self.connection.request("GET", "/live/floor", headers={"Cookie": cookie, **headers})
        self.answer = self.connection.getresponse()

    def next(self, *names: str) -> dict[str, Any] | None:
        """Return the data of the next event, or of the next one of these names; None at the end of the stream."""
        name = ""
        while line := self.answer.readline().decode():
            key, _, value = line.strip().partition(": ")
            if key == "event":
                name = value
            elif key == "data" and (not names or name in names):
                return dict(json.loads(value), event=name)
        return None

    def close(self) -> None:
        self.answer.close()
        self.connection.close()
