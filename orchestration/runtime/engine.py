"""The loop of a conversation.

The caller records and publishes every event before it asks for the next one, so a run survives its
process: an `Engine` over the recorded `events` continues with `resume` and repeats no finished turn
or tool. Interrupted work is repeated: the journal is exactly-once, the world outside at-least-once
(`CallContext.key` identifies a repeated call).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import assert_never

from orchestration import events as e
from orchestration.control import (
    Approve,
    Steering,
    approval_pause,
    approval_resumption,
    ask_for_decision,
    decision_events,
    pending_approvals,
    waits_for_approval,
)
from orchestration.conversation import (
    AskUser,
    Blueprint,
    Branch,
    Branches,
    CallModel,
    CallTools,
    Events,
    HandoffMemoryProvider,
    ReducedState,
    RunProgress,
    Spawn,
    Task,
    Work,
    completed,
    merge,
    next_step,
)
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import SessionError
from orchestration.hooks import HookContext, Hooks, Subject, trigger_of
from orchestration.messages import InboundMessage, Message, ToolCall, ToolResult, clean
from orchestration.providers import TextPiece
from orchestration.routing import ConversationRouter, RoutingDecision
from orchestration.runtime.engine_settings import EngineSettings, new_id, now
from orchestration.runtime.journal import NoJournal
from orchestration.runtime.turn import Turns
from orchestration.state import ConversationState
from orchestration.tools import ToolHandler, being_cancelled, question_of

_MEMORY, _NO_JOURNAL = HandoffMemoryProvider(), NoJournal()


class Engine:
    """Drive a conversation: one message, one run, a stream of events.

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
        self._branches = Branches.of(
            session_id,
            Blueprint.of(definition),
            settings.get("clock", now),
            settings.get("filters") or {},
            settings.get("pipelines"),
        )
        self._root = self._branches.root
        self._hooks = settings.get("hooks")
        self._ask_user, self._approve = settings.get("ask_user"), settings.get("approve")
        self._turns = Turns(settings["providers"], settings.get("memory") or _MEMORY)
        self._remote_tools = settings.get("remote_tools")
        self._given = settings.get("tools") or {}
        self._tools: dict[Blueprint, ToolHandler] = {}
        self._new_id = settings.get("new_id", new_id)
        self._journal = settings.get("journal") or _NO_JOURNAL
        self.conversation.history.extend(history)
        if state is not None:
            self.conversation.state = state
        for event in events:
            self._branches.apply(event)

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

        The caller records each event before it requests the next.
        """
        if self.unfinished:
            raise SessionError(
                f"Session {self.session_id!r} has an unfinished run: resume or end it first."
            )
        return self._advance(self._root, message)

    def go_on(self) -> AsyncGenerator[e.Event, None]:
        """Yield the events of a run without a message, after a person handed back to an agent."""
        if self.unfinished or self._root.conversation.state.active_agent_id is None:
            raise SessionError(f"Session {self.session_id!r} has no agent to continue with.")
        return self._advance(self._root, None, begins=True)

    def resume(self) -> AsyncGenerator[e.Event, None]:
        """Continue an unfinished run; yield nothing if there is none or it is paused."""
        return self._advance(self._root, None)

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
            events = self._decided(events, self._approve)
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
            ended = self.end_run(e.StopReason.CANCELLED) if self.unfinished else []
            for event in [*recording, *ended]:
                await self._journal.record(event)
            raise

    async def _decided(self, events: Events, approve: Approve) -> Events:
        """Yield the events of a run and of the decisions about its calls."""
        while True:
            async with aclosing(events):
                async for event in events:
                    yield event
            if not (waiting := pending_approvals(self._branches)):
                return
            decision = await ask_for_decision(waiting[0][1], approve)
            for event in decision_events(decision, self._branches):
                yield self._branches.apply(event)
            events = self.resume()

    def end_run(
        self, reason: e.StopReason, *, said: Mapping[str, str] | None = None, by: str = ""
    ) -> list[e.Event]:
        """End the current run after its generator was closed, and return its last events.

        First the unreported events of subtasks, then their ends, then the end of the run itself.
        `said` has the partial answers by the ids of their runs, if another session drove the run;
        `by` is the name of the person who requested the end.
        """
        if not self.unfinished:
            raise SessionError(f"Session {self.session_id!r} has no run to end.")
        ended = self._branches.trace.take_untold()
        for branch in reversed(list(self._branches.open.values())):
            conversation = branch.conversation
            if (run := conversation.run) is not None:
                run.spoken = [said[run.id]] if said and run.id in said else run.spoken
                ended.append(conversation.apply(branch.facts.completed(run, reason, by)))
            if branch.parent is not None:
                ended.append(self._branches.apply(completed(branch)))
        return ended

    # The loop

    async def _advance(  # noqa: C901 - the loop in one place
        self, branch: Branch, message: InboundMessage | None, *, begins: bool = False
    ) -> AsyncGenerator[e.Event, None]:
        """Do one step after the other until the run is over.

        Each round applies pending commands, calls the hooks for the last event, and plans the next
        step. A step is an event, a model call, a pause for an approval, or work in other tasks.
        """
        conversation, facts, record = branch.conversation, branch.facts, branch.conversation.apply
        for untold in self._branches.trace.take_untold() if branch is self._root else ():
            yield untold
        if begins or message is not None:
            run_id = self._new_id() if branch is self._root else conversation.id
            yield record(facts.started(run_id, message))
        while (run := conversation.run) is not None:
            try:
                if branch is self._root:
                    if self.steering.is_due(run):
                        for event in self.steering.step_in(self._branches, run):
                            yield self._branches.apply(event)
                    if run.paused is not None:
                        if (resumption := approval_resumption(self._branches, run)) is None:
                            return
                        yield record(resumption)
                if self._hooks and (failure := await self._tell_hooks(self._hooks, branch, run)):
                    yield record(failure)
                step = next_step(conversation, run, branch.blueprint)
                if (fact := facts.of(step, run)) is not None:
                    yield record(fact)
                elif isinstance(step, CallModel):
                    turn = self._turns.prepare(step, facts, run)
                    for event in turn.opening():
                        yield record(event)
                    if turn.barred:
                        continue
                    async with aclosing(turn.ask()) as pieces:
                        async for piece in pieces:
                            if isinstance(piece, TextPiece):
                                yield turn.say(piece.text)
                            elif (retried := turn.take(piece)) is not None:
                                yield record(retried)
                    yield record(turn.complete())
                elif waits_for_approval(step, self._branches):
                    if branch is not self._root:
                        return
                    yield record(approval_pause(self._branches))
                elif isinstance(step, Work):
                    async with aclosing(self._work(step, branch, run)) as events:
                        async for event in events:
                            yield event
                else:
                    raise AssertionError(step)
            except asyncio.CancelledError as error:
                if being_cancelled():
                    raise
                yield record(facts.failed(run, "CancelledError", str(error) or _FROM_WITHIN))
            except Exception as error:  # noqa: BLE001 - the top of a run: record each failure
                yield record(facts.failed(run, type(error).__name__, str(error)))

    def _work(self, step: CallTools | Spawn | AskUser, branch: Branch, run: RunProgress) -> Events:
        """Return the events of a step that waits for tools, subtasks or the user."""
        match step:
            case CallTools():
                return self._call_tools(step, branch, run)
            case Spawn(tasks):
                for task in tasks:
                    if (error := self._branches.lacks(task, branch)) is not None:
                        return self._refuse(task, error, branch)
                streams = [self._do(task, branch) for task in tasks]
                return streams[0] if len(streams) == 1 else merge(streams, self._branches.trace)
            case AskUser():
                return self._ask(step, branch, run)
            case _:
                assert_never(step)

    async def _tell_hooks(
        self, hooks: Hooks, branch: Branch, run: RunProgress
    ) -> e.HookFailed | None:
        """Call the hooks for the last event; return an event if one fails."""
        event = run.last
        if event is None or (trigger := trigger_of(event)) is None or not hooks.listens(trigger):
            return None
        subject: Subject
        if isinstance(event, e.MessageRouted) and run.announced is not None:
            decision = RoutingDecision(
                event.agent_id, event.by, event.reason, observers=event.observers
            )
            subject = ConversationRouter.stamp(run.announced, decision)
        elif isinstance(event, e.HandoffAccepted | e.HandoffRejected | e.PhaseChanged):
            subject = event
        else:
            return None
        conversation = branch.conversation
        context = HookContext(conversation.id, conversation.state, event)
        error = await hooks.tell(trigger, subject, context)
        head = branch.facts.head()
        return e.HookFailed(*head, trigger=trigger.value, error=error) if error else None

    # Tools

    async def _call_tools(self, step: CallTools, branch: Branch, run: RunProgress) -> Events:
        """Yield the calls that have not started yet, then each result as it arrives."""
        for call in step.calls:
            if call.id not in run.going:
                yield branch.conversation.apply(
                    e.ToolCalled(*branch.facts.turn_head(run.caller), call=call)
                )
        offered = branch.blueprint.offer(run.asked_in, run.caller or "")
        results = self._tools_of(branch).stream(
            step.calls,
            offered=offered.tool_names,
            agent_id=run.caller,
            key=f"{branch.conversation.id}/{run.id}/{run.turns}",
        )
        async with aclosing(results):
            async for result in results:
                yield branch.conversation.apply(branch.facts.returned(result))

    def _tools_of(self, branch: Branch) -> ToolHandler:
        """Return the tools of a pipeline: given, remote, and stand-ins for the others."""
        if (tools := self._tools.get(branch.blueprint)) is None:
            blueprint, source = branch.blueprint, self._remote_tools
            remote = source.tools(blueprint.definition) if source else {}
            given = {**blueprint.stand_ins, **remote, **self._given, **blueprint.playing}
            known = blueprint.definition.tools_by_name
            tools = self._tools[blueprint] = ToolHandler(tools=given, definitions=known)
        return tools

    async def _ask(self, step: AskUser, branch: Branch, run: RunProgress) -> Events:
        """Ask the user and record the answer; without one the run waits for the next message."""
        call, conversation = step.call, branch.conversation
        if conversation.asked is None:
            if self._ask_user is None:
                yield self._unasked(call, branch, "There is nobody here who could be asked")
                return
            head = branch.facts.turn_head(run.caller)
            question = question_of(call)
            yield branch.conversation.apply(
                e.InputRequested(*head, call_id=call.id, question=question)
            )
        asked = conversation.asked
        try:
            given = await self._ask_user(asked) if self._ask_user and asked else None
            answer = None if given is None else clean(str(given))
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and being_cancelled():
                raise
            why = f"The user could not be asked ({type(error).__name__}: {error})"
            yield self._unasked(call, branch, why)
            return
        if answer is not None:
            head = branch.facts.turn_head(run.caller)
            yield branch.conversation.apply(e.InputReceived(*head, call_id=call.id, text=answer))
        elif branch is self._root:
            yield branch.conversation.apply(
                branch.facts.completed(run, e.StopReason.WAITING_FOR_USER)
            )
        else:
            yield self._unasked(call, branch, "The user cannot be waited for within a subtask")

    def _unasked(self, call: ToolCall, branch: Branch, why: str) -> e.Event:
        error = f"{why}: go on without the answer."
        return branch.conversation.apply(
            branch.facts.returned(ToolResult(call_id=call.id, name=call.name, error=error))
        )

    # Subtasks

    async def _refuse(self, task: Task, error: str, parent: Branch) -> Events:
        """Answer the call of a subtask with an error; the other subtasks are planned again."""
        name = task.request.type if task.request else task.title
        result = ToolResult(call_id=task.call_id or "", name=name, error=error)
        yield parent.conversation.apply(parent.facts.returned(result))

    async def _do(self, task: Task, parent: Branch) -> Events:
        """Yield the events of a subtask, from its start or from its interruption."""
        if task.id not in self._branches.open:
            yield self._branches.apply(
                e.SubtaskStarted(
                    *parent.facts.head(),
                    task_id=task.id,
                    kind=task.kind,
                    title=task.title,
                    call_id=task.call_id,
                    input=task.input,
                    request=task.request,
                )
            )
        branch = self._branches.open[task.id]
        new = branch.conversation.run is None and branch.conversation.ended is None
        message = InboundMessage(id=task.id, text=task.input, channel_type="subtask")
        async with aclosing(self._advance(branch, message if new else None)) as events:
            async for event in events:
                yield event
        if branch.conversation.run is not None:
            return  # the subtask waits for a person
        self._tools.pop(branch.blueprint, None)
        yield self._branches.apply(completed(branch))


_FROM_WITHIN = "The awaited task was cancelled."
