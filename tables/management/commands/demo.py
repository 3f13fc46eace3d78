"""`manage.py demo`: play at the demonstration's tables through the public API until stopped."""

import http.client
import json
import logging
import os
import signal
import ssl
import threading
from argparse import ArgumentParser
from random import Random
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.utils import timezone

from tables import access
from tables.actions import people
from tables.demonstration import house
from tables.demonstration.evening import Call, Evening, Rota, SomebodyElseError, UnexpectedAnswerError
from tables.models import Casino, Device, Table

log = logging.getLogger(__name__)

_AGAIN_SECONDS = 5.0


class Command(BaseCommand):
    help = "Play real-looking deals at the tables of the demonstration house until stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--url", default=f"http://127.0.0.1:{os.environ.get('PORT', '8000')}", help="where the service answers"
        )
        parser.add_argument("--speed", type=float, default=1.0, help="2 plays twice as fast, 0.5 half as fast")
        parser.add_argument("--table", action="append", help="play at this table only (may be given again)")
        parser.add_argument("--dice", type=int, default=None, help="a number that fixes the dice")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["speed"] <= 0:
            raise CommandError("--speed is above zero")
        wanted = options["table"] or [str(line["table"]) for line in house.TABLES]
        tokens = {table: _device(table) for table in wanted}
        connection.close()  # from here on it knows the service from outside
        stopped = threading.Event()
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, lambda _signal, _frame: stopped.set())
        rota = Rota(person for person in house.PEOPLE if person.role == access.DEALER)
        inspectors = [person for person in house.PEOPLE if person.role == access.INSPECTOR]
        players = []
        for number, (table, (device, token)) in enumerate(tokens.items()):
            dice = Random(f"{options['dice']}-{table}" if options["dice"] is not None else None)  # noqa: S311 # play
            evening = Evening(
                caller(options["url"], token),
                table=table,
                device=device,
                rota=rota,
                inspector=inspectors[number % len(inspectors)],
                random=dice,
                sleep=lambda seconds: stopped.wait(seconds / options["speed"]),
            )
            players.append(threading.Thread(target=_play, args=(evening, stopped), name=table, daemon=True))
        self.stdout.write(f"Playing at {', '.join(tokens)} through {options['url']}; Ctrl-C stops.")
        for player in players:
            player.start()
        stopped.wait()
        for player in players:
            player.join(timeout=_AGAIN_SECONDS)


def _play(evening: Evening, stopped: threading.Event) -> None:
    """Play until stopped. What the service does not take is no reason to leave the table."""
    while not stopped.is_set():
        try:
            evening.step()
        except SomebodyElseError:
            stopped.wait(_AGAIN_SECONDS)
        except (OSError, http.client.HTTPException, ValueError, UnexpectedAnswerError) as trouble:
            log.warning("%s: %s; again in %.0f s", evening.table, trouble, _AGAIN_SECONDS)
            evening.forget()
            stopped.wait(_AGAIN_SECONDS)


def _device(code: str) -> tuple[str, str]:
    """Give the croupiers' device of a table its token for tonight."""
    table = Table.objects.filter(code=code, casino__demonstration=True).first()
    if table is None:
        known = Casino.objects.filter(demonstration=True).exists()
        told = f"There is no table {code} here." if known else "There is no demonstration house: manage.py seed"
        raise CommandError(told)
    with transaction.atomic():
        issued = people.issue_device_token(
            casino_id=table.casino_id,
            kind=Device.Kind.CONSOLE,
            table_id=table.pk,
            code=f"croupier-{code}",
            by=None,
            now=timezone.now(),
        )
    return issued.code, issued.token


def caller(url: str, token: str) -> Call:
    """Make a caller of the API that keeps one connection and speaks as this device."""
    address = urlsplit(url)
    assert address.hostname is not None, "an address has a host"
    held = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    if address.scheme == "https":
        trusted = ssl.create_default_context()
        if settings.TLS_AUTHORITY_FILE:
            trusted.load_verify_locations(settings.TLS_AUTHORITY_FILE)
        held = http.client.HTTPSConnection(address.hostname, address.port, timeout=30, context=trusted)
    headers = {"Authorization": f"Device {token}", "Content-Type": "application/json"}

    def call(method: str, path: str, body: Any) -> tuple[int, Any]:
        try:
            held.request(method, path, None if body is None else json.dumps(body), headers)
            answer = held.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            held.close()
            raise
        return answer.status, json.loads(text) if text else None

    return call
