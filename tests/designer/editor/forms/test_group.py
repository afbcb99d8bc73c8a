"""The group in the form of its stage: members, order and dependencies."""

import pytest

from designer.editor.actions.agents import delete_agent
from designer.pipelines.actions import import_definition
from orchestration.definition import Group, Stage
from tests.designer.editor_page import as_shown, field_error, inspected, stage_fields
from tests.designer.editor_requests import chain, draw, now, send, swapped

pytestmark = pytest.mark.django_db

ORDERED = Group(
    agents=("agent-intake", "agent-review", "agent-resolution"),
    parallel=False,
    dependencies={"agent-review": ("agent-intake",), "agent-resolution": ("agent-review",)},
)


def grouped(user, group):
    """Create a pipeline of a chain of stages with a group at the second."""
    definition = chain("intake", "review", "resolution")
    stages = tuple(stage for stage in definition.stages if stage.phase != "review")
    served = Stage(phase="review", kind="group", group=group)
    return import_definition(
        user=user, definition=definition.model_copy(update={"stages": (*stages, served)})
    )


@pytest.fixture
def pipeline(user):
    return grouped(user, ORDERED)


def review(pipeline):
    return now(pipeline).stages_by_phase["review"]


def save(client, pipeline, **changes):
    """Save the form of the stage with changes."""
    html = inspected(client, pipeline, select="stage:review")
    return send(client, pipeline, "update_stage", **as_shown(html, "stage-form", **changes))


def test_a_stage_that_becomes_a_group_keeps_its_agent_as_first_member(client, user):
    pipeline = draw(user, "intake", "review", "resolution")
    response = save(client, pipeline, agent_id=":group")
    assert review(pipeline).group == Group(agents=("agent-review",))
    assert review(pipeline).agent_id is None
    assert any(name.endswith("-group") for name in swapped(response))
    send(client, pipeline, "undo")
    assert review(pipeline) == Stage(phase="review", agent_id="agent-review")


def test_a_stage_without_an_agent_becomes_a_group_without_members(client, user):
    pipeline = draw(user, "intake")
    send(client, pipeline, "add_stage", kind="group")
    html = inspected(client, pipeline, select="stage:stage-1")
    assert "No members yet." in html
    fields = as_shown(html, "stage-form", add_member="agent-intake")
    send(client, pipeline, "update_stage", **fields)
    stage = now(pipeline).stages_by_phase["stage-1"]
    assert (stage.kind, stage.group) == ("group", Group(agents=("agent-intake",)))


def test_saving_an_unchanged_form_changes_nothing(client, pipeline):
    before = now(pipeline)
    response = save(client, pipeline)
    assert response.status_code == 200
    assert now(pipeline) == before
    assert not any(name.startswith("field-") for name in swapped(response))


def test_members_are_moved_but_not_beyond_the_ends(client, pipeline):
    save(client, pipeline, move_up_member="agent-resolution")
    assert review(pipeline).agent_ids == ("agent-intake", "agent-resolution", "agent-review")
    save(client, pipeline, move_down_member="agent-intake")
    assert review(pipeline).agent_ids == ("agent-resolution", "agent-intake", "agent-review")
    save(client, pipeline, move_up_member="agent-resolution")
    save(client, pipeline, move_down_member="agent-review")
    assert review(pipeline).agent_ids == ("agent-resolution", "agent-intake", "agent-review")
    assert review(pipeline).group.dependencies == ORDERED.dependencies


def test_a_removed_member_is_no_longer_a_dependency(client, pipeline):
    save(client, pipeline, take_out_member="agent-review")
    assert review(pipeline).group == Group(
        agents=("agent-intake", "agent-resolution"), parallel=False
    )
    send(client, pipeline, "undo")
    assert review(pipeline).group == ORDERED


def test_members_answer_at_once_or_wait_for_selected_members(client, pipeline):
    save(client, pipeline, order="parallel", waits=["agent-resolution:agent-intake"])
    assert review(pipeline).group == Group(
        agents=ORDERED.agents, dependencies={"agent-resolution": ("agent-intake",)}
    )


def test_a_new_agent_joins_the_group(client, pipeline):
    save(client, pipeline, new_agent="Auditor")
    assert review(pipeline).agent_ids == (*ORDERED.agents, "agent-auditor")
    assert now(pipeline).agents_by_id["agent-auditor"].name == "Auditor"


def test_a_member_above_the_maximum_is_refused(client, user):
    full = Group(agents=tuple(f"a{n}" for n in range(50)))
    pipeline = grouped(user, full)
    response = save(client, pipeline, new_agent="One more")
    assert response.status_code == 422
    assert "at most 50 members" in response.text
    response = save(client, pipeline, add_member="agent-intake")
    assert response.status_code == 422
    assert review(pipeline).group == full


def test_a_member_deleted_in_another_tab_is_an_error_of_the_group(client, user, pipeline):
    html = inspected(client, pipeline, select="stage:review")
    delete_agent(pipeline=pipeline, user=user, agent_id="agent-resolution")
    fields = as_shown(html, "stage-form", token="i12345678", base="")
    response = send(client, pipeline, "update_stage", **fields)
    assert response.status_code == 422
    assert "no agent “agent-resolution” any more" in field_error(response, "group")


@pytest.mark.parametrize(
    "wrong", [{"member": "Not a key"}, {"waits": "agent-intake"}, {"member": "a\x00b"}]
)
def test_invalid_members_are_errors_of_the_group(client, pipeline, wrong):
    fields = stage_fields("review", agent_id=":group", order="ordered", member="agent-intake")
    response = send(client, pipeline, "update_stage", **fields | wrong)
    assert response.status_code == 422
    assert field_error(response, "group")
    assert review(pipeline).group == ORDERED


def test_members_that_wait_for_each_other_are_saved_with_an_issue(client, pipeline):
    circle = ["agent-review:agent-intake", "agent-intake:agent-review"]
    response = save(client, pipeline, waits=circle, token="i12345678")
    assert response.status_code == 200
    assert "wait for each other" in field_error(response, "group")
    assert review(pipeline).group.dependencies["agent-intake"] == ("agent-review",)
    assert "wait for each other" in inspected(client, pipeline, select="stage:review")


def test_an_agent_that_is_only_a_dependency_is_shown_and_removable(client, user):
    group = Group(
        agents=("agent-intake",),
        dependencies={"ghost": ("agent-intake",), "agent-intake": ("stranger",)},
    )
    pipeline = grouped(user, group)
    save(client, pipeline, description="Decides")
    assert review(pipeline).group == group
    save(client, pipeline, take_out_member="ghost")
    save(client, pipeline, waits=[])
    assert review(pipeline).group == Group(agents=("agent-intake",))


def test_the_last_removed_member_leaves_a_group_without_members(client, user):
    pipeline = grouped(user, Group(agents=("agent-intake",)))
    save(client, pipeline, take_out_member="agent-intake")
    assert (review(pipeline).kind, review(pipeline).group) == ("group", None)


def test_the_form_explains_new_agents_and_waiting(client, user):
    for parallel, said in ((True, "except those that wait"), (False, "answers that it waits for")):
        group = Group(agents=("agent-intake", "agent-review"), parallel=parallel)
        html = inspected(client, grouped(user, group), select="stage:review")
        assert "A new agent that is named above joins them." in html
        assert said in html


def test_each_member_has_its_own_prompt_without_handoffs(client, pipeline):
    html = inspected(client, pipeline, select="stage:review")
    assert "What each model sees" in html
    for name in ("Intake", "Review", "Resolution"):
        assert f"<summary>{name}</summary>" in html
        assert f"You are {name} " in html
    assert "handoff_conversation" not in html.partition("model-sees")[2]
    html = inspected(client, pipeline, select="stage:review", tab="agent")
    assert 'data-select="agent" data-key="agent-resolution"' in html


def test_an_unused_transition_of_a_group_is_redrawn_at_once(client, user):
    pipeline = draw(user, "intake", "review", "resolution")
    send(client, pipeline, "connect", source="review", target="intake")
    response = save(client, pipeline, agent_id=":group")
    assert "edge-review--intake" in swapped(response)
    assert 'class="edge idle"' in response.text
