"""Models of the agents; addresses and keys come from the environment only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

Models = Callable[..., BaseChatModel]
"""Returns the model of an agent by its id, its provider and its settings."""

VENDORS = {"gemini": "google_genai", "openai-compatible": "openai"}


def chat_model(
    agent: str, *, provider: str = "default", model: str = "", **settings: Any
) -> BaseChatModel:
    """Return the model of an agent.

    Without a model, the variable `<PROVIDER>_MODEL` names it, such as `DEFAULT_MODEL`. A provider
    that is no vendor of LangChain has its vendor in `<PROVIDER>_VENDOR`. LangChain reads the key
    from the environment, such as `OPENAI_API_KEY`.
    """
    prefix = re.sub(r"\W", "_", provider).upper()
    prefix = prefix if prefix[0].isalpha() else f"CONNECTION_{prefix}"
    name = model or os.environ[f"{prefix}_MODEL"]
    known = None if provider == "default" else VENDORS.get(provider, provider)
    vendor = os.environ.get(f"{prefix}_VENDOR") or known
    return init_chat_model(name, model_provider=vendor, **settings)
