"""Features of a definition: the rows of the mapping table, and the parts with each feature.

Every format declares its support of every feature (`Format.support`). The losses of an export are
the declarations of the features that the definition uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from orchestration.definition import Agent, Layout, Limits, PipelineDefinition, Tool, Transition
from orchestration.graph import backward_transitions

Places = Callable[[PipelineDefinition], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of definitions."""

    key: str
    title: str
    places: Places
    """Parts of a definition with this feature, as labels; none if the feature is unused."""


def pair(transition: Transition) -> str:
    """Return the label of a transition: `orders → billing`."""
    return f"{transition.source} → {transition.target}"


def _agents(matches: Callable[[Agent], object]) -> Places:
    return lambda definition: [each.id for each in definition.agents if matches(each)]


def _stages(kind: str) -> Places:
    return lambda definition: [each.phase for each in definition.stages if each.kind == kind]


def _transitions(matches: Callable[[Transition], object]) -> Places:
    return lambda definition: [pair(each) for each in definition.transitions if matches(each)]


def _filters(*kinds: str) -> Places:
    return _transitions(lambda each: each.input_filter.keep in kinds)


def _tools(matches: Callable[[Tool], object]) -> Places:
    return lambda definition: [each.name for each in definition.tools if matches(each)]


def _setting(label: str, matches: Callable[[PipelineDefinition], object]) -> Places:
    return lambda definition: [label] if matches(definition) else []


def _shared_agents(definition: PipelineDefinition) -> Iterator[str]:
    counts = Counter(name for stage in definition.stages for name in stage.agent_ids)
    return (name for name, count in counts.items() if count > 1)


def _kinds(definition: PipelineDefinition) -> list[str]:
    back = backward_transitions(definition)
    kinds = {"next": "next", "return": "branch"}
    return [
        f"{pair(each)} ({'return' if (each.source, each.target) in back else kinds[each.kind]})"
        for each in definition.transitions
    ]


def _has_settings(agent: Agent) -> bool:
    return (
        agent.temperature is not None
        or agent.max_output_tokens is not None
        or agent.reasoning_effort is not None
        or agent.tool_choice != "auto"
    )


def _has_reserve(agent: Agent) -> bool:
    return (
        agent.fallback is not None
        or agent.retries is not None
        or agent.retry_shown
        or agent.time_limit is not None
    )


def _has_tool_limits(tool: Tool) -> bool:
    return tool.time_limit is not None or tool.max_answer is not None or tool.idempotent


def _is_drawn(layout: Layout) -> bool:
    return bool(layout.stages or layout.hues or layout.supervisor)


FEATURES: Final[tuple[Feature, ...]] = (
    Feature("agent", "Agents", _agents(lambda each: True)),
    Feature("stage", "Stages", _stages("agent")),
    Feature("shared_agent", "Agent in several stages", _shared_agents),
    Feature("entry", "Entry", lambda each: [each.entry] if each.entry else []),
    Feature("default_agent", "Default agent", _setting("pipeline", lambda d: d.default_agent_id)),
    Feature("transition", "Transitions", _transitions(lambda each: True)),
    Feature("kind", "Next, branch, return", _kinds),
    Feature("description", "Description of a transition", _transitions(lambda t: t.description)),
    Feature("typed", "Payload", _transitions(lambda each: each.input_schema is not None)),
    Feature("filter_no_tools", "Filter without tool calls", _filters("no_tools")),
    Feature("filter_last", "Filter of the last messages", _filters("last")),
    Feature("filter_summary", "Filter to a summary", _filters("summary")),
    Feature("filter_cel", "Filter in CEL", _filters("matching")),
    Feature("rule", "Routing rules", lambda each: [rule.id for rule in each.rules]),
    Feature(
        "rule_cel",
        "Routing rule in CEL",
        lambda each: [rule.id for rule in each.rules if rule.conditions.custom],
    ),
    Feature("limits", "Limits", _setting("pipeline", lambda each: each.limits != Limits())),
    Feature(
        "supervisor", "Supervisor", lambda each: [each.supervisor_id] if each.supervisor_id else []
    ),
    Feature("group", "Groups", _stages("group")),
    Feature("human", "Human stage", _stages("human")),
    Feature("workflow", "Workflow", _setting("pipeline", lambda d: d.topology == "workflow")),
    Feature("team", "Team", _setting("pipeline", lambda each: each.topology == "team")),
    Feature("function_tool", "Function tools", _tools(lambda each: each.kind == "function")),
    Feature("http_tool", "HTTP tools", _tools(lambda each: each.kind == "http")),
    Feature("mcp_tool", "MCP tools", _tools(lambda each: each.kind == "mcp")),
    Feature("subtask", "Subtasks", _tools(lambda each: each.kind == "subtask")),
    Feature("user_input", "Questions to the user", _tools(lambda t: t.kind == "user_input")),
    Feature("approval", "Approval", _tools(lambda each: each.approval)),
    Feature("tool_limits", "Limits of a tool", _tools(_has_tool_limits)),
    Feature("model_settings", "Model settings", _agents(_has_settings)),
    Feature("response_schema", "Answer in a schema", _agents(lambda each: each.response_schema)),
    Feature("language", "Language", _agents(lambda each: each.language)),
    Feature("reserve", "Fallback, retries, time limit", _agents(_has_reserve)),
    Feature("variables", "Variables", lambda each: each.variables),
    Feature("aliases", "Aliases", lambda each: each.aliases),
    Feature(
        "on_handoff", "Wait after a handoff", _setting("pipeline", lambda d: d.on_handoff == "wait")
    ),
    Feature(
        "no_human", "No handoff to the human", _setting("pipeline", lambda d: not d.allow_human)
    ),
    Feature("cues", "Scripted cues", _agents(lambda each: each.cues)),
    Feature("examples", "Example answers", _tools(lambda each: each.examples or each.stand_in)),
    Feature("layout", "Layout", _setting("pipeline", lambda each: _is_drawn(each.layout))),
    Feature(
        "notes",
        "Notes and frames",
        _setting("pipeline", lambda d: d.layout.notes or d.layout.frames),
    ),
)
"""All features, in the order of the tables."""

FEATURE_KEYS: Final = tuple(feature.key for feature in FEATURES)
