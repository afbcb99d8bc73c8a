"""From connections to providers: those of the environment, and any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from orchestration.network import ConnectionKind, ConnectionSettings, TimeLimits
from orchestration.providers.base import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider

if TYPE_CHECKING:
    import httpx

    from orchestration.providers.client import VendorClient

VENDORS: Mapping[str, tuple[str, str]] = {
    "openai_compatible": ("OpenAICompatibleProvider", "OPENAI"),
    "openai": ("OpenAIProvider", "OPENAI"),
    "anthropic": ("AnthropicProvider", "ANTHROPIC"),
    "gemini": ("GeminiProvider", "GEMINI"),
    "ollama": ("OllamaProvider", "OLLAMA"),
}
"""By its name each vendor's class, in the module of that name, and what its variables begin with;
the first that is connected is the default."""


def providers_from_environment(environ: Mapping[str, str]) -> dict[str, Provider]:
    """The providers that the environment connects.

    `scripted` is always there. A vendor is connected by its `…_API_KEY` or its `…_BASE_URL`, and
    asks its `…_MODEL` where an agent names none: `OPENAI_…` connect both `openai_compatible` (chat
    completions) and `openai` (responses), the others are `ANTHROPIC_…`, `GEMINI_…` and `OLLAMA_…`.
    The first of them is the `default`; where there is none, `scripted` is.
    `BATON_FIRST_BYTE_SECONDS` says how long each may take to begin an answer.
    """
    scripted: Provider = ScriptedProvider(_pace(environ))
    found = connections_from_environment(environ)
    connected: dict[str, Provider] = {name: provider_of(one) for name, one in found.items()}
    default = next(iter(connected.values()), scripted)
    return {"scripted": scripted, "default": default, **connected}


def connections_from_environment(environ: Mapping[str, str]) -> dict[str, ConnectionSettings]:
    """Return the connections that the environment defines, by the vendor's name."""
    seconds = _number(environ, "BATON_FIRST_BYTE_SECONDS")
    limits = TimeLimits(first_byte=None if seconds is None else max(0.1, seconds))
    return {
        name: ConnectionSettings(
            name=name,
            kind=cast("ConnectionKind", name),
            base_url=environ.get(f"{prefix}_BASE_URL", ""),
            key=environ.get(f"{prefix}_API_KEY", ""),
            model=environ.get(f"{prefix}_MODEL", ""),
            limits=limits,
            is_operators=True,
        )
        for name, (_, prefix) in VENDORS.items()
        if environ.get(f"{prefix}_API_KEY") or environ.get(f"{prefix}_BASE_URL")
    }


def provider_of(
    connection: ConnectionSettings, *, transport: httpx.AsyncBaseTransport | None = None
) -> VendorClient:
    """A client of what a connection reaches; ValueError where its settings cannot be right.

    Events and errors call it by the connection's name, if it is not one of the environment's.
    """
    # Loaded only where it is wanted: httpx and stamina take a while.
    from orchestration.providers.client import Patience, Variables

    kind, _ = VENDORS[connection.kind]
    make: Any = getattr(import_module(f"orchestration.providers.{connection.kind}"), kind)
    limits = {name: value for name, value in asdict(connection.limits).items() if value is not None}
    client: VendorClient = make(
        base_url=connection.base_url or usual_address(connection.kind),
        api_key=connection.key,
        model=connection.model,
        patience=Patience(**limits),
        headers=connection.headers,
        transport=transport,
    )
    if not connection.is_operators:
        named = f"the connection {connection.name!r}"
        client.name = connection.name
        client.variables = Variables(
            key=f"the key of {named}", address=f"the base URL of {named}", model=f"one in {named}"
        )
    return client


def usual_address(kind: str) -> str:
    """Return the default address of a vendor; empty for a kind without one."""
    if kind not in VENDORS:
        return ""
    _, prefix = VENDORS[kind]
    return str(getattr(import_module(f"orchestration.providers.{kind}"), prefix))


def _pace(environ: Mapping[str, str]) -> float:
    """`BATON_TOKENS_PER_SECOND`: how fast the scripted provider speaks; 0 without a pause."""
    given = _number(environ, "BATON_TOKENS_PER_SECOND")
    return TOKENS_PER_SECOND if given is None else max(0.0, given)


def _number(environ: Mapping[str, str], name: str) -> float | None:
    given = environ.get(name, "")
    try:
        return float(given) if given else None
    except ValueError:
        raise ValueError(f"{name} must be a number, not {given!r}.") from None
