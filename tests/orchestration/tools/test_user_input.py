"""Tools with questions to the user."""

from __future__ import annotations

import asyncio

import pytest

from orchestration.definition import Agent, Group, PipelineDefinition, Stage, Tool
from orchestration.events import (
    InputReceived,
    InputRequested,
    MessageCompleted,
    MessageRouted,
    RunCompleted,
    StopReason,
    ToolReturned,
)
from orchestration.providers.provider import ModelRequest
from orchestration.tools import ASK_USER, user_input_tool
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    every,
    four_stages,
    handing_over,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.user_question import ASKING, asks_once, later


async def test_the_run_pauses_for_a_question_and_continues_with_the_answer():
    """Contract T-10: the answer is the call's result, and a part of the history."""
    requests: list[InputRequested] = []

    async def answer(request: InputRequested) -> str:
        requests.append(request)
        return "order 7"

    model = PlayedModel(asks_once)
    session = session_with(model, ASKING, ask_user=answer)
    events = await say(session, "Where is it?")
    assert types(events)[4:] == [
        "message.completed",
        "input.requested",
        "input.received",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    assert requests == every(InputRequested, events)
    assert (requests[0].question, requests[0].call_id, requests[0].agent_id) == (
        "Which order?",
        "c1",
        TRIAGE,
    )
    assert [(one.role, one.text, one.tool_call_id) for one in session.history[2:]] == [
        ("tool", "order 7", "c1"),
        ("assistant", "You said order 7.", None),
    ]
    assert session.open_question is None


async def test_without_a_callback_a_question_is_an_error_of_its_tool():
    """Contract T-10: the model goes on without the answer."""
    session = session_with(PlayedModel(asks_once), ASKING)
    events = await say(session, "Where is it?")
    result = only(ToolReturned, events).result
    assert (result.name, result.call_id) == (ASK_USER, "c1")
    assert "No user is connected" in (result.error or "")
    assert only(RunCompleted, events).reason is StopReason.REPLIED
    assert every(InputRequested, events) == []


async def test_a_failed_callback_is_an_error_of_its_tool():
    """Contract T-10, T-12: the run continues without another question."""

    async def broken(request: InputRequested) -> str:
        raise OSError("the line is dead")

    session = session_with(PlayedModel(asks_once), ASKING, ask_user=broken)
    events = await say(session, "Where is it?")
    error = only(ToolReturned, events).result.error or ""
    assert "OSError: the line is dead" in error
    assert session.open_question is None
    assert only(RunCompleted, events).reason is StopReason.REPLIED


async def test_the_next_message_may_be_the_answer():
    """Contract T-10: the run ends, and the question stays open."""
    model = PlayedModel(asks_once)
    session = session_with(model, ASKING, ask_user=later)
    first = await say(session, "Where is it?")
    assert only(RunCompleted, first).reason is StopReason.WAITING_FOR_USER
    assert session.open_question == only(InputRequested, first)
    second = await say(session, "order 7")
    assert only(InputReceived, second).text == "order 7"
    assert only(RunCompleted, second).reason is StopReason.REPLIED
    assert [(one.role, one.text) for one in session.history] == [
        ("user", "Where is it?"),
        ("assistant", ""),
        ("tool", "order 7"),
        ("assistant", "You said order 7."),
    ]
    assert session.open_question is None


async def test_the_answer_goes_to_the_asking_agent_despite_the_rules():
    """Contract T-10, O-3."""
    definition = ASKING.model_copy(
        update={
            "rules": four_stages(
                rules=[{"id": "orders", "agent_id": HANDLER, "conditions": {"intents": ["order"]}}]
            ).rules
        }
    )
    session = session_with(PlayedModel(asks_once), definition, ask_user=later)
    await say(session, "Where is it?")
    events = await say(session, "order 7", intent="order")
    assert (only(MessageRouted, events).agent_id, only(MessageRouted, events).by) == (
        TRIAGE,
        "affinity",
    )
    assert {event.agent_id for event in every(MessageCompleted, events)} == {TRIAGE}


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        ({"question": "Which order?"}, "Which order?"),
        ({"about": "the order"}, '{"about": "the order"}'),
        ({"question": " "}, '{"question": " "}'),
        ({"question": 7}, '{"question": 7}'),
    ],
)
async def test_the_question_is_an_argument_of_the_call(arguments, question):
    """Contract T-10."""

    async def answer(request: InputRequested) -> str:
        return request.question

    model = PlayedModel([(calling(ASK_USER, **arguments),), ("Thanks.",)])
    session = session_with(model, ASKING, ask_user=answer)
    assert only(InputRequested, await say(session, "hi")).question == question
    assert model.seen[1][-1] == question


async def test_questions_of_a_turn_come_one_by_one_after_the_other_calls():
    """Contract T-10: after the tools, before the handoff, and each has its own answer."""
    order: list[str] = []

    async def answer(request: InputRequested) -> str:
        order.append(request.question)
        return f"answer to {request.question}"

    def look() -> str:
        order.append("look")
        return "found"

    turn = (
        handing_over(HANDLER),
        calling(ASK_USER, question="one"),
        calling("look"),
        calling(ASK_USER, question="two"),
    )
    model = PlayedModel([turn, ("Done.",)])
    session = session_with(model, ASKING, ask_user=answer, tools={"look": look})
    events = await say(session, "hi")
    assert order == ["look", "one", "two"]
    assert [event.text for event in every(InputReceived, events)] == [
        "answer to one",
        "answer to two",
    ]
    assert types(events).index("handoff.accepted") > types(events).index("input.received")
    assert only(RunCompleted, events).agent_id == HANDLER


async def test_only_the_first_question_waits_for_the_next_message():
    """Contract T-10: every call has a result, and the model may ask again."""
    model = PlayedModel(
        [
            (calling(ASK_USER, question="one"), calling(ASK_USER, question="two")),
            (calling(ASK_USER, question="two, then"),),
            ("Thanks.",),
        ]
    )
    session = session_with(model, ASKING, ask_user=later)
    await say(session, "hi")
    assert session.open_question is not None
    assert session.open_question.question == "one"
    await say(session, "answer one")
    assert session.open_question.question == "two, then"
    events = await say(session, "answer two")
    assert only(RunCompleted, events).reason is StopReason.REPLIED
    calls = [call.id for one in session.history for call in one.tool_calls]
    answers = [str(one.tool_call_id) for one in session.history if one.role == "tool"]
    assert sorted(calls) == sorted(answers)


async def test_a_cancelled_question_is_not_repeated():
    """Contract T-10, D-2."""
    waiting = asyncio.Event()

    async def never(request: InputRequested) -> str:
        waiting.set()
        await asyncio.Event().wait()
        return "never"

    session = session_with(PlayedModel(asks_once), ASKING, ask_user=never)
    run = asyncio.create_task(say(session, "Where is it?"))
    await waiting.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    session.end_run(StopReason.CANCELLED)
    assert session.open_question is None
    assert session.history[-1].role == "tool"


# Within a subtask


RESEARCH = PipelineDefinition(
    name="Research",
    entry="work",
    agents=[Agent(id="searcher", name="Searcher", tools=(ASK_USER,))],
    stages=[Stage(phase="work", agent_id="searcher")],
    tools=[user_input_tool()],
)


async def test_a_question_of_a_subtask_reaches_the_same_user():
    """Contract T-10, T-9: in its own conversation, through the same callback."""

    async def answer(request: InputRequested) -> str:
        return f"{request.session_id} may know"

    def turn(request: ModelRequest) -> Turn:
        if request.agent.id == "searcher":
            return asks_once(request)
        last = request.messages[-1]
        return (last.text,) if last.role == "tool" else (calling("research", about="it"),)

    definition = with_tools(Tool(name="research", kind="subtask"))
    session = session_with(
        PlayedModel(turn), definition, ask_user=answer, pipelines=lambda request: RESEARCH
    )
    await say(session, "hi")
    assert session.history[-1].text == "You said s1__task_research_0 may know."


async def test_a_subtask_cannot_wait_for_the_next_message():
    """Contract T-10: its question is an error of its tool, and the run goes on."""

    def turn(request: ModelRequest) -> Turn:
        if request.agent.id == "searcher":
            return asks_once(request)
        last = request.messages[-1]
        return (last.text,) if last.role == "tool" else (calling("research", about="it"),)

    definition = with_tools(Tool(name="research", kind="subtask"))
    session = session_with(
        PlayedModel(turn), definition, ask_user=later, pipelines=lambda request: RESEARCH
    )
    events = await say(session, "hi")
    assert "A subtask cannot wait for the user" in session.history[-1].text
    assert session.open_question is None
    assert [one.reason for one in every(RunCompleted, events)] == [StopReason.REPLIED] * 2


async def test_each_member_of_a_group_has_its_own_question():
    """Contract T-10, H-9: at once, and each has its own answer."""
    waiting: list[str] = []
    both = asyncio.Event()

    async def answer(request: InputRequested) -> str:
        waiting.append(str(request.agent_id))
        if len(waiting) == 2:
            both.set()
        await both.wait()
        return f"answer for {request.agent_id}"

    group = PipelineDefinition(
        name="Council",
        entry="council",
        agents=[
            Agent(id="doctor", name="Doctor", tools=(ASK_USER,)),
            Agent(id="lawyer", name="Lawyer", tools=(ASK_USER,)),
        ],
        stages=[Stage(phase="council", kind="group", group=Group(agents=("lawyer", "doctor")))],
        tools=[user_input_tool()],
    )
    session = session_with(PlayedModel(asks_once), group, ask_user=answer)
    await asyncio.wait_for(say(session, "hi"), 5)
    assert [(one.agent_id, one.text) for one in session.history[1:]] == [
        ("lawyer", "You said answer for lawyer."),
        ("doctor", "You said answer for doctor."),
    ]
