"""Reading of `LlmConfig` components: the settings of a model without its address and key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from orchestration.interchange.agent_spec.document import Component, Document
from orchestration.interchange.agent_spec.metadata import data_of
from orchestration.interchange.agent_spec.models import DEFAULT_PROVIDER, expected
from orchestration.interchange.reading import Reading, is_key, shown
from orchestration.interchange.results import Loss

_MAX_MODEL: Final = 200
_STRUCTURAL: Final = frozenset(
    (
        "$component_ref",
        "$referenced_components",
        "component_type",
        "default_generation_parameters",
        "description",
        "id",
        "metadata",
        "model_id",
        "name",
        "api_type",
        "api_provider",
        "provider",
    )
)
_SETTINGS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "temperature": (
        "temperature",
        lambda value: isinstance(value, int | float) and 0 <= value <= 2,
    ),
    "max_tokens": (
        "max_output_tokens",
        lambda value: isinstance(value, int) and 1 <= value <= 1_000_000,
    ),
}
"""Fields of an agent and their bounds, by the names of generation parameters."""


class ModelReading:
    """Models of agents while a document is read; a model is reported once."""

    def __init__(self, reading: Reading, document: Document) -> None:
        self._reading, self._document = reading, document
        self._models: dict[str, dict[str, Any]] = {}

    def read(self, value: object, path: str) -> dict[str, Any]:
        """Return the fields of an agent for the model of a value."""
        part = self._document.part(value, path)
        if part is None:
            if value is not None:
                self._reading.lose(
                    "Model", path, "not found", "The agent uses the default provider."
                )
            return {}
        if part.path not in self._models:
            self._models[part.path] = self._fields(part)
        return self._models[part.path]

    def _fields(self, part: Component) -> dict[str, Any]:
        return self._names(part) | self._settings(part)

    def _names(self, part: Component) -> dict[str, Any]:
        data, model = data_of(part.fields), part.fields.get("model_id")
        if is_key(data.get("provider")) and expected(data) == (part.kind, model):
            return {"provider": data["provider"], "model": data.get("model", "")}
        if model == DEFAULT_PROVIDER:
            model = None
        name = self._reading.text(model, part.at("model_id"), _MAX_MODEL)
        self._reading.rows.append(
            Loss(
                "Model",
                (part.path,),
                "comment",
                f"{shown(name) or 'no name'} of the default provider",
                "Choose a provider that has this model.",
            )
        )
        for key, value in part.fields.items():
            if key not in _STRUCTURAL and value not in (None, {}, []):
                self._reading.rows.append(
                    Loss(
                        "Model",
                        (part.at(key),),
                        "lost",
                        "left out",
                        "Addresses and keys belong to the connections of the server.",
                    )
                )
        return {"provider": DEFAULT_PROVIDER, "model": name}

    def _settings(self, part: Component) -> dict[str, Any]:
        parameters = part.fields.get("default_generation_parameters")
        fields: dict[str, Any] = {}
        for key, value in parameters.items() if isinstance(parameters, dict) else ():
            name, is_valid = _SETTINGS.get(key, ("", lambda _: False))
            if value is None:
                continue
            if is_valid(value) and not isinstance(value, bool):
                fields[name] = value
            else:
                self._reading.lose(
                    "Model settings",
                    part.at("default_generation_parameters", key),
                    "left out",
                    "The model uses its default value.",
                )
        return fields
