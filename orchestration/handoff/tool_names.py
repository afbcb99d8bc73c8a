"""Names of the engine's own tools: handoffs and delegations.

A name depends on the definition only, so a resumed run has the same tools. All names match
`TOOL_NAME_PATTERN`: at most 64 letters, digits and `_`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from orchestration.definition import PipelineDefinition

HANDOFF_TOOL_NAME: Final = "handoff_conversation"
"""Name of the common tool for handoffs without an own tool (contract O-8)."""

SWARM_TOOL_NAME: Final = "handoff"
"""Name of the common tool in a swarm (contract S-2)."""

MAX_LENGTH = 64

_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+")


def snake_case(name: str) -> str:
    """Return a name in snake case (contract E-1): `HTTPAgent` → `http_agent`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return "_".join(_WORD.findall(plain)).lower()


def passing_tool_name(verb: str, key: str) -> str:
    """Return the name of a tool for one target: `transfer_to_billing_desk`.

    A key without Latin letters and digits is replaced by `agent`.
    """
    return f"{verb}_{snake_case(key) or 'agent'}"


def distinct_names(names: Sequence[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names made distinct: `a`, `a`, `b` → `a`, `a_2`, `b` (contract E-2).

    Every name is cut to the maximum length. The first of several equal names stays unchanged, so
    the order must be stable.
    """
    cut = [name[:MAX_LENGTH] for name in names]
    used = set(taken)
    next_number = dict.fromkeys(cut, 2)
    reserved = used | next_number.keys()
    distinct: list[str] = []
    for name in cut:
        candidate = name
        while candidate in used or (candidate != name and candidate in reserved):
            suffix = f"_{next_number[name]}"
            candidate = name[: MAX_LENGTH - len(suffix)] + suffix
            next_number[name] += 1
        used.add(candidate)
        distinct.append(candidate)
    return tuple(distinct)


def shared_handoff_tool_name(definition: PipelineDefinition) -> str:
    """Return the name of the common tool for handoffs without an own tool."""
    default = SWARM_TOOL_NAME if definition.topology == "swarm" else HANDOFF_TOOL_NAME
    return definition.handoff_tool_name or default


def passing_tool_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """Return the tool names that a stage's agent has for a single target, by target."""
    match definition.topology:
        case "pipeline" | "swarm":
            return handoff_tool_names(phase, definition)
        case "team":
            return delegate_tool_names(definition) if phase == definition.entry else {}
        case "workflow":
            return {}


def handoff_tool_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """Return the tool names of the typed transitions from a stage, by target (contract S-3).

    The name comes from the transition, otherwise from the target agent.
    """
    typed = [
        transition
        for transition in definition.transitions_from.get(phase, ())
        if transition.input_schema is not None
    ]
    named = {each.target: each.tool_name for each in typed if each.tool_name is not None}
    others = {each.target for each in typed} - named.keys()
    taken = {shared_handoff_tool_name(definition), *named.values()}
    return named | _names_by_phase("transfer_to", others, definition, taken)


def transfer_tool_names(phase: str, definition: PipelineDefinition) -> dict[str, str]:
    """Return a tool name for every transition from a stage, by target.

    For frameworks without a common handoff tool. A typed transition keeps the name that it has
    here, and no name is one of a tool of the stage's agent.
    """
    typed = handoff_tool_names(phase, definition)
    targets = {each.target for each in definition.transitions_from.get(phase, ())}
    agent = definition.agents_by_id.get(_agent_of(phase, definition) or "")
    taken = {*typed.values(), *(agent.tools if agent is not None else ())}
    return typed | _names_by_phase("transfer_to", targets - typed.keys(), definition, taken)


def delegate_tool_names(definition: PipelineDefinition) -> dict[str, str]:
    """Return the delegation tool names of a team's lead, by phase (contract H-5).

    The names are distinct (contract E-2).
    """
    transitions = definition.transitions_from.get(definition.entry or "", ())
    return _names_by_phase("delegate_to", {each.target for each in transitions}, definition)


def _names_by_phase(
    verb: str, phases: Iterable[str], definition: PipelineDefinition, taken: Iterable[str] = ()
) -> dict[str, str]:
    """Name each phase after its agent, or after itself if the agent serves none or several."""
    ordered = sorted(phases)
    agents = [_agent_of(phase, definition) for phase in ordered]
    counts = Counter(agents)
    keys = (
        agent if agent is not None and counts[agent] == 1 else phase
        for phase, agent in zip(ordered, agents, strict=True)
    )
    names = distinct_names([passing_tool_name(verb, key) for key in keys], taken)
    return dict(zip(ordered, names, strict=True))


def _agent_of(phase: str, definition: PipelineDefinition) -> str | None:
    stage = definition.stages_by_phase.get(phase)
    return stage.agent_id if stage is not None and stage.kind == "agent" else None
