"""Tool calls that need a person's approval (`Tool.approval`).

`approval.requested` asks for the approval and `approval.given` records the decision. The rest of
the turn is done in the meantime; then the run is paused until the last call is decided. A call in a
subtask waits too, and independent work continues.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from orchestration import events as e
from orchestration.control.commands import (
    MAX_REMARK,
    ApproveCall,
    ChangeCall,
    Decision,
    RefuseCall,
)
from orchestration.conversation import (
    AwaitApproval,
    ConversationNode,
    ConversationTree,
    RunProgress,
    Spawn,
    Step,
    next_step,
)
from orchestration.exceptions import DefinitionError, SteeringError
from orchestration.loading import TOOL_JSON, read_json
from orchestration.messages import clean
from orchestration.tools import read_arguments

Approve = Callable[[e.ApprovalRequested], Awaitable[bool | Decision] | bool | Decision]
"""Decide about a call: make it, refuse it, or make it with other arguments.

It may be a plain or an async function.
"""


def pending_approvals(tree: ConversationTree) -> list[tuple[ConversationNode, e.ApprovalRequested]]:
    """Return the calls that wait for approval, in the order of their requests."""
    pending = [
        (node, request)
        for node in tree.nodes.values()
        if node.conversation.run is not None
        for request in node.conversation.run.approvals.values()
    ]
    return sorted(pending, key=lambda pair: pair[1].seq)


def waits_for_approval(step: Step, tree: ConversationTree) -> bool:
    """Report whether the run must wait for a person's decision before `step`."""
    match step:
        case AwaitApproval():
            return True
        case Spawn(tasks):
            return all(_subtask_waits(task.id, tree) for task in tasks)
        case _:
            return False


def approval_pause(tree: ConversationTree) -> e.RunPaused:
    """Return the pause of a run that waits for approvals."""
    requests = [request for _, request in pending_approvals(tree)]
    return e.RunPaused(
        *tree.root.event_factory.head(),
        why="approval",
        ahead="call",
        target=requests[0].call.name,
        waits_for=tuple(request.seq for request in requests),
    )


def approval_resumption(tree: ConversationTree, run: RunProgress) -> e.RunResumed | None:
    """Return the end of a pause for approvals, or None if the run must continue to wait."""
    pause = run.pause
    if pause is None or pause.why != "approval":
        return None
    if tuple(request.seq for _, request in pending_approvals(tree)) == pause.waits_for:
        return None
    root = tree.root
    if waits_for_approval(next_step(root.conversation, run, root.pipeline), tree):
        return None
    return e.RunResumed(*root.event_factory.head())


def decision_events(command: Decision, tree: ConversationTree) -> Iterator[e.Event]:
    """Yield the events of a decision: the decision, and the end of a pause.

    Apply each event before requesting the next. Raises `SteeringError` before the first.
    """
    yield _approval_given(command, tree)
    run = tree.root.conversation.run
    if run is not None and (event := approval_resumption(tree, run)) is not None:
        yield event


async def ask_for_decision(request: e.ApprovalRequested, approve: Approve) -> Decision:
    """Ask for the decision about a call; if that fails, the call is refused."""
    by: dict[str, Any] = {"id": f"decision-{request.seq}", "by": "approve", "asked": request.seq}
    try:
        answer = approve(request)
        answer = await answer if inspect.isawaitable(answer) else answer
    except Exception as error:  # noqa: BLE001 - foreign code: the run continues
        return RefuseCall(reason=f"The decision failed ({type(error).__name__}: {error}).", **by)
    if isinstance(answer, Decision):
        return replace(answer, asked=request.seq)
    return ApproveCall(**by) if answer else RefuseCall(**by)


def check_decision(command: Decision, tree: ConversationTree) -> None:
    """Raise `SteeringError` if no call waits for this decision, or if it is not valid."""
    _approval_given(command, tree)


def _approval_given(command: Decision, tree: ConversationTree) -> e.ApprovalGiven:
    pending = pending_approvals(tree)
    match = next((pair for pair in pending if pair[1].seq == command.asked), None)
    if match is None:
        raise SteeringError("This call no longer waits: it was decided, or its run has ended.")
    node, request = match
    call, run = request.call, node.conversation.run
    head = node.event_factory.turn_head(run.caller if run else None)
    by: dict[str, Any] = {
        "call_id": call.id,
        "reason": clean(command.reason).strip()[:MAX_REMARK],
        "by": command.by,
        "command_id": command.id,
    }
    match command:
        case RefuseCall():
            return e.ApprovalGiven(*head, decision="refused", **by)
        case ChangeCall(arguments=text):
            arguments = read_arguments(msgspec.structs.replace(call, arguments=text))
            if isinstance(arguments, str):
                raise SteeringError(arguments)
            try:
                read_json(text or "{}", TOOL_JSON)
            except DefinitionError as error:
                problem = error.faults[0].sentence
                raise SteeringError(f"The arguments of {call.name} are wrong: {problem}") from None
            if errors := node.pipeline.call_errors(call.name, arguments):
                raise SteeringError(f"The arguments of {call.name} are wrong: {'; '.join(errors)}")
            if arguments != read_arguments(call):
                new = msgspec.json.encode(arguments).decode()
                return e.ApprovalGiven(*head, decision="changed", arguments=new, **by)
        case ApproveCall():
            pass
    return e.ApprovalGiven(*head, decision="approved", **by)


def _subtask_waits(task_id: str, tree: ConversationTree) -> bool:
    """Report whether a subtask has started and waits for a decision."""
    node = tree.nodes.get(task_id)
    run = node.conversation.run if node else None
    if node is None or run is None:
        return False
    return waits_for_approval(next_step(node.conversation, run, node.pipeline), tree)
