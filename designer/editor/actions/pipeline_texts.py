"""All texts of a pipeline that a person writes or reads, with their paths.

Names, instructions, descriptions, cues, notes and frames can be replaced. Keys (phases, ids of
agents, names of tools) are listed too, but other parts refer to them, so they are renamed only in
the form of their part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from designer.definitions import transition_key
from orchestration.definition import (
    Agent,
    Cue,
    Frame,
    Note,
    PipelineDefinition,
    Stage,
    Tool,
    Transition,
)

PartKind = Literal["pipeline", "stage", "agent", "transition", "tool", "note", "frame"]
Part: TypeAlias = PipelineDefinition | Stage | Agent | Transition | Tool | Note | Frame
Path: TypeAlias = tuple[str | int, ...]
"""Path within a part: `("cues", 2, "say")`."""


@dataclass(frozen=True, slots=True)
class PartText:
    """One text of one part."""

    path: Path
    name: str
    """Name for people: `Instructions`, `Cue 3: says`."""
    text: str
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class PartTexts:
    """A part with its texts."""

    kind: PartKind
    key: str
    name: str
    """Name of the part for people."""
    part: Part
    texts: tuple[PartText, ...]


def part_texts(definition: PipelineDefinition) -> Iterator[PartTexts]:
    """Yield the parts with their texts in reading order; the pipeline itself is the first."""
    yield _part_texts("pipeline", "", definition.name, definition, _of_pipeline(definition))
    for stage in definition.stages:
        yield _part_texts("stage", stage.phase, stage.phase, stage, _of_stage(stage))
    for agent in definition.agents:
        yield _part_texts("agent", agent.id, agent.name, agent, _of_agent(agent))
    for transition in definition.transitions:
        source, target = transition.source, transition.target
        texts = _of_transition(transition)
        key = transition_key(source, target)
        yield _part_texts("transition", key, f"{source} → {target}", transition, texts)
    for tool in definition.tools:
        yield _part_texts("tool", tool.name, tool.name, tool, _of_tool(tool))
    for note in definition.layout.notes:
        yield _part_texts("note", note.id, note.id, note, [PartText(("text",), "Text", note.text)])
    for frame in definition.layout.frames:
        title = PartText(("title",), "Title", frame.title)
        yield _part_texts("frame", frame.id, frame.title, frame, [title])


def _part_texts(kind: PartKind, key: str, name: str, part: Part, texts: Any) -> PartTexts:
    return PartTexts(kind, key, name, part, tuple(text for text in texts if text.text))


def _of_pipeline(definition: PipelineDefinition) -> Iterator[PartText]:
    yield PartText(("name",), "Name", definition.name)
    yield PartText(("description",), "Description", definition.description)


def _of_stage(stage: Stage) -> Iterator[PartText]:
    yield PartText(("phase",), "Stage name", stage.phase, is_key=True)
    yield PartText(("description",), "Description", stage.description)


def _of_agent(agent: Agent) -> Iterator[PartText]:
    yield PartText(("name",), "Name", agent.name)
    yield PartText(("id",), "Id", agent.id, is_key=True)
    yield PartText(("instructions",), "Instructions", agent.instructions)
    for number, cue in enumerate(agent.cues):
        yield from _of_cue(number, cue)


def _of_cue(number: int, cue: Cue) -> Iterator[PartText]:
    path, name = ("cues", number), f"Cue {number + 1}"
    for index, words in enumerate(cue.when):
        yield PartText((*path, "when", index), f"{name}: when the message has", words)
    yield PartText((*path, "say"), f"{name}: says", cue.say)
    if cue.call:
        arguments = _texts(cue.call.arguments, (*path, "call", "arguments"))
        for text_path, text in arguments:
            yield PartText(text_path, f"{name}: calls {cue.call.tool} with", text)
    if cue.hand_over:
        yield PartText((*path, "hand_over", "reason"), f"{name}: reason", cue.hand_over.reason)
        yield PartText((*path, "hand_over", "summary"), f"{name}: summary", cue.hand_over.summary)


def _of_transition(transition: Transition) -> Iterator[PartText]:
    yield PartText(("description",), "Description", transition.description)
    yield from _of_schema(("input_schema",), transition.input_schema)


def _of_tool(tool: Tool) -> Iterator[PartText]:
    yield PartText(("name",), "Name", tool.name, is_key=True)
    yield PartText(("description",), "Description", tool.description)
    yield from _of_schema(("parameters",), tool.parameters)
    for number, example in enumerate(tool.examples):
        path, name = ("examples", number), f"Example {number + 1}"
        for text_path, text in _texts(example.arguments, (*path, "arguments")):
            yield PartText(text_path, f"{name}: given", text)
        yield PartText((*path, "result"), f"{name}: result", example.result)


def _of_schema(path: Path, schema: dict[str, Any] | None) -> Iterator[PartText]:
    """Yield the descriptions in a schema. Models do not read its other texts."""
    for text_path, text in _texts(schema or {}, path):
        if text_path[-1] == "description" and text_path[-2:-1] != ("properties",):
            yield PartText(text_path, f"Description of {_argument(text_path)}", text)


def _argument(path: Path) -> str:
    """Return the name of the argument that a path in a schema belongs to."""
    names = [str(step) for before, step in pairwise(path) if before == "properties"]
    return ".".join(names) or "its arguments"


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield all texts in a JSON value, with their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
