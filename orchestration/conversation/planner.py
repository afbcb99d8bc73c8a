"""The one loop's mind: what comes next, as a closed union.

`next_step` is pure. It looks at the fold of the events and says what is to be done; the session
does it, yields the events, folds them, and asks again until the step is the last.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from orchestration.conversation import groups
from orchestration.conversation.compiled import Blueprint
from orchestration.conversation.memory import handoff_context
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.stop_conditions import handoff_stops, named_target, onward, stops
from orchestration.conversation.subtasks import MAX_DEPTH, Task, task_of
from orchestration.definition import Stage
from orchestration.events import HandoffRequested, InputRequested, StopReason
from orchestration.handoff import find_loop
from orchestration.messages import ToolCall, Value
from orchestration.tools import read_arguments


class Receive(Value, frozen=True):
    """Take in the message that set the run going."""


class TakeAnswer(Value, frozen=True):
    """Give the message to the call that asked the user, as its result."""

    request: InputRequested


class Route(Value, frozen=True):
    """Ask the router who answers."""


class Enter(Value, frozen=True):
    """Tell of a phase: one a handoff led to, one the chosen agent serves, or the next in line."""

    from_phase: str
    to_phase: str
    agent_id: str | None
    reason: str


class CallModel(Value, frozen=True):
    """Ask the active agent's model: one turn."""

    agent_id: str
    turn: int
    started: bool
    """The turn was started by a process that did not end it."""


class AskApproval(Value, frozen=True):
    """Ask a person about a call before it is made."""

    call: ToolCall


class AwaitApproval(Value, frozen=True):
    """Stand still: calls wait for a person, and all else is done that does not wait for them."""


class Work(Value, frozen=True):
    """Pending work other than model calls: tools, subtasks, and questions to the user."""


class CallTools(Work, frozen=True):
    """Run the calls of a turn, all at once."""

    calls: tuple[ToolCall, ...]


class Spawn(Work, frozen=True):
    """Begin or go on with these subtasks, all at once."""

    tasks: tuple[Task, ...]


class RefuseCallStep(Value, frozen=True):
    """Give a call an error that the model can correct."""

    call: ToolCall
    error: str


class AskUser(Work, frozen=True):
    """Ask the user what a tool wants to know, or wait for the answer."""

    call: ToolCall


class RequestHandoff(Value, frozen=True):
    """Read a call of a tool that hands over, or an answer that names its target (contract H-4)."""

    call: ToolCall
    by_name: bool = False


class DecideHandoff(Value, frozen=True):
    """Decide on a handoff that was asked for."""

    request: HandoffRequested


class Circle(Value, frozen=True):
    """The handoffs go in a circle."""

    loop: tuple[str, ...]


class StopAtLimit(Value, frozen=True):
    """A limit bars the way on."""

    resource: Literal["turns", "handoffs"]
    used: int
    limit: int


class Finish(Value, frozen=True):
    """End the run."""

    reason: StopReason


class Fail(Value, frozen=True):
    """End the run on an error that is the pipeline's own."""

    error: str
    message: str


Step = (
    Receive
    | TakeAnswer
    | Route
    | Enter
    | CallModel
    | AskApproval
    | AwaitApproval
    | CallTools
    | Spawn
    | RefuseCallStep
    | AskUser
    | RequestHandoff
    | DecideHandoff
    | Circle
    | StopAtLimit
    | Finish
    | Fail
)

_RECEIVE, _ROUTE, _AWAIT = Receive(), Route(), AwaitApproval()
_REPLIED = Finish(StopReason.REPLIED)

_REASONS: dict[str, StopReason] = {
    "turns": StopReason.TURN_LIMIT,
    "handoffs": StopReason.HANDOFF_LIMIT,
    "context": StopReason.CONTEXT_LIMIT,
}


def next_step(conversation: ReducedState, run: RunProgress, blueprint: Blueprint) -> Step:
    """Return the next step of `run`. Pure: the same state gives the same step."""
    if run.routed is None:
        return _begin(conversation, run)
    if run.limit is not None:
        return Finish(_REASONS[run.limit.resource])
    if run.circled:
        return Finish(StopReason.CYCLE)
    if run.phase_left is not None:
        state = conversation.state
        reason = run.winner.reason if run.winner else ""
        return Enter(run.phase_left, state.phase, state.active_agent_id, reason)
    if run.requested is not None:
        return DecideHandoff(run.requested)
    if run.open_calls:
        return _settle(conversation, run, blueprint)
    return _go_on(conversation, run, blueprint)


def _begin(conversation: ReducedState, run: RunProgress) -> Step:
    """Take the message in, and find who answers it."""
    if not run.received:
        return _RECEIVE
    if conversation.asked is not None:
        return TakeAnswer(conversation.asked)
    return _ROUTE


def _settle(conversation: ReducedState, run: RunProgress, blueprint: Blueprint) -> Step:
    """Every call gets its result: tools, then subtasks, questions, and handoffs in order.

    A person is asked about some first; only those wait for it, and questions and handoffs.
    """
    offered = blueprint.offer(run.asked_in, run.caller or "").by_name
    if blueprint.asks_first and (asked := _asked_first(run, blueprint, offered)):
        return AskApproval(asked)
    tools, tasks, questions = [], [], []
    for call in run.open_calls.values():
        spec = offered.get(call.name)
        match "waiting" if call.id in run.approvals else spec.kind if spec else "function":
            case "function" | "http" | "mcp":
                tools.append(call)
            case "subtask" | "delegate":
                tasks.append(call)
            case "user_input":
                questions.append(call)
    if tools:
        return CallTools(tuple(tools))
    if tasks:
        return _delegate(conversation, run, blueprint, tasks)
    if run.approvals:
        return _AWAIT
    if questions:
        return AskUser(questions[0])
    return RequestHandoff(next(iter(run.open_calls.values())))


def _asked_first(
    run: RunProgress, blueprint: Blueprint, offered: Collection[str]
) -> ToolCall | None:
    """The first call that a person is to be asked about: it can be read, and is not made yet."""
    asking = blueprint.asks_first.intersection(offered)
    known = (run.approvals, run.decided, run.going, run.tasks)
    for call in run.open_calls.values():
        is_new = call.name in asking and not any(call.id in one for one in known)
        if is_new and isinstance(read_arguments(call), dict):
            return call
    return None


def _delegate(
    conversation: ReducedState, run: RunProgress, blueprint: Blueprint, calls: list[ToolCall]
) -> Step:
    """Begin what was asked for, or say why it is not to be."""
    offered = blueprint.offer(run.asked_in, run.caller or "").by_name
    tasks: list[Task] = []
    number = conversation.tasks_begun
    for call in calls:
        started = run.tasks.get(call.id)
        if started is not None:
            tasks.append(Task.begun(started))
            continue
        definition = blueprint.definition
        task = task_of(call, offered[call.name], definition, conversation.id, number)
        if isinstance(task, str):
            return RefuseCallStep(call, task)
        if conversation.depth >= MAX_DEPTH:
            return RefuseCallStep(call, f"Subtasks nest at most {MAX_DEPTH} deep: answer yourself.")
        if (task.title, task.input) in conversation.lineage:
            return RefuseCallStep(
                call, f"{call.name} is under way with the same inputs: this is a cycle."
            )
        tasks.append(task)
        number += 1
    return Spawn(tuple(tasks))


def _go_on(conversation: ReducedState, run: RunProgress, blueprint: Blueprint) -> Step:
    """No call is open: end the run, or ask the next model."""
    definition, state = blueprint.definition, conversation.state
    if state.with_human:
        return Finish(StopReason.WAITING_FOR_HUMAN)
    agent_id = state.active_agent_id
    if agent_id is None or run.routed is None or run.routed.by == "nobody":
        reason = run.routed.reason if run.routed else ""
        return Fail("RoutingError", f"Nobody answers. {reason}".strip())
    if run.answered:
        return _after_answer(conversation, run, blueprint)
    if run.winner is None and (ended := _ended_by_refusal(run, blueprint)):
        return ended
    if run.winner is not None and definition.on_handoff == "wait":
        return Finish(StopReason.REPLIED if run.said else StopReason.WAITING_FOR_USER)
    fresh = run.turns == 0 and not run.tasks and not run.members and run.goes_on is None
    if fresh and (stage := _own_stage(agent_id, state.phase, blueprint)):
        return Enter(state.phase, stage, agent_id, run.routed.reason)
    stage_now = definition.stages_by_phase.get(state.phase)
    if stage_now is not None and stage_now.kind == "group" and agent_id == state.phase:
        return _ask_group(stage_now, conversation, run, blueprint)
    if run.asking:
        return CallModel(agent_id, run.turns, started=True)
    if run.turns + len(run.begun) >= definition.limits.max_turns:
        return StopAtLimit("turns", run.turns + len(run.begun), definition.limits.max_turns)
    return CallModel(agent_id, run.turns + 1, started=False)


def _after_answer(conversation: ReducedState, run: RunProgress, blueprint: Blueprint) -> Step:
    """A stage has answered: end, pass its output on, or hand over to whom it names."""
    definition, state = blueprint.definition, conversation.state
    output = run.output
    looking = definition.topology == "swarm" and not run.looked
    if looking and not handoff_stops(definition, state.phase, output):
        target = named_target(definition, state.phase, output) or ""
        return RequestHandoff(ToolCall(id="", name=target), by_name=True)
    if ended := _ended_by_refusal(run, blueprint):
        return ended
    if stops(definition, state.phase):
        return _REPLIED
    phase = onward(definition, state.phase)
    if phase is None:
        return _REPLIED
    if phase not in blueprint.stages:
        return Fail("RoutingError", f"Nobody serves stage {phase!r}.")
    reason = f"{state.phase} has answered; {phase} is next."
    return Enter(state.phase, phase, blueprint.stages[phase], reason)


def _ended_by_refusal(run: RunProgress, blueprint: Blueprint) -> Step | None:
    """Return the step that ends the run after a handoff refused by the limit or the cycle rule."""
    if run.refused is None:
        return None
    if run.refused.code == "limit":
        return StopAtLimit("handoffs", run.handoffs, blueprint.definition.limits.max_handoffs)
    return Circle(find_loop([*run.path, run.refused.to_agent or ""]) or ())


def _ask_group(
    stage: Stage, conversation: ReducedState, run: RunProgress, blueprint: Blueprint
) -> Step:
    """The members of a group whose turn it is; the ones that have begun go on."""
    if stage.group is None:
        return Fail("GroupError", f"The group of stage {stage.phase!r} has no members.")
    failed = [f"{one.title} ({one.error})" for one in run.members.values() if one.error is not None]
    if failed:
        return Fail("GroupError", f"In stage {stage.phase!r} failed: {', '.join(failed)}.")
    limits = blueprint.definition.limits
    outputs = {name: one.output for name, one in run.members.items()}
    wave = groups.next_members(stage.group, outputs)
    if not wave:
        if waiting := [name for name in stage.group.agents if name not in outputs]:
            why = f"In stage {stage.phase!r} wait for what never comes: {', '.join(waiting)}."
            return Fail("GroupError", why)
        return _after_answer(conversation, run, blueprint)
    begun = {task.title: task for task in run.tasks.values()}
    used = run.turns + len(run.begun)
    if used + len(wave) - len(begun) > limits.max_turns:
        return StopAtLimit("turns", used, limits.max_turns)
    tasks: list[Task] = []
    number = conversation.tasks_begun
    for name in wave:
        if name in begun:
            tasks.append(Task.begun(begun[name]))
            continue
        told = groups.input_of(stage.group, name, _told(conversation, run), outputs)
        task_id = f"{conversation.id}__group_{name}_{number}"
        tasks.append(Task(task_id, "member", name, told))
        number += 1
    return Spawn(tuple(tasks))


def _told(conversation: ReducedState, run: RunProgress) -> str:
    """The input of the present stage: what a group's members are told (contract H-9).

    The output of the stage before it, if there is one; else the user's message, with the note
    of the handoff that led here as an addition.
    """
    if run.given is not None:
        return run.given
    handed = conversation.received_from.get(conversation.state.active_agent_id or "")
    if handed is not None and handed is run.winner and handed.prompt is not None:
        return handed.prompt
    text = run.announced.text if run.announced else ""
    note = handoff_context(handed)
    return f"{text}\n\n{note.text}" if note else text


def _own_stage(agent_id: str, phase: str, blueprint: Blueprint) -> str | None:
    """The stage that a chosen agent enters; None where it serves the present one, or none."""
    served = blueprint.phases.get(agent_id, ())
    entry = blueprint.definition.entry
    if not blueprint.sticky and entry in served:
        return entry if phase != entry else None
    if not served or phase in served:
        return None
    if entry in served:
        return entry
    ways = blueprint.definition.transitions_from.get(phase, ())
    near = next((way.target for way in ways if way.target in served), None)
    return near or served[0]
