"""One turn: what a model is sent, and what it answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Mapping
from functools import partial
from time import perf_counter

import msgspec

from orchestration import events as e
from orchestration.conversation import CallModel, Check, Facts, MemoryProvider, Offer, RunProgress
from orchestration.definition import Agent
from orchestration.exceptions import ProviderError, UnknownNameError
from orchestration.messages import ToolCall, Usage
from orchestration.prompts import files_part
from orchestration.providers import (
    MAX_CALLS,
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    Provider,
    Retry,
    TurnListener,
    WithFallback,
    setup_instructions,
)
from orchestration.tokens import estimate_tokens

MAX_ANSWER = 1_000_000
"""Characters of one turn's text."""


class Turn(msgspec.Struct):
    """A turn under way: what the model is asked, and what has come of its answer."""

    step: CallModel
    facts: Facts
    run: RunProgress
    provider: Provider
    request: ModelRequest
    offered: Offer
    tokens: int
    """Estimated, of all that is sent."""
    limit: int
    """Limit of tokens."""
    delta: e.MessageDelta
    """Event of a text part, without the text."""
    check: Check | None = None
    """Check of an answer, which returns errors in words; None accepts any answer."""
    length: int = 0
    """Length of the text so far."""
    calls: list[ToolCall] = []
    finished: Finished | None = None
    began: float = 0.0

    @property
    def barred(self) -> bool:
        """True if the request exceeds the context window before the turn began (contract T-5)."""
        return self.tokens > self.limit and not self.step.started

    def opening(self) -> Iterator[e.Event]:
        """Yield the events that precede the model call, unless already recorded.

        That the context is over its limit; or that four fifths of it are used, once per crossing,
        and the turn's beginning. Each is made when it is asked for: it takes the next number.
        """
        step, facts, used, limit = self.step, self.facts, self.tokens, self.limit
        if step.started:
            return
        if self.barred:
            head = facts.turn_head(step.agent_id)
            yield e.LimitReached(*head, resource="context", used=used, limit=limit)
            return
        if used * 5 >= limit * 4 and facts.conversation.warned_limit is None:
            yield e.ContextWarned(*facts.turn_head(step.agent_id), used=used, limit=limit)
        yield e.TurnStarted(
            *facts.turn_head(step.agent_id),
            turn=step.turn,
            provider=self.provider.name,
            model=self.provider.model_of(self.request),
            context_tokens=used,
            tools=self.offered.tool_names,
        )

    def ask(self) -> AsyncGenerator[Piece, None]:
        """The answer, in pieces: of text, which is for `say`, and others, for `take`."""
        seq = self.facts.conversation.trace.seq
        self.delta = msgspec.structs.replace(self.delta, seq=seq)
        self.run.spoken = []
        self.began = perf_counter()
        return self.provider.stream(self.request)

    def say(self, text: str) -> e.MessageDelta:
        """Keep a piece of the text, and tell of it."""
        offset = self.length
        self.length = offset + len(text)
        if self.length > MAX_ANSWER:
            raise _endless(self.provider)
        self.run.spoken.append(text)
        return msgspec.structs.replace(self.delta, offset=offset, text=text)

    def take(self, piece: CallPiece | Finished | Retry) -> e.TurnRetried | None:
        """Keep a piece; of retries, tell."""
        match piece:
            case Finished():
                self.finished = piece
            case CallPiece():
                self.calls.append(piece.call)
                if len(self.calls) > MAX_CALLS:
                    raise _endless(self.provider)
            case Retry():
                if piece.shown:
                    self.run.spoken, self.length = [], 0
                return e.TurnRetried(
                    *self.facts.turn_head(self.step.agent_id),
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

    def complete(self) -> e.Event:
        """The answer as a whole; raises where it was cut off, or says nothing."""
        run = self.run
        said = bool(run.spoken or self.calls) or run.speaker == self.step.agent_id
        finished = _checked(self.finished, self.provider, said)
        text = "".join(run.spoken)
        if self.check is not None and text and not self.calls:
            _check_form(text, self.check, finished)
        return e.MessageCompleted(
            *self.facts.turn_head(self.step.agent_id),
            turn=self.step.turn,
            text=text,
            tool_calls=self._named_calls() if self.calls else (),
            kept=finished.kept,
            ending=finished.reason,
            request_id=finished.request_id,
            usage=Usage(
                input_tokens=finished.input_tokens,
                output_tokens=finished.output_tokens,
                calls=1,
                milliseconds=round((perf_counter() - self.began) * 1000),
            ),
            channel=self.facts.conversation.state.channel,
        )

    def _named_calls(self) -> tuple[ToolCall, ...]:
        """The calls, each with an id of its own, as servers do not always give.

        An id of ours says how much had been said: the same whenever the turn is made again.
        """
        place = len(self.facts.conversation.history)
        taken: set[str] = set()
        named: list[ToolCall] = []
        for number, given in enumerate(self.calls, start=1):
            call = given
            if not call.id or call.id in taken:
                call = msgspec.structs.replace(call, id=f"call-{place}-{number}")
            taken.add(call.id)
            named.append(call)
        return tuple(named)


class Turns(msgspec.Struct):
    """Prepares turns: who is asked, and what is sent."""

    providers: Mapping[str, Provider]
    memory: MemoryProvider
    listen: TurnListener | None = None
    """Listener to every exchange with a vendor; None: no listener."""

    def prepare(self, step: CallModel, facts: Facts, run: RunProgress) -> Turn:
        """The turn of a step.

        An agent or a provider that is not there raises, and so does a schema that is none.
        """
        conversation = facts.conversation
        agent_id = step.agent_id
        offered = facts.blueprint.offer(conversation.state.phase, agent_id)
        if offered.agent is None:
            known = list(facts.blueprint.definition.agents_by_id)
            raise UnknownNameError("agent", agent_id, known=known)
        recalled = self.memory.recall(
            conversation.view(agent_id), conversation.received_from.get(agent_id)
        )
        parts, tokens = offered.system_parts, offered.tokens + recalled.tokens
        if run.announced is not None and run.announced.files:
            files = files_part(run.announced.files)
            parts, tokens = (*parts, files), tokens + estimate_tokens(files.text)
        request = ModelRequest(
            agent=offered.agent,
            phase=offered.phase,
            system_parts=parts,
            messages=recalled.messages,
            tools=offered.tools,
            came_from=conversation.came_from,
            handoffs=run.handoffs,
            listen=self.listen and partial(self.listen, conversation.id, run.id, step.turn),
        )
        provider = self._provider(offered.agent)
        limit = facts.blueprint.definition.limits.max_context_tokens
        delta = e.MessageDelta(*facts.turn_head(agent_id), turn=step.turn, offset=0, text="")
        check = facts.blueprint.check_of_answers(offered.agent)
        return Turn(step, facts, run, provider, request, offered, tokens, limit, delta, check)

    def _provider(self, agent: Agent) -> Provider:
        provider = self.providers.get(agent.provider)
        if provider is None:
            connected = ", ".join(sorted(self.providers)) or "none"
            raise ProviderError(
                f"Agent {agent.id!r} asks for provider {agent.provider!r}, which is not connected "
                f"(connected: {connected}). {setup_instructions(agent.provider)}".rstrip()
            )
        if agent.fallback is not None:
            return WithFallback(provider, self.providers.get(agent.fallback))
        return provider


def _endless(provider: Provider) -> ProviderError:
    return ProviderError(f"{provider.name} does not stop: its answer is too long.")


def _checked(finished: Finished | None, provider: Provider, said: bool) -> Finished:
    """The end of an answer; raises where it was cut off, or nothing was said."""
    if finished is None:
        raise ProviderError(f"{provider.name} stopped in the middle of its answer.")
    if not said:
        why = _WHY_NOTHING.get(finished.reason, "")
        raise ProviderError(
            f"{provider.name} answered with nothing{why}.", request_id=finished.request_id
        )
    return finished


_WHY_NOTHING = {
    "filtered": " (its content filter held it back)",
    "refused": " (its model refused)",
    "length": " (its answer reached the bound on its length: raise the agent's max_output_tokens)",
}


def _check_form(text: str, check: Check, finished: Finished) -> None:
    """Raise `ProviderError` where an answer does not follow the schema of its agent's answers.

    A refusal in words is none, nor is what was cut off an answer that could.
    """
    if finished.reason != "stop":
        return
    try:
        faults = check(msgspec.json.decode(text))
    except (ValueError, RecursionError) as error:
        faults = [f"it is no JSON ({error})"]
    if faults:
        raise ProviderError(
            f"The answer does not follow the agent's response schema: {faults[0]}",
            request_id=finished.request_id,
        )
