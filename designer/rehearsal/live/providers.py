"""The providers of runs: what the environment connects, and the connections of who owns a pipeline.

Runs share their clients, one for each connection and event loop. A client that was replaced is
closed when nobody waits for an answer of it any more.
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
    """The providers of a conversation: those of the environment, and over them its owner's own.

    As long as nothing was changed they are the very same ones.
    """
    rows = await in_database(_rows, conversation_id)
    shared = connected_providers()
    if not rows:
        return shared
    owner = rows[0].owner_id
    owners = _OWNED.get()
    was = owners.get(owner)
    if was is not None and was.shared is shared and was.versions == _versions(rows):
        return was.providers
    owned = _renewed(was, rows, shared)
    gone = [] if was is None else owned.without(was)
    if was is None and len(owners) == MAX_OWNERS:
        gone += owners.popitem()[1].clients.values()
    owners[owner] = owned
    for client in gone:
        await client.aclose()
    return owned.providers


def owned_providers(owner_id: int) -> Providers:
    """The providers of an owner's own connections, for one run."""
    return {row.name: _client(row) for row in model_connections(owner=owner_id)}


async def close_providers(providers: Providers) -> None:
    """Close the clients of a run that shares them with no other."""
    for provider in {id(one): one for one in providers.values()}.values():
        if isinstance(provider, VendorClient | SharedProvider):
            await provider.aclose()


def connected_providers() -> Providers:
    """The providers that the environment connects, made once for each event loop.

    An environment that is wrong fails the runs that need it, in words; the server itself goes on.
    """
    return _CONNECTED.get()


def use_providers(providers: Providers) -> None:
    """Give the runs of this event loop these providers, instead of what the environment says."""
    _CONNECTED.set(providers)


class BrokenProvider:
    """Stands for a provider whose settings are wrong, and says so whenever it is asked."""

    name = "misconfigured"

    def __init__(self, why: str) -> None:
        self._why = why

    def model_of(self, request: ModelRequest) -> str:
        """The model that was meant."""
        return request.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Give no answer, but the reason."""
        nothing: tuple[Piece, ...] = ()
        for piece in nothing:
            yield piece
        raise ProviderError(self._why)

    async def aclose(self) -> None:
        """There is nothing to close."""


class SharedProvider:
    """A client that runs share, until another takes its place."""

    def __init__(self, client: VendorClient) -> None:
        self._client, self._asked, self._is_retired = client, 0, False

    @property
    def name(self) -> str:
        """The name of its connection."""
        return self._client.name

    def model_of(self, request: ModelRequest) -> str:
        """As the client has it."""
        return self._client.model_of(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Ask the client."""
        self._asked += 1
        try:
            async with aclosing(self._client.stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            self._asked -= 1
            await self._close_unless_asked()

    async def aclose(self) -> None:
        """Close it when the last answer has come. A run under way may still ask it again."""
        self._is_retired = True
        await self._close_unless_asked()

    async def _close_unless_asked(self) -> None:
        if self._is_retired and not self._asked:
            await self._client.aclose()


Client = SharedProvider | BrokenProvider
Versions = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Owned:
    """The providers of one owner, and what they were made of."""

    versions: Versions
    shared: Providers
    clients: Mapping[tuple[int, int], Client]
    """By the connection and its version."""
    providers: Providers

    def without(self, was: _Owned) -> list[Client]:
        """The clients that another has and this has not."""
        return [one for key, one in was.clients.items() if key not in self.clients]


def _renewed(was: _Owned | None, rows: list[Connection], shared: Providers) -> _Owned:
    kept = was.clients if was else {}
    clients = {
        (row.pk, row.version): kept.get((row.pk, row.version)) or _client(row) for row in rows
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
