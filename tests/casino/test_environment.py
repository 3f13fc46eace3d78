"""Settings come from the environment, then from the run directory's file, and secrets have no default."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from casino import environment
from casino.environment import Environment

ROOT = Path(__file__).resolve().parents[2]


def test_a_misspelt_switch_is_refused_and_does_not_mean_off():
    with pytest.raises(ValueError, match="HTTPS must be 0 or 1, not 'off'"):
        Environment({"HTTPS": "off"}).flag("HTTPS", default=True)


def test_a_secret_is_read_from_the_file_that_is_named_and_is_empty_otherwise(tmp_path):
    (tmp_path / "key").write_text("from the file\n")
    assert Environment({"PIN_KEY_FILE": str(tmp_path / "key")}).secret("PIN_KEY") == "from the file"
    assert Environment({}).secret("PIN_KEY") == ""


def test_the_run_directorys_file_leads_to_the_running_floor_and_the_shell_overrides_it(tmp_path, monkeypatch):
    (tmp_path / "environment").write_text("# a comment=1\nDATABASE_URL=postgres://floor/casino\nLOG_LEVEL=INFO\n")
    monkeypatch.setenv("RUN_DIR", str(tmp_path))
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    monkeypatch.delenv("DATABASE_URL", raising=False)
    env = environment.load(ROOT)
    assert (env.text("DATABASE_URL", ""), env.text("LOG_LEVEL", "")) == ("postgres://floor/casino", "ERROR")


def test_who_names_a_database_of_his_own_gets_nothing_of_the_embedded_floor(tmp_path, monkeypatch):
    (tmp_path / "environment").write_text("CELERY_BROKER_URL=pgmq://embedded/broker\n")
    monkeypatch.setenv("RUN_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", "postgres://house/casino")
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)
    assert environment.load(ROOT).text("CELERY_BROKER_URL", "none") == "none"


def test_without_a_secret_key_the_service_refuses_to_sign():
    bare = {"PATH": os.environ["PATH"], "RUN_DIR": "/nonexistent", "DJANGO_SETTINGS_MODULE": "casino.settings"}
    asked = subprocess.run(
        [sys.executable, "-c", "from django.core import signing; signing.dumps('x')"],
        cwd=ROOT, env=bare, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert asked.stderr.splitlines()[-1] == (
        "django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty."
    )
