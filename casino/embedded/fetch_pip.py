"""Gets pip into a .venv from the package index, where neither ensurepip nor any pip is on the machine.

Standard library alone, since there is nothing else yet. Used by ./run as the last way.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from urllib.parse import urljoin

VERSION = "26.3"
FILE = f"pip-{VERSION}-py3-none-any.whl"
SHA256 = "f3b60b20ffaadd4415ed7957212a38ac63fa4c5fa375bd0f4a797777940fad13"
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple")


def fetch() -> bytes:
    """Return the wheel of the pinned version.

    Raises: ValueError where the index has it not, or with another content.
    """
    page = f"{INDEX.rstrip('/')}/pip/"
    request = urllib.request.Request(page, headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        files = json.load(answer)["files"]
    address = next((file["url"] for file in files if file["filename"] == FILE), None)
    if address is None:
        raise ValueError(f"{page} has no {FILE}")
    with urllib.request.urlopen(urljoin(page, address), timeout=60) as answer:
        wheel: bytes = answer.read()
    if hashlib.sha256(wheel).hexdigest() != SHA256:
        raise ValueError(f"{FILE} is not the file that was pinned")
    return wheel


def main(venv: str) -> None:
    wheel = fetch()
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / FILE
        file.write_bytes(wheel)
        python = Path(venv) / "bin" / "python"
        subprocess.run([python, f"{file}/pip", "install", "-q", "--no-index", file], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
