"""Actions on agents."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError
from designer.core.history import undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, rules
from designer.pipelines import settings
from orchestration.definition import HUMAN, Agent, Cue, Rule
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
    changed = Agent(id="agent-review", name="Judge")
    agents.update_agent(**actor, agent_id="agent-review", agent=changed)
    assert now(pipeline).agents_by_id["agent-review"].cues == (Cue(say="Fine."),)


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
    agents.delete_agent(**actor, agent_id="agent-review")
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
