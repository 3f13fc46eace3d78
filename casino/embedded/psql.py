"""Opens psql on the running service's database, as the superuser of the embedded server."""

import os
import sys
from pathlib import Path

from casino import environment


def main() -> None:
    env = environment.load(Path(__file__).resolve().parent.parent.parent)
    url = env.text("DATABASE_SUPERUSER_URL", env.text("DATABASE_OWNER_URL", env.text("DATABASE_URL", "")))
    if not url:
        sys.exit("./run psql: no floor is known here; start one with ./run")
    program = Path(env.text("POSTGRES_BIN", "")) / "psql"
    name = str(program) if program.exists() else "psql"
    os.execvp(name, ["psql", url, *sys.argv[1:]])  # noqa: S606 # replaces this process, by design


if __name__ == "__main__":
    main()
