"""List of a vendor's models, from the vendor's API.

Sources: OpenAI, "List models" (GET /models); Anthropic, "List Models" (GET /v1/models); Google,
"models.list" (GET /v1beta/models); Ollama, "List local models" (GET /api/tags).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from orchestration.exceptions import ProviderError, ProviderTimeout
from orchestration.network import AddressRefused, ConnectionSettings, tls_context
from orchestration.providers.errors import connection_error_text, host_of, quotation
from orchestration.providers.registry import default_address, provider_of

MAX_BYTES = 4 * 1024 * 1024
"""Maximum size of one answer in bytes."""

MAX_PAGES = 20

MAX_NAME = 200
"""Maximum length of a model's name."""

MAX_ERROR_TEXT = 300
"""Maximum length of a server's message in an error."""


async def list_models(
    connection: ConnectionSettings, *, transport: httpx.AsyncBaseTransport | None = None
) -> list[str]:
    """Return the sorted names of a connection's models. Raises `ProviderError`."""
    client = provider_of(connection)
    headers = httpx.Headers({"Accept": "application/json"} | client.headers())
    headers.update(connection.headers)
    limits = connection.limits
    timeout = httpx.Timeout(limits.first_byte or 20.0, connect=limits.connect or 5.0)
    base = (connection.base_url or default_address(connection.kind)).rstrip("/")
    model_list = client.model_list
    models: dict[str, None] = {}
    async with httpx.AsyncClient(
        headers=headers,
        timeout=timeout,
        follow_redirects=False,
        trust_env=False,
        verify=tls_context(),
        transport=transport,
    ) as session:
        query: dict[str, str] = dict(model_list.query or {})
        for _ in range(MAX_PAGES):
            page = await _page(session, base + model_list.path, query, connection)
            try:
                names = [str(name) for name in model_list.names(page) if name]
                models |= dict.fromkeys(filter(_is_name, names))
                following = model_list.following(page)
            except (AttributeError, KeyError, TypeError):
                raise _not_a_list(connection) from None
            if not following:
                break
            query |= following
    return sorted(models)


async def _page(
    session: httpx.AsyncClient, url: str, query: Mapping[str, str], connection: ConnectionSettings
) -> Mapping[str, Any]:
    host = host_of(url)
    try:
        async with session.stream("GET", url, params=query or None) as response:
            body = b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise ProviderError(f"The list of models from {host} is too large.")
    except AddressRefused as error:
        raise ProviderError(str(error)) from None
    except httpx.TimeoutException:
        raise ProviderTimeout(f"{host} did not answer in time.") from None
    except httpx.HTTPError as error:
        raise ProviderError(connection_error_text(error, host)) from None
    if response.status_code != httpx.codes.OK:
        message = connection.without_secrets(_error_message(body))
        raise ProviderError(
            f"{host} answered with status {response.status_code} to the request for its models."
            f"{quotation(message)}",
            status=response.status_code,
        )
    try:
        page = json.loads(body)
    except (ValueError, RecursionError):
        raise _not_a_list(connection) from None
    if not isinstance(page, dict):
        raise _not_a_list(connection)
    return page


def _is_name(name: str) -> bool:
    """Report whether an agent can use the name as its model."""
    return 0 < len(name) <= MAX_NAME and name.isprintable()


def _error_message(body: bytes) -> str:
    """Return a server's error message, if there is one."""
    try:
        error = json.loads(body)
        error = error.get("error", error)
        text = error if isinstance(error, str) else error.get("message", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return str(text)[:MAX_ERROR_TEXT]


def _not_a_list(connection: ConnectionSettings) -> ProviderError:
    return ProviderError(
        f"{connection.base_url or 'The vendor'} did not return a list of models: "
        "check the base URL."
    )
