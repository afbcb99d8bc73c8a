"""Rules about agents and their names."""

from operator import itemgetter
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


def test_the_id_of_the_human_is_reserved() -> None:
    """Contract O-9."""
    definition = with_more("agents", {"id": "human", "name": "Not me"})
    assert codes(definition) == ["agent-reserved", "agent-idle"]


def test_an_agent_without_a_stage_or_rule_is_idle() -> None:
    issue = only_issue(with_more("agents", {"id": "bored", "name": "Bored"}))
    assert (issue.code, issue.severity) == ("agent-idle", "warning")
    assert issue.where.keys == ("bored",)
    assert issue.message.startswith("The agent 'Bored' serves no stage")


def test_an_agent_without_instructions_is_named_once_half_of_them_have_some() -> None:
    first, second, *others = SOUND["agents"]
    kind = {"instructions": "Be kind."}
    definition = sound(agents=[first | kind, second | kind, *others])
    issues = validate(definition)
    assert [issue.code for issue in issues] == ["agent-uninstructed"]
    serving = {stage.get("agent_id") for stage in SOUND["stages"]}
    [forgotten] = [agent["id"] for agent in others if agent["id"] in serving]
    assert issues[0].where.keys == (forgotten,)
    assert value_at(definition, issues[0].where.path) == ""
    blank = [first | kind, second | kind, *(agent | {"instructions": " "} for agent in others)]
    assert codes(sound(agents=blank)) == ["agent-uninstructed"]
    assert validate(sound(agents=[first | kind, second, *others])) == (), "it is still a drawing"


def test_a_routing_rule_of_a_team_does_not_employ_an_agent() -> None:
    """Contract H-5."""
    bored = [*SOUND["agents"], {"id": "bored", "name": "Bored"}]
    issue = only_issue(team(agents=bored))
    assert (issue.code, issue.message) == ("agent-idle", "The agent 'Bored' serves no stage.")


def test_an_agent_with_a_shared_name_is_shown_with_its_id() -> None:
    twins = ({"id": "one", "name": "Twin"}, {"id": "two", "name": "Twin"})
    idle = [issue for issue in validate(with_more("agents", *twins)) if issue.code == "agent-idle"]
    assert [issue.message.split(" serves")[0] for issue in idle] == [
        "The agent 'Twin (one)'",
        "The agent 'Twin (two)'",
    ]


def test_agents_after_the_first_with_a_name_are_reported() -> None:
    first, second, *others = sorted(SOUND["agents"], key=itemgetter("id"))
    definition = sound(agents=[first, second | {"name": first["name"]}, *others])
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("agent-name-shared", "warning")
    assert issue.where.keys == (second["id"],)
    assert repr(first["id"]) in issue.message
    assert value_at(definition, issue.where.path) == first["name"]


@pytest.mark.parametrize(
    "duty",
    [
        {"default_agent_id": "bored"},
        {"supervisor_id": "bored", "agents": [*SOUND["agents"][:3], {"id": "bored", "name": "B"}]},
        {"rules": [*SOUND["rules"], {"id": "night", "agent_id": "bored"}]},
    ],
    ids=["default", "supervisor", "rule"],
)
def test_a_supervisor_and_a_default_agent_are_not_idle(duty: dict[str, Any]) -> None:
    definition = sound(**{"agents": [*SOUND["agents"], {"id": "bored", "name": "Bored"}]} | duty)
    assert validate(definition) == ()


def test_the_tools_of_an_agent_must_be_defined() -> None:
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
def test_agents_in_settings_must_exist(changes: dict[str, Any], code: str, path: str) -> None:
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
def test_a_response_schema_must_describe_an_object(schema: dict[str, Any], fault: str) -> None:
    agents = [SOUND["agents"][0] | {"response_schema": schema}, *SOUND["agents"][1:]]
    definition = sound(agents=agents)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("response-schema-invalid", "error")
    assert (issue.where.kind, issue.where.keys) == ("agent", (SOUND["agents"][0]["id"],))
    assert fault in issue.message
    assert value_at(definition, issue.where.path) == schema
    agents[0] = agents[0] | {"response_schema": {"type": "object"}}
    assert validate(sound(agents=agents)) == ()
