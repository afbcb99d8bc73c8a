"""Definitions for laws: `definitions()` of any kind, `storable_definitions()` for rows."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TypeVar

from hypothesis import strategies as st

from orchestration.definition import (
    Frame,
    PipelineDefinition,
    Stage,
    Topology,
    Transition,
)
from tests.orchestration.part_strategies import (
    agents,
    frames,
    groups,
    keys,
    layouts,
    limits,
    notes,
    rules,
    stages,
    texts,
    tool_names,
    tools,
    transitions,
)

Part = TypeVar("Part")


@cache
def topologies() -> st.SearchStrategy[Topology]:
    """All four."""
    return st.sampled_from(("pipeline", "workflow", "team", "swarm"))


@cache
def definitions() -> st.SearchStrategy[PipelineDefinition]:
    """Definitions of the right shape, most of them full of faults."""
    return st.builds(
        PipelineDefinition,
        name=texts(least=1),
        description=texts(),
        topology=topologies(),
        agents=st.lists(agents(keys()), max_size=4).map(tuple),
        stages=st.lists(
            stages(keys(), st.none() | keys())
            | st.builds(
                Stage,
                phase=keys(),
                kind=st.sampled_from(("agent", "group", "human")),
                agent_id=keys(),
                group=st.none() | groups(),
            ),
            max_size=6,
        ).map(tuple),
        transitions=st.lists(transitions(keys()), max_size=8).map(tuple),
        rules=st.lists(rules(keys(), keys()), max_size=3).map(tuple),
        tools=st.lists(tools(tool_names()), max_size=3).map(tuple),
        limits=limits(),
        entry=st.none() | keys(),
        default_agent_id=st.none() | keys(),
        supervisor_id=st.none() | keys(),
        aliases=st.dictionaries(keys(), keys(), max_size=3),
        on_handoff=st.sampled_from(("continue", "wait")),
        handoff_tool_name=st.none() | tool_names(),
        allow_human=st.booleans(),
        layout=layouts(
            keys(),
            keys(),
            st.lists(notes(), max_size=3).map(tuple),
            st.lists(frames(keys()), max_size=3).map(tuple),
        ),
    )


@st.composite
def storable_definitions(draw: st.DrawFn) -> PipelineDefinition:
    """Definitions in which no name is taken twice and every reference leads somewhere."""
    some = draw(_distinct(agents(keys()), "id", most=4))
    agent_id = _one_of(*[agent.id for agent in some])
    drawn = draw(_distinct(stages(keys(), st.none() | agent_id), "phase", most=6))
    phase = _one_of(*[stage.phase for stage in drawn])
    return PipelineDefinition(
        name=draw(texts(least=1)),
        description=draw(texts()),
        topology=draw(topologies()),
        agents=some,
        stages=drawn,
        transitions=_without_clashes(
            draw(st.lists(transitions(phase), max_size=8)) if drawn else []
        ),
        rules=draw(_distinct(rules(keys(), agent_id), "id", most=3)) if some else (),
        tools=draw(_distinct(tools(tool_names()), "name", most=3)),
        limits=draw(limits()),
        entry=draw(st.none() | phase),
        default_agent_id=draw(st.none() | agent_id),
        supervisor_id=draw(st.none() | agent_id),
        aliases=draw(st.dictionaries(keys(), keys(), max_size=3)),
        on_handoff=draw(st.sampled_from(("continue", "wait"))),
        handoff_tool_name=draw(st.none() | tool_names()),
        allow_human=draw(st.booleans()),
        layout=draw(
            layouts(
                phase,
                agent_id,
                _distinct(notes(), "id", most=3),
                _apart([stage.phase for stage in drawn]),
            )
        ),
    )


@st.composite
def _apart(draw: st.DrawFn, phases: list[str]) -> tuple[Frame, ...]:
    """Frames of which no two have an id or a stage in common."""
    drawn = draw(_distinct(frames(_one_of(*phases)), "id", most=3)) if phases else ()
    framed: set[str] = set()
    apart = []
    for frame in drawn:
        if left := [phase for phase in frame.stages if phase not in framed]:
            apart.append(frame.model_copy(update={"stages": tuple(left)}))
        framed.update(left)
    return tuple(apart)


@cache
def _distinct(
    parts: st.SearchStrategy[Part], key: str, *, most: int
) -> st.SearchStrategy[tuple[Part, ...]]:
    return st.lists(parts, max_size=most, unique_by=attrgetter(key)).map(tuple)


@cache
def _one_of(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names) if names else st.nothing()


def _without_clashes(drawn: list[Transition]) -> tuple[Transition, ...]:
    """The first transition between each two stages, and the first `next` of each stage."""
    kept: dict[tuple[str, str], Transition] = {}
    leading: set[str] = set()
    for way in drawn:
        ends = (way.source, way.target)
        if ends not in kept and not (way.kind == "next" and way.source in leading):
            kept[ends] = way
            leading |= {way.source} if way.kind == "next" else set()
    return tuple(kept.values())
