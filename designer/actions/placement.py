"""Finding a place for stages that have none: simple layers, from the entry to the right."""

from __future__ import annotations

from collections import defaultdict, deque

from designer.actions.topology import FIRST_PLACE, STEP_RIGHT
from orchestration.definition import PipelineDefinition, Position

STEP_DOWN = 140
"""From a stage to the one below it, in CSS pixels."""


def placed(definition: PipelineDefinition) -> PipelineDefinition:
    """The definition with a place for every stage; those that have one keep it."""
    places = definition.layout.stages
    unplaced = [phase for phase in definition.stages_by_phase if phase not in places]
    if not unplaced:
        return definition
    depths = _depths(definition)
    bottom = max((at.y for at in places.values()), default=FIRST_PLACE.y - STEP_DOWN)
    used: dict[int, int] = defaultdict(int)
    found = {}
    for phase in sorted(unplaced, key=lambda phase: (depths[phase], phase)):
        depth = depths[phase]
        used[depth] += 1
        x = min(FIRST_PLACE.x + depth * STEP_RIGHT, 1_000_000)
        found[phase] = Position(x=x, y=min(bottom + used[depth] * STEP_DOWN, 1_000_000))
    layout = definition.layout.model_copy(update={"stages": {**places, **found}})
    return definition.model_copy(update={"layout": layout})


def _depths(definition: PipelineDefinition) -> dict[str, int]:
    """How many transitions each stage is from the entry; one past the farthest, if unreachable."""
    depths: dict[str, int] = {}
    if definition.entry and definition.entry in definition.stages_by_phase:
        depths[definition.entry] = 0
    queue = deque(depths)
    while queue:
        phase = queue.popleft()
        for way in definition.transitions_from.get(phase, ()):
            if way.target not in depths:
                depths[way.target] = depths[phase] + 1
                queue.append(way.target)
    beyond = max(depths.values(), default=-1) + 1
    return {phase: depths.get(phase, beyond) for phase in definition.stages_by_phase}
