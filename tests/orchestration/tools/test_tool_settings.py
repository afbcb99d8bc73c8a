"""How tools answer: from examples in their place, in time, in bounds, and again where they may."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from orchestration import events as e
from orchestration.definition import HttpCall, McpCall, Tool, ToolExample
from orchestration.exceptions import ToolError, ToolUnavailableError
from orchestration.messages import ToolCall, ToolResult
from orchestration.tools import MAX_TRIES, CallContext, ToolHandler
from orchestration.validation import validate
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.sound_pipeline import sound


def handler(tool: Tool, function: Any, **options: Any) -> ToolHandler:
    """Runs the function as the definition has it; tries come at once."""
    options = {"pause": 0.0, "timeout": 60.0} | options
    return ToolHandler(tools={tool.name: function}, definitions={tool.name: tool}, **options)


async def answer_of(tools: ToolHandler, name: str = "look", **arguments: Any) -> ToolResult:
    [result] = await tools.run([ToolCall(id="c1", name=name)], key="s1/run/1")
    return result


class Failing:
    """Fails as often as it is told to; keeps with which keys it was called."""

    def __init__(self, times: int, error: Exception) -> None:
        self.times, self.error = times, error
        self.keys: list[str] = []

    def __call__(self, context: CallContext) -> str:
        self.keys.append(context.key)
        if len(self.keys) <= self.times:
            raise self.error
        return "There it is."


# Again


AGAIN = Tool(name="look", idempotent=True)


@pytest.mark.parametrize(
    "error", [OSError("The line broke."), ToolUnavailableError("api answered with status 503.")]
)
async def test_an_idempotent_tool_that_fails_is_called_again_with_the_same_key(error):
    failing = Failing(2, error)
    result = await answer_of(handler(AGAIN, failing))
    assert (result.content, result.error, result.tries) == ("There it is.", None, 3)
    assert failing.keys == ["s1/run/1/c1"] * 3


async def test_it_is_not_called_for_ever():
    failing = Failing(9, OSError("The line broke."))
    result = await answer_of(handler(AGAIN, failing))
    assert (result.error, result.tries) == ("OSError: The line broke.", MAX_TRIES)
    assert len(failing.keys) == MAX_TRIES


async def test_a_tool_that_is_not_idempotent_is_called_once():
    failing = Failing(1, OSError("The line broke."))
    result = await answer_of(handler(Tool(name="look"), failing))
    assert (result.error, result.tries, len(failing.keys)) == ("OSError: The line broke.", 1, 1)


async def test_what_a_tool_refuses_is_not_asked_again():
    failing = Failing(1, ToolError("There is no such order."))
    result = await answer_of(handler(AGAIN, failing))
    assert (result.error, result.tries, len(failing.keys)) == ("There is no such order.", 1, 1)


async def test_the_tries_stand_in_the_event():
    failing = Failing(1, ToolUnavailableError("Not now."))
    model = PlayedModel([[calling("look")], ["Done."]])
    session = session_with(model, with_tools(AGAIN), tools={"look": failing})
    told = await say(session, "Look!")
    assert only(e.ToolReturned, told).result.tries == 2
    assert types(told).count("tool.called") == 1


# In time, and in bounds


async def never() -> str:
    return str(await asyncio.get_running_loop().create_future())


async def test_a_call_has_the_time_that_its_tool_has_and_harms_no_other():
    slow = Tool(name="slow", time_limit=0.01)
    released = asyncio.Event()

    async def look() -> str:
        await released.wait()
        return "There it is."

    tools = ToolHandler(
        tools={"slow": never, "look": look},
        definitions={"slow": slow, "look": Tool(name="look", time_limit=60)},
        timeout=None,
    )
    found: list[ToolResult] = []
    calls = [ToolCall(id="c1", name="look"), ToolCall(id="c2", name="slow")]
    async for result in tools.stream(calls):
        found.append(result)
        released.set()
    assert [one.name for one in found] == ["slow", "look"]
    assert found[0].error == "slow did not answer within 0.01 seconds."
    assert found[1].content == "There it is."


async def test_the_limit_is_for_all_tries_together():
    tried: list[int] = []

    async def look() -> str:
        tried.append(1)
        if len(tried) == 1:
            raise OSError
        return await never()

    result = await answer_of(
        handler(Tool(name="look", idempotent=True, time_limit=0.05), look, timeout=None)
    )
    assert result.error == "look did not answer within 0.05 seconds."
    assert (result.tries, len(tried)) == (2, 2)


async def test_a_tool_without_a_limit_of_its_own_has_the_usual_one():
    result = await answer_of(handler(Tool(name="look"), never, timeout=0.01))
    assert result.error == "look did not answer within 0.01 seconds."


async def test_what_is_over_the_size_of_an_answer_is_cut_off_and_that_is_said():
    result = await answer_of(handler(Tool(name="look", max_answer=5), lambda: "x" * 20))
    assert result.content == "xxxxx … (cut off: too long)"
    whole = await answer_of(handler(Tool(name="look", max_answer=20), lambda: "x" * 20))
    assert whole.content == "x" * 20


# Examples in its place


PLAYED: Mapping[str, dict[str, Any]] = {
    "function": {},
    "http": {"http": HttpCall(url="https://example.org/orders/{order}")},
    "mcp": {"mcp": McpCall(connection="shop", tool="look")},
    "subtask": {"pipeline": "Not drawn yet"},
    "user_input": {},
}
EXAMPLES = (
    ToolExample(arguments={"order": 7}, result="Shipped."),
    ToolExample(arguments={"order": 8}, result="Lost."),
)


@pytest.mark.parametrize("kind", PLAYED)
async def test_a_tool_of_any_kind_answers_from_its_examples_and_the_event_says_so(kind):
    tool = Tool(name="look", kind=kind, stand_in=True, examples=EXAMPLES, **PLAYED[kind])
    done: list[int] = []
    model = PlayedModel([[calling("look", order=8)], ["Done."]])
    session = session_with(model, with_tools(tool), tools={"look": done.append})
    told = await say(session, "Where is it?")
    result = only(e.ToolReturned, told).result
    assert (result.content, result.stood_in, done) == ("Lost.", True, [])
    assert types(told)[-1] == "run.completed"


async def test_the_callers_own_function_answers_a_tool_that_nothing_stands_in_for():
    tool = Tool(name="look", examples=EXAMPLES)
    model = PlayedModel([[calling("look", order=8)], ["Done."]])
    session = session_with(model, with_tools(tool), tools={"look": lambda order: f"Order {order}"})
    result = only(e.ToolReturned, await say(session, "Where is it?")).result
    assert (result.content, result.stood_in) == ("Order 8", False)


async def test_arguments_that_no_example_has_are_an_error_in_a_sentence():
    tool = Tool(name="look", stand_in=True, examples=EXAMPLES)
    model = PlayedModel([[calling("look", order=9)], ["Done."]])
    session = session_with(model, with_tools(tool))
    result = only(e.ToolReturned, await say(session, "Where is it?")).result
    assert (result.error, result.stood_in) == ("No example of look matches these arguments.", True)


async def test_a_call_that_asks_first_is_approved_before_an_example_answers_it():
    tool = Tool(name="look", kind="user_input", stand_in=True, approval=True, examples=EXAMPLES)
    session = session_with(PlayedModel([[calling("look", order=8)]]), with_tools(tool))
    assert types(await say(session, "Where is it?"))[-2:] == ["approval.requested", "run.paused"]


def test_a_subtask_that_an_example_stands_in_for_needs_no_pipeline_yet():
    tool = {"name": "lookup", "kind": "subtask"}
    assert [one.code for one in validate(sound(tools=[tool]))] == ["subtask-unnamed"]
    played = tool | {"stand_in": True, "examples": [{"result": "Shipped."}]}
    assert validate(sound(tools=[played])) == ()


def test_a_tool_that_answers_from_examples_and_has_none_is_warned_of():
    [issue] = validate(sound(tools=[{"name": "lookup", "stand_in": True}]))
    assert (issue.code, issue.severity) == ("stand-in-without-examples", "warning")
    assert issue.where.keys == ("lookup",)


def test_a_question_to_the_user_that_asks_somebody_first_is_warned_of():
    [issue] = validate(sound(tools=[{"name": "lookup", "kind": "user_input", "approval": True}]))
    assert (issue.code, issue.severity) == ("approval-unused", "warning")
