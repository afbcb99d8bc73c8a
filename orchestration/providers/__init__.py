"""Clients of model APIs, and which of them a server has (row T-1)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.providers.base import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider


def providers_from_environment(environ: Mapping[str, str]) -> dict[str, Provider]:
    """The providers that the environment connects.

    `scripted` is always there. `OPENAI_BASE_URL` or `OPENAI_API_KEY` connect `openai_compatible`,
    which asks `OPENAI_MODEL` where an agent names none; it is then the `default`, else `scripted`.
    """
    scripted: Provider = ScriptedProvider(_pace(environ))
    providers = {"scripted": scripted, "default": scripted}
    base_url, key = environ.get("OPENAI_BASE_URL", ""), environ.get("OPENAI_API_KEY", "")
    if base_url or key:
        from orchestration.providers.openai_compatible import OPENAI, OpenAICompatibleProvider

        providers["openai_compatible"] = providers["default"] = OpenAICompatibleProvider(
            base_url=base_url or OPENAI, api_key=key, model=environ.get("OPENAI_MODEL", "")
        )
    return providers


def _pace(environ: Mapping[str, str]) -> float:
    """`BATON_TOKENS_PER_SECOND`: how fast the scripted provider speaks; 0 without a pause."""
    given = environ.get("BATON_TOKENS_PER_SECOND", "")
    try:
        return max(0.0, float(given)) if given else TOKENS_PER_SECOND
    except ValueError:
        raise ValueError(f"BATON_TOKENS_PER_SECOND must be a number, not {given!r}.") from None
