"""A task: one agent, its tools, one conversation."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest

from orchestration.definition import Limits
from orchestration.events import (
    MessageCompleted,
    RunCompleted,
    StopReason,
    ToolCalled,
    decode,
    encode,
)
from orchestration.exceptions import HandlerError, ProviderError, ResourceExhausted, TaskError
from orchestration.library import TaskHandler, TaskResult, TaskStatus
from orchestration.runtime import MemoryJournal
from orchestration.tools import ToolSpec
from tests.orchestration.conversations import NOON, PlayedModel, calling, every, types

LOOK = {"type": "object", "properties": {"order": {"type": "integer"}}}


def task(model: PlayedModel, **options: Any) -> TaskHandler:
    """A handler whose agent asks `model`."""
    options.setdefault("clock", lambda: NOON)
    return TaskHandler(provider=model, **options)


async def test_a_task_is_opened_executed_and_closed():
    """Contract T-2: and its messages are complete, with role and time."""
    journal = MemoryJournal()
    async with task(PlayedModel([("Good day.",), ("Fine.",)]), journal=journal) as handler:
        assert not handler.messages
        first = await handler.execute_prompt("hello")
        second = await handler.execute_prompt("how are you?")
    assert (first.status, first.content) == (TaskStatus.COMPLETE, "Good day.")
    assert second.content == "Fine."
    assert [(one.role, one.text) for one in handler.messages] == [
        ("user", "hello"),
        ("assistant", "Good day."),
        ("user", "how are you?"),
        ("assistant", "Fine."),
    ]
    assert {one.at for one in handler.messages} == {NOON}
    assert journal.events == list(handler.events)
    with pytest.raises(HandlerError, match="closed"):
        await handler.execute_prompt("still there?")


async def test_the_notes_have_reason_usage_and_metrics():
    """Contract T-6, D-6."""
    result = await task(PlayedModel([("Hi.",)])).execute_prompt("hello")
    assert result.notes["reason"] == StopReason.REPLIED
    assert result.notes["metrics"]["turns"] == {
        "used": 1,
        "limit": 24,
        "last_turn_at": "2026-01-01T12:00:00Z",
    }
    assert (result.usage.calls, result.usage.input_tokens) == (1, 10)
    assert json.loads(json.dumps(result.notes)) == result.notes


async def test_the_system_prompt_is_base_template_and_files_in_this_order():
    """Contract T-3: the parts are as they are sent, and can be looked at beforehand."""
    model = PlayedModel([("Two.",), ("Still two.",)])
    handler = task(model, system_prompt="Be brief.", template_prompt="You know prices.")
    files = {"prices.txt": "A pear is 2.", "hours.txt": "Nine to five."}
    await handler.execute_prompt("What is a pear?", files=files)
    parts = handler.system_parts(files)
    assert [part.kind for part in parts] == ["base", "instructions", "stage", "files"]
    assert parts[1].text == "Be brief."
    assert "You know prices." in parts[2].text
    assert "--- prices.txt\nA pear is 2.\n\n--- hours.txt\nNine to five." in parts[3].text
    assert model.requests[0].system_parts == parts
    assert model.requests[0].system == "\n\n---\n\n".join(part.text for part in parts)
    await handler.execute_prompt("And now?")
    assert model.requests[1].system_parts == handler.system_parts() == parts[:3]


async def test_files_count_for_the_context_limit():
    """Contract T-5: what is over the limit is refused before the call."""
    model = PlayedModel([("Yes.",)])
    handler = task(model, limits=Limits(max_context_tokens=1_000))
    with pytest.raises(ResourceExhausted) as caught:
        await handler.execute_prompt("hm?", files={"long.txt": "word " * 2_000})
    assert (caught.value.resource, model.requests) == ("context", [])


# Tools


async def test_a_direct_tool_is_answered_by_its_function():
    """Contract T-8: plain and async functions, described by their own signature."""

    def look_up(order: int, urgent: bool = False) -> dict[str, Any]:
        """Look an order up.

        More that no model needs.
        """
        return {"order": order + 1, "urgent": urgent}

    async def wait() -> str:
        await asyncio.sleep(0)
        return "waited"

    model = PlayedModel([(calling("look_up", order="41"), calling("wait")), ("Done.",)])
    handler = task(model)
    handler.register_direct_tool("look_up", look_up)
    handler.register_direct_tool("wait", wait)
    assert (await handler.execute_prompt("hi")).content == "Done."
    assert model.seen[1][-2:] == ['{"order": 42, "urgent": false}', "waited"]
    offered = {tool.name: tool for tool in model.requests[0].tools}
    assert offered["look_up"].description == "Look an order up."
    assert offered["look_up"].parameters["required"] == ["order"]


async def test_the_model_sees_no_difference_between_kinds_of_tools():
    """Contract T-8: a name, a description and a schema, whoever answers."""
    model = PlayedModel([("Hi.",)])
    handler = task(model)
    handler.register_direct_tool("direct", lambda order: order, parameters=LOOK)
    handler.register_subtask_tool("subtask", ["contracts"], parameters=LOOK)
    handler.register_user_input_tool()
    await handler.execute_prompt("hi")
    tools = {tool.name: tool for tool in model.requests[0].tools}
    assert list(tools) == ["ask_user", "direct", "subtask"]
    assert tools["direct"].parameters == tools["subtask"].parameters == LOOK


@pytest.mark.parametrize(
    "spec",
    [
        ToolSpec("look_up", "Look an order up.", LOOK),
        {
            "type": "function",
            "function": {
                "name": "look_up",
                "description": "Look an order up.",
                "parameters": LOOK,
            },
        },
        {
            "type": "function",
            "name": "look_up",
            "description": "Look an order up.",
            "parameters": LOOK,
        },
        {"name": "look_up", "description": "Look an order up.", "input_schema": LOOK},
        {"name": "look_up", "description": "Look an order up.", "inputSchema": LOOK},
    ],
    ids=["own", "openai chat", "openai responses", "anthropic", "mcp"],
)
async def test_a_tool_is_registered_from_the_specification_of_any_vendor(spec):
    """Contract T-8."""
    model = PlayedModel([(calling("look_up", order=3),), ("Done.",)])
    handler = task(model)
    assert handler.register_tool(spec, lambda order: f"order {order}") is True
    await handler.execute_prompt("hi")
    assert model.seen[1][-1] == "order 3"
    assert model.requests[0].tools == (ToolSpec("look_up", "Look an order up.", LOOK),)


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"name": "no such name"},
        {"name": "look", "input_schema": "text"},
        {"type": "function", "function": "look"},
        {"name": 7},
        "look",
        None,
    ],
)
async def test_an_invalid_specification_is_not_registered(spec):
    """Contract T-8: the caller is told, and nothing has changed."""
    handler = task(PlayedModel([]))
    assert handler.register_tool(spec, str) is False
    assert handler.definition.tools == ()


def test_a_name_is_unique_across_all_kinds_of_tools():
    """Contract T-8."""
    handler = task(PlayedModel([]))
    handler.register_direct_tool("direct", lambda: "")
    handler.register_subtask_tool("subtask", ["x"])
    for name in ("direct", "subtask"):
        with pytest.raises(HandlerError, match=f"^Duplicate tool '{name}' in TaskHandler$"):
            handler.register_direct_tool(name, lambda: "")
        with pytest.raises(HandlerError, match=f"Duplicate tool '{name}'"):
            handler.register_subtask_tool(name, ["x"])
        with pytest.raises(HandlerError, match=f"Duplicate tool '{name}'"):
            handler.register_user_input_tool(name)
        assert handler.register_tool({"name": name}, str) is False
    assert [tool.name for tool in handler.definition.tools] == ["direct", "subtask"]


@pytest.mark.parametrize("name", ["", "no such", "x" * 65])
def test_a_name_that_no_model_accepts_is_refused(name):
    """Contract T-8."""
    handler = task(PlayedModel([]))
    with pytest.raises(HandlerError, match="is invalid"):
        handler.register_direct_tool(name, lambda: "")
    with pytest.raises(HandlerError, match="is invalid"):
        handler.register_subtask_tool(name)


def test_a_function_without_a_schema_needs_explicit_parameters():
    """Contract T-8."""

    def look_up(order: PlayedModel) -> str:
        return str(order)

    handler = task(PlayedModel([]))
    with pytest.raises(
        HandlerError, match="parameters of tool 'look_up' have no JSON Schema: Unable to"
    ):
        handler.register_direct_tool("look_up", look_up)
    handler.register_direct_tool("look_up", look_up, parameters=LOOK)
    assert handler.definition.tools_by_name["look_up"].parameters == LOOK


async def test_a_tool_can_be_registered_between_prompts():
    """Contract T-8: and nothing of the conversation is lost."""
    model = PlayedModel([("Hello.",), (calling("late"),), ("Done.",)])
    handler = task(model)
    await handler.execute_prompt("hi")
    handler.register_direct_tool("late", lambda: "just in time")
    assert (await handler.execute_prompt("again")).content == "Done."
    assert model.seen[2] == ["hi", "Hello.", "again", "", "just in time"]


# Ends


async def test_a_failed_tool_is_reported_with_name_and_call_id():
    """Contract T-12: the model corrects it, and the caller is told too."""

    def broken() -> str:
        raise OSError("the disk is full")

    model = PlayedModel([(calling("broken", call_id="c1"),), ("It did not work.",)])
    handler = task(model)
    handler.register_direct_tool("broken", broken)
    result = await handler.execute_prompt("hi")
    assert result.status is TaskStatus.COMPLETE
    assert model.seen[1][-1] == "Error: OSError: the disk is full"
    assert result.notes["tool_errors"] == [
        {
            "type": "ToolError",
            "reason": "tool_failed",
            "message": "OSError: the disk is full",
            "details": {"tool": "broken", "call_id": "c1"},
            "metrics": None,
        }
    ]


async def test_a_limit_raises_with_the_usage_and_without_a_retry():
    """Contract T-4, T-6, T-7: exactly as many calls as the limit says, then a clean end."""
    model = PlayedModel(lambda request: (calling("look"),))
    handler = task(model, limits=Limits(max_turns=3))
    handler.register_direct_tool("look", lambda: "nothing yet")
    with pytest.raises(ResourceExhausted) as caught:
        await handler.execute_prompt("hi")
    error = caught.value
    assert len(model.requests) == 3
    assert (error.resource, error.reason) == ("turns", "turn_limit")
    assert error.metrics == handler.get_resource_metrics()
    assert error.dump()["metrics"]["turns"]["used"] == 3
    assert error.details == {"resource": "turns", "used": 3, "limit": 3}
    ended = handler.events[-1]
    assert isinstance(ended, RunCompleted)
    assert ended.reason is StopReason.TURN_LIMIT


async def test_a_failed_model_is_an_error_and_never_an_answer():
    """Contract T-11, T-12: with what was said by then."""

    def turn(request):
        if len(model.requests) == 1:
            return ("I will look. ", calling("look"))
        raise ProviderError("The model is away.")

    model = PlayedModel(turn)
    handler = task(model)
    handler.register_direct_tool("look", lambda: "found")
    with pytest.raises(TaskError, match=r"^The model is away\.$") as caught:
        await handler.execute_prompt("hi")
    assert (caught.value.type, caught.value.reason) == ("TaskError", "ProviderError")
    assert caught.value.details["said"] == "I will look. "
    assert caught.value.metrics == handler.get_resource_metrics()
    assert TaskResult.failed(caught.value).status is TaskStatus.FAILED


async def test_after_a_cancelled_prompt_the_task_answers_the_next():
    """Contract D-2."""
    asked = asyncio.Event()

    async def hang() -> str:
        asked.set()
        await asyncio.Event().wait()
        return "never"

    handler = task(PlayedModel([(calling("hang"),), ("Here.",)]))
    handler.register_direct_tool("hang", hang)
    running = asyncio.create_task(handler.execute_prompt("hi"))
    await asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended = handler.events[-1]
    assert isinstance(ended, RunCompleted)
    assert ended.reason is StopReason.CANCELLED
    assert (await handler.execute_prompt("still there?")).content == "Here."


async def test_two_prompts_at_once_are_refused():
    """Contract D-2: the second can be asked again, once the first has its answer."""

    class Slow(PlayedModel):
        async def stream(self, request):
            await asyncio.sleep(0)
            async with aclosing(super().stream(request)) as pieces:
                async for piece in pieces:
                    yield piece

    handler = task(Slow([("Hello.",)]))
    first = asyncio.create_task(handler.execute_prompt("one"))
    second = asyncio.create_task(handler.execute_prompt("two"))
    with pytest.raises(HandlerError, match="is running"):
        await second
    assert (await first).content == "Hello."


async def test_a_task_continues_from_its_journal_and_repeats_nothing():
    """Contract T-2, S-7: at every point of its run."""
    runs: list[str] = []

    def look(word: str) -> str:
        runs.append(word)
        return f"found {word}"

    def turn(request):
        done = sum(message.role == "tool" for message in request.messages)
        return (calling("look", word="abc"[done]),) if done < 2 else ("Done.",)

    def begun(model: PlayedModel, *events: Any) -> TaskHandler:
        handler = task(model, events=[decode(encode(event)) for event in events])
        handler.register_direct_tool("look", look)
        return handler

    whole = begun(PlayedModel(turn))
    await whole.execute_prompt("hi")
    for cut in range(1, len(whole.events)):
        runs.clear()
        before = whole.events[:cut]
        model = PlayedModel(turn)
        handler = begun(model, *before)
        result = await handler.resume()
        assert result.content == "Done.", cut
        assert types(handler.events) == types(whole.events), cut
        assert handler.messages == whole.messages, cut
        assert len(model.requests) == 3 - len(every(MessageCompleted, before)), cut
        assert len(runs) == 2 - types(before).count("tool.returned"), cut
    assert len(every(ToolCalled, whole.events)) == 2
