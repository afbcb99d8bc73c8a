"""Definition of a module with agents: stages, transitions, tools, entry."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from orchestration.definition import PipelineDefinition, Transition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.handoff import transfer_tool_names
from orchestration.interchange.openai_agents.reading.agent_fields import AgentFields
from orchestration.interchange.openai_agents.reading.handoffs import HandoffReader
from orchestration.interchange.openai_agents.reading.parts import FoundAgent, ModuleParts
from orchestration.interchange.openai_agents.reading.source import at, parsed
from orchestration.interchange.openai_agents.reading.tools import AgentToolReader
from orchestration.interchange.openai_agents.reading.values import NotConstantError
from orchestration.interchange.reading import MAX_NAME, Reading
from orchestration.interchange.results import Import

KEY: Final = "openai-agents"

_MAX_LIMIT = 1_000

_EXPORTED: Final = ("\nimport runtime\n", "\nPIPELINE = {")
"""Lines of each module with agents that Baton exports."""


def read(text: str, other_modules: Mapping[str, str] | None = None) -> Import:
    """Return the definition of Python source and its losses.

    `other_modules` are the other modules of its archive, by file name.
    """
    try:
        return _ModuleReader(ModuleParts(parsed(text), Reading(KEY), other_modules)).read()
    except RecursionError:
        raise DefinitionError([Fault("$", "This Python code is nested too deep.")]) from None


def recognises(text: str, value: object) -> bool:
    """Report whether a text is Python that uses the SDK, or an export of Baton without agents."""
    if isinstance(value, dict | list):
        return False
    uses_sdk = "Agent" in text and "from agents import" in text
    return uses_sdk or all(line in text for line in _EXPORTED)


class _ModuleReader:
    """Reader of one module: first the stages and agents, then what connects them."""

    def __init__(self, parts: ModuleParts) -> None:
        self._parts = parts
        self._reading = parts.reading
        self._about = self._table("PIPELINE")
        self._tools = AgentToolReader(parts)
        self._fields = AgentFields(parts, self._tools)
        self._phases: dict[FoundAgent, str] = {}
        self._keys: dict[FoundAgent, str] = {}
        """Keys of agents, by the agent that is not a clone."""
        self._added: set[FoundAgent] = set()

    def read(self) -> Import:
        """Return the definition and the losses."""
        self._read_tools()
        agents = self._parts.agents
        members = self._members()
        staged = self._staged(members)
        for agent in [*staged, *agents]:
            self._add_agent(agent.original, staged)
        for agent in staged:
            self._add_stage(agent)
        topology = self._connect(staged)
        return self._finish(topology, staged)

    @property
    def _is_own(self) -> bool:
        return bool(self._about)

    def _read_tools(self) -> None:
        """Add the tools of an export of Baton, also those that no agent has."""
        if self._is_own:
            for variable in self._parts.tools:
                self._tools.named(variable)

    # Agents and stages

    def _members(self) -> set[FoundAgent]:
        """Return the members of groups, which have no stages of their own."""
        members: set[FoundAgent] = set()
        for agent in self._parts.agents:
            members |= set(self._fields.members(agent).values())
        return members

    def _staged(self, members: set[FoundAgent]) -> list[FoundAgent]:
        """Return the agents with a stage, in order."""
        names = self._parts.constants.names
        if self._is_own and isinstance(table := names.get("STAGES"), ast.Dict):
            staged: list[FoundAgent] = []
            for key, value in zip(table.keys, table.values, strict=True):
                agent = self._parts.agent_of(value)
                if not isinstance(key, ast.Constant) or agent is None or agent in self._phases:
                    continue
                if self._reading.claim("stage", key.value):
                    self._phases[agent] = str(key.value)
                    staged.append(agent)
            self._claim_agents(names.get("AGENTS"))
            return staged
        staged = [each for each in self._parts.agents if each not in members]
        for agent in staged:
            name = self._fields.name(agent)
            self._phases[agent] = self._reading.key("stage", name)
        return staged

    def _claim_agents(self, table: ast.expr | None) -> None:
        if not isinstance(table, ast.Dict):
            return
        for key, value in zip(table.keys, table.values, strict=True):
            agent = self._parts.agent_of(value)
            if agent is None or agent in self._keys or not isinstance(key, ast.Constant):
                continue
            if self._reading.claim("agent", key.value):
                self._keys[agent] = str(key.value)

    def _add_agent(self, agent: FoundAgent, staged: list[FoundAgent]) -> None:
        """Add an agent, unless it stands for a person, a group, or a stage without an agent."""
        if agent in self._added or self._fields.is_person(agent) or self._fields.is_group(agent):
            return
        if agent not in self._keys:
            if self._is_own and agent in self._phases:
                return  # a stage that no agent serves yet
            self._keys[agent] = self._reading.key("agent", self._fields.name(agent))
        self._added.add(agent)
        self._reading.fields["agents"].append({"id": self._keys[agent]} | self._fields.read(agent))
        self._reading.keep("Agents", self._keys[agent])

    def _add_stage(self, agent: FoundAgent) -> None:
        phase = self._phases[agent]
        stage: dict[str, Any] = {"phase": phase}
        if self._fields.is_person(agent):
            stage["kind"] = "human"
        elif self._fields.is_group(agent):
            keys = {
                name: self._keys.get(each.original)
                for name, each in self._fields.members(agent).items()
            }
            stage |= {"kind": "group", "group": self._fields.group(agent, keys)}
        else:
            stage["agent_id"] = self._keys.get(agent.original)
        node = agent.fields.get("handoff_description")
        if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
            text = self._parts.text(node, "", "Description of a handoff")
            stage["description"] = self._reading.text(text, at(node))
        self._reading.fields["stages"].append(stage)
        self._reading.keep("Stages", phase)

    # Transitions

    def _connect(self, staged: list[FoundAgent]) -> str:
        """Add the transitions, and return the topology."""
        topology = self._about.get("topology")
        handoffs = HandoffReader(self._parts, self._phases, self._fields)
        has_handoffs = any(agent.handoffs for agent in staged)
        leads = [agent for agent in staged if handoffs.workers(agent)]
        if topology not in ("pipeline", "workflow", "team", "swarm"):
            topology = "team" if len(leads) == 1 and not has_handoffs else "pipeline"
        following = self._table("NEXT")
        transitions: list[dict[str, Any]] = []
        for agent in staged:
            phase = self._phases[agent]
            found = handoffs.workers(agent) if topology == "team" else handoffs.read(agent)
            if topology == "pipeline" and not has_handoffs:
                handoffs.lose_workers(agent)
            transitions += self._kinds(phase, found, following)
        if topology in ("workflow", "team"):
            known = set(self._phases.values())
            pairs = {(each["source"], each["target"]) for each in transitions}
            transitions += [
                {"source": source, "target": target}
                for source, target in following.items()
                if {source, target} <= known and (source, target) not in pairs
            ]
        self._reading.fields["transitions"] = transitions
        for each in transitions:
            self._reading.keep("Transitions", f"{each['source']} → {each['target']}")
        return str(topology)

    def _kinds(
        self, phase: str, found: list[dict[str, Any]], following: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Return the transitions of a stage; in foreign code its first handoff is the next one."""
        first = found[0]["target"] if found else ""
        target = following.get(phase, "") if self._is_own else first
        return [
            {"source": phase, **each, "kind": "next" if each["target"] == target else "return"}
            for each in found
        ]

    # The pipeline

    def _finish(self, topology: str, staged: list[FoundAgent]) -> Import:
        limits = {
            field: value
            for field, name in (("max_turns", "MAX_TURNS"), ("max_handoffs", "MAX_HANDOFFS"))
            if isinstance(value := self._constant(name), int) and 1 <= value <= _MAX_LIMIT
        }
        fields: dict[str, Any] = {
            "topology": topology,
            "description": self._reading.text(self._about.get("description"), "PIPELINE"),
            "entry": self._entry(staged),
            "limits": limits,
            "allow_human": self._is_own and self._about.get("allow_human") is not False,
        }
        if variables := self._table("VARIABLES"):
            fields["variables"] = variables
        if self._is_own and "route" in self._parts.imported:
            fields["rules"], default = self._parts.other_modules.routing()
            for rule in fields["rules"]:
                self._reading.keep("Routing rules", rule["id"])
            servers = {
                each["phase"]: each.get("agent_id") for each in self._reading.fields["stages"]
            }
            if default in self._keys.values() and default != servers.get(fields["entry"]):
                fields["default_agent_id"] = default
        name = self._about.get("name")
        title = name if isinstance(name, str) else "Imported agents"
        result = self._reading.finish(title[:MAX_NAME], allow_empty=self._is_own, **fields)
        return self._without_default_names(result)

    def _without_default_names(self, result: Import) -> Import:
        """Remove the names of handoff tools that are the default names."""
        definition = result.definition
        typed = [each for each in definition.transitions if each.input_schema is not None]
        plain = _unnamed(definition, lambda each: True)
        names = {phase: transfer_tool_names(phase, plain) for phase in plain.stages_by_phase}
        own = {each.source for each in typed if names[each.source][each.target] != each.tool_name}
        changed = _unnamed(
            definition, lambda each: each.input_schema is None or each.source not in own
        )
        for each in typed:  # beside a name of its own, the default of another one may differ
            if each.source in own:
                trial = _unnamed(changed, partial(operator.is_, each))
                if _typed_names(each.source, trial) == _typed_names(each.source, definition):
                    changed = trial
        return Import(result.format, changed, result.rows)

    def _entry(self, staged: list[FoundAgent]) -> str | None:
        """Return the entry: of an export, the agent that the code runs, or one without handoffs."""
        if self._is_own:
            entry = self._constant("ENTRY")
            return entry if isinstance(entry, str) else None
        for variable in self._parts.started:
            agent = self._parts.by_variable.get(variable)
            if agent in self._phases:
                return self._phases[agent]
        transitions = self._reading.fields["transitions"]
        targets = {each["target"] for each in transitions}
        sources = {each["source"] for each in transitions}
        phases = [self._phases[agent] for agent in staged]
        starts = [phase for phase in phases if phase in sources and phase not in targets]
        return next(iter([*starts, *phases]), None)

    def _table(self, name: str) -> dict[str, Any]:
        value = self._constant(name)
        return value if isinstance(value, dict) else {}

    def _constant(self, name: str) -> Any:
        node = self._parts.constants.names.get(name)
        try:
            return self._parts.constants.value(node) if node is not None else None
        except NotConstantError:
            return None


def _unnamed(
    definition: PipelineDefinition, is_chosen: Callable[[Transition], bool]
) -> PipelineDefinition:
    """Return the definition without the tool names of the chosen transitions."""
    transitions = tuple(
        each.model_copy(update={"tool_name": None}) if is_chosen(each) else each
        for each in definition.transitions
    )
    return definition.model_copy(update={"transitions": transitions})


def _typed_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """Return the tool names of the typed transitions of a stage, by target."""
    names = transfer_tool_names(phase, definition)
    typed = [each for each in definition.transitions_from[phase] if each.input_schema is not None]
    return {each.target: names[each.target] for each in typed}
