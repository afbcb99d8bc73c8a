"""Agents in code."""

from dataclasses import fields

from orchestration import AgentSpec
from orchestration.definition import Agent
from orchestration.library.agent_specs import SETTINGS


def test_an_agent_in_code_has_the_default_values_of_an_agent_of_a_definition():
    spec, agent = AgentSpec(), Agent(id="a", name="a")
    shared = {field.name for field in fields(AgentSpec)} & {*Agent.model_fields} - {"name"}
    assert {*SETTINGS} == shared - {"tools"}
    assert {name: getattr(spec, name) for name in shared} == {
        name: getattr(agent, name) for name in shared
    }
