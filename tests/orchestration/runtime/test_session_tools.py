"""The tool calls of a turn."""

import asyncio

import msgspec

from orchestration.definition import Tool, ToolExample
from orchestration.events import ToolReturned
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    say,
    session_with,
    with_tools,
)


async def test_tools_of_a_turn_run_in_parallel_and_answer_in_order():
    """Contract H-7, in a run."""
    started: list[str] = []
    both = asyncio.Event()

    async def look(name: str) -> str:
        started.append(name)
        if len(started) == 2:
            both.set()
        await both.wait()
        return f"found {name}"

    model = PlayedModel([(calling("look", name="a"), calling("look", name="b")), ("Done.",)])
    session = session_with(model, with_tools("look"), tools={"look": look})
    events = await asyncio.wait_for(say(session, "hi"), 5)
    assert [one.result.content for one in every(ToolReturned, events)] == ["found a", "found b"]
    assert model.seen[1][-2:] == ["found a", "found b"]


async def test_the_examples_of_a_tool_stand_in_for_it():
    model = PlayedModel([(calling("look", id="3", more=1),), (calling("look", id="4"),), ("Ok.",)])
    tool = Tool(name="look", examples=(ToolExample(arguments={"id": "3"}, result="shipped"),))
    session = session_with(model, with_tools(tool))
    first, second = every(ToolReturned, await say(session, "hi"))
    assert first.result.content == "shipped"
    assert second.result.error == "No example of look matches these arguments."


async def test_invalid_json_and_unknown_tools_are_errors():
    broken = msgspec.structs.replace(calling("look").call, arguments='{"id": ')
    model = PlayedModel([(type(calling("x"))(broken), calling("nothing")), ("Sorry.",)])
    session = session_with(model, with_tools("look"))
    first, second = every(ToolReturned, await say(session, "hi"))
    assert "not JSON" in (first.result.error or "")
    assert second.result.error == (
        "There is no tool 'nothing'. Your tools: handoff_conversation, look."
    )
