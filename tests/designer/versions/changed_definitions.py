"""A definition with changes, for comparisons."""

from __future__ import annotations

from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from tests.designer.editor_requests import now


def changed(pipeline: Pipeline) -> PipelineDefinition:
    """Return the pipeline with other instructions, and without its last stage."""
    definition = now(pipeline)
    agent = definition.agents[0].model_copy(update={"instructions": "Be brief."})
    gone = definition.stages[-1].phase
    return definition.model_copy(
        update={
            "agents": (agent, *definition.agents[1:]),
            "stages": definition.stages[:-1],
            "transitions": tuple(
                each for each in definition.transitions if gone not in (each.source, each.target)
            ),
            "layout": definition.layout.model_copy(
                update={"stages": {k: v for k, v in definition.layout.stages.items() if k != gone}}
            ),
        }
    )
