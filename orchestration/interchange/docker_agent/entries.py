"""Entries of the `agents` of a file: one for each stage, and for each agent outside of the stages.

The description of an entry names its agent, `Triage (agent-triage): Takes the first message`, and
a list after the instructions names its targets. Other agents read both, and so does the import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from orchestration.definition import (
    MAX_TEXT,
    Agent,
    PipelineDefinition,
    Stage,
    Topology,
    Transition,
)
from orchestration.graph import can_be_taken
from orchestration.prompts import SEPARATOR

ROOT: Final = "root"

HUMAN_TEXT: Final = (
    "A person answers from here on. Say in one sentence that a person will answer, and no more."
)
GROUP_TEXT: Final = "Have each of your sub-agents do the whole task, and join their answers."
HANDOFF_TEXT: Final = "Hand the conversation over when another agent should answer:"
RESULT_TEXT: Final = "When your result is complete, hand it over:"
TEAM_TEXT: Final = "Delegate tasks to:"
OUTSIDE: Final = "Outside of the stages: "

_MADE = "Made with Baton."
_README = re.compile(
    rf"{re.escape(_MADE)} Topology: (?P<topology>pipeline|workflow|team|swarm)\."
    r"(?: `root` is the stage `(?P<root>[a-z0-9_-]+)`(?P<entry>, the entry)?\.)?"
)
_DESCRIPTION = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"|[^"(][^(]*?|) \((?P<agent>[a-z0-9_-]+)\)(?:: (?P<text>.*))?',
    re.DOTALL,
)
_TARGET = re.compile(r"- (?P<key>\S+?)(?P<next>, next)?(?:: (?P<text>.*))?")


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of `agents`."""

    key: str
    stage: Stage | None = None
    agent: Agent | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """All entries of a definition, `root` first."""

    all: tuple[Entry, ...]
    by_stage: Mapping[str, str]
    """Keys of entries by phase."""
    by_agent: Mapping[str, str]
    """Keys of an entry of each agent."""
    outgoing: Mapping[str, Sequence[Transition]]
    """Written transitions by source: between existing stages, and such that can be taken."""


def entries_of(definition: PipelineDefinition) -> Entries:
    """Return the entries: the stages, the first one as `root`, then the remaining agents."""
    stages, agents = definition.stages_by_phase, definition.agents_by_id
    phases = sorted(stages, key=lambda phase: phase != definition.entry)
    taken = {ROOT}
    found: list[Entry] = []
    for phase in phases:
        stage = stages[phase]
        key = _key(phase, taken) if found else ROOT
        served = agents.get(stage.agent_id or "") if stage.kind == "agent" else None
        found.append(Entry(key, stage, served))
    by_agent = {each.agent.id: each.key for each in reversed(found) if each.agent is not None}
    for name in agents:
        if name not in by_agent:
            key = by_agent[name] = _key(name, taken) if found else ROOT
            found.append(Entry(key, None, agents[name]))
    by_stage = {each.stage.phase: each.key for each in found if each.stage is not None}
    return Entries(tuple(found), by_stage, by_agent, _outgoing(definition))


def readme(definition: PipelineDefinition, entries: Entries) -> str:
    """Return the text of `metadata.readme`."""
    first = entries.all[0].stage if entries.all else None
    text = f"# {' '.join(definition.name.split())}\n\n{_MADE} Topology: {definition.topology}."
    if first is not None:
        is_entry = ", the entry" if first.phase == definition.entry else ""
        text += f" `root` is the stage `{first.phase}`{is_entry}."
    return text


@dataclass(frozen=True, slots=True)
class Readme:
    """Facts of the readme of a file that Baton wrote."""

    topology: Topology
    root: str | None
    has_entry: bool


def parse_readme(text: str) -> Readme | None:
    """Return the facts of a readme, or None for the readme of another file."""
    match = _README.search(text)
    if match is None:
        return None
    topology: Topology = match["topology"]  # type: ignore[assignment]  # the pattern lists them
    return Readme(topology, match["root"], match["entry"] is not None)


def description(entry: Entry) -> str:
    """Return the description of an entry, with the name and the id of its agent."""
    text = entry.stage.description if entry.stage is not None else ""
    if entry.agent is None:
        return text
    name = entry.agent.name
    shown = json.dumps(name, ensure_ascii=False) if "(" in name or name.startswith('"') else name
    named = f"{shown} ({entry.agent.id})" + (f": {text}" if text else "")
    return named if entry.stage is not None else OUTSIDE + named


def parse_description(text: str) -> tuple[str, str, str] | None:
    """Return the id and name of the agent and the stage's description, or None."""
    match = _DESCRIPTION.fullmatch(text)
    if match is None:
        return None
    name = match["name"]
    try:
        return match["agent"], json.loads(name) if name[:1] == '"' else name, match["text"] or ""
    except ValueError:
        return None


def instruction(definition: PipelineDefinition, entry: Entry, entries: Entries) -> str:
    """Return the instructions of an entry, its language and its targets."""
    text, language = "", ""
    if entry.agent is not None:
        text = entry.agent.instructions
        language = f"Answer in {entry.agent.language}." if entry.agent.language else ""
    elif entry.stage is not None and entry.stage.kind != "agent":
        text = HUMAN_TEXT if entry.stage.kind == "human" else GROUP_TEXT
    parts = [language, targets_text(definition, entry, entries)]
    return text + "".join(SEPARATOR + each for each in parts if each)


def targets_text(definition: PipelineDefinition, entry: Entry, entries: Entries) -> str:
    """Return the list of the targets of an entry; empty without any, or if it is too long."""
    if entry.stage is None:
        return ""
    outgoing = entries.outgoing.get(entry.stage.phase, ())
    heads = {"workflow": RESULT_TEXT, "team": TEAM_TEXT}
    lines = [heads.get(definition.topology, HANDOFF_TEXT), *_lines(outgoing, entries)]
    text = "\n".join(lines)
    own = len(entry.agent.instructions) if entry.agent is not None else 0
    return text if outgoing and len(text) + own < MAX_TEXT - 1_000 else ""


def parse_instruction(text: str) -> tuple[str, str, dict[str, tuple[bool, str]]]:
    """Return the instructions, the language, and for each target `next` and the description."""
    text, targets = _without_targets(text)
    head, _, last = text.rpartition(SEPARATOR)
    match = re.fullmatch(r"Answer in (.{1,120})\.", last, re.DOTALL)
    if match is None or (not head and not text.startswith(SEPARATOR)):
        return text, "", targets
    return head, match[1], targets


def _without_targets(text: str) -> tuple[str, dict[str, tuple[bool, str]]]:
    head, separator, last = text.rpartition(SEPARATOR)
    first, *lines = last.split("\n")
    matches = [_TARGET.fullmatch(line) for line in lines]
    if not separator or first not in (HANDOFF_TEXT, RESULT_TEXT, TEAM_TEXT) or None in matches:
        return text, {}
    found = [each for each in matches if each is not None]
    return head, {each["key"]: (each["next"] is not None, each["text"] or "") for each in found}


def _outgoing(definition: PipelineDefinition) -> dict[str, list[Transition]]:
    stages = definition.stages_by_phase
    kinds = ("agent",) if definition.topology == "team" else ("agent", "group", "human")
    return {
        source: [
            each for each in outgoing if each.target in stages and can_be_taken(definition, each)
        ]
        for source, outgoing in definition.transitions_from.items()
        if source in stages and stages[source].kind in kinds
    }


def _lines(outgoing: Iterable[Transition], entries: Entries) -> list[str]:
    return [
        f"- {entries.by_stage[each.target]}"
        + (", next" if each.kind == "next" else "")
        + (f": {text}" if (text := " ".join(each.description.split())) else "")
        for each in outgoing
    ]


def _key(name: str, taken: set[str]) -> str:
    key, number = name, 2
    while key in taken:
        key, number = f"{name}-{number}", number + 1
    taken.add(key)
    return key
