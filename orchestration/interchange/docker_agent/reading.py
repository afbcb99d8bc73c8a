"""A definition from a file of docker-agent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orchestration.exceptions import DefinitionError, Fault
from orchestration.interchange.docker_agent.entries import (
    GROUP_TEXT,
    HUMAN_TEXT,
    OUTSIDE,
    ROOT,
    parse_description,
    parse_instruction,
    parse_readme,
)
from orchestration.interchange.docker_agent.model_reading import ModelReader
from orchestration.interchange.docker_agent.tool_reading import ToolReader
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.reading import MAX_NAME, Reading, shown
from orchestration.interchange.results import Import
from orchestration.loading import DEFINITION, read_document
from orchestration.validation import json_path

KEY: Final = "docker-agent"

_ROOT_FIELDS = ("version", "agents", "models", "providers", "metadata", "permissions")
_AGENT_FIELDS = (
    "model",
    "fallback",
    "description",
    "instruction",
    "toolsets",
    "handoffs",
    "sub_agents",
    "max_iterations",
    "num_history_items",
    "structured_output",
)
_MAX_NUMBER = 1_000
"""Maximum of `max_turns`, and of the messages of a filter."""

Targets = Mapping[str, tuple[bool, str]]


@dataclass(slots=True)
class _Entry:
    """An entry of `agents` while the file is read."""

    raw: Mapping[str, Any]
    steps: Steps
    phase: str | None = None
    agent_id: str | None = None
    targets: Targets = field(default_factory=dict)


def read(text: str) -> Import:
    """Return the definition of a file and its losses."""
    root = read_document(text, DEFINITION)
    if not isinstance(root, Mapping) or not isinstance(root.get("agents"), Mapping):
        raise DefinitionError([Fault("$.agents", "This document contains no agent to import.")])
    return _FileReader(root).read()


def recognises(text: str, value: object) -> bool:
    """Report whether a document has agents by name, with fields of docker-agent."""
    if not isinstance(value, Mapping) or {"format", "component_type"} & value.keys():
        return False
    agents = value.get("agents")
    if not isinstance(agents, Mapping):
        return False
    fields = [each.keys() for each in agents.values() if isinstance(each, Mapping)]
    return not any(fields) or any(field in keys for keys in fields for field in _AGENT_FIELDS)


class _FileReader:
    """Reader of one file: first the agents and stages, then what connects them."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._reading = Reading(KEY)
        self._document = ForeignDocument(self._reading)
        self._metadata = self._document.fields(root.get("metadata"), ("metadata",))
        text = self._metadata.get("readme")
        self._readme_text = text if isinstance(text, str) else ""
        self._readme = parse_readme(self._readme_text)
        self._models = ModelReader(self._document, root)
        self._tools = ToolReader(self._document, is_own=self._readme is not None)
        self._entries: dict[str, _Entry] = {}
        self._own_agents: dict[tuple[str, str], str] = {}
        """Ids of agents by the id in the file and the instructions."""

    def read(self) -> Import:
        """Return the definition and the losses."""
        document = self._document
        document.unknown(self._root, (), _ROOT_FIELDS, "A pipeline")
        for key, raw in self._root["agents"].items():
            steps = ("agents", key)
            if isinstance(raw, Mapping):
                document.unknown(raw, steps, _AGENT_FIELDS, "An agent")
                self._entries[key] = _Entry(raw, steps)
            else:
                document.lose("Agent", steps, "It is not an object.")
        for key, entry in self._entries.items():
            self._place(key, entry)
        topology = self._connect()
        self._tools.read_permissions(self._root.get("permissions"))
        known = ("readme", "description")
        document.unknown(self._metadata, ("metadata",), known, "A pipeline")
        description = self._metadata.get("description")
        return self._reading.finish(
            self._name(),
            allow_empty=self._readme is not None,
            description=self._reading.text(description, "$.metadata.description"),
            topology=topology,
            **self._entry_fields(),
        )

    def _name(self) -> str:
        heading = re.match(r"# (.+)", self._readme_text)
        return heading[1][:MAX_NAME] if heading is not None else ""

    def _entry_fields(self) -> dict[str, Any]:
        """Return the entry and the limit of turns, from the first agent."""
        first = self._first()
        if first is None:
            return {}
        fields: dict[str, Any] = {}
        if self._readme is None or self._readme.has_entry:
            fields["entry"] = first.phase
        turns, steps = first.raw.get("max_iterations"), (*first.steps, "max_iterations")
        number = self._document.number(turns, steps, 0, _MAX_NUMBER, whole=True)
        if number is not None:
            fields["limits"] = {"max_turns": number or _MAX_NUMBER}
        for entry in self._entries.values():
            if entry is not first and entry.raw.get("max_iterations") is not None:
                at = (*entry.steps, "max_iterations")
                self._document.lose("Limit", at, "A limit counts the turns of all agents.")
        return fields

    def _first(self) -> _Entry | None:
        return self._entries.get(ROOT) or next(iter(self._entries.values()), None)

    # Agents and stages

    def _place(self, key: str, entry: _Entry) -> None:
        """Add the stage and the agent of an entry."""
        reading, raw = self._reading, entry.raw
        text = reading.text(raw.get("instruction"), json_path(*entry.steps, "instruction"))
        about = reading.text(raw.get("description"), json_path(*entry.steps, "description"))
        if self._readme is None:
            entry.phase = self._phase(key)
            reading.fields["stages"].append(
                {
                    "phase": entry.phase,
                    "agent_id": self._agent(entry, key, key, text, ""),
                    "description": about,
                }
            )
            return
        text, language, entry.targets = parse_instruction(text)
        is_outside = about.startswith(OUTSIDE)
        named = parse_description(about.removeprefix(OUTSIDE))
        if named is not None:
            agent_id, name, about = named
            entry.agent_id = self._own_agent(entry, agent_id, name, text, language)
        if is_outside:
            return
        entry.phase = self._phase(self._readme.root or key if key == ROOT else key)
        stage: dict[str, Any] = {"phase": entry.phase, "description": about}
        if named is not None:
            stage["agent_id"] = entry.agent_id
        elif text == HUMAN_TEXT:
            stage["kind"] = "human"
        elif text == GROUP_TEXT:
            stage["kind"] = "group"
        elif text or raw.get("toolsets"):
            stage["agent_id"] = self._agent(entry, key, key, text, language)
        reading.fields["stages"].append(stage)

    def _phase(self, name: str) -> str:
        phase = name if self._reading.claim("stage", name) else self._reading.key("stage", name)
        self._reading.keep("Stages", phase)
        return phase

    def _own_agent(self, entry: _Entry, agent_id: str, name: str, text: str, language: str) -> str:
        """Return the id of an agent that the file names; an equal one may serve several stages."""
        known = self._own_agents.get((agent_id, text))
        if known is not None:
            return known
        self._own_agents[agent_id, text] = agent_id
        if self._reading.claim("agent", agent_id):
            return self._agent(entry, agent_id, name, text, language, agent_id)
        found = self._agent(entry, agent_id, name, text, language)
        self._own_agents[agent_id, text] = found
        return found

    def _agent(
        self, entry: _Entry, key: str, name: str, text: str, language: str, agent_id: str = ""
    ) -> str:
        document, raw, steps = self._document, entry.raw, entry.steps
        found = entry.agent_id = agent_id or self._reading.key("agent", key)
        fields = self._models.settings(raw.get("model"), (*steps, "model"))
        fields = fields | self._models.fallback(raw.get("fallback"), (*steps, "fallback"))
        output = document.fields(raw.get("structured_output"), (*steps, "structured_output"))
        known = ("name", "schema")
        document.unknown(output, (*steps, "structured_output"), known, "An answer in a schema")
        if isinstance(output.get("schema"), dict):
            fields["response_schema"] = output["schema"]
        self._reading.fields["agents"].append(
            {
                "id": found,
                "name": name[:MAX_NAME] or found,
                "instructions": text,
                "language": language,
                "tools": self._tools.names(raw.get("toolsets"), (*steps, "toolsets")),
                **fields,
            }
        )
        self._reading.keep("Agents", found)
        return found

    # Transitions

    def _connect(self) -> str:
        """Add the transitions and members of groups, and return the topology."""
        stages = {each["phase"]: each for each in self._reading.fields["stages"]}
        topology = self._topology()
        for entry in self._entries.values():
            stage = stages.get(entry.phase or "", {})
            names = self._targets(entry, "handoffs")
            members = self._targets(entry, "sub_agents")
            if stage.get("kind") == "group":
                agents = [each.agent_id for _, each, _ in members if each.agent_id is not None]
                stage["group"] = {"agents": agents} if agents else None
            elif topology == "team" and entry is not self._first() and members:
                at = (*entry.steps, "sub_agents")
                self._document.lose("Sub-agents", at, "Only the first agent delegates in a team.")
            else:
                self._report_mixed(topology, entry, members)
                names += members
            self._add_transitions(entry, names)
        return topology

    def _topology(self) -> str:
        if self._readme is not None:
            return self._readme.topology
        first = self._first()
        has_handoffs = any(each.raw.get("handoffs") for each in self._entries.values())
        delegates = first is not None and bool(first.raw.get("sub_agents"))
        return "team" if delegates and not has_handoffs else "pipeline"

    def _targets(self, entry: _Entry, name: str) -> list[tuple[str, _Entry, Steps]]:
        """Return the existing entries of a list; a name without an entry is a loss."""
        found: dict[str, tuple[str, _Entry, Steps]] = {}
        for key, at in self._document.texts(entry.raw.get(name), (*entry.steps, name)):
            if key in self._entries:
                found.setdefault(key, (key, self._entries[key], at))
            else:
                sentence = f"The file has no agent {shown(key)!r}."
                self._document.lose("Transition", at, sentence)
        return list(found.values())

    def _report_mixed(
        self, topology: str, entry: _Entry, members: list[tuple[str, _Entry, Steps]]
    ) -> None:
        if topology != "team" and members:
            at = (*entry.steps, "sub_agents")
            sentence = "A sub-agent takes the conversation over in place of doing one task."
            self._document.lose("Sub-agents", at, sentence, "read as handoffs")

    def _add_transitions(self, entry: _Entry, names: list[tuple[str, _Entry, Steps]]) -> None:
        added: set[str] = set()
        for key, target, at in names:
            if entry.phase is None or target.phase is None:
                self._document.lose("Transition", at, "This agent serves no stage.")
                continue
            if target.phase in added:
                continue
            is_next, text = entry.targets.get(key, (not entry.targets and not added, ""))
            added.add(target.phase)
            transition: dict[str, Any] = {
                "source": entry.phase,
                "target": target.phase,
                "kind": "next" if is_next else "return",
                "description": self._reading.line(text, json_path(*at)),
            }
            if count := self._last(target):
                transition["input_filter"] = {"keep": "last", "count": count}
            self._reading.fields["transitions"].append(transition)
            self._reading.keep("Transitions", f"{entry.phase} → {target.phase}")

    def _last(self, entry: _Entry) -> int | None:
        value = entry.raw.get("num_history_items")
        valid = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_NUMBER
        return value if valid else None
