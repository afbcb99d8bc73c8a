"""Usage of runs."""

from collections.abc import AsyncGenerator
from time import perf_counter

from orchestration.events import MessageCompleted, RunCompleted
from orchestration.library import TaskHandler, TaskResult, TaskStatus
from orchestration.messages import Usage
from orchestration.providers.provider import ModelRequest, Piece
from orchestration.providers.scripted import ScriptedProvider
from tests.orchestration.conversations import (
    HANDLER,
    PlayedModel,
    calling,
    every,
    handing_over,
    only,
    say,
    session_with,
)


def test_every_kind_of_cost_adds_up():
    """Contract D-6: tokens, calls and milliseconds."""
    one = Usage(input_tokens=1, output_tokens=2, calls=3, milliseconds=4)
    two = Usage(input_tokens=10, output_tokens=20, calls=30, milliseconds=40)
    assert one + two == Usage(input_tokens=11, output_tokens=22, calls=33, milliseconds=44)


async def test_usage_of_a_subtask_elsewhere_counts_in_the_task():
    """Contract D-6."""
    model = PlayedModel([(calling("search", task="Find it."),), ("There it is.",)])
    handler = TaskHandler(provider=model)
    handler.register_subtask_tool("search")
    await handler.execute_prompt("Where is it?")
    took = {"input_tokens": 1_000, "output_tokens": 100, "calls": 7, "milliseconds": 60_000}
    result = await handler.resume(TaskResult(TaskStatus.COMPLETE, "Here.", {"usage": took}))
    usage = result.usage
    assert (usage.input_tokens, usage.output_tokens, usage.calls) == (1_020, 110, 9)
    assert usage.milliseconds >= 60_000


async def test_the_time_of_every_turn_is_measured_and_adds_up():
    """Contract D-6."""

    class Slow(PlayedModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
            began = perf_counter()
            while perf_counter() < began + 0.002:
                pass
            async for piece in super().stream(request):
                yield piece

    events = await say(session_with(Slow([(handing_over(HANDLER),), ("Hello.",)])), "hi")
    took = [one.usage.milliseconds for one in every(MessageCompleted, events)]
    assert all(took)
    assert only(RunCompleted, events).usage.milliseconds == sum(took)


async def test_the_scripted_provider_estimates_its_tokens():
    model = ScriptedProvider(tokens_per_second=None)
    short = await say(session_with(None, providers={"default": model}), "Hi")
    long = await say(session_with(None, providers={"default": model}), "Hi, " * 400)
    [few, many] = [only(RunCompleted, one).usage for one in (short, long)]
    assert many.input_tokens > few.input_tokens + 300
    assert few.output_tokens > 0
