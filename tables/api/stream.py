"""The floor as a stream of server-sent events, in a process of its own: it reads, and no one waits for it.

One connection listens, one reads, however many look on. A moved table is read once, by the query that GET /api/floor
answers with, and handed to everyone who may see it. What was told is only a hint: every second the heads of all
journals are compared with what was read, so that nothing lost on the way stays lost, and a late commit is not skipped.

    event: floor    every table that may be seen, as GET /api/floor gives it: at first, and where the set changed
    event: tiles    the tables that moved, in the same form; each replaces what was known of it; with the totals of all
    event: beat     nothing new; only sent while the record is heard. Silence means that nobody knows
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, connections
from django.db.utils import load_backend
from django.http import HttpRequest, parse_cookie
from django.http.request import split_domain_port, validate_host
from rest_framework.utils.encoders import JSONEncoder

from tables import access, live
from tables.queries import floor as queries
from tables.queries.people import author_of_user

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Pits = frozenset[int] | None
T = TypeVar("T")

DEED: Final = "read.floor"
PATH: Final = "/live/floor"
HEALTH: Final = "/live/health"
READ_EVERY: Final = 0.05
SWEEP_EVERY: Final = 1.0
BEAT_EVERY: Final = 3.0
# What no journal says (a console that fell silent, a pace, a dealer's hours) is found by reading every table anew, some
# of them at each sweep.
ROUND_SWEEPS: Final = 10
# What moves a casino's journal alone (who signs on) is rare, and may touch any tile.
WHOLE_EVERY: Final = 5.0
LOOK_AGAIN_EVERY: Final = 30.0  # whether who looks on still may
NOT_HEARD_AFTER: Final = 5.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tile:
    """A table as it was read last, and as it is sent."""

    table: queries.FloorTable
    text: str

    @classmethod
    def of(cls, table: queries.FloorTable) -> "Tile":
        """Write a table down, once for all who look on."""
        return cls(table, _json(asdict(table)))


@dataclass(eq=False, slots=True)
class Viewer:
    """Somebody who looks on, and what he has not been sent yet. However slow he is, that is one floor at most."""

    session: str
    pits: Pits
    whole: bool = True
    moved: set[int] = field(default_factory=set)
    beat: bool = False
    gone: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)


def may_look(session: str) -> tuple[bool, bool, Pits]:
    """Say whether a session is somebody's, whether he may see a floor, and in which pits (None: all)."""
    request = HttpRequest()
    request.session = SessionStore(session)
    author = author_of_user(get_user(request).pk)
    if author is None:
        return False, False, frozenset()
    if not access.may_somewhere(author, DEED):
        return True, False, frozenset()
    return True, True, access.pits(author, DEED)


class FloorStream:
    """An ASGI application: the floor as it was read last, and all who look on."""

    def __init__(self) -> None:
        self.tiles: dict[int, Tile] = {}
        self.known = False  # until the floor has been read once; it may be empty
        self.casinos: dict[int, int] = {}
        self.viewers: set[Viewer] = set()
        self.at = datetime.now(UTC)
        self._heard = 0.0
        self._whole = True
        self._whole_at = 0.0
        self._sweeps = 0
        self._moved: set[int] = set()
        self._wanted = asyncio.Event()
        self._composed: dict[tuple[Pits, frozenset[int] | None], bytes] = {}
        self._reader = ThreadPoolExecutor(1, "reader", _connect)  # one thread, hence one connection

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    # -- what is known of the floor

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        tasks = [
            asyncio.create_task(self._forever(task)) for task in (self._listen, self._read, self._sweep, self._ask)
        ]
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._in_thread(lambda: connection.close())
        self._reader.shutdown()
        await send({"type": "lifespan.shutdown.complete"})

    async def _forever(self, task: Callable[[], Awaitable[None]]) -> None:
        """Begin a task again after whatever ended it: the database may be away for an hour."""
        while True:
            try:
                await task()
            except (psycopg.Error, OSError) as error:
                log.warning("%s: %s", task.__name__, str(error).strip())
            except Exception:
                log.exception("%s", task.__name__)
            await asyncio.sleep(SWEEP_EVERY)

    async def _listen(self) -> None:
        async with await psycopg.AsyncConnection.connect(**_database(), autocommit=True) as listening:
            await listening.execute(f"LISTEN {live.CHANNEL}")
            self._whole = True  # whatever was told meanwhile, nobody heard
            self._wanted.set()
            async for notification in listening.notifies():
                # Read also where the sequence is known: a correction that waits moves the floor and no journal.
                self._want(live.heads_of(notification.payload))

    def _want(self, table_ids: Iterable[int]) -> None:
        self._moved.update(table_ids)
        if self._moved:
            self._wanted.set()

    async def _sweep(self) -> None:
        """Compare the journals' heads with what was read, table by table."""
        beat_at = 0.0
        while True:
            heads = await self._in_thread(queries.heads)
            now = time.monotonic()
            self._heard, self.at = now, datetime.now(UTC)
            self._want(
                table_id
                for table_id, (_pit, sequence) in heads.tables.items()
                if table_id not in self.tiles or self.tiles[table_id].table.sequence < sequence
            )
            self._sweeps += 1
            self._want(sorted(self.tiles)[self._sweeps % ROUND_SWEEPS :: ROUND_SWEEPS])
            pits = {table_id: pit for table_id, (pit, _sequence) in heads.tables.items()}
            others = pits != {table_id: tile.table.pit_id for table_id, tile in self.tiles.items()}
            if others or (heads.casinos != self.casinos and now - self._whole_at > WHOLE_EVERY):
                self._whole, self.casinos = True, heads.casinos
                self._wanted.set()
            if now - beat_at > BEAT_EVERY:
                beat_at = now
                for viewer in self.viewers:
                    viewer.beat = True
                    viewer.woken.set()
            await asyncio.sleep(SWEEP_EVERY)

    async def _read(self) -> None:
        """Read what moved, all of it at once, and hand it out."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            began = time.monotonic()
            moved, self._moved = self._moved, set()
            whole, self._whole = self._whole, False
            try:
                at, read = await self._in_thread(lambda: _read(None if whole else list(moved)))  # noqa: B023 # awaited
            except BaseException:
                self._whole = True
                self._wanted.set()
                raise
            self.at, self._heard = at, began
            if whole:
                self._whole_at = began
            changed = {
                table_id
                for table_id, tile in read.items()
                if table_id not in self.tiles or self.tiles[table_id].text != tile.text
            }
            # Another set of tables, or a table in another pit: everybody begins anew.
            tiles = read if whole else {**self.tiles, **read}
            others = _where(tiles) != _where(self.tiles) or not self.known
            self.tiles, self.known = tiles, self.known or whole
            self._composed.clear()
            for viewer in self.viewers:
                viewer.whole = viewer.whole or others
                viewer.moved |= changed
                if changed or others:
                    viewer.woken.set()
            await asyncio.sleep(max(0.0, READ_EVERY - (time.monotonic() - began)))

    async def _ask(self) -> None:
        """Ask again whether who looks on still may: a log-out or a dismissal ends his stream."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_EVERY)
            for session in {viewer.session for viewer in self.viewers}:
                _known, may, pits = await self._in_thread(lambda: may_look(session))  # noqa: B023 # awaited at once
                for viewer in self.viewers:
                    if viewer.session == session and (not may or viewer.pits != pits):
                        viewer.gone = True
                        viewer.woken.set()

    async def _in_thread(self, deed: Callable[[], T]) -> T:
        def ask() -> T:
            try:
                return deed()
            except BaseException:
                connection.close()  # whatever it was: the next one begins with another
                raise

        return await asyncio.get_running_loop().run_in_executor(self._reader, ask)

    def heard(self) -> bool:
        """Say whether the record has been read lately."""
        return self.known and time.monotonic() - self._heard < NOT_HEARD_AFTER

    # -- those who look on

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
            await _refuse(send, 400)
        elif scope["path"] == HEALTH:
            await _refuse(send, 200 if self.heard() else 503)
        elif scope["path"] != PATH:
            await _refuse(send, 404)
        elif scope["method"] != "GET":
            await _refuse(send, 405)
        else:
            allowed = _origin(headers.get("origin", ""), host)
            session = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME, "")
            known, may, pits = await self._in_thread(lambda: may_look(session))
            if not may:
                await _refuse(send, 403 if known else 401, allowed)
            else:
                await self._stream(Viewer(session, pits), allowed, receive, send)

    async def _stream(self, viewer: Viewer, allowed: list[tuple[bytes, bytes]], receive: Receive, send: Send) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"text/event-stream; charset=utf-8"),
                    (b"cache-control", b"no-store"),
                    (b"x-accel-buffering", b"no"),  # nginx hands it on as it comes
                    *allowed,
                ],
            }
        )
        leaving = asyncio.create_task(_until_gone(viewer, receive))
        self.viewers.add(viewer)
        viewer.woken.set()
        try:
            while not viewer.gone:
                await viewer.woken.wait()
                viewer.woken.clear()
                if body := self._due(viewer):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
        except asyncio.CancelledError:
            return  # this process ends; the page asks by itself until there is another
        finally:
            self.viewers.discard(viewer)
            leaving.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _due(self, viewer: Viewer) -> bytes:
        """Take what a viewer is to be sent now; nothing where the floor has not been read yet."""
        if not self.known:
            return b""
        whole, moved, beat = viewer.whole, frozenset(viewer.moved), viewer.beat
        viewer.whole, viewer.moved, viewer.beat = False, set(), False
        if whole or moved:
            return self._composed_for(viewer.pits, None if whole else moved)
        return _event("beat", self.at, ()) if beat else b""

    def _composed_for(self, pits: Pits, moved: frozenset[int] | None) -> bytes:
        """Compose what all with the same pits are sent, once."""
        key = (pits, moved)
        if key not in self._composed:
            seen = [tile for tile in self.tiles.values() if pits is None or tile.table.pit_id in pits]
            texts = [tile.text for tile in seen if moved is None or tile.table.id in moved]
            totals = queries.Totals.of([tile.table for tile in seen])
            self._composed[key] = _event("floor" if moved is None else "tiles", self.at, texts, totals)
        return self._composed[key]


def _connect() -> None:
    """Give this thread a connection of its own, kept as long as it lives, on which every statement is prepared.

    A tile is some twenty statements, always the same; planning them anew each time is most of what they cost.
    """
    settings_of = deepcopy(connections.settings["default"])
    settings_of["OPTIONS"].pop("pool", None)
    settings_of["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": 0}
    settings_of |= {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": False}
    connections["default"] = load_backend(settings_of["ENGINE"]).DatabaseWrapper(settings_of, "default")


def _read(table_ids: list[int] | None) -> tuple[datetime, dict[int, Tile]]:
    floor = queries.floor(table_ids=table_ids)
    return floor.at, {table.id: Tile.of(table) for table in floor.tables}


def _where(tiles: dict[int, Tile]) -> set[tuple[int, int | None]]:
    return {(table_id, tile.table.pit_id) for table_id, tile in tiles.items()}


def _json(value: object) -> str:
    return json.dumps(value, cls=JSONEncoder)


def _event(name: str, at: datetime, tables: Iterable[str], totals: queries.Totals | None = None) -> bytes:
    sums = "" if totals is None else f', "totals": {_json(asdict(totals))}'
    return f'event: {name}\ndata: {{"at": {_json(at)}, "tables": [{", ".join(tables)}]{sums}}}\n\n'.encode()


async def _until_gone(viewer: Viewer, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    viewer.gone = True
    viewer.woken.set()


async def _refuse(send: Send, status: int, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    """Answer with a status and nothing else."""
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0"), *headers]})
    await send({"type": "http.response.body", "body": b""})


def _origin(origin: str, host: str) -> list[tuple[bytes, bytes]]:
    """Let our own pages read a stream that is served beside them, at another port of the same host; nobody else's."""
    own = f"{split_domain_port(host)[0]}:{urlsplit(settings.SITE_URL).port}"
    if not settings.LIVE_PORT or urlsplit(origin).netloc != own:
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-credentials", b"true"),
        (b"vary", b"origin"),
    ]


def _database() -> dict[str, Any]:
    """Say where the database is, as psycopg wants it."""
    found: dict[str, Any] = settings.DATABASES["default"]
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given: dict[str, Any] = found.get("OPTIONS", {})
    options = {name: value for name, value in given.items() if name != "pool"}
    return {**options, **{name: found[key] for name, key in names.items() if found.get(key)}}
