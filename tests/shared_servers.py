"""Servers that many tests share."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.prepared import PEOPLE, Prepared, prepare_people
from tests.serving import BatonServer


class SharedServers:
    """Servers that many tests share: one for each environment."""

    def __init__(self, folder: Path, prepared: Prepared) -> None:
        self._folder = folder
        self._prepared = prepared
        self._servers: dict[tuple[object, ...], BatonServer] = {}
        self._people: dict[tuple[object, ...], dict[bool, list[str]]] = {}
        self._number = sum(PEOPLE.values())

    def visit(
        self, *, environment: Mapping[str, str] | None = None, samples: bool = False
    ) -> BatonServer:
        """Return a running server with a new signed-in user."""
        key = tuple(sorted((environment or {}).items()))
        if key not in self._servers:
            folder = self._folder / f"server-{len(self._servers)}"
            server = BatonServer(
                folder, static_root=self._prepared.static_root, environment=environment
            )
            self._servers[key], self._people[key] = server, self._prepared.people()
            shutil.copytree(self._prepared.data_with_users, server.data_dir)
            server.start()
        server = self._servers[key]
        assert server.port, "this server could not be started for an earlier test"
        people = self._people[key][samples]
        if not people:
            count = PEOPLE[samples]
            people += prepare_people(server.environment, self._number, count, samples=samples)
            self._number += count
        username, session, token = people.pop(0).split()
        return server.visited_by(username, session, token)

    def stop(self) -> list[str]:
        """Stop all servers; return their errors."""
        running = [server for server in self._servers.values() if server.port]
        visits = [server.visited_by("", "") for server in running]
        for server in running:
            server.stop()
        return [errors for server in visits if (errors := server.errors())]
