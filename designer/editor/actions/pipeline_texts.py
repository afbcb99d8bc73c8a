"""Passages: every text of a pipeline that a person wrote or reads, and where in it it stands.

Names, instructions, descriptions, cues, notes and frames can be written anew; keys (phases, the ids
of agents, the names of tools) are found too, but other parts name them, so they are only renamed in
the forms of what bears them.
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
    """A part with its passages."""

    kind: PartKind
    key: str
    name: str
    """Name of the part for people."""
    part: Part
    passages: tuple[PartText, ...]


def places(definition: PipelineDefinition) -> Iterator[PartTexts]:
    """Every part that holds text, the pipeline itself first, and its passages as one reads them."""
    yield _place("pipeline", "", definition.name, definition, _of_pipeline(definition))
    for stage in definition.stages:
        yield _place("stage", stage.phase, stage.phase, stage, _of_stage(stage))
    for agent in definition.agents:
        yield _place("agent", agent.id, agent.name, agent, _of_agent(agent))
    for way in definition.transitions:
        key = transition_key(way.source, way.target)
        yield _place("transition", key, f"{way.source} → {way.target}", way, _of_transition(way))
    for tool in definition.tools:
        yield _place("tool", tool.name, tool.name, tool, _of_tool(tool))
    for note in definition.layout.notes:
        yield _place("note", note.id, note.id, note, [PartText(("text",), "Text", note.text)])
    for frame in definition.layout.frames:
        title = PartText(("title",), "Title", frame.title)
        yield _place("frame", frame.id, frame.title, frame, [title])


def _place(kind: PartKind, key: str, name: str, part: Part, found: Any) -> PartTexts:
    return PartTexts(kind, key, name, part, tuple(passage for passage in found if passage.text))


def _of_pipeline(definition: PipelineDefinition) -> Iterator[PartText]:
    yield PartText(("name",), "Name", definition.name)
    yield PartText(("description",), "Description", definition.description)


def _of_stage(stage: Stage) -> Iterator[PartText]:
    yield PartText(("phase",), "Phase", stage.phase, is_key=True)
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
        given = _texts(cue.call.arguments, (*path, "call", "arguments"))
        for where, text in given:
            yield PartText(where, f"{name}: calls {cue.call.tool} with", text)
    if cue.hand_over:
        yield PartText((*path, "hand_over", "reason"), f"{name}: reason", cue.hand_over.reason)
        yield PartText((*path, "hand_over", "summary"), f"{name}: summary", cue.hand_over.summary)


def _of_transition(way: Transition) -> Iterator[PartText]:
    yield PartText(("description",), "Description", way.description)
    yield from _of_schema(("input_schema",), way.input_schema)


def _of_tool(tool: Tool) -> Iterator[PartText]:
    yield PartText(("name",), "Name", tool.name, is_key=True)
    yield PartText(("description",), "Description", tool.description)
    yield from _of_schema(("parameters",), tool.parameters)
    for number, example in enumerate(tool.examples):
        path, name = ("examples", number), f"Example {number + 1}"
        for where, text in _texts(example.arguments, (*path, "arguments")):
            yield PartText(where, f"{name}: given", text)
        yield PartText((*path, "result"), f"{name}: result", example.result)


def _of_schema(path: Path, schema: dict[str, Any] | None) -> Iterator[PartText]:
    """Yield the texts of a schema that models read: its descriptions."""
    for where, text in _texts(schema or {}, path):
        if where[-1] == "description" and where[-2:-1] != ("properties",):
            yield PartText(where, f"Description of {_argument(where)}", text)


def _argument(path: Path) -> str:
    """The argument that a description in a schema is about."""
    names = [str(step) for before, step in pairwise(path) if before == "properties"]
    return ".".join(names) or "its arguments"


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
