"""The list of vendors, and the providers of connections.

A vendor's module is imported when it is used: httpx and stamina take a while to load.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from orchestration.network import ConnectionSettings, TimeLimits
from orchestration.providers.provider import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider

if TYPE_CHECKING:
    import httpx

    from orchestration.providers.http_client import VendorClient


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor of models."""

    label: str
    """Name on screens."""
    provider: str
    """Class of the client, in the module with the vendor's name."""
    prefix: str
    """Prefix of the environment variables; also the constant with the default address."""
    required: str = "API_KEY"
    """Environment variables without the prefix, for error messages."""

    @property
    def instructions(self) -> str:
        """Sentence about the settings that connect the vendor."""
        names = " and ".join(f"{self.prefix}_{name}" for name in self.required.split())
        return f"Set {names}, and restart the server."


VENDORS: Mapping[str, Vendor] = {
    "openai_compatible": Vendor(
        "OpenAI-compatible (chat completions)",
        "OpenAICompatibleProvider",
        "OPENAI",
        required="BASE_URL API_KEY",
    ),
    "openai": Vendor("OpenAI (responses)", "OpenAIProvider", "OPENAI"),
    "anthropic": Vendor("Anthropic", "AnthropicProvider", "ANTHROPIC"),
    "gemini": Vendor("Google Gemini", "GeminiProvider", "GEMINI"),
    "ollama": Vendor("Ollama", "OllamaProvider", "OLLAMA", required="BASE_URL"),
}
"""Vendors by name. The first one that the environment connects is the default."""


def providers_from_environment(environ: Mapping[str, str] = os.environ) -> dict[str, Provider]:
    """Return the providers connected by environment variables, by name.

    `scripted` is always included. A vendor is connected by its `…_API_KEY` or its `…_BASE_URL`;
    its `…_MODEL` is the default for agents without a model. `OPENAI_…` connects both
    `openai_compatible` (chat completions) and `openai` (responses). The first one is the
    `default`; without any, `scripted` is. `BATON_FIRST_BYTE_SECONDS` limits the wait for the
    beginning of an answer.
    """
    scripted: Provider = ScriptedProvider(_pace(environ))
    connections = connections_from_environment(environ)
    connected: dict[str, Provider] = {
        name: provider_of(connection) for name, connection in connections.items()
    }
    default = next(iter(connected.values()), scripted)
    return {"scripted": scripted, "default": default, **connected}


def connections_from_environment(environ: Mapping[str, str]) -> dict[str, ConnectionSettings]:
    """Return the connections defined by environment variables, by the vendor's name."""
    seconds = _number(environ, "BATON_FIRST_BYTE_SECONDS")
    limits = TimeLimits(first_byte=None if seconds is None else max(0.1, seconds))
    return {
        name: ConnectionSettings(
            name=name,
            kind=name,
            base_url=environ.get(f"{vendor.prefix}_BASE_URL", ""),
            key=environ.get(f"{vendor.prefix}_API_KEY", ""),
            model=environ.get(f"{vendor.prefix}_MODEL", ""),
            limits=limits,
            is_operators=True,
        )
        for name, vendor in VENDORS.items()
        if environ.get(f"{vendor.prefix}_API_KEY") or environ.get(f"{vendor.prefix}_BASE_URL")
    }


def provider_of(
    connection: ConnectionSettings, *, transport: httpx.AsyncBaseTransport | None = None
) -> VendorClient:
    """Return the client of a connection; raise ValueError for invalid settings.

    Events and errors contain the connection's name, unless environment variables define it.
    """
    from orchestration.providers.http_client import RetryPolicy, SettingNames

    make: Any = _from_module(connection.kind, VENDORS[connection.kind].provider)
    limits = {name: value for name, value in asdict(connection.limits).items() if value is not None}
    client: VendorClient = make(
        base_url=connection.base_url or default_address(connection.kind),
        api_key=connection.key,
        model=connection.model,
        retry_policy=RetryPolicy(**limits),
        headers=connection.headers,
        transport=transport,
    )
    if not connection.is_operators:
        label = f"the connection {connection.name!r}"
        client.name = connection.name
        client.setting_names = SettingNames(
            key=f"the key of {label}",
            address=f"the base URL of {label}",
            model=f"a model in {label}",
        )
    return client


def setup_instructions(name: str) -> str:
    """Return the instructions to connect a vendor; empty for an unknown name."""
    return VENDORS[name].instructions if name in VENDORS else ""


def default_address(kind: str) -> str:
    """Return the default address of a vendor; empty for a kind without one."""
    if kind not in VENDORS:
        return ""
    return str(_from_module(kind, VENDORS[kind].prefix))


def _from_module(kind: str, name: str) -> object:
    """Return an attribute of a vendor's module."""
    return getattr(import_module(f"orchestration.providers.{kind}"), name)


def _pace(environ: Mapping[str, str]) -> float:
    """Return the speed of the scripted provider in tokens per second; 0 is unlimited."""
    speed = _number(environ, "BATON_TOKENS_PER_SECOND")
    return TOKENS_PER_SECOND if speed is None else max(0.0, speed)


def _number(environ: Mapping[str, str], name: str) -> float | None:
    text = environ.get(name, "")
    try:
        return float(text) if text else None
    except ValueError:
        raise ValueError(f"{name} must be a number, not {text!r}.") from None
