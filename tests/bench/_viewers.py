"""Screens that look on, in a process of their own: they read what comes and throw it away. A few note when.

Reads `{"port", "cookie", "viewers", "noting"}` from its first line; says `ready` when each is served; at the end of its
input says, for each that notes, what arrived: `[[table, sequence, seconds], …]` by the machine's clock.
"""

import json
import selectors
import socket
import sys
import time
from typing import Any

AT_ONCE = 1 << 16


class Screen:
    """One that looks on. Only who notes reads what it says."""

    def __init__(self, address: tuple[str, int], request: bytes, notes: bool) -> None:
        self.socket = socket.create_connection(address)
        self.socket.sendall(request)
        self.notes = notes
        self.served = False
        self.rest = b""
        self.seen: list[tuple[str, int, float]] = []

    def read(self) -> None:
        data = self.socket.recv(AT_ONCE)
        now = time.time()
        assert data, "a stream ended"
        self.served = self.served or b"event: floor" in data
        if not self.notes:
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data: "):
                self.seen += [(each["table"], each["sequence"], now) for each in json.loads(line[6:])["tables"]]


def main() -> None:
    """Look on until the input ends."""
    asked: dict[str, Any] = json.loads(sys.stdin.readline())
    request = f"GET /live/floor HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {asked['cookie']}\r\n\r\n".encode()
    noting = {place * (asked["viewers"] - 1) // max(1, asked["noting"] - 1) for place in range(asked["noting"])}
    selector = selectors.DefaultSelector()
    screens = []
    for place in range(asked["viewers"]):
        screen = Screen(("127.0.0.1", asked["port"]), request, place in noting)
        screens.append(screen)
        selector.register(screen.socket, selectors.EVENT_READ, screen)
    selector.register(sys.stdin, selectors.EVENT_READ, None)
    waiting = True
    while True:
        for key, _ in selector.select():
            if key.data is None:
                print(json.dumps([screen.seen for screen in screens if screen.notes]), flush=True)
                return
            key.data.read()
        if waiting and all(screen.served for screen in screens):
            waiting = False
            print("ready", flush=True)


if __name__ == "__main__":
    main()
