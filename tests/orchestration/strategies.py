"""Random definitions.

- `definitions()`: any valid shape, usually with many issues.
- `storable_definitions()`: unique keys and existing references, as rows require.
- `transition_graphs()`: five stages without agents, any transitions.
- `handoff_pipelines()`: the targets of a single stage, some of them unserved or missing.

The strategies of single parts are in `part_strategies`.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TypeVar

from hypothesis import strategies as st

from orchestration.definition import (
    Agent,
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
    supervisions,
    texts,
    tool_names,
    tools,
    transitions,
    variables,
)

Part = TypeVar("Part")


@cache
def topologies() -> st.SearchStrategy[Topology]:
    """Return every topology."""
    return st.sampled_from(("pipeline", "workflow", "team", "swarm"))


@cache
def definitions() -> st.SearchStrategy[PipelineDefinition]:
    """Return definitions of any valid shape, usually with many issues."""
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
        supervision=st.none() | supervisions(),
        aliases=st.dictionaries(keys(), keys(), max_size=3),
        variables=variables(),
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
    """Draw a definition with unique keys and existing references."""
    drawn_agents = draw(_distinct(agents(keys()), "id", most=4))
    agent_id = _any_of(*[agent.id for agent in drawn_agents])
    drawn_stages = draw(_distinct(stages(keys(), st.none() | agent_id), "phase", most=6))
    phase = _any_of(*[stage.phase for stage in drawn_stages])
    return PipelineDefinition(
        name=draw(texts(least=1)),
        description=draw(texts()),
        topology=draw(topologies()),
        agents=drawn_agents,
        stages=drawn_stages,
        transitions=_without_clashes(
            draw(st.lists(transitions(phase), max_size=8)) if drawn_stages else []
        ),
        rules=draw(_distinct(rules(keys(), agent_id), "id", most=3)) if drawn_agents else (),
        tools=draw(_distinct(tools(tool_names()), "name", most=3)),
        limits=draw(limits()),
        entry=draw(st.none() | phase),
        default_agent_id=draw(st.none() | agent_id),
        supervisor_id=draw(st.none() | agent_id),
        supervision=draw(st.none() | supervisions()),
        aliases=draw(st.dictionaries(keys(), keys(), max_size=3)),
        variables=draw(variables()),
        on_handoff=draw(st.sampled_from(("continue", "wait"))),
        handoff_tool_name=draw(st.none() | tool_names()),
        allow_human=draw(st.booleans()),
        layout=draw(
            layouts(
                phase,
                agent_id,
                _distinct(notes(), "id", most=3),
                _separate_frames([stage.phase for stage in drawn_stages]),
            )
        ),
    )


PHASES = ("a", "b", "c", "d", "e")
"""Phases of `transition_graphs()`."""


@st.composite
def transition_graphs(draw: st.DrawFn) -> PipelineDefinition:
    """Draw five stages with transitions, and at most one `next` from each."""
    pairs = draw(st.sets(st.tuples(st.sampled_from(PHASES), st.sampled_from(PHASES))))
    nexts = {draw(st.sampled_from(sorted(pairs))) for _ in range(3)} if pairs else set()
    next_pairs = {source: (source, target) for source, target in sorted(nexts)}
    return PipelineDefinition(
        name="Any",
        stages=tuple(Stage(phase=phase) for phase in PHASES),
        transitions=tuple(
            Transition(
                source=source,
                target=target,
                kind="next" if next_pairs.get(source) == (source, target) else "return",
            )
            for source, target in sorted(pairs)
        ),
        entry=draw(st.sampled_from([None, *PHASES])),
    )


@st.composite
def handoff_pipelines(draw: st.DrawFn) -> PipelineDefinition:
    """Draw a pipeline with returns from stage `a` to served, unserved and missing stages."""
    agent_ids = st.none() | st.sampled_from(["agent-x", "agent-y", "agent-z"])
    targets = st.sampled_from(["a", "b", "c", "d", "desk", "missing", "escalation"])
    served = draw(
        st.fixed_dictionaries(dict.fromkeys("abcd", agent_ids), optional={"escalation": agent_ids})
    )
    return PipelineDefinition(
        name="Small",
        agents=tuple(Agent(id=agent_id, name=agent_id) for agent_id in ("agent-x", "agent-y")),
        stages=(
            *(Stage(phase=phase, agent_id=agent_id) for phase, agent_id in served.items()),
            Stage(phase="desk", kind="human"),
        ),
        transitions=tuple(
            Transition(source="a", target=target, kind="return")
            for target in sorted(draw(st.sets(targets)))
        ),
        allow_human=draw(st.booleans()),
    )


@st.composite
def _separate_frames(draw: st.DrawFn, phases: list[str]) -> tuple[Frame, ...]:
    """Draw frames without a common id or stage."""
    drawn = draw(_distinct(frames(_any_of(*phases)), "id", most=3)) if phases else ()
    framed: set[str] = set()
    separate = []
    for frame in drawn:
        if remaining := [phase for phase in frame.stages if phase not in framed]:
            separate.append(frame.model_copy(update={"stages": tuple(remaining)}))
        framed.update(remaining)
    return tuple(separate)


@cache
def _distinct(
    parts: st.SearchStrategy[Part], key: str, *, most: int
) -> st.SearchStrategy[tuple[Part, ...]]:
    return st.lists(parts, max_size=most, unique_by=attrgetter(key)).map(tuple)


@cache
def _any_of(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names) if names else st.nothing()


def _without_clashes(drawn: list[Transition]) -> tuple[Transition, ...]:
    """Keep the first transition of each pair of stages, and the first `next` of each stage."""
    kept: dict[tuple[str, str], Transition] = {}
    with_next: set[str] = set()
    for transition in drawn:
        pair, is_next = (transition.source, transition.target), transition.kind == "next"
        if pair not in kept and not (is_next and transition.source in with_next):
            kept[pair] = transition
            with_next |= {transition.source} if is_next else set()
    return tuple(kept.values())
