"""The example logs that everybody tests against: each gives exactly its settlements, or its refusal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tables import tablelog

CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.jsonl"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_log_settles_as_its_case_says(case: Path) -> None:
    settled = list(tablelog.settle(tablelog.lines(case.read_text(encoding="utf-8"))))
    last = settled[-1]
    stopped = last.as_object() if isinstance(last, tablelog.Stopped) else None
    if stopped:
        settled.pop()
    refusal = case.with_suffix(".err")
    expected = json.loads(refusal.read_text(encoding="utf-8")) if refusal.exists() else None
    assert settled == [json.loads(line) for line in case.with_suffix(".out").read_text(encoding="utf-8").splitlines()]
    assert (stopped and {key: stopped[key] for key in ("line", "code")}) == expected


def test_output_that_cannot_be_written_is_no_verdict_on_a_log() -> None:
    """Exit status 1 would say that a line was refused."""
    root = Path(__file__).resolve().parents[2]
    log = next(case for case in CASES if not case.with_suffix(".err").exists())
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "manage.py", "settle", str(log)], cwd=root, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (ended.returncode, ended.stderr) == (2, "settle: [Errno 28] No space left on device\n")
