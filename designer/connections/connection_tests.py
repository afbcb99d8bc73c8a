"""Trials of a connection: one real call, and what came of it in a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from math import ceil
from time import perf_counter

import httpx
from cachetools import LRUCache
from django.conf import settings

from designer.core import Allowance, PerEventLoop, client_of, transport_of
from orchestration.definition import Agent
from orchestration.exceptions import ProviderError, ToolError
from orchestration.network import AddressRefused, ConnectionSettings, TimeLimits, guarded_transport
from orchestration.prompts import PromptPart
from orchestration.providers import (
    Finished,
    ModelRequest,
    PromptMessage,
    TextPiece,
    connection_error_text,
    host_of,
    list_models,
)
from orchestration.tools import McpServers

MAX_WORDS = 400
"""Characters of an answer that are shown."""

MAX_SAID = 100_000
"""Characters of an answer that are taken in."""

MAX_TOKENS = 400
"""Maximum length of an answer in tokens: reasoning models need some."""

MOST_NAMED = 20
"""Tools of an MCP server that are named."""

MOST_SECONDS = 40
"""Maximum seconds of a test."""

MOST_AT_ONCE, PER_SECOND = 10, 1 / 6
"""Trials that one person makes in a row, and how many more for each second from then on."""

MAX_PEOPLE = 10_000
"""Maximum number of users with an attempt counter."""

PATIENCE = TimeLimits(connect=5, first_byte=25, between=15, turn=MOST_SECONDS - 5, tries=1)

UNNAMED = "It lists no models: name a default model to test it with."

_NO_LIST = (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED, httpx.codes.NOT_IMPLEMENTED)
"""Status codes of a server without a model list."""

_AGENT = Agent(id="trial", name="Trial", max_output_tokens=MAX_TOKENS)
_ASKED = "Say hello in one short sentence."


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of a connection test."""

    is_ok: bool
    sentence: str
    said: str = ""
    """The model's own words."""
    models: tuple[str, ...] = ()
    is_hint: bool = False
    """It says what to do first: it did not fail."""


def too_soon(user_id: int) -> str:
    """Why somebody has to wait before the next trial, in a sentence; empty: they need not."""
    allowance = _TRYING.get().setdefault(user_id, Allowance(MOST_AT_ONCE, PER_SECOND))
    wait = ceil(allowance.spend())
    if not wait:
        return ""
    seconds = f"{wait} seconds" if wait > 1 else "a second"
    return f"You tried {MOST_AT_ONCE} times in a short while: wait {seconds}, then try again."


_TRYING: PerEventLoop[LRUCache[int, Allowance]] = PerEventLoop(lambda: LRUCache(MAX_PEOPLE))
"""Attempt counters by user id."""


async def try_connection(connection: ConnectionSettings, *, within: float = MOST_SECONDS) -> Trial:
    """Ask a model to say hello, an HTTP API for its base address, an MCP server for its tools."""
    match connection.kind:
        case "http":
            asked = _try_address
        case "mcp" | "mcp_stdio":
            asked = _try_server
        case _:
            asked = _try_model
    return await _tried(connection, asked, within)


async def find_models(connection: ConnectionSettings, *, within: float = MOST_SECONDS) -> Trial:
    """Ask a vendor which models it has."""
    return await _tried(connection, _find, within)


async def _tried(
    connection: ConnectionSettings,
    ask: Callable[[ConnectionSettings], Awaitable[Trial]],
    within: float,
) -> Trial:
    """Return the result of a test within the time limit, without secrets."""
    if connection.fault:
        return Trial(False, connection.fault)
    try:
        async with asyncio.timeout(within):
            trial = await ask(connection)
    except TimeoutError:
        trial = Trial(False, f"It did not answer within {within:g} seconds.")
    except (ProviderError, ToolError, ValueError, httpx.InvalidURL) as error:
        trial = Trial(False, str(error))
    redact = connection.without_secrets
    return replace(
        trial,
        sentence=redact(trial.sentence),
        said=redact(trial.said)[:MAX_WORDS],
        models=tuple(map(redact, trial.models)),
    )


async def _find(connection: ConnectionSettings) -> Trial:
    found = await list_models(connection, transport=transport_of(connection))
    if not found:
        return Trial(False, "It answered, and has no models.")
    many = f"{len(found)} models" if len(found) > 1 else "one model"
    return Trial(True, f"It has {many}: choose the default one.", models=tuple(found))


async def _try_model(connection: ConnectionSettings) -> Trial:
    if not connection.model:
        return await _try_list(connection)
    began = perf_counter()
    client = client_of(replace(connection, limits=PATIENCE))
    request = ModelRequest(
        agent=_AGENT,
        phase="trial",
        system_parts=(PromptPart(kind="base", text="You are asked whether you can be reached."),),
        messages=[PromptMessage(role="user", text=_ASKED)],
    )
    said, first, end = "", 0.0, None
    try:
        async with aclosing(client.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    first = first or perf_counter() - began
                    said += piece.text
                    if len(said) > MAX_SAID:
                        raise ProviderError("It does not stop: its answer is too long.")
                elif isinstance(piece, Finished):
                    end = piece
    finally:
        await client.aclose()
    if end is None:
        return Trial(False, "The answer broke off before its end.")
    words = f", its first word after {_seconds(first)}" if said.strip() else " without a word"
    took = f"“{connection.model}” answered in {_seconds(perf_counter() - began)}{words}."
    tokens = f"{end.input_tokens:,} tokens were sent, {end.output_tokens:,} answered."
    return Trial(True, f"{took} {tokens}", said=said.strip())


async def _try_list(connection: ConnectionSettings) -> Trial:
    """Without a model there is none to ask: whether there are any is asked instead."""
    try:
        found = await list_models(connection, transport=transport_of(connection))
    except ProviderError as error:
        if error.status not in _NO_LIST:
            raise
        found = []
    if not found:
        return Trial(False, UNNAMED, is_hint=True)
    many = f"{len(found)} models" if len(found) > 1 else "one model"
    sentence = f"It lists {many}: name the default one to have it asked a question."
    return Trial(True, sentence, models=tuple(found))


async def _try_address(connection: ConnectionSettings) -> Trial:
    """Test an HTTP API: every answer shows that it is reachable."""
    began = perf_counter()
    host = host_of(connection.base_url)
    transport = guarded_transport(settings.ALLOWED_ADDRESSES)
    try:
        async with (
            httpx.AsyncClient(
                headers=connection.credentials,
                timeout=httpx.Timeout(20, connect=5),
                follow_redirects=False,
                trust_env=False,
                transport=transport,
            ) as web,
            web.stream("GET", connection.base_url) as response,
        ):
            status = response.status_code
    except AddressRefused as error:
        return Trial(False, str(error))
    except httpx.TimeoutException:
        return Trial(False, f"{host} did not answer in time.")
    except httpx.HTTPError as error:
        return Trial(False, connection_error_text(error, host))
    took = _seconds(perf_counter() - began)
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return Trial(False, f"{host} answered in {took}, and refused the key (status {status}).")
    return Trial(True, f"{host} answered in {took}, with status {status}.")


async def _try_server(connection: ConnectionSettings) -> Trial:
    began = perf_counter()
    servers = McpServers(settings.ALLOWED_ADDRESSES)
    try:
        tools = await servers.tools(connection)
    finally:
        await servers.aclose()
    names = ", ".join(tool.name for tool in tools[:MOST_NAMED])
    more = f", and {len(tools) - MOST_NAMED} more" if len(tools) > MOST_NAMED else ""
    has = f"has {len(tools)} tool{'s' if len(tools) > 1 else ''}" if tools else "has no tools"
    took = f"It answered in {_seconds(perf_counter() - began)} and {has}"
    return Trial(True, f"{took}: {names}{more}." if tools else f"{took}.")


def _seconds(seconds: float) -> str:
    """A time as people read it: `420 ms`, `3.2 s`."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
