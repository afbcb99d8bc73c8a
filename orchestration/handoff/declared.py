"""Handoffs that a program declares, as transitions of a definition (contract E-1 to E-3, S-3).

A declared handoff becomes a transition, so its tool is the engine's own, and only a call of that
tool in the same turn hands over. No text is searched for a handoff's `sentinel`: it is the tool's
result if something other than the engine runs it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ValidationError

from orchestration.definition import KEY_PATTERN, Agent, InputFilter, PipelineDefinition, Transition
from orchestration.exceptions import CastError, FilterError, UnknownNameError
from orchestration.handoff.tool_names import snake_case
from orchestration.tools import CallContext, ToolSpec, describe_faults, schema_fault

Filter = Callable[[Sequence[str], Any], str | None]
"""Filter of a program: converts the history in words and the payload to a prompt (contract S-4).

None as a prompt keeps the transition's own selection. An exception refuses the handoff.
"""

Filters = dict[tuple[str, str], Filter]
"""The filters of edges, by the stages they lead from and to."""


class NamedAgent(Protocol):
    """An agent of a definition or of a program."""

    @property
    def name(self) -> str:
        """The agent's name."""


TellTarget = Callable[[Sequence[str], Any], str]
"""Takes the history in words, and the payload as its model has it; gives the target's prompt."""


class Handoff:
    """An edge to an agent, with a tool of its own (contract E-1 and S-3).

    >>> from orchestration import AgentSpec
    >>> edge = Handoff(AgentSpec(name="HTTPAgent"))
    >>> edge.tool_name, edge.description
    ('transfer_to_http_agent', 'Transfer the conversation to HTTPAgent.')
    >>> edge.sentinel
    '__BATON_HANDOFF__:http-agent'

    Among an agent's `handoffs` it is that agent's way to the target; among the `agents` of a
    `Swarm`, everybody's. `input_type`, a pydantic model, is what the target needs to be told: the
    tool's arguments are its fields. `input_filter` takes the history and that payload, and gives
    all that the target is shown; one that raises refuses the handoff. A `description` of one's own
    stands for the usual sentence; in the loop it follows it.
    """

    SENTINEL_PREFIX: ClassVar = "__BATON_HANDOFF__"

    def __init__(
        self,
        agent: NamedAgent | str | None = None,
        input_type: type[BaseModel] | None = None,
        input_filter: TellTarget | None = None,
        description: str | None = None,
        tool_name: str | None = None,
        *,
        target_agent: NamedAgent | str | None = None,
    ) -> None:
        target = agent if agent is not None else target_agent
        if target is None or (agent is not None and target_agent is not None):
            raise CastError("A handoff leads to one agent: give it as agent, or as target_agent.")
        self.agent: NamedAgent | str = target
        self.input_type, self.input_filter = input_type, input_filter
        self.given_description, self.given_tool_name = description, tool_name
        self.parameters: dict[str, Any] = {"type": "object", "properties": {}}
        if input_type is not None:
            self.parameters = input_type.model_json_schema()
            if fault := schema_fault(self.parameters):
                raise CastError(f"{input_type.__name__} cannot be what a handoff tells: {fault}")

    def __repr__(self) -> str:
        return f"Handoff({self.agent!r})"

    @property
    def target_agent(self) -> NamedAgent | str:
        """The agent it leads to, or the agent's name."""
        return self.agent

    @property
    def target_name(self) -> str:
        """The agent's name. One that has none is named where it is given, and raises here."""
        name = self.agent if isinstance(self.agent, str) else self.agent.name
        if not name:
            raise CastError("The target of this handoff has no name: give its AgentSpec one.")
        return name

    @property
    def target_id(self) -> str:
        """The agent's key in a definition."""
        return self.agent.id if isinstance(self.agent, Agent) else key_of(self.target_name)

    @property
    def tool_name(self) -> str:
        """Name of its tool; contract E-2 applies if two targets have the same tool name."""
        return self.given_tool_name or f"transfer_to_{snake_case(self.target_name)}"

    @property
    def description(self) -> str:
        """The tool's description for the model."""
        return self.given_description or f"Transfer the conversation to {self.target_name}."

    @property
    def sentinel(self) -> str:
        """The tool's result if something other than the engine runs it (contract E-3)."""
        return f"{self.SENTINEL_PREFIX}:{self.target_id}"

    def to_tool(self) -> HandoffTool:
        """The tool, for the `tools` of an agent or of a session: a call of it hands over."""
        return HandoffTool(self)

    @property
    def has_own_tool(self) -> bool:
        """True if the handoff has its own tool beside the shared one."""
        return self.input_type is not None or self.given_tool_name is not None

    @property
    def filter(self) -> Filter | None:
        """Reads the payload of an accepted request, and gives the target's prompt or None."""
        if self.input_type is None and self.input_filter is None:
            return None
        return self._told

    def _told(self, history: Sequence[str], payload: Mapping[str, Any] | None) -> str | None:
        read = self._read(self.input_type, payload or {}) if self.input_type else payload
        return None if self.input_filter is None else self.input_filter(history, read)

    def _read(self, model: type[BaseModel], payload: Mapping[str, Any]) -> BaseModel:
        try:
            return model.model_validate_json(json.dumps(payload))
        except ValidationError as error:
            raise FilterError(describe_faults(error)) from None


@dataclass(frozen=True, slots=True)
class HandoffTool:
    """The tool of an edge. In an engine, which knows it, a call of it is a handoff."""

    handoff: Handoff

    @property
    def name(self) -> str:
        """The tool's name for models."""
        return self.handoff.tool_name

    @property
    def spec(self) -> ToolSpec:
        """The tool's specification for models."""
        return ToolSpec(self.name, self.handoff.description, self.handoff.parameters)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """The sentinel, for whoever runs it outside of an engine: it hands over to nobody."""
        return self.handoff.sentinel


def add_handoff_transitions(
    definition: PipelineDefinition, tools: Mapping[str, object]
) -> tuple[PipelineDefinition, Filters]:
    """The definition with a way for every `HandoffTool` among the tools of its agents.

    A definition that has them all is given back as it is. A target that serves no stage raises
    `UnknownNameError`.
    """
    edges = {name: tool.handoff for name, tool in tools.items() if isinstance(tool, HandoffTool)}
    if not edges or definition.topology not in ("pipeline", "swarm"):
        return definition, {}
    ways = {(way.source, way.target): way for way in definition.transitions}
    filters: Filters = {}
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        for name in agent.tools if agent else ():
            if name not in edges:
                continue
            edge = edges[name]
            phase, target = _served(edge, definition)
            ends = stage.phase, phase
            keep = ways[ends].input_filter if ends in ways else InputFilter()
            ways[ends] = handoff_transition(ends, target, edge, own=True, keep=keep, tool_name=name)
            if edge.filter is not None:
                filters[ends] = edge.filter
    if tuple(ways.values()) == definition.transitions:
        return definition, filters
    fields = {name: getattr(definition, name) for name in PipelineDefinition.model_fields}
    return PipelineDefinition(**fields | {"transitions": tuple(ways.values())}), filters


def key_of(name: str, otherwise: str = "agent") -> str:
    """A slug that a definition can hold: `HTTPAgent` → `http-agent`; a slug stays what it is.

    >>> key_of("Billing agent"), key_of("billing_v2"), key_of("请求")
    ('billing-agent', 'billing_v2', 'agent')
    """
    if _KEY.match(name):
        return name
    return snake_case(name).replace("_", "-")[:_LONGEST_SLUG].strip("-") or otherwise


_KEY = re.compile(KEY_PATTERN)
_LONGEST_SLUG = 48


def _served(edge: Handoff, definition: PipelineDefinition) -> tuple[str, str]:
    """The stage that the target of an edge serves, and the target's name."""
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        if agent is not None and (agent.name == edge.target_name or agent.id == edge.target_id):
            return stage.phase, agent.name
    known = [stage.agent_id for stage in definition.stages if stage.agent_id]
    raise UnknownNameError("agent with a stage", edge.target_name, known=known)


def handoff_transition(
    ends: tuple[str, str],
    target: str,
    edge: Handoff | None,
    *,
    own: bool,
    keep: InputFilter,
    tool_name: str | None = None,
) -> Transition:
    """The transition of an edge, or of a plain way; `own`: with a tool of its own."""
    said = edge.given_description if edge is not None else None
    usual = f"Transfer the conversation to {target}." if own else ""
    try:
        return Transition(
            source=ends[0],
            target=ends[1],
            kind="return",
            description=said or usual,
            input_schema=edge.parameters if edge is not None and own else None,
            tool_name=tool_name or (edge.given_tool_name if edge is not None else None),
            input_filter=keep,
        )
    except ValidationError as error:
        raise CastError(f"The handoff to {target!r} cannot be: {describe_faults(error)}") from None
