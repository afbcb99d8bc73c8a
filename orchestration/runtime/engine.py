"""The loop of a conversation.

The caller records and publishes each event before it requests the next one, so a run survives its
process: an `Engine` over the recorded `events` continues with `resume` and repeats no finished turn
or tool call. Interrupted work is repeated: events are recorded exactly once, tools may run twice
(`CallContext.key` identifies a repeated call).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import assert_never

from orchestration import events as e
from orchestration.cancellation import being_cancelled
from orchestration.control import (
    Approve,
    Steering,
    approval_pause,
    approval_resumption,
    ask_for_decision,
    decision_events,
    pending_approvals,
    supervisor_events,
    waits_for_approval,
)
from orchestration.conversation import (
    AskUser,
    CallModel,
    CallTools,
    CompiledPipeline,
    ConversationNode,
    ConversationTree,
    Events,
    HandoffMemoryProvider,
    IssueCommand,
    ReducedState,
    RunProgress,
    Spawn,
    Task,
    Work,
    merge,
    planner_of,
    subtask_completed,
    subtask_started,
)
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import SessionError
from orchestration.messages import InboundMessage, Message, ToolCall, ToolResult
from orchestration.providers import TextPiece
from orchestration.runtime.deadline import Deadline, TimedWork, running_timer, time_limit_reached
from orchestration.runtime.engine_settings import EngineSettings, new_id, now
from orchestration.runtime.journal import NoJournal
from orchestration.runtime.observation import Observation
from orchestration.runtime.preparation import check_variables, prepare_message, with_defaults
from orchestration.runtime.questions import ask_user
from orchestration.runtime.redaction import Redaction
from orchestration.runtime.turn import Turns
from orchestration.state import ConversationState
from orchestration.tools import ToolHandler

_MEMORY, _NO_JOURNAL = HandoffMemoryProvider(), NoJournal()


class Engine:
    """Run a conversation: each message starts a run, and a run yields events.

    `events` are the recorded events; without them the conversation is new. `history` and `state`
    come from an earlier conversation that was not recorded here.
    """

    def __init__(
        self,
        definition: PipelineDefinition,
        events: Iterable[e.Event] = (),
        *,
        session_id: str,
        settings: EngineSettings,
        history: Iterable[Message] = (),
        state: ConversationState | None = None,
    ) -> None:
        self.definition, self.session_id = definition, session_id
        self.steering = Steering()
        self._tree = ConversationTree.of(
            session_id,
            CompiledPipeline.of(definition),
            settings.get("clock", now),
            settings.get("filters") or {},
            settings.get("pipelines"),
            settings.get("call_cost"),
        )
        self._root = self._tree.root
        self._deadline = Deadline(self._tree.budget)
        self._observation = Observation.of(settings.get("hooks"), settings.get("observers") or ())
        self._ask_user, self._approve = settings.get("ask_user"), settings.get("approve")
        self._remote_tools = settings.get("remote_tools")
        self._redaction = Redaction.of(
            settings["providers"], self._remote_tools, settings.get("secrets", ())
        )
        memory = settings.get("memory") or _MEMORY
        self._turns = Turns(settings["providers"], memory, self._redaction)
        self._own_tools = settings.get("tools") or {}
        self._tools: dict[CompiledPipeline, ToolHandler] = {}
        self._new_id = settings.get("new_id", new_id)
        self._journal = settings.get("journal") or _NO_JOURNAL
        self._root.conversation.history.extend(history)
        self._variables = check_variables(definition, settings.get("variables") or {})
        if state is not None:
            self.conversation.state = with_defaults(state, definition)
        for event in events:
            self._tree.apply(event)

    @property
    def conversation(self) -> ReducedState:
        """Current state of the conversation; do not modify it."""
        return self._root.conversation

    @property
    def unfinished(self) -> bool:
        """True if a run has started and not ended."""
        return self._root.conversation.run is not None

    def receive(self, message: InboundMessage) -> AsyncGenerator[e.Event, None]:
        """Yield the events of a whole run: everything that follows a message.

        The caller records each event before it requests the next. A message that was received
        before, recognised by its id, continues its unfinished run, or yields nothing.
        """
        conversation = self._root.conversation
        run = conversation.run
        is_repeated = message.id in conversation.message_ids
        if is_repeated and (run is None or run.message is None or run.message.id == message.id):
            return self.resume()
        if run is not None:
            raise SessionError(
                f"Session {self.session_id!r} has an unfinished run: resume or end it first."
            )
        if message.start_phase is not None or message.variables or self._variables:
            message = prepare_message(message, self.definition, self._variables, conversation.state)
        return self._observation.over(self._advance(self._root, message))

    def go_on(self) -> AsyncGenerator[e.Event, None]:
        """Yield the events of a run without a message, after a person handed back to an agent."""
        if self.unfinished or self._root.conversation.state.active_agent_id is None:
            raise SessionError(f"Session {self.session_id!r} has no agent to continue with.")
        return self._observation.over(self._advance(self._root, None, begins=True))

    def resume(self) -> AsyncGenerator[e.Event, None]:
        """Continue an unfinished run; yield nothing if there is none or it is paused."""
        return self._observation.over(self._advance(self._root, None))

    async def run(
        self,
        message: InboundMessage | None = None,
        *,
        until: Callable[[e.Event], bool] | None = None,
    ) -> AsyncGenerator[e.Event, None]:
        """Yield the events of a run, or its rest; each event is in the journal when it is yielded.

        The setting `approve` decides about calls; without it the run stays paused. The generator
        stops after an event for which `until` is true; the unfinished run can be resumed.
        If it is cancelled or closed earlier, the run ends as cancelled, also in the journal.
        """
        events = self.resume() if message is None else self.receive(message)
        if self._approve is not None:
            events = self._with_approvals(events, self._approve)
        recording: list[e.Event] = []
        try:
            async with aclosing(events):
                async for event in events:
                    if not isinstance(event, e.MessageDelta):
                        recording.append(event)
                        await self._journal.record(event)
                        recording.clear()
                    yield event
                    if until is not None and until(event):
                        return
        except (asyncio.CancelledError, GeneratorExit):
            last_events = self.end_run(e.StopReason.CANCELLED) if self.unfinished else []
            for event in [*recording, *last_events]:
                await self._journal.record(event)
            await self._observation.deliver()
            raise

    async def _with_approvals(self, events: Events, approve: Approve) -> Events:
        """Yield the events of a run and of the decisions about its calls."""
        while True:
            async with aclosing(events):
                async for event in events:
                    yield event
            if not (waiting := pending_approvals(self._tree)):
                return
            decision = await ask_for_decision(waiting[0][1], approve)
            for event in decision_events(decision, self._tree):
                yield self._tree.apply(event)
                self._observation.add(event)
            events = self.resume()

    def end_run(
        self, reason: e.StopReason, *, partial: Mapping[str, str] | None = None, by: str = ""
    ) -> list[e.Event]:
        """End the current run after its generator was closed, and return its last events.

        First the undelivered events of subtasks, then their ends, then the end of the run itself.
        `partial` has the partial answers by run id, if another session drove the run; `by` is the
        name of the person who requested the end.
        """
        if not self.unfinished:
            raise SessionError(f"Session {self.session_id!r} has no run to end.")
        events = self._tree.trace.take_undelivered()
        for node in reversed(list(self._tree.nodes.values())):
            conversation = node.conversation
            if (run := conversation.run) is not None:
                if partial and run.id in partial:
                    run.text_pieces = [partial[run.id]]
                events.append(conversation.apply(node.event_factory.run_completed(run, reason, by)))
            if node.parent is not None:
                events.append(self._tree.apply(subtask_completed(node)))
        for event in events:
            self._observation.add(event)
        return events

    # The loop

    async def _advance(  # noqa: C901 - the loop in one place
        self, node: ConversationNode, message: InboundMessage | None, *, begins: bool = False
    ) -> AsyncGenerator[e.Event, None]:
        """Do one step after another until the run has ended.

        Each round applies pending commands, calls the hooks for the last event, and plans the next
        step. A step is an event, a model call, a pause for an approval, or work in other tasks.
        """
        conversation, factory, pipeline = node.conversation, node.event_factory, node.pipeline
        record, plan, is_root = conversation.apply, planner_of(conversation), node is self._root
        steering, observation, creators = self.steering, self._observation, factory.step_events
        timer, current_task = running_timer(), asyncio.current_task
        if is_root:
            for undelivered in self._tree.trace.take_undelivered():
                yield undelivered
        if begins or message is not None:
            run_id = self._new_id() if is_root else conversation.id
            yield record(factory.run_started(run_id, message))
        while (run := conversation.run) is not None:
            try:
                if is_root:
                    if steering.is_due(run):
                        for event in steering.step_in(self._tree, run):
                            yield self._tree.apply(event)
                    if run.pause is not None:
                        if (resumption := approval_resumption(self._tree, run)) is None:
                            return
                        yield record(resumption)
                if observation.is_used and (failure := await observation.report(node)):
                    yield record(failure)
                step = plan(conversation, run, pipeline)
                if (create := creators.get(type(step))) is not None:
                    yield record(create(factory, step, run))
                elif isinstance(step, CallModel):
                    turn = self._turns.prepare(step, factory, run)
                    if (start := turn.start_event()) is not None:
                        yield record(start)
                        if not isinstance(start, e.TurnStarted):
                            continue  # the budget is checked again before the call
                    pieces = turn.stream()
                    try:
                        with TimedWork(self._deadline, pieces, timer) as work:
                            async for piece in pieces:
                                if isinstance(piece, TextPiece):
                                    yield turn.add_text(piece.text)
                                elif (other := turn.add_piece(piece)) is not None:
                                    yield record(other)
                                    if run.limit is not None:
                                        break
                                else:
                                    continue
                                work.task = current_task(timer.loop)
                    finally:
                        await pieces.aclose()
                    if run.limit is None:
                        yield record(turn.complete(expired=work.expired))
                elif waits_for_approval(step, self._tree):
                    if not is_root:
                        return
                    yield record(approval_pause(self._tree))
                elif isinstance(step, Work):
                    async with aclosing(self._work(step, node, run)) as events:
                        async for event in events:
                            yield event
                else:
                    raise AssertionError(step)
            except asyncio.CancelledError as error:
                if being_cancelled():
                    raise
                text = self._redaction.text(str(error)) or _CANCELLED
                yield record(factory.run_failed(run, "CancelledError", text))
            except Exception as error:  # noqa: BLE001 - the top of a run: record each failure
                text = self._redaction.text(str(error))
                yield record(factory.run_failed(run, type(error).__name__, text))

    def _work(
        self,
        step: CallTools | Spawn | AskUser | IssueCommand,
        node: ConversationNode,
        run: RunProgress,
    ) -> Events:
        """Return the events of a step that waits for tools, subtasks or the user."""
        match step:
            case CallTools():
                return self._run_tools(step, node, run)
            case Spawn(tasks):
                for task in tasks:
                    if (error := self._tree.missing_pipeline(task, node)) is not None:
                        return self._refuse(task, error, node)
                streams = [self._run_subtask(task, node) for task in tasks]
                return streams[0] if len(streams) == 1 else merge(streams, self._tree.trace)
            case AskUser():
                return ask_user(step.call, node, run, self._ask_user)
            case IssueCommand(call):
                return self._issue(call, node)
            case _:
                assert_never(step)

    # Tools

    async def _run_tools(self, step: CallTools, node: ConversationNode, run: RunProgress) -> Events:
        """Yield the calls that have not started yet, then each result as it arrives."""
        conversation, factory = node.conversation, node.event_factory
        for call in step.calls:
            if call.id not in run.started_calls:
                seq, at, session_id, run_id, phase, agent_id = factory.turn_head(run.caller)
                called = e.ToolCalled(seq, at, session_id, run_id, phase, agent_id, call=call)
                yield conversation.apply(called)
        offered = node.pipeline.offer(run.turn_phase, run.caller or "")
        results = self._tools_of(node).stream(
            step.calls,
            offered=offered.tool_names,
            agent_id=run.caller,
            key=f"{conversation.id}/{run.id}/{run.turns}",
        )
        try:
            with TimedWork(self._deadline, results, running_timer()) as work:
                async for each in results:
                    result = self._redaction.result(each) if self._redaction.is_needed else each
                    yield conversation.apply(factory.tool_returned(result))
                    work.task = asyncio.current_task(work.timer.loop)
        finally:
            await results.aclose()
        if work.expired:
            yield conversation.apply(time_limit_reached(factory, run.caller))

    def _tools_of(self, node: ConversationNode) -> ToolHandler:
        """Return the tools of a pipeline: in code, remote, and stand-ins for the others."""
        if (handler := self._tools.get(node.pipeline)) is None:
            pipeline, source = node.pipeline, self._remote_tools
            remote = source.tools(pipeline.definition) if source else {}
            tools = {**pipeline.stand_ins, **remote, **self._own_tools}
            tools.update(pipeline.forced_stand_ins)
            known = pipeline.definition.tools_by_name
            handler = self._tools[pipeline] = ToolHandler(tools=tools, definitions=known)
        return handler

    async def _issue(self, call: ToolCall, node: ConversationNode) -> Events:
        """Issue the command of a supervisor's call in the main conversation."""
        for event in supervisor_events(call, node, self._tree):
            yield self._tree.apply(event)
            is_effect = event.session_id != node.conversation.id
            if is_effect and (failure := await self._observation.report(self._root)) is not None:
                yield self._tree.apply(failure)

    # Subtasks

    async def _refuse(self, task: Task, error: str, parent: ConversationNode) -> Events:
        """Answer the call of a subtask with an error; the other subtasks are planned again."""
        name = task.request.type if task.request else task.title
        result = ToolResult(call_id=task.call_id or "", name=name, error=error)
        yield parent.conversation.apply(parent.event_factory.tool_returned(result))

    async def _run_subtask(self, task: Task, parent: ConversationNode) -> Events:
        """Yield the events of a subtask, from its start or its interruption."""
        if task.id not in self._tree.nodes:
            yield self._tree.apply(subtask_started(task, parent))
        node = self._tree.nodes[task.id]
        is_new = node.conversation.run is None and node.conversation.run_end is None
        message = InboundMessage(id=task.id, text=task.input, channel_type="subtask")
        async with aclosing(self._advance(node, message if is_new else None)) as events:
            async for event in events:
                yield event
        if node.conversation.run is not None:
            return  # the subtask waits for a person
        self._tools.pop(node.pipeline, None)
        yield self._tree.apply(subtask_completed(node))


_CANCELLED = "The awaited task was cancelled."
