"""Runs with failing tools, hooks, filters, predicates or memories."""

import asyncio
import selectors
from typing import Any

import pytest

from orchestration.conversation import Recollection, View
from orchestration.definition import PipelineDefinition, Tool
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    HookFailed,
    MessageCompleted,
    RoutingFailed,
    RunCompleted,
    RunFailed,
    StopReason,
    ToolReturned,
)
from orchestration.exceptions import FilterError
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import SubtaskRequest
from orchestration.tools import user_input_tool
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
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


class Impatient(selectors.DefaultSelector):
    """A selector without waiting: every timer is due at once."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> Any:
        found = super().select(0)
        if not found:
            assert timeout is not None, "nobody will ever go on"
            self.skipped += timeout
        return found


class ImpatientLoop(asyncio.SelectorEventLoop):
    """An event loop whose timers are due at once."""

    def __init__(self) -> None:
        self.waits = Impatient()
        super().__init__(self.waits)

    def time(self) -> float:
        return super().time() + self.waits.skipped


@pytest.mark.parametrize("count", [1, 2])
def test_a_run_continues_after_a_tool_timeout(count):
    async def hang() -> None:
        await asyncio.Event().wait()

    async def converse() -> list[Event]:
        calls = tuple(calling("hang") for _ in range(count))
        session = session_with(
            PlayedModel([calls, ("Another time.",)]), with_tools("hang"), tools={"hang": hang}
        )
        return await say(session, "hi")

    with asyncio.Runner(loop_factory=ImpatientLoop) as runner:
        events = runner.run(converse())
    errors = [one.result.error for one in every(ToolReturned, events)]
    assert errors == ["hang did not answer within 60 seconds."] * count
    assert only(RunCompleted, events).reason == StopReason.REPLIED


@pytest.mark.parametrize("trigger", HookTrigger)
async def test_a_run_continues_after_a_failed_hook(trigger):
    hooks = Hooks()

    @hooks.on(trigger)
    async def broken(subject: object, context: object) -> None:
        raise RuntimeError("of no use")

    model = PlayedModel([(handing_over("nobody"),), (handing_over(HANDLER),), ("Hello.",)])
    events = await say(session_with(model, hooks=hooks), "hi")
    failed = only(HookFailed, events)
    assert failed.trigger == trigger
    assert "broken: RuntimeError: of no use" in failed.error
    assert only(RunCompleted, events).reason == StopReason.REPLIED
    assert only(HandoffAccepted, events).to_agent == HANDLER


@pytest.mark.parametrize("error", [FilterError("not today"), KeyError("topic")])
async def test_a_run_continues_after_a_failed_filter(error):
    def broken(history: object, payload: object) -> str:
        raise error

    model = PlayedModel([(handing_over(HANDLER),), ("Then I answer.",)])
    session = session_with(model, filters={("intake", "handling"): broken})
    events = await say(session, "hi")
    rejected = only(HandoffRejected, events)
    assert rejected.code == "filter_failed"
    assert str(error) in rejected.why
    assert rejected.why in model.seen[1][-1]
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_a_rule_with_a_failed_predicate_is_skipped():
    rules = [
        {"id": "vip", "agent_id": HANDLER, "conditions": {"custom": "event.metadata.tier == 'a'"}}
    ]
    session = session_with(PlayedModel([("Hello.",)]), four_stages(rules=rules))
    events = await say(session, "hi")
    assert only(RoutingFailed, events).rule_id == "vip"
    assert only(MessageCompleted, events).agent_id == TRIAGE
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_a_failed_memory_ends_the_run_with_the_reason():
    """No model can be called without it."""

    class Forgetful:
        def recall(self, view: View, handoff: HandoffAccepted | None) -> Recollection:
            raise LookupError("all is forgotten")

    events = await say(session_with(PlayedModel([]), memory=Forgetful()), "hi")
    assert isinstance(events[-1], RunFailed)
    assert (events[-1].error, events[-1].message) == ("LookupError", "all is forgotten")


async def test_a_failed_search_for_a_pipeline_is_an_error_of_the_call():
    """Contract T-9: the run continues."""

    def lost(request: SubtaskRequest) -> PipelineDefinition:
        raise OSError("no index")

    tool = Tool(name="search", kind="subtask", pipeline="Archive")
    model = PlayedModel([(calling("search", task="x"),), ("I cannot.",)])
    events = await say(session_with(model, with_tools(tool), pipelines=lost), "hi")
    assert "no index" in (only(ToolReturned, events).result.error or "")
    assert only(RunCompleted, events).reason == StopReason.REPLIED
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


async def test_a_run_continues_after_a_failed_question():
    async def broken(question: object) -> str:
        raise OSError("no line")

    model = PlayedModel([(calling("ask_user", question="Which?"),), ("I guess.",)])
    session = session_with(model, with_tools(user_input_tool()), ask_user=broken)
    events = await say(session, "hi")
    assert "OSError: no line" in (only(ToolReturned, events).result.error or "")
    assert only(RunCompleted, events).reason == StopReason.REPLIED
