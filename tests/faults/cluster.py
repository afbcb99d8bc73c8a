"""Cluster on this machine for testing: PostgreSQL, Valkey, two servers and three workers."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.services import running_services
from tests.prepared import Prepared


def main() -> int:
    """Run a cluster with new data until Ctrl-C or SIGTERM."""
    parser = argparse.ArgumentParser(prog="scripts/cluster", description=__doc__)
    parser.add_argument("--workers", type=int, default=3, help="number of workers (3)")
    options = parser.parse_args()
    stops = {signal.SIGINT, signal.SIGTERM}
    with TemporaryDirectory(prefix="baton-cluster-") as name:
        folder = Path(name)
        static_root = Prepared(folder, folder / "own").static_root
        with running_services(
            folder, static_root, {}, workers=options.workers, samples=True
        ) as services:
            _say(f"Database: {services.database_url}")
            _say(f"Valkey:   {services.valkey.connection_url}")
            for server in services.servers:
                _say(f"Server {server.pid}: {server.sign_in_url()}")
            for worker in services.workers:
                _say(f"Worker {worker.pid}: {worker.log}")
            _say("Press Ctrl-C to stop. The data is deleted then.")
            signal.pthread_sigmask(signal.SIG_BLOCK, stops)  # and a second one during the end
            signal.sigwait(stops)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
