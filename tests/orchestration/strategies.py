"""Definitions for laws: `definitions()` of any kind, `storable_definitions()` for rows."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from orchestration.definition import (
    KEY_PATTERN,
    TOOL_NAME_PATTERN,
    Agent,
    Comparison,
    Conditions,
    Cue,
    CueCall,
    CueHandoff,
    Frame,
    Group,
    HttpCall,
    InputFilter,
    Layout,
    Limits,
    McpCall,
    Note,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    ToolExample,
    Topology,
    Transition,
)

# A definition has many parts: what one takes to make says nothing about the law it is made for.
settings.register_profile("laws", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("laws")

Part = TypeVar("Part")

FEW = ("a", "b", "c", "agent-triage", "human", "intake", "review", "x_1")
"""Keys that meet each other often, so that references lead somewhere and names collide."""


def keys() -> st.SearchStrategy[str]:
    """Keys, mostly from a few."""
    wild = st.from_regex(KEY_PATTERN.removesuffix("$") + r"\Z", fullmatch=True)
    return st.one_of(*[st.sampled_from(FEW)] * 4, wild)


def tool_names() -> st.SearchStrategy[str]:
    """Tools' names, mostly from a few."""
    wild = st.from_regex(TOOL_NAME_PATTERN.removesuffix("$") + r"\Z", fullmatch=True)
    return st.one_of(*[st.sampled_from(("lookup", "refund", "Search-2"))] * 4, wild)


def texts(*, least: int = 0, most: int = 120) -> st.SearchStrategy[str]:
    """Text as a file can hold it: any character but NUL and halves of surrogate pairs."""
    characters = st.characters(codec="utf-8", exclude_characters="\x00")
    return st.text(characters, min_size=least, max_size=most)


def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """Free JSON, a few levels deep."""
    plain = (
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | texts(most=20)
    )
    values = st.recursive(
        plain,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(texts(most=8), inner, max_size=3)
        ),
        max_leaves=6,
    )
    return st.dictionaries(texts(most=8), values, max_size=3)


def coordinates() -> st.SearchStrategy[float]:
    """Places on the canvas, whole pixels and parts of them."""
    return st.integers(-1_000_000, 1_000_000).map(float) | st.floats(-1_000_000, 1_000_000)


def cues() -> st.SearchStrategy[Cue]:
    """Cues, sensible or not."""
    return st.builds(
        Cue,
        when=st.lists(texts(most=20), max_size=3).map(tuple),
        after_handoff_from=st.none() | keys(),
        in_phase=st.none() | keys(),
        say=texts(),
        call=st.none() | st.builds(CueCall, tool=tool_names(), arguments=json_objects()),
        hand_over=st.none()
        | st.builds(
            CueHandoff,
            target=keys(),
            phase=st.none() | keys(),
            reason=texts(),
            summary=texts(),
        ),
    )


def agents(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Agent]:
    """Agents whose ids come from `ids`."""
    return st.builds(
        Agent,
        id=ids,
        name=texts(least=1),
        instructions=texts(),
        provider=keys(),
        model=texts(most=20),
        temperature=st.none() | st.floats(0, 2),
        max_output_tokens=st.none() | st.integers(1, 1_000_000),
        reasoning_effort=st.sampled_from((None, "minimal", "low", "medium", "high")),
        tool_choice=st.sampled_from(("auto", "required", "none")),
        response_schema=st.none() | json_objects(),
        retries=st.none() | st.integers(0, 10),
        retry_shown=st.booleans(),
        time_limit=st.none() | st.floats(0.1, 3_600),
        fallback=st.none() | keys(),
        fallback_model=texts(most=20),
        tools=st.lists(tool_names(), max_size=3).map(tuple),
        cues=st.lists(cues(), max_size=2).map(tuple),
    )


def groups() -> st.SearchStrategy[Group]:
    """Groups, sensible or not: rows hold members that are no agents of the pipeline too."""
    return st.builds(
        Group,
        agents=st.lists(keys(), min_size=1, max_size=4).map(tuple),
        parallel=st.booleans(),
        dependencies=st.dictionaries(keys(), st.lists(keys(), max_size=3).map(tuple), max_size=3),
    )


def stages(
    phases: st.SearchStrategy[str], agent_ids: st.SearchStrategy[str | None]
) -> st.SearchStrategy[Stage]:
    """Stages served by one of `agent_ids`, by a group, by nobody yet, or by the human."""
    served = st.builds(Stage, phase=phases, agent_id=agent_ids, description=texts())
    group = st.builds(
        Stage,
        phase=phases,
        kind=st.just("group"),
        group=st.none() | groups(),
        description=texts(),
    )
    human = st.builds(Stage, phase=phases, kind=st.just("human"), description=texts())
    return served | group | human


def rules(
    ids: st.SearchStrategy[str], agent_ids: st.SearchStrategy[str]
) -> st.SearchStrategy[Rule]:
    """Routing rules that pick one of `agent_ids`."""
    words = st.none() | st.lists(texts(least=1, most=10), max_size=3).map(tuple)
    compared = (
        texts() | st.integers(-(10**9), 10**9) | st.lists(texts(least=1), max_size=3).map(tuple)
    )
    comparison = st.builds(Comparison, field=..., operator=..., value=compared)
    conditions = st.builds(
        Conditions,
        phases=st.none() | st.lists(keys(), max_size=3).map(tuple),
        channel_types=words,
        intents=words,
        source_channel_ids=words,
        match=st.sampled_from(("all", "any", "not")),
        rows=st.lists(comparison, max_size=3).map(tuple),
        custom=st.none() | texts(most=30) | st.just("state.phase == 'intake'"),
    )
    return st.builds(
        Rule, id=ids, agent_id=agent_ids, priority=st.integers(-5, 5), conditions=conditions
    )


def tools(names: st.SearchStrategy[str]) -> st.SearchStrategy[Tool]:
    """Tools whose names come from `names`."""
    example = st.builds(ToolExample, arguments=json_objects(), result=texts())
    http = st.builds(
        HttpCall,
        method=st.sampled_from(("GET", "POST", "PUT", "PATCH", "DELETE")),
        url=texts(),
        headers=st.dictionaries(texts(least=1), texts(), max_size=3),
        body=texts(),
        take=texts(),
        connection=st.none() | keys(),
    )
    return st.builds(
        Tool,
        name=names,
        kind=st.sampled_from(("function", "subtask", "user_input", "http", "mcp")),
        description=texts(),
        parameters=json_objects(),
        pipeline=st.none() | texts(least=1),
        template_hints=st.lists(texts(least=1, most=10), max_size=3).map(tuple),
        http=st.none() | http,
        mcp=st.none() | st.builds(McpCall, connection=keys(), tool=texts()),
        examples=st.lists(example, max_size=2).map(tuple),
        stand_in=st.booleans(),
        approval=st.booleans(),
        idempotent=st.booleans(),
        time_limit=st.none() | st.floats(0.1, 3_600),
        max_answer=st.none() | st.integers(1, 100_000),
    )


def limits() -> st.SearchStrategy[Limits]:
    """Limits anywhere within their bounds."""
    return st.builds(
        Limits,
        max_turns=st.integers(1, 1_000),
        max_handoffs=st.integers(0, 1_000),
        max_context_tokens=st.integers(100, 10_000_000),
        count_handoffs=st.sampled_from(("completed", "requested")),
        detect_cycles=st.none() | st.booleans(),
    )


def notes() -> st.SearchStrategy[Note]:
    """Notes anywhere on the canvas."""
    return st.builds(
        Note,
        id=keys(),
        text=texts(),
        x=coordinates(),
        y=coordinates(),
        width=st.none() | st.integers(40, 2_000).map(float) | st.floats(40, 2_000),
        hue=st.none() | hues(),
    )


def hues() -> st.SearchStrategy[int]:
    """Colours."""
    return st.integers(0, 359)


def frames(phases: st.SearchStrategy[str]) -> st.SearchStrategy[Frame]:
    """Frames around some of `phases`."""
    return st.builds(
        Frame,
        id=keys(),
        title=texts(least=1),
        hue=st.none() | hues(),
        stages=st.lists(phases, min_size=1, max_size=3).map(tuple),
    )


def layouts(
    phases: st.SearchStrategy[str],
    agent_ids: st.SearchStrategy[str],
    notes: st.SearchStrategy[tuple[Note, ...]],
    frames: st.SearchStrategy[tuple[Frame, ...]],
) -> st.SearchStrategy[Layout]:
    """Layouts that place `phases`, colour `agent_ids`, and hold `notes` and `frames`."""
    position = st.builds(Position, x=coordinates(), y=coordinates())
    return st.builds(
        Layout,
        stages=_maps(phases, position),
        hues=_maps(agent_ids, hues()),
        supervisor=st.none() | position,
        notes=notes,
        frames=frames,
    )


def transitions(phases: st.SearchStrategy[str]) -> st.SearchStrategy[Transition]:
    """Transitions between `phases`."""
    shown = st.builds(
        InputFilter,
        keep=st.sampled_from(("full", "last", "summary", "no_tools", "matching")),
        count=st.integers(1, 1_000),
        expression=st.none() | texts(most=30) | st.just("message.role == 'user'"),
    )
    return st.builds(
        Transition,
        source=phases,
        target=phases,
        kind=st.sampled_from(("next", "return")),
        description=texts(),
        input_schema=st.none() | json_objects() | st.just({"type": "object"}),
        tool_name=st.none() | tool_names(),
        input_filter=shown,
    )


def topologies() -> st.SearchStrategy[Topology]:
    """All four."""
    return st.sampled_from(("pipeline", "workflow", "team", "swarm"))


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
    agent_id = _one_of([agent.id for agent in some])
    drawn = draw(_distinct(stages(keys(), st.none() | agent_id), "phase", most=6))
    phase = _one_of([stage.phase for stage in drawn])
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
    drawn = draw(_distinct(frames(_one_of(phases)), "id", most=3)) if phases else ()
    framed: set[str] = set()
    apart = []
    for frame in drawn:
        if left := [phase for phase in frame.stages if phase not in framed]:
            apart.append(frame.model_copy(update={"stages": tuple(left)}))
        framed.update(left)
    return tuple(apart)


def _distinct(
    parts: st.SearchStrategy[Part], key: str, *, most: int
) -> st.SearchStrategy[tuple[Part, ...]]:
    return st.lists(parts, max_size=most, unique_by=attrgetter(key)).map(tuple)


def _maps(
    names: st.SearchStrategy[str], values: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.just({}) if names.is_empty else st.dictionaries(names, values, max_size=4)


def _one_of(names: list[str]) -> st.SearchStrategy[str]:
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
