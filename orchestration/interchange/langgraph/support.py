"""Support of the features of a definition in LangGraph code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from orchestration.definition import Limits, PipelineDefinition
from orchestration.interchange.features import is_supervised, pair
from orchestration.interchange.formats import NATIVE, NEVER_CALLED, UNUSED
from orchestration.interchange.results import Support, left_out

_WRITE = "Write the function before agents call the tool."
_TRANSLATE = "Write the condition in Python: until then a call raises `NotImplementedError`."
_FILTERED = Support("code", "`FilterMiddleware`", "The shared history stays whole.")

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": NATIVE,
    "stage": NATIVE,
    "shared_agent": Support("code", "an instance for each stage"),
    "entry": NATIVE,
    "default_agent": Support("code", "`route()`"),
    "transition": NATIVE,
    "kind": Support("comment", "order of the edges", "The graph makes no difference."),
    "description": NATIVE,
    "typed": NATIVE,
    "filter_no_tools": _FILTERED,
    "filter_last": _FILTERED,
    "filter_summary": _FILTERED,
    "filter_cel": Support("code", "a filter that raises", _TRANSLATE, differs=True),
    "rule": Support("code", "`route()` before the first stage"),
    "rule_cel": Support("code", "a condition that raises", _TRANSLATE, differs=True),
    "limits": Support(
        "code",
        "turns and handoffs counted, `recursion_limit`",
        "Calls, tokens, cost, seconds and context are not limited, and members, workers and stages "
        "of a workflow count only their own turns.",
        differs=True,
    ),
    "supervisor": Support(
        "code",
        "`supervised()` beside the graph",
        "The supervisor remarks on a run, and cannot send notes, pause, redirect or escalate.",
        differs=True,
    ),
    "group": Support("code", "a graph of the members"),
    "human": NATIVE,
    "workflow": NATIVE,
    "team": Support("code", "delegation tools of the lead"),
    "swarm": Support("code", "handoffs by name, and a check for cycles"),
    "function_tool": Support("code", "a function that raises", _WRITE),
    "http_tool": Support("code", "a request by httpx"),
    "mcp_tool": Support("code", "a call by langchain-mcp-adapters"),
    "subtask": Support("code", "a function that raises", _WRITE, differs=True),
    "user_input": NATIVE,
    "approval": NATIVE,
    "tool_limits": Support("code", "`CheckedTool`"),
    "model_settings": NATIVE,
    "response_schema": Support(
        "code", "`ProviderStrategy`", "The model must support structured output.", differs=True
    ),
    "prompt": Support("code", "`system_prompt`"),
    "language": Support("code", "a part of the instructions"),
    "reserve": Support(
        "code",
        "`ModelFallbackMiddleware`, `max_retries`, `timeout`",
        "The fallback has no retries of its own after a shown answer.",
    ),
    "variables": Support("code", "`VariableMiddleware`"),
    "aliases": left_out("A handoff tool has one target and needs no name.", differs=False),
    "on_handoff": Support("code", "an edge to the end"),
    "handoff_tool": Support(
        "lost", "a tool for each target", "Models see other names of handoff tools."
    ),
    "call_human": Support("code", "a tool for a handoff to a person"),
    **UNUSED,
}
"""Support by the key of a feature."""

_COUNTED: Final = Support("code", "turns and handoffs counted, `recursion_limit`")
_NO_BASE: Final = left_out("Members of groups and the supervisor get their own instructions only.")
_NO_NODE: Final = Support(
    "lost", "no node", "Nobody serves the stage, so the graph leaves it out.", differs=True
)


def exceptions(definition: PipelineDefinition) -> Mapping[tuple[str, str], Support]:
    """Return the support of limits that the code counts, and of stages that cannot run."""
    special: dict[tuple[str, str], Support] = {}
    counted = {"max_turns", "max_handoffs", "detect_cycles"}
    others = definition.limits.model_dump(exclude=counted)
    counts_all = definition.topology in ("pipeline", "swarm") and not any(
        each.kind == "group" for each in definition.stages
    )
    if counts_all and others == Limits().model_dump(exclude=counted):
        special["limits", "pipeline"] = _COUNTED
    groups = [stage for stage in definition.stages if stage.kind == "group"]
    for name in (name for stage in groups for name in stage.agent_ids):
        special["prompt", name] = _NO_BASE
    if (supervisor := definition.supervisor_id) is not None and is_supervised(definition):
        special["prompt", supervisor] = _NO_BASE
    elif supervisor is not None:
        special["supervisor", supervisor] = NEVER_CALLED
        if all(supervisor not in stage.agent_ids for stage in definition.stages):
            special["prompt", supervisor] = NEVER_CALLED
    agents, missing = definition.agents_by_id, set[str]()
    for stage in definition.stages_by_phase.values():
        if stage.kind != "human" and not any(each in agents for each in stage.agent_ids):
            special["group" if stage.kind == "group" else "stage", stage.phase] = _NO_NODE
            missing.add(stage.phase)
    missing |= {each.target for each in definition.transitions} - definition.stages_by_phase.keys()
    for each in definition.transitions:
        if each.target in missing or each.source in missing:
            special["transition", pair(each)] = _NO_NODE
    return special
