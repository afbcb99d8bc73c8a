"""Reading of `Agent` components: agents and their stages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from orchestration.definition import (
    MAX_VARIABLE_NAME,
    MAX_VARIABLES,
    VARIABLE_PATTERN,
    Agent,
    PipelineDefinition,
    Stage,
)
from orchestration.interchange.agent_spec.agents import (
    OWN_FIELDS,
    conditions_of,
    described,
    outputs_field,
)
from orchestration.interchange.agent_spec.document import Component, Document
from orchestration.interchange.agent_spec.metadata import data_of
from orchestration.interchange.agent_spec.model_reading import ModelReading
from orchestration.interchange.agent_spec.properties import parameters_of
from orchestration.interchange.agent_spec.tool_reading import ToolReading, properties
from orchestration.interchange.agent_spec.tools import placeholders
from orchestration.interchange.reading import Reading, shown
from orchestration.interchange.results import Loss

_MAX_DEFAULT: Final = 500
_UNREAD: Final = {
    "transforms": "Messages are not shortened or changed for this agent.",
}


class AgentReading:
    """Agents and stages while a document is read; a component is read once."""

    def __init__(
        self, reading: Reading, document: Document, exported: PipelineDefinition | None
    ) -> None:
        self._reading, self._document, self._exported = reading, document, exported
        self._conditions = conditions_of(exported) if exported else {}
        self._models = ModelReading(reading, document)
        self._tools = ToolReading(reading, document)
        self._phases: dict[str, str] = {}
        self._inline: dict[str, tuple[Component, str]] = {}
        self._agents: dict[str, tuple[str, dict[str, Any]]] = {}
        self.variables: dict[str, str] = dict(exported.variables) if exported else {}

    def read(self, value: object, path: str) -> str | None:
        """Return the stage of the agent of a value; None if it is a loss."""
        part = self._document.part(value, path)
        if part is None:
            self._reading.lose("Agent", path, "not found", "The agent is missing.")
            return None
        if part.kind != "Agent":
            kind = shown(part.kind) or "a component without a type"
            self._reading.lose("Agent", part.path, f"{kind} is left out", "The agent is missing.")
            return None
        key = part.fields.get("id")
        if (
            isinstance(key, str)
            and key in self._inline
            and self._inline[key][0].fields == part.fields
        ):
            return self._inline[key][1]
        if part.path not in self._phases:
            self._phases[part.path] = phase = self._read(part)
            if isinstance(key, str):
                self._inline[key] = part, phase
        return self._phases[part.path]

    def read_alone(self, part: Component) -> str:
        """Return the stage of an agent without others; empty for an exported agent without one."""
        return self._read(part)

    def read_prompt(self, node: Component) -> str:
        """Return the stage of a node that calls a model, read as an agent with its prompt."""
        outputs = node.fields.get("outputs")
        is_text = not isinstance(outputs, list) or len(outputs) == 1
        prompt = {
            "system_prompt": node.fields.get("prompt_template"),
            "outputs": None if is_text else outputs,
        }
        self._reading.rows.append(
            Loss(
                "Node",
                (node.path,),
                "comment",
                "an agent with the prompt as its instructions",
                "The agent also sees the conversation.",
                differs=True,
            )
        )
        return self._read(Component(node.path, {**node.fields, **prompt}))

    def _read(self, part: Component) -> str:
        data = data_of(part.fields)
        stored = data.get("agent")
        native = self._native(part, stored if isinstance(stored, dict) else {})
        agent = self._stored(part, stored, native) if isinstance(stored, dict) else None
        fields = agent if agent is not None else native
        wanted = fields.pop("id", None)
        agent_id = self._add(wanted, fields)
        place = data.get("stage")
        if agent is not None and "stage" not in data:
            return ""
        return self._add_stage(part, agent_id, fields, place if isinstance(place, dict) else {})

    def _add(self, wanted: str | None, fields: dict[str, Any]) -> str:
        """Return the id of an agent; another component with the same fields is the same agent."""
        if wanted is not None and self._agents.get(wanted, ("", None))[1] == fields:
            return self._agents[wanted][0]
        if wanted is not None and self._reading.claim("agent", wanted):
            found = wanted
        else:
            found = self._reading.key("agent", fields["name"])
        self._agents[wanted or found] = found, fields
        self._reading.fields["agents"].append({"id": found, **fields})
        self._reading.keep("Agents", found)
        return found

    def _add_stage(
        self, part: Component, agent_id: str, fields: dict[str, Any], place: dict[str, Any]
    ) -> str:
        phase = str(place.get("phase", ""))
        if not self._reading.claim("stage", phase):
            phase = self._reading.key("stage", fields["name"])
        description = self._reading.text(part.fields.get("description"), part.at("description"))
        stored = place.get("description")
        if isinstance(stored, str):
            stage = Stage.model_construct(phase=phase, description=stored)
            if description == described(stage, self._conditions):
                description = stored
        self._reading.fields["stages"].append(
            {"phase": phase, "agent_id": agent_id, "description": description}
        )
        self._reading.keep("Stages", phase)
        return phase

    def _native(self, part: Component, stored: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of an agent that the component has itself, and report the others."""
        name = part.fields.get("name")
        if name is not None and name == stored.get("written"):
            name = stored.get("name")
        fields = {
            "name": self._reading.name(name, part.at("name"), "Agent"),
            "instructions": self._reading.text(
                part.fields.get("system_prompt"), part.at("system_prompt")
            ),
            **self._models.read(part.fields.get("llm_config"), part.at("llm_config")),
            "tools": self._tool_names(part),
        }
        if outputs := properties(part, "outputs"):
            fields["response_schema"] = parameters_of(outputs)
        self._read_inputs(part, fields["instructions"])
        for key, consequence in _UNREAD.items():
            if part.fields.get(key):
                self._reading.lose("Agent", part.at(key), "left out", consequence)
        if part.fields.get("human_in_the_loop") is False:
            self._reading.rows.append(
                Loss(
                    "Agent",
                    (part.at("human_in_the_loop"),),
                    "lost",
                    "left out",
                    "The agent may ask the user.",
                    differs=True,
                )
            )
        return fields

    def _stored(
        self, part: Component, stored: dict[str, Any], native: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Return the fields of an agent that Baton exported; changes made elsewhere win."""
        fields = {key: value for key, value in stored.items() if key != "written"}
        missing = fields.pop("tools", [])
        fields |= {key: value for key, value in native.items() if key in OWN_FIELDS}
        if properties(part, "outputs") != _expected_outputs(stored):
            fields["response_schema"] = native.get("response_schema")
        try:
            fields["tools"] = [*native["tools"], *missing]
            agent = Agent.model_validate(fields)
        except (ValidationError, TypeError):
            self._reading.lose(
                "Agent", part.at("metadata"), "not valid", "Its settings of Baton are left out."
            )
            return None
        return agent.model_dump(mode="json", exclude_defaults=True)

    def _tool_names(self, part: Component) -> list[str]:
        names: list[str] = []
        for path, value in part.entries("tools"):
            name = self._tools.read(value, path)
            names += [name] if name is not None else []
        for path, value in part.entries("toolboxes"):
            names += self._tools.read_box(value, path)
        return names

    def _read_inputs(self, part: Component, instructions: str) -> None:
        """Read the placeholders of instructions as variables with their default values."""
        defaults = {
            str(each.get("title")): (path, each["default"])
            for path, each in part.entries("inputs")
            if isinstance(each, dict) and isinstance(each.get("default"), str)
        }
        for name in placeholders(instructions):
            path, value = defaults.get(name, (part.at("system_prompt"), ""))
            if self._exported and name not in defaults:
                continue  # a text in braces
            if self.variables.get(name) == value:
                continue
            if name not in self.variables and not self._can_add(name):
                self._reading.lose(
                    "Variable", path, f"{shown(name)} is left out", "It is not filled in."
                )
            elif name in defaults or name not in self.variables:
                self.variables[name] = self._reading.text(value, path, _MAX_DEFAULT)

    def _can_add(self, name: str) -> bool:
        is_name = re.fullmatch(VARIABLE_PATTERN, name) and len(name) <= MAX_VARIABLE_NAME
        return bool(is_name) and len(self.variables) < MAX_VARIABLES


def _expected_outputs(stored: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the outputs that an export has for the stored fields of an agent."""
    schema = stored.get("response_schema")
    outputs: list[dict[str, Any]] = (
        outputs_field(schema).get("outputs", []) if isinstance(schema, dict) else []
    )
    return outputs


def kinds_of(pairs: Sequence[tuple[str, str]], first: str | None) -> list[str]:
    """Return the kinds of foreign transitions: `next` to the first new stage, `return` to others.

    The pairs are followed from the first stage on, so that the `next` transitions lead forward.
    """
    targets: dict[str, list[str]] = {}
    for source, target in pairs:
        targets.setdefault(source, []).append(target)
    order = [first] if first is not None else []
    chosen: set[tuple[str, str]] = set()
    seen = set(order)
    for start in [*order, *targets]:
        queue = [start]
        for phase in queue:
            new = [each for each in targets.pop(phase, []) if each not in seen]
            if new:
                chosen.add((phase, new[0]))
            seen |= {phase, *new}
            queue += new
    return ["next" if pair in chosen else "return" for pair in pairs]
