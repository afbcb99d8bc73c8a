"""Agents, tools and tables in the module `agents.py` of a project."""

from __future__ import annotations

from tests.orchestration.interchange.openai_agents.exported import calls, files
from tests.orchestration.sound_pipeline import SOUND, sound


def test_stages_become_agents_clones_a_person_and_a_group() -> None:
    definition = sound(
        stages=[
            *SOUND["stages"],
            {"phase": "again", "agent_id": "triage"},
            {
                "phase": "checks",
                "kind": "group",
                "group": {
                    "agents": ["handler", "reviewer"],
                    "dependencies": {"reviewer": ["handler"]},
                },
            },
        ],
        transitions=[*SOUND["transitions"], {"source": "checks", "target": "again"}],
    )
    source = files(definition)["agents.py"]
    assert calls(source, "again.clone")[0]["name"] == "Triage (intake)"
    person = next(each for each in calls(source, "Agent") if each["name"] == "desk")
    assert person["tools"] == "[runtime.ask_person]"
    group = next(each for each in calls(source, "Agent") if each["name"] == "checks")
    assert "following='transfer_to_triage'" in str(group["model"])
    assert "'reviewer': ['handler']" in str(group["model"])
    assert "NEXT = {" in source


def test_the_kinds_of_tools_and_settings_have_their_construct() -> None:
    definition = sound(
        agents=[
            {
                "id": "triage",
                "name": "Triage",
                "instructions": "Greet {{name}}.",
                "language": "French",
                "model": "gpt-4.1-mini",
                "temperature": 0.5,
                "max_output_tokens": 100,
                "reasoning_effort": "low",
                "tool_choice": "required",
                "response_schema": {"type": "object"},
                "tools": ["ask", "find", "other", "search", "task"],
            },
            *SOUND["agents"][1:],
        ],
        tools=[
            *SOUND["tools"],
            {"name": "ask", "kind": "user_input", "time_limit": 5, "idempotent": True},
            {"name": "find", "kind": "http", "http": {"url": "/x", "connection": "shop"}},
            {"name": "search", "kind": "mcp", "approval": True, "mcp": {"connection": "docs"}},
            {"name": "task", "kind": "subtask", "approval": True, "max_answer": 10},
        ],
        variables={"name": "Ada"},
    )
    source = files(definition)["agents.py"]
    agent = next(each for each in calls(source, "Agent") if each["name"] == "Triage")
    assert agent["instructions"] == (
        "runtime.filled(runtime.in_language('Greet {{name}}.', 'French'), VARIABLES)"
    )
    assert agent["model"] == "gpt-4.1-mini"
    assert agent["model_settings"] == (
        "ModelSettings(temperature=0.5, max_tokens=100, tool_choice='required', "
        "reasoning=Reasoning(effort='low'))"
    )
    assert agent["output_type"] == "runtime.JsonAnswer({'type': 'object'})"
    assert agent["tools"] == "[ask_tool, find_tool, task_tool, runtime.transfer_to_human]"
    assert (
        agent["mcp_servers"]
        == "[runtime.McpServer('DOCS', {'search': 'search'}, approval=['search'])]"
    )
    ask, find, _, task = calls(source, "FunctionTool")
    assert ask["on_invoke_tool"] == (
        "runtime.invoker(tools.ask, kind='user_input', time_limit=5.0, attempts=3)"
    )
    assert find["on_invoke_tool"] == "runtime.invoker(tools.find, kind='http')"
    assert (task["needs_approval"], "needs_approval" in find) == (True, False)
    assert "max_answer=10" in str(task["on_invoke_tool"])


def test_limits_and_the_handoff_to_a_person_are_in_the_code() -> None:
    source = files(sound(limits={"max_turns": 3, "max_handoffs": 2}))["agents.py"]
    assert "MAX_TURNS = 3\nMAX_HANDOFFS = 2\n" in source
    assert "runtime.transfer_to_human" in source
    without = files(sound(allow_human=False))["agents.py"]
    assert "runtime.transfer_to_human" not in without


def test_a_stage_without_an_agent_has_an_agent_of_its_own_with_a_note() -> None:
    source = files(sound(stages=[*SOUND["stages"], {"phase": "later", "description": "Soon."}]))[
        "agents.py"
    ]
    assert "# No agent serves the stage later yet.\nlater = Agent(" in source
    [later] = [each for each in calls(source, "Agent") if each["name"] == "later"]
    assert later == {"name": "later", "handoff_description": "Soon."}
