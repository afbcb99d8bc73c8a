"""Handlers: tool calls run at once, and none harms another."""

import asyncio
from collections.abc import Mapping

import pytest

from orchestration import Handler, ToolHandler
from orchestration.exceptions import HandlerError
from orchestration.messages import ToolCall, ToolResult
from orchestration.tools import CallContext, FunctionTool


class OddError(Exception):
    """An error of somebody else's making."""


async def results_of(handler: ToolHandler, calls: Mapping[str, object]) -> list[ToolResult]:
    return [result async for result in handler.handle(calls)]


def test_a_handler_is_abstract_and_has_one_method():
    """Contract H-1."""
    with pytest.raises(TypeError, match="handle"):
        Handler()  # type: ignore[abstract]


async def test_all_calls_run_at_once_and_results_come_in_the_order_of_the_ids():
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


async def test_a_tool_that_fails_harms_no_other():
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
async def test_whatever_a_tool_raises_is_its_own_error(error, count):
    """Contract H-7: of one call as of several."""

    def broken() -> str:
        raise error

    handler = ToolHandler(tools={"broken": broken, "fine": lambda: "fine"})
    calls = [ToolCall(id="1", name="broken"), ToolCall(id="2", name="fine")][:count]
    failed, *others = await handler.run(calls)
    assert failed.error == f"{type(error).__name__}: {error}"
    assert [one.content for one in others] == ["fine"] * (count - 1)


def test_a_name_is_registered_once():
    """Contract H-7."""
    handler = ToolHandler(tools={"look": str})
    with pytest.raises(HandlerError, match=r"^Duplicate tool 'look' in ToolHandler$"):
        handler.register(FunctionTool("look", str))


def test_many_are_registered_all_or_none():
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
async def test_cancellation_passes_through(count):
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


async def test_a_tool_that_cancels_itself_has_failed_and_nothing_else_has():
    """Contract H-7."""

    async def gone() -> str:
        raise asyncio.CancelledError

    handler = ToolHandler(tools={"gone": gone, "fine": lambda: "fine"})
    calls = [ToolCall(id="1", name="gone"), ToolCall(id="2", name="fine")]
    gone_result, fine_result = await handler.run(calls)
    assert gone_result.error == "gone was cancelled."
    assert fine_result.content == "fine"


async def test_a_tool_that_hangs_has_its_time():
    async def hang() -> None:
        await asyncio.Event().wait()

    handler = ToolHandler(tools={"hang": hang}, timeout=0.01)
    (result,) = await handler.run([ToolCall(id="1", name="hang")])
    assert result.error == "hang did not answer within 0.01 seconds."


async def test_a_tool_can_ask_which_call_it_is():
    def told(word: str, context: CallContext) -> str:
        return f"{word} {context.key} {context.agent_id}"

    handler = ToolHandler(tools={"told": told})
    (result,) = await handler.run(
        [ToolCall(id="c1", name="told", arguments='{"word": "hi"}')],
        agent_id="agent-a",
        key="s1/run/1",
    )
    assert result.content == "hi s1/run/1/c1 agent-a"


async def test_a_result_is_bounded_and_can_be_stored():
    handler = ToolHandler(tools={"long": lambda: "x" * 200_000, "odd": lambda: "a\0b\ud83d"})
    long, odd = await handler.run([ToolCall(id="1", name="long"), ToolCall(id="2", name="odd")])
    assert len(long.content) < 100_100
    assert long.content.endswith("(cut off: too long)")
    assert odd.content == "ab\ufffd"


def test_results_are_gathered_by_their_calls():
    """Contract H-8."""
    gathered = ToolHandler().aggregate(
        [
            ToolResult(call_id="a", name="x", content="fine"),
            ToolResult(call_id="b", name="y", error="broken"),
        ]
    )
    assert gathered == {"a": "fine", "b": "broken"}
