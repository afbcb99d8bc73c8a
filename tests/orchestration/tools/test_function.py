"""Python callables as tools, and stand-ins with the examples of a definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from orchestration import events as e
from orchestration.definition import HttpCall, McpCall, Tool, ToolExample
from orchestration.messages import ToolCall
from orchestration.tools import CallContext, ToolHandler
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    only,
    say,
    session_with,
    types,
    with_tools,
)

PLAYED: Mapping[str, dict[str, Any]] = {
    "function": {},
    "http": {"http": HttpCall(url="https://example.org/orders")},
    "mcp": {"mcp": McpCall(connection="shop", tool="look")},
    "subtask": {"pipeline": "Not drawn yet"},
    "user_input": {},
}


EXAMPLES = (
    ToolExample(arguments={"order": 7}, result="Shipped."),
    ToolExample(arguments={"order": 8}, result="Lost."),
)


@pytest.mark.parametrize("kind", PLAYED)
async def test_examples_replace_a_tool_of_any_kind_and_are_recorded(kind):
    tool = Tool(name="look", kind=kind, stand_in=True, examples=EXAMPLES, **PLAYED[kind])
    done: list[int] = []
    model = PlayedModel([[calling("look", order=8)], ["Done."]])
    session = session_with(model, with_tools(tool), tools={"look": done.append})
    events = await say(session, "Where is it?")
    result = only(e.ToolReturned, events).result
    assert (result.content, result.stood_in, done) == ("Lost.", True, [])
    assert types(events)[-1] == "run.completed"


async def test_a_function_of_the_caller_runs_unless_examples_replace_it():
    tool = Tool(name="look", examples=EXAMPLES)
    model = PlayedModel([[calling("look", order=8)], ["Done."]])
    session = session_with(model, with_tools(tool), tools={"look": lambda order: f"Order {order}"})
    result = only(e.ToolReturned, await say(session, "Where is it?")).result
    assert (result.content, result.stood_in) == ("Order 8", False)


async def test_arguments_without_a_matching_example_are_an_error():
    tool = Tool(name="look", stand_in=True, examples=EXAMPLES)
    model = PlayedModel([[calling("look", order=9)], ["Done."]])
    session = session_with(model, with_tools(tool))
    result = only(e.ToolReturned, await say(session, "Where is it?")).result
    assert (result.error, result.stood_in) == ("No example of look matches these arguments.", True)


async def test_an_approval_precedes_the_result_of_an_example():
    tool = Tool(name="look", kind="user_input", stand_in=True, approval=True, examples=EXAMPLES)
    session = session_with(PlayedModel([[calling("look", order=8)]]), with_tools(tool))
    assert types(await say(session, "Where is it?"))[-2:] == ["approval.requested", "run.paused"]


async def test_a_function_can_receive_the_context_of_its_call():
    def repeat(word: str, context: CallContext) -> str:
        return f"{word} {context.key} {context.agent_id}"

    handler = ToolHandler(tools={"repeat": repeat})
    (result,) = await handler.run(
        [ToolCall(id="c1", name="repeat", arguments='{"word": "hi"}')],
        agent_id="agent-a",
        key="s1/run/1",
    )
    assert result.content == "hi s1/run/1/c1 agent-a"
