"""Handoffs and delegation in the module `agents.py` of a project."""

from __future__ import annotations

from tests.orchestration.interchange.openai_agents.exported import calls, files
from tests.orchestration.interchange.round_trips import undeclared_differences
from tests.orchestration.sound_pipeline import sound, team


def test_a_transition_has_its_schema_description_filter_and_tool() -> None:
    schema = {"type": "object", "properties": {"order": {"type": "integer"}}}
    source = files(
        sound(
            transitions=[
                {
                    "source": "intake",
                    "target": "handling",
                    "description": "When it is about money.",
                    "input_schema": schema,
                    "input_filter": {"keep": "no_tools"},
                },
                {"source": "handling", "target": "review", "input_filter": {"keep": "summary"}},
                {
                    "source": "review",
                    "target": "handling",
                    "kind": "return",
                    "input_filter": {"keep": "last", "count": 3},
                },
                {
                    "source": "review",
                    "target": "desk",
                    "input_filter": {"keep": "matching", "expression": "true"},
                },
            ]
        )
    )["agents.py"]
    by_target = {each["agent_name"]: each for each in calls(source, "Handoff")[:2]}
    typed, summary = by_target["handling.name"], by_target["review.name"]
    desk, last = calls(source, "Handoff")[2:]
    assert typed["input_json_schema"] == schema
    assert typed["tool_description"] == "When it is about money."
    assert typed["tool_name"] == "transfer_to_handler"
    assert typed["on_invoke_handoff"] == "runtime.to(handling)"
    assert typed["input_filter"] == "remove_all_tools"
    assert summary["input_filter"] == "handoff_filters.question_and_handoff"
    assert summary["tool_description"] == "Transfer the conversation to Reviewer."
    assert last["input_filter"] == "handoff_filters.last_messages(3)"
    assert desk["input_filter"] == "handoff_filters.matching('true')"


def test_an_agent_without_a_stage_that_a_rule_selects_answers_in_the_entry_stage() -> None:
    rules = [{"id": "watch", "agent_id": "watcher"}]
    source = files(sound(rules=rules))["agents.py"]
    assert "watcher.handoffs = intake.handoffs" in source
    assert "watcher.handoffs" not in files(sound())["agents.py"]
    assert undeclared_differences(sound(rules=rules), "openai-agents") == []


def test_a_team_has_agents_as_tools() -> None:
    source = files(team())["agents.py"]
    [tool] = calls(source, "handling.as_tool")
    assert tool["tool_name"] == "delegate_to_handler"
    assert str(tool["tool_description"]).startswith("Have Handler do a task, and get the answer.")
    assert not calls(source, "Handoff")
