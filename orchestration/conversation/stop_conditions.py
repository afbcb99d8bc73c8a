"""Conditions under which a stage's answer ends the run (contract H-6). All of them are pure.

The loop asks these functions, and so do the stop conditions of `AgentHandler`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from orchestration.definition import PipelineDefinition
from orchestration.handoff import handoff_tool_names, shared_handoff_tool_name
from orchestration.messages import ToolCall


def stops(definition: PipelineDefinition, phase: str) -> bool:
    """Report whether the answer of the stage `phase` ends the run.

    >>> from orchestration.definition import Stage, Transition
    >>> line = PipelineDefinition(
    ...     name="Line",
    ...     topology="workflow",
    ...     stages=[Stage(phase="draft"), Stage(phase="review")],
    ...     transitions=[Transition(source="draft", target="review")],
    ... )
    >>> stops(line, "draft"), stops(line, "review")
    (False, True)
    """
    stage = definition.stages_by_phase.get(phase)
    if stage is not None and stage.kind == "group" and definition.topology != "team":
        return workflow_stops(definition, phase)
    match definition.topology:
        case "workflow":
            return workflow_stops(definition, phase)
        case "team":
            return team_stops(definition, phase)
        case "pipeline" | "swarm":
            return True
        case _:
            assert_never(definition.topology)


def workflow_stops(definition: PipelineDefinition, phase: str) -> bool:
    """Report whether the stage has no successor."""
    return onward(definition, phase) is None


def team_stops(definition: PipelineDefinition, phase: str) -> bool:
    """Report whether the stage is the lead's, whose answer is the team's answer."""
    return phase == definition.entry


def handoff_stops(
    definition: PipelineDefinition, phase: str, output: str, calls: Sequence[ToolCall] = ()
) -> bool:
    """Report whether an agent calls no handoff tool and names no target."""
    passing = passing_tools(definition, phase) if calls else ()
    if any(call.name in passing for call in calls):
        return False
    return named_target(definition, phase, output) is None


def passing_tools(definition: PipelineDefinition, phase: str) -> frozenset[str]:
    """The names of the tools by which the stage's agent hands over."""
    ways = definition.transitions_from.get(phase, ())
    own = handoff_tool_names(phase, definition).values()
    shared = any(way.input_schema is None for way in ways)
    return frozenset((*own, shared_handoff_tool_name(definition)) if shared else own)


def onward(definition: PipelineDefinition, phase: str) -> str | None:
    """The stage that is `next`, if there is one."""
    ways = definition.transitions_from.get(phase, ())
    found = next((way.target for way in ways if way.kind == "next"), None)
    return found if found in definition.stages_by_phase else None


def named_target(definition: PipelineDefinition, phase: str, output: str) -> str | None:
    """Return the declared target whose id or name equals the stripped output (contract H-4)."""
    said = output.strip()
    if not said or len(said) > _LONGEST_NAME:
        return None
    named = []
    for way in definition.transitions_from.get(phase, ()):
        stage = definition.stages_by_phase.get(way.target)
        agent = definition.agents_by_id.get(stage.agent_id or "") if stage else None
        if agent is not None and said in (agent.id, agent.name):
            named.append(agent.id)
    return named[0] if len(named) == 1 else None


_LONGEST_NAME = 120
