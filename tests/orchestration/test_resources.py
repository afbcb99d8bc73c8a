"""Usage and limits of conversations."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import pytest

from orchestration.definition import Limits, Tool
from orchestration.events import (
    LimitReached,
    RunCompleted,
    RunFailed,
    StopReason,
    TurnStarted,
    decode,
    encode,
)
from orchestration.exceptions import ProviderError, ResourceExhausted
from orchestration.library import TaskHandler
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    PlayedModel,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    with_tools,
)


async def test_only_answers_of_models_count_as_turns():
    """Contract T-4, T-6: neither messages nor tool results."""
    model = PlayedModel([(calling("look"), calling("look")), ("Found.",), ("You are welcome.",)])
    session = session_with(model, with_tools("look"), tools={"look": lambda: "found"})
    assert session.metrics().turns.used == 0
    await say(session, "look!")
    assert session.metrics().turns.used == 2
    await say(session, "thanks")
    assert session.metrics().turns.used == 1, "the limit is one of each run"


async def test_a_handoff_does_not_reset_the_number_of_turns():
    """Contract T-4: the limit applies to the run."""
    session = session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)]))
    await say(session, "hi")
    assert session.metrics().turns.used == 2


async def test_the_last_turn_within_the_limit_may_be_the_answer():
    """Contract T-4: a limit of N allows N calls, and the Nth may be the answer."""
    model = PlayedModel([(calling("look"),), (calling("look"),), ("Found.",)])
    definition = with_tools("look").model_copy(update={"limits": Limits(max_turns=3)})
    session = session_with(model, definition, tools={"look": lambda: "found"})
    assert only(RunCompleted, await say(session, "look!")).reason is StopReason.REPLIED


async def test_the_time_of_the_last_turn_is_that_of_its_call():
    """Contract T-6."""
    seconds = count()
    session = session_with(
        PlayedModel([("Hi.",)]), clock=lambda: NOON + timedelta(seconds=next(seconds))
    )
    assert session.metrics().turns.last_turn_at is None
    events = await say(session, "hi")
    assert session.metrics().turns.last_turn_at == only(TurnStarted, events).at


async def test_the_context_is_the_last_request_and_its_peak_the_largest():
    """Contract T-5, T-6: for all agents."""
    long = four_stages(
        agents=[
            agent.model_copy(update={"instructions": "word " * 100 if agent.id != HANDLER else ""})
            for agent in four_stages().agents
        ]
    )
    session = session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)]), long)
    first, second = every(TurnStarted, await say(session, "hi"))
    assert first.context_tokens > second.context_tokens
    context = session.metrics().context
    assert (context.used, context.peak) == (second.context_tokens, first.context_tokens)
    assert context.limit == long.limits.max_context_tokens


async def test_a_session_from_a_journal_has_the_same_metrics():
    """Contract T-6, S-7."""
    session = session_with(PlayedModel([(handing_over(HANDLER),), ("Hello.",)]))
    events = [decode(encode(event)) for event in await say(session, "hi")]
    again = Session(session.definition, events, session_id="s1", providers={})
    assert again.metrics() == session.metrics()
    assert again.get_resource_metrics() == session.get_resource_metrics() == session.metrics()


@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_a_task_without_turns_ends_cleanly_and_is_not_retried(limit):
    """Contract T-4, T-7: N calls, then the end with metrics; the next prompt has N more."""
    model = PlayedModel(lambda request: (calling("look"),))
    handler = TaskHandler(provider=model, limits=Limits(max_turns=limit))
    handler.register_direct_tool("look", lambda: "nothing")
    for run in (1, 2):
        with pytest.raises(ResourceExhausted) as caught:
            await handler.execute_prompt("look!")
        assert len(model.requests) == limit * run
        assert caught.value.metrics is not None
        assert caught.value.metrics.turns.used == limit
        assert caught.value.messages == tuple(handler.messages)
    calls = [call.id for one in handler.messages for call in one.tool_calls]
    assert calls == [one.tool_call_id for one in handler.messages if one.role == "tool"]


async def test_the_engine_does_not_retry_a_failed_model():
    """Contract T-7: retries are the provider's task."""

    def fails(request):
        raise ProviderError("The model is away.")

    model = PlayedModel(fails)
    events = await say(session_with(model), "hi")
    assert len(model.requests) == 1
    assert only(RunFailed, events).message == "The model is away."


async def test_a_request_over_the_context_limit_is_refused_with_its_size():
    """Contract T-5, T-7: the peak stays that of what was sent."""
    model = PlayedModel([("Yes.",)])
    handler = TaskHandler(provider=model, limits=Limits(max_context_tokens=800))
    await handler.execute_prompt("hi")
    sent = handler.get_resource_metrics().context.peak
    with pytest.raises(ResourceExhausted) as caught:
        await handler.execute_prompt("word " * 1_000)
    reached = only(LimitReached, handler.events)
    assert caught.value.details == {"resource": "context", "used": reached.used, "limit": 800}
    assert reached.used > 800
    assert caught.value.metrics is not None
    assert caught.value.metrics.turns.used == 0, "this run had no answer"
    assert handler.get_resource_metrics().context.peak == sent
    assert len(model.requests) == 1


async def test_tools_count_for_the_context():
    """Contract T-5: descriptions and schemas too."""
    wordy = Tool(name="look", description="word " * 80)
    plain = session_with(PlayedModel([("Hi.",)]), with_tools("look"))
    told = session_with(PlayedModel([("Hi.",)]), with_tools(wordy))
    used = [only(TurnStarted, await say(session, "hi")).context_tokens for session in (plain, told)]
    assert used[1] - used[0] >= 80
