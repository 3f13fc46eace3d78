"""One floor for all tests of whole services: it takes long to start."""

from collections.abc import Iterator

import pytest

from tests.casino.floors import Floor


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """A floor for tablets of the local network, over TLS; each test leaves it running."""
    made = Floor(tmp_path_factory.mktemp("floor") / "run", HTTPS="1", HOST="0.0.0.0")
    try:
        made.start()
        yield made
    finally:
        made.end()
