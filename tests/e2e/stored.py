"""Changes of stored rows while a server runs, without the start of another process."""

import sqlite3
from contextlib import closing

from tests.serving import BatonServer

BUSY_SECONDS = 20


def change_rows(server: BatonServer, statement: str, *values: str) -> None:
    """Execute a statement that changes exactly one row of the server's database."""
    path = server.data_dir / "baton.sqlite3"
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as database, database:
        changed = database.execute(statement, values).rowcount
    assert changed == 1, statement
