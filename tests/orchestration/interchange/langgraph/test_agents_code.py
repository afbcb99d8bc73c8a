"""Module `agents.py`: a function for each agent, imports of the used names only."""

from __future__ import annotations

import ast

from tests.orchestration.interchange.langgraph.exported import (
    arguments_of,
    desk,
    files_of,
    function_named,
)


def test_each_stage_has_a_function_with_a_valid_name() -> None:
    agents = [{"id": "triage", "name": "Triage"}]
    phases = ["build", "class", "2nd", "model"]
    stages = [{"phase": each, "agent_id": "triage"} for each in phases]
    source = files_of(desk(agents=agents, stages=stages, transitions=[], entry="build"))[
        "agents.py"
    ]
    functions = [n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
    assert functions == ["part_2nd", "build_2", "class_", "model_2", "build"]
    names = {each["name"] for each in arguments_of(source, "create_agent")}
    assert names == {f"'{each}'" for each in phases}


def test_the_entry_and_renamed_stages_are_known_to_the_router() -> None:
    stages = [
        {"phase": "messages", "agent_id": "triage"},
        {"phase": "bills", "agent_id": "billing"},
    ]
    rules = [{"id": "money", "agent_id": "triage", "conditions": {"intents": ["bill"]}}]
    source = files_of(desk(stages=stages, transitions=[], entry="bills", rules=rules))["agents.py"]
    assert 'ENTRY = "bills"\nNODES = {"messages": "messages_2"}' in source
    assert function_named(source, "first_stage").args.args[0].arg == "state"


def test_notes_on_agents_stay_comments() -> None:
    name = "A\nimport os\u2028raise"
    agents = [{"id": "triage", "name": name}, {"id": "billing", "name": "Billing"}]
    source = files_of(desk(agents=agents))["agents.py"]
    assert not any(line.startswith(("import os", "raise")) for line in source.splitlines())


def test_the_recursion_limit_is_above_the_limits_of_turns_and_handoffs() -> None:
    source = files_of(desk(limits={"max_turns": 1_000, "max_handoffs": 500}))["agents.py"]
    assert "RECURSION_LIMIT = 5012" in source
