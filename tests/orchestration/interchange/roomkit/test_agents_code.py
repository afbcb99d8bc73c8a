"""Module `agents.py`: the router and the agents."""

from __future__ import annotations

from orchestration.interchange import export
from tests.orchestration.interchange.roomkit.exported import STRICT, calls, kept, source
from tests.orchestration.sound_pipeline import sound, with_more


def test_rules_become_rules_of_the_router() -> None:
    rules = [
        {"id": "a", "agent_id": "handler", "priority": 3, "conditions": {"phases": ["intake"]}},
        {"id": "b", "agent_id": "handler", "conditions": {"channel_types": ["fax"]}},
        {"id": "c", "agent_id": "handler", "conditions": {"custom": "true"}},
    ]
    definition = sound(rules=rules, default_agent_id="reviewer")
    found = {
        each.get("priority", 0): each["conditions"] for each in calls(definition, "RoutingRule")
    }
    assert found[3] == "RoutingConditions(phases={'intake'})"
    assert found[0].startswith("RoutingConditions(custom=holds(")
    (router,) = calls(definition, "StageRouter")
    assert router["default_agent_id"] == "reviewer"
    report = kept(definition)
    assert report["Routing rules", "b"] == "native"
    assert report["Routing rule in CEL", "c"] == "comment"
    assert "route.py" in export(definition, "roomkit").files
    assert "route.py" not in export(sound(rules=[]), "roomkit").files


def test_agents_have_their_settings_and_tools() -> None:
    agent = {
        "id": "triage",
        "name": "Triage",
        "instructions": 'Say """hello""".',
        "provider": "openai",
        "model": "gpt-5",
        "temperature": 0.5,
        "language": "French",
        "response_schema": STRICT,
        "tools": ["lookup"],
    }
    (found,) = calls(sound(agents=[agent]), "Agent")
    assert found["system_prompt"] == agent["instructions"]
    assert found["provider"] == "provider('openai', 'gpt-5')"
    assert found["tools"] == "[lookup_tool]"
    assert (found["temperature"], found["language"]) == (0.5, "French")
    assert found["response_schema"] == STRICT


def test_a_rule_that_the_router_never_asks_is_left_out() -> None:
    lost = {"id": "lost", "agent_id": "nobody"}
    rules = calls(with_more("rules", lost), "RoutingRule")
    assert [each["agent_id"] for each in rules] == ["handler"]
    assert calls(sound(topology="team"), "RoutingRule") == []


def test_conditions_are_imported_only_for_a_rule_in_code() -> None:
    plain = source(sound())
    assert 'ALIASES: dict[str, str] = {"desk": "human", "refunds": "handler"}' in plain
    assert "import route" not in plain
    assert "def holds" not in plain
