"""The check of handoff requests."""

import json
from dataclasses import replace
from typing import Any

import pytest

from orchestration.handoff import (
    HandoffHandler,
    HandoffRequest,
    find_loop,
    human_phase,
)
from orchestration.routing import ConversationPipeline, PhaseMap, PipelineStage
from orchestration.state import ConversationState
from tests.orchestration.conversations import HANDLER, REVIEWER, TRIAGE

AT_INTAKE = ConversationState(phase="intake", active_agent_id=TRIAGE)
PIPELINE = ConversationPipeline(
    [
        PipelineStage("intake", TRIAGE, next="handling"),
        PipelineStage("handling", HANDLER, next="review"),
        PipelineStage("review", REVIEWER, can_return_to={"handling"}),
    ]
)
HANDOFFS = HandoffHandler(
    agents={TRIAGE, HANDLER, REVIEWER},
    agent_aliases={"work": HANDLER, "person": "human"},
    phase_map=PIPELINE.get_phase_map(),
    allowed_transitions=PIPELINE.get_allowed_transitions(),
)


def request_for(target: str, **arguments: Any) -> HandoffRequest:
    return HandoffRequest(target=target, **arguments)


def test_an_accepted_handoff_gives_the_new_state():
    """Contract O-7."""
    result = HANDOFFS.decide(request_for(HANDLER, reason="billing"), AT_INTAKE)
    assert result.accepted
    assert (result.to_agent, result.to_phase) == (HANDLER, "handling")
    assert (result.state.phase, result.state.active_agent_id) == ("handling", HANDLER)
    assert result.state.phase_history[-1].reason == "billing"


def test_an_alias_stands_for_its_agent():
    """Contract O-7."""
    assert HANDOFFS.decide(request_for("work"), AT_INTAKE).to_agent == HANDLER


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (request_for("agent-stranger"), "unknown_target", "no agent 'agent-stranger'"),
        (request_for(REVIEWER), "not_allowed", "to stage 'review'"),
        (request_for(HANDLER, next_phase="review"), "not_allowed", "to stage 'review'"),
    ],
)
def test_a_refusal_changes_nothing_and_lists_the_allowed_targets(request_, code, words):
    """Contract O-7."""
    result = HANDOFFS.decide(request_, AT_INTAKE)
    assert not result.accepted
    assert result.code == code
    assert words in result.why
    assert "You can hand over to: agent-handler, human." in result.why
    assert result.allowed == (HANDLER, "human")
    assert result.state is AT_INTAKE


def test_the_phase_is_the_requested_one_or_the_agents_own_or_handling():
    """Contract O-7."""
    free = HandoffHandler(phase_map={HANDLER: "work"})
    assert free.decide(request_for(HANDLER, next_phase="special"), AT_INTAKE).to_phase == "special"
    assert free.decide(request_for(HANDLER), AT_INTAKE).to_phase == "work"
    assert free.decide(request_for("agent-new"), AT_INTAKE).to_phase == "handling"


def test_the_human_is_allowed_unless_forbidden():
    """Contract O-9."""
    result = HANDOFFS.decide(request_for("person"), AT_INTAKE)
    assert (result.accepted, result.to_agent, result.to_phase) == (True, None, "escalation")
    assert result.state.with_human
    forbidding = HandoffHandler(
        agents=HANDOFFS.agents,
        phase_map=HANDOFFS.phase_map,
        allowed_transitions=HANDOFFS.allowed_transitions,
        allow_human=False,
    )
    refused = forbidding.decide(request_for("human"), AT_INTAKE)
    assert not refused.accepted
    assert refused.allowed == (HANDLER,)


def test_a_handoff_to_the_human_enters_the_human_stage():
    """Contract O-9: even if `allow_human` is off."""
    handoffs = HandoffHandler(
        agents={TRIAGE},
        allowed_transitions={"intake": {"desk"}},
        stages={"intake": TRIAGE, "desk": None},
        allow_human=False,
    )
    assert handoffs.decide(request_for("human"), AT_INTAKE).to_phase == "desk"
    assert handoffs.decide(request_for("desk"), AT_INTAKE).to_phase == "desk"


def test_the_human_does_not_enter_an_agents_stage_called_escalation():
    """Contract O-9: a stage of the human is used, an agent's stage called escalation is not."""
    of_agent, of_human = (
        HandoffHandler(
            agents={TRIAGE, HANDLER},
            allowed_transitions={"intake": {"handling"}},
            stages={"intake": TRIAGE, "escalation": owner},
        )
        for owner in (HANDLER, None)
    )
    result = of_agent.decide(request_for("human"), AT_INTAKE)
    assert (result.accepted, result.to_agent, result.to_phase) == (True, None, "intake")
    assert result.state.with_human
    assert of_human.decide(request_for("human"), AT_INTAKE).to_phase == "escalation"


def test_human_means_the_human_even_if_an_agents_stage_has_that_name():
    """Contract O-9: a request for the human never leads to an agent."""
    handoffs = HandoffHandler(
        agents={TRIAGE, HANDLER},
        allowed_transitions={"intake": {"human"}},
        stages={"intake": TRIAGE, "human": HANDLER},
    )
    result = handoffs.decide(request_for("human"), AT_INTAKE)
    assert (result.accepted, result.to_agent) == (True, None)


def test_a_handoff_to_an_agent_of_two_stages_needs_the_phase():
    """Contract O-12."""
    handoffs = HandoffHandler(
        agents={TRIAGE, HANDLER},
        phase_map=PhaseMap([(TRIAGE, "intake"), (HANDLER, "draft"), (HANDLER, "rework")]),
        allowed_transitions={"intake": {"draft", "rework"}},
        stages={"intake": TRIAGE, "draft": HANDLER, "rework": HANDLER},
    )
    ambiguous = handoffs.decide(request_for(HANDLER), AT_INTAKE)
    assert (ambiguous.accepted, ambiguous.code) == (False, "ambiguous")
    assert "'draft', 'rework'" in ambiguous.why
    assert (
        handoffs.decide(request_for(HANDLER, next_phase="rework"), AT_INTAKE).to_phase == "rework"
    )
    assert handoffs.decide(request_for("rework"), AT_INTAKE).to_phase == "rework"


def test_of_two_stages_the_reachable_one_is_used():
    """Contract O-12: even if it is not the first in the phase map."""
    handoffs = HandoffHandler(
        agents={TRIAGE, HANDLER},
        phase_map=PhaseMap([(HANDLER, "draft"), (HANDLER, "rework")]),
        allowed_transitions={"intake": {"rework"}},
    )
    assert handoffs.decide(request_for(HANDLER), AT_INTAKE).to_phase == "rework"


def test_the_target_agent_must_serve_the_requested_phase():
    handoffs = HandoffHandler(
        agents={TRIAGE, HANDLER},
        allowed_transitions={"intake": {"review"}},
        stages={"intake": TRIAGE, "review": REVIEWER, "handling": HANDLER},
    )
    result = handoffs.decide(request_for(HANDLER, next_phase="review"), AT_INTAKE)
    assert (result.accepted, result.code) == (False, "not_serving")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{", "Invalid JSON"),
        ("[]", "arguments"),
        ("{}", "target: Field required"),
        ('{"target": "a", "channel_escalation": "fax"}', "channel_escalation"),
    ],
)
def test_wrong_arguments_are_explained_in_a_sentence(arguments, words):
    """Contract O-7."""
    error = HandoffRequest.parse(arguments)
    assert isinstance(error, str)
    assert words in error


def test_empty_arguments_of_a_model_count_as_missing():
    request = HandoffRequest.parse(
        '{"target": " work ", "reason": null, "next_phase": "", "channel_escalation": ""}'
    )
    assert isinstance(request, HandoffRequest)
    assert (request.target, request.reason, request.channel_escalation) == ("work", "", "same")
    assert HANDOFFS.decide(request, AT_INTAKE).to_phase == "handling"


def test_a_summary_is_cut_to_the_maximum_length():
    request = HandoffRequest.parse(json.dumps({"target": "a", "summary": "x" * 100_000}))
    assert isinstance(request, HandoffRequest)
    assert len(request.summary) == 4_000


@pytest.mark.parametrize(
    ("path", "cycle"),
    [
        ([], None),
        (["a", "a"], None),
        (["a", "b", "a"], None),
        (["a", "b", "a", "b"], ("a", "b")),
        (["x", "a", "b", "c", "a", "b", "c"], ("a", "b", "c")),
        (["a", "b", "a", "b", "c"], None),
    ],
)
def test_a_cycle_is_found_at_the_end_of_a_path_only(path, cycle):
    """Contract S-5."""
    assert find_loop(path) == cycle


@pytest.mark.parametrize(
    ("owner", "phase"),
    [(None, "escalation"), ("", "escalation"), ("human", "escalation"), (HANDLER, "intake")],
)
def test_the_human_takes_over_in_escalation_unless_an_agent_serves_it(owner, phase):
    """Contract O-9."""
    assert human_phase("intake", owner) == phase


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"agents": "agent-triage"}, "agents"),
        ({"allowed_transitions": {"intake": "handling"}}, r"allowed_transitions\['intake'\]"),
    ],
)
def test_a_text_in_place_of_a_set_of_names_is_refused(arguments, field):
    """Contract O-7: a text would contain each of its parts."""
    with pytest.raises(ValueError, match=f"{field} is the text"):
        HandoffHandler(**arguments)


@pytest.mark.parametrize(
    "target", [HANDLER, "Order Desk", "order-desk", "work", "Work", "handling"]
)
def test_a_target_is_accepted_by_id_name_slug_alias_and_stage(target):
    """Contract D-8."""
    handoffs = replace(
        HANDOFFS,
        names={HANDLER: "Order Desk", TRIAGE: "Front Desk"},
        stages={"intake": TRIAGE, "handling": HANDLER, "review": REVIEWER},
    )
    result = handoffs.decide(request_for(target), AT_INTAKE)
    assert (result.accepted, result.to_agent) == (True, HANDLER)


def test_a_name_of_several_agents_means_the_allowed_one():
    """Contract D-8: as far as it is unambiguous; else the reason lists the ids."""
    names = dict.fromkeys((HANDLER, REVIEWER), "Desk")
    handoffs = replace(HANDOFFS, names=names)
    assert handoffs.decide(request_for("Desk"), AT_INTAKE).to_agent == HANDLER
    everywhere = {"intake": {"handling", "review"}}
    result = replace(handoffs, allowed_transitions=everywhere).decide(
        request_for("Desk"), AT_INTAKE
    )
    assert (result.accepted, result.code) == (False, "ambiguous")
    assert "'Desk' can mean 'agent-handler' or 'agent-reviewer': use the id." in result.why


def test_agents_with_any_names_keep_them_in_results():
    """Contract D-8: in code, without names of their own."""
    handoffs = HandoffHandler(
        agents={"Front Desk", "Billing Desk"},
        phase_map={"Front Desk": "intake", "Billing Desk": "handling"},
        allowed_transitions={"intake": {"handling"}},
    )
    for target in ("Billing Desk", "billing_desk"):
        result = handoffs.decide(request_for(target), AT_INTAKE)
        assert (result.to_agent, result.state.active_agent_id) == ("Billing Desk", "Billing Desk")
    assert handoffs.allowed_targets(AT_INTAKE) == ("Billing Desk", "human")


def test_a_requested_phase_may_be_a_slug_too():
    """Contract D-8."""
    handoffs = replace(HANDOFFS, stages={"intake": TRIAGE, "handling": HANDLER, "review": REVIEWER})
    result = handoffs.decide(request_for(HANDLER, next_phase="Handling"), AT_INTAKE)
    assert result.to_phase == "handling"
