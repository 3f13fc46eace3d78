"""Makes a PostgreSQL database a broker: the pgmq functions, by plain SQL, without an extension."""

import psycopg
from pgmq.install import get_embedded_install_sql


def install(url: str) -> None:
    """Install pgmq in the database that a pgmq:// address names, unless it is there."""
    with psycopg.connect("postgresql:" + url.removeprefix("pgmq:")) as connection:
        # Two that start at the same moment must not both install.
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('pgmq'))")
        if connection.execute("SELECT to_regclass('pgmq.meta')").fetchone() == (None,):
            connection.execute(get_embedded_install_sql())
