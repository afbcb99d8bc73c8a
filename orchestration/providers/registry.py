"""The list of vendors, and the providers of connections.

A vendor's module is imported when it is used: httpx and stamina take a while to load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from orchestration.network import ConnectionKind, ConnectionSettings, TimeLimits
from orchestration.providers.provider import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider

if TYPE_CHECKING:
    import httpx

    from orchestration.providers.http_client import VendorClient


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor of models."""

    label: str
    """Name for people."""
    provider: str
    """Class of the client, in the module named like the vendor."""
    prefix: str
    """Beginning of the environment variables; also the constant with the default address."""
    required: str = "API_KEY"
    """The variables that connect it, for error messages."""

    @property
    def instructions(self) -> str:
        """A sentence on connecting the vendor."""
        names = " and ".join(f"{self.prefix}_{name}" for name in self.required.split())
        return f"Set {names}, and start the server again."


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
"""The vendors by name. The first one that the environment connects is the default."""


def providers_from_environment(environ: Mapping[str, str]) -> dict[str, Provider]:
    """Return the providers that the environment connects, by name.

    `scripted` is always included. A vendor is connected by its `…_API_KEY` or its `…_BASE_URL`;
    its `…_MODEL` serves agents that name no model. `OPENAI_…` connects both `openai_compatible`
    (chat completions) and `openai` (responses). The first one is the `default`; without any,
    `scripted` is. `BATON_FIRST_BYTE_SECONDS` limits the wait for the beginning of an answer.
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

    Events and errors name the connection, unless it is one of the environment's.
    """
    from orchestration.providers.http_client import Patience, Variables

    make: Any = _from_module(connection.kind, VENDORS[connection.kind].provider)
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


def instructions_for(name: str) -> str:
    """Return a sentence on connecting a missing provider; empty for an unknown one."""
    return VENDORS[name].instructions if name in VENDORS else ""


def usual_address(kind: str) -> str:
    """Return the default address of a vendor; empty for a kind without one."""
    if kind not in VENDORS:
        return ""
    return str(_from_module(kind, VENDORS[kind].prefix))


def _from_module(kind: str, name: str) -> object:
    """Return a name of a vendor's module."""
    return getattr(import_module(f"orchestration.providers.{kind}"), name)


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
