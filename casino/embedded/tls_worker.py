"""A web process's worker that leads whoever speaks plain HTTP at the TLS port to the same address under https.

It answers nothing else there: no page, no word of the API, whatever was sent along.
"""

import re
import socket
from typing import Any, Final

from gunicorn.workers.gthread import ThreadWorker

_HANDSHAKE: Final = b"\x16"  # how every TLS client begins, and no HTTP request
_MOST: Final = 8192
_PATIENCE: Final = 2.0  # seconds for the head of a request
_REQUEST: Final = re.compile(
    rb"(?:GET|HEAD) (/[!-~]*) HTTP/1\.[01]\r\n(?:.*\r\n)*?[Hh]ost: *([A-Za-z0-9.:\[\]-]{1,255})\r\n"
)
_CLOSE: Final = b"Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: "


class TlsWorker(ThreadWorker):
    """Where it serves TLS, looks at the first byte of a new connection, and takes nothing away from what TLS reads."""

    def handle(self, conn: Any) -> Any:
        """Handle a connection as ever, once it has begun TLS."""
        if self.cfg.is_ssl and not conn.initialized and conn.wait_for_data(_PATIENCE):
            conn.sock.setblocking(True)
            if conn.sock.recv(1, socket.MSG_PEEK) not in (b"", _HANDSHAKE):
                _lead(conn.sock)
                return False
        return super().handle(conn)


def _lead(sock: socket.socket) -> None:
    """Answer plain HTTP: where to look (a request that changes nothing), or that it is not spoken here."""
    sock.settimeout(_PATIENCE)
    head = b""
    try:
        while b"\r\n\r\n" not in head and len(head) < _MOST and (more := sock.recv(_MOST - len(head))):
            head += more
        sock.sendall(answer(head))
    except OSError:
        return  # whoever it was has gone


def answer(head: bytes) -> bytes:
    """Return the answer to the head of a plain request."""
    read = _REQUEST.match(head)
    if read is None:
        words = b"This address speaks HTTPS alone.\n"
        return b"HTTP/1.1 400 Bad Request\r\n" + _CLOSE + str(len(words)).encode() + b"\r\n\r\n" + words
    path, host = read.groups()
    return b"HTTP/1.1 308 Permanent Redirect\r\nLocation: https://" + host + path + b"\r\n" + _CLOSE + b"0\r\n\r\n"
