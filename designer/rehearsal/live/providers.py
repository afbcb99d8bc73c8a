"""Providers of runs: those of the environment, and the connections of a pipeline's owner.

Runs share their clients, one for each connection and event loop. A replaced client is closed after
its last answer.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

import httpx
from cachetools import LRUCache

from designer.core import PerEventLoop, client_of, in_database, model_connections
from designer.models import Connection
from orchestration.exceptions import ProviderError
from orchestration.network import Secrets
from orchestration.providers import (
    VENDORS,
    ModelRequest,
    Piece,
    Provider,
    ScriptedProvider,
    VendorClient,
    providers_from_environment,
)

MAX_OWNERS = 200
"""Maximum number of owners with cached clients."""

Providers = Mapping[str, Provider]

_CONNECTED: PerEventLoop[Providers] = PerEventLoop(lambda: _connect(os.environ))
_OWNED: PerEventLoop[LRUCache[int, _Owned]] = PerEventLoop(lambda: LRUCache(MAX_OWNERS))


async def providers_for(conversation_id: int) -> Providers:
    """Return the providers of the environment, replaced or extended by those of the owner.

    Returns the same object as long as no connection has changed.
    """
    rows = await in_database(_rows, conversation_id)
    shared = connected_providers()
    if not rows:
        return shared
    owner = rows[0].owner_id
    owners = _OWNED.get()
    cached = owners.get(owner)
    if cached is not None and cached.shared is shared and cached.versions == _versions(rows):
        return cached.providers
    current = _renewed(cached, rows, shared)
    unused = [] if cached is None else cached.clients_not_in(current)
    if cached is None and len(owners) == MAX_OWNERS:
        unused += owners.popitem()[1].clients.values()
    owners[owner] = current
    for client in unused:
        await client.aclose()
    return current.providers


def owned_providers(owner_id: int) -> Providers:
    """Return the providers of an owner's connections, for one run."""
    return {row.name: _client(row) for row in model_connections(owner=owner_id)}


async def close_providers(providers: Providers) -> None:
    """Close the clients of a run that does not share them."""
    for provider in {id(provider): provider for provider in providers.values()}.values():
        if isinstance(provider, VendorClient | SharedProvider):
            await provider.aclose()


def connected_providers() -> Providers:
    """Return the providers of the environment, created once for each event loop.

    Wrong settings fail the runs that need them, with a message; the server continues.
    """
    return _CONNECTED.get()


def use_providers(providers: Providers) -> None:
    """Use these providers for the runs of this event loop, in place of the environment's."""
    _CONNECTED.set(providers)


class BrokenProvider:
    """Provider with wrong settings, which fails every request with the reason."""

    name = "misconfigured"

    def __init__(self, error: str) -> None:
        self._error = error

    def model_of(self, request: ModelRequest) -> str:
        """Return the requested model."""
        return request.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Raise the reason as an error."""
        no_pieces: tuple[Piece, ...] = ()
        for piece in no_pieces:
            yield piece
        raise ProviderError(self._error)

    async def aclose(self) -> None:
        """Do nothing: there is no client."""


class SharedProvider:
    """Client that is shared by runs until another one replaces it."""

    def __init__(self, client: VendorClient) -> None:
        self._client, self._requests, self._is_replaced = client, 0, False

    @property
    def name(self) -> str:
        """Name of its connection."""
        return self._client.name

    @property
    def secrets(self) -> Secrets:
        """Secrets of its connection."""
        return self._client.secrets

    def model_of(self, request: ModelRequest) -> str:
        """Return the client's model for a request."""
        return self._client.model_of(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Stream an answer of the client."""
        self._requests += 1
        try:
            async with aclosing(self._client.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._requests -= 1
            await self._close_if_unused()

    async def aclose(self) -> None:
        """Close the client after its last answer; a run in progress may still use it."""
        self._is_replaced = True
        await self._close_if_unused()

    async def _close_if_unused(self) -> None:
        if self._is_replaced and not self._requests:
            await self._client.aclose()


Client = SharedProvider | BrokenProvider
Versions = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Owned:
    """Providers of one owner, and their sources."""

    versions: Versions
    shared: Providers
    clients: Mapping[tuple[int, int], Client]
    """Clients by connection and version."""
    providers: Providers

    def clients_not_in(self, other: _Owned) -> list[Client]:
        """Return the clients that another one does not have."""
        return [client for key, client in self.clients.items() if key not in other.clients]


def _renewed(cached: _Owned | None, rows: list[Connection], shared: Providers) -> _Owned:
    cached_clients = cached.clients if cached else {}
    clients = {
        (row.pk, row.version): cached_clients.get((row.pk, row.version)) or _client(row)
        for row in rows
    }
    own = {row.name: clients[row.pk, row.version] for row in rows}
    return _Owned(_versions(rows), shared, clients, {**shared, **own})


def _client(row: Connection) -> Client:
    connection = row.value()
    try:
        return SharedProvider(client_of(connection))
    except (ValueError, httpx.InvalidURL) as error:
        return BrokenProvider(connection.fault or f"The connection {row.name!r}: {error}")


def _versions(rows: list[Connection]) -> Versions:
    return tuple((row.pk, row.version) for row in rows)


def _rows(conversation_id: int) -> list[Connection]:
    return list(model_connections(owner__pipelines__conversations=conversation_id))


def _connect(environ: Mapping[str, str]) -> Providers:
    try:
        return providers_from_environment(environ)
    except (ValueError, httpx.InvalidURL) as error:
        broken = BrokenProvider(f"The server's model settings are wrong: {error}")
        return {"scripted": ScriptedProvider(), **dict.fromkeys(["default", *VENDORS], broken)}
