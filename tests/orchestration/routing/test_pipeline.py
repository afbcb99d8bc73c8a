"""A pipeline of stages in code."""

import pytest

from orchestration.messages import InboundMessage
from orchestration.routing import ConversationPipeline, PipelineStage
from orchestration.state import ConversationState
from tests.orchestration.conversations import HANDLER, RESOLVER, REVIEWER, TRIAGE, four_stages

CODING = ConversationPipeline(
    stages=[
        PipelineStage(phase="analysis", agent_id="agent-discuss", next="coding"),
        PipelineStage(phase="coding", agent_id="agent-coder", next="review"),
        PipelineStage(
            phase="review", agent_id="agent-reviewer", next="report", can_return_to={"coding"}
        ),
        PipelineStage(phase="report", agent_id="agent-writer", next=None),
    ],
    supervisor_id="agent-supervisor",
)


def test_a_pipeline_returns_its_phase_map_and_transitions():
    """Contract O-11."""
    assert CODING.get_phase_map() == {
        "agent-discuss": "analysis",
        "agent-coder": "coding",
        "agent-reviewer": "review",
        "agent-writer": "report",
    }
    assert CODING.get_allowed_transitions() == {
        "analysis": {"coding"},
        "coding": {"review"},
        "review": {"report", "coding"},
        "report": set(),
    }


def test_the_router_sends_each_phase_to_its_agent():
    """Contract O-11."""
    router = CODING.to_router()
    hello = InboundMessage(id="1", text="hi")
    for phase, agent in (("analysis", "agent-discuss"), ("review", "agent-reviewer")):
        assert router.select(hello, ConversationState(phase=phase)).agent_id == agent
    elsewhere = router.select(hello, ConversationState(phase="nowhere"))
    assert (elsewhere.agent_id, elsewhere.by) == ("agent-discuss", "default")
    assert elsewhere.observers == ("agent-supervisor",)


def test_the_default_agent_is_the_one_of_the_default_phase():
    """Contract O-11."""
    pipeline = ConversationPipeline(CODING.stages, default_phase="coding")
    decision = pipeline.to_router().select(
        InboundMessage(id="1", text="hi"), ConversationState(phase="nowhere")
    )
    assert decision.agent_id == "agent-coder"


@pytest.mark.parametrize(
    ("stages", "options", "words"),
    [
        ([PipelineStage("a", "x", next="b")], {}, "'a' names 'b' as next"),
        ([PipelineStage("a", "x", can_return_to={"b"})], {}, "'a' can return to 'b'"),
        ([PipelineStage("a", "x"), PipelineStage("a", "y")], {}, "phase 'a'"),
        ([PipelineStage("a", "x")], {"default_phase": "z"}, "default phase 'z'"),
    ],
)
def test_an_unknown_or_repeated_stage_is_refused_at_construction(stages, options, words):
    """Contract O-11."""
    with pytest.raises(ValueError, match=words):
        ConversationPipeline(stages, **options)


def test_a_stage_may_lead_to_itself():
    """Contract O-11."""
    pipeline = ConversationPipeline([PipelineStage("a", "x", next="a", can_return_to={"a"})])
    assert pipeline.get_allowed_transitions() == {"a": {"a"}}


def test_an_agent_of_two_stages_keeps_both():
    """Contract O-12."""
    phases = ConversationPipeline(
        [PipelineStage("draft", "x", next="rework"), PipelineStage("rework", "x")]
    ).get_phase_map()
    assert phases == {"x": "draft"}
    assert phases.all == {"x": ("draft", "rework")}


def test_a_definition_is_converted_to_a_pipeline():
    """Contract O-11."""
    pipeline = ConversationPipeline.from_definition(four_stages(supervisor_id="agent-supervisor"))
    assert pipeline.get_phase_map() == {
        TRIAGE: "intake",
        HANDLER: "handling",
        REVIEWER: "review",
        RESOLVER: "resolution",
    }
    assert pipeline.get_allowed_transitions()["review"] == {"resolution", "handling"}
    assert pipeline.supervisor_id == "agent-supervisor"
    assert pipeline.default_phase == "intake"


def test_the_rules_of_a_definition_come_before_those_of_its_stages():
    """Contract O-11."""
    rules = [{"id": "vip", "agent_id": RESOLVER, "priority": 50}]
    router = ConversationPipeline.from_definition(four_stages(rules=rules)).to_router()
    decision = router.select(InboundMessage(id="1", text="hi"), ConversationState(phase="intake"))
    assert (decision.agent_id, decision.rule_id) == (RESOLVER, "vip")


def test_a_text_in_place_of_the_stages_to_return_to_is_refused():
    """Contract O-11."""
    with pytest.raises(ValueError, match="can_return_to is the text 'coding'"):
        PipelineStage("review", "agent-reviewer", can_return_to="coding")
