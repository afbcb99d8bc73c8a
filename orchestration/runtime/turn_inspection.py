"""Request of a recorded turn and context of a recorded handoff, recomputed from the journal.

Nothing of it is recorded, for all of it follows from the events. The turn is prepared by the very
code that prepared it for the provider (`Turns.prepare`), over the same fold of the same events.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from orchestration import events as e
from orchestration.conversation import (
    Blueprint,
    Branch,
    Branches,
    CallModel,
    FindPipeline,
    HandoffMemoryProvider,
    MemoryProvider,
    View,
)
from orchestration.definition import PipelineDefinition
from orchestration.messages import Message
from orchestration.providers import ModelRequest, Piece, PromptMessage
from orchestration.runtime.turn import Turns
from orchestration.state import ConversationState

_now = partial(datetime.now, UTC)
_MEMORY = HandoffMemoryProvider()


@dataclass(frozen=True, slots=True)
class Sent:
    """Request of one turn to its model."""

    turn: e.TurnStarted
    request: ModelRequest
    tokens: int
    """Estimated, of all that was sent."""
    limit: int
    """Limit of tokens."""
    completed: e.MessageCompleted | None
    """The answer, if it came."""


@dataclass(frozen=True, slots=True)
class Share:
    """One piece of a conversation: what of it the sender of a handoff had, and its receiver got."""

    had: PromptMessage | None
    got: PromptMessage | None
    is_told_otherwise: bool = False
    """It is no message of its own to the receiver: of a stranger's call it hears with the result.
    """

    @property
    def is_left_out(self) -> bool:
        """True if the sender had it and the receiver does not get it."""
        return self.had is not None and self.got is None and not self.is_told_otherwise


@dataclass(frozen=True, slots=True)
class HandedOn:
    """Contexts of both sides of a handoff, message by message."""

    handoff: e.HandoffAccepted
    receiver: str | None
    """The agent that got it, of a group the first that was asked; None: the human."""
    shares: tuple[Share, ...]
    sent: Sent | None
    """The receiver's first turn, if it came to that."""

    @property
    def left_out(self) -> int:
        """Number of the sender's messages that the receiver did not get."""
        return sum(one.is_left_out for one in self.shares)


@dataclass(frozen=True)
class Recording:
    """A session's events, to be looked into; `history` and `state` are what was before them."""

    definition: PipelineDefinition
    events: Sequence[e.Event]
    session_id: str
    find_pipeline: FindPipeline | None = None
    memory: MemoryProvider = field(default=_MEMORY)
    history: Iterable[Message] = ()
    state: ConversationState | None = None

    def sent(self, seq: int) -> Sent | None:
        """Return the request of the turn that event `seq` began or completed; otherwise None.

        Of a turn that was begun anew, after its process died, it is what was sent the last time.
        """
        turn = self._turn_at(seq)
        if turn is None or turn.agent_id is None:
            return None
        completed = self._completion(turn)
        until = completed.seq - 1 if completed else turn.seq
        branch = self._fold(until).branch_of(turn.session_id)
        return None if branch is None else self._prepared(turn, branch, completed)

    def handed_on(self, seq: int) -> HandedOn | None:
        """Return the contexts of the handoff in event `seq`; None for another event."""
        handoff = self._at(seq)
        if not isinstance(handoff, e.HandoffAccepted):
            return None
        before = self._fold(seq - 1).branch_of(handoff.session_id)
        if before is None:
            return None
        had = self._had(handoff.from_agent, before)
        if handoff.to_agent is None:
            return HandedOn(handoff, None, tuple(Share(one, one) for one in had.values()), None)
        turn = self._first_turn(handoff, before.blueprint)
        sent = self.sent(turn.seq) if turn else None
        branch = self._fold(turn.seq - 1 if turn else seq).branch_of(handoff.session_id)
        if branch is None:
            return None
        receiver = turn.agent_id if turn and turn.agent_id else handoff.to_agent
        messages = sent.request.messages if sent else self._recalled(receiver, branch)
        return HandedOn(handoff, receiver, _shares(had, messages, receiver, branch), sent)

    # The events

    def _at(self, seq: int) -> e.Event | None:
        return next((one for one in self.events if one.seq == seq), None)

    def _turn_at(self, seq: int) -> e.TurnStarted | None:
        """The turn that an event is of."""
        event = self._at(seq)
        if isinstance(event, e.TurnStarted):
            return event
        if not isinstance(event, e.TurnFact):
            return None
        begun = [
            one
            for one in self.events
            if isinstance(one, e.TurnStarted) and one.seq < seq and _is_of(one, event)
        ]
        return begun[-1] if begun else None

    def _completion(self, turn: e.TurnStarted) -> e.MessageCompleted | None:
        for one in self.events:
            if one.seq > turn.seq:
                if isinstance(one, e.MessageCompleted) and _is_of(turn, one):
                    return one
                if isinstance(one, e.RunCompleted | e.RunFailed) and one.run_id == turn.run_id:
                    return None
        return None

    def _first_turn(self, handoff: e.HandoffAccepted, blueprint: Blueprint) -> e.TurnStarted | None:
        """The first turn of who received a handoff, before they receive another."""
        who = blueprint.members(handoff.to_phase) or (handoff.to_agent,)
        for one in self.events:
            if one.seq <= handoff.seq or not one.session_id.startswith(handoff.session_id):
                continue
            if isinstance(one, e.TurnStarted) and one.agent_id in who:
                return one
            if isinstance(one, e.HandoffAccepted) and one.to_agent == handoff.to_agent:
                return None
        return None

    # The fold

    def _fold(self, until: int | None) -> Branches:
        """All conversations as they stood after event `until`; None: after the last."""
        # What a filter of a caller's own chose is recorded: there has to be one, to take it in.
        told = {
            (one.from_phase, one.to_phase): _unasked
            for one in self.events
            if isinstance(one, e.HandoffAccepted) and one.prompt is not None
        }
        blueprint = Blueprint.of(self.definition)
        branches = Branches.of(self.session_id, blueprint, _now, told, self.find_pipeline)
        conversation = branches.root.conversation
        conversation.history.extend(self.history)
        if self.state is not None:
            conversation.state = self.state
        for event in self.events:
            if until is not None and event.seq > until:
                break
            branches.apply(event)
        return branches

    def _prepared(
        self, turn: e.TurnStarted, branch: Branch, completed: e.MessageCompleted | None
    ) -> Sent | None:
        run = branch.conversation.run
        if run is None or turn.agent_id is None:
            return None
        model = _NobodyAsked(turn.provider, turn.model)
        providers = {agent.provider: model for agent in branch.blueprint.definition.agents}
        step = CallModel(turn.agent_id, turn.turn, started=True)
        made = Turns(providers, self.memory).prepare(step, branch.facts, run)
        return Sent(turn, made.request, made.tokens, made.limit, completed)

    def _recalled(self, agent_id: str, branch: Branch) -> Sequence[PromptMessage]:
        conversation = branch.conversation
        handoff = conversation.received_from.get(agent_id)
        return self.memory.recall(conversation.view(agent_id), handoff).messages

    def _had(self, sender: str | None, branch: Branch) -> dict[int, PromptMessage]:
        """Return the sender's messages by their place in the history; a human has all."""
        history = branch.conversation.history
        if sender is None or sender not in branch.blueprint.definition.agents_by_id:
            return {
                place: PromptMessage(one.role, one.text, one.tool_calls, speaker=one.agent_id)
                for place, one in enumerate(history)
            }
        recalled = self._recalled(sender, branch)
        found, added, _ = _placed(recalled, branch.blueprint.view(sender), history)
        return {-1 - place: one for place, one in enumerate(reversed(added))} | found


def _is_of(turn: e.TurnStarted, event: e.TurnFact) -> bool:
    of = (turn.session_id, turn.run_id, turn.turn)
    return of == (event.session_id, event.run_id, event.turn)


def _shares(
    had: dict[int, PromptMessage],
    messages: Sequence[PromptMessage],
    receiver: str,
    branch: Branch,
) -> tuple[Share, ...]:
    """Both contexts side by side, in the order of the history; what was added comes first."""
    history = branch.conversation.history
    got, added, whole = _placed(messages, branch.blueprint.view(receiver), history)
    places = sorted({*had, *got})
    beside = [
        Share(had.get(place), got.get(place), place not in whole and _is_told(place, got, history))
        for place in places
    ]
    # What is nowhere in the history was put before it, or it is what a group is told at the end.
    first = messages[: len(added)] == added
    notes = [Share(None, one) for one in added]
    return tuple([*notes, *beside] if first else [*beside, *notes])


def _is_told(place: int, got: Mapping[int, object], history: Sequence[Message]) -> bool:
    """Report whether the receiver learns of calls by one of their results."""
    calls = {call.id for call in history[place].tool_calls} if place >= 0 else set()
    return any(at > place and history[at].tool_call_id in calls for at in got)


def _placed(
    messages: Sequence[PromptMessage], view: View, history: Sequence[Message]
) -> tuple[dict[int, PromptMessage], list[PromptMessage], set[int]]:
    """The messages by their places in the history, and those that are not from there.

    With all the places of which the view would ever tell. Looked for from the end: what is
    forgotten is forgotten from the beginning.
    """
    whole: list[tuple[int, PromptMessage]] = []
    for place in range(len(history)):
        known = len(view.messages)
        view.catch_up(history, place + 1)
        whole.extend((place, one) for one in view.messages[known:])
    found: dict[int, PromptMessage] = {}
    added: list[PromptMessage] = []
    at = len(whole)
    for message in reversed(messages):
        same = next((i for i in range(at - 1, -1, -1) if _same(whole[i][1], message)), None)
        if same is None:
            added.append(message)
        else:
            found[whole[same][0]] = message
            at = same
    return dict(sorted(found.items())), added[::-1], {place for place, _ in whole}


def _same(one: PromptMessage, other: PromptMessage) -> bool:
    about = (one.role, one.text, one.tool_call_id, one.speaker)
    return about == (other.role, other.text, other.tool_call_id, other.speaker)


def _unasked(_: Sequence[str], __: object) -> str | None:
    """Stand for a filter whose choice is recorded."""
    return None


@dataclass(frozen=True, slots=True)
class _NobodyAsked:
    """Stands for the provider that was asked, and is not asked again."""

    name: str
    model: str

    def model_of(self, request: ModelRequest) -> str:
        """The model that was asked."""
        return self.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Say nothing."""
        nothing: tuple[Piece, ...] = ()
        for piece in nothing:
            yield piece
