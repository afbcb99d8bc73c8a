"""Actions that add, change and delete connections."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.views.decorators.debug import sensitive_variables

from designer.audit import record_audit
from designer.core import RefusedError, atomic_action
from designer.models import Agent, AuditAction, Connection, Tool, UnreadableSecretError, reencrypt

MAX_CONNECTIONS = 50
"""Maximum number of connections of one person."""

MAX_MODELS = 1_000
"""Maximum number of stored model names of one connection."""

RESERVED = "scripted"
"""Name of the scripted provider, which every server has."""


class SubmittedSecrets:
    """Submitted key and headers; None keeps the stored header. The repr shows no values."""

    def __init__(
        self,
        *,
        key: str = "",
        clears_key: bool = False,
        headers: Mapping[str, str | None] | None = None,
    ) -> None:
        self.key, self.clears_key = key, clears_key
        self.headers: Mapping[str, str | None] = headers or {}


@dataclass(frozen=True)
class ConnectionValues:
    """Values of a connection."""

    fields: Mapping[str, object]
    """Fields of the row, without its secrets."""
    secrets: SubmittedSecrets


@atomic_action
def add_connection(*, user: User, values: ConnectionValues) -> Connection:
    """Add a connection for the user."""
    _lock_connections(user.pk)
    _refuse_name(user.pk, str(values.fields["name"]))
    if Connection.objects.of(user).count() >= MAX_CONNECTIONS:
        raise RefusedError(
            f"You have the maximum of {MAX_CONNECTIONS} connections: delete one first.",
            field="name",
        )
    row = with_values(Connection(owner=user), values)
    row.full_clean()
    row.save()
    detail = f"with {held}" if (held := _held_secrets(row)) else "without a key"
    record_audit(AuditAction.CONNECTION_ADDED, actor=user, target=_target(row), detail=detail)
    return row


@atomic_action
def update_connection(*, connection: Connection, values: ConnectionValues) -> Connection:
    """Change a connection. It applies to runs that start afterwards."""
    _lock_connections(connection.owner_id)
    row = Connection.objects.filter(pk=connection.pk).first()
    if row is None:
        raise RefusedError("This connection has been deleted: add it again.", field="name")
    if values.fields["name"] != row.name:
        _refuse_name(row.owner_id, str(values.fields["name"]))
    old, row = row, with_values(row, values)
    row.version += 1
    row.full_clean()
    row.save()
    if changes := _changed_secrets(old, row, values.secrets):
        record_audit(AuditAction.KEY_CHANGED, actor=row.owner, target=_target(row), detail=changes)
    return row


@atomic_action
def delete_connection(*, connection: Connection) -> None:
    """Delete a connection. Agents that use it have no provider afterwards."""
    target, detail = _target(connection), _held_secrets(connection)
    connection.delete()
    record_audit(
        AuditAction.CONNECTION_DELETED, actor=connection.owner, target=target, detail=detail
    )


@atomic_action
def store_models(*, connection: Connection, models: list[str]) -> None:
    """Store the names of the vendor's models."""
    Connection.objects.filter(pk=connection.pk).update(known_models=models[:MAX_MODELS])


@sensitive_variables()
def with_values(connection: Connection, values: ConnectionValues) -> Connection:
    """Return a connection with these values, not saved.

    Raise `RefusedError` if a stored secret would be sent to another place than its own.
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
    if secrets.key or secrets.clears_key:
        row.store_secrets(key=secrets.key, headers=None)
    elif row.sealed_key and has_moved:
        raise RefusedError(
            f"The stored key is for {connection.place}: enter the key for {row.place}, or remove "
            "it.",
            field="key",
        )
    row.store_secrets(key=None, headers=_headers(connection, row, secrets.headers))
    return row


def reencrypt_secrets() -> tuple[int, list[str]]:
    """Encrypt all secrets again with the first of the server's keys.

    Return the number of connections with encrypted secrets, and the names of connections whose
    secrets cannot be decrypted. Afterwards the older keys are no longer needed.
    """
    encrypted, unreadable = 0, []
    for pk in list(Connection.objects.values_list("pk", flat=True)):
        try:
            encrypted += _reencrypt(pk)
        except UnreadableSecretError:
            row = Connection.objects.select_related("owner").get(pk=pk)
            unreadable.append(f"{row.name} of {row.owner.get_username()}")
    record_audit(
        AuditAction.SECRETS_REENCRYPTED, detail=f"{encrypted} connections, {len(unreadable)} failed"
    )
    return encrypted, unreadable


def _reencrypt(pk: int) -> bool:
    """Encrypt the secrets of a connection again; return False if it has none, or was deleted.

    The secrets are only replaced if nobody has changed them meanwhile; otherwise they are read
    again.
    """
    rows = Connection.objects.filter(pk=pk)
    while row := rows.first():
        old = {"sealed_key": row.sealed_key, "sealed_headers": row.sealed_headers}
        new = {name: reencrypt(value) for name, value in old.items()}
        if _replace_secrets(pk, old, new):
            return any(new.values())
    return False


@atomic_action
def _replace_secrets(pk: int, old: Mapping[str, str], new: Mapping[str, str]) -> int:
    return Connection.objects.filter(pk=pk, **old).update(**new)


@dataclass(slots=True)
class ConnectionUses:
    """Uses of a connection in the pipelines of its owner."""

    agents: int = 0
    """Number of agents that use it, fallbacks included."""
    tools: int = 0
    """Number of tools that call it."""
    pipelines: set[str] = field(default_factory=set)
    """Names of their pipelines."""


def connection_uses(owner_id: int) -> Mapping[str, ConnectionUses]:
    """Return the uses of all connections of an owner by name; an unused one has empty uses."""
    uses = defaultdict[str, ConnectionUses](ConnectionUses)
    agents = Agent.objects.filter(pipeline__owner=owner_id).order_by()
    for provider, fallback, pipeline in agents.values_list(
        "provider", "fallback", "pipeline__name"
    ):
        for name in {provider, fallback} - {""}:
            uses[name].agents += 1
            uses[name].pipelines.add(pipeline)
    tools = Tool.objects.filter(pipeline__owner=owner_id, kind__in=["http", "mcp"]).order_by()
    for kind, http, mcp, pipeline in tools.values_list("kind", "http", "mcp", "pipeline__name"):
        call = http if kind == "http" else mcp
        if call and (name := call.get("connection")):
            uses[name].tools += 1
            uses[name].pipelines.add(pipeline)
    return uses


@sensitive_variables()
def _headers(
    old: Connection, new: Connection, submitted: Mapping[str, str | None]
) -> dict[str, str]:
    """Return the submitted headers; None takes the stored value."""
    if None not in submitted.values():
        return {name: value for name, value in submitted.items() if value is not None}
    kept = [name for name, value in submitted.items() if value is None]
    if unknown := [name for name in kept if name not in old.header_names]:
        message = f"The header “{unknown[0]}” has no stored value: enter one."
        raise RefusedError(message, field="headers")
    if new.place != old.place:
        raise RefusedError(
            f"The stored headers are for {old.place}: enter the values for {new.place}.",
            field="headers",
        )
    try:
        stored = old.headers()
    except UnreadableSecretError as error:
        raise RefusedError(f"The stored value {error}.", field="headers") from None
    return {name: stored[name] if value is None else value for name, value in submitted.items()}


def _target(row: Connection) -> str:
    return f"connection {row.pk} “{row.name}”, {row.place}"


def _held_secrets(row: Connection) -> str:
    """Return the kinds of stored secrets, never the secrets."""
    names = ["a key"] if row.sealed_key else []
    return ", ".join([*names, *(f"header {name}" for name in row.header_names)])


def _changed_secrets(old: Connection, new: Connection, submitted: SubmittedSecrets) -> str:
    """Return the changes of secrets in words; empty without a change."""
    changes = []
    if old.sealed_key != new.sealed_key:
        changes.append("key " + _change(bool(old.sealed_key), bool(new.sealed_key)))
    entered = {name for name, value in submitted.headers.items() if value is not None}
    for name in dict.fromkeys([*old.header_names, *new.header_names]):
        was, is_now = name in old.header_names, name in new.header_names
        if was != is_now or name in entered:
            changes.append(f"header {name} " + _change(was, is_now))
    return ", ".join(changes)


def _change(was: bool, is_now: bool) -> str:
    return "removed" if not is_now else "replaced" if was else "added"


def _lock_connections(owner_id: int) -> None:
    """Lock a user's connections, so that simultaneous requests cannot use the same name."""
    User.objects.select_for_update(no_key=True).get(pk=owner_id)


def _refuse_name(owner_id: int, name: str) -> None:
    if name == RESERVED:
        raise RefusedError(
            f"“{RESERVED}” is the built-in scripted provider: choose another name.", field="name"
        )
    if Connection.objects.filter(owner=owner_id, name=name).exists():
        raise RefusedError(
            f"You already have a connection “{name}”: choose another name.", field="name"
        )
