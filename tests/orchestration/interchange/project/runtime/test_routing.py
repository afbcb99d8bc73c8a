"""Routing in an exported project: the same stage as in Baton."""

from __future__ import annotations

import inspect
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.conversation.compiled import CompiledPipeline, router_of
from orchestration.conversation.planner import _own_phase
from orchestration.definition import ComparedField, Comparison, Conditions, PipelineDefinition, Rule
from orchestration.interchange.project.routing_code import route_module
from orchestration.interchange.project.runtime import routing
from orchestration.messages import InboundMessage
from orchestration.routing import RoutingContext
from orchestration.state import ConversationState

WORDS = ("", "Refund", "refund now", "REFUND", "web", "sms")
FIELDS = (*get_args(ComparedField), "variables.plan")
words = st.sampled_from(WORDS)
sets = st.none() | st.lists(words.filter(bool), max_size=2).map(tuple)
rows = st.builds(
    Comparison,
    field=st.sampled_from(FIELDS),
    operator=st.sampled_from(
        ("is", "is_not", "contains", "starts_with", "ends_with", "one_of", "at_least", "at_most")
    ),
    value=words | st.integers(0, 3) | st.lists(words.filter(bool), max_size=2).map(tuple),
)
rules = st.builds(
    Rule,
    id=st.sampled_from(("one", "two", "three")),
    agent_id=st.sampled_from(("a", "b", "c", "group", "nobody")),
    priority=st.integers(-1, 1),
    conditions=st.builds(
        Conditions,
        phases=st.none() | st.just(("x", "y")),
        channel_types=sets,
        intents=sets,
        source_channel_ids=sets,
        match=st.sampled_from(("all", "any", "not")),
        rows=st.lists(rows, max_size=3).map(tuple),
    ),
)


@st.composite
def pipelines(draw: st.DrawFn) -> PipelineDefinition:
    phases = ("x", "y", "z", "group", "person")
    pairs = st.tuples(st.sampled_from(phases), st.sampled_from(phases))
    return PipelineDefinition.model_validate(
        {
            "name": "Any",
            "topology": draw(st.sampled_from(("pipeline", "workflow", "team", "swarm"))),
            "agents": [{"id": each, "name": each} for each in "abc"],
            "stages": [
                {"phase": "x", "agent_id": "a"},
                {"phase": "y", "agent_id": "b"},
                {"phase": "z", "agent_id": "a"},
                {"phase": "group", "kind": "group", "group": {"agents": ["b", "c"]}},
                {"phase": "person", "kind": "human"},
            ],
            "transitions": [
                {"source": source, "target": target, "kind": "return"}
                for source, target in sorted(draw(st.sets(pairs, max_size=5)))
            ],
            "rules": [each.model_dump() for each in draw(st.lists(rules, max_size=4))],
            "entry": draw(st.sampled_from((None, *phases))),
            "default_agent_id": draw(st.sampled_from((None, "a", "b", "c"))),
        }
    )


def namespace(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the names of the module; its fixed part is the module `routing`."""
    own = route_module(definition).removeprefix(inspect.getsource(routing))
    names = dict(vars(routing))
    exec(own, names)  # noqa: S102
    return names


@given(
    pipelines(),
    words,
    words,
    words | st.none(),
    st.sampled_from(("x", "y", "z", "group")),
    st.sampled_from((None, "a", "b", "c", "group")),
    st.integers(0, 3),
)
def test_a_message_goes_to_the_same_stage_as_in_baton(
    definition: PipelineDefinition,
    text: str,
    channel: str,
    intent: str | None,
    phase: str,
    active: str | None,
    count: int,
) -> None:
    event = InboundMessage(id="1", text=text, channel_type=channel, intent=intent)
    state = ConversationState(
        phase=phase, active_agent_id=active, handoff_count=count, variables={"plan": text}
    )
    decision = router_of(definition).select(event, state, RoutingContext(messages=count))
    agent = decision.agent_id
    compiled = CompiledPipeline(definition)
    expected = agent
    if agent is not None and compiled.phases.get(agent):
        expected = _own_phase(agent, phase, compiled) or phase
    route = namespace(definition)
    message = route["IncomingMessage"](text=text, channel_type=channel, intent=intent)
    own = route["State"](
        phase=phase,
        active_agent_id=active,
        handoff_count=count,
        messages=count,
        variables={"plan": text},
    )
    assert route["route"](message, own) == expected


def test_a_conversation_with_a_person_is_not_routed_and_cel_raises_with_its_expression() -> None:
    definition = PipelineDefinition.model_validate(
        {
            "name": "Desk",
            "agents": [{"id": "a", "name": "A"}],
            "stages": [{"phase": "x", "agent_id": "a"}],
            "rules": [{"id": "r", "agent_id": "a", "conditions": {"custom": "event.text == 'x'"}}],
            "entry": "x",
        }
    )
    route = namespace(definition)
    message = route["IncomingMessage"]("Hello")
    assert route["route"](message, route["State"]("x", with_human=True)) is None
    with pytest.raises(NotImplementedError, match=r"event\.text == 'x'"):
        route["route"](message, route["State"]("x"))
