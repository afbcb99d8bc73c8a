"""What the runs of an owner's pipelines are connected to: rows, as values without Django."""

from __future__ import annotations

import os
from typing import Any, cast

from django.conf import settings

from designer.models import Connection as Row
from designer.models.connection import MODELS, ConnectionQuerySet
from orchestration.addresses import guarded_transport
from orchestration.connections import Connection
from orchestration.providers import connections_from_environment, provider_of
from orchestration.providers.client import VendorClient


def connection_for(owner_id: int, name: str) -> Connection | None:
    """The connection that an owner has under a name; None: there is none."""
    row = Row.objects.filter(owner=owner_id, name=name).first()
    return row.value() if row is not None else None


def connection_in(conversation_id: int, name: str) -> Connection | None:
    """The connection of this name that the owner of a conversation's pipeline has."""
    row = Row.objects.filter(owner__pipelines__conversations=conversation_id, name=name).first()
    return row.value() if row is not None else None


def models_of(**who: Any) -> ConnectionQuerySet:
    """The connections that reach models."""
    return Row.objects.filter(kind__in=MODELS, **who)


def client_of(connection: Connection) -> VendorClient:
    """A client of a connection to a model, which goes to allowed addresses only.

    ValueError where it cannot be: its `fault`, or what is wrong with its settings.
    """
    if connection.fault:
        raise ValueError(connection.fault)
    transport = None if connection.is_operators else guarded_transport(settings.ALLOWED_ADDRESSES)
    return cast("VendorClient", provider_of(connection, transport=transport))


def environment_connections() -> dict[str, Connection]:
    """What the server's environment connects, by name; nothing where its settings are wrong."""
    try:
        return connections_from_environment(os.environ)
    except ValueError:
        return {}


def provider_names(owner_id: int) -> list[str]:
    """What the agents of an owner's pipelines may call their provider."""
    own = models_of(owner=owner_id).values_list("name", flat=True)
    return sorted({"default", "scripted", *environment_connections(), *own})
