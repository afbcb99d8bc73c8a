"""Planner of the loop: the next step of a run.

`next_step` is pure. It reads the state of the conversation and returns the next step; the engine
does the step, applies its events, and plans again until the run has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import msgspec

from orchestration.conversation import groups
from orchestration.conversation.budget import Budget
from orchestration.conversation.compiled import CompiledPipeline
from orchestration.conversation.handoff_context import handoff_context
from orchestration.conversation.memory import notes_to
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.steps import (
    AskApproval,
    AskUser,
    AwaitApproval,
    CallModel,
    CallTools,
    DecideHandoff,
    EndSupervision,
    Enter,
    Fail,
    Finish,
    IssueCommand,
    Receive,
    RefuseCallStep,
    ReportCycle,
    RequestHandoff,
    Route,
    Spawn,
    Step,
    StopAtLimit,
    TakeAnswer,
)
from orchestration.conversation.stop_conditions import (
    handoff_stops,
    named_target,
    next_phase,
)
from orchestration.conversation.subtasks import MAX_DEPTH, Task, task_of
from orchestration.conversation.supervision.log import SupervisionLog
from orchestration.definition import Stage
from orchestration.events import HandoffRejected, Resource, StopReason
from orchestration.handoff import find_loop
from orchestration.messages import ToolCall
from orchestration.tools import ToolSpec, read_arguments

_RECEIVE, _ROUTE, _AWAIT = Receive(), Route(), AwaitApproval()
_REPLIED, _TRUNCATED = Finish(StopReason.REPLIED), Finish(StopReason.TRUNCATED)
_WAIT_FOR_USER, _WAIT_FOR_HUMAN = (
    Finish(StopReason.WAITING_FOR_USER),
    Finish(StopReason.WAITING_FOR_HUMAN),
)

_LIMIT_REASONS: dict[Resource, StopReason] = {
    "turns": StopReason.TURN_LIMIT,
    "handoffs": StopReason.HANDOFF_LIMIT,
    "context": StopReason.CONTEXT_LIMIT,
    "calls": StopReason.CALL_LIMIT,
    "tokens": StopReason.TOKEN_LIMIT,
    "cost": StopReason.COST_LIMIT,
    "time": StopReason.TIME_LIMIT,
}


Planner = Callable[[ReducedState, RunProgress, CompiledPipeline], Step]

_COUNTED = frozenset((CallModel, Spawn))
"""Steps that use the budget. Before a limit is recorded, the budget allows all other steps."""

_ALLOWED_AT_LIMIT = frozenset((Enter, ReportCycle, StopAtLimit, Finish))
"""Steps that are done although the budget is used up. A complete answer is still an answer."""


def next_step(conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline) -> Step:
    """Return the next step of `run`. Pure: the same state gives the same step."""
    return planner_of(conversation)(conversation, run, pipeline)


def planner_of(conversation: ReducedState) -> Planner:
    """Return the function that plans a conversation's steps, as `next_step` does."""
    return unsupervised_step if conversation.supervision is None else _supervised_step


def unsupervised_step(
    conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline
) -> Step:
    """Return the next step without calls of the supervisor."""
    if run.routing is None:
        return _first_step(conversation, run)
    if run.from_agent:
        return _WAIT_FOR_HUMAN if conversation.state.with_human else _WAIT_FOR_USER
    if run.limit is not None:
        return Finish(_LIMIT_REASONS[run.limit.resource])
    if run.in_cycle:
        return Finish(StopReason.CYCLE)
    if run.previous_phase is not None:
        state = conversation.state
        reason = run.handoff.reason if run.handoff else ""
        return Enter(run.previous_phase, state.phase, state.active_agent_id, reason)
    step: Step
    if run.handoff_request is not None:
        step = DecideHandoff(run.handoff_request)
    elif run.open_calls:
        step = _settle_calls(conversation, run, pipeline)
    else:
        step = _continue(conversation, run, pipeline)
    budget = conversation.budget
    if budget.reached is None and type(step) not in _COUNTED:
        return step
    return _within_budget(step, run, budget)


def _within_budget(step: Step, run: RunProgress, budget: Budget) -> Step:
    """Return the step, or the stop at the budget's limit. Started subtasks end first.

    The planner checks the budget and the engine records the start of the call without waiting in
    between, so parallel conversations make exactly the allowed number of calls.
    """
    if budget.reached is not None:
        if type(step) in _ALLOWED_AT_LIMIT:
            return step
    elif isinstance(step, CallModel) and step.started:
        return step  # the interrupted call was counted at its start
    if (exhausted := budget.exhausted()) is None:
        return step
    if isinstance(step, Spawn):
        started = tuple(task for task in step.tasks if (task.call_id or task.id) in run.tasks)
        if started:
            return Spawn(started)
    return StopAtLimit(*exhausted)


def _supervised_step(
    conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline
) -> Step:
    """Return the call of the supervisor that is due before the next step, else the step."""
    log = conversation.supervision
    if log is not None and log.running is not None:
        return Spawn((Task.started_by(log.running),))
    step = unsupervised_step(conversation, run, pipeline)
    return step if log is None else _supervised(step, conversation, log)


def _supervised(step: Step, conversation: ReducedState, log: SupervisionLog) -> Step:
    """Return the call of the supervisor that is due before a step, else the step."""
    match step:
        case CallModel(started=False):
            point = log.due
        case Spawn(tasks) if tasks[0].kind == "member" and conversation.run is not None:
            point = None if conversation.run.tasks else log.due
        case AskUser() if conversation.open_question is None:
            point = log.point_at_end()
        case Finish() | Fail():
            point = log.point_at_end()
        case _:
            return step
    if point is None or log.is_limited or conversation.budget.exhausted() is not None:
        return step
    if log.turns_left <= 0:
        return EndSupervision(log.used, log.settings.max_calls)
    return Spawn((log.task(point),))


def _first_step(conversation: ReducedState, run: RunProgress) -> Step:
    """Record the message, then use it as an answer or route it."""
    if not run.received:
        return _RECEIVE
    if conversation.open_question is not None and not run.from_agent:
        return TakeAnswer(conversation.open_question)
    return _ROUTE


def _settle_calls(conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline) -> Step:
    """Settle the open calls: approvals, tools, subtasks, questions, then handoffs in order.

    A call that waits for approval delays only questions and handoffs.
    """
    offered = pipeline.offer(run.turn_phase, run.caller or "").by_name
    if pipeline.supervisor_tools and (command := _issued_command(run, offered)):
        return IssueCommand(command)
    if pipeline.tools_with_approval and (call := _call_for_approval(run, pipeline, offered)):
        return AskApproval(call)
    return _settle_others(conversation, run, pipeline, offered)


def _settle_others(
    conversation: ReducedState,
    run: RunProgress,
    pipeline: CompiledPipeline,
    offered: Mapping[str, ToolSpec],
) -> Step:
    """Settle the open calls that are not commands and need no approval any more."""
    tools, tasks, questions = [], [], []
    for call in run.open_calls.values():
        if call.id in run.approvals:
            continue
        spec = offered.get(call.name)
        match spec.kind if spec is not None else "function":
            case "function" | "http" | "mcp":
                tools.append(call)
            case "subtask" | "delegate":
                tasks.append(call)
            case "user_input":
                questions.append(call)
    if tools:
        return CallTools(tuple(tools))
    if tasks:
        return _start_subtasks(conversation, run, pipeline, tasks)
    if run.approvals:
        return _AWAIT
    if questions:
        return AskUser(questions[0])
    return RequestHandoff(next(iter(run.open_calls.values())))


def _issued_command(run: RunProgress, offered: Collection[str]) -> ToolCall | None:
    """Return the first open call of a supervisor's tool."""
    return next((call for call in run.open_calls.values() if call.name in offered), None)


def _call_for_approval(
    run: RunProgress, pipeline: CompiledPipeline, offered: Collection[str]
) -> ToolCall | None:
    """Return the first valid call that needs an approval and has not started."""
    names = pipeline.tools_with_approval.intersection(offered)
    started = (run.approvals, run.decisions, run.started_calls, run.tasks)
    for call in run.open_calls.values():
        is_new = call.name in names and not any(call.id in ids for ids in started)
        if is_new and isinstance(read_arguments(call), dict):
            return call
    return None


def _start_subtasks(
    conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline, calls: list[ToolCall]
) -> Step:
    """Start the subtasks of calls, or refuse the first invalid one."""
    offered = pipeline.offer(run.turn_phase, run.caller or "").by_name
    tasks: list[Task] = []
    number = conversation.tasks_begun
    for call in calls:
        event = run.tasks.get(call.id)
        if event is not None:
            tasks.append(Task.started_by(event))
            continue
        definition = pipeline.definition
        task = task_of(call, offered[call.name], definition, conversation.id, number)
        if isinstance(task, str):
            return RefuseCallStep(call, task)
        if task.kind == "delegate":  # a worker sees nothing but the task
            notes = notes_to(task.title, [*conversation.history, *conversation.notes])
            task = msgspec.structs.replace(task, input="\n\n".join([task.input, *notes]))
        if conversation.depth >= MAX_DEPTH:
            return RefuseCallStep(call, f"Subtasks nest at most {MAX_DEPTH} deep: answer yourself.")
        if (task.title, task.input) in conversation.lineage:
            return RefuseCallStep(
                call, f"{call.name} already runs with the same input: this is a cycle."
            )
        tasks.append(task)
        number += 1
    return Spawn(tuple(tasks))


def _continue(conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline) -> Step:
    """Return the step after all calls are settled: end the run, or start the next turn."""
    state, routing = conversation.state, run.routing
    if state.with_human:
        return _WAIT_FOR_HUMAN
    agent_id = state.active_agent_id
    if agent_id is None or routing is None or routing.by == "nobody":
        reason = routing.reason if routing else ""
        return Fail("RoutingError", f"No agent answers. {reason}".strip())
    if run.answered:
        return _after_answer(conversation, run, pipeline)
    if run.handoff is None and run.rejection is not None:
        return _end_after_rejection(run, run.rejection, pipeline)
    if run.handoff is not None and pipeline.waits_after_handoff:
        return Finish(StopReason.REPLIED if run.has_text else StopReason.WAITING_FOR_USER)
    is_placed = run.continuing_agent is not None or run.start_phase is not None
    is_first = run.turns == 0 and not run.tasks and not run.members and not is_placed
    if is_first and (phase := _own_phase(agent_id, state.phase, pipeline)):
        return Enter(state.phase, phase, agent_id, routing.reason)
    if agent_id == state.phase and (stage := pipeline.groups.get(agent_id)) is not None:
        return _run_group(stage, conversation, run, pipeline)
    if run.in_turn:
        return CallModel(agent_id, run.turns, started=True)
    if (turns := run.turns + len(run.started_members)) >= pipeline.max_turns:
        return StopAtLimit("turns", turns, pipeline.max_turns)
    return CallModel(agent_id, run.turns + 1, started=False)


def _after_answer(conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline) -> Step:
    """Return the step after a stage's answer: end, next stage, or handoff to a named target."""
    if run.truncated:
        return _TRUNCATED
    state, output = conversation.state, run.output
    may_name_target = pipeline.peers and not run.target_checked
    if may_name_target and not handoff_stops(pipeline.definition, state.phase, output):
        target = named_target(pipeline.definition, state.phase, output) or ""
        return RequestHandoff(ToolCall(id="", name=target), by_name=True)
    if run.rejection is not None:
        return _end_after_rejection(run, run.rejection, pipeline)
    if state.phase not in pipeline.continuing:
        return _REPLIED
    phase = next_phase(pipeline.definition, state.phase)
    if phase is None:
        return _REPLIED
    if phase not in pipeline.stages:
        return Fail("RoutingError", f"No agent serves stage {phase!r}.")
    reason = f"{state.phase} has answered; {phase} is next."
    return Enter(state.phase, phase, pipeline.stages[phase], reason)


def _end_after_rejection(
    run: RunProgress, rejection: HandoffRejected, pipeline: CompiledPipeline
) -> Step:
    """Return the step that ends the run after a handoff refused by the limit or the cycle rule."""
    if rejection.code == "limit":
        return StopAtLimit("handoffs", run.handoffs, pipeline.max_handoffs)
    return ReportCycle(find_loop([*run.path, rejection.to_agent or ""]) or ())


def _run_group(
    stage: Stage, conversation: ReducedState, run: RunProgress, pipeline: CompiledPipeline
) -> Step:
    """Start or continue the next members of a group, with the notes of this run to them."""
    if stage.group is None:
        return Fail("GroupError", f"The group of stage {stage.phase!r} has no members.")
    if run.tasks and any(m.error is not None or m.truncated for m in run.members.values()):
        return Spawn(tuple(map(Task.started_by, run.tasks.values())))  # after a crash
    failures = [f"{m.title} ({m.error})" for m in run.members.values() if m.error is not None]
    if failures:
        why = f"Members of the group of stage {stage.phase!r} failed: {', '.join(failures)}."
        return Fail("GroupError", why)
    if run.truncated:
        return _TRUNCATED
    outputs = {name: member.output for name, member in run.members.items()}
    wave = groups.next_members(stage.group, outputs)
    if not wave:
        if waiting := [name for name in stage.group.agents if name not in outputs]:
            names = ", ".join(waiting)
            why = f"Members of the group of stage {stage.phase!r} wait for each other: {names}."
            return Fail("GroupError", why)
        return _after_answer(conversation, run, pipeline)
    started = {task.title: task for task in run.tasks.values()}
    used = run.turns + len(run.started_members)
    if used + len(wave) - len(started) > pipeline.max_turns:
        return StopAtLimit("turns", used, pipeline.max_turns)
    tasks: list[Task] = []
    number = conversation.tasks_begun
    for name in wave:
        if name in started:
            tasks.append(Task.started_by(started[name]))
            continue
        text = groups.input_of(stage.group, name, _stage_input(conversation, run), outputs)
        notes = notes_to(name, conversation.history[run.history_start :])
        text = "\n\n".join([text, *notes])
        task_id = f"{conversation.id}__group_{name}_{number}"
        tasks.append(Task(task_id, "member", name, text))
        number += 1
    return Spawn(tuple(tasks))


def _stage_input(conversation: ReducedState, run: RunProgress) -> str:
    """Return the input of the current stage for a group's members (contract H-9).

    It is the output of the previous stage, if there is one; else the user's message, followed by
    the note of the last handoff.
    """
    if run.previous_output is not None:
        return run.previous_output
    handoff = conversation.received_from.get(conversation.state.active_agent_id or "")
    if handoff is not None and handoff is run.handoff and handoff.prompt is not None:
        return handoff.prompt
    text = run.message.text if run.message else ""
    note = handoff_context(handoff)
    return f"{text}\n\n{note.text}" if note else text


def _own_phase(agent_id: str, phase: str, pipeline: CompiledPipeline) -> str | None:
    """Return the phase that a selected agent enters; None if it stays in the current one."""
    served = pipeline.phases.get(agent_id, ())
    entry = pipeline.entry
    if not pipeline.sticky and entry in served:
        return entry if phase != entry else None
    if not served or phase in served:
        return None
    if entry in served:
        return entry
    transitions = pipeline.definition.transitions_from.get(phase, ())
    neighbour = next((each.target for each in transitions if each.target in served), None)
    return neighbour or served[0]
