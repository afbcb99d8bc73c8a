"""The whole design: agents, stages, transitions, rules, tools, limits and layout."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field

from orchestration.definition.agents import Agent
from orchestration.definition.layout import Layout
from orchestration.definition.renaming import renamed_agent, renamed_stage, renamed_transition
from orchestration.definition.routing import Rule
from orchestration.definition.stages import Stage, Transition
from orchestration.definition.supervision import Supervision
from orchestration.definition.tools import Tool
from orchestration.definition.values import (
    KEY_PATTERN,
    MAX_AGENTS,
    MAX_RULES,
    MAX_STAGES,
    MAX_TOOLS,
    MAX_TRANSITIONS,
    MAX_VARIABLES,
    DefaultValue,
    Frozen,
    Key,
    Name,
    Text,
    ToolName,
    VariableName,
    by_key,
    in_order,
)

FORMAT: Final = "baton.pipeline"
VERSION: Final = 1

Topology = Literal["pipeline", "workflow", "team", "swarm"]


class Limits(Frozen):
    """Limits of one run. A limit of N allows exactly N (contract T-4 and D-1).

    Turns, handoffs and context limit each conversation: the members of a group count as turns of
    the run, and a subtask has the limits of its own pipeline. Calls, tokens, cost and seconds are
    the budget of the whole run, subtasks included; the pipeline of a subtask adds no budget of its
    own (contract D-9).
    """

    max_turns: Annotated[int, Field(ge=1, le=1_000)] = 24
    max_handoffs: Annotated[int, Field(ge=0, le=1_000)] = 8
    max_context_tokens: Annotated[int, Field(ge=100, le=10_000_000)] = 128_000
    count_handoffs: Literal["completed", "requested"] = "completed"
    """Counted handoffs: the completed ones, or all requests including the refused last one."""
    detect_cycles: bool | None = None
    """True to end a run at a cycle of handoffs (contract S-5); None: only in a swarm."""
    max_calls: Annotated[int, Field(ge=1, le=100_000)] = 200
    """Model calls, including retries, calls of a fallback, and the supervisor's calls."""
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1_000_000
    """Tokens sent to models and received from them."""
    max_cost: Annotated[float, Field(ge=0.0001, le=1_000_000, allow_inf_nan=False)] | None = None
    """Cost in dollars by the prices of the connections; None: no limit."""
    max_seconds: Annotated[float, Field(ge=0.1, le=1_000_000, allow_inf_nan=False)] = 900.0
    """Seconds in which a model or a tool works; waiting for a person does not count."""


class PipelineDefinition(Frozen):
    """The whole design, in its serialisable form."""

    format: Literal["baton.pipeline"] = FORMAT
    version: Literal[1] = VERSION
    name: Name
    description: Text = ""
    topology: Topology = "pipeline"
    """Collaboration mode. In a pipeline and in a swarm the conversation passes by handoffs along
    the transitions; in a workflow each stage's answer is the input of its `next`; in a team the
    entry's agent delegates along its transitions, and its answer ends the run.
    """
    agents: Annotated[
        tuple[Agent, ...], Field(max_length=MAX_AGENTS), in_order(lambda a: a.id)
    ] = ()
    stages: Annotated[
        tuple[Stage, ...], Field(max_length=MAX_STAGES), in_order(lambda s: s.phase)
    ] = ()
    transitions: Annotated[
        tuple[Transition, ...],
        Field(max_length=MAX_TRANSITIONS),
        in_order(lambda t: (t.source, t.kind, t.target)),
    ] = ()
    rules: Annotated[
        tuple[Rule, ...], Field(max_length=MAX_RULES), in_order(lambda r: (r.priority, r.id))
    ] = ()
    tools: Annotated[tuple[Tool, ...], Field(max_length=MAX_TOOLS), in_order(lambda t: t.name)] = ()
    limits: Limits = Limits()
    entry: Key | None = None
    """First phase of a conversation."""
    default_agent_id: Key | None = None
    """The agent that answers if no rule matches; None: the agent of the entry stage."""
    supervisor_id: Key | None = None
    """An agent that observes the conversation (contract O-5)."""
    supervision: Supervision | None = None
    """Calls of the supervisor's model; None: no call."""
    aliases: Annotated[dict[Key, Key], Field(max_length=MAX_AGENTS), AfterValidator(by_key)] = (
        Field(default_factory=dict)
    )
    """Friendly names for handoff targets, each for an agent's id or `human`."""
    variables: Annotated[
        dict[VariableName, DefaultValue], Field(max_length=MAX_VARIABLES), AfterValidator(by_key)
    ] = Field(default_factory=dict)
    """Variables of a conversation with their default values. Instructions use them as
    `{{customer.name}}`, conditions as `variables.customer.name`."""
    on_handoff: Literal["continue", "wait"] = "continue"
    """Moment of the target's answer: at once, or at the next message (contract D-5)."""
    handoff_tool_name: ToolName | None = None
    """Name of the handoff tool (contract S-1); None: the default name of the topology."""
    allow_human: bool = True
    """True if any agent may hand over to the human (contract O-9)."""
    layout: Layout = Layout()

    @cached_property
    def agents_by_id(self) -> Mapping[str, Agent]:
        """Agents by id; the last of several with the same id (an issue)."""
        return {agent.id: agent for agent in self.agents}

    @cached_property
    def stages_by_phase(self) -> Mapping[str, Stage]:
        """Stages by phase; the last of several with the same phase (an issue)."""
        return {stage.phase: stage for stage in self.stages}

    @cached_property
    def tools_by_name(self) -> Mapping[str, Tool]:
        """Tools by name; the last of several with the same name (an issue)."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def transitions_from(self) -> Mapping[str, tuple[Transition, ...]]:
        """Transitions by source phase, in canonical order: `next` first."""
        by_source: dict[str, list[Transition]] = {}
        for transition in self.transitions:
            by_source.setdefault(transition.source, []).append(transition)
        return {source: tuple(transitions) for source, transitions in by_source.items()}

    def __copy__(self) -> Self:
        """Copy the fields without the cached properties.

        `model_copy(update=…)` calls this method; it would otherwise keep the old cached properties.
        """
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied

    def plays_like(self, other: PipelineDefinition) -> bool:
        """Report whether the engine runs both definitions alike; the layout is ignored."""
        return self.without_layout() == other.without_layout()

    def without_layout(self) -> Self:
        """Return the pipeline without its layout, as the engine runs it."""
        return self.model_copy(update={"layout": Layout()})

    def with_names(self, names: Mapping[str, str]) -> Self:
        """Return the pipeline with other ids of agents and stages, by their present ids."""
        return self.model_copy(
            update={
                "agents": tuple(renamed_agent(agent, names) for agent in self.agents),
                "stages": tuple(renamed_stage(stage, names) for stage in self.stages),
                "transitions": tuple(renamed_transition(each, names) for each in self.transitions),
                "entry": names.get(self.entry or "", self.entry),
            }
        )

    def with_valid_keys(self) -> Self:
        """Return the pipeline with the keys of agents whose ids are names, as a file needs them.

        The library runs agents under the names that its caller chose, such as `Billing Desk`, and
        keeps their keys as aliases. The agents keep their names, which handoffs may use.
        """
        keys = {
            name: key for key, name in self.aliases.items() if not re.fullmatch(KEY_PATTERN, name)
        }
        if not keys:
            return self
        aliases = {key: name for key, name in self.aliases.items() if name not in keys}
        renamed = self.with_names(keys).model_copy(update={"aliases": aliases})
        return self.model_validate(renamed.model_dump())  # in canonical order

    def dump(self, schema: str = "") -> str:
        """Return the definition as JSON in canonical order, without default values.

        `schema` is the address of the JSON Schema, for a file that people edit.
        """
        link = {"$schema": schema} if schema else {}
        head = link | {"format": self.format, "version": self.version}
        body = self.with_valid_keys().model_dump(mode="json", exclude_defaults=True)
        return json.dumps(head | body, indent=2, ensure_ascii=False) + "\n"
