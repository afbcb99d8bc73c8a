"""The limits of a run: turns, context."""

from orchestration.conversation import SlidingWindowMemory
from orchestration.definition import Limits
from orchestration.events import (
    ContextWarned,
    LimitReached,
    RunCompleted,
    StopReason,
    TurnStarted,
)
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
)
from tests.orchestration.topologies import model_of, once, star


async def test_a_limit_of_n_turns_lets_exactly_n_calls_happen():
    """Contract T-4: checked before the call."""
    model = PlayedModel(lambda request: (handing_over("nobody"),))
    session = session_with(model, four_stages(limits=Limits(max_turns=3)))
    events = await say(session, "hi")
    assert len(model.requests) == 3
    assert only(LimitReached, events).resource == "turns"
    assert only(RunCompleted, events).reason == StopReason.TURN_LIMIT


async def test_turns_are_counted_in_each_conversation():
    """Contract D-9: a delegate has the turns of its own conversation, and the lead goes on."""
    model = model_of(
        {
            "lead": once(calling("delegate_to_a", task="work")),
            "a": lambda request: ("Working.", calling("nothing")),
        }
    )
    session = session_with(model, star("lead", "a", limits=Limits(max_turns=3)))
    events = await say(session, "hi")
    assert [request.agent.id for request in model.requests] == ["lead", "a", "a", "a", "lead"]
    ends = {one.session_id: one.reason for one in every(RunCompleted, events)}
    assert ends == {"s1__team_a_0": "turn_limit", "s1": "replied"}


async def test_a_request_above_the_context_limit_is_never_sent():
    """Contract T-5: refused before the call."""
    model = PlayedModel([("Hello.",)])
    session = session_with(model, four_stages(limits=Limits(max_context_tokens=1_000)))
    events = await say(session, "word " * 2_000)
    assert model.requests == []
    assert only(LimitReached, events).resource == "context"
    assert only(RunCompleted, events).reason == StopReason.CONTEXT_LIMIT


async def test_four_fifths_of_the_context_warn_once_per_crossing():
    """Contract T-5."""
    model = PlayedModel(lambda request: ("Yes.",))
    definition = four_stages()
    used = only(TurnStarted, await say(session_with(model, definition), "hi")).context_tokens
    limits = Limits(max_context_tokens=used + 40)
    session = session_with(model, four_stages(limits=limits))
    warned = [types(await say(session, "hi")).count("context.warned") for _ in range(3)]
    assert warned == [1, 0, 0]


async def test_a_second_crossing_warns_again():
    """Contract T-5: after the context was smaller."""
    long, model = "word " * 100, PlayedModel(lambda request: ("Yes.",))
    used = only(TurnStarted, await say(session_with(model), long)).context_tokens
    limits = Limits(max_context_tokens=used + 10)
    session = session_with(model, four_stages(limits=limits), memory=SlidingWindowMemory(1))
    texts = (long, long, "hi", long)
    warned = [types(await say(session, text)).count("context.warned") for text in texts]
    assert warned == [1, 0, 0, 1]


async def test_exactly_four_fifths_warn():
    """Contract T-5: 80 % warns, one token less does not."""

    async def events_with(limit: int, text: str):
        limits = Limits(max_context_tokens=limit)
        return await say(session_with(PlayedModel([("Yes.",)]), four_stages(limits=limits)), text)

    texts = ["hi" + " there" * more for more in range(20)]
    used = {
        text: only(TurnStarted, await events_with(9_000, text)).context_tokens for text in texts
    }
    text = next(text for text in texts if used[text] % 4 == 0)
    exactly = used[text] * 5 // 4
    assert only(ContextWarned, await events_with(exactly, text)).used == used[text]
    assert every(ContextWarned, await events_with(exactly + 1, text)) == []
