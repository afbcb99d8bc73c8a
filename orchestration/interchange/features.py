"""Features of a definition: the rows of the mapping table, and the parts with each feature.

Every format declares its support of every feature (`Format.support`). The losses of an export are
the declarations of the features that the definition uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from orchestration.definition import Agent, Limits, PipelineDefinition, Tool, Transition

Values = Callable[[PipelineDefinition], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of definitions."""

    key: str
    title: str
    values: Values
    """Parts of a definition with this feature, as labels, and their values for a comparison; empty
    if the feature is unused."""

    def places(self, definition: PipelineDefinition) -> list[str]:
        """Return the labels of the parts with this feature."""
        return list(self.values(definition))


def pair(transition: Transition) -> str:
    """Return the label of a transition: `orders → billing`."""
    return f"{transition.source} → {transition.target}"


def is_supervised(definition: PipelineDefinition) -> bool:
    """Report whether the supervisor exists and is called at some events."""
    supervision = definition.supervision
    exists = definition.supervisor_id in definition.agents_by_id
    return exists and supervision is not None and bool(supervision.ask_at)


Part = TypeVar("Part")


def _parts(
    parts: Callable[[PipelineDefinition], Iterable[Part]],
    label: Callable[[Part], str],
    value: Callable[[Part], object],
    matches: Callable[[Part], object] = lambda each: True,
) -> Values:
    return lambda definition: {
        label(each): value(each) for each in parts(definition) if matches(each)
    }


def _agents(value: Callable[[Agent], object], matches: Callable[[Agent], object] = bool) -> Values:
    return _parts(lambda each: each.agents, lambda each: each.id, value, matches)


def _stages(kind: str) -> Values:
    return _parts(
        lambda each: each.stages,
        lambda each: each.phase,
        lambda each: (each.agent_id, each.group, each.description),
        lambda each: each.kind == kind,
    )


def _transitions(
    value: Callable[[Transition], object], matches: Callable[[Transition], object] | None = None
) -> Values:
    return _parts(lambda each: each.transitions, pair, value, matches or value)


def _filters(kind: str) -> Values:
    return _transitions(lambda each: each.input_filter, lambda each: each.input_filter.keep == kind)


def _tools(value: Callable[[Tool], object], matches: Callable[[Tool], object]) -> Values:
    return _parts(lambda each: each.tools, lambda each: each.name, value, matches)


def _tools_of_kind(kind: str) -> Values:
    return _tools(
        lambda each: (each.description, each.parameters, each.http, each.mcp, each.pipeline),
        lambda each: each.kind == kind,
    )


def _setting(value: Callable[[PipelineDefinition], object]) -> Values:
    """Return the value of a setting of the whole pipeline, if it is set."""

    def values(definition: PipelineDefinition) -> Mapping[str, object]:
        found = value(definition)
        return {"pipeline": found} if found else {}

    return values


def _named(value: Callable[[PipelineDefinition], str | None]) -> Values:
    """Return a part that the pipeline names, such as its entry."""

    def values(definition: PipelineDefinition) -> Mapping[str, object]:
        name = value(definition)
        return {name: name} if name is not None else {}

    return values


def _supervisor(definition: PipelineDefinition) -> Mapping[str, object]:
    if definition.supervisor_id is None:
        return {}
    return {definition.supervisor_id: definition.supervision}


def _shared_agents(definition: PipelineDefinition) -> Mapping[str, object]:
    counts = Counter(name for stage in definition.stages for name in stage.agent_ids)
    return {name: count for name, count in counts.items() if count > 1}


def _base_prompts(definition: PipelineDefinition) -> Mapping[str, object]:
    """Return the parts of the definition that are in the base prompt of each agent."""
    phases: dict[str, list[str]] = {each.id: [] for each in definition.agents}
    for stage in definition.stages:
        for name in phases.keys() & set(stage.agent_ids):
            phases[name].append(stage.phase)
    return {
        each.id: (each.name, tuple(phases[each.id]), definition.topology)
        for each in definition.agents
    }


def _may_call_human(definition: PipelineDefinition) -> bool:
    hands_over = definition.topology in ("pipeline", "swarm") and bool(definition.stages)
    return definition.allow_human and hands_over


def _settings(agent: Agent) -> tuple[object, ...]:
    return (
        agent.provider,
        agent.temperature,
        agent.max_output_tokens,
        agent.reasoning_effort,
        agent.tool_choice,
    )


def _reserve(agent: Agent) -> tuple[object, ...]:
    return (
        agent.fallback,
        agent.with_fallback().model,
        agent.retries,
        agent.retry_shown,
        agent.time_limit,
    )


def _tool_limits(tool: Tool) -> tuple[object, ...]:
    return (tool.time_limit, tool.max_answer, tool.idempotent)


_PLAIN_AGENT = Agent(id="agent", name="Agent")
_PLAIN_TOOL = Tool(name="tool")

FEATURES: Final[tuple[Feature, ...]] = (
    Feature("agent", "Agents", _agents(lambda a: (a.name, a.instructions, a.model, a.tools))),
    Feature("stage", "Agent stages", _stages("agent")),
    Feature("shared_agent", "Agent in several stages", _shared_agents),
    Feature("entry", "Entry", _named(lambda each: each.entry)),
    Feature("default_agent", "Default agent", _named(lambda each: each.default_agent_id)),
    Feature("transition", "Transitions", _transitions(pair)),
    Feature("kind", "Next, branch, return", _transitions(lambda each: each.kind)),
    Feature("description", "Description of a transition", _transitions(lambda t: t.description)),
    Feature(
        "typed",
        "Payload",
        _transitions(
            lambda each: (each.input_schema, each.tool_name),
            lambda each: each.input_schema is not None,
        ),
    ),
    Feature("filter_no_tools", "Filter without tool calls", _filters("no_tools")),
    Feature("filter_last", "Filter of the last messages", _filters("last")),
    Feature("filter_summary", "Filter to a summary", _filters("summary")),
    Feature("filter_cel", "Filter in CEL", _filters("matching")),
    Feature("rule", "Routing rules", lambda each: {rule.id: rule for rule in each.rules}),
    Feature(
        "rule_cel",
        "Routing rule in CEL",
        lambda each: {rule.id: rule for rule in each.rules if rule.conditions.custom},
    ),
    Feature("limits", "Limits", _setting(lambda d: d.limits if d.limits != Limits() else None)),
    Feature("supervisor", "Supervisor", _supervisor),
    Feature("group", "Groups", _stages("group")),
    Feature("human", "Human stage", _stages("human")),
    Feature("workflow", "Workflow", _setting(lambda each: each.topology == "workflow")),
    Feature("team", "Team", _setting(lambda each: each.topology == "team")),
    Feature("swarm", "Swarm", _setting(lambda each: each.topology == "swarm")),
    Feature("function_tool", "Function tools", _tools_of_kind("function")),
    Feature("http_tool", "HTTP tools", _tools_of_kind("http")),
    Feature("mcp_tool", "MCP tools", _tools_of_kind("mcp")),
    Feature("subtask", "Subtasks", _tools_of_kind("subtask")),
    Feature("user_input", "Questions to the user", _tools_of_kind("user_input")),
    Feature("approval", "Approval", _tools(lambda each: True, lambda each: each.approval)),
    Feature(
        "tool_limits",
        "Limits of a tool",
        _tools(_tool_limits, lambda each: _tool_limits(each) != _tool_limits(_PLAIN_TOOL)),
    ),
    Feature(
        "model_settings",
        "Model settings",
        _agents(_settings, lambda each: _settings(each) != _settings(_PLAIN_AGENT)),
    ),
    Feature(
        "response_schema",
        "Answer in a schema",
        _agents(lambda each: each.response_schema, lambda a: a.response_schema is not None),
    ),
    Feature("prompt", "Base prompt", _base_prompts),
    Feature("language", "Language", _agents(lambda a: a.language, lambda a: a.language)),
    Feature(
        "reserve",
        "Fallback, retries, time limit",
        _agents(_reserve, lambda each: _reserve(each) != _reserve(_PLAIN_AGENT)),
    ),
    Feature("variables", "Variables", lambda each: each.variables),
    Feature("aliases", "Aliases", lambda each: each.aliases),
    Feature("on_handoff", "Wait after a handoff", _setting(lambda d: d.on_handoff == "wait")),
    Feature("handoff_tool", "Name of the handoff tool", _setting(lambda d: d.handoff_tool_name)),
    Feature("call_human", "Any agent may hand over to the human", _setting(_may_call_human)),
    Feature("cues", "Agents with cues", _agents(lambda each: each.cues, lambda each: each.cues)),
    Feature(
        "examples",
        "Example answers",
        _tools(lambda each: (each.examples, each.stand_in), lambda t: t.examples or t.stand_in),
    ),
    Feature(
        "layout",
        "Layout",
        _setting(
            lambda each: (
                (dict(each.layout.stages), each.layout.hues, each.layout.supervisor)
                if each.layout.stages or each.layout.hues or each.layout.supervisor
                else None
            )
        ),
    ),
    Feature(
        "notes",
        "Notes and frames",
        _setting(lambda each: each.layout.notes + each.layout.frames),
    ),
)
"""All features, in the order of the tables."""

FEATURE_KEYS: Final = tuple(feature.key for feature in FEATURES)
