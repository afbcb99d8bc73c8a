"""Random parts of definitions; strategies are cached, because building them is slow."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

from hypothesis import strategies as st

from orchestration.definition import (
    KEY_PATTERN,
    SUPERVISION_POINTS,
    SUPERVISOR_ACTIONS,
    TOOL_NAME_PATTERN,
    Agent,
    ComparedField,
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
    Position,
    Rule,
    Stage,
    Supervision,
    Tool,
    ToolExample,
    Transition,
)

FEW = ("a", "b", "c", "agent-triage", "human", "intake", "review", "x_1")
"""Frequent keys, so that references exist and names collide."""


@cache
def keys() -> st.SearchStrategy[str]:
    """Return keys, usually frequent ones."""
    any_key = st.from_regex(KEY_PATTERN.removesuffix("$") + r"\Z", fullmatch=True)
    return st.one_of(*[st.sampled_from(FEW)] * 4, any_key)


@cache
def tool_names() -> st.SearchStrategy[str]:
    """Return names of tools, usually frequent ones."""
    any_key = st.from_regex(TOOL_NAME_PATTERN.removesuffix("$") + r"\Z", fullmatch=True)
    return st.one_of(*[st.sampled_from(("lookup", "refund", "Search-2"))] * 4, any_key)


@cache
def texts(*, least: int = 0, most: int = 120) -> st.SearchStrategy[str]:
    """Return texts that a file can contain: any character except NUL and surrogates."""
    characters = st.characters(codec="utf-8", exclude_characters="\x00")
    return st.text(characters, min_size=least, max_size=most)


@cache
def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """Return JSON objects, a few levels deep."""
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


@cache
def variables() -> st.SearchStrategy[dict[str, str]]:
    """Return variables with their default values."""
    names = st.from_regex(r"[a-z_]{1,8}(\.[a-z]{1,8})?", fullmatch=True)
    return st.dictionaries(names, texts(most=20), max_size=3)


@cache
def coordinates() -> st.SearchStrategy[float]:
    """Return coordinates on the canvas, in whole pixels or fractions."""
    return st.integers(-1_000_000, 1_000_000).map(float) | st.floats(-1_000_000, 1_000_000)


@cache
def cues() -> st.SearchStrategy[Cue]:
    """Return cues, valid for a pipeline or not."""
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
            target=keys() | texts(least=1, most=20),
            phase=st.none() | keys(),
            reason=texts(),
            summary=texts(),
            arguments=json_objects(),
        ),
    )


@cache
def agents(ids: st.SearchStrategy[str]) -> st.SearchStrategy[Agent]:
    """Return agents with ids from `ids`."""
    return st.builds(
        Agent,
        id=ids,
        name=texts(least=1),
        instructions=texts(),
        language=texts(most=20),
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


@cache
def groups() -> st.SearchStrategy[Group]:
    """Return groups; their members need not be agents of the pipeline."""
    return st.builds(
        Group,
        agents=st.lists(keys(), min_size=1, max_size=4).map(tuple),
        parallel=st.booleans(),
        dependencies=st.dictionaries(keys(), st.lists(keys(), max_size=3).map(tuple), max_size=3),
    )


@cache
def stages(
    phases: st.SearchStrategy[str], agent_ids: st.SearchStrategy[str | None]
) -> st.SearchStrategy[Stage]:
    """Return stages served by one of `agent_ids`, a group, no agent, or the human."""
    by_agent = st.builds(Stage, phase=phases, agent_id=agent_ids, description=texts())
    by_group = st.builds(
        Stage,
        phase=phases,
        kind=st.just("group"),
        group=st.none() | groups(),
        description=texts(),
    )
    by_human = st.builds(Stage, phase=phases, kind=st.just("human"), description=texts())
    return by_agent | by_group | by_human


@cache
def rules(
    ids: st.SearchStrategy[str], agent_ids: st.SearchStrategy[str]
) -> st.SearchStrategy[Rule]:
    """Return routing rules that select one of `agent_ids`."""
    words = st.none() | st.lists(texts(least=1, most=10), max_size=3).map(tuple)
    values = (
        texts() | st.integers(-(10**9), 10**9) | st.lists(texts(least=1), max_size=3).map(tuple)
    )
    fields = (*get_args(ComparedField), "variables.plan", "variables.customer.name")
    comparison = st.builds(Comparison, field=st.sampled_from(fields), operator=..., value=values)
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


@cache
def tools(names: st.SearchStrategy[str]) -> st.SearchStrategy[Tool]:
    """Return tools with names from `names`."""
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


@cache
def limits() -> st.SearchStrategy[Limits]:
    """Return limits within their bounds."""
    return st.builds(
        Limits,
        max_turns=st.integers(1, 1_000),
        max_handoffs=st.integers(0, 1_000),
        max_context_tokens=st.integers(100, 10_000_000),
        count_handoffs=st.sampled_from(("completed", "requested")),
        detect_cycles=st.none() | st.booleans(),
        max_calls=st.integers(1, 100_000),
        max_tokens=st.integers(1, 1_000_000_000),
        max_cost=st.none() | st.floats(0.0001, 1_000_000),
        max_seconds=st.floats(0.1, 1_000_000),
    )


@cache
def supervisions() -> st.SearchStrategy[Supervision]:
    """Return any points, actions and limit of a supervisor."""
    return st.builds(
        Supervision,
        ask_at=st.lists(st.sampled_from(SUPERVISION_POINTS), max_size=4).map(tuple),
        may=st.lists(st.sampled_from(SUPERVISOR_ACTIONS), max_size=4).map(tuple),
        max_calls=st.integers(1, 1_000),
    )


@cache
def notes() -> st.SearchStrategy[Note]:
    """Return notes on the canvas."""
    return st.builds(
        Note,
        id=keys(),
        text=texts(),
        x=coordinates(),
        y=coordinates(),
        width=st.none() | st.integers(40, 2_000).map(float) | st.floats(40, 2_000),
        hue=st.none() | hues(),
    )


@cache
def hues() -> st.SearchStrategy[int]:
    """Return colours."""
    return st.integers(0, 359)


@cache
def frames(phases: st.SearchStrategy[str]) -> st.SearchStrategy[Frame]:
    """Return frames around some of `phases`."""
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
    """Return layouts with positions of `phases`, colours of `agent_ids`, `notes` and `frames`."""
    position = st.builds(Position, x=coordinates(), y=coordinates())
    return st.builds(
        Layout,
        stages=_maps(phases, position),
        hues=_maps(agent_ids, hues()),
        supervisor=st.none() | position,
        notes=notes,
        frames=frames,
    )


@cache
def transitions(phases: st.SearchStrategy[str]) -> st.SearchStrategy[Transition]:
    """Return transitions between `phases`."""
    input_filters = st.builds(
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
        input_filter=input_filters,
    )


def _maps(
    names: st.SearchStrategy[str], values: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.just({}) if names.is_empty else st.dictionaries(names, values, max_size=4)
