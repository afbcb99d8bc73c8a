"""Settings of agents from the `models` and `providers` of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestration.definition import fallback_fields
from orchestration.handoff import key_of
from orchestration.interchange.docker_agent.models import DEFAULT, address_of
from orchestration.interchange.foreign import ForeignDocument, Steps

_MODEL_FIELDS = ("provider", "model", "temperature", "max_tokens", "thinking_budget", "base_url")
_EFFORTS = ("minimal", "low", "medium", "high")
_MAX_MODEL = 200


class ModelReader:
    """Reader of models; a loss is reported once for each model."""

    def __init__(self, document: ForeignDocument, root: Mapping[str, Any]) -> None:
        self._document = document
        self._models = document.fields(root.get("models"), ("models",))
        self._settings: dict[str, dict[str, Any]] = {}
        providers = document.fields(root.get("providers"), ("providers",))
        for name in providers:
            self._check_provider(name, document.fields(providers[name], ("providers", name)))

    def settings(self, name: object, steps: Steps) -> dict[str, Any]:
        """Return the fields of an agent with this model: a name, or `provider/model`."""
        if name is None:
            return {}
        if not isinstance(name, str):
            self._document.lose("Model", steps, "The agent has the default model.")
            return {}
        if name not in self._models:
            provider, _, model = name.rpartition("/") if "/" in name else (name, "", "")
            return self._named(provider.partition("/")[0], model, steps)
        if name not in self._settings:
            self._settings[name] = self._read(name)
        return self._settings[name]

    def fallback(self, value: object, steps: Steps) -> dict[str, Any]:
        """Return the fields of an agent for its `fallback`."""
        document = self._document
        raw = document.fields(value, steps)
        document.unknown(raw, steps, ("models", "retries"), "A fallback")
        found: dict[str, Any] = {}
        for index, (name, at) in enumerate(document.texts(raw.get("models"), (*steps, "models"))):
            if index:
                document.lose("Fallback", at, "An agent has one fallback.")
                continue
            settings = self.settings(name, at)
            found |= fallback_fields(settings.get("provider", DEFAULT), settings.get("model", ""))
        retries = document.number(raw.get("retries"), (*steps, "retries"), -1, 10, whole=True)
        if retries:
            found["retries"] = max(retries, 0)
        return found

    def _read(self, name: str) -> dict[str, Any]:
        document, steps = self._document, ("models", name)
        raw = document.fields(self._models[name], steps)
        document.unknown(raw, steps, _MODEL_FIELDS, "A model")
        found = self._named(raw.get("provider"), raw.get("model"), (*steps, "model"))
        if raw.get("base_url") is not None:
            self._lose_address((*steps, "base_url"))
        number = document.number
        temperature = number(raw.get("temperature"), (*steps, "temperature"), 0, 2)
        most = number(raw.get("max_tokens"), (*steps, "max_tokens"), 1, 1_000_000, whole=True)
        effort = raw.get("thinking_budget")
        if effort is not None and effort not in _EFFORTS:
            at = (*steps, "thinking_budget")
            document.lose("Model setting", at, "The model has its default effort.")
            effort = None
        given = {
            "temperature": temperature,
            "max_output_tokens": most,
            "reasoning_effort": effort,
        }
        return found | {key: each for key, each in given.items() if each is not None}

    def _named(self, provider: object, model: object, steps: Steps) -> dict[str, Any]:
        key = key_of(provider, DEFAULT) if isinstance(provider, str) else DEFAULT
        name = model if isinstance(model, str) and len(model) <= _MAX_MODEL else ""
        if name != (model or ""):
            self._document.lose("Model", steps, "The agent has the default model.")
        return {"provider": key, "model": "" if name == DEFAULT else name}

    def _check_provider(self, name: str, raw: Mapping[str, Any]) -> None:
        steps = ("providers", name)
        known = ("base_url", "token_key", "api_type")
        self._document.unknown(raw, steps, known, "A provider")
        if raw.get("base_url") not in (None, address_of(name)):
            self._lose_address((*steps, "base_url"))

    def _lose_address(self, steps: Steps) -> None:
        self._document.lose("Address", steps, "Add a connection with this address.")
