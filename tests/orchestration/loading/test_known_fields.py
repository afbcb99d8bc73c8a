"""Names of the fields at locations of a definition."""

import pytest
from pydantic import BaseModel

from orchestration.definition import (
    Agent,
    Comparison,
    CueHandoff,
    Group,
    Note,
    PipelineDefinition,
    Position,
)
from orchestration.loading.known_fields import Steps, known_fields


@pytest.mark.parametrize(
    ("steps", "model"),
    [
        ((), PipelineDefinition),
        (("agents", 0), Agent),
        (("agents", 7, "cues", 1, "hand_over"), CueHandoff),
        (("stages", 0, "group"), Group),
        (("rules", 2, "conditions", "rows", 0), Comparison),
        (("layout", "notes", 3), Note),
        (("layout", "stages", "intake"), Position),
    ],
)
def test_a_location_has_the_fields_of_its_model(steps: Steps, model: type[BaseModel]) -> None:
    assert known_fields(steps) == tuple(model.model_fields)


@pytest.mark.parametrize(
    "steps",
    [("nothing",), ("agents",), ("agents", "a"), ("name",), ("name", 0), ("aliases", "desk")],
)
def test_a_location_without_an_object_has_no_fields(steps: Steps) -> None:
    assert known_fields(steps) == ()
