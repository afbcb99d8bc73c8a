"""A definition from an AutoGen component: a team or an agent, as `dump_component` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from orchestration.exceptions import DefinitionError, Fault
from orchestration.interchange.autogen.model_reading import model_settings
from orchestration.interchange.autogen.teams import Edge, edges_of_team, topology_of
from orchestration.interchange.autogen.tool_reading import AutoGenTools, class_of
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.reading import Reading, shown
from orchestration.interchange.results import Import
from orchestration.loading import DEFINITION, read_document
from orchestration.validation import json_path

KEY: Final = "autogen"

_AGENT_FIELDS = (
    "name",
    "model_client",
    "tools",
    "workbench",
    "handoffs",
    "model_context",
    "description",
    "system_message",
    "model_client_stream",
    "structured_message_factory",
    "reflect_on_tool_use",
)
_DEFAULTS: Final[Mapping[str, object]] = {
    "tool_call_summary_format": "{result}",
    "max_tool_iterations": 1,
    "metadata": {},
}
"""Fields that are only reported if they have another value."""
_TEAM_FIELDS = (
    "name",
    "description",
    "participants",
    "termination_condition",
    "max_turns",
    "emit_team_events",
    "graph",
    "model_client_streaming",
)
_DESCRIPTIONS = (
    "A human user",
    "A team of agents",
    "A team of agents.",
    "An agent that provides assistance with ability to use tools.",
)
"""Descriptions that AutoGen adds where none is given."""
_MAX_TURNS = 1_000


@dataclass(slots=True)
class Participant:
    """A participant of a team while the document is read."""

    name: str
    config: Mapping[str, Any]
    steps: Steps
    phase: str
    agent_id: str | None = None


def read(text: str) -> Import:
    """Return the definition of a component and its losses."""
    root = read_document(text, DEFINITION)
    if not recognises(text, root):
        raise DefinitionError([Fault("$", "This is no team and no agent of AutoGen.")])
    return _ComponentReader(root).read()  # type: ignore[arg-type]  # `recognises` checks the type


def recognises(text: str, value: object) -> bool:
    """Report whether a document is a component of AutoGen: a team or an agent."""
    return (
        isinstance(value, Mapping)
        and value.get("component_type") in ("team", "agent")
        and isinstance(value.get("provider"), str)
        and isinstance(value.get("config"), Mapping)
    )


class _ComponentReader:
    """Reader of one document: first the participants, then the handoffs and limits."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root, self._config = root, root["config"]
        self._reading = Reading(KEY)
        self._document = ForeignDocument(self._reading)
        self._tools = AutoGenTools(self._document)
        self._participants: dict[str, Participant] = {}

    def read(self) -> Import:
        """Return the definition and the losses."""
        document, config = self._document, self._config
        if self._root["component_type"] == "agent":
            self._participant(self._root, ())
            return self._finish({})
        steps: Steps = ("config",)
        components = document.items(config.get("participants"), (*steps, "participants"))
        for index, raw in enumerate(components):
            at = (*steps, "participants", index)
            self._participant(document.fields(raw, at), at)
        limits = self._limits(steps)
        edges = edges_of_team(class_of(self._root), self._participants, config, document)
        known = (*_TEAM_FIELDS, *edges.used)
        document.unknown(config, steps, known, "A pipeline")
        self._connect([*self._handoffs(), *edges.edges])
        return self._finish({"limits": limits} if limits else {})

    def _finish(self, fields: dict[str, Any]) -> Import:
        config, first = self._config, next(iter(self._participants.values()), None)
        topology = topology_of(class_of(self._root), config, self._participants)
        text = config.get("description")
        if text in _DESCRIPTIONS or self._root["component_type"] == "agent":
            text = None
        return self._reading.finish(
            self._reading.name(config.get("name"), "$.config.name", ""),
            description=self._reading.text(text, "$.config.description"),
            topology=topology,
            entry=first.phase if first is not None else None,
            **fields,
        )

    # Participants

    def _participant(self, raw: Mapping[str, Any], steps: Steps) -> None:
        document, at = self._document, (*steps, "config")
        config = document.fields(raw.get("config"), at)
        name = config.get("name")
        if raw.get("component_type") != "agent" or not isinstance(name, str):
            kind = shown(class_of(raw) or "a value")
            sentence = "It takes no part in the conversation."
            document.lose("Participant", steps, sentence, f"{kind} left out")
            return
        participant = Participant(name, config, at, self._reading.key("stage", name))
        text = config.get("description")
        text = None if text in _DESCRIPTIONS else text
        stage: dict[str, Any] = {
            "phase": participant.phase,
            "description": self._reading.text(text, json_path(*at, "description")),
        }
        if class_of(raw) == "UserProxyAgent":
            document.unknown(config, at, ("name", "description"), "A stage of a person")
            stage["kind"] = "human"
        else:
            if class_of(raw) != "AssistantAgent":
                sentence = "It is an agent with instructions only."
                document.lose("Kind of agent", (*steps, "provider"), sentence, shown(class_of(raw)))
            stage["agent_id"] = self._agent(participant)
        self._reading.fields["stages"].append(stage)
        self._reading.keep("Stages", participant.phase)
        self._participants.setdefault(name, participant)

    def _agent(self, participant: Participant) -> str:
        document, config, steps = self._document, participant.config, participant.steps
        found = participant.agent_id = self._reading.key("agent", participant.name)
        changed = [key for key, value in _DEFAULTS.items() if config.get(key, value) == value]
        document.unknown(config, steps, (*_AGENT_FIELDS, *changed), "An agent")
        at = (*steps, "structured_message_factory")
        factory = document.fields(config.get("structured_message_factory"), at)
        answer = document.fields(factory.get("config"), (*at, "config"))
        text = config.get("system_message")
        self._reading.fields["agents"].append(
            {
                "id": found,
                "name": self._reading.name(participant.name, json_path(*steps, "name"), found),
                "instructions": self._reading.text(text, json_path(*steps, "system_message")),
                "tools": self._tools.names(config, steps),
                **model_settings(document, config.get("model_client"), (*steps, "model_client")),
            }
            | ({"response_schema": answer["json_schema"]} if _has_schema(answer) else {})
        )
        self._reading.keep("Agents", found)
        return found

    # Handoffs and limits

    def _handoffs(self) -> list[Edge]:
        document = self._document
        found: list[Edge] = []
        for source in list(self._participants.values()):
            steps = (*source.steps, "handoffs")
            for index, raw in enumerate(document.items(source.config.get("handoffs"), steps)):
                at = (*steps, index)
                value = {"target": raw} if isinstance(raw, str) else document.fields(raw, at)
                target = value.get("target")
                text = value.get("description")
                if not isinstance(target, str):
                    document.lose("Handoff", at, "It has no target.")
                    continue
                text = "" if text == f"Handoff to {target}." else text
                found.append(Edge(source.name, target, text, at))
                self._report_texts(value, target, at)
        return found

    def _report_texts(self, value: Mapping[str, Any], target: str, steps: Steps) -> None:
        defaults = {
            "name": f"transfer_to_{target}".lower(),
            "message": f"Transferred to {target}, adopting the role of {target} immediately.",
        }
        for key, default in defaults.items():
            if value.get(key, default) != default:
                sentence = "The tool and its answer have the texts of Baton."
                self._document.lose("Handoff", (*steps, key), sentence)

    def _connect(self, edges: list[Edge]) -> None:
        """Add the transitions: the first of each source is its `next`."""
        document, added = self._document, dict[str, set[str]]()
        for edge in edges:
            source, target = self._participants[edge.source], self._participants.get(edge.target)
            if target is None:
                sentence = f"The team has no participant {shown(edge.target)!r}."
                document.lose("Handoff", edge.steps, sentence)
                continue
            targets = added.setdefault(source.phase, set())
            if target.phase in targets:
                continue
            transition: dict[str, Any] = {
                "source": source.phase,
                "target": target.phase,
                "kind": "return" if targets else "next",
                "description": self._reading.line(edge.text, json_path(*edge.steps)),
            }
            if count := self._last(target):
                transition["input_filter"] = {"keep": "last", "count": count}
            targets.add(target.phase)
            self._reading.fields["transitions"].append(transition)
            self._reading.keep("Transitions", f"{source.phase} → {target.phase}")

    def _last(self, participant: Participant) -> int | None:
        steps = (*participant.steps, "model_context")
        context = self._document.fields(participant.config.get("model_context"), steps)
        if class_of(context) != "BufferedChatCompletionContext":
            return None
        size = self._document.fields(context.get("config"), (*steps, "config")).get("buffer_size")
        return size if type(size) is int and 1 <= size <= _MAX_TURNS else None

    def _limits(self, steps: Steps) -> dict[str, Any]:
        """Return the limit of turns; another condition of the end is a loss."""
        document, config = self._document, self._config
        turns = document.number(
            config.get("max_turns"), (*steps, "max_turns"), 1, _MAX_TURNS, whole=True
        )
        at = (*steps, "termination_condition")
        self._end(document.fields(config.get("termination_condition"), at), at)
        return {"max_turns": turns} if turns is not None else {}

    def _end(self, condition: Mapping[str, Any], steps: Steps) -> None:
        at = (*steps, "config")
        config = self._document.fields(condition.get("config"), at)
        match class_of(condition):
            case "":
                pass
            case "OrTerminationCondition":
                inner = (*at, "conditions")
                for index, raw in enumerate(self._document.items(config.get("conditions"), inner)):
                    self._end(self._document.fields(raw, (*inner, index)), (*inner, index))
            case "HandoffTermination" if isinstance(config.get("target"), str):
                self._person(config["target"], steps)
            case name:
                sentence = "The conversation does not end by this condition."
                self._document.lose("End", steps, sentence, f"{shown(name)} left out")

    def _person(self, name: str, steps: Steps) -> None:
        """Add a stage of a person for the target of a handoff that ends a run."""
        if name in self._participants:
            self._document.lose("End", steps, "The conversation does not end by this condition.")
            return
        phase = self._reading.key("stage", name)
        self._participants[name] = Participant(name, {}, steps, phase)
        self._reading.fields["stages"].append({"phase": phase, "kind": "human"})
        self._reading.keep("Stages", phase)


def _has_schema(answer: Mapping[str, Any]) -> bool:
    return isinstance(answer.get("json_schema"), dict)
