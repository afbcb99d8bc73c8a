"""Approvals of calls within subtasks, and of subtasks."""

from __future__ import annotations

from typing import Any

from orchestration import events as e
from orchestration.control import (
    ApproveCall,
    ChangeCall,
)
from orchestration.definition import Group, PipelineDefinition, Stage, Tool
from orchestration.messages import SubtaskRequest
from tests.orchestration.approval_session import LOOK, ONE, PAY
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    four_stages,
    only,
    say,
    session_with,
    types,
    with_tools,
)
from tests.orchestration.steering_session import as_recorded, by_ada, steer


def grouped() -> PipelineDefinition:
    """Return a group of triage and handler, which may both look and pay."""
    definition = four_stages(tools=[PAY, LOOK])
    agents = [agent.model_copy(update={"tools": ("pay", "look")}) for agent in definition.agents]
    stage = Stage(phase="intake", kind="group", group=Group(agents=(TRIAGE, HANDLER)))
    stages = (stage, *(one for one in definition.stages if one.phase == "review"))
    return definition.model_copy(
        update={"agents": tuple(agents), "stages": stages, "transitions": ()}
    )


def member_turn(request: Any) -> Turn:
    """Return a turn: triage pays once, the handler answers."""
    paid = any(message.role == "tool" for message in request.messages)
    if request.agent.id == TRIAGE and not paid:
        return ONE
    return [f"{request.agent.name} is done."]


async def test_a_call_of_a_member_waits_while_the_other_members_finish():
    done: list[int] = []

    def pay(amount: int) -> str:
        done.append(amount)
        return "Paid."

    session = session_with(PlayedModel(member_turn), grouped(), tools={"pay": pay})
    told = await say(session, "Pay!")
    assert types(told)[-1] == "run.paused"
    [finished] = every(e.SubtaskCompleted, told)
    assert (finished.title, done) == (HANDLER, [])
    [asked] = session.approvals
    assert asked.session_id != session.session_id

    for again in (
        session,
        session_with(PlayedModel(member_turn), grouped(), events=as_recorded(told)),
    ):
        events = await steer(again, by_ada(ApproveCall, asked=asked.seq))
        rest = [*events, *await collect(again.resume())]
        assert types(rest)[:3] == ["approval.given", "run.resumed", "tool.called"]
        assert types(rest)[-2:] == ["subtask.completed", "run.completed"]


async def test_a_subtask_that_needs_approval_starts_after_the_approval():
    sub = four_stages(name="Research")
    tool = Tool(name="research", kind="subtask", approval=True, pipeline="Research")

    def find(request: SubtaskRequest) -> PipelineDefinition:
        return sub

    model = PlayedModel([[calling("research", call_id="c1", task="Dig.")], ["Dug."], ["Done."]])
    session = session_with(model, with_tools(tool), pipelines=find)
    told = await say(session, "Go")
    assert "subtask.started" not in types(told)
    [asked] = session.approvals
    await steer(session, by_ada(ChangeCall, asked=asked.seq, arguments='{"task": "Dig deep."}'))
    rest = await collect(session.resume())
    assert only(e.SubtaskStarted, rest).input == "Dig deep."
    assert types(rest)[-1] == "run.completed"
