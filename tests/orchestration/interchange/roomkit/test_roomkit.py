"""The whole project for RoomKit."""

from __future__ import annotations

import ast
import json

from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.interchange.roomkit.exported import calls
from tests.orchestration.sound_pipeline import sound
from tests.orchestration.strategies import definitions


def test_the_project_needs_python_3_12_and_expects_its_transitions() -> None:
    files = export(sound(), "roomkit").files
    assert 'requires-python = ">=3.12"' in files["pyproject.toml"]
    expected = json.loads(files["expected.json"])
    assert expected["transitions"]["review"] == ["desk", "handling"]
    assert expected["first"] == "intake"
    assert "| Part | Kept | Result |" in files["README.md"]


@given(definitions())
def test_no_text_breaks_the_code(definition: PipelineDefinition) -> None:
    files = export(definition, "roomkit").files
    for name, text in files.items():
        if name.endswith(".py"):
            ast.parse(text)
    prompts = {each["0"]: each["system_prompt"] for each in calls(definition, "Agent")}
    agents = definition.agents_by_id
    assert prompts == {each.id: each.instructions for each in agents.values()}
    phases = {each["phase"] for each in calls(definition, "PipelineStage")}
    for each in calls(definition, "PipelineStage"):
        assert {*each.get("can_return_to", ()), *filter(None, [each.get("next")])} <= phases
