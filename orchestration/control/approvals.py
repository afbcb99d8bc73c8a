"""Calls of which a person decides before they are made (`Tool.approval`).

Such a call is asked about with `approval.requested` and made after `approval.given`. All else of
the turn is done meanwhile; then the run is paused until the last thing it waits for is decided. A
call within a subtask waits alike, and what does not depend on it goes on.
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
"""Decides of a call that asks first: whether it is made, or how."""


def pending(branches: Branches) -> list[tuple[Branch, e.ApprovalRequested]]:
    """The calls that wait for a person, in the order in which they were asked about."""
    found = [
        (branch, asked)
        for branch in branches.open.values()
        if branch.conversation.run is not None
        for asked in branch.conversation.run.approvals.values()
    ]
    return sorted(found, key=lambda one: one[1].seq)


def stands(step: Step, branches: Branches) -> bool:
    """Report whether the run must wait for a person's decision before `step`."""
    match step:
        case AwaitApproval():
            return True
        case Spawn(tasks):
            return all(_stands_within(task.id, branches) for task in tasks)
        case _:
            return False


def paused(branches: Branches) -> e.RunPaused:
    """The pause of a run that stands so."""
    waiting = [asked for _, asked in pending(branches)]
    return e.RunPaused(
        *branches.root.facts.head(),
        why="approval",
        ahead="call",
        target=waiting[0].call.name,
        waits_for=tuple(asked.seq for asked in waiting),
    )


def resumed(branches: Branches, run: RunProgress) -> e.RunResumed | None:
    """The end of such a pause, where what was decided lets the run go on; None where not."""
    pause = run.paused
    if pause is None or pause.why != "approval":
        return None
    if tuple(asked.seq for _, asked in pending(branches)) == pause.waits_for:
        return None
    root = branches.root
    if stands(next_step(root.conversation, run, root.blueprint), branches):
        return None
    return e.RunResumed(*root.facts.head())


def decided(command: Decision, branches: Branches) -> Iterator[e.Event]:
    """The decision, and that the run goes on where it was paused for it.

    Each is to be folded before the next is asked for. Raises `SteeringError` before the first.
    """
    yield _given(command, branches)
    run = branches.root.conversation.run
    if run is not None and (event := resumed(branches, run)) is not None:
        yield event


async def decision_of(asked: e.ApprovalRequested, approve: Approve) -> Decision:
    """Return the decision about a call. A call that nobody can decide is refused."""
    by: dict[str, Any] = {"id": f"decision-{asked.seq}", "by": "approve", "asked": asked.seq}
    try:
        said = await approve(asked)
    except Exception as error:  # noqa: BLE001 - whoever decides is not ours: the run goes on
        return RefuseCall(reason=f"Nobody could decide ({type(error).__name__}: {error}).", **by)
    if isinstance(said, Decision):
        return replace(said, asked=asked.seq)
    return ApproveCall(**by) if said else RefuseCall(**by)


def check_decision(command: Decision, branches: Branches) -> None:
    """Raise `SteeringError` where nothing waits for this decision, or it cannot be."""
    _given(command, branches)


def _given(command: Decision, branches: Branches) -> e.ApprovalGiven:
    found = next((one for one in pending(branches) if one[1].seq == command.asked), None)
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


def _stands_within(task_id: str, branches: Branches) -> bool:
    """Report whether a subtask has begun and waits for a decision itself."""
    branch = branches.open.get(task_id)
    run = branch.conversation.run if branch else None
    if branch is None or run is None:
        return False
    return stands(next_step(branch.conversation, run, branch.blueprint), branches)
