"""The example logs that everybody tests against: each gives exactly its settlements, or its refusal."""

import json
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
