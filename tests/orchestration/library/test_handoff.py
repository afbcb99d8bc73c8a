"""Transitions of the handoffs declared by the agents of a cast."""

import pytest

from orchestration import AgentSpec, CastError, Handoff
from orchestration.library import Cast
from orchestration.library.handoff import declared_transitions
from tests.orchestration.library_agents import Refund


def ends_of(cast: Cast, **options) -> list[tuple[str, str]]:
    transitions, _ = declared_transitions(cast, **options)
    return [(each.source, each.target) for each in transitions]


def test_an_agent_without_declared_handoffs_may_hand_over_to_all_others():
    """Contract S-2."""
    cast = Cast.of({"a": AgentSpec(), "b": AgentSpec(handoffs=["a"]), "c": AgentSpec(handoffs=[])})
    assert ends_of(cast) == [("a", "b"), ("a", "c"), ("b", "a")]


@pytest.mark.parametrize(("full_history", "keep"), [(True, "full"), (False, "summary")])
def test_the_history_setting_is_the_filter_of_every_transition(full_history, keep):
    """Contract S-6."""
    cast = Cast.of({"a": AgentSpec(), "b": AgentSpec()})
    transitions, filters = declared_transitions(cast, full_history=full_history)
    assert [each.input_filter.keep for each in transitions] == [keep, keep]
    assert filters == {}


def test_a_handoff_of_a_peer_applies_to_all_agents():
    """Contract S-3 and S-4: with its schema and its filter."""
    cast = Cast.of({"a": AgentSpec(), "b": AgentSpec(), "c": AgentSpec(handoffs=[])})
    handoff = Handoff(cast.agents["c"], Refund)
    transitions, filters = declared_transitions(cast, {"c": handoff})
    typed = [(each.source, each.target) for each in transitions if each.input_schema is not None]
    assert typed == list(filters) == [("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("handoffs", "error"),
    [
        (["b", "b"], "'a' hands over to 'b' twice"),
        (["a"], "'a' hands over to itself"),
        (["d"], "'a' hands over to 'd', which does not exist. Known: 'a', 'b'"),
        ([AgentSpec(name="e")], "hands over to 'e'"),
    ],
)
def test_an_invalid_target_is_refused(handoffs, error):
    cast = Cast.of({"a": AgentSpec(handoffs=handoffs), "b": AgentSpec()})
    with pytest.raises(CastError, match=error):
        declared_transitions(cast)
