"""One turn: the request to a model and its answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

import msgspec
from msgspec.structs import replace

from orchestration import events as e
from orchestration.conversation import (
    CallModel,
    Check,
    EventFactory,
    MemoryProvider,
    Offer,
    RunProgress,
)
from orchestration.definition import Agent
from orchestration.exceptions import ProviderError, UnknownNameError
from orchestration.messages import ToolCall, Usage
from orchestration.prompts import files_part
from orchestration.providers import (
    MAX_CALLS,
    CallPiece,
    ExchangeListener,
    Finished,
    ModelRequest,
    Piece,
    Provider,
    Retry,
    TurnListener,
    WithFallback,
    setup_instructions,
)
from orchestration.runtime.deadline import time_limit_reached
from orchestration.runtime.redaction import Redaction
from orchestration.tokens import estimate_tokens

MAX_ANSWER = 1_000_000
"""Maximum length of one answer in characters."""


@dataclass(slots=True, eq=False)
class Turn:
    """A turn in progress: the request, and the answer so far."""

    step: CallModel
    event_factory: EventFactory
    run: RunProgress
    provider: Provider
    redaction: Redaction
    request: ModelRequest
    offer: Offer
    tokens: int
    """Estimated tokens of the request."""
    limit: int
    """Maximum tokens of a request."""
    head: e.Head
    """Common fields of the turn's first event."""
    check: Check | None
    """Check of an answer against the agent's response schema; None without a schema."""
    delta: e.MessageDelta | None = None
    """Event of the answer's first text piece; later pieces have its number and time."""
    length: int = 0
    """Length of the text so far."""
    calls: list[ToolCall] = field(default_factory=list)
    finished: Finished | None = None
    start: float = 0.0

    def start_event(self) -> e.Event | None:
        """Return the event before the model call, or None if the turn has already started.

        Either the context exceeds its limit, or it crosses four fifths of it and a warning is due,
        or the turn starts.
        """
        step, head, used, limit = self.step, self.head, self.tokens, self.limit
        if step.started:
            return None
        if used > limit:  # contract T-5
            return e.LimitReached(*head, resource="context", used=used, limit=limit)
        if used * 5 >= limit * 4 and self.event_factory.conversation.warned_limit is None:
            return e.ContextWarned(*head, used=used, limit=limit)
        seq, at, session_id, run_id, phase, agent_id = head
        return e.TurnStarted(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            turn=step.turn,
            provider=self.provider.name,
            model=self.provider.model_of(self.request),
            context_tokens=used,
            tools=self.offer.tool_names,
        )

    def stream(self) -> AsyncGenerator[Piece, None]:
        """Call the model; pass text pieces to `add_text` and other pieces to `add_piece`."""
        self.run.text_pieces = []
        self.start = perf_counter()
        stream = self.provider.stream(self.request)
        return self.redaction.pieces(stream) if self.redaction.is_needed else stream

    def add_text(self, text: str) -> e.MessageDelta:
        """Append a text piece and return its event, with the time of the answer's first piece."""
        offset = self.length
        self.length = length = offset + len(text)
        if length > MAX_ANSWER:
            raise _answer_too_long(self.provider)
        self.run.text_pieces.append(text)
        if offset and (first := self.delta) is not None:
            return replace(first, offset=offset, text=text)
        factory, (_, _, session_id, run_id, phase, agent_id) = self.event_factory, self.head
        last, at, turn = factory.conversation.trace.seq, factory.clock(), self.step.turn
        self.delta = first = e.MessageDelta(
            last, at, session_id, run_id, phase, agent_id, turn=turn, offset=0, text=text
        )
        return first

    def add_piece(self, piece: CallPiece | Finished | Retry) -> e.Event | None:
        """Store a piece; return the event of a retry, or of a limit that prevents it."""
        match piece:
            case Finished():
                self.finished = piece
            case CallPiece():
                self.calls.append(piece.call)
                if len(self.calls) > MAX_CALLS:
                    raise _answer_too_long(self.provider)
            case Retry():
                head = self.event_factory.turn_head(self.step.agent_id)
                if (exhausted := self.event_factory.conversation.budget.exhausted()) is not None:
                    resource, used, limit = exhausted
                    return e.LimitReached(*head, resource=resource, used=used, limit=limit)
                if piece.shown:
                    self.run.text_pieces, self.length = [], 0
                return e.TurnRetried(
                    *head,
                    turn=self.step.turn,
                    attempt=piece.attempt,
                    of=piece.of,
                    error=piece.error,
                    message=piece.message,
                    wait=piece.wait,
                    shown=piece.shown,
                    provider=piece.provider,
                    model=piece.model,
                )
        return None

    def complete(self, *, expired: bool) -> e.Event:
        """Return the event of the answer, or of the deadline if it `expired` before the end.

        Raises `ProviderError` if the answer breaks off or is empty.
        """
        run = self.run
        if expired and self.finished is None:
            return time_limit_reached(self.event_factory, self.step.agent_id)
        has_content = bool(run.text_pieces or self.calls) or run.speaker == self.step.agent_id
        finished = _check_finish(self.finished, self.provider, has_content)
        text = "".join(run.text_pieces)
        if self.check is not None and text and not self.calls:
            _check_schema(text, self.check, finished)
        seq, at, session_id, run_id, phase, agent_id = self.event_factory.turn_head(
            self.step.agent_id
        )
        return e.MessageCompleted(
            seq,
            at,
            session_id,
            run_id,
            phase,
            agent_id,
            turn=self.step.turn,
            text=text,
            tool_calls=self._calls_with_ids() if self.calls else (),
            kept=finished.kept,
            ending=finished.reason,
            request_id=finished.request_id,
            usage=Usage(
                input_tokens=finished.input_tokens,
                output_tokens=finished.output_tokens,
                calls=1,
                milliseconds=round((perf_counter() - self.start) * 1000),
            ),
            channel=self.event_factory.conversation.state.channel,
        )

    def _calls_with_ids(self) -> tuple[ToolCall, ...]:
        """Return the calls with unique ids, because some servers omit or repeat ids.

        A generated id contains the length of the history, so a repeated turn has the same ids.
        """
        position = len(self.event_factory.conversation.history)
        ids: set[str] = set()
        calls: list[ToolCall] = []
        for number, received in enumerate(self.calls, start=1):
            call = received
            if not call.id or call.id in ids:
                call = replace(call, id=f"call-{position}-{number}")
            ids.add(call.id)
            calls.append(call)
        return tuple(calls)


class Turns(msgspec.Struct):
    """Preparation of turns: the provider and the request."""

    providers: Mapping[str, Provider]
    memory: MemoryProvider
    redaction: Redaction
    listen: TurnListener | None = None
    """Listener to every exchange with a vendor; None: no listener."""

    def prepare(self, step: CallModel, factory: EventFactory, run: RunProgress) -> Turn:
        """Return the turn of a step.

        Raises an error if the agent or the provider is missing, or the response schema is invalid.
        """
        conversation = factory.conversation
        agent_id = step.agent_id
        state = conversation.state
        offer = factory.pipeline.offer(state.phase, agent_id, state.variables)
        if offer.agent is None:
            known = list(factory.pipeline.definition.agents_by_id)
            raise UnknownNameError("agent", agent_id, known=known)
        recalled = self.memory.recall(
            conversation.view(agent_id), conversation.received_from.get(agent_id)
        )
        parts, tokens = offer.system_parts, offer.tokens + recalled.tokens
        if run.message is not None and run.message.files:
            files = files_part(run.message.files)
            parts, tokens = (*parts, files), tokens + estimate_tokens(files.text)
        request = ModelRequest(
            agent=offer.agent,
            phase=offer.phase,
            system_parts=parts,
            messages=recalled.messages,
            tools=offer.tools,
            came_from=conversation.came_from,
            handoffs=run.handoffs,
            listen=self.listen and self._listener(self.listen, conversation.id, run.id, step.turn),
        )
        provider = self.providers.get(offer.provider)
        if provider is None:
            raise self._missing_provider(offer.agent)
        if offer.fallback is not None:
            provider = WithFallback(provider, self.providers.get(offer.fallback))
        return Turn(
            step,
            factory,
            run,
            provider,
            self.redaction,
            request,
            offer,
            tokens,
            factory.pipeline.max_context_tokens,
            factory.turn_head(agent_id),
            factory.pipeline.answer_check(offer.agent) if offer.has_schema else None,
        )

    def _listener(
        self, listen: TurnListener, session_id: str, run_id: str, turn: int
    ) -> ExchangeListener:
        return self.redaction.listener(partial(listen, session_id, run_id, turn))

    def _missing_provider(self, agent: Agent) -> ProviderError:
        connected = ", ".join(sorted(self.providers)) or "none"
        return ProviderError(
            f"Agent {agent.id!r} uses provider {agent.provider!r}, which is not connected "
            f"(connected: {connected}). {setup_instructions(agent.provider)}".rstrip()
        )


def _answer_too_long(provider: Provider) -> ProviderError:
    return ProviderError(f"{provider.name} does not stop: its answer is too long.")


def _check_finish(finished: Finished | None, provider: Provider, has_content: bool) -> Finished:
    """Return the end of an answer; raise `ProviderError` without one or without content."""
    if finished is None:
        raise ProviderError(f"{provider.name} stopped in the middle of its answer.")
    if not has_content:
        why = _EMPTY_ANSWER_CAUSES.get(finished.reason, "")
        raise ProviderError(
            f"{provider.name} returned an empty answer{why}.", request_id=finished.request_id
        )
    return finished


_EMPTY_ANSWER_CAUSES = {
    "filtered": " (its content filter blocked it)",
    "refused": " (its model refused)",
    "length": " (it reached the maximum length: increase the agent's max_output_tokens)",
}


def _check_schema(text: str, check: Check, finished: Finished) -> None:
    """Raise `ProviderError` if an answer does not match the agent's response schema.

    Refusals and truncated answers are not checked.
    """
    if finished.reason != "stop":
        return
    try:
        errors = check(msgspec.json.decode(text))
    except (ValueError, RecursionError) as error:
        errors = [f"it is not JSON ({error})"]
    if errors:
        raise ProviderError(
            f"The answer does not follow the agent's response schema: {errors[0]}",
            request_id=finished.request_id,
        )
