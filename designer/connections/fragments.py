"""Contexts of the connections page."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User

from designer.connections.actions import agents_asking
from designer.core import environment_connections
from designer.models import Connection
from designer.models.connection import host_of
from orchestration.providers import VENDORS, default_address


@dataclass(frozen=True, slots=True)
class Own:
    """A connection of the person's, and how many agents ask it."""

    row: Connection
    asking: int
    fault: str
    """Why it cannot be used; empty: it can."""


@dataclass(frozen=True, slots=True)
class OfEnvironment:
    """A connection that the server was started with."""

    name: str
    place: str
    model: str
    variables: tuple[str, ...]
    """The variables that are set; values are never shown."""
    is_default: bool
    """True if it answers agents that name no other provider."""
    is_hidden: bool
    """True if a connection of the user has the same name."""


def listed(user: User) -> list[Own]:
    """The person's connections, in the order of their names."""
    asking = agents_asking(user.pk)
    rows = Connection.objects.of(user)
    return [Own(row, asking[row.name], row.value().fault) for row in rows]


def of_environment(own: Collection[str]) -> list[OfEnvironment]:
    """The connections of the environment; `own` are the names of the person's."""
    found = environment_connections()
    first = next(iter(found), "")
    return [
        OfEnvironment(
            name=name,
            place=host_of(connection.base_url or default_address(name)),
            model=connection.model,
            variables=tuple(
                variable
                for part in ("API_KEY", "BASE_URL", "MODEL")
                if os.environ.get(variable := f"{VENDORS[name].prefix}_{part}")
            ),
            is_default=name == first and "default" not in own,
            is_hidden=name in own,
        )
        for name, connection in found.items()
    ]
