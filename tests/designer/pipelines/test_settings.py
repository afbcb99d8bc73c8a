"""Changes to the settings of a pipeline."""

import pytest

from designer.core.undo import undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, tools
from designer.pipelines import settings
from orchestration.definition import NEW_SUPERVISION, Cue, CueCall, Supervision
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def actor(pipeline, user):
    return {"pipeline": pipeline, "user": user}


OWN = Supervision(ask_at=("rejection",), may=("pause",), max_calls=3)


def test_a_new_supervisor_gets_the_usual_supervision(actor, pipeline):
    settings.update_settings(**actor, settings=Settings(supervisor_id="agent-review"))
    assert now(pipeline).supervision == NEW_SUPERVISION
    undo_edit(**actor)
    assert (now(pipeline).supervisor_id, now(pipeline).supervision) == (None, None)


def test_another_supervisor_keeps_the_chosen_supervision(actor, pipeline):
    chosen = Settings(supervisor_id="agent-review", supervision=OWN)
    settings.update_settings(**actor, settings=chosen)
    settings.update_settings(**actor, settings=Settings(supervisor_id="agent-intake"))
    assert now(pipeline).supervision == OWN


def test_an_observer_without_calls_stays_without_calls(actor, pipeline):
    settings.update_settings(**actor, settings=Settings(supervisor_id="agent-review"))
    settings.update_settings(**actor, settings=Settings(supervision=None))
    settings.update_settings(**actor, settings=Settings(supervisor_id="agent-intake"))
    assert now(pipeline).supervision is None


def test_supervision_ends_with_the_supervisor_and_returns_with_undo(actor, pipeline):
    chosen = Settings(supervisor_id="agent-review", supervision=OWN)
    settings.update_settings(**actor, settings=chosen)
    settings.update_settings(**actor, settings=Settings(supervisor_id=None))
    assert now(pipeline).supervision is None
    undo_edit(**actor)
    assert now(pipeline).supervision == OWN


def test_a_supervisor_with_another_id_keeps_its_supervision(actor, pipeline):
    chosen = Settings(supervisor_id="agent-review", supervision=OWN)
    settings.update_settings(**actor, settings=chosen)
    agent = now(pipeline).agents_by_id["agent-review"]
    renamed = agent.model_copy(update={"id": "overseer"})
    agents.update_agent(**actor, agent_id="agent-review", agent=renamed)
    assert (now(pipeline).supervisor_id, now(pipeline).supervision) == ("overseer", OWN)


def test_cues_of_the_supervisor_follow_the_names_of_agents_but_not_of_tools(actor, pipeline):
    tools.add_tool(**actor)
    (added,) = now(pipeline).tools
    note = added.model_copy(update={"name": "note"})
    tools.update_tool(**actor, name=added.name, tool=note)
    calls = (
        CueCall(tool="note", arguments={"text": "Be kind.", "to_agent": "agent-intake"}),
        CueCall(tool="redirect", arguments={"target": "agent-intake"}),
    )
    cues = tuple(Cue(call=call) for call in calls)
    agents.update_cues(**actor, agent_id="agent-review", cues=cues)
    chosen = Settings(supervisor_id="agent-review", supervision=OWN)
    settings.update_settings(**actor, settings=chosen)
    front = now(pipeline).agents_by_id["agent-intake"].model_copy(update={"id": "front"})
    agents.update_agent(**actor, agent_id="agent-intake", agent=front)
    tools.update_tool(**actor, name="note", tool=note.model_copy(update={"name": "remark"}))
    noted, redirected = now(pipeline).agents_by_id["agent-review"].cues
    assert noted.call == CueCall(tool="note", arguments={"text": "Be kind.", "to_agent": "front"})
    assert redirected.call == CueCall(tool="redirect", arguments={"target": "front"})


def test_supervision_ends_with_the_deleted_agent(actor, pipeline):
    chosen = Settings(supervisor_id="agent-review", supervision=OWN)
    settings.update_settings(**actor, settings=chosen)
    agents.delete_agent(**actor, agent_id="agent-review")
    assert (now(pipeline).supervisor_id, now(pipeline).supervision) == (None, None)
    undo_edit(**actor)
    assert now(pipeline).supervision == OWN
