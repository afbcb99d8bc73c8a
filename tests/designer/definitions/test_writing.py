"""Number of queries for a large patch."""

import itertools

from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from designer import definitions
from designer.core.edits import make_edit
from designer.definitions.patches import Patch
from designer.models import Pipeline
from orchestration.definition import Agent, Layout, PipelineDefinition, Position, Stage, Transition

STAGES = [f"stage-{number}" for number in range(300)]
DRAWN = PipelineDefinition(
    name="Long",
    agents=tuple(Agent(id=f"agent-{phase}", name=phase) for phase in STAGES),
    stages=tuple(Stage(phase=phase, agent_id=f"agent-{phase}") for phase in STAGES),
    transitions=tuple(
        Transition(source=source, target=target) for source, target in itertools.pairwise(STAGES)
    ),
    layout=Layout(
        stages={phase: Position(x=number, y=0) for number, phase in enumerate(STAGES)},
        hues={f"agent-{phase}": number for number, phase in enumerate(STAGES)},
    ),
    entry=STAGES[0],
)


def test_many_parts_are_written_and_deleted_in_few_queries(user: User) -> None:
    pipeline = Pipeline.objects.create(owner=user, name="Long")
    moved = {phase: Position(x=number, y=9) for number, phase in enumerate(STAGES)}
    deleted = {f"{t.source}>{t.target}": None for t in DRAWN.transitions}

    for patch in (Patch.of(DRAWN), Patch(positions=moved), Patch(transitions=deleted)):
        with CaptureQueriesContext(connection) as queries:
            make_edit(pipeline=pipeline, user=user, label="Write", patch=patch)
        assert len(queries) < len(STAGES) / 5

    pipeline.refresh_from_db()
    layout = DRAWN.layout.model_copy(update={"stages": moved})
    expected = DRAWN.model_copy(update={"layout": layout, "transitions": ()})
    assert definitions.read(pipeline) == expected
