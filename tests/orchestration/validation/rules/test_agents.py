"""The rules about agents, and who is named for the whole pipeline."""

from typing import Any

import pytest

from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import (
    SOUND,
    codes,
    only_issue,
    sound,
    team,
    value_at,
    with_more,
)


def test_no_agent_is_called_human() -> None:
    """Contract O-9."""
    definition = with_more("agents", {"id": "human", "name": "Not me"})
    assert codes(definition) == ["agent-reserved", "agent-idle"]


def test_an_agent_has_something_to_do() -> None:
    issue = only_issue(with_more("agents", {"id": "bored", "name": "Bored"}))
    assert (issue.code, issue.severity) == ("agent-idle", "warning")
    assert issue.where.keys == ("bored",)
    assert issue.message.startswith("The agent 'Bored' serves no stage")


def test_in_a_team_no_routing_rule_gives_an_agent_something_to_do() -> None:
    """Contract H-5."""
    bored = [*SOUND["agents"], {"id": "bored", "name": "Bored"}]
    issue = only_issue(team(agents=bored))
    assert (issue.code, issue.message) == ("agent-idle", "The agent 'Bored' serves no stage.")


def test_an_agent_is_called_by_its_name_and_by_its_id_where_the_name_is_not_its_own() -> None:
    twins = ({"id": "one", "name": "Twin"}, {"id": "two", "name": "Twin"})
    issues = validate(with_more("agents", *twins))
    assert [issue.message.split(" serves")[0] for issue in issues] == [
        "The agent 'Twin (one)'",
        "The agent 'Twin (two)'",
    ]


@pytest.mark.parametrize(
    "duty",
    [
        {"default_agent_id": "bored"},
        {"supervisor_id": "bored", "agents": [*SOUND["agents"][:3], {"id": "bored", "name": "B"}]},
        {"rules": [*SOUND["rules"], {"id": "night", "agent_id": "bored"}]},
    ],
    ids=["default", "supervisor", "rule"],
)
def test_an_agent_with_a_duty_for_the_whole_pipeline_is_not_idle(duty: dict[str, Any]) -> None:
    definition = sound(**{"agents": [*SOUND["agents"], {"id": "bored", "name": "Bored"}]} | duty)
    assert validate(definition) == ()


def test_an_agent_has_tools_that_the_pipeline_defines() -> None:
    definition = with_more("agents", {"id": "a", "name": "A", "tools": ["hammer", "lookup"]})
    issue = errors(validate(definition))[0]
    assert issue.code == "tool-unknown"
    assert value_at(definition, issue.where.path) == "hammer"


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"supervisor_id": "ghost"}, "supervisor-unknown", "$.supervisor_id"),
        ({"default_agent_id": "ghost"}, "default-agent-unknown", "$.default_agent_id"),
        ({"aliases": {"boo": "ghost"}}, "alias-unknown", "$.aliases.boo"),
        ({"aliases": {"boo-hoo": "ghost"}}, "alias-unknown", "$.aliases['boo-hoo']"),
    ],
)
def test_who_is_named_for_the_whole_pipeline_is_one_of_its_agents(
    changes: dict[str, Any], code: str, path: str
) -> None:
    issue = errors(validate(sound(**changes)))[0]
    assert (issue.code, issue.where.kind, issue.where.path) == (code, "pipeline", path)
    assert "'ghost'" in issue.message


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "objekt"}, 'It must describe an object: give it "type": "object".'),
        ({"type": "object", "required": 5}, 'required: it is not of type "array".'),
        (
            {"type": "object", "properties": {"a": {"pattern": "(?=a)"}}},
            "it is not a supported pattern",
        ),
    ],
)
def test_what_answers_follow_is_a_schema_of_an_object(schema: dict[str, Any], fault: str) -> None:
    agents = [SOUND["agents"][0] | {"response_schema": schema}, *SOUND["agents"][1:]]
    definition = sound(agents=agents)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("response-schema-invalid", "error")
    assert (issue.where.kind, issue.where.keys) == ("agent", (SOUND["agents"][0]["id"],))
    assert fault in issue.message
    assert value_at(definition, issue.where.path) == schema
    agents[0] = agents[0] | {"response_schema": {"type": "object"}}
    assert validate(sound(agents=agents)) == ()
