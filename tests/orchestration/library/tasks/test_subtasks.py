"""Subtask tools: a task that has others do parts of it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from orchestration import ToolHandler
from orchestration.control import ChangeCall
from orchestration.conversation import MAX_DEPTH
from orchestration.definition import Agent, Limits, Tool, ToolExample
from orchestration.events import (
    ApprovalGiven,
    LimitReached,
    RunCompleted,
    StopReason,
    SubtaskCompleted,
    SubtaskStarted,
    decode,
    encode,
)
from orchestration.exceptions import HandlerError, TaskError
from orchestration.library import TaskHandler, TaskResult, TaskStatus, TaskSystem
from orchestration.messages import InboundMessage, SubtaskRequest, Usage
from orchestration.providers.provider import ModelRequest
from orchestration.tools import SubtaskTool
from tests.orchestration.conversations import (
    NOON,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    only,
    say,
    session_with,
    types,
)
from tests.orchestration.task_templates import CONTRACTS, SYSTEM, pipeline


def task(model: PlayedModel, **options: Any) -> TaskHandler:
    """A handler whose agent has a tool for contracts and one for letters."""
    handler = TaskHandler(provider=model, clock=lambda: NOON, **options)
    handler.register_subtask_tool("review", ["contracts", "risks"], description="Reviews.")
    handler.register_subtask_tool("write", pipeline="Letters")
    return handler


# In the loop


async def test_a_subtask_tool_returns_the_answer_of_the_matching_template():
    """Contract T-9: in a conversation of its own, and the result is the tool's."""

    def turn(request: ModelRequest) -> Turn:
        if request.agent.id == "lawyer":
            return ("Clause 4 is a risk.",)
        if request.messages[-1].role == "user":
            return ("One moment. ", calling("review", task="Read clause 4."))
        return (f"Reviewed: {request.messages[-1].text}",)

    model = PlayedModel(turn)
    result = await task(model, tasks=SYSTEM).execute_prompt("Is this contract safe?")
    assert (result.status, result.content) == (
        TaskStatus.COMPLETE,
        "Reviewed: Clause 4 is a risk.",
    )
    assert model.seen[1] == ["Read clause 4."]
    usage = result.usage
    assert (usage.input_tokens, usage.output_tokens, usage.calls) == (30, 15, 3)


async def test_each_agent_uses_its_own_provider_in_one_neutral_format():
    """Contract T-1: a subtask's agent may be another vendor's, and neither knows of it."""
    away = CONTRACTS.model_copy(
        update={"agents": (Agent(id="lawyer", name="Lawyer", provider="elsewhere"),)}
    )
    here = PlayedModel([(calling("review", call_id="c1", task="Read."),), ("It is safe.",)])
    elsewhere = PlayedModel([("No risks.",)])
    handler = TaskHandler(
        provider={"default": here, "elsewhere": elsewhere}, tasks=TaskSystem([away])
    )
    handler.register_subtask_tool("review", ["contracts"])
    assert (await handler.execute_prompt("Is it safe?")).content == "It is safe."
    (asked,) = elsewhere.requests
    assert [(one.role, one.text) for one in asked.messages] == [("user", "Read.")]
    assert [(one.role, one.text, one.tool_call_id) for one in here.requests[1].messages] == [
        ("user", "Is it safe?", None),
        ("assistant", "", None),
        ("tool", "No risks.", "c1"),
    ]


def signing():
    """A template whose agent has a tool that asks first."""
    lawyer = Agent(id="lawyer", name="Lawyer", tools=("sign",))
    sign = Tool(name="sign", approval=True, examples=(ToolExample(result="Signed."),))
    return CONTRACTS.model_copy(update={"agents": (lawyer,), "tools": (sign,)})


async def no(asked):
    return False


async def broken(asked):
    raise OSError("the door is locked")


async def otherwise(asked):
    return ChangeCall(id="1", by="ada", asked=0, arguments='{"with": "care"}')


@pytest.mark.parametrize(
    ("approve", "result"),
    [
        (no, "refused"),
        (broken, "The decision failed (OSError: the door is locked)"),
        (otherwise, "Signed."),
    ],
)
async def test_approve_decides_about_each_call_that_requires_approval(approve, result):
    """Contract T-10: as who answers for the user does."""
    turns: list[Turn] = [(calling("review", task="Sign."),)]
    turns += [(calling("sign"), calling("sign")), ("It is done.",), ("So it is.",)]
    model = PlayedModel(turns)
    handler = task(model, tasks=TaskSystem([signing()]), approve=approve)
    assert (await handler.execute_prompt("Sign it!")).content == "So it is."
    told = [one.text for one in model.requests[2].messages if one.role == "tool"]
    assert len(told) == 2
    assert all(result in one for one in told)
    given = [one for one in handler.events if isinstance(one, ApprovalGiven)]
    assert [one.by for one in given] == ["ada" if approve is otherwise else "approve"] * 2
    await handler.aclose()


async def test_a_call_that_requires_approval_fails_without_approve():
    turns: list[Turn] = [(calling("review", task="Sign."),), (calling("sign"),)]
    handler = task(PlayedModel(turns), tasks=TaskSystem([signing()]))
    with pytest.raises(TaskError, match="sign requires approval") as caught:
        await handler.execute_prompt("Sign it!")
    assert caught.value.reason == "waiting_for_approval"
    await handler.aclose()


async def test_a_single_provider_is_used_for_all_templates():
    """Contract T-1: whatever provider those ask for."""
    away = CONTRACTS.model_copy(
        update={"agents": (Agent(id="lawyer", name="Lawyer", provider="elsewhere"),)}
    )
    turns: list[Turn] = [(calling("review", task="Read."),), ("No risks.",), ("It is safe.",)]
    handler = task(PlayedModel(turns), tasks=TaskSystem([away]))
    assert (await handler.execute_prompt("Is it safe?")).content == "It is safe."


async def test_a_model_may_request_several_subtasks():
    """Contract T-9: one after the other and two at once."""

    def turn(request: ModelRequest) -> Turn:
        if request.agent.id != "assistant":
            return (f"{request.agent.id}: {request.messages[-1].text}",)
        done = [one.text for one in request.messages if one.role == "tool"]
        if len(done) < 3:
            return (calling("review", task=f"part {len(done)}"),)
        if len(done) == 3:
            return (calling("review", task="a"), calling("write", task="b"))
        return (", ".join(done),)

    handler = task(PlayedModel(turn), tasks=SYSTEM)
    answer = (await handler.execute_prompt("go")).content
    assert answer == "lawyer: part 0, lawyer: part 1, lawyer: part 2, lawyer: a, writer: b"
    assert [one.task_id for one in every(SubtaskStarted, handler.events)] == [
        "task__task_review_0",
        "task__task_review_1",
        "task__task_review_2",
        "task__task_review_3",
        "task__task_write_4",
    ]


async def test_a_subtask_without_a_template_is_an_error_of_its_tool():
    """Contract T-9, T-12: with the tool's name and the call's id."""
    model = PlayedModel([(calling("review", call_id="c1", task="x"),), ("Then not.",)])
    result = await task(model, tasks=TaskSystem()).execute_prompt("hi")
    (error,) = result.notes["tool_errors"]
    assert error["details"] == {"tool": "review", "call_id": "c1"}
    assert "no pipeline" in error["message"]
    assert result.content == "Then not."


async def test_a_subtask_that_fails_is_an_error_of_its_tool():
    """Contract T-9, T-7: the model may make the best of it; nothing is tried again."""

    def turn(request: ModelRequest) -> Turn:
        if request.agent.id == "lawyer":
            return (calling("nothing"),)
        if request.messages[-1].role == "user":
            return (calling("review", task="x"),)
        return (request.messages[-1].text,)

    short = CONTRACTS.model_copy(update={"limits": Limits(max_turns=2)})
    model = PlayedModel(turn)
    handler = task(model, tasks=TaskSystem([short]))
    result = await handler.execute_prompt("hi")
    assert result.content == "Error: It ended without an answer: turn limit."
    assert len(model.requests) == 4
    assert only(LimitReached, handler.events).session_id == "task__task_review_0"
    assert only(SubtaskCompleted, handler.events).usage.calls == 2


DIG = pipeline("Dig", "digger", tools=[Tool(name="dig", kind="subtask", pipeline="Dig")])
"""A pipeline whose agent can have the same pipeline do some more."""


async def test_subtasks_nest_at_most_five_levels_deep():
    """Contract T-9: the one that would be the sixth is an error the model can correct."""

    def turn(request: ModelRequest) -> Turn:
        last = request.messages[-1]
        if last.role == "tool":
            return (last.text,)
        return (calling("dig", into=f"{last.text}, deeper"),)

    session = session_with(PlayedModel(turn), DIG, pipelines=TaskSystem([DIG]).find)
    events = await say(session, "go")
    assert len(every(SubtaskStarted, events)) == MAX_DEPTH == 5
    assert "at most 5 deep" in session.history[-1].text
    assert only_end(events).reason is StopReason.REPLIED


async def test_the_same_request_within_itself_is_refused_as_a_cycle():
    """Contract T-9."""

    def turn(request: ModelRequest) -> Turn:
        last = request.messages[-1]
        return (last.text,) if last.role == "tool" else (calling("dig", into="the same hole"),)

    session = session_with(PlayedModel(turn), DIG, pipelines=TaskSystem([DIG]).find)
    events = await say(session, "go")
    assert len(every(SubtaskStarted, events)) == 1
    assert "cycle" in session.history[-1].text


async def test_requests_with_different_inputs_are_different():
    """Contract T-9: one tool with other inputs is another request, also in parallel."""

    def turn(request: ModelRequest) -> Turn:
        last = request.messages[-1]
        if last.role == "tool":
            return (last.text,)
        if last.text == "go":
            return (calling("dig", into="a hole"), calling("dig", into="a hole"))
        return ("deeper",) if last.text == "a well" else (calling("dig", into="a well"),)

    session = session_with(PlayedModel(turn), DIG, pipelines=TaskSystem([DIG]).find)
    events = await say(session, "go")
    assert [one.input for one in every(SubtaskStarted, events)].count("a hole") == 2
    assert [one.input for one in every(SubtaskStarted, events)].count("a well") == 2
    assert "cycle" not in session.history[-1].text


def only_end(events: Any) -> RunCompleted:
    """The end of the session's own run."""
    return [one for one in every(RunCompleted, events) if one.session_id == "s1"][-1]


# Done elsewhere


async def test_without_a_task_system_a_subtask_is_a_continuation():
    """Contract T-9: with all that whoever does it has to know."""
    model = PlayedModel([("One moment. ", calling("review", task="Read clause 4."))])
    handler = task(model)
    result = await handler.execute_prompt("Is it safe?")
    assert (result.status, result.content) == (TaskStatus.CONTINUATION, "One moment. ")
    assert result.notes["subtask_request"] == {
        "type": "review",
        "description": "Reviews.",
        "inputs": {"task": "Read clause 4."},
        "template_hints": ["contracts", "risks"],
        "subtype": None,
    }
    assert json.loads(json.dumps(result.notes)) == result.notes
    assert result.subtask_request == handler.waits_for
    assert SYSTEM.find(result.subtask_request or SubtaskRequest(type="")) is CONTRACTS


async def test_the_result_of_a_subtask_is_the_tools_result_with_usage():
    """Contract T-9, D-6."""
    model = PlayedModel([(calling("review", task="Read."),), ("It is safe.",)])
    handler = task(model)
    await handler.execute_prompt("Is it safe?")
    notes = {"usage": msgspec.to_builtins(Usage(input_tokens=7, calls=2))}
    result = await handler.resume(TaskResult(TaskStatus.COMPLETE, "No risks.", notes))
    assert (result.status, result.content) == (TaskStatus.COMPLETE, "It is safe.")
    assert model.seen[1][-1] == "No risks."
    assert (result.usage.input_tokens, result.usage.calls) == (27, 4)
    done = only(SubtaskCompleted, handler.events)
    assert (done.title, done.output, done.usage.calls) == ("review", "No risks.", 2)


async def test_two_subtasks_of_one_turn_are_two_continuations():
    """Contract T-9: as many as the model asks for, and every call has its result."""
    model = PlayedModel(
        [(calling("review", task="a"), calling("write", task="b")), ("Both are done.",)]
    )
    handler = task(model)
    asked = [await handler.execute_prompt("go")]
    asked.append(await handler.resume("A."))
    result = await handler.resume("B.")
    assert [one.subtask_request.type for one in asked if one.subtask_request] == ["review", "write"]
    assert result.content == "Both are done."
    assert model.seen[1][-2:] == ["A.", "B."]
    assert [event.seq for event in handler.events] == list(range(1, len(handler.events) + 1))


async def test_a_failed_external_subtask_is_an_error_of_the_tool():
    """Contract T-9, T-12."""
    model = PlayedModel([(calling("review", task="a"),), ("Then not.",)])
    handler = task(model)
    await handler.execute_prompt("go")
    result = await handler.resume(TaskResult.failed(TaskError("No lawyer.", reason="failed")))
    assert model.seen[1][-1] == "Error: No lawyer."
    assert result.content == "Then not."


async def test_a_continuation_can_be_resumed_from_a_journal():
    """Contract T-9, S-7: whoever has the journal can resume it."""
    first = task(PlayedModel([(calling("review", task="a"),)]))
    await first.execute_prompt("go")
    model = PlayedModel([("It is safe.",)])
    again = task(model, events=[decode(encode(event)) for event in first.events])
    assert again.waits_for == first.waits_for
    assert (await again.resume("No risks.")).content == "It is safe."
    assert model.seen == [["go", "", "No risks."]]


async def test_prompts_and_results_are_refused_in_the_wrong_state():
    """Contract T-9."""
    handler = task(PlayedModel([(calling("review", task="a"),), ("Done.",)]))
    with pytest.raises(HandlerError, match="does not wait for a result"):
        await handler.resume("What?")
    waits = await handler.execute_prompt("go")
    with pytest.raises(HandlerError, match="waits for a subtask"):
        await handler.execute_prompt("and?")
    for nothing in (None, waits):
        with pytest.raises(HandlerError, match="A result is required"):
            await handler.resume(nothing)
    assert (await handler.resume("A.")).content == "Done."
    with pytest.raises(HandlerError, match="does not wait for a result"):
        await handler.resume("More?")


async def test_closing_a_waiting_task_cancels_its_run():
    """Contract T-2, D-2."""
    async with task(PlayedModel([(calling("review", task="a"),)])) as handler:
        await handler.execute_prompt("go")
    assert types(handler.events)[-2:] == ["subtask.completed", "run.completed"]
    ended = handler.events[-1]
    assert isinstance(ended, RunCompleted)
    assert ended.reason is StopReason.CANCELLED


async def test_a_run_paused_after_an_event_can_be_resumed():
    """Contract S-7: the engine's own pause, whatever it is used for."""
    session = session_with(PlayedModel([("Hello.",)]))
    message = InboundMessage(id="1", text="hi")
    paused = await collect(session.run(message, until=lambda one: one.type == "turn.started"))
    assert session.unfinished
    rest = await collect(session.run())
    assert types(paused)[-1] == "turn.started"
    assert types(rest) == ["message.completed", "run.completed"]


async def test_outside_of_a_task_a_subtask_tool_returns_a_continuation():
    """Contract T-9: a handler of tools has nobody to do it; its result says what is asked for."""
    tool = Tool(name="review", kind="subtask", template_hints=("contracts",), pipeline="Review")
    handler = ToolHandler(tools={"review": SubtaskTool(tool), "look": lambda: "found"})
    calls = {
        "1": {"name": "review", "arguments": {"task": "Read."}},
        "2": {"name": "look", "arguments": {}},
    }
    review, look = [result async for result in handler.handle(calls)]
    assert (review.content, review.error) == ("CONTINUATION", None)
    assert review.notes == {
        "subtask_request": {
            "type": "review",
            "description": "",
            "inputs": {"task": "Read."},
            "template_hints": ["contracts"],
            "subtype": "Review",
        }
    }
    assert (look.content, look.notes) == ("found", None)
