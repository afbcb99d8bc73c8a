"""The pipeline that the local model plays, and what its command refuses."""

import argparse

import pytest

from designer.management.commands.local_model import port_number
from designer.pipelines.sample_pipelines import samples
from designer.serving.local_model import simplify_for_local_model
from orchestration.validation import errors, validate


def test_the_entry_has_to_hand_over_and_everybody_else_answers():
    definition = simplify_for_local_model(samples()["support"], "Support, small")
    assert not errors(validate(definition))
    assert {agent.id: agent.tool_choice for agent in definition.agents} == {
        "agent-triage": "required",
        "agent-handler": "none",
        "agent-reviewer": "none",
        "agent-resolver": "none",
        "agent-supervisor": "none",
    }
    assert not any(agent.cues for agent in definition.agents)
    assert not definition.allow_human


@pytest.mark.parametrize("text", ["0", "8080", "65535"])
def test_a_port_is_taken(text):
    assert port_number(text) == int(text)


@pytest.mark.parametrize("text", ["-1", "65536", "http", "", "1.5"])
def test_what_is_no_port_is_refused_in_a_sentence(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not a port"):
        port_number(text)
