"""Preparation of a definition: tools in code, and the refusal of errors."""

import pytest

from orchestration import DefinitionError, InboundMessage, PipelineDefinition, Session
from orchestration.definition import Agent, Rule, Stage, Tool
from orchestration.events import MessageCompleted, ToolReturned
from orchestration.runtime.preparation import add_tools, require_no_errors
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    four_stages,
    only,
    say,
    session_with,
)


def desk(*tools: str, **fields: object) -> PipelineDefinition:
    return PipelineDefinition(
        name="Desk",
        entry="desk",
        agents=(Agent(id="clerk", name="Clerk", tools=tools),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        **fields,
    )


def lookup(order: int, urgent: bool = False) -> str:
    """Look an order up."""
    return f"Order {order} is {'urgent' if urgent else 'on its way'}."


async def test_a_function_is_offered_to_the_agents_that_name_it():
    model = PlayedModel([[calling("lookup", order=7)], ["Done."]])
    session = session_with(model, desk("lookup"), tools={"lookup": lookup})
    result = only(ToolReturned, await say(session, "hi")).result
    (spec,) = [tool for tool in model.requests[0].tools if tool.name == "lookup"]
    assert result.content == "Order 7 is on its way."
    assert spec.description == "Look an order up."
    assert spec.parameters["properties"]["order"] == {"type": "integer"}
    assert spec.parameters["required"] == ["order"]


async def test_a_function_that_no_agent_names_is_not_offered():
    model = PlayedModel([["Done."]])
    session = session_with(model, desk(), tools={"lookup": lookup})
    await say(session, "hi")
    assert [tool.name for tool in model.requests[0].tools if tool.name == "lookup"] == []


def test_the_tool_of_a_definition_keeps_its_own_schema():
    definition = desk("lookup", tools=(Tool(name="lookup", description="Search."),))
    assert add_tools(definition, {"lookup": lookup}) == (definition, {})


def test_a_definition_with_errors_is_refused_with_all_of_them():
    """Contract D-10."""
    broken = four_stages(
        entry="nowhere",
        rules=(Rule.model_validate({"id": "vip", "agent_id": "agent-x", "conditions": {}}),),
    )
    with pytest.raises(DefinitionError) as refusal:
        session_with(PlayedModel([]), broken)
    assert {fault.path for fault in refusal.value.faults} >= {"$.entry", "$.rules[0].agent_id"}


def test_an_unknown_tool_is_an_error_unless_it_exists_in_code():
    with pytest.raises(DefinitionError, match="lookup"):
        session_with(PlayedModel([]), desk("lookup"))
    session_with(PlayedModel([]), desk("lookup"), tools={"lookup": lookup})


def test_a_search_for_pipelines_makes_the_name_of_a_subtask_optional():
    definition = desk("research", tools=(Tool(name="research", kind="subtask"),))
    with pytest.raises(DefinitionError, match="research"):
        require_no_errors(definition, finds_pipelines=False)
    require_no_errors(definition, finds_pipelines=True)


async def test_a_recorded_conversation_continues_although_a_rule_became_stricter():
    events = await say(session_with(PlayedModel([["Hello."]]), desk()), "hi")
    broken = desk().model_copy(update={"supervisor_id": "missing"})
    providers = {"default": PlayedModel([["Again."]])}
    session = Session(broken, events, session_id="s1", providers=providers)
    answers = [event async for event in session.receive(InboundMessage(id="2", text="hi"))]
    assert only(MessageCompleted, answers).text == "Again."
