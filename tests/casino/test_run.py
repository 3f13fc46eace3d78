"""`./run` is POSIX sh: it must read the same in every shell, and say what it cannot do."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", str(ROOT / "run"), *arguments],
        env=os.environ | variables, capture_output=True, text=True, check=False, cwd="/",
    )  # fmt: skip


def test_an_unknown_command_is_answered_with_the_known_ones():
    refused = run("fly")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == run("help").stdout
    assert [line.split()[1] for line in refused.stderr.splitlines() if line.startswith("./run ")][1:] == [
        "setup", "demo", "test", "endure", "check", "bench", "manage", "psql",
    ]  # fmt: skip


def test_demo_without_a_floor_says_how_to_start_one(tmp_path):
    refused = run("demo", RUN_DIR=str(tmp_path))
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == "./run: no floor runs here; start one with ./run"


def test_no_python_that_is_new_enough_is_said_before_anything_is_made(tmp_path):
    (tmp_path / "casino" / "embedded").mkdir(parents=True)
    for name in ("run", "requirements.txt", "constraints.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    old = tmp_path / "bin"
    old.mkdir()
    for name in ("cat", "cksum", "dirname", "rm"):
        (old / name).symlink_to(Path("/usr/bin") / name)
    (old / "python3").write_text("#!/bin/sh\nexit 1\n")
    (old / "python3").chmod(0o755)
    refused = subprocess.run(
        ["/bin/sh", tmp_path / "run", "setup"],
        env={"PATH": str(old)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == (
        "./run: needs Python 3.11 or newer with its venv module (apt-get install python3 python3-venv)"
    )
    assert not (tmp_path / ".venv").exists()
