"""Clients of model APIs, and which of them a server has (row T-1)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from orchestration.providers.base import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider

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
    connected = {
        name: _connected(name, kind, prefix, environ)
        for name, (kind, prefix) in VENDORS.items()
        if environ.get(f"{prefix}_API_KEY") or environ.get(f"{prefix}_BASE_URL")
    }
    default = next(iter(connected.values()), scripted)
    return {"scripted": scripted, "default": default, **connected}


def _connected(name: str, kind: str, prefix: str, environ: Mapping[str, str]) -> Provider:
    # Loaded only where it is wanted: httpx and stamina take a while.
    client: Any = getattr(import_module(f"{__name__}.{name}"), kind)
    base_url = environ.get(f"{prefix}_BASE_URL", "")
    options: dict[str, Any] = {"base_url": base_url} if base_url else {}
    if (seconds := _number(environ, "BATON_FIRST_BYTE_SECONDS")) is not None:
        from orchestration.providers.client import Patience

        options["patience"] = Patience(first_byte=max(0.1, seconds))
    provider: Provider = client(
        api_key=environ.get(f"{prefix}_API_KEY", ""),
        model=environ.get(f"{prefix}_MODEL", ""),
        **options,
    )
    return provider


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
