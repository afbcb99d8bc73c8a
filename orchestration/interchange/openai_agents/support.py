"""Support of the features of a definition in a project for the OpenAI Agents SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from orchestration.definition import InputFilter, PipelineDefinition, Transition
from orchestration.interchange.features import pair
from orchestration.interchange.formats import NATIVE, UNUSED
from orchestration.interchange.openai_agents.plan import ProjectPlan
from orchestration.interchange.results import Support, left_out

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": NATIVE,
    "stage": NATIVE,
    "shared_agent": Support(
        "native", "`clone` with another name", "Each stage has its own copy of the agent."
    ),
    "entry": NATIVE,
    "default_agent": Support("code", "`route()` before the run"),
    "transition": NATIVE,
    "kind": Support("metadata", "the table `NEXT`", "The model does not see it."),
    "description": Support("native", "`tool_description`"),
    "typed": Support(
        "native", "`Handoff.input_json_schema`", "The SDK does not check the arguments itself."
    ),
    "filter_no_tools": Support(
        "native",
        "`remove_all_tools`",
        "The target does not see the arguments of the handoff either.",
        differs=True,
    ),
    "filter_last": Support(
        "code", "a function that selects the messages", "It counts the items of the SDK."
    ),
    "filter_summary": Support("code", "a function that selects the messages"),
    "filter_cel": Support(
        "code",
        "raises when called",
        "The run stops there, with the expression in the error.",
        differs=True,
    ),
    "rule": Support("code", "`route()` before the run", "The same choice, made in your code."),
    "rule_cel": Support(
        "code",
        "raises when it is reached",
        "`route()` raises the expression, until you write it in Python.",
        differs=True,
    ),
    "limits": Support(
        "code",
        "`max_turns`, and a hook for handoffs",
        "Limits of tokens, cost and time are left out.",
        differs=True,
    ),
    "supervisor": Support(
        "code",
        "an empty class of `RunHooks`",
        "It sees each event, and does nothing until you write it.",
        differs=True,
    ),
    "group": Support("code", "`asyncio.gather` of the members in a model of its own"),
    "human": Support("code", "an agent with a tool that needs approval"),
    "workflow": Support("code", "a function that runs the stages one after the other"),
    "team": Support(
        "code", "agents as tools of the lead", "The argument is called `input`, not `task`."
    ),
    "swarm": NATIVE,
    "function_tool": Support("native", "a function that raises its name"),
    "http_tool": Support(
        "code", "a request with httpx", "It may call any address, not only the allowed ones."
    ),
    "mcp_tool": Support(
        "code", "`mcp_servers`", "Names, descriptions and schemas are those of the server."
    ),
    "subtask": Support(
        "code",
        "a function that raises its name",
        "The other pipeline is not called until you write it.",
        differs=True,
    ),
    "user_input": Support(
        "code",
        "a function that raises its name",
        "The user is not asked until you write it.",
        differs=True,
    ),
    "approval": Support("native", "`needs_approval`"),
    "tool_limits": Support("code", "time limit, length and attempts of the function"),
    "model_settings": Support("native", "`ModelSettings`"),
    "response_schema": Support("code", "`output_type`", "The answer is parsed and not checked."),
    "prompt": Support(
        "metadata",
        "added by Baton at an import",
        "The agents get their own instructions only.",
        differs=True,
    ),
    "language": Support("code", "a sentence in the instructions"),
    "reserve": left_out("There is no fallback, and the SDK decides about retries."),
    "variables": Support("code", "values of the run's context"),
    "aliases": left_out("Each target has its own tool, so it needs no alias.", differs=False),
    "on_handoff": left_out("The target of a handoff answers at once."),
    "handoff_tool": left_out("Each target has its own tool with its own name.", differs=False),
    "call_human": Support("metadata", "`transfer_to_human`"),
    **UNUSED,
}
"""Support of each feature."""

_NO_HANDOFF = left_out("The pipeline does not use it in this topology.", differs=False)
_DANGLING = left_out("One of its stages is missing.", differs=False)
_NO_TOOLS = InputFilter(keep="no_tools")
_DETAILS = (
    "typed",
    "filter_no_tools",
    "filter_last",
    "filter_summary",
    "filter_cel",
)
"""Features of a transition that only handoffs have."""


def exceptions(definition: PipelineDefinition) -> dict[tuple[str, str], Support]:
    """Return the support of single parts that differs from `SUPPORT`."""
    plan = ProjectPlan(definition)
    return dict([*_transitions(plan), *_agents(plan), *_tools(plan)])


def _transitions(plan: ProjectPlan) -> Iterator[tuple[tuple[str, str], Support]]:
    definition = plan.definition
    handoffs = {(phase, each.target) for phase in plan.stages for each, _ in plan.handoffs(phase)}
    for each in definition.transitions:
        key = (each.source, each.target)
        if each.input_filter.keep == "no_tools" and each.input_filter != _NO_TOOLS:
            code = replace(SUPPORT["filter_no_tools"], kept="code")
            yield ("filter_no_tools", pair(each)), code
        is_dangling = not {each.source, each.target} <= plan.stages.keys()
        is_next = each.kind == "next" and plan.following.get(each.source) == each.target
        if is_dangling:
            yield from _lost(each, ("transition", "kind", "description", *_DETAILS), _DANGLING)
        elif plan.hands_over:
            if each.kind == "next" and not is_next:
                yield ("kind", pair(each)), left_out("Another stage is next.", differs=False)
        elif key in handoffs:
            yield from _lost(each, _DETAILS, _NO_HANDOFF)
        elif is_next:
            yield from _lost(each, ("description", *_DETAILS), _NO_HANDOFF)
        else:
            yield from _lost(each, ("transition", "kind", "description", *_DETAILS), _NO_HANDOFF)


def _lost(
    transition: Transition, features: tuple[str, ...], support: Support
) -> Iterator[tuple[tuple[str, str], Support]]:
    for feature in features:
        yield (feature, pair(transition)), support


def _agents(plan: ProjectPlan) -> Iterator[tuple[tuple[str, str], Support]]:
    named = {name for stage in plan.definition.stages for name in stage.agent_ids}
    for name in sorted(named - plan.definition.agents_by_id.keys()):
        yield ("shared_agent", name), left_out("The agent is missing.", differs=False)
    for agent in plan.definition.agents_by_id.values():
        missing = [each for each in agent.tools if each not in plan.definition.tools_by_name]
        if missing:
            yield (
                ("agent", agent.id),
                Support("code", "without its missing tools", f"{len(missing)} tools are missing."),
            )
        if agent.provider != "default":
            yield (
                ("model_settings", agent.id),
                Support(
                    "code",
                    "`ModelSettings`, without the provider",
                    "The SDK uses its own provider.",
                    differs=True,
                ),
            )


def _tools(plan: ProjectPlan) -> Iterator[tuple[tuple[str, str], Support]]:
    for tool in plan.definition.tools_by_name.values():
        if tool.kind == "function" and (tool.http or tool.mcp or tool.pipeline):
            yield ("function_tool", tool.name), replace(NATIVE, kept="code", becomes="a function")
        if tool.kind == "mcp" and tool.approval:
            yield ("approval", tool.name), Support("code", "`require_approval` of the server")
