"""Contexts of the connections page."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User

from designer.connections.actions import ConnectionUses, connection_uses
from designer.core import environment_connections, natural_key
from designer.models import Connection, host_of
from orchestration.providers import VENDORS, default_address


@dataclass(frozen=True, slots=True)
class OwnConnection:
    """A connection of the user, with the number of agents that use it."""

    row: Connection
    uses: ConnectionUses
    fault: str
    """Error that prevents its use; empty if there is none."""


@dataclass(frozen=True, slots=True)
class EnvironmentConnection:
    """A connection from the environment of the server."""

    name: str
    place: str
    model: str
    variables: tuple[str, ...]
    """Names of the variables that are set; values are never shown."""
    is_default: bool
    """True if it is used by agents without another provider."""
    is_hidden: bool
    """True if a connection of the user has the same name."""


def own_connections(user: User) -> list[OwnConnection]:
    """Return the user's connections, ordered by name."""
    uses = connection_uses(user.pk)
    rows = sorted(Connection.objects.of(user), key=lambda row: natural_key(row.name))
    return [OwnConnection(row, uses[row.name], row.value().fault) for row in rows]


def connections_of_environment(own_names: Collection[str]) -> list[EnvironmentConnection]:
    """Return the connections of the environment; `own_names` are those of the user."""
    available = environment_connections()
    first = next(iter(available), "")
    return [
        EnvironmentConnection(
            name=name,
            place=host_of(connection.base_url or default_address(name)),
            model=connection.model,
            variables=tuple(
                variable
                for part in ("API_KEY", "BASE_URL", "MODEL")
                if os.environ.get(variable := f"{VENDORS[name].prefix}_{part}")
            ),
            is_default=name == first and "default" not in own_names,
            is_hidden=name in own_names,
        )
        for name, connection in available.items()
    ]
