"""The providers of this process, with connections that its runs share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from weakref import WeakKeyDictionary

import httpx

from orchestration.exceptions import ProviderError
from orchestration.providers import VENDORS, providers_from_environment
from orchestration.providers.base import ModelRequest, Piece, Provider
from orchestration.providers.scripted import ScriptedProvider

_CONNECTED: WeakKeyDictionary[asyncio.AbstractEventLoop, Mapping[str, Provider]] = (
    WeakKeyDictionary()
)


def connected_providers() -> Mapping[str, Provider]:
    """The providers that the environment connects, made once for each event loop.

    An environment that is wrong fails the runs that need it, in words; the server itself goes on.
    """
    loop = asyncio.get_running_loop()
    found = _CONNECTED.get(loop)
    if found is None:
        found = _CONNECTED[loop] = _connect(os.environ)
    return found


def use_providers(providers: Mapping[str, Provider]) -> None:
    """Give the runs of this event loop these providers, instead of what the environment says."""
    _CONNECTED[asyncio.get_running_loop()] = providers


def _connect(environ: Mapping[str, str]) -> Mapping[str, Provider]:
    try:
        return providers_from_environment(environ)
    except (ValueError, httpx.InvalidURL) as error:
        broken = MisconfiguredProvider(str(error))
        return {"scripted": ScriptedProvider(), **dict.fromkeys(["default", *VENDORS], broken)}


class MisconfiguredProvider:
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
        raise ProviderError(f"The server's model settings are wrong: {self._why}")
