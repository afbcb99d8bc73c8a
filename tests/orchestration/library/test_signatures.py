"""Signatures and defaults of the handlers."""

import inspect
from typing import Any

import pytest

from orchestration import AgentHandler, AgentSpec, GroupHandler, Swarm, SwarmMode, ToolHandler

AGENTS = {"a": AgentSpec(), "b": AgentSpec()}


@pytest.mark.parametrize(
    ("made", "usual"),
    [
        (AgentHandler, {"flow_order": None, "provider": None, "max_handoffs": 10}),
        (GroupHandler, {"provider": None, "parallel": True, "dependencies": None}),
        (ToolHandler, {"tools": None}),
        (
            Swarm,
            {
                "max_handoffs": 8,
                "detect_cycles": True,
                "pass_full_history": True,
                "handoff_tool_name": "handoff",
            },
        ),
    ],
)
def test_arguments_are_keyword_only_and_have_the_default_values(made: Any, usual):
    """Contract H-2, H-7, H-9, S-1."""
    taken = inspect.signature(made).parameters.values()
    assert {one.kind for one in taken} == {inspect.Parameter.KEYWORD_ONLY}
    assert {one.name: one.default for one in taken if one.name in usual} == usual


@pytest.mark.parametrize("mode", SwarmMode)
def test_an_agent_handler_allows_ten_handoffs_and_cycles(mode):
    """Contract H-2 and D-1: what is usual is what the engine is told."""
    limits = AgentHandler(agents=AGENTS, mode=mode).definition.limits
    assert (limits.max_handoffs, limits.count_handoffs) == (10, "completed")
    assert limits.detect_cycles is False


def test_a_swarm_allows_eight_handoffs_and_detects_cycles():
    """Contract S-1 and D-1: what is usual is what the engine is told."""
    definition = Swarm(agents=AGENTS, entry_agent="b").definition
    limits = definition.limits
    assert (limits.max_handoffs, limits.count_handoffs) == (8, "completed")
    assert limits.detect_cycles is True
    assert definition.entry == "b"
    assert {way.input_filter.keep for way in definition.transitions} == {"full"}
    told = Swarm(agents=AGENTS, entry_agent="a", pass_full_history=False).definition
    assert {way.input_filter.keep for way in told.transitions} == {"summary"}
