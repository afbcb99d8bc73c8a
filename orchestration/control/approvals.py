"""Tool calls that need a person's approval (`Tool.approval`).

`approval.requested` asks for the approval and `approval.given` records the decision. The rest of
the turn is done in the meantime; then the run is paused until the last call is decided. A call in a
subtask waits in the same way, and independent work continues.
"""

from __future__ import annotations

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
    Branch,
    Branches,
    RunProgress,
    Spawn,
    Step,
    next_step,
)
from orchestration.exceptions import SteeringError
from orchestration.messages import clean
from orchestration.tools import read_arguments

Approve = Callable[[e.ApprovalRequested], Awaitable[bool | Decision]]
"""Decide about a call: make it, refuse it, or make it with other arguments."""


def pending_approvals(branches: Branches) -> list[tuple[Branch, e.ApprovalRequested]]:
    """Return the calls that wait for approval, in the order of their requests."""
    found = [
        (branch, asked)
        for branch in branches.open.values()
        if branch.conversation.run is not None
        for asked in branch.conversation.run.approvals.values()
    ]
    return sorted(found, key=lambda one: one[1].seq)


def waits_for_approval(step: Step, branches: Branches) -> bool:
    """Report whether the run must wait for a person's decision before `step`."""
    match step:
        case AwaitApproval():
            return True
        case Spawn(tasks):
            return all(_subtask_waits(task.id, branches) for task in tasks)
        case _:
            return False


def approval_pause(branches: Branches) -> e.RunPaused:
    """Return the pause of a run that waits for approvals."""
    waiting = [asked for _, asked in pending_approvals(branches)]
    return e.RunPaused(
        *branches.root.facts.head(),
        why="approval",
        ahead="call",
        target=waiting[0].call.name,
        waits_for=tuple(asked.seq for asked in waiting),
    )


def approval_resumption(branches: Branches, run: RunProgress) -> e.RunResumed | None:
    """Return the end of such a pause; None if the run must continue to wait."""
    pause = run.paused
    if pause is None or pause.why != "approval":
        return None
    if tuple(asked.seq for _, asked in pending_approvals(branches)) == pause.waits_for:
        return None
    root = branches.root
    if waits_for_approval(next_step(root.conversation, run, root.blueprint), branches):
        return None
    return e.RunResumed(*root.facts.head())


def decision_events(command: Decision, branches: Branches) -> Iterator[e.Event]:
    """Yield the events of a decision: the decision, and the end of a pause.

    Apply each event before requesting the next. Raises `SteeringError` before the first.
    """
    yield _approval_given(command, branches)
    run = branches.root.conversation.run
    if run is not None and (event := approval_resumption(branches, run)) is not None:
        yield event


async def ask_for_decision(asked: e.ApprovalRequested, approve: Approve) -> Decision:
    """Ask for the decision about a call; if that fails, the call is refused."""
    by: dict[str, Any] = {"id": f"decision-{asked.seq}", "by": "approve", "asked": asked.seq}
    try:
        said = await approve(asked)
    except Exception as error:  # noqa: BLE001 - foreign code: the run continues
        return RefuseCall(reason=f"Nobody could decide ({type(error).__name__}: {error}).", **by)
    if isinstance(said, Decision):
        return replace(said, asked=asked.seq)
    return ApproveCall(**by) if said else RefuseCall(**by)


def check_decision(command: Decision, branches: Branches) -> None:
    """Raise `SteeringError` if no call waits for this decision, or if it is not valid."""
    _approval_given(command, branches)


def _approval_given(command: Decision, branches: Branches) -> e.ApprovalGiven:
    found = next((one for one in pending_approvals(branches) if one[1].seq == command.asked), None)
    if found is None:
        raise SteeringError("This call does not wait any more: it was decided, or its run ended.")
    branch, asked = found
    call, run = asked.call, branch.conversation.run
    head = branch.facts.turn_head(run.caller if run else None)
    by: dict[str, Any] = {"call_id": call.id, "by": command.by, "command_id": command.id}
    match command:
        case RefuseCall(reason=reason):
            why = clean(reason).strip()[:MAX_REMARK]
            return e.ApprovalGiven(*head, decision="refused", reason=why, **by)
        case ChangeCall(arguments=text):
            written = msgspec.structs.replace(call, arguments=text)
            arguments = read_arguments(written)
            if isinstance(arguments, str):
                raise SteeringError(arguments)
            if faults := branch.blueprint.call_faults(call.name, arguments):
                raise SteeringError(f"The arguments of {call.name} are wrong: {'; '.join(faults)}")
            if arguments != read_arguments(call):
                new = msgspec.json.encode(arguments).decode()
                return e.ApprovalGiven(*head, decision="changed", arguments=new, **by)
        case ApproveCall():
            pass
    return e.ApprovalGiven(*head, decision="approved", **by)


def _subtask_waits(task_id: str, branches: Branches) -> bool:
    """Report whether a subtask has started and waits for a decision itself."""
    branch = branches.open.get(task_id)
    run = branch.conversation.run if branch else None
    if branch is None or run is None:
        return False
    return waits_for_approval(next_step(branch.conversation, run, branch.blueprint), branches)
