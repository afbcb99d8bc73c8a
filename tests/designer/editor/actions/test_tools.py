"""Actions on the settings and the tools of a pipeline."""

import pytest

from designer.core.edit_errors import GoneError, RefusedError
from designer.core.undo import undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, tools
from designer.pipelines import settings
from orchestration.definition import Agent, Cue, CueCall, Limits, Tool
from tests.designer.edit_actions import label
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


def test_only_changed_settings_are_saved_and_named_in_the_label(actor, pipeline):
    settings.update_settings(**actor, settings=Settings(name="Support", entry="review"))
    assert now(pipeline).entry == "review"
    assert label(actor) == "Change the entry"


def test_a_topology_and_its_limits_are_changed_until_undo(actor, pipeline):
    before = now(pipeline)
    limits = Limits(count_handoffs="requested", detect_cycles=False)
    swarm = Settings(topology="swarm", limits=limits, handoff_tool_name="pass_on")
    settings.update_settings(**actor, settings=swarm)
    definition = now(pipeline)
    changed = (definition.topology, definition.limits, definition.handoff_tool_name)
    assert changed == ("swarm", limits, "pass_on")
    assert label(actor) == "Change the handoff tool and the limits and the topology"
    undo_edit(**actor)
    assert now(pipeline) == before


def test_settings_with_missing_parts_are_refused(actor):
    for field in ("entry", "default_agent_id", "supervisor_id"):
        with pytest.raises(RefusedError) as refused:
            settings.update_settings(**actor, settings=Settings(**{field: "gone"}))
        assert refused.value.field == field


def test_agents_keep_a_renamed_tool_and_lose_a_deleted_one(actor, pipeline):
    tools.add_tool(**actor)
    judge = Agent(id="agent-review", name="Review", tools=("tool-1",))
    agents.update_agent(**actor, agent_id="agent-review", agent=judge)
    cues = (Cue(call=CueCall(tool="tool-1")),)
    agents.update_cues(**actor, agent_id="agent-review", cues=cues)
    tools.update_tool(**actor, name="tool-1", tool=Tool(name="lookup", description="Looks up."))
    definition = now(pipeline)
    assert definition.tools == (Tool(name="lookup", description="Looks up."),)
    agent = definition.agents_by_id["agent-review"]
    assert agent.tools == ("lookup",)
    assert agent.cues == (Cue(call=CueCall(tool="lookup")),)
    tools.delete_tool(**actor, name="lookup")
    assert now(pipeline).agents_by_id["agent-review"].tools == ()


def test_an_existing_or_missing_tool_name_is_refused(actor):
    tools.add_tool(**actor)
    tools.add_tool(**actor)
    with pytest.raises(RefusedError, match="a tool “tool-1” already"):
        tools.update_tool(**actor, name="tool-2", tool=Tool(name="tool-1"))
    with pytest.raises(GoneError):
        tools.update_tool(**actor, name="gone", tool=Tool(name="gone"))
    with pytest.raises(GoneError):
        tools.delete_tool(**actor, name="gone")
