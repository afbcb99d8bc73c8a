"""Compiled pipelines: values derived from a definition."""

import pytest

from orchestration.conversation import (
    CompiledPipeline,
)
from orchestration.definition import Agent, Group, PipelineDefinition, Stage
from orchestration.exceptions import SchemaError
from tests.orchestration.conversations import (
    four_stages,
)
from tests.orchestration.topologies import chain, with_group

DEFINITION = four_stages(tools=[{"name": "look"}])


def test_sessions_of_a_definition_share_its_compiled_pipeline():
    assert CompiledPipeline.of(DEFINITION) is CompiledPipeline.of(DEFINITION)
    assert CompiledPipeline.of(DEFINITION) is not CompiledPipeline.of(DEFINITION.model_copy())


@pytest.mark.parametrize(
    ("stages", "entry", "phase", "with_human"),
    [
        ([Stage(phase="b", agent_id="x"), Stage(phase="a", agent_id="x")], "b", "b", False),
        ([Stage(phase="b", agent_id="x"), Stage(phase="a", agent_id="x")], None, "a", False),
        ([Stage(phase="desk", kind="human")], "desk", "desk", True),
        ([], None, "intake", False),
    ],
)
def test_a_conversation_begins_in_the_entry_stage(stages, entry, phase, with_human):
    """Contract O-9: with the human, if the stage is the human's."""
    state = CompiledPipeline(PipelineDefinition(name="X", stages=stages, entry=entry)).first_state()
    assert (state.phase, state.with_human) == (phase, with_human)


@pytest.mark.parametrize(
    ("topology", "authors"),
    [("pipeline", None), ("swarm", None), ("team", None), ("workflow", {"a"})],
)
def test_an_agent_of_a_workflow_sees_only_the_previous_stage(topology, authors):
    """Contract H-3."""
    assert CompiledPipeline(chain("a", "b", topology=topology)).visible_authors("b") == authors


def test_the_first_agent_of_a_workflow_sees_the_user():
    """Contract H-3."""
    assert CompiledPipeline(chain("a", "b")).visible_authors("a") == frozenset([None])


def test_the_part_of_a_group_has_one_stage_and_its_agents():
    definition = with_group(Group(agents=("a", "b")))
    pipeline = CompiledPipeline(definition)
    assert pipeline.members("panel") == ("a", "b")
    assert pipeline.members("intake") == ()
    part = pipeline.part("panel", "b").definition
    assert ([stage.phase for stage in part.stages], part.entry) == (["panel"], "panel")
    assert [agent.id for agent in part.agents] == ["b"]
    assert pipeline.part("panel", "b") is pipeline.part("panel", "b")


def test_a_tool_call_is_checked_against_the_schema_of_its_tool():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools = [{"name": "count", "parameters": schema}, {"name": "odd", "parameters": {"type": "?"}}]
    pipeline = CompiledPipeline(four_stages(tools=tools))
    assert pipeline.call_errors("count", {"n": 1}) == []
    assert "n" in pipeline.call_errors("count", {"n": "x"})[0]
    assert pipeline.call_errors("odd", {"n": "x"}) == pipeline.call_errors("unknown", {}) == []


def test_an_invalid_response_schema_is_an_error_with_the_agents_id():
    agent = Agent(id="a", name="A", response_schema={"type": "?"})
    with pytest.raises(SchemaError, match="The response schema of agent 'a' is invalid"):
        CompiledPipeline(PipelineDefinition(name="X", agents=[agent])).answer_check(agent)
