"""Parts of a definition with other ids of agents and stages."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition.agents import Agent, Cue
from orchestration.definition.stages import Group, Stage, Transition

Names = Mapping[str, str]
"""New ids by old ones; other ids stay."""


def renamed_agent(agent: Agent, names: Names) -> Agent:
    """Return an agent with another id, whose cues refer to the new ids."""
    cues = tuple(_renamed_cue(cue, names) for cue in agent.cues)
    return agent.model_copy(update={"id": names.get(agent.id, agent.id), "cues": cues})


def renamed_stage(stage: Stage, names: Names) -> Stage:
    """Return a stage with another phase, served by agents with other ids."""
    update = {
        "phase": names.get(stage.phase, stage.phase),
        "agent_id": stage.agent_id and names.get(stage.agent_id, stage.agent_id),
        "group": stage.group and _renamed_group(stage.group, names),
    }
    return stage.model_copy(update=update)


def renamed_transition(transition: Transition, names: Names) -> Transition:
    """Return a transition between stages with other phases."""
    ends = {"source": transition.source, "target": transition.target}
    return transition.model_copy(
        update={end: names.get(phase, phase) for end, phase in ends.items()}
    )


def _renamed_cue(cue: Cue, names: Names) -> Cue:
    hand_over = cue.hand_over and cue.hand_over.model_copy(
        update={
            "target": names.get(cue.hand_over.target, cue.hand_over.target),
            "phase": names.get(cue.hand_over.phase or "", cue.hand_over.phase),
        }
    )
    places = {"after_handoff_from": cue.after_handoff_from, "in_phase": cue.in_phase}
    update = {field: names.get(name or "", name) for field, name in places.items()}
    return cue.model_copy(update={**update, "hand_over": hand_over})


def _renamed_group(group: Group, names: Names) -> Group:
    dependencies = {
        names.get(key, key): tuple(names.get(member, member) for member in members)
        for key, members in group.dependencies.items()
    }
    agents = tuple(names.get(key, key) for key in group.agents)
    return group.model_copy(update={"agents": agents, "dependencies": dependencies})
