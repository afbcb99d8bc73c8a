"""Conditions under which a stage's answer ends the run (contract H-6), as pure functions.

The loop and the stop conditions of `AgentHandler` use them.
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
    return next_phase(definition, phase) is None


def team_stops(definition: PipelineDefinition, phase: str) -> bool:
    """Report whether the stage is the lead's, whose answer is the team's answer."""
    return phase == definition.entry


def handoff_stops(
    definition: PipelineDefinition, phase: str, output: str, calls: Sequence[ToolCall] = ()
) -> bool:
    """Report whether an agent calls no handoff tool and names no target."""
    names = handoff_tool_set(definition, phase) if calls else ()
    if any(call.name in names for call in calls):
        return False
    return named_target(definition, phase, output) is None


def handoff_tool_set(definition: PipelineDefinition, phase: str) -> frozenset[str]:
    """Return the names of the handoff tools of a stage's agent."""
    transitions = definition.transitions_from.get(phase, ())
    own = handoff_tool_names(phase, definition).values()
    shared = any(transition.input_schema is None for transition in transitions)
    return frozenset((*own, shared_handoff_tool_name(definition)) if shared else own)


def next_phase(definition: PipelineDefinition, phase: str) -> str | None:
    """Return the phase of the `next` stage, or None."""
    transitions = definition.transitions_from.get(phase, ())
    target = next((each.target for each in transitions if each.kind == "next"), None)
    return target if target in definition.stages_by_phase else None


def named_target(definition: PipelineDefinition, phase: str, output: str) -> str | None:
    """Return the declared target whose id, name or alias is the stripped output (contract H-4)."""
    name = definition.aliases.get(output.strip(), output.strip())
    if not name or len(name) > _LONGEST_NAME:
        return None
    matches = []
    for transition in definition.transitions_from.get(phase, ()):
        stage = definition.stages_by_phase.get(transition.target)
        agent = definition.agents_by_id.get(stage.agent_id or "") if stage else None
        if agent is not None and name in (agent.id, agent.name):
            matches.append(agent.id)
    return matches[0] if len(matches) == 1 else None


_LONGEST_NAME = 120
