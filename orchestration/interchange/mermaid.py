"""Mermaid: the pipeline as a text diagram (mermaid.js.org, flowchart)."""

from __future__ import annotations

from orchestration.definition import PipelineDefinition, Stage
from orchestration.graph import backward_transitions
from orchestration.interchange.features import FEATURE_KEYS
from orchestration.interchange.formats import NATIVE, Files, Format
from orchestration.interchange.results import Support

_SHAPES = {"agent": ("(", ")"), "group": ("[[", "]]"), "human": ("([", "])")}
_NOT_DRAWN = Support("lost", "not drawn", "The diagram shows stages and transitions only.")
_LABEL = 60


def write(definition: PipelineDefinition) -> Files:
    """Return the diagram: a node for each stage, solid arrows forward, dotted ones back."""
    nodes = {stage.phase: f"s{number}" for number, stage in enumerate(definition.stages)}
    back = backward_transitions(definition)
    lines = ["flowchart LR"]
    lines += [f"  {nodes[each.phase]}{_node(each, definition)}" for each in definition.stages]
    if definition.entry in nodes:
        lines += ["  start((start))", f"  start --> {nodes[definition.entry]}"]
    for each in definition.transitions:
        if each.source in nodes and each.target in nodes:
            arrow = "-.->" if (each.source, each.target) in back else "-->"
            label = f"|{_text(each.description)}|" if each.description.strip() else ""
            lines.append(f"  {nodes[each.source]} {arrow}{label} {nodes[each.target]}")
    return {"pipeline.mmd": "\n".join(lines) + "\n"}


def _node(stage: Stage, definition: PipelineDefinition) -> str:
    opening, closing = _SHAPES[stage.kind]
    agents = definition.agents_by_id
    names = [agents[each].name if each in agents else each for each in stage.agent_ids]
    label = _text(stage.phase + (f": {', '.join(names)}" if names else ""))
    return f"{opening}{label}{closing}"


def _text(text: str) -> str:
    """Return a text in quotes with entities for all characters that have a meaning in Mermaid."""
    line = " ".join(text.split())
    line = line if len(line) <= _LABEL else f"{line[: _LABEL - 1]}…"
    safe = [
        each if each.isalnum() or each in " .,:!?-_…" else f"#{ord(each)};"
        for each in line
        if each.isprintable()
    ]
    return f'"{"".join(safe)}"'


MERMAID = Format(
    key="mermaid",
    title="Mermaid",
    summary="text diagram",
    kind="picture",
    support=dict.fromkeys(FEATURE_KEYS, _NOT_DRAWN)
    | dict.fromkeys(
        ("agent", "stage", "shared_agent", "entry", "transition", "kind", "group", "human"), NATIVE
    )
    | {"description": Support("native")},
    write=write,
)
