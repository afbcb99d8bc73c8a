"""One turn: what a model is sent, and what it answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter

import msgspec

from orchestration import events as e
from orchestration.branches import Branch
from orchestration.engine import CallModel
from orchestration.exceptions import ProviderError, UnknownNameError
from orchestration.fold import Run
from orchestration.memory import MemoryProvider
from orchestration.messages import ToolCall, Usage
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

MAX_ANSWER = 1_000_000
"""Characters of one turn's text."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Asks models, and tells of their answers."""

    providers: Mapping[str, Provider]
    memory: MemoryProvider
    record: Callable[[e.Event], e.Event]

    async def ask(
        self, step: CallModel, branch: Branch, run: Run
    ) -> AsyncGenerator[e.Event, None]:
        """The checks before a turn, its start, the pieces of its answer, and the answer."""
        offered = branch.blueprint.offer(branch.conversation.state.phase, step.agent_id)
        request, tokens = self._request(offered, step.agent_id, branch, run)
        provider = self._provider(request)
        facts = branch.facts
        if not step.started:
            limit = branch.blueprint.definition.limits.max_context_tokens
            if tokens > limit:
                head = facts.turn_head(step.agent_id)
                yield self.record(
                    e.LimitReached(**head, resource="context", used=tokens, limit=limit)
                )
                return
            if tokens * 5 >= limit * 4 and branch.conversation.warned_limit is None:
                head = facts.turn_head(step.agent_id)
                yield self.record(e.ContextWarned(**head, used=tokens, limit=limit))
            yield self.record(
                e.TurnStarted(
                    **facts.turn_head(step.agent_id),
                    turn=step.turn,
                    provider=provider.name,
                    model=provider.model_of(request),
                    context_tokens=tokens,
                    tools=offered.tool_names,
                )
            )
        began = perf_counter()
        head = facts.turn_head(step.agent_id)
        head["seq"] -= 1
        texts: list[str] = []
        run.spoken = texts
        calls: list[ToolCall] = []
        offset, finished = 0, None
        async with aclosing(provider.stream(request)) as pieces:
            async for piece in pieces:
                if isinstance(piece, TextPiece):
                    text = piece.text
                    yield e.MessageDelta(**head, turn=step.turn, offset=offset, text=text)
                    offset += len(text)
                    texts.append(text)
                elif isinstance(piece, CallPiece):
                    calls.append(piece.call)
                else:
                    finished = piece
                if offset > MAX_ANSWER or len(calls) > MAX_CALLS:
                    raise ProviderError(f"{provider.name} does not stop: its answer is too long.")
        finished = _checked(finished, provider, bool(texts or calls) or run.said)
        head = facts.turn_head(step.agent_id)
        yield self.record(
            e.MessageCompleted(
                **head,
                turn=step.turn,
                text="".join(texts),
                tool_calls=_with_ids(calls, head["seq"]),
                usage=Usage(
                    input_tokens=finished.input_tokens,
                    output_tokens=finished.output_tokens,
                    calls=1,
                    milliseconds=round((perf_counter() - began) * 1000),
                ),
                channel=branch.conversation.state.channel,
            )
        )

    def _request(
        self, offered: Offer, agent_id: str, branch: Branch, run: Run
    ) -> tuple[ModelRequest, int]:
        """What is sent, and its estimated tokens."""
        if offered.agent is None:
            known = list(branch.blueprint.definition.agents_by_id)
            raise UnknownNameError("agent", agent_id, known=known)
        conversation = branch.conversation
        recalled = self.memory.recall(
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
        provider = self.providers.get(name)
        if provider is None:
            connected = ", ".join(sorted(self.providers)) or "none"
            raise ProviderError(
                f"Agent {request.agent.id!r} asks for provider {name!r}, which is not connected "
                f"(connected: {connected}). {HOW_TO_CONNECT.get(name, '')}".rstrip()
            )
        return provider


def _checked(finished: Finished | None, provider: Provider, said: bool) -> Finished:
    """The end of an answer; raises where it was cut off, or nothing was said."""
    if finished is None:
        raise ProviderError(f"{provider.name} stopped in the middle of its answer.")
    if not said:
        why = " (its content filter held it back)" if finished.reason == "filtered" else ""
        raise ProviderError(f"{provider.name} answered with nothing{why}.")
    return finished


def _with_ids(calls: list[ToolCall], seq: int) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own, as servers do not always give."""
    taken: set[str] = set()
    named: list[ToolCall] = []
    for number, given in enumerate(calls, start=1):
        call = given
        if not call.id or call.id in taken:
            call = msgspec.structs.replace(call, id=f"call-{seq}-{number}")
        taken.add(call.id)
        named.append(call)
    return tuple(named)
