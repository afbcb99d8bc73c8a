"""References of a patch to parts that others have changed."""

import pytest

from designer.core.edit_errors import StaleEditError
from designer.core.undo import next_edit, redo_edit, undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, notes_and_frames, rules, stages, topology
from designer.pipelines import settings
from orchestration.definition import Group, Rule
from tests.designer.edit_actions import values
from tests.designer.editor_requests import draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


@pytest.fixture
def grace(pipeline, other_user):
    return {"pipeline": pipeline, "user": other_user}


def refuses(turn, who, match):
    """Report whether an edit is refused with this message and the pipeline stays unchanged."""
    was = now(who["pipeline"])
    with pytest.raises(StaleEditError, match=match):
        turn(**who)
    return now(who["pipeline"]) == was


def serve(who, phase, **changes):
    given = values(now(who["pipeline"]), phase, **changes)
    stages.update_stage(**who, phase=phase, values=given)


# Deleted parts with references


def lead_there(who):
    topology.connect(**who, source="resolution", target="stage-1")


def lead_away(who):
    topology.connect(**who, source="stage-1", target="review")


def make_it_the_entry(who):
    settings.update_settings(**who, settings=Settings(entry="stage-1"))


def frame_it(who):
    notes_and_frames.add_frame(**who, phases=["stage-1"])


@pytest.mark.parametrize(
    ("refer", "named"),
    [
        (lead_there, "the transition “resolution → stage-1” still refers to stage “stage-1”"),
        (lead_away, "the transition “stage-1 → review” still refers to stage “stage-1”"),
        (make_it_the_entry, "the pipeline's entry still refers to stage “stage-1”"),
        (frame_it, "the frame “.*” still refers to stage “stage-1”"),
    ],
)
def test_a_stage_with_references_of_others_is_not_removed(who, grace, refer, named):
    topology.add_stage(**who)
    refer(grace)
    assert refuses(undo_edit, who, f"“Add stage stage-1” cannot be undone: {named}.")


def serve_a_stage(who, agent):
    serve(who, "review", agent_id=agent)


def join_a_group(who, agent):
    group = Group(agents=("agent-review", agent))
    serve(who, "review", kind="group", agent_id=None, group=group)


def answer_by_rule(who, agent):
    rules.add_rule(**who, rule=Rule(id="vip", agent_id=agent))


def be_the_default(who, agent):
    settings.update_settings(**who, settings=Settings(default_agent_id=agent))


def supervise(who, agent):
    settings.update_settings(**who, settings=Settings(supervisor_id=agent))


@pytest.mark.parametrize(
    ("refer", "named"),
    [
        (serve_a_stage, "stage “review”"),
        (join_a_group, "the group of stage “review”"),
        (answer_by_rule, "the rule “vip”"),
        (be_the_default, "the pipeline's default agent"),
        (supervise, "the pipeline's supervisor"),
    ],
)
def test_an_agent_with_references_of_others_is_not_removed(who, grace, refer, named):
    (agent,) = agents.add_agent(**who, name="Vera").after.agents
    refer(grace, agent)
    assert refuses(undo_edit, who, f"cannot be undone: {named} still refers to agent “{agent}”.")


# Restored parts with references to deleted parts


def test_a_transition_is_not_restored_without_its_stage(who, grace):
    topology.delete_parts(**who, transitions=["intake>review"])
    topology.delete_parts(**grace, phases=["review"])
    assert refuses(undo_edit, who, "cannot be undone: stage “review” no longer exists.")


def test_a_transition_is_not_redone_without_its_stage(who, grace):
    topology.connect(**who, source="intake", target="resolution")
    undo_edit(**who)
    topology.delete_parts(**grace, phases=["resolution"])
    assert refuses(redo_edit, who, "cannot be redone: stage “resolution” no longer exists.")
    assert next_edit(**who) is None


def test_a_second_next_transition_is_not_restored(who, grace):
    topology.delete_parts(**who, transitions=["intake>review"])
    topology.connect(**grace, source="intake", target="resolution")
    assert refuses(undo_edit, who, "the next stage of “intake” is now “resolution”.")


def test_a_stage_is_not_restored_without_its_agent(who, grace):
    topology.delete_parts(**who, phases=["review"])
    agents.delete_agent(**grace, agent_id="agent-review")
    assert refuses(undo_edit, who, "cannot be undone: agent “agent-review” no longer exists.")


def test_a_rule_is_not_restored_without_its_agent(who, grace):
    rules.add_rule(**who, rule=Rule(id="vip", agent_id="agent-review"))
    rules.delete_rule(**who, key="vip")
    agents.delete_agent(**grace, agent_id="agent-review")
    assert refuses(undo_edit, who, "cannot be undone: agent “agent-review” no longer exists.")


@pytest.mark.parametrize(
    ("chosen", "gone"),
    [
        ({"entry": "review"}, "stage “review”"),
        ({"default_agent_id": "agent-review"}, "agent “agent-review”"),
        ({"supervisor_id": "agent-review"}, "agent “agent-review”"),
    ],
)
def test_a_setting_is_not_restored_without_its_part(who, grace, chosen, gone):
    settings.update_settings(**who, settings=Settings(**chosen))
    undo_edit(**who)
    topology.delete_parts(**grace, phases=["review"])
    agents.delete_agent(**grace, agent_id="agent-review")
    assert refuses(redo_edit, who, f"cannot be redone: {gone} no longer exists.")


def test_a_frame_is_not_restored_around_missing_or_framed_stages(who, grace):
    (theirs,) = notes_and_frames.add_frame(**grace, phases=["resolution"]).after.frames
    (one,) = notes_and_frames.add_frame(**who, phases=["intake"]).after.frames
    (other,) = notes_and_frames.add_frame(**who, phases=["review"]).after.frames
    topology.delete_parts(**who, frames=[one])
    topology.delete_parts(**who, frames=[other])
    topology.delete_parts(**grace, phases=["review"])
    notes_and_frames.put_in_frame(**grace, phases=["intake"], key=theirs)
    assert refuses(undo_edit, who, "stage “review” no longer exists.")
    assert refuses(undo_edit, who, "stage “intake” is now in the frame “.*”.")
