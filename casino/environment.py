"""Where settings come from: the process environment, then the run directory's file. Never a default secret.

`./run` writes the addresses and key files of its embedded servers into RUN_DIR/environment, so that
`manage.py` in another shell finds the floor that is running.
"""

import os
from dataclasses import dataclass
from pathlib import Path

FILE_NAME = "environment"


def run_dir(base_dir: Path) -> Path:
    """Return the directory of everything a running service keeps: RUN_DIR, or .run in the clone."""
    return Path(os.environ.get("RUN_DIR") or base_dir / ".run").absolute()


def parse(text: str) -> dict[str, str]:
    """Read lines of NAME=value; no quoting, no expansion; `#` starts a comment line."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith("#"):
            values[name.strip()] = value.strip()
    return values


@dataclass(frozen=True, slots=True)
class Environment:
    """Named values as text, each read with the kind its user expects."""

    values: dict[str, str]

    def text(self, name: str, default: str) -> str:
        return self.values.get(name) or default

    def flag(self, name: str, *, default: bool) -> bool:
        """`1` is on, `0` is off, anything else is refused: a misspelt switch must not mean "off"."""
        value = self.values.get(name, "")
        if value not in {"", "0", "1"}:
            raise ValueError(f"{name} must be 0 or 1, not {value!r}")
        return default if value == "" else value == "1"

    def number(self, name: str, default: int) -> int:
        return int(self.values.get(name) or default)

    def words(self, name: str, default: str) -> list[str]:
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def path(self, name: str, default: Path) -> Path:
        return Path(self.values.get(name) or default)

    def secret(self, name: str) -> str:
        """Return the secret itself, or the content of the file that NAME_FILE names, or nothing."""
        if value := self.values.get(name):
            return value
        file = self.values.get(f"{name}_FILE")
        return Path(file).read_text(encoding="utf-8").strip() if file else ""


def load(base_dir: Path) -> Environment:
    """Return the process environment over the run directory's file.

    The file counts only while DATABASE_URL is unset: who names a database of his own must not get
    the embedded server's broker or keys beside it.
    """
    file = run_dir(base_dir) / FILE_NAME
    if os.environ.get("DATABASE_URL") or not os.access(file, os.R_OK):
        return Environment(dict(os.environ))
    return Environment({**parse(file.read_text(encoding="utf-8")), **os.environ})


def commit(base_dir: Path) -> str:
    """Return the first eight digits of the clone's commit, or nothing outside a clone. Starts no program."""
    git = base_dir / ".git"
    try:
        if git.is_file():  # a worktree: the file names the directory
            git = Path(git.read_text(encoding="utf-8").partition(":")[2].strip())
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref: "):
            return head[:8]
        name = head.removeprefix("ref: ")
        shared = git / "commondir"
        top = (git / shared.read_text(encoding="utf-8").strip()) if shared.exists() else git
        loose = top / name
        if loose.exists():
            return loose.read_text(encoding="utf-8").strip()[:8]
        for line in (top / "packed-refs").read_text(encoding="utf-8").splitlines():
            if line.endswith(f" {name}"):
                return line[:8]
    except OSError:
        pass
    return ""
