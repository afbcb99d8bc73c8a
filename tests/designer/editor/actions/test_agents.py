"""Actions on agents."""

import pytest

from designer.canvas.layout import with_positions
from designer.core.edits import GoneError, RefusedError, undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, rules
from designer.pipelines import settings
from designer.pipelines.actions import import_definition
from orchestration.definition import HUMAN, Agent, Comparison, Conditions, Cue, CueHandoff, Rule
from tests.designer.editor_requests import chain, draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def test_new_agents_are_numbered_and_told_apart_by_hue(who, pipeline):
    agents.add_agent(**who)
    agents.add_agent(**who)
    definition = now(pipeline)
    assert definition.agents_by_id["agent-2"].name == "Agent 2"
    hues = definition.layout.hues
    assert hues["agent-1"] != hues["agent-2"]


def test_a_new_id_of_an_agent_is_written_wherever_the_old_one_stood(user):
    definition = chain(
        "intake",
        "review",
        default_agent_id="agent-review",
        supervisor_id="agent-review",
        aliases={"boss": "agent-review"},
    )
    cue = Cue(after_handoff_from="agent-review", hand_over=CueHandoff(target="agent-review"))
    asked = Comparison(field="state.active_agent_id", operator="is_not", value="agent-review")
    asks = Conditions(rows=(asked,))
    hands = definition.agents_by_id["agent-intake"].model_copy(update={"cues": (cue,)})
    definition = definition.model_copy(
        update={
            "agents": (hands, definition.agents_by_id["agent-review"]),
            "rules": (Rule(id="r", agent_id="agent-review", conditions=asks),),
        }
    )
    definition = with_positions(definition)
    pipeline = import_definition(user=user, definition=definition)
    judge = Agent(id="judge", name="Judge", instructions="Judge.")
    agents.update_agent(pipeline=pipeline, user=user, agent_id="agent-review", agent=judge)

    found = now(pipeline)
    assert "agent-review" not in found.dump()
    assert found.agents_by_id["judge"].instructions == "Judge."
    assert found.stages_by_phase["review"].agent_id == "judge"
    assert (found.default_agent_id, found.supervisor_id) == ("judge", "judge")
    assert found.aliases == {"boss": "judge"}
    assert found.rules[0].agent_id == "judge"
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == definition


def test_an_agent_keeps_its_cues_when_its_other_fields_change(who, pipeline):
    agents.update_cues(**who, agent_id="agent-review", cues=(Cue(say="Fine."),))
    changed = Agent(id="agent-review", name="Judge")
    agents.update_agent(**who, agent_id="agent-review", agent=changed)
    assert now(pipeline).agents_by_id["agent-review"].cues == (Cue(say="Fine."),)


@pytest.mark.parametrize("taken", ["agent-intake", HUMAN])
def test_an_id_that_is_taken_is_refused(who, taken):
    with pytest.raises(RefusedError) as refused:
        agents.update_agent(**who, agent_id="agent-review", agent=Agent(id=taken, name="X"))
    assert refused.value.field == "id"


def test_deleting_an_agent_leaves_its_stages_unserved_and_takes_its_rules(who, pipeline):
    rules.add_rule(**who, rule=Rule(id="r", agent_id="agent-review"))
    touched = Settings(supervisor_id="agent-review", aliases={"boss": "agent-review"})
    settings.update_settings(**who, settings=touched)
    before = now(pipeline)
    agents.delete_agent(**who, agent_id="agent-review")
    after = now(pipeline)
    assert after.stages_by_phase["review"].agent_id is None
    assert (after.rules, after.supervisor_id, after.aliases) == ((), None, {})
    undo_edit(**who)
    assert now(pipeline) == before


def test_an_agent_that_is_gone_is_a_sentence(who):
    gone = Agent(id="agent-gone", name="Gone")
    with pytest.raises(GoneError):
        agents.update_agent(**who, agent_id="agent-gone", agent=gone)
    with pytest.raises(GoneError):
        agents.update_cues(**who, agent_id="agent-gone", cues=())
    with pytest.raises(GoneError):
        agents.delete_agent(**who, agent_id="agent-gone")


def test_more_than_a_pipeline_can_hold_is_refused(user):
    pipeline = draw(user, *(f"s{n}" for n in range(500)))
    with pytest.raises(RefusedError, match="more than 500"):
        agents.add_agent(pipeline=pipeline, user=user)
    assert len(now(pipeline).agents) == 500
