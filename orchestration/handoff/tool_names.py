"""The names of the tools that the engine makes itself: of handoffs and of delegations.

A name depends on the definition alone, so that a resumed run meets the tools it knew. All of them
fit `TOOL_NAME_PATTERN`: letters, digits and `_`, at most 64.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from orchestration.definition import PipelineDefinition

HANDOFF_TOOL_NAME: Final = "handoff_conversation"
"""The one tool of all handoffs that have none of their own (contract O-8)."""

SWARM_TOOL_NAME: Final = "handoff"
"""The same tool in a swarm (contract S-2)."""

MAX_LENGTH = 64

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+")


def snake_case(name: str) -> str:
    """Return a name in snake case (contract E-1): `HTTPAgent` → `http_agent`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return "_".join(_WORD.findall(plain)).lower()


def distinct_names(names: Sequence[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names made distinct: `a`, `a`, `b` → `a`, `a_2`, `b` (contract E-2).

    Every name is cut to fit. The order decides which of two alike gets the number: give them in
    one that does not change.
    """
    wanted = [name[:MAX_LENGTH] for name in names]
    used = set(taken)
    free = dict.fromkeys(wanted, 2)
    reserved = used | free.keys()
    found: list[str] = []
    for name in wanted:
        given = name
        while given in used or (given != name and given in reserved):
            ending = f"_{free[name]}"
            given = name[: MAX_LENGTH - len(ending)] + ending
            free[name] += 1
        used.add(given)
        found.append(given)
    return tuple(found)


def shared_handoff_tool_name(definition: PipelineDefinition) -> str:
    """The name of the tool for all handoffs that have none of their own."""
    usual = SWARM_TOOL_NAME if definition.topology == "swarm" else HANDOFF_TOOL_NAME
    return definition.handoff_tool_name or usual


def passing_tool_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """The names of all tools that a stage's agent has for one target alone, by that target."""
    match definition.topology:
        case "pipeline" | "swarm":
            return handoff_tool_names(phase, definition)
        case "team":
            return delegate_tool_names(definition) if phase == definition.entry else {}
        case "workflow":
            return {}


def handoff_tool_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """Return the tool names of the typed transitions from a stage, by target (contract S-3).

    A tool goes by the name that its transition gives it, else by who takes over.
    """
    typed = [
        transition
        for transition in definition.transitions_from.get(phase, ())
        if transition.input_schema is not None
    ]
    named = {way.target: way.tool_name for way in typed if way.tool_name is not None}
    others = {way.target for way in typed} - named.keys()
    taken = {shared_handoff_tool_name(definition), *named.values()}
    return named | _made("transfer_to", others, definition, taken)


def delegate_tool_names(definition: PipelineDefinition) -> dict[str, str]:
    """The names of the tools by which the lead of a team asks its workers, by phase (contract H-5).

    Those that would be called alike are told apart (contract E-2).
    """
    ways = definition.transitions_from.get(definition.entry or "", ())
    return _made("delegate_to", {way.target for way in ways}, definition)


def _made(
    verb: str, phases: Iterable[str], definition: PipelineDefinition, taken: Iterable[str] = ()
) -> dict[str, str]:
    """A name for each phase: after its agent, or itself where that is none or that of several."""
    ordered = sorted(phases)
    agents = [_agent_of(phase, definition) for phase in ordered]
    times = Counter(agents)
    keys = (
        agent if agent is not None and times[agent] == 1 else phase
        for phase, agent in zip(ordered, agents, strict=True)
    )
    names = distinct_names([f"{verb}_{snake_case(key)}" for key in keys], taken)
    return dict(zip(ordered, names, strict=True))


def _agent_of(phase: str, definition: PipelineDefinition) -> str | None:
    stage = definition.stages_by_phase.get(phase)
    return stage.agent_id if stage is not None and stage.kind == "agent" else None
