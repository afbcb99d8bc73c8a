"""The tool handler: parallel calls, time limits, retries and results."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from orchestration import Handler
from orchestration import events as e
from orchestration.definition import Tool
from orchestration.exceptions import HandlerError, ToolError, ToolUnavailableError
from orchestration.messages import ToolCall, ToolResult
from orchestration.tools import MAX_TRIES, CallContext, FunctionTool, ToolHandler
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    only,
    say,
    session_with,
    types,
    with_tools,
)


class OddError(Exception):
    """Exception of a foreign library."""


async def results_of(handler: ToolHandler, calls: Mapping[str, object]) -> list[ToolResult]:
    return [result async for result in handler.handle(calls)]


def test_a_handler_is_abstract_and_has_one_method():
    """Contract H-1."""
    with pytest.raises(TypeError, match="handle"):
        Handler()  # type: ignore[abstract]


async def test_calls_run_in_parallel_and_results_keep_their_order():
    """Contract H-7."""
    first_waits_for_second = asyncio.Event()

    async def first() -> str:
        await first_waits_for_second.wait()
        return "one"

    async def second() -> str:
        first_waits_for_second.set()
        return "two"

    handler = ToolHandler(tools={"first": first, "second": second})
    calls = {"a": {"name": "first", "arguments": {}}, "b": {"name": "second", "arguments": {}}}
    results = await asyncio.wait_for(results_of(handler, calls), 5)
    assert [(result.call_id, result.content) for result in results] == [("a", "one"), ("b", "two")]


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ({"arguments": {}}, "has no name"),
        ({"name": "", "arguments": {}}, "has no name"),
        ({"name": 7}, "has no name"),
        ({"name": "add", "arguments": {"a": {1, 2}}}, "The arguments of add are not JSON"),
        ({"name": "add", "arguments": {"a": float("nan")}}, "The arguments of add are not JSON"),
        ({"name": "add", "arguments": "{"}, "The arguments of add are not JSON"),
        ("add", "is not an object"),
        (None, "is not an object"),
    ],
)
async def test_a_malformed_call_is_an_error_of_this_call_only(entry, error):
    """Contract H-7."""
    handler = ToolHandler(tools={"add": lambda a=1: f"{a}"})
    calls = {"1": {"name": "add"}, "bad": entry, "2": {"name": "add", "arguments": {"a": 2}}}
    first, bad, second = await results_of(handler, calls)
    assert (first.content, second.content) == ("1", "2")
    assert (bad.call_id, bad.content) == ("bad", "")
    assert error in (bad.error or "")


async def test_a_failed_tool_does_not_affect_the_others():
    """Contract H-7: unknown tool, bad arguments and exceptions become errors."""

    def add(a: int, b: int) -> int:
        return a + b

    def broken() -> str:
        raise OSError("the disk is full")

    handler = ToolHandler(tools={"add": add, "broken": broken})
    results = await results_of(
        handler,
        {
            "1": {"name": "broken", "arguments": {}},
            "2": {"name": "nothing", "arguments": {}},
            "3": {"name": "add", "arguments": {"a": 1}},
            "4": {"name": "add", "arguments": "[1, 2]"},
            "5": {"name": "add", "arguments": {"a": 1, "b": 2}},
        },
    )
    assert [result.error for result in results] == [
        "OSError: the disk is full",
        "There is no tool 'nothing'. Your tools: add, broken.",
        "The arguments of add are wrong: missing a required argument: 'b'",
        "The arguments of add must be a JSON object.",
        None,
    ]
    assert results[-1].content == "3"


@pytest.mark.parametrize(
    "error",
    [
        ValueError("odd"),
        KeyError("odd"),
        AssertionError("odd"),
        TimeoutError("odd"),
        OddError("odd"),
    ],
)
@pytest.mark.parametrize("count", [1, 2])
async def test_any_exception_of_a_tool_is_the_error_of_its_call(error, count):
    """Contract H-7: with one call and with several."""

    def broken() -> str:
        raise error

    handler = ToolHandler(tools={"broken": broken, "fine": lambda: "fine"})
    calls = [ToolCall(id="1", name="broken"), ToolCall(id="2", name="fine")][:count]
    failed, *others = await handler.run(calls)
    assert failed.error == f"{type(error).__name__}: {error}"
    assert [one.content for one in others] == ["fine"] * (count - 1)


def test_a_registered_name_cannot_be_used_again():
    """Contract H-7."""
    handler = ToolHandler(tools={"look": str})
    with pytest.raises(HandlerError, match=r"^Duplicate tool 'look' in ToolHandler$"):
        handler.register(FunctionTool("look", str))


def test_several_tools_are_registered_together_or_not_at_all():
    """Contract H-7."""
    handler = ToolHandler(tools={"look": str})
    with pytest.raises(HandlerError, match="'look'"):
        handler.register_many([FunctionTool("new", str), FunctionTool("look", str)])
    with pytest.raises(HandlerError, match="'new'"):
        handler.register_many([FunctionTool("new", str), FunctionTool("new", str)])
    assert list(handler.names) == ["look"]
    handler.register_many([FunctionTool("new", str), FunctionTool("other", str)])
    assert list(handler.names) == ["look", "new", "other"]


@pytest.mark.parametrize("count", [1, 2])
async def test_a_cancellation_reaches_all_calls(count):
    """Contract H-7."""
    started, ended = asyncio.Event(), list[str]()

    async def hang() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("closed")
        return "never"

    handler = ToolHandler(tools={"hang": hang})
    calls = [ToolCall(id=str(number), name="hang") for number in range(count)]
    task = asyncio.create_task(handler.run(calls))
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["closed"] * count


async def test_a_tool_that_cancels_itself_fails_alone():
    """Contract H-7."""

    async def gone() -> str:
        raise asyncio.CancelledError

    handler = ToolHandler(tools={"gone": gone, "fine": lambda: "fine"})
    calls = [ToolCall(id="1", name="gone"), ToolCall(id="2", name="fine")]
    gone_result, fine_result = await handler.run(calls)
    assert gone_result.error == "gone was cancelled."
    assert fine_result.content == "fine"


async def test_a_call_ends_at_the_time_limit():
    async def hang() -> None:
        await asyncio.Event().wait()

    handler = ToolHandler(tools={"hang": hang}, timeout=0.01)
    (result,) = await handler.run([ToolCall(id="1", name="hang")])
    assert result.error == "hang did not answer within 0.01 seconds."


async def test_a_result_is_shortened_and_can_be_stored():
    handler = ToolHandler(tools={"long": lambda: "x" * 200_000, "odd": lambda: "a\0b\ud83d"})
    long, odd = await handler.run([ToolCall(id="1", name="long"), ToolCall(id="2", name="odd")])
    assert len(long.content) < 100_100
    assert long.content.endswith("(cut off: too long)")
    assert odd.content == "ab\ufffd"


def test_results_are_aggregated_by_call():
    """Contract H-8."""
    gathered = ToolHandler().aggregate(
        [
            ToolResult(call_id="a", name="x", content="fine"),
            ToolResult(call_id="b", name="y", error="broken"),
        ]
    )
    assert gathered == {"a": "fine", "b": "broken"}


def handler(tool: Tool, function: Any, **options: Any) -> ToolHandler:
    """Create a handler with the definition's settings and without pauses."""
    options = {"pause": 0.0, "timeout": 60.0} | options
    return ToolHandler(tools={tool.name: function}, definitions={tool.name: tool}, **options)


async def answer_of(tools: ToolHandler, name: str = "look", **arguments: Any) -> ToolResult:
    [result] = await tools.run([ToolCall(id="c1", name=name)], key="s1/run/1")
    return result


class Failing:
    """Function that fails a number of times and records the keys of its calls."""

    def __init__(self, times: int, error: Exception) -> None:
        self.times, self.error = times, error
        self.keys: list[str] = []

    def __call__(self, context: CallContext) -> str:
        self.keys.append(context.key)
        if len(self.keys) <= self.times:
            raise self.error
        return "There it is."


AGAIN = Tool(name="look", idempotent=True)


@pytest.mark.parametrize(
    "error", [OSError("The line broke."), ToolUnavailableError("api answered with status 503.")]
)
async def test_an_idempotent_tool_is_retried_with_the_same_key(error):
    failing = Failing(2, error)
    result = await answer_of(handler(AGAIN, failing))
    assert (result.content, result.error, result.tries) == ("There it is.", None, 3)
    assert failing.keys == ["s1/run/1/c1"] * 3


async def test_the_number_of_attempts_is_limited():
    failing = Failing(9, OSError("The line broke."))
    result = await answer_of(handler(AGAIN, failing))
    assert (result.error, result.tries) == ("OSError: The line broke.", MAX_TRIES)
    assert len(failing.keys) == MAX_TRIES


async def test_a_tool_that_is_not_idempotent_is_called_once():
    failing = Failing(1, OSError("The line broke."))
    result = await answer_of(handler(Tool(name="look"), failing))
    assert (result.error, result.tries, len(failing.keys)) == ("OSError: The line broke.", 1, 1)


async def test_a_call_that_a_tool_rejects_is_not_retried():
    failing = Failing(1, ToolError("There is no such order."))
    result = await answer_of(handler(AGAIN, failing))
    assert (result.error, result.tries, len(failing.keys)) == ("There is no such order.", 1, 1)


async def test_the_event_contains_the_number_of_attempts():
    failing = Failing(1, ToolUnavailableError("Not now."))
    model = PlayedModel([[calling("look")], ["Done."]])
    session = session_with(model, with_tools(AGAIN), tools={"look": failing})
    events = await say(session, "Look!")
    assert only(e.ToolReturned, events).result.tries == 2
    assert types(events).count("tool.called") == 1


async def never() -> str:
    return str(await asyncio.get_running_loop().create_future())


async def test_a_tool_has_its_own_time_limit():
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
    results: list[ToolResult] = []
    calls = [ToolCall(id="c1", name="look"), ToolCall(id="c2", name="slow")]
    async for result in tools.stream(calls):
        results.append(result)
        released.set()
    assert [result.name for result in results] == ["slow", "look"]
    assert results[0].error == "slow did not answer within 0.01 seconds."
    assert results[1].content == "There it is."


async def test_the_time_limit_covers_all_attempts():
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


async def test_a_tool_without_a_time_limit_has_the_default():
    result = await answer_of(handler(Tool(name="look"), never, timeout=0.01))
    assert result.error == "look did not answer within 0.01 seconds."


async def test_a_result_above_the_limit_of_its_tool_is_marked_as_cut_off():
    result = await answer_of(handler(Tool(name="look", max_answer=5), lambda: "x" * 20))
    assert result.content == "xxxxx … (cut off: too long)"
    whole = await answer_of(handler(Tool(name="look", max_answer=20), lambda: "x" * 20))
    assert whole.content == "x" * 20
