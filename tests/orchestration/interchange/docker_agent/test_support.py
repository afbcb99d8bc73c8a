"""Parts of a definition that docker-agent supports in another way than declared."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import export
from orchestration.interchange.docker_agent.support import exceptions
from tests.orchestration.interchange.docker_agent.exported import with_tools, written
from tests.orchestration.sound_pipeline import sound, workflow


def test_each_kind_of_tool_is_reported_as_it_is_supported() -> None:
    kept = {
        (each.part, place): each.kept
        for each in export(with_tools(), "docker-agent").rows
        for place in each.places
    }
    assert kept["HTTP tools", "call"] == "native"
    assert kept["HTTP tools", "inside"] == kept["MCP tools", "search"] == "code"
    assert kept["Function tools", "find"] == kept["Subtasks", "task"] == "code"
    assert kept["Questions to the user", "ask"] == "comment"
    assert kept["Approval", "call"] == "native"


def test_the_model_of_a_fallback_without_a_provider_is_left_out_and_changes_nothing() -> None:
    agents = [{"id": "triage", "name": "A", "fallback_model": "small"}]
    definition = sound(agents=agents)
    [row] = [
        each
        for each in export(definition, "docker-agent").rows
        if each.part == "Fallback, retries, time limit"
    ]
    assert (row.kept, row.differs) == ("comment", False)
    assert "fallback" not in written(definition)["agents"]["root"]


def special(**changes: Any) -> dict[tuple[str, str], tuple[str, bool]]:
    """The parts of a changed definition with another support than declared."""
    found = exceptions(sound(**changes))
    return {place: (each.kept, each.differs) for place, each in found.items()}


def agents(*tools: str) -> list[dict[str, Any]]:
    names = {"triage": "triage", "handler": "handler", "reviewer": "reviewer"}
    return [{"id": key, "name": key, "tools": list(tools)} for key in names]


def test_a_pipeline_without_special_parts_has_the_declared_support() -> None:
    assert special() == {}


def test_a_tool_that_no_agent_has_makes_no_difference() -> None:
    tools = [{"name": "spare", "approval": True}, {"name": "lookup"}]
    found = special(tools=tools)
    assert found.keys() == {("function_tool", "spare"), ("approval", "spare")}
    assert {differs for _, differs in found.values()} == {False}


def test_an_approval_holds_for_all_tools_with_the_same_name_in_the_file() -> None:
    tools = [
        {"name": "ask", "kind": "user_input", "approval": True},
        {"name": "ask_again", "kind": "user_input"},
    ]
    both = special(tools=tools, agents=agents("ask", "ask_again"))
    assert both == {("approval", "ask"): ("comment", True)}
    assert ("approval", "ask") not in special(tools=tools, agents=agents("ask"))


@pytest.mark.parametrize(
    ("tool", "support"),
    [
        ({"http": {"url": "/orders", "connection": "shop"}}, ("code", True)),
        ({"http": {"url": "https://a.example", "take": "/a"}}, ("comment", True)),
        ({"http": {"url": "https://a.example"}, "parameters": {"a": 3}}, ("comment", True)),
    ],
)
def test_an_http_tool_that_an_api_only_approximates_is_reported(
    tool: dict[str, Any], support: tuple[str, bool]
) -> None:
    found = special(tools=[{"name": "find", "kind": "http", **tool}], agents=agents("find"))
    assert found == {("http_tool", "find"): support}


def test_references_to_missing_parts_are_reported() -> None:
    stages = [{"phase": "intake", "agent_id": "ghost"}]
    found = special(entry="nowhere", stages=stages, transitions=[], agents=agents("none"), tools=[])
    assert found == {
        ("shared_agent", "ghost"): ("lost", True),
        ("entry", "nowhere"): ("lost", True),
        ("agent", "triage"): ("comment", False),
        ("agent", "handler"): ("comment", False),
        ("agent", "reviewer"): ("comment", False),
    }


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"tool_choice": "required"}, "model_settings"),
        ({"fallback": "openai", "time_limit": 5}, "reserve"),
    ],
)
def test_a_setting_of_an_agent_without_a_counterpart_makes_a_difference(
    fields: dict[str, Any], key: str
) -> None:
    changed = [*agents()[1:], {"id": "triage", "name": "Triage", **fields}]
    assert special(agents=changed, tools=[])[key, "triage"][1] is True


def test_a_transition_that_a_workflow_does_not_take_makes_no_difference() -> None:
    ways = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "intake", "kind": "return"},
    ]
    found = exceptions(workflow(transitions=ways))
    assert {key for key, place in found} == {"transition", "kind", "description"}
    assert not any(each.differs for each in found.values())
