"""Request of a recorded turn and context of a recorded handoff, recomputed from the journal.

Neither is recorded, because both follow from the events. `Turns.prepare` prepares the turn again,
with the state that the same events lead to.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from orchestration import events as e
from orchestration.conversation import (
    CallModel,
    CompiledPipeline,
    ConversationNode,
    ConversationTree,
    FindPipeline,
    HandoffMemoryProvider,
    MemoryProvider,
    View,
)
from orchestration.definition import PipelineDefinition
from orchestration.messages import Message
from orchestration.providers import ModelRequest, Piece, PromptMessage
from orchestration.runtime.redaction import Redaction
from orchestration.runtime.turn import Turns
from orchestration.state import ConversationState

_now = partial(datetime.now, UTC)
_MEMORY = HandoffMemoryProvider()


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """Request of one turn to its model, with the answer."""

    turn: e.TurnStarted
    request: ModelRequest
    tokens: int
    """Estimated tokens of the request."""
    limit: int
    """Maximum tokens of a request."""
    completed: e.MessageCompleted | None
    """The answer; None if the turn did not finish."""


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """A message in the context of a handoff's sender and in the context of its receiver."""

    sender: PromptMessage | None
    receiver: PromptMessage | None
    is_in_result: bool = False
    """True if the receiver sees the message only as part of another one: a call with its result."""

    @property
    def is_omitted(self) -> bool:
        """True if only the sender has the message."""
        return self.sender is not None and self.receiver is None and not self.is_in_result


@dataclass(frozen=True, slots=True)
class HandoffContexts:
    """Contexts of both sides of a handoff, message by message."""

    handoff: e.HandoffAccepted
    receiver: str | None
    """The target: an agent, or the first agent of a group; None: the human."""
    entries: tuple[ContextEntry, ...]
    turn_request: TurnRequest | None
    """The receiver's first turn, if there was one."""

    @property
    def omitted(self) -> int:
        """Number of the sender's messages that the receiver does not have."""
        return sum(entry.is_omitted for entry in self.entries)


@dataclass(frozen=True)
class Recording:
    """Recorded events of a session; `history` and `state` precede them."""

    definition: PipelineDefinition
    events: Sequence[e.Event]
    session_id: str
    find_pipeline: FindPipeline | None = None
    memory: MemoryProvider = field(default=_MEMORY)
    history: Iterable[Message] = ()
    state: ConversationState | None = None

    def turn_request(self, seq: int) -> TurnRequest | None:
        """Return the request of the turn that event `seq` started or completed, or None.

        If a process died and the turn was repeated, this is the last request.
        """
        turn = self._turn_at(seq)
        if turn is None or turn.agent_id is None:
            return None
        completed = self._completion(turn)
        until = completed.seq - 1 if completed else turn.seq
        node = self._state_at(until).node_of(turn.session_id)
        return None if node is None else self._prepare(turn, node, completed)

    def handoff_contexts(self, seq: int) -> HandoffContexts | None:
        """Return the contexts of the handoff in event `seq`; None for another event."""
        handoff = self._event(seq)
        if not isinstance(handoff, e.HandoffAccepted):
            return None
        before = self._state_at(seq - 1).node_of(handoff.session_id)
        if before is None:
            return None
        sender_messages = self._sender_messages(handoff.from_agent, before)
        if handoff.to_agent is None:
            entries = tuple(ContextEntry(each, each) for each in sender_messages.values())
            return HandoffContexts(handoff, None, entries, None)
        turn = self._first_turn(handoff, before.pipeline)
        request = self.turn_request(turn.seq) if turn else None
        node = self._state_at(turn.seq - 1 if turn else seq).node_of(handoff.session_id)
        if node is None:
            return None
        receiver = turn.agent_id if turn and turn.agent_id else handoff.to_agent
        messages = request.request.messages if request else self._recalled(receiver, node)
        entries = _entries(sender_messages, messages, receiver, node)
        return HandoffContexts(handoff, receiver, entries, request)

    # Events

    def _event(self, seq: int) -> e.Event | None:
        return next((event for event in self.events if event.seq == seq), None)

    def _turn_at(self, seq: int) -> e.TurnStarted | None:
        """Return the start of the turn of an event."""
        event = self._event(seq)
        if isinstance(event, e.TurnStarted):
            return event
        if not isinstance(event, e.TurnEvent):
            return None
        starts = [
            start
            for start in self.events
            if isinstance(start, e.TurnStarted) and start.seq < seq and _is_of(start, event)
        ]
        return starts[-1] if starts else None

    def _completion(self, turn: e.TurnStarted) -> e.MessageCompleted | None:
        for event in self.events:
            if event.seq > turn.seq:
                if isinstance(event, e.MessageCompleted) and _is_of(turn, event):
                    return event
                if isinstance(event, e.RunCompleted | e.RunFailed) and event.run_id == turn.run_id:
                    return None
        return None

    def _first_turn(
        self, handoff: e.HandoffAccepted, pipeline: CompiledPipeline
    ) -> e.TurnStarted | None:
        """Return the receiver's first turn before the next handoff to it."""
        receivers = pipeline.members(handoff.to_phase) or (handoff.to_agent,)
        for event in self.events:
            if event.seq <= handoff.seq or not event.session_id.startswith(handoff.session_id):
                continue
            if isinstance(event, e.TurnStarted) and event.agent_id in receivers:
                return event
            if isinstance(event, e.HandoffAccepted) and event.to_agent == handoff.to_agent:
                return None
        return None

    # State

    def _state_at(self, until: int | None) -> ConversationTree:
        """Return all conversations after event `until`; None: after the last event."""
        # A recorded prompt is applied only if the transition has a filter.
        filters = {
            (event.from_phase, event.to_phase): _recorded_filter
            for event in self.events
            if isinstance(event, e.HandoffAccepted) and event.prompt is not None
        }
        pipeline = CompiledPipeline.of(self.definition)
        tree = ConversationTree.of(self.session_id, pipeline, _now, filters, self.find_pipeline)
        conversation = tree.root.conversation
        conversation.history.extend(self.history)
        if self.state is not None:
            conversation.state = self.state
        for event in self.events:
            if until is not None and event.seq > until:
                break
            tree.apply(event)
        return tree

    def _prepare(
        self, turn: e.TurnStarted, node: ConversationNode, completed: e.MessageCompleted | None
    ) -> TurnRequest | None:
        run = node.conversation.run
        if run is None or turn.agent_id is None:
            return None
        model = _RecordedProvider(turn.provider, turn.model)
        providers = {agent.provider: model for agent in node.pipeline.definition.agents}
        step = CallModel(turn.agent_id, turn.turn, started=True)
        turns = Turns(providers, self.memory, Redaction.of(providers))
        repeated = turns.prepare(step, node.event_factory, run)
        return TurnRequest(turn, repeated.request, repeated.tokens, repeated.limit, completed)

    def _recalled(self, agent_id: str, node: ConversationNode) -> Sequence[PromptMessage]:
        conversation = node.conversation
        handoff = conversation.received_from.get(agent_id)
        return self.memory.recall(conversation.view(agent_id), handoff).messages

    def _sender_messages(
        self, sender: str | None, node: ConversationNode
    ) -> dict[int, PromptMessage]:
        """Return the sender's messages by their index in the history; a human has all."""
        history = node.conversation.history
        if sender is None or sender not in node.pipeline.definition.agents_by_id:
            return {
                index: PromptMessage(m.role, m.text, m.tool_calls, speaker=m.agent_id)
                for index, m in enumerate(history)
            }
        recalled = self._recalled(sender, node)
        matches, added, _ = _match_history(recalled, node.pipeline.view(sender), history)
        return {-1 - index: each for index, each in enumerate(reversed(added))} | matches


def _is_of(turn: e.TurnStarted, event: e.TurnEvent) -> bool:
    key = (turn.session_id, turn.run_id, turn.turn)
    return key == (event.session_id, event.run_id, event.turn)


def _entries(
    sender_messages: dict[int, PromptMessage],
    messages: Sequence[PromptMessage],
    receiver: str,
    node: ConversationNode,
) -> tuple[ContextEntry, ...]:
    """Return both contexts side by side in the order of the history, additions first."""
    history = node.conversation.history
    matches, added, visible = _match_history(messages, node.pipeline.view(receiver), history)
    indexes = sorted({*sender_messages, *matches})
    entries = [
        ContextEntry(
            sender_messages.get(index),
            matches.get(index),
            index not in visible and _has_later_result(index, matches, history),
        )
        for index in indexes
    ]
    # Messages that are not from the history precede it, or are the input of a group at the end.
    is_first = messages[: len(added)] == added
    additions = [ContextEntry(None, message) for message in added]
    return tuple([*additions, *entries] if is_first else [*entries, *additions])


def _has_later_result(
    index: int, matches: Mapping[int, object], history: Sequence[Message]
) -> bool:
    """Report whether the receiver sees a result of the message's calls."""
    calls = {call.id for call in history[index].tool_calls} if index >= 0 else set()
    return any(i > index and history[i].tool_call_id in calls for i in matches)


def _match_history(
    messages: Sequence[PromptMessage], view: View, history: Sequence[Message]
) -> tuple[dict[int, PromptMessage], list[PromptMessage], set[int]]:
    """Match messages with the history.

    Returns the messages by index in the history, the messages from elsewhere, and all indexes that
    the view contains. The search begins at the end, because memories drop the oldest messages.
    """
    visible: list[tuple[int, PromptMessage]] = []
    for index in range(len(history)):
        count = len(view.messages)
        view.catch_up(history, index + 1)
        visible.extend((index, message) for message in view.messages[count:])
    matches: dict[int, PromptMessage] = {}
    added: list[PromptMessage] = []
    end = len(visible)
    for message in reversed(messages):
        same = next((i for i in range(end - 1, -1, -1) if _same(visible[i][1], message)), None)
        if same is None:
            added.append(message)
        else:
            matches[visible[same][0]] = message
            end = same
    return dict(sorted(matches.items())), added[::-1], {index for index, _ in visible}


def _same(message: PromptMessage, other: PromptMessage) -> bool:
    key = (message.role, message.text, message.tool_call_id, message.speaker)
    return key == (other.role, other.text, other.tool_call_id, other.speaker)


def _recorded_filter(_: Sequence[str], __: object) -> str | None:
    """Stand in for a filter with a recorded prompt."""
    return None


@dataclass(frozen=True, slots=True)
class _RecordedProvider:
    """Stand-in for the provider of a recorded turn; it is never called."""

    name: str
    model: str

    def model_of(self, request: ModelRequest) -> str:
        """Return the recorded model."""
        return self.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Yield no pieces."""
        pieces: tuple[Piece, ...] = ()
        for piece in pieces:
            yield piece
