"""Raw queries without a pipeline."""

from __future__ import annotations

import asyncio

import pytest

from orchestration.definition import Limits
from orchestration.events import StopReason
from orchestration.exceptions import HandlerError, ProviderError, ResourceExhausted, TaskError
from orchestration.library import Passthrough, TaskStatus
from orchestration.runtime import MemoryJournal
from tests.orchestration.conversations import PlayedModel, calling, types


def direct(model: PlayedModel, **options: object) -> Passthrough:
    return Passthrough(provider=model, session_id="direct", **options)  # type: ignore[arg-type]


async def test_queries_are_answered_in_one_continuing_conversation():
    """Contract T-11: history survives from query to query."""
    model = PlayedModel([("I am well.",), ("You asked how I am.",)])
    passthrough = direct(model)
    first = await passthrough.query("How are you?")
    second = await passthrough.query("What did I ask?")
    assert [first.content, second.content] == ["I am well.", "You asked how I am."]
    assert first.status is TaskStatus.COMPLETE
    assert model.seen[1] == ["How are you?", "I am well.", "What did I ask?"]
    assert {event.session_id for event in passthrough.events} == {"direct"}


async def test_a_reset_begins_a_conversation_that_knows_nothing_of_the_last():
    """Contract T-11: each has a session of its own, and the tools stay."""
    model = PlayedModel([("Hello.",), (calling("look"),), ("Found.",), ("And hello again.",)])
    journal = MemoryJournal()
    passthrough = direct(model, journal=journal)
    passthrough.register_direct_tool("look", lambda: "found")
    await passthrough.query("hi")
    passthrough.reset_conversation()
    assert not passthrough.messages
    await passthrough.query("look!")
    assert model.seen[1] == ["look!"]
    passthrough.reset_conversation()
    await passthrough.query("hi")
    assert model.seen[3] == ["hi"]
    assert list(dict.fromkeys(event.session_id for event in journal.events)) == [
        "direct",
        "direct__1",
        "direct__2",
    ]
    assert types(journal.events).count("run.completed") == 3


async def test_each_query_may_bring_the_files_that_matter_for_it():
    """Contract T-11, T-3: a part of its own in the system prompt, and no other query's."""
    model = PlayedModel([("Two.",), ("I do not know.",)])
    passthrough = direct(model, system_prompt="Be brief.")
    await passthrough.query("What is a pear?", files={"prices.txt": "A pear is 2."})
    await passthrough.query("What is a plum?")
    assert [part.kind for part in model.requests[0].system_parts] == [
        "base",
        "instructions",
        "files",
    ]
    assert "--- prices.txt\nA pear is 2." in model.requests[0].system
    assert "pear" not in model.requests[1].system


async def test_a_failed_model_is_an_error_and_the_messages_are_kept():
    """Contract T-11: an error is never an answer."""
    turns = iter([("Hello.",), None, ("Back again.",)])

    def turn(request):
        if (played := next(turns)) is None:
            raise ProviderError("The model is away.")
        return played

    model = PlayedModel(turn)
    passthrough = direct(model)
    await passthrough.query("hi")
    with pytest.raises(TaskError, match="The model is away") as caught:
        await passthrough.query("anyone?")
    assert caught.value.reason == "ProviderError"
    assert (await passthrough.query("hello?")).content == "Back again."
    assert model.seen[2] == ["hi", "Hello.", "anyone?", "hello?"]


async def test_the_usual_limits_hold_for_queries():
    """Contract T-11, T-7: the context is checked, with all that was said."""
    model = PlayedModel(lambda request: ("word " * 800,))
    passthrough = direct(model, limits=Limits(max_context_tokens=900))
    await passthrough.query("hi")
    with pytest.raises(ResourceExhausted) as caught:
        await passthrough.query("more")
    assert caught.value.resource == "context"
    assert caught.value.metrics == passthrough.get_resource_metrics()
    passthrough.reset_conversation()
    assert (await passthrough.query("hi")).notes["reason"] == StopReason.REPLIED


async def test_a_query_says_something():
    """Contract T-11."""
    with pytest.raises(HandlerError, match="The query is empty"):
        await direct(PlayedModel([])).query("  ")


async def test_a_conversation_is_not_reset_while_it_answers():
    """Contract T-11: what is under way is waited for, or cancelled, first."""
    started = asyncio.Event()

    async def hang() -> str:
        started.set()
        await asyncio.Event().wait()
        return "never"

    passthrough = direct(PlayedModel([(calling("hang"),)]))
    passthrough.register_direct_tool("hang", hang)
    query = asyncio.create_task(passthrough.query("hi"))
    await started.wait()
    with pytest.raises(HandlerError, match="is running"):
        passthrough.reset_conversation()
    query.cancel()
    with pytest.raises(asyncio.CancelledError):
        await query
    passthrough.reset_conversation()
    assert passthrough.session_id == "direct__1"


async def test_a_passthrough_goes_on_from_its_journal():
    """Contract T-11, T-2: in another process."""
    first = direct(PlayedModel([("Hello.",)]))
    await first.query("hi")
    model = PlayedModel([("You said hi.",)])
    again = direct(model, events=first.events)
    assert (await again.query("What did I say?")).content == "You said hi."
    assert model.seen == [["hi", "Hello.", "What did I say?"]]
