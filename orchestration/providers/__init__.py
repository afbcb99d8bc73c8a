"""Clients of model APIs, and which of them a server has (row T-1)."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.providers.base import Provider
from orchestration.providers.scripted import TOKENS_PER_SECOND, ScriptedProvider


def providers_from_environment(environ: Mapping[str, str]) -> dict[str, Provider]:
    """The providers that the environment connects; `scripted` is always there."""
    scripted = ScriptedProvider(_pace(environ))
    return {"scripted": scripted, "default": scripted}


def _pace(environ: Mapping[str, str]) -> float:
    """`BATON_TOKENS_PER_SECOND`: how fast the scripted provider speaks; 0 without a pause."""
    given = environ.get("BATON_TOKENS_PER_SECOND", "")
    try:
        return max(0.0, float(given)) if given else TOKENS_PER_SECOND
    except ValueError:
        raise ValueError(f"BATON_TOKENS_PER_SECOND must be a number, not {given!r}.") from None
