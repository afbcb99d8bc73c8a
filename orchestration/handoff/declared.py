"""Handoffs declared in code, as transitions of a definition (contract E-1 to E-3, S-3).

A declared handoff becomes a transition with a tool of the engine. Only a call of that tool hands
over. The engine never searches texts for a handoff's `sentinel`: this is the tool's result if
something other than the engine runs it.
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
from orchestration.handoff.tool_names import passing_tool_name, snake_case
from orchestration.tools import CallContext, ToolSpec, describe_faults, schema_fault

Filter = Callable[[Sequence[str], Any], str | None]
"""Filter in code: converts the history as texts and the payload to a prompt (contract S-4).

A result of None uses the transition's own selection. An exception refuses the handoff.
"""

Filters = dict[tuple[str, str], Filter]
"""Filters of transitions by source and target stage."""


class NamedAgent(Protocol):
    """An agent of a definition or an agent in code."""

    @property
    def name(self) -> str:
        """The agent's name."""


InputFilterFunction = Callable[[Sequence[str], Any], str]
"""Converts the history as texts and the payload as a model to the target's prompt."""


class Handoff:
    """A handoff to an agent, with a tool of its own (contract E-1 and S-3).

    >>> from orchestration import AgentSpec
    >>> handoff = Handoff(AgentSpec(name="HTTPAgent"))
    >>> handoff.tool_name, handoff.description
    ('transfer_to_http_agent', 'Transfer the conversation to HTTPAgent.')
    >>> handoff.sentinel
    '__BATON_HANDOFF__:http-agent'

    In the `handoffs` of an agent it applies to that agent; in the `agents` of a `Swarm` it applies
    to all agents. `input_type` is a pydantic model of the payload; its fields are the arguments of
    the tool. `input_filter` takes the history and the payload, and returns the whole prompt of the
    target; an exception refuses the handoff. `description` replaces the default description; the
    engine appends it to the default.
    """

    SENTINEL_PREFIX: ClassVar = "__BATON_HANDOFF__"

    def __init__(
        self,
        agent: NamedAgent | str | None = None,
        input_type: type[BaseModel] | None = None,
        input_filter: InputFilterFunction | None = None,
        description: str | None = None,
        tool_name: str | None = None,
        *,
        target_agent: NamedAgent | str | None = None,
    ) -> None:
        target = agent if agent is not None else target_agent
        if target is None or (agent is not None and target_agent is not None):
            raise CastError("A handoff has one target: pass it either as agent or as target_agent.")
        self.agent: NamedAgent | str = target
        self.input_type, self.input_filter = input_type, input_filter
        self.own_description, self.own_tool_name = description, tool_name
        self.parameters: dict[str, Any] = {"type": "object", "properties": {}}
        if input_type is not None:
            self.parameters = input_type.model_json_schema()
            if fault := schema_fault(self.parameters):
                raise CastError(
                    f"{input_type.__name__} cannot be the input_type of a handoff: {fault}"
                )

    def __repr__(self) -> str:
        return f"Handoff({self.agent!r})"

    @property
    def target_agent(self) -> NamedAgent | str:
        """The target agent, or its name."""
        return self.agent

    @property
    def target_name(self) -> str:
        """Name of the target agent; raise `CastError` if it has none."""
        name = self.agent if isinstance(self.agent, str) else self.agent.name
        if not name:
            raise CastError("The target of this handoff has no name: set name in its AgentSpec.")
        return name

    @property
    def target_id(self) -> str:
        """Key of the target agent in a definition."""
        return self.agent.id if isinstance(self.agent, Agent) else key_of(self.target_name)

    @property
    def tool_name(self) -> str:
        """Name of its tool; contract E-2 applies if two targets have the same tool name."""
        return self.own_tool_name or passing_tool_name("transfer_to", self.target_name)

    @property
    def description(self) -> str:
        """The tool's description for the model."""
        return self.own_description or f"Transfer the conversation to {self.target_name}."

    @property
    def sentinel(self) -> str:
        """The tool's result if something other than the engine runs it (contract E-3)."""
        return f"{self.SENTINEL_PREFIX}:{self.target_id}"

    def to_tool(self) -> HandoffTool:
        """Return the handoff as a tool for an agent or a session; a call of it hands over."""
        return HandoffTool(self)

    @property
    def has_own_tool(self) -> bool:
        """True if the handoff has its own tool beside the shared one."""
        return self.input_type is not None or self.own_tool_name is not None

    @property
    def filter(self) -> Filter | None:
        """Filter that parses the payload and returns the target's prompt or None."""
        if self.input_type is None and self.input_filter is None:
            return None
        return self._prompt

    def _prompt(self, history: Sequence[str], payload: Mapping[str, Any] | None) -> str | None:
        parsed = self._parse(self.input_type, payload or {}) if self.input_type else payload
        return None if self.input_filter is None else self.input_filter(history, parsed)

    def _parse(self, model: type[BaseModel], payload: Mapping[str, Any]) -> BaseModel:
        try:
            return model.model_validate_json(json.dumps(payload))
        except ValidationError as error:
            raise FilterError(describe_faults(error)) from None


@dataclass(frozen=True, slots=True)
class HandoffTool:
    """The tool of a declared handoff. The engine treats a call of it as a handoff."""

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
        """Return the sentinel; called only outside of an engine, without a handoff."""
        return self.handoff.sentinel


def add_handoff_transitions(
    definition: PipelineDefinition, tools: Mapping[str, object]
) -> tuple[PipelineDefinition, Filters]:
    """Add a transition to the definition for every `HandoffTool` of its agents.

    A definition that has all of them is returned unchanged. A target that serves no stage raises
    `UnknownNameError`.
    """
    handoffs = {name: tool.handoff for name, tool in tools.items() if isinstance(tool, HandoffTool)}
    if not handoffs or definition.topology not in ("pipeline", "swarm"):
        return definition, {}
    transitions = {(each.source, each.target): each for each in definition.transitions}
    filters: Filters = {}
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        for name in agent.tools if agent else ():
            if name not in handoffs:
                continue
            handoff = handoffs[name]
            phase, target = _target_stage(handoff, definition)
            ends = stage.phase, phase
            keep = transitions[ends].input_filter if ends in transitions else InputFilter()
            transitions[ends] = handoff_transition(
                ends, target, handoff, own_tool=True, keep=keep, tool_name=name
            )
            if handoff.filter is not None:
                filters[ends] = handoff.filter
    if tuple(transitions.values()) == definition.transitions:
        return definition, filters
    ordered = sorted(transitions.values(), key=lambda each: (each.source, each.kind, each.target))
    return definition.model_copy(update={"transitions": tuple(ordered)}), filters


def key_of(name: str, default: str = "agent") -> str:
    """Return the key for a name: `HTTPAgent` → `http-agent`; a valid key stays unchanged.

    >>> key_of("Billing agent"), key_of("billing_v2"), key_of("请求")
    ('billing-agent', 'billing_v2', 'agent')
    """
    if _KEY.match(name):
        return name
    return snake_case(name).replace("_", "-")[:_MAX_KEY].strip("-") or default


_KEY = re.compile(KEY_PATTERN)
_MAX_KEY = 48


def _target_stage(handoff: Handoff, definition: PipelineDefinition) -> tuple[str, str]:
    """Return the phase that the target of a handoff serves, and the target's name."""
    for stage in definition.stages:
        agent = definition.agents_by_id.get(stage.agent_id or "")
        if agent is None:
            continue
        if agent.name == handoff.target_name or agent.id == handoff.target_id:
            return stage.phase, agent.name
    known = [stage.agent_id for stage in definition.stages if stage.agent_id]
    raise UnknownNameError("agent with a stage", handoff.target_name, known=known)


def handoff_transition(
    ends: tuple[str, str],
    target: str,
    handoff: Handoff | None,
    *,
    own_tool: bool,
    keep: InputFilter,
    tool_name: str | None = None,
) -> Transition:
    """Return the transition of a handoff. `handoff` is None for a plain transition.

    `ends` are phases of a definition, which may have names in place of keys.
    """
    default = f"Transfer the conversation to {target}." if own_tool else ""
    description = handoff.own_description if handoff is not None else None
    try:
        transition = Transition(
            source="source",
            target="target",
            kind="return",
            description=description or default,
            input_schema=handoff.parameters if handoff is not None and own_tool else None,
            tool_name=tool_name or (handoff.own_tool_name if handoff is not None else None),
            input_filter=keep,
        )
        return transition.model_copy(update={"source": ends[0], "target": ends[1]})
    except ValidationError as error:
        raise CastError(f"The handoff to {target!r} is invalid: {describe_faults(error)}") from None
