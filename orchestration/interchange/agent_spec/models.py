"""Models of agents: a provider and its settings as an `LlmConfig`.

A definition contains no address and no key: those belong to the connections of a server. So an
exported configuration has an address to replace, and an imported one loses its address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from orchestration.definition import Agent
from orchestration.interchange.agent_spec.metadata import metadata

Model = tuple[str, str, float | None, int | None]
"""Provider, model, temperature and maximum of tokens of an agent."""

DEFAULT_PROVIDER: Final = "default"
_TYPES: Final = {"openai": "OpenAiConfig", "ollama": "OllamaConfig"}


def model_of(agent: Agent) -> Model:
    """Return the settings of an agent that belong to its model."""
    return agent.provider, agent.model, agent.temperature, agent.max_output_tokens


def model_component(model: Model, identifier: str) -> dict[str, Any]:
    """Return the `LlmConfig` of a model; a model without a name is called as its provider."""
    provider, name, temperature, max_tokens = model
    kind = _TYPES.get(provider, "OpenAiCompatibleConfig")
    settings = {"max_tokens": max_tokens, "temperature": temperature}
    used = {key: value for key, value in settings.items() if value is not None}
    return {
        "component_type": kind,
        "id": identifier,
        "name": provider,
        **metadata(provider=provider, model=name or None),
        **({} if kind == "OpenAiConfig" else {"url": address(provider)}),
        "model_id": name or provider,
        **({"default_generation_parameters": used} if used else {}),
    }


def address(connection: str) -> str:
    """Return the address to replace of a connection: a host that cannot exist."""
    return f"https://{connection.strip('_').replace('_', '-')}.example/v1"


def expected(data: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return type and model id that belong to the data of Baton; None for invalid data."""
    provider, name = data.get("provider"), data.get("model", "")
    if not isinstance(provider, str) or not isinstance(name, str):
        return None
    return _TYPES.get(provider, "OpenAiCompatibleConfig"), name or provider
