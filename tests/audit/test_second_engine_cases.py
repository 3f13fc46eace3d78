"""The second engine says of every example log what its case says: from the facts, without replaying an event."""

import json
from pathlib import Path

import pytest

from tests.audit.facts_of_log import printed

CASES = sorted((Path(__file__).parent.parent / "cases").glob("*.jsonl"))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_case_comes_to_the_same_settlements_set_wise(case: Path) -> None:
    refusal = case.with_suffix(".err")
    lines = case.read_text(encoding="utf-8").splitlines()
    if refusal.exists():
        lines = lines[: json.loads(refusal.read_text(encoding="utf-8"))["line"] - 1]
    settled = map(json.loads, case.with_suffix(".out").read_text(encoding="utf-8").splitlines())
    expected = [line for line in settled if line.get("type") != "summary"]
    for line in expected:
        line.pop("corrected", None)
    assert printed(json.loads(line) for line in lines if line.strip()) == expected
