"""Pipeline for the local model."""

from designer.pipelines.sample_pipelines import samples
from designer.serving.local_model import simplify_for_local_model
from orchestration.validation import errors, validate


def test_the_entry_must_hand_over_and_other_agents_answer():
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
