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
from orchestration.network import AddressRefused, ConnectionSettings
from orchestration.providers.errors import no_answer, place_of
from orchestration.providers.registry import provider_of, usual_address

MAX_BYTES = 4 * 1024 * 1024
"""Maximum size of one answer in bytes."""

MAX_PAGES = 20

MAX_NAME = 200
"""Characters of a model's name."""

MAX_SAID = 300
"""Characters of what a server says that are told on."""


async def list_models(
    connection: ConnectionSettings, *, transport: httpx.AsyncBaseTransport | None = None
) -> list[str]:
    """The names of the models that a connection reaches, in order; ProviderError in words."""
    client = provider_of(connection)
    headers = httpx.Headers({"Accept": "application/json"} | client.headers())
    headers.update(connection.headers)
    limits = connection.limits
    timeout = httpx.Timeout(limits.first_byte or 20.0, connect=limits.connect or 5.0)
    base = (connection.base_url or usual_address(connection.kind)).rstrip("/")
    catalogue = client.catalogue
    found: dict[str, None] = {}
    async with httpx.AsyncClient(
        headers=headers,
        timeout=timeout,
        follow_redirects=False,
        trust_env=False,
        transport=transport,
    ) as web:
        query: dict[str, str] = dict(catalogue.query or {})
        for _ in range(MAX_PAGES):
            page = await _page(web, base + catalogue.path, query, connection)
            try:
                names = [str(name) for name in catalogue.names(page) if name]
                found |= dict.fromkeys(filter(_is_name, names))
                following = catalogue.following(page)
            except (AttributeError, KeyError, TypeError):
                raise _not_a_list(connection) from None
            if not following:
                break
            query |= following
    return sorted(found)


async def _page(
    web: httpx.AsyncClient, url: str, query: Mapping[str, str], connection: ConnectionSettings
) -> Mapping[str, Any]:
    host = place_of(url)
    try:
        async with web.stream("GET", url, params=query or None) as response:
            body = b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise ProviderError(f"{host} lists more than can be taken in.")
    except AddressRefused as error:
        raise ProviderError(str(error)) from None
    except httpx.TimeoutException:
        raise ProviderTimeout(f"{host} did not answer in time.") from None
    except httpx.HTTPError as error:
        raise ProviderError(no_answer(error, host)) from None
    if response.status_code != httpx.codes.OK:
        said = connection.without_secrets(_words(body))
        says = f" It says: {said}" if said else ""
        raise ProviderError(
            f"{host} answered with status {response.status_code} when asked for its models.{says}",
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


def _words(body: bytes) -> str:
    """Return a server's error message, if there is one."""
    try:
        error = json.loads(body)
        error = error.get("error", error)
        text = error if isinstance(error, str) else error.get("message", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return str(text)[:MAX_SAID]


def _not_a_list(connection: ConnectionSettings) -> ProviderError:
    return ProviderError(
        f"What {connection.base_url or 'the vendor'} answered is no list of models: is the base "
        "URL right?"
    )
