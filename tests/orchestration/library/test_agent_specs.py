"""Agents in code."""

from dataclasses import fields

import pytest

from orchestration import AgentHandler, AgentSpec, CastError, GroupHandler
from orchestration.definition import Agent
from orchestration.library.agent_specs import SETTINGS


def test_an_agent_in_code_has_the_default_values_of_an_agent_of_a_definition():
    spec, agent = AgentSpec(), Agent(id="a", name="a")
    shared = {field.name for field in fields(AgentSpec)} & {*Agent.model_fields} - {"name"}
    assert {*SETTINGS} == shared - {"tools"}
    assert {name: getattr(spec, name) for name in shared} == {
        name: getattr(agent, name) for name in shared
    }


@pytest.mark.parametrize(
    ("create", "field"),
    [
        (lambda: AgentSpec(handoffs="ab"), "handoffs"),
        (lambda: AgentSpec(tools="look_up"), "tools"),
        (
            lambda: AgentHandler(agents={"a": AgentSpec(), "b": AgentSpec()}, flow_order="ab"),
            "flow_order",
        ),
        (
            lambda: GroupHandler(
                agents={"a": AgentSpec(), "b": AgentSpec(), "c": AgentSpec()},
                dependencies={"a": "bc"},
            ),
            r"dependencies\['a'\]",
        ),
    ],
)
def test_a_text_in_place_of_several_names_is_refused(create, field):
    with pytest.raises(CastError, match=f"{field} is the text"):
        create()
