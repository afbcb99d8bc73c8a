"""Actions on the pipeline, its rules and its tools."""

import pytest

from designer.core.edits import GoneError, RefusedError, undo_edit
from designer.definitions.patches import Settings
from designer.editor.actions import agents, rules, tools
from designer.pipelines import settings
from orchestration.definition import Agent, Conditions, Cue, CueCall, Limits, Rule, Tool
from tests.designer.edit_actions import label
from tests.designer.editor_requests import draw, now

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def test_settings_touch_only_what_differs_and_say_so(who, pipeline):
    settings.update_settings(**who, settings=Settings(name="Support", entry="review"))
    assert now(pipeline).entry == "review"
    assert label(who) == "Change the entry"


def test_a_topology_and_its_limits_are_changed_and_taken_back(who, pipeline):
    before = now(pipeline)
    limits = Limits(count_handoffs="requested", detect_cycles=False)
    swarm = Settings(topology="swarm", limits=limits, handoff_tool_name="pass_on")
    settings.update_settings(**who, settings=swarm)
    found = now(pipeline)
    assert (found.topology, found.limits, found.handoff_tool_name) == ("swarm", limits, "pass_on")
    assert label(who) == "Change the handoff tool and the limits and the topology"
    undo_edit(**who)
    assert now(pipeline) == before


def test_settings_that_name_what_is_gone_are_refused(who):
    for field in ("entry", "default_agent_id", "supervisor_id"):
        with pytest.raises(RefusedError) as refused:
            settings.update_settings(**who, settings=Settings(**{field: "gone"}))
        assert refused.value.field == field


def test_rules_are_added_changed_and_deleted(who, pipeline):
    rules.add_rule(**who, rule=Rule(id="sms", agent_id="agent-review", priority=2))
    changed = Rule(id="text", agent_id="agent-intake", conditions=Conditions(intents=("refund",)))
    rules.update_rule(**who, key="sms", rule=changed)
    assert now(pipeline).rules == (changed,)
    rules.delete_rule(**who, key="text")
    assert now(pipeline).rules == ()


def test_a_rule_needs_an_id_of_its_own_and_an_agent(who):
    rules.add_rule(**who, rule=Rule(id="sms", agent_id="agent-review"))
    rules.add_rule(**who, rule=Rule(id="web", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="a rule “sms” already"):
        rules.add_rule(**who, rule=Rule(id="sms", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="a rule “sms” already"):
        rules.update_rule(**who, key="web", rule=Rule(id="sms", agent_id="agent-review"))
    with pytest.raises(RefusedError, match="no agent “gone”"):
        rules.add_rule(**who, rule=Rule(id="new", agent_id="gone"))
    with pytest.raises(GoneError):
        rules.update_rule(**who, key="gone", rule=Rule(id="gone", agent_id="agent-review"))
    with pytest.raises(GoneError):
        rules.delete_rule(**who, key="gone")


def test_a_renamed_tool_stays_with_its_agents_and_a_deleted_one_leaves_them(who, pipeline):
    tools.add_tool(**who)
    judge = Agent(id="agent-review", name="Review", tools=("tool-1",))
    agents.update_agent(**who, agent_id="agent-review", agent=judge)
    cues = (Cue(call=CueCall(tool="tool-1")),)
    agents.update_cues(**who, agent_id="agent-review", cues=cues)
    tools.update_tool(**who, name="tool-1", tool=Tool(name="lookup", description="Looks up."))
    definition = now(pipeline)
    assert definition.tools == (Tool(name="lookup", description="Looks up."),)
    agent = definition.agents_by_id["agent-review"]
    assert agent.tools == ("lookup",)
    assert agent.cues == (Cue(call=CueCall(tool="lookup")),)
    tools.delete_tool(**who, name="lookup")
    assert now(pipeline).agents_by_id["agent-review"].tools == ()


def test_a_tool_name_that_is_taken_or_gone_is_refused(who):
    tools.add_tool(**who)
    tools.add_tool(**who)
    with pytest.raises(RefusedError, match="a tool “tool-1” already"):
        tools.update_tool(**who, name="tool-2", tool=Tool(name="tool-1"))
    with pytest.raises(GoneError):
        tools.update_tool(**who, name="gone", tool=Tool(name="gone"))
    with pytest.raises(GoneError):
        tools.delete_tool(**who, name="gone")
