"""Models and providers of a file, from the providers and settings of agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from orchestration.definition import Agent

DEFAULT: Final = "default"
LOCAL: Final = "http://127.0.0.1:8080/v1"
"""Address of the default provider: a local server with the protocol of OpenAI."""

VENDORS: Final = frozenset(
    (
        "amazon-bedrock",
        "anthropic",
        "azure",
        "dmr",
        "google",
        "groq",
        "mistral",
        "nebius",
        "ollama",
        "openai",
        "requesty",
        "xai",
    )
)
"""Providers that docker-agent knows by name."""

PLACEHOLDER_HOST: Final = ".invalid"


def address_of(provider: str) -> str:
    """Return the address of a provider that docker-agent does not know, to be replaced."""
    return LOCAL if provider == DEFAULT else f"https://{provider}{PLACEHOLDER_HOST}/v1"


@dataclass(slots=True)
class Models:
    """The `models` and `providers` of a file, each written once."""

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    providers: dict[str, dict[str, Any]] = field(default_factory=dict)
    _names: dict[tuple[Any, ...], str] = field(default_factory=dict)
    _numbers: dict[str, int] = field(default_factory=dict)

    def of(self, agent: Agent) -> str:
        """Return the name of an agent's model, which is added if it is new."""
        settings = (agent.temperature, agent.max_output_tokens, agent.reasoning_effort)
        return self._add(agent.provider, agent.model, settings)

    def default(self) -> str:
        """Return the name of the default model, for an entry without an agent."""
        return self._add(DEFAULT, "", (None, None, None))

    def fallback_of(self, agent: Agent) -> dict[str, Any]:
        """Return the `fallback` of an agent; empty without any."""
        found: dict[str, Any] = {}
        if agent.fallback is not None:
            found["models"] = [self.of(agent.with_fallback())]
        if agent.retries is not None:
            found["retries"] = agent.retries or -1  # 0 is the default of docker-agent
        return found

    def _add(self, provider: str, model: str, settings: tuple[Any, ...]) -> str:
        key = (provider, model, *settings)
        if key in self._names:
            return self._names[key]
        number = self._numbers[provider] = self._numbers.get(provider, 0) + 1
        name = self._names[key] = provider if number == 1 else f"{provider}.{number}"
        names = ("temperature", "max_tokens", "thinking_budget")
        given = {
            each: value for each, value in zip(names, settings, strict=True) if value is not None
        }
        self.models[name] = {"provider": provider, "model": model or DEFAULT} | given
        if provider not in VENDORS and provider not in self.providers:
            self.providers[provider] = {"api_type": "openai_chatcompletions"} | _connection(
                provider
            )
        return name


def _connection(provider: str) -> dict[str, str]:
    address = {"base_url": address_of(provider)}
    if provider == DEFAULT:
        return address
    return address | {"token_key": f"{provider.upper().replace('-', '_')}_API_KEY"}
