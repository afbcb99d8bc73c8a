"""Connections: adding, changing and deleting them."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.views.decorators.debug import sensitive_variables

from designer.core import RefusedError
from designer.models import Agent, Connection
from designer.models.secrets import UnreadableSecretError, reencrypt

MAX_CONNECTIONS = 50
"""Maximum number of connections of one person."""

MAX_MODELS = 1_000
"""Maximum number of stored model names of one connection."""

RESERVED = "scripted"
"""Name of the scripted provider, which every server has."""


class SentSecrets:
    """The key and the headers as they were sent; a header of None stays as it is. In no repr."""

    def __init__(
        self,
        *,
        key: str = "",
        forgets_key: bool = False,
        headers: Mapping[str, str | None] | None = None,
    ) -> None:
        self.key, self.forgets_key = key, forgets_key
        self.headers: Mapping[str, str | None] = headers or {}


@dataclass(frozen=True)
class ConnectionValues:
    """Values of a connection."""

    fields: Mapping[str, object]
    """The fields of the row, but for its secrets."""
    secrets: SentSecrets


@transaction.atomic
def add_connection(*, user: User, values: ConnectionValues) -> Connection:
    """Add a connection of the user's."""
    _hold_names(user.pk)
    _refuse_name(user.pk, str(values.fields["name"]))
    if Connection.objects.of(user).count() >= MAX_CONNECTIONS:
        raise RefusedError(
            f"You have {MAX_CONNECTIONS} connections, which is as many as are kept: delete one "
            "first.",
            field="name",
        )
    row = with_values(Connection(owner=user), values)
    row.full_clean()
    row.save()
    return row


@transaction.atomic
def update_connection(*, connection: Connection, values: ConnectionValues) -> Connection:
    """Change a connection. Runs that begin from now on use it as it is then."""
    _hold_names(connection.owner_id)
    row = Connection.objects.filter(pk=connection.pk).first()
    if row is None:
        raise RefusedError("This connection was deleted meanwhile.", field="name")
    if values.fields["name"] != row.name:
        _refuse_name(row.owner_id, str(values.fields["name"]))
    row = with_values(row, values)
    row.version += 1
    row.full_clean()
    row.save()
    return row


@transaction.atomic
def delete_connection(*, connection: Connection) -> None:
    """Delete a connection. Agents that ask it ask nobody from then on."""
    connection.delete()


@transaction.atomic
def keep_models(*, connection: Connection, models: list[str]) -> None:
    """Keep what the vendor says that it has, to choose from."""
    Connection.objects.filter(pk=connection.pk).update(known_models=models[:MAX_MODELS])


@sensitive_variables()
def with_values(connection: Connection, values: ConnectionValues) -> Connection:
    """A connection as it would be with these values, not saved.

    RefusedError where a secret that is kept would go to another place than it was given for.
    """
    row = copy.copy(connection)
    for name, value in values.fields.items():
        setattr(row, name, value)
    has_moved = row.place != connection.place
    if has_moved or row.kind != connection.kind:
        row.known_models = []
    secrets = values.secrets
    if row.kind == "mcp_stdio":
        row.store_secrets(key="", headers={})
        return row
    if secrets.key or secrets.forgets_key:
        row.store_secrets(key=secrets.key, headers=None)
    elif row.sealed_key and has_moved:
        raise RefusedError(
            f"The key was given for {connection.place}: enter the one for {row.place}, or have it "
            "forgotten.",
            field="key",
        )
    row.store_secrets(key=None, headers=_headers(connection, row, secrets.headers))
    return row


@transaction.atomic
def encrypt_anew() -> tuple[int, list[str]]:
    """Encrypt all secrets with the first of the server's keys; how many, and which cannot be read.

    Afterwards the older keys are not needed any more, but for those that cannot be read.
    """
    done, unreadable = 0, []
    for row in Connection.objects.select_for_update().select_related("owner"):
        try:
            row.sealed_key = reencrypt(row.sealed_key)
            row.sealed_headers = reencrypt(row.sealed_headers)
        except UnreadableSecretError:
            unreadable.append(f"{row.name} of {row.owner.get_username()}")
            continue
        row.save(update_fields=["sealed_key", "sealed_headers"])
        done += bool(row.sealed_key or row.sealed_headers)
    return done, unreadable


def agents_asking(owner_id: int) -> Counter[str]:
    """Count the agents of the owner's pipelines that use each connection, fallbacks included."""
    rows = Agent.objects.filter(pipeline__owner=owner_id).values_list("provider", "fallback")
    found = Counter[str]()
    for provider, fallback, count in rows.annotate(count=Count("pk")).order_by():
        found.update(dict.fromkeys({provider, fallback} - {""}, count))
    return found


@sensitive_variables()
def _headers(was: Connection, row: Connection, sent: Mapping[str, str | None]) -> dict[str, str]:
    """The headers as they were sent; None: the value that is kept."""
    if None not in sent.values():
        return {name: value for name, value in sent.items() if value is not None}
    new = [name for name, value in sent.items() if value is None and name not in was.header_names]
    if new:
        raise RefusedError(f"The header “{new[0]}” has no value yet.", field="headers")
    if row.place != was.place:
        raise RefusedError(
            f"The headers were given for {was.place}: write the values for {row.place}.",
            field="headers",
        )
    try:
        kept = was.headers()
    except UnreadableSecretError as error:
        raise RefusedError(f"The value that is kept {error}.", field="headers") from None
    return {name: kept[name] if value is None else value for name, value in sent.items()}


def _hold_names(owner_id: int) -> None:
    """Hold someone's connections: of two that are named at once, the second sees the first."""
    User.objects.select_for_update(no_key=True).get(pk=owner_id)


def _refuse_name(owner_id: int, name: str) -> None:
    if name == RESERVED:
        raise RefusedError(
            f"“{RESERVED}” plays agents without a model: choose another name.", field="name"
        )
    if Connection.objects.filter(owner=owner_id, name=name).exists():
        raise RefusedError(f"You have a connection “{name}” already.", field="name")
