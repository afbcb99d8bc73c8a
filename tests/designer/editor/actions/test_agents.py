"""Actions on agents."""

import pytest
from django.contrib.auth.models import User

from designer.core.edit_errors import GoneError, RefusedError
from designer.core.undo import undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, rules
from designer.models import Membership
from designer.pipelines import settings
from designer.rehearsal.actions.conversations import start_conversation
from orchestration.definition import HUMAN, Agent, Cue, CueHandoff, Rule
from tests.designer.editor_requests import draw, now

pytestmark = pytest.mark.django_db


def test_new_agents_are_numbered_and_have_different_hues(actor, pipeline):
    agents.add_agent(**actor)
    agents.add_agent(**actor)
    definition = now(pipeline)
    assert definition.agents_by_id["agent-2"].name == "Agent 2"
    hues = definition.layout.hues
    assert hues["agent-1"] != hues["agent-2"]


def test_an_agent_keeps_its_cues_when_its_other_fields_change(actor, pipeline):
    agents.update_cues(**actor, agent_id="agent-review", cues=(Cue(say="Fine."),))
    changed = Agent(id="agent-review", name="Review", instructions="Check it.")
    agents.update_agent(**actor, agent_id="agent-review", agent=changed)
    assert now(pipeline).agents_by_id["agent-review"].cues == (Cue(say="Fine."),)


def rename(actor, old, name, instructions=""):
    """Change the name of an agent in its form, and return the ids of all agents."""
    changed = Agent(id=old, name=name, instructions=instructions)
    agents.update_agent(**actor, agent_id=old, agent=changed)
    return set(now(actor["pipeline"]).agents_by_id)


@pytest.fixture
def own(user):
    """Return the arguments of an action on a pipeline that is not shared."""
    return {"pipeline": draw(user, "intake", "review"), "user": user}


def test_the_id_of_an_agent_follows_its_name(own):
    agents.add_agent(**own)
    assert "agent-refunds" in rename(own, "agent-1", "Refunds")
    assert {"agent-intake-1", "agent-intake"} <= rename(own, "agent-refunds", "Intake")
    assert "agent-judge" in rename(own, "agent-review", "Judge")
    assert now(own["pipeline"]).stages_by_phase["review"].agent_id == "agent-judge"
    assert "agent-judge" in rename(own, "agent-judge", "審判")


def test_cues_that_hand_over_to_a_name_follow_it(own):
    def cues(*targets):
        return tuple(Cue(hand_over=CueHandoff(target=target)) for target in targets)

    others = ("agent-review", "Intake", "review")  # an id, another name, and a stage
    agents.update_cues(**own, agent_id="agent-intake", cues=cues("Review", *others))
    rename(own, "agent-review", "Judge")
    assert now(own["pipeline"]).agents_by_id["agent-intake"].cues == cues("Judge", *others)


def test_an_id_written_by_hand_stays_when_the_name_changes(own):
    by_hand = Agent(id="judge-7", name="Review")
    agents.update_agent(**own, agent_id="agent-review", agent=by_hand)
    assert "judge-7" in rename(own, "judge-7", "Judge")


def use_in_cue(actor):
    cue = Cue(hand_over=CueHandoff(target="agent-review"))
    agents.update_cues(**actor, agent_id="agent-intake", cues=(cue,))


def use_in_rule(actor):
    rules.add_rule(**actor, rule=Rule(id="r", agent_id="agent-review"))


def use_in_alias(actor):
    aliases = Settings(aliases={"boss": "agent-review"})
    settings.update_settings(**actor, settings=aliases)


def use_as_default(actor):
    settings.update_settings(**actor, settings=Settings(default_agent_id="agent-review"))


def use_in_instructions(actor):
    rename(actor, "agent-intake", "Intake", "Then ask agent-review.")


def use_in_conversation(actor):
    start_conversation(pipeline=actor["pipeline"], user=actor["user"])


def share(actor):
    other = User.objects.create_user("other")
    Membership.objects.create(pipeline=actor["pipeline"], user=other, role="editor")


@pytest.mark.parametrize(
    "use",
    [
        share, use_in_cue, use_in_rule, use_in_alias, use_as_default, use_in_instructions,
        use_in_conversation,
    ],
)  # fmt: skip
def test_the_id_of_an_agent_stays_when_it_is_used_elsewhere(own, use):
    use(own)
    assert "agent-review" in rename(own, "agent-review", "Judge")


@pytest.mark.parametrize("taken", ["agent-intake", HUMAN])
def test_an_existing_id_is_refused(actor, taken):
    with pytest.raises(RefusedError) as refused:
        agents.update_agent(**actor, agent_id="agent-review", agent=Agent(id=taken, name="X"))
    assert refused.value.field == "id"


def test_a_deleted_agent_leaves_its_stages_and_its_rules_are_deleted(actor, pipeline):
    rules.add_rule(**actor, rule=Rule(id="r", agent_id="agent-review"))
    touched = Settings(supervisor_id="agent-review", aliases={"boss": "agent-review"})
    settings.update_settings(**actor, settings=touched)
    before = now(pipeline)
    change = agents.delete_agent(**actor, agent_id="agent-review")
    assert change.label.endswith(" and 1 routing rule")
    after = now(pipeline)
    assert after.stages_by_phase["review"].agent_id is None
    assert (after.rules, after.supervisor_id, after.aliases) == ((), None, {})
    undo_edit(**actor)
    assert now(pipeline) == before


def test_a_missing_agent_is_refused(actor):
    gone = Agent(id="agent-gone", name="Gone")
    with pytest.raises(GoneError):
        agents.update_agent(**actor, agent_id="agent-gone", agent=gone)
    with pytest.raises(GoneError):
        agents.update_cues(**actor, agent_id="agent-gone", cues=())
    with pytest.raises(GoneError):
        agents.delete_agent(**actor, agent_id="agent-gone")


def test_an_agent_above_the_maximum_is_refused(user):
    pipeline = draw(user, *(f"s{n}" for n in range(500)))
    with pytest.raises(RefusedError, match="more than 500"):
        agents.add_agent(pipeline=pipeline, user=user)
    assert len(now(pipeline).agents) == 500
