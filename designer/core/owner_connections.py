"""Connections of a pipeline's owner, as values without Django."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from httpx import AsyncBaseTransport

from designer.models import MODEL_KINDS, ConnectionQuerySet
from designer.models import Connection as Row
from orchestration.network import ConnectionSettings, guarded_transport
from orchestration.providers import VendorClient, connections_from_environment, provider_of

MAX_OFFERED = 300
"""Maximum number of models of a provider on a page."""


def connection_for(owner_id: int, name: str) -> ConnectionSettings | None:
    """Return an owner's connection by its name; None if it does not exist."""
    row = Row.objects.filter(owner=owner_id, name=name).first()
    return row.value() if row is not None else None


def connection_in(conversation_id: int, name: str) -> ConnectionSettings | None:
    """Return a connection by its name, of the owner of a conversation's pipeline."""
    row = Row.objects.filter(owner__pipelines__conversations=conversation_id, name=name).first()
    return row.value() if row is not None else None


def model_connections(**filters: Any) -> ConnectionQuerySet:
    """Return the connections to models that match the filters."""
    return Row.objects.filter(kind__in=MODEL_KINDS, **filters)


def tool_connections(owner_id: int) -> dict[str, list[str]]:
    """Return the names of an owner's connections for tools, by the kind of tool."""
    names: dict[str, list[str]] = {"http": [], "mcp": []}
    for name, kind in Row.objects.filter(owner=owner_id).values_list("name", "kind"):
        if kind not in MODEL_KINDS:
            names[kind.partition("_")[0]].append(name)
    return names


def client_of(connection: ConnectionSettings) -> VendorClient:
    """Return a client for a model connection, limited to allowed addresses.

    Raise `ValueError` with the `fault` of the connection or the error in its settings.
    """
    if connection.fault:
        raise ValueError(connection.fault)
    return provider_of(connection, transport=transport_of(connection))


def transport_of(connection: ConnectionSettings) -> AsyncBaseTransport | None:
    """Return a transport limited to allowed addresses; None for the operator's own connections."""
    return None if connection.is_operators else guarded_transport(settings.ALLOWED_ADDRESSES)


def environment_connections() -> dict[str, ConnectionSettings]:
    """Return the connections of the environment by name; empty if its settings are invalid."""
    try:
        return connections_from_environment(os.environ)
    except ValueError:
        return {}


@dataclass(frozen=True, slots=True)
class ProviderChoices:
    """Available providers of an owner's pipelines, with their models."""

    models: Mapping[str, Sequence[str]]

    @property
    def names(self) -> list[str]:
        """Names of the providers."""
        return sorted(self.models)

    def models_of(self, name: str | None) -> Sequence[str]:
        """Return the known models of a provider."""
        return self.models.get(name or "", ())[:MAX_OFFERED]


def provider_choices(owner_id: int) -> ProviderChoices:
    """Return the providers and models that an owner's agents can use."""
    models: dict[str, Sequence[str]] = {"scripted": ()}
    environment = environment_connections()
    for name, connection in environment.items():
        models[name] = (connection.model,) if connection.model else ()
    models["default"] = next((models[name] for name in environment), ())
    rows = model_connections(owner=owner_id).values_list("name", "model", "known_models")
    for name, model, known in rows:
        models[name] = known or ([model] if model else [])
    return ProviderChoices(models)
