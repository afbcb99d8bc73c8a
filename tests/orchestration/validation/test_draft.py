"""Derived facts of a definition."""

import pytest

from orchestration.definition import HUMAN
from orchestration.validation import Draft
from orchestration.validation.changed_parts import Focus
from orchestration.validation.draft import about_stages, server_of
from orchestration.validation.sketches import group_sketch, one_transition, rule_sketch, sketch


def test_a_focus_limits_the_parts_and_keeps_their_indexes() -> None:
    definition = sketch("intake > review, review > reply")
    draft = Draft(definition, Focus(agents={"agent-reply"}, stages={"review"}))
    assert [(index, agent.id) for index, agent in draft.agents] == [(1, "agent-reply")]
    assert [(index, stage.phase) for index, stage in draft.stages] == [(2, "review")]
    assert [transition.source for _, transition in draft.transitions] == ["review"]
    assert (draft.rules, draft.tools) == ((), ())


def test_the_graph_after_a_change_reuses_the_unchanged_stages() -> None:
    before = Draft(sketch("intake > review, review > reply"))
    after = sketch("intake > review, review > intake, reply")
    changed = Draft(after, Focus(stages={"review", "reply"}), before)
    expected = Draft(after).graph.succ
    assert {phase: list(targets) for phase, targets in changed.graph.succ.items()} == {
        phase: list(targets) for phase, targets in expected.items()
    }
    assert changed.graph.succ["intake"] is before.graph.succ["intake"]


def test_an_agent_label_has_the_id_only_if_the_name_is_not_unique() -> None:
    draft = Draft(sketch("intake > review", agents={"agent-b": {"name": "Review"}}))
    assert draft.agent_label("agent-intake") == "Intake"
    assert draft.agent_label("agent-review") == "Review (agent-review)"
    assert draft.agent_label("stranger") == "stranger"


@pytest.mark.parametrize(
    ("stage", "server"),
    [
        ({}, "agent-review"),
        ({"kind": "human", "agent_id": None}, HUMAN),
        ({"agent_id": None}, None),
    ],
)
def test_the_server_of_a_stage_is_its_agent_or_the_human(stage, server) -> None:
    definition = sketch("intake > review", stages={"review": stage})
    assert server_of(definition.stages_by_phase["review"]) == server


def test_the_server_of_a_group_stage_is_the_group() -> None:
    definition = group_sketch()
    assert server_of(definition.stages_by_phase["review"]) == "group:review"
    draft = Draft(definition)
    assert draft.group_phases == {"review"}
    assert draft.groups_of == {"agent-law": ["review"], "agent-money": ["review"]}


def test_routed_agents_are_those_of_rules_and_the_default() -> None:
    assert Draft(rule_sketch()).routed_agents == {"agent-review"}
    workflow = sketch("intake", topology="workflow", default_agent_id="agent-intake")
    assert Draft(workflow).routed_agents == frozenset()


def test_a_handoff_with_a_schema_has_its_own_tool() -> None:
    transitions = one_transition(input_schema={"type": "object"}, tool_name="to_review")
    draft = Draft(sketch("intake > review", transitions=transitions))
    assert draft.handoff_tools("intake") == (
        ("handoff_conversation", None),
        ("to_review", "review"),
    )
    assert draft.handoff_tools("review") == ()
    assert draft.all_handoff_tool_names == {"handoff_conversation", "to_review"}


def test_closed_loops_have_no_transition_out_of_them() -> None:
    assert Draft(sketch("intake > review, review ~ intake")).closed_loops == (("intake", "review"),)
    assert Draft(sketch("intake > review, review ~ intake, review > end")).closed_loops == ()


def test_an_issue_about_stages_points_to_the_first_of_them() -> None:
    draft = Draft(sketch("intake > review, review > reply"))
    issue = about_stages(
        draft, "warning", "code", {"review", "reply"}, "One: {phases}.", "Several: {phases}."
    )
    assert issue.message == "Several: 'reply' and 'review'."
    assert (issue.where.keys, issue.where.path) == (("reply", "review"), "$.stages[1]")
