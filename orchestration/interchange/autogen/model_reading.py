"""Settings of agents from the model clients of AutoGen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestration.interchange.autogen.tool_reading import class_of
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.reading import shown

_PROVIDERS = {
    "OpenAIChatCompletionClient": "openai",
    "AzureOpenAIChatCompletionClient": "azure",
    "AzureAIChatCompletionClient": "azure",
    "AnthropicChatCompletionClient": "anthropic",
    "AnthropicBedrockChatCompletionClient": "anthropic",
    "OllamaChatCompletionClient": "ollama",
}
_KNOWN = (
    "model",
    "temperature",
    "max_tokens",
    "base_url",
    "api_key",
    "model_info",
    "reasoning_effort",
)
_EFFORTS = ("minimal", "low", "medium", "high")
_MAX_MODEL = 200


def model_settings(document: ForeignDocument, value: object, steps: Steps) -> dict[str, Any]:
    """Return the fields of an agent with this model client; keys and addresses are left out."""
    client = document.fields(value, steps)
    if not client:
        return {}
    at = (*steps, "config")
    config = document.fields(client.get("config"), at)
    provider = _PROVIDERS.get(class_of(client))
    if provider is None:
        name = shown(class_of(client))
        document.lose("Model", (*steps, "provider"), "The agent has the default provider.", name)
    document.unknown(config, at, _KNOWN, "A model")
    if config.get("base_url") is not None:
        document.lose("Address", (*at, "base_url"), "Add a connection with this address.")
    return {"provider": provider or "default"} | _numbers(document, config, at)


def _numbers(document: ForeignDocument, config: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
    found: dict[str, Any] = {
        "temperature": document.number(config.get("temperature"), (*steps, "temperature"), 0, 2),
        "max_output_tokens": document.number(
            config.get("max_tokens"), (*steps, "max_tokens"), 1, 1_000_000, whole=True
        ),
    }
    model, effort = config.get("model"), config.get("reasoning_effort")
    if isinstance(model, str) and len(model) <= _MAX_MODEL:
        found["model"] = model
    elif model is not None:
        document.lose("Model", (*steps, "model"), "The agent has the default model.")
    if effort in _EFFORTS:
        found["reasoning_effort"] = effort
    elif effort is not None:
        at = (*steps, "reasoning_effort")
        document.lose("Model setting", at, "The model has its default effort.")
    return {key: each for key, each in found.items() if each is not None}
