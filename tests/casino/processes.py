"""What the tests of whole services ask of processes and the clock."""

import time
from collections.abc import Callable
from pathlib import Path

# Long enough for a machine that is busy with everything else.
WAIT_SECONDS = 300


def wait_for(happens: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not happens():
        assert time.monotonic() < deadline, f"waited {WAIT_SECONDS} s in vain for {what}"
        time.sleep(0.05)


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def is_alive(pid: int) -> bool:
    """Say whether the process runs; one that ended and was not fetched yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def command(pid: int) -> str:
    """Return the process's command line; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def family(pid: int) -> dict[int, str]:
    """Return every descendant of the process with its command line."""
    found: dict[int, str] = {}
    for child in children(pid):
        found |= {child: command(child)} | family(child)
    return found
