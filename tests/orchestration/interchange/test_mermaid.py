"""The Mermaid diagram."""

from __future__ import annotations

import re

from hypothesis import given

from orchestration.definition import PipelineDefinition
from orchestration.interchange import export
from tests.orchestration.sound_pipeline import sound
from tests.orchestration.strategies import definitions

LINE = re.compile(
    r'  (?:s\d+(?:\(|\[\[|\(\[)"[^"]*"(?:\)|\]\]|\]\))'
    r'|start\(\(start\)\)|start --> s\d+|s\d+ (?:-->|-\.->)(?:\|"[^"|]*"\|)? s\d+)'
)


def test_the_diagram_has_a_node_for_each_stage_and_an_arrow_for_each_transition() -> None:
    text = export(sound(), "mermaid").files["pipeline.mmd"]
    assert text.startswith("flowchart LR\n")
    assert len(re.findall(r" (?:-->|-\.->)", text)) == len(sound().transitions) + 1


@given(definitions())
def test_no_text_of_a_definition_changes_the_diagram(definition: PipelineDefinition) -> None:
    first, *lines = export(definition, "mermaid").files["pipeline.mmd"].splitlines()
    assert first == "flowchart LR"
    assert all(LINE.fullmatch(line) for line in lines)
