"""Nodes of the graph for a definition: stages with an agent, a group or a person, and their edges.

A part that cannot run, such as a stage without an agent, has no node, and neither has a transition
to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from orchestration.definition import HUMAN, Agent, PipelineDefinition, Stage, Transition
from orchestration.graph import group_graph
from orchestration.handoff import delegate_tool_names, distinct_names, transfer_tool_names

STATE_KEYS: Final = (
    "messages",
    "active_agent",
    "channel_type",
    "intent",
    "source_channel_id",
    "variables",
)
"""Keys of the graph's state, which cannot be names of nodes."""

HUMAN_PHASE: Final = "escalation"
"""Stage of a person for handoffs to the human without a transition (contract O-9)."""

PLAIN_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "description": "Why the handoff is needed."},
        "summary": {"type": "string", "description": "Information that the target needs."},
    },
    "required": ["reason", "summary"],
}
"""Schema of a handoff without a payload."""

_TO_HUMAN = "A person takes over, and no agent answers any more."


@dataclass(frozen=True, slots=True)
class Transfer:
    """A handoff tool of a stage."""

    tool: str
    target: str
    """Name of the target's node."""
    description: str
    schema: Mapping[str, Any]
    typed: bool
    transition: Transition | None = None
    """None for the handoff to a person that needs no transition."""


@dataclass(frozen=True, slots=True)
class AgentNode:
    """A node with an agent."""

    node: str
    agent: Agent
    stage: Stage | None
    """None for an agent that the routing rules select without a stage."""
    transfers: Sequence[Transfer] = ()


@dataclass(frozen=True)
class Plan:
    """The graph of a definition."""

    definition: PipelineDefinition
    nodes: Mapping[str, str] = field(init=False)
    """Names of the nodes by phase, for the stages that can run."""
    routed: Mapping[str, str] = field(init=False)
    """Names of the nodes of agents without a stage that routing rules select, by agent."""

    def __post_init__(self) -> None:
        definition = self.definition
        runnable = [each.phase for each in definition.stages_by_phase.values() if self.runs(each)]
        if definition.topology == "team":
            runnable = [each for each in runnable if each == definition.entry] or runnable[:1]
        stages = [definition.stages_by_phase[each] for each in runnable]
        served = {each.agent_id for each in stages if each.kind == "agent"}
        selected = [each.agent_id for each in definition.rules] + [definition.default_agent_id]
        others = [
            each
            for each in dict.fromkeys(selected)
            if self.hands_over and each in definition.agents_by_id and each not in served
        ]
        routed = [each for each in others if each is not None and each not in runnable]
        names = dict(
            zip([*runnable, *routed], distinct_names([*runnable, *routed], STATE_KEYS), strict=True)
        )
        object.__setattr__(self, "nodes", {each: names[each] for each in runnable})
        object.__setattr__(self, "routed", {each: names[each] for each in routed})

    @property
    def hands_over(self) -> bool:
        """True if agents hand the conversation over."""
        return self.definition.topology in ("pipeline", "swarm")

    @property
    def entry(self) -> str | None:
        """Node of the entry; without one the first node, and None without any node."""
        return self.nodes.get(self.definition.entry or "") or next(iter(self.all_nodes), None)

    @cached_property
    def all_nodes(self) -> Sequence[str]:
        """Names of all nodes, the person without a stage included."""
        person = [self.person] if self.person else []
        return [*self.nodes.values(), *self.routed.values(), *person]

    @cached_property
    def person(self) -> str | None:
        """Node of the person for handoffs without a transition, if it is no stage's node."""
        if not (self.definition.allow_human and self.hands_over):
            return None
        stage = self.definition.stages_by_phase.get(HUMAN_PHASE)
        if stage is not None and stage.kind == "human":
            return None
        needed = any(self._may_call_human(phase) for phase in self.nodes)
        taken = [*STATE_KEYS, *self.nodes.values(), *self.routed.values()]
        return distinct_names([HUMAN_PHASE], taken)[0] if needed else None

    def runs(self, stage: Stage) -> bool:
        """Report whether a stage has an agent, members or a person."""
        agents = self.definition.agents_by_id
        match stage.kind:
            case "agent":
                return stage.agent_id in agents
            case "group":
                return bool(self.members(stage))
            case "human":
                return True

    def members(self, stage: Stage) -> list[Agent]:
        """Return the existing members of a stage's group."""
        agents = self.definition.agents_by_id
        return [agents[each] for each in stage.agent_ids if each in agents]

    @cached_property
    def agent_nodes(self) -> Sequence[AgentNode]:
        """Return the nodes with a single agent."""
        definition = self.definition
        nodes: list[AgentNode] = []
        for phase, node in self.nodes.items():
            stage = definition.stages_by_phase[phase]
            if stage.kind == "agent":
                agent = definition.agents_by_id[stage.agent_id or ""]
                nodes.append(AgentNode(node, agent, stage, self.transfers(phase)))
        for agent_id, node in self.routed.items():
            transfers = self.transfers(definition.entry or "")
            nodes.append(AgentNode(node, definition.agents_by_id[agent_id], None, transfers))
        return nodes

    def stages_of_kind(self, kind: str) -> list[tuple[str, Stage]]:
        """Return the nodes of a kind with their stages."""
        stages = self.definition.stages_by_phase
        found = [(node, stages[phase]) for phase, node in self.nodes.items()]
        return [(node, stage) for node, stage in found if stage.kind == kind]

    def following(self, phase: str) -> str | None:
        """Return the node of the `next` of a stage."""
        target = self._next(phase)
        return self.nodes[target] if target is not None else None

    def transfers(self, phase: str) -> list[Transfer]:
        """Return the handoff tools of a stage: one for each target, and one for a person."""
        if not self.hands_over:
            return []
        transitions = self._taken(phase)
        names = transfer_tool_names(phase, self.definition) if transitions else {}
        transfers = [
            Transfer(
                names[each.target],
                self.nodes[each.target],
                self._purpose(each),
                each.input_schema if each.input_schema is not None else PLAIN_SCHEMA,
                each.input_schema is not None,
                each,
            )
            for each in transitions
        ]
        if self._may_call_human(phase):
            taken = [*names.values(), *self._tools_of(phase)]
            tool = distinct_names([f"transfer_to_{HUMAN}"], taken)[0]
            target = self.person or self.nodes[HUMAN_PHASE]
            transfers.append(Transfer(tool, target, _TO_HUMAN, PLAIN_SCHEMA, False))
        return transfers

    def names(self, node: AgentNode) -> dict[str, str]:
        """Return the tools by names of their targets' agents: in a swarm a name is a request."""
        if self.definition.topology != "swarm":
            return {}
        tools: dict[str, list[str]] = {}
        for each in node.transfers:
            stage = (
                self.definition.stages_by_phase.get(each.transition.target)
                if each.transition
                else None
            )
            agent = self.definition.agents_by_id.get(stage.agent_id or "") if stage else None
            if agent is None or stage is None or stage.kind != "agent":
                continue
            aliases = [a for a, target in self.definition.aliases.items() if target == agent.id]
            for name in {agent.id, agent.name, *aliases}:
                tools.setdefault(name, []).append(each.tool)
        return {name: found[0] for name, found in sorted(tools.items()) if len(found) == 1}

    def filters(self, phase: str) -> dict[str, Transition]:
        """Return the transitions to a stage with a filter, by the node of their source."""
        return self._filtered.get(phase, {})

    @cached_property
    def _filtered(self) -> Mapping[str, dict[str, Transition]]:
        filtered: dict[str, dict[str, Transition]] = {}
        entry = self.definition.entry or ""
        sources = [*self.nodes.items(), *[(entry, node) for node in self.routed.values()]]
        for phase, node in sources:
            for each in self._taken(phase):
                if each.input_filter.keep != "full":
                    filtered.setdefault(each.target, {})[node] = each
        return filtered

    @property
    def detects_cycles(self) -> bool:
        """True if a cycle of handoffs ends a run."""
        detects = self.definition.limits.detect_cycles
        return self.definition.topology == "swarm" if detects is None else detects

    def inputs(self, phase: str) -> list[str]:
        """Return the nodes whose answers are the input of a stage in a workflow."""
        if phase == self.definition.entry:
            return []
        return [node for source, node in self.nodes.items() if self._next(source) == phase]

    def resting(self, node: str) -> str:
        """Return the node at which the conversation rests after a handoff: not at a group."""
        phases = {name: phase for phase, name in self.nodes.items()}
        stages, seen = self.definition.stages_by_phase, {node}
        while node in phases and stages[phases[node]].kind == "group":
            after = self.following(phases[node])
            if after is None or after in seen or self.definition.on_handoff == "wait":
                break
            seen.add(after)
            node = after
        return node

    def servants(self, stage: Stage) -> list[Agent]:
        """Return the agents that serve a stage."""
        if stage.kind == "group":
            return self.members(stage)
        return [self.definition.agents_by_id[each] for each in stage.agent_ids]

    def delegations(self) -> list[tuple[str, str, Stage]]:
        """Return the delegation tools of a team's lead, with descriptions and workers."""
        names = delegate_tool_names(self.definition)
        return [
            (names[each.target], self._task(each, stage), stage) for each, stage in self._workers
        ]

    def worker_nodes(self) -> list[AgentNode]:
        """Return the agents that do tasks for a team's lead."""
        agents = self.definition.agents_by_id
        stages = [stage for _, stage in self._workers if stage.kind == "agent"]
        return [AgentNode(each.phase, agents[each.agent_id or ""], each) for each in stages]

    def group_members(self) -> list[str]:
        """Return the agents of all groups of the graph."""
        stages = [
            *[stage for _, stage in self.stages_of_kind("group")],
            *[stage for _, stage in self._workers if stage.kind == "group"],
        ]
        return list(dict.fromkeys(each.id for stage in stages for each in self.members(stage)))

    def needs(self, stage: Stage) -> tuple[dict[str, list[str]], bool]:
        """Return the members that each member waits for, and True for a chain of members."""
        members = [each.id for each in self.members(stage)]
        if stage.group is None:
            return {}, False
        if not stage.group.parallel and not stage.group.dependencies:
            pairs = zip(members[1:], members, strict=False)
            return {member: [before] for member, before in pairs}, True
        graph = group_graph(stage.group)
        needs = {
            each: [other for other in members if other in graph.reversed.succ[each]]
            for each in members
        }
        return {each: others for each, others in needs.items() if others}, False

    @cached_property
    def _workers(self) -> list[tuple[Transition, Stage]]:
        """Return the transitions from a team's lead to stages with an agent or a group."""
        definition = self.definition
        if definition.topology != "team":
            return []
        stages = definition.stages_by_phase
        found = definition.transitions_from.get(definition.entry or "", ())
        unique = {each.target: each for each in reversed(found) if each.target in stages}
        return [
            (each, stages[target])
            for target, each in sorted(unique.items())
            if target != definition.entry
            and stages[target].kind != "human"
            and self.runs(stages[target])
        ]

    def _next(self, phase: str) -> str | None:
        transitions = self.definition.transitions_from.get(phase, ())
        nexts = [each.target for each in transitions if each.kind == "next"]
        return next((each for each in nexts if each in self.nodes), None)

    def _taken(self, phase: str) -> list[Transition]:
        """Return the first transition to each target with a node."""
        found = self.definition.transitions_from.get(phase, ())
        unique = {each.target: each for each in reversed(found) if each.target in self.nodes}
        return [each for each in found if unique.get(each.target) is each]

    def _may_call_human(self, phase: str) -> bool:
        stages = self.definition.stages_by_phase
        targets = [each.target for each in self.definition.transitions_from.get(phase, ())]
        has_human = any(each in stages and stages[each].kind == "human" for each in targets)
        return self.definition.allow_human and bool(targets) and not has_human

    def _tools_of(self, phase: str) -> Iterable[str]:
        stage = self.definition.stages_by_phase.get(phase)
        agents = self.definition.agents_by_id
        found = [agents[each] for each in (stage.agent_ids if stage else ()) if each in agents]
        return [tool for each in found for tool in each.tools]

    def _purpose(self, transition: Transition) -> str:
        """Return the description of a handoff tool, as in Baton."""
        purpose = f"Transfer the conversation to {self._name_of(transition.target)}."
        text = " ".join(transition.description.split())
        return text if text.startswith(purpose) else f"{purpose} {text}".strip()

    def _task(self, transition: Transition, stage: Stage) -> str:
        text = " ".join(transition.description.split())
        name = self._name_of(stage.phase)
        return f"Have {name} do a task, and get the answer. {text}".strip()

    def _name_of(self, phase: str) -> str:
        stage = self.definition.stages_by_phase[phase]
        agent = self.definition.agents_by_id.get(stage.agent_id or "")
        return agent.name if stage.kind == "agent" and agent is not None else phase
