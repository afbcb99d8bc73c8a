"""Support of every feature of a definition in ADK."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Final

from orchestration.definition import PipelineDefinition, Transition
from orchestration.interchange.adk.tree import AgentTree, agent_tree
from orchestration.interchange.features import pair
from orchestration.interchange.formats import NATIVE, NO_EFFECT, UNUSED
from orchestration.interchange.results import Support, left_out

_FAILS = Support("code", "function that raises", "A call fails until it is written.", differs=True)

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": NATIVE,
    "stage": NATIVE,
    "shared_agent": Support("code", "a file for each stage"),
    "entry": NATIVE,
    "default_agent": left_out("A message that no rule routes goes to the root."),
    "transition": NATIVE,
    "kind": Support(
        "lost",
        "left out",
        "An agent may also transfer to its parent, and to all siblings if to one.",
        differs=True,
    ),
    "description": Support("comment", "description of the target"),
    "typed": left_out("The agents transfer without the values of the payload."),
    "filter_no_tools": left_out("The target sees the tool calls, too."),
    "filter_last": left_out("The target sees the whole conversation."),
    "filter_summary": left_out("The target sees the whole conversation."),
    "filter_cel": left_out("The target sees the whole conversation."),
    "rule": left_out("Every conversation begins with the root."),
    "rule_cel": left_out("Every conversation begins with the root."),
    "limits": left_out("Only `RunConfig.max_llm_calls` of the runner limits a run."),
    "supervisor": left_out("Nobody supervises: add a plugin to the runner."),
    "group": Support(
        "code",
        "`ParallelAgent` or `SequentialAgent`",
        "Members with dependencies answer one after the other.",
    ),
    "human": Support(
        "comment",
        "an agent that announces a person",
        "An agent answers in place of the person.",
        differs=True,
    ),
    "workflow": Support("code", "`Workflow`"),
    "team": Support("code", "`AgentTool` for each worker"),
    "swarm": Support(
        "comment", "the tree", "A loop of transfers does not end the run.", differs=True
    ),
    "function_tool": _FAILS,
    "http_tool": Support("code", "`http_calls.py`"),
    "mcp_tool": Support("code", "`McpToolset`", "Set the address of the server."),
    "subtask": _FAILS,
    "user_input": _FAILS,
    "approval": Support("code", "`require_confirmation`"),
    "tool_limits": left_out("Calls have the limits of ADK."),
    "model_settings": Support(
        "comment",
        "`generate_content_config`",
        "The provider, the effort and the tool choice are left out.",
        differs=True,
    ),
    "response_schema": Support("code", "`output_schema`"),
    "prompt": left_out("The agents get their own instructions, and the texts of ADK."),
    "language": Support("comment", "a sentence of the instructions"),
    "reserve": left_out("A failed call of the model ends the run."),
    "variables": left_out("The agents see the names of variables in place of their values."),
    "aliases": left_out("An agent finds a target only by its name.", differs=False),
    "on_handoff": left_out("The target answers at once."),
    "handoff_tool": left_out("The tool is `transfer_to_agent`.", differs=False),
    "call_human": left_out("An agent can transfer to agents of the tree only."),
    **UNUSED,
}


def exceptions(definition: PipelineDefinition) -> dict[tuple[str, str], Support]:
    """Return the parts with another support than declared: those outside of the tree."""
    tree = agent_tree(definition)
    found: dict[tuple[str, str], Support] = {}
    is_workflow = definition.topology == "workflow"
    used_phases = set(tree.chain() if is_workflow else tree.children)
    steps = set(pairwise(tree.chain())) if is_workflow else set()
    for each in definition.transitions:
        support = _transition(definition, tree, steps, each)
        if support is not None:
            found["transition", pair(each)] = support
        if support is NO_EFFECT:
            found["kind", pair(each)] = found["description", pair(each)] = NO_EFFECT
    used: set[str] = set()
    for stage in definition.stages_by_phase.values():
        if stage.phase in used_phases:
            used |= set(stage.agent_ids)
        else:
            kind = "stage" if stage.kind == "agent" else stage.kind
            found[kind, stage.phase] = _OUTSIDE
    for agent in definition.agents:
        if agent.id not in used:
            found["agent", agent.id] = left_out("It serves no stage of the tree.", differs=False)
        if not (
            agent.provider != "default" or agent.reasoning_effort or agent.tool_choice != "auto"
        ):
            found["model_settings", agent.id] = Support("code", "`generate_content_config`")
    if definition.entry is not None and definition.entry not in definition.stages_by_phase:
        found["entry", definition.entry] = left_out("The conversation begins with another stage.")
    return found


def _transition(
    definition: PipelineDefinition,
    tree: AgentTree,
    steps: Collection[tuple[str, str]],
    transition: Transition,
) -> Support | None:
    source, target = transition.source, transition.target
    if target not in tree.targets.get(source, ()) or source not in tree.depths:
        return NO_EFFECT
    if definition.topology == "team":
        return None
    if definition.topology == "workflow":
        return None if (source, target) in steps else _LOOP
    return None if tree.is_native(source, target) else _ROUTE


_OUTSIDE = left_out("It is outside of the tree, so no agent hands over to it.")
_LOOP = left_out("A workflow follows one `next` of each stage, and no loop.")
_ROUTE = Support(
    "metadata",
    "a route of `workflow.yaml`",
    "No agent of the tree can transfer there.",
    differs=True,
)
