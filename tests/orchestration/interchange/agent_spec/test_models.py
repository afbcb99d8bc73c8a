"""Models of agents as `LlmConfig` components."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import export
from tests.orchestration.interchange.agent_spec.loading import loaded
from tests.orchestration.interchange.agent_spec.rich import document, rich


@pytest.mark.parametrize(
    ("provider", "model", "kind", "name"),
    [
        ("default", "", "OpenAiCompatibleConfig", "default"),
        ("my_server", "m", "OpenAiCompatibleConfig", "m"),
        ("openai", "gpt-5", "OpenAiConfig", "gpt-5"),
        ("ollama", "llama", "OllamaConfig", "llama"),
    ],
)
def test_a_provider_is_a_configuration_without_its_address_and_key(
    provider: str, model: str, kind: str, name: str
) -> None:
    agent = {"id": "a", "name": "A", "provider": provider, "model": model, "temperature": 0.5}
    component = loaded(export(rich(agents=[agent], stages=[]), "agent-spec").files)
    config: Any = component.llm_config  # type: ignore[attr-defined]
    assert config.component_type == kind
    assert (config.model_id, config.api_key) == (name, None)
    assert config.default_generation_parameters.temperature == 0.5
    if kind != "OpenAiConfig":
        assert config.url.endswith(".example/v1")


def test_agents_with_the_same_settings_share_a_model() -> None:
    models = [key for key in document(rich())["$referenced_components"] if key.startswith("model")]
    assert models == ["model.default", "model.default.2"]
