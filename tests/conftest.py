"""What every test may ask for, and which kinds of test there are (markers in pyproject.toml)."""

import gc
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pgtrigger
import psycopg
import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import post_migrate
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, Page, sync_playwright
from pytest_django import DjangoDbBlocker

from casino.embedded import broker as pgmq
from casino.embedded import messages

# How fast examples are made says something about the machine and what else it does, and nothing about the floor.
settings.register_profile("floor", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("floor")

# Without its windows first: a whole browser makes two pages of its own for each that a test opens, most of the work.
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DOWNLOADED = ("chromium_headless_shell-*/*/*headless*shell", "chromium-*/chrome-linux*/chrome")
NO_CHROMIUM = "no Chromium here: browser tests did NOT run (install chromium, or name one in CHROMIUM)"


def chromium() -> str | None:
    """Return the path of a Chromium: CHROMIUM, the system's, or one that Playwright downloaded."""
    if named := os.environ.get("CHROMIUM"):
        return named
    for name in CHROMIUM_NAMES:
        if found := shutil.which(name):
            return found
    cache = Path.home() / ".cache/ms-playwright"
    return next((str(found) for pattern in DOWNLOADED for found in sorted(cache.glob(pattern), reverse=True)), None)


def pytest_configure() -> None:
    messages.compile_all(Path(__file__).resolve().parent.parent)


def pytest_collection_finish() -> None:
    """Let the collector of garbage never look again at what was imported: that lives as long as the tests do."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark by need: who asks for the database is `sql`, who asks for a page is `browser`.

    Before all others, for `-m` chooses by these marks; and after all others, for an order is to be the last word.
    """
    for item in items:
        wants = set(getattr(item, "fixturenames", ()))
        if wants & {"db", "transactional_db", "live_server"} or item.get_closest_marker("django_db"):
            item.add_marker("sql")
        if "browser" in wants:
            item.add_marker("browser")
    yield
    # Nobody waits at the end for the one worker that began a long test last.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Make the database from the models, with their guards: twenty seconds less than by migrations.

    That migrations make the same one is for tests/casino/test_migrations.py. What Django fills in after each migration,
    and after each flush, is there for good (tests/database).
    """
    with django_db_blocker.unblock():
        pgtrigger.install()
        MigrationRecorder(connection).ensure_schema()  # which the service may read
    post_migrate.receivers = []


@pytest.fixture(autouse=True)
def own_process() -> None:
    """What a thread remembers between requests does not outlive a test: its language.

    Tables' ledgers stay, as they do in a service whose database is rolled back or replaced under it.
    """
    from django.utils import translation

    translation.activate("en")


@pytest.fixture(scope="session")
def broker_url() -> Iterator[str]:
    """The broker that CELERY_BROKER_URL names, or a pgmq in a database made for these tests."""
    url = os.environ.get("CELERY_BROKER_URL", "")
    if url:
        if url.startswith("pgmq:"):
            pgmq.install(url)
        yield url
        return
    server = os.environ.get("DATABASE_OWNER_URL") or os.environ["DATABASE_URL"]
    name = f"test_broker_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        url = urlsplit(server)._replace(scheme="pgmq", path=f"/{name}").geturl()
        pgmq.install(url)
        yield url
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium for the whole session; each test opens its own context (or asks for `page`)."""
    executable = chromium()
    if executable is None:
        if os.environ.get("CI"):
            pytest.fail(NO_CHROMIUM)
        pytest.skip(NO_CHROMIUM)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page at the size of a dealer's tablet, in a context of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    opened = context.new_page()
    yield opened
    context.close()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    left_out = [report for report in terminalreporter.stats.get("skipped", []) if NO_CHROMIUM in str(report.longrepr)]
    if left_out:
        terminalreporter.section("BROWSER TESTS DID NOT RUN", sep="!", red=True, bold=True)
        terminalreporter.line(f"{len(left_out)} left out: {NO_CHROMIUM}")
