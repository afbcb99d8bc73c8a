"""Exported diagrams, parsed by Mermaid's own parser."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.graph import backward_transitions
from orchestration.interchange import export
from tests.slow.exchange.environments import environment, run_json
from tests.slow.exchange.pipelines import pipelines


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All exported diagrams by name, as Mermaid parses them."""
    folder = tmp_path_factory.mktemp("mermaid")
    for name, definition in pipelines().items():
        text = export(definition, "mermaid").files["pipeline.mmd"]
        (folder / f"{name}.mmd").write_text(text, encoding="utf-8")
    python = environment("mermaid", "mermaid-parser-py==0.0.4")
    result: dict[str, Any] = run_json(python, "parse_mermaid.py", folder)
    return result


@pytest.mark.parametrize("name", pipelines())
def test_mermaid_reads_all_stages_and_transitions(name: str, parsed: dict[str, Any]) -> None:
    definition, diagram = pipelines()[name], parsed[name]
    nodes = {stage.phase: f"s{number}" for number, stage in enumerate(definition.stages)}
    back = backward_transitions(definition)
    edges = [
        [
            nodes[each.source],
            nodes[each.target],
            "dotted" if (each.source, each.target) in back else "normal",
        ]
        for each in definition.transitions
    ]
    assert diagram["kind"] == "flowchart-v2"
    assert set(diagram["nodes"]) == {"start", *nodes.values()}
    assert diagram["edges"] == [["start", nodes[definition.entry or ""], "normal"], *edges]
