"""Tests of a connection: one real call and its result as a sentence."""

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

MAX_SHOWN = 400
"""Maximum number of shown characters of an answer."""

MAX_ANSWER = 100_000
"""Maximum number of received characters of an answer."""

MAX_TOKENS = 400
"""Maximum length of an answer in tokens: reasoning models need some."""

MAX_TOOL_NAMES = 20
"""Maximum number of listed tools of an MCP server."""

MAX_SECONDS = 40
"""Maximum seconds of a test."""

MAX_AT_ONCE, PER_SECOND = 10, 1 / 6
"""Number of tests that a user can run at once, and tests per second after that."""

MAX_PEOPLE = 10_000
"""Maximum number of users with an attempt counter."""

TIME_LIMITS = TimeLimits(connect=5, first_byte=25, between=15, turn=MAX_SECONDS - 5, tries=1)

NO_MODEL = "It lists no models: enter a default model for the test."

_NO_LIST = (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED, httpx.codes.NOT_IMPLEMENTED)
"""Status codes of a server without a model list."""

_AGENT = Agent(id="test", name="Test", max_output_tokens=MAX_TOKENS)
_QUESTION = "Say hello in one short sentence."


@dataclass(frozen=True, slots=True)
class ConnectionTestResult:
    """Result of a connection test."""

    is_ok: bool
    sentence: str
    answer: str = ""
    """Answer of the model."""
    models: tuple[str, ...] = ()
    is_hint: bool = False
    """True if the test did not run and the sentence tells the user what to do first."""
    is_doubtful: bool = False
    """True if there was an answer, but it has no content or reports an error."""

    @property
    def status(self) -> str:
        """Status of the result, for its colour: `yes`, `doubtful`, `no` or `hint`."""
        if self.is_hint:
            return "hint"
        return "no" if not self.is_ok else "doubtful" if self.is_doubtful else "yes"


def rate_limit_message(user_id: int) -> str:
    """Return a message if the user must wait before the next test, otherwise an empty text."""
    allowance = _ALLOWANCES.get().setdefault(user_id, Allowance(MAX_AT_ONCE, PER_SECOND))
    wait = ceil(allowance.spend())
    if not wait:
        return ""
    seconds = f"{wait} seconds" if wait > 1 else "a second"
    return f"You ran {MAX_AT_ONCE} tests in a short time: wait {seconds}, then try again."


_ALLOWANCES: PerEventLoop[LRUCache[int, Allowance]] = PerEventLoop(lambda: LRUCache(MAX_PEOPLE))
"""Attempt counters by user id."""


async def try_connection(
    connection: ConnectionSettings, *, within: float = MAX_SECONDS
) -> ConnectionTestResult:
    """Test a connection to a model, an HTTP API or an MCP server with one request."""
    match connection.kind:
        case "http":
            run = _test_address
        case "mcp" | "mcp_stdio":
            run = _test_server
        case _:
            run = _test_model
    return await _run(connection, run, within)


async def find_models(
    connection: ConnectionSettings, *, within: float = MAX_SECONDS
) -> ConnectionTestResult:
    """Fetch the model list of a vendor."""
    return await _run(connection, _list_models, within)


async def _run(
    connection: ConnectionSettings,
    run: Callable[[ConnectionSettings], Awaitable[ConnectionTestResult]],
    within: float,
) -> ConnectionTestResult:
    """Return the result of a test within the time limit, without secrets."""
    if connection.fault:
        return ConnectionTestResult(False, connection.fault)
    try:
        async with asyncio.timeout(within):
            result = await run(connection)
    except TimeoutError:
        result = ConnectionTestResult(False, f"It did not answer within {within:g} seconds.")
    except (ProviderError, ToolError, ValueError, httpx.InvalidURL) as error:
        result = ConnectionTestResult(False, str(error))
    redact = connection.without_secrets
    return replace(
        result,
        sentence=redact(result.sentence),
        answer=redact(result.answer)[:MAX_SHOWN],
        models=tuple(map(redact, result.models)),
    )


async def _list_models(connection: ConnectionSettings) -> ConnectionTestResult:
    models = await list_models(connection, transport=transport_of(connection))
    if not models:
        return ConnectionTestResult(
            False, "It answered, but lists no models: enter a default model."
        )
    count = f"{len(models)} models" if len(models) > 1 else "one model"
    return ConnectionTestResult(
        True, f"It has {count}: choose the default model.", models=tuple(models)
    )


async def _test_model(connection: ConnectionSettings) -> ConnectionTestResult:
    if not connection.model:
        return await _test_model_list(connection)
    start = perf_counter()
    client = client_of(replace(connection, limits=TIME_LIMITS))
    request = ModelRequest(
        agent=_AGENT,
        phase="test",
        system_parts=(PromptPart(kind="base", text="This is a connection test."),),
        messages=[PromptMessage(role="user", text=_QUESTION)],
    )
    answer, first, end = "", 0.0, None
    try:
        async with aclosing(client.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    first = first or perf_counter() - start
                    answer += piece.text
                    if len(answer) > MAX_ANSWER:
                        raise ProviderError("The answer is too long: the model does not stop.")
                elif isinstance(piece, Finished):
                    end = piece
    finally:
        await client.aclose()
    if end is None:
        return ConnectionTestResult(False, "The answer ended early: try again.")
    delay = f", its first word after {_seconds(first)}" if answer.strip() else " without text"
    took = f"“{connection.model}” answered in {_seconds(perf_counter() - start)}{delay}."
    tokens = f"Input: {end.input_tokens:,} tokens, output: {end.output_tokens:,} tokens."
    text = answer.strip()
    return ConnectionTestResult(True, f"{took} {tokens}", answer=text, is_doubtful=not text)


async def _test_model_list(connection: ConnectionSettings) -> ConnectionTestResult:
    """Test a connection without a default model by its model list."""
    try:
        models = await list_models(connection, transport=transport_of(connection))
    except ProviderError as error:
        if error.status not in _NO_LIST:
            raise
        models = []
    if not models:
        return ConnectionTestResult(False, NO_MODEL, is_hint=True)
    count = f"{len(models)} models" if len(models) > 1 else "one model"
    sentence = f"It lists {count}: choose a default model to test an answer."
    return ConnectionTestResult(True, sentence, models=tuple(models))


async def _test_address(connection: ConnectionSettings) -> ConnectionTestResult:
    """Test an HTTP API: every answer shows that it is reachable.

    An error or an empty answer is doubtful: the address may be wrong.
    """
    start = perf_counter()
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
            ) as client,
            client.stream("GET", connection.base_url) as response,
        ):
            status = response.status_code
            is_empty = not _is_error(status) and not await _has_content(response)
    except AddressRefused as error:
        return ConnectionTestResult(False, str(error))
    except httpx.TimeoutException:
        return ConnectionTestResult(False, f"{host} did not answer in time.")
    except httpx.HTTPError as error:
        return ConnectionTestResult(False, connection_error_text(error, host))
    duration = _seconds(perf_counter() - start)
    if status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return ConnectionTestResult(
            False, f"{host} answered in {duration}, but refused the key (status {status})."
        )
    sentence = f"{host} answered in {duration}, with status {status}"
    if _is_error(status):
        sentence += ": check the address, unless the API has no page there"
    elif is_empty:
        sentence += " and without content: check the address"
    is_doubtful = _is_error(status) or is_empty
    return ConnectionTestResult(True, f"{sentence}.", is_doubtful=is_doubtful)


def _is_error(status: int) -> bool:
    return status >= httpx.codes.BAD_REQUEST


async def _has_content(response: httpx.Response) -> bool:
    """Report whether a response has a body, without reading all of it."""
    async for chunk in response.aiter_raw():
        if chunk:
            return True
    return False


async def _test_server(connection: ConnectionSettings) -> ConnectionTestResult:
    start = perf_counter()
    servers = McpServers(settings.ALLOWED_ADDRESSES)
    try:
        tools = await servers.tools(connection)
    finally:
        await servers.aclose()
    names = ", ".join(tool.name for tool in tools[:MAX_TOOL_NAMES])
    more = f", and {len(tools) - MAX_TOOL_NAMES} more" if len(tools) > MAX_TOOL_NAMES else ""
    has = f"has {len(tools)} tool{'s' if len(tools) > 1 else ''}" if tools else "has no tools"
    took = f"It answered in {_seconds(perf_counter() - start)} and {has}"
    sentence = f"{took}: {names}{more}." if tools else f"{took}."
    return ConnectionTestResult(True, sentence, is_doubtful=not tools)


def _seconds(seconds: float) -> str:
    """Format a duration: `420 ms`, `3.2 s`."""
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
