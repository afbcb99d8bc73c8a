"""One live conversation: the fold of its events, and the loop that adds to them.

The driver records and publishes every event before it asks for the next one. So a run survives its
process: a `Session` of the recorded `events`, then `resume`, goes on where it was cut off and
repeats no finished turn and no finished tool. What was under way is done again: the journal is
exactly-once, the world outside at-least-once (`CallContext.key` is the key against doubles).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import uuid4

from orchestration import events as e
from orchestration.definition import PipelineDefinition
from orchestration.engine import Blueprint, CallModel, CallTools, next_step
from orchestration.exceptions import ProviderError, SessionError, UnknownNameError
from orchestration.facts import Facts
from orchestration.fold import Conversation, Run
from orchestration.handlers import ToolHandler
from orchestration.hooks import HookContext, Hooks, Subject, trigger_of
from orchestration.memory import HandoffMemoryProvider, MemoryProvider
from orchestration.messages import InboundMessage, Message, ToolCall, Usage
from orchestration.preview import Offer
from orchestration.providers.base import (
    HOW_TO_CONNECT,
    MAX_CALLS,
    CallPiece,
    Finished,
    ModelRequest,
    Provider,
    TextPiece,
)
from orchestration.routing import ConversationRouter, RoutingDecision
from orchestration.state import ConversationState
from orchestration.tools.function import RunnableTool

MAX_ANSWER = 1_000_000
"""Characters of one turn's text."""


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid4().hex


class Session:
    """A conversation that can be driven: one message, one run, a stream of events.

    `events` are the ones already recorded; without them the conversation is new.
    """

    def __init__(
        self,
        definition: PipelineDefinition,
        events: Iterable[e.Event] = (),
        *,
        session_id: str,
        providers: Mapping[str, Provider],
        tools: Mapping[str, RunnableTool | Callable[..., Any]] | None = None,
        hooks: Hooks | None = None,
        memory: MemoryProvider | None = None,
        clock: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.definition, self.session_id = definition, session_id
        self._blueprint = Blueprint.of(definition)
        self._conversation = Conversation(self._blueprint.first_state())
        self._providers, self._hooks = providers, hooks or Hooks()
        self._memory: MemoryProvider = memory or HandoffMemoryProvider()
        self._tools = ToolHandler(tools={**self._blueprint.stand_ins, **(tools or {})})
        self._clock, self._new_id = clock, new_id
        self._facts = Facts(session_id, self._conversation, self._blueprint, clock)
        for event in events:
            self._conversation.apply(event)

    @property
    def state(self) -> ConversationState:
        """Where the conversation stands."""
        return self._conversation.state

    @property
    def history(self) -> list[Message]:
        """What was said, called and answered, in order; not to be changed."""
        return self._conversation.history

    @property
    def unfinished(self) -> bool:
        """Whether a run has started and not ended."""
        return self._conversation.run is not None

    @property
    def seq(self) -> int:
        """The number of the last recorded event."""
        return self._conversation.seq

    def receive(self, message: InboundMessage) -> AsyncGenerator[e.Event, None]:
        """One whole run: everything that follows a message, up to its end."""
        if self.unfinished:
            raise SessionError(
                f"Session {self.session_id!r} has an unfinished run: resume or end it first."
            )
        return self._advance(message)

    def resume(self) -> AsyncGenerator[e.Event, None]:
        """Go on with an unfinished run; nothing if there is none."""
        return self._advance(None)

    def end_run(self, reason: e.StopReason, *, said: str | None = None) -> e.Event:
        """End the run under way after its generator was closed, and give its last event.

        `said` is what there is of the answer under way, where another session drove the run.
        """
        run = self._conversation.run
        if run is None:
            raise SessionError(f"Session {self.session_id!r} has no run to end.")
        if said is not None:
            run.spoken = [said]
        return self._record(self._facts.completed(run, reason))

    # The loop

    async def _advance(self, message: InboundMessage | None) -> AsyncGenerator[e.Event, None]:
        """Do one step after the other until the run is over."""
        conversation = self._conversation
        if message is not None:
            head = self._facts.head() | {"run_id": self._new_id(), "agent_id": None}
            yield self._record(e.RunStarted(**head, message=message))
        while (run := conversation.run) is not None:
            try:
                if (failure := await self._tell_hooks(run)) is not None:
                    yield self._record(failure)
                step = next_step(conversation, run, self._blueprint)
                if isinstance(step, CallModel | CallTools):
                    async with aclosing(self._work(step, run)) as events:
                        async for event in events:
                            yield event
                else:
                    yield self._record(self._facts.of(step, run))
            except Exception as error:  # noqa: BLE001 - the top of a run: none ends in silence
                yield self._record(self._facts.failed(run, type(error).__name__, str(error)))

    def _work(self, step: CallModel | CallTools, run: Run) -> AsyncGenerator[e.Event, None]:
        """The events of a step that waits for somebody."""
        if isinstance(step, CallModel):
            return self._call_model(step, run)
        return self._call_tools(step, run)

    def _record(self, event: e.Event) -> e.Event:
        self._conversation.apply(event)
        return event

    async def _tell_hooks(self, run: Run) -> e.HookFailed | None:
        """Tell the hooks of the last event, and say what went wrong."""
        event = run.last
        if event is None or (trigger := trigger_of(event)) is None:
            return None
        if not self._hooks.listens(trigger):
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
        context = HookContext(self.session_id, self.state, event)
        error = await self._hooks.tell(trigger, subject, context)
        return (
            e.HookFailed(**self._facts.head(), trigger=trigger.value, error=error)
            if error
            else None
        )

    # Turns

    async def _call_model(self, step: CallModel, run: Run) -> AsyncGenerator[e.Event, None]:
        """One turn: the checks before it, its start, its pieces, its answer."""
        offered = self._blueprint.offer(self.state.phase, step.agent_id)
        request, tokens = self._request(offered, step.agent_id, run)
        provider = self._provider(request)
        if not step.started:
            limit = self.definition.limits.max_context_tokens
            if tokens > limit:
                yield self._record(
                    e.LimitReached(
                        **self._facts.head(), resource="context", used=tokens, limit=limit
                    )
                )
                return
            if tokens * 5 >= limit * 4 and self._conversation.warned_limit is None:
                yield self._record(e.ContextWarned(**self._facts.head(), used=tokens, limit=limit))
            yield self._record(
                e.TurnStarted(
                    **self._facts.head(),
                    turn=step.turn,
                    provider=provider.name,
                    model=provider.model_of(request),
                    context_tokens=tokens,
                    tools=tuple(tool.name for tool in offered.tools),
                )
            )
        async with aclosing(self._stream(provider, request, run, step.turn)) as events:
            async for event in events:
                yield event

    async def _stream(
        self, provider: Provider, request: ModelRequest, run: Run, turn: int
    ) -> AsyncGenerator[e.Event, None]:
        """The answer's pieces, then the answer."""
        began = perf_counter()
        head = self._facts.head()
        delta_head = head | {"seq": self.seq, "turn": turn}
        texts: list[str] = []
        run.spoken = texts
        calls: list[ToolCall] = []
        offset, finished = 0, None
        async with aclosing(provider.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    yield e.MessageDelta(**delta_head, offset=offset, text=piece.text)
                    offset += len(piece.text)
                    texts.append(piece.text)
                elif isinstance(piece, CallPiece):
                    calls.append(piece.call)
                else:
                    finished = piece
                if offset > MAX_ANSWER or len(calls) > MAX_CALLS:
                    raise ProviderError(f"{provider.name} does not stop: its answer is too long.")
        self._check_answer(provider, finished, bool(texts or calls))
        usage = Usage(
            input_tokens=finished.input_tokens if finished else 0,
            output_tokens=finished.output_tokens if finished else 0,
            calls=1,
            milliseconds=round((perf_counter() - began) * 1000),
        )
        yield self._record(
            e.MessageCompleted(
                **head | {"at": self._clock()},
                turn=turn,
                text="".join(texts),
                tool_calls=_with_ids(calls, self.seq + 1),
                usage=usage,
                channel=self.state.channel,
            )
        )

    def _check_answer(self, provider: Provider, finished: Finished | None, any_piece: bool) -> None:
        if finished is None:
            raise ProviderError(f"{provider.name} stopped in the middle of its answer.")
        run = self._conversation.run
        if not any_piece and run is not None and not run.said:
            why = " (its content filter held it back)" if finished.reason == "filtered" else ""
            raise ProviderError(f"{provider.name} answered with nothing{why}.")

    def _request(self, offered: Offer, agent_id: str, run: Run) -> tuple[ModelRequest, int]:
        """What is sent, and its estimated tokens."""
        if offered.agent is None:
            raise UnknownNameError("agent", agent_id, known=list(self.definition.agents_by_id))
        conversation = self._conversation
        recalled = self._memory.recall(
            conversation.view(agent_id), conversation.received_from.get(agent_id)
        )
        request = ModelRequest(
            agent=offered.agent,
            phase=offered.phase,
            system_parts=offered.system_parts,
            messages=recalled.messages,
            tools=offered.tools,
            came_from=conversation.came_from,
            handoffs=run.handoffs,
        )
        return request, offered.tokens + recalled.tokens

    def _provider(self, request: ModelRequest) -> Provider:
        name = request.agent.provider
        provider = self._providers.get(name)
        if provider is None:
            connected = ", ".join(sorted(self._providers)) or "none"
            raise ProviderError(
                f"Agent {request.agent.id!r} asks for provider {name!r}, which is not connected "
                f"(connected: {connected}). {HOW_TO_CONNECT.get(name, '')}".rstrip()
            )
        return provider

    async def _call_tools(self, step: CallTools, run: Run) -> AsyncGenerator[e.Event, None]:
        """Every call that was not set going yet, then every result, in the order of the calls."""
        for call in step.calls:
            if call.id not in run.going:
                yield self._record(e.ToolCalled(**self._facts.head(run.caller), call=call))
        agent_id = run.caller or ""
        offered = self._blueprint.offer(self.state.phase, agent_id)
        results = await self._tools.run(
            step.calls,
            offered=[tool.name for tool in offered.tools],
            agent_id=agent_id,
            key=f"{self.session_id}/{run.id}/{run.turns}",
        )
        for result in results:
            yield self._record(e.ToolReturned(**self._facts.head(agent_id), result=result))


def _with_ids(calls: list[ToolCall], seq: int) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own, as servers do not always give."""
    taken: set[str] = set()
    named: list[ToolCall] = []
    for number, call in enumerate(calls, start=1):
        if not call.id or call.id in taken:
            call = call.model_copy(update={"id": f"call-{seq}-{number}"})  # noqa: PLW2901
        taken.add(call.id)
        named.append(call)
    return tuple(named)
