"""A run to scale: who was at work when, a lane for each; and how full each agent's context is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from designer.models import Conversation
from designer.models.conversation import read_events
from designer.rehearsal.fragments.names import Speaker
from designer.rehearsal.fragments.spending import duration
from designer.rehearsal.trace.event_usage import Meter
from designer.rehearsal.trace.trace_state import TracedConversation, TraceState
from designer.rehearsal.trace.trace_window import new_telling
from orchestration import events as e

MAX_SPANS = 1_500
"""Maximum number of drawn spans: the last ones of a longer run."""

MAX_RUNS = 100
"""Maximum number of selectable runs: the last ones."""


@dataclass(slots=True)
class Span:
    """A time in which something went on, in milliseconds from the run's beginning."""

    seq: int
    """The event that began it."""
    kind: str
    label: str
    begin: int
    end: int | None = None
    """None: it goes on."""
    failed: bool = False

    @property
    def took(self) -> str:
        """Duration in words."""
        return "under way" if self.end is None else duration(self.end - self.begin)


@dataclass(slots=True)
class Lane:
    """All that one agent, the user or the human did."""

    speaker: Speaker
    spans: list[Span] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Passing:
    """A handoff: from lane to lane at one moment."""

    seq: int
    at: int
    source: int
    target: int
    label: str
    refused: bool


@dataclass(frozen=True, slots=True)
class RunChoice:
    """A run that can be looked at."""

    seq: int
    number: int
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """One run to scale."""

    lanes: Sequence[Lane]
    passings: Sequence[Passing]
    length: int
    """In milliseconds."""
    runs: Sequence[RunChoice]
    seq: int
    """The event that the run begins with."""
    cut: bool
    """True if the beginning of the run is not drawn."""

    @property
    def took(self) -> str:
        """Duration of the run in words."""
        return duration(self.length)


def timeline_of(conversation: Conversation, run: int | None = None) -> Timeline | None:
    """The run that begins with event `run`, or the last one; None where there is no such run."""
    own = conversation.recorded_events.filter(
        type="run.started", body__session_id=conversation.session_id
    )
    begun = list(own.order_by("seq").values_list("seq", "body__message__text"))
    at = next((i for i, (seq, _) in enumerate(begun) if seq == run), len(begun) - 1)
    if at < 0:
        return None
    first = begun[at][0]
    until = begun[at + 1][0] - 1 if at + 1 < len(begun) else conversation.last_seq
    drawing = _Drawing(new_telling(conversation, conversation.rehearsed()))
    for event in conversation.events(after=first - 1, at_most=until - first + 1):
        drawing.take(event)
    spans = sum(len(lane.spans) for lane in drawing.lanes.values())
    cut = spans > MAX_SPANS
    if cut:
        drawing.keep_last(MAX_SPANS)
    runs = [RunChoice(seq, i + 1, text or "given back") for i, (seq, text) in enumerate(begun)]
    return Timeline(
        list(drawing.lanes.values()),
        drawing.passings,
        max(1, drawing.last),
        runs[-MAX_RUNS:],
        first,
        cut,
    )


class _Drawing:
    """A timeline that is being drawn, event after event."""

    def __init__(self, telling: TraceState) -> None:
        self.telling = telling
        self.lanes: dict[str, Lane] = {}
        self.passings: list[Passing] = []
        self.began: datetime | None = None
        self.last = 0
        self._open: dict[tuple[str, ...], Span] = {}

    def take(self, event: e.Event) -> None:
        """Draw one event."""
        self.began = self.began or event.at
        self.last = max(self.last, self._at(event))
        scene = self.telling.scene_of(event)
        self._draw(event, scene)
        self.telling.take(event, scene)

    def keep_last(self, count: int) -> None:
        """Forget all spans but the last ones."""
        begins = sorted(span.begin for lane in self.lanes.values() for span in lane.spans)
        since = begins[-count]
        for lane in self.lanes.values():
            lane.spans = [span for span in lane.spans if span.begin >= since]
        self.passings = [one for one in self.passings if one.at >= since]

    def _draw(self, event: e.Event, scene: TracedConversation) -> None:  # noqa: C901 - one arm for each
        turn = ("turn", event.session_id, event.run_id)
        match event:
            case e.MessageReceived() if scene.kind is None:
                self._mark("user", Speaker.called("User"), event, "message", event.message.text)
            case e.HumanReplied():
                self._mark("human", Speaker.called("Human"), event, "message", event.text)
            case e.TurnStarted():
                self._begin(turn, event, scene, "turn", event.model)
            case e.TurnRetried(error=error):
                self._end(turn, event, failed=True)
                asked = f"{event.model or event.provider} " if event.provider else ""
                self._begin(turn, event, scene, "turn", f"{asked}again after {error}")
            case e.MessageCompleted():
                self._end(turn, event)
            case e.ToolCalled(call=call):
                self._begin(("tool", event.run_id, call.id), event, scene, "tool", call.name)
            case e.ToolReturned(result=result):
                failed = result.error is not None
                self._end(("tool", event.run_id, result.call_id), event, failed=failed)
            case e.InputRequested(call_id=call_id, question=question):
                self._begin(("tool", event.run_id, call_id), event, scene, "wait", question)
            case e.InputReceived(call_id=call_id):
                self._end(("tool", event.run_id, call_id), event)
            case e.ApprovalRequested(call=call):
                self._begin(("asked", event.run_id, call.id), event, scene, "wait", call.name)
            case e.ApprovalGiven(call_id=call_id):
                self._end(("asked", event.run_id, call_id), event)
            case e.RunPaused():
                self._begin(("pause",), event, scene, "pause", "paused")
            case e.RunResumed():
                self._end(("pause",), event)
            case e.HandoffAccepted(from_agent=source, to_agent=target):
                self._pass(event, scene, source, target, refused=False)
            case e.HandoffRejected(to_agent=target, agent_id=source) if target:
                self._pass(event, scene, source, target, refused=True)
            case e.RunCompleted() | e.RunFailed():
                failed = isinstance(event, e.RunFailed)
                for key in [key for key in self._open if event.run_id in key or not scene.kind]:
                    self._end(key, event, failed=failed)
            case _:
                pass

    def _at(self, event: e.Event) -> int:
        began = self.began or event.at
        return (event.at - began) // timedelta(milliseconds=1)

    def _lane(self, key: str, speaker: Speaker) -> Lane:
        return self.lanes.setdefault(key, Lane(speaker))

    def _of(self, agent_id: str | None, scene: TracedConversation) -> tuple[str, Speaker]:
        """The lane of an agent: one for each, apart from those of another pipeline."""
        if agent_id is None:
            return "human", Speaker.called("Human")
        speaker = scene.names.speaker(agent_id)
        return (agent_id if scene.is_drawn else f"{scene.title}/{agent_id}"), speaker

    def _mark(self, key: str, speaker: Speaker, event: e.Event, kind: str, label: str) -> None:
        at = self._at(event)
        self._lane(key, speaker).spans.append(Span(event.seq, kind, label, at, at))

    def _begin(
        self, key: tuple[str, ...], event: e.Event, scene: TracedConversation, kind: str, label: str
    ) -> None:
        span = Span(event.seq, kind, label, self._at(event))
        self._open[key] = span
        self._lane(*self._of(event.agent_id, scene)).spans.append(span)

    def _end(self, key: tuple[str, ...], event: e.Event, *, failed: bool = False) -> None:
        span = self._open.pop(key, None)
        if span is not None:
            span.end, span.failed = self._at(event), failed

    def _pass(
        self,
        event: e.Event,
        scene: TracedConversation,
        source: str | None,
        target: str | None,
        *,
        refused: bool,
    ) -> None:
        ends = [self._of(one, scene) for one in (source, target)]
        for key, speaker in ends:
            self._lane(key, speaker)
        order = list(self.lanes)
        begin, end = (order.index(key) for key, _ in ends)
        names = f"{ends[0][1].name} {'↛' if refused else '→'} {ends[1][1].name}"
        self.passings.append(Passing(event.seq, self._at(event), begin, end, names, refused))


# The context


@dataclass(frozen=True, slots=True)
class ContextMeter:
    """Context use of an agent."""

    speaker: Speaker
    now: Meter
    """Context of its last turn."""
    most: Meter
    """Context of its fullest turn."""
    turns: int
    seq: int
    """Its last turn."""


def contexts_of(conversation: Conversation) -> list[ContextMeter]:
    """Return the context use of each active agent, in order of appearance."""
    telling = new_telling(conversation, conversation.rehearsed())
    rows = conversation.recorded_events.filter(
        type__in=["turn.started", "subtask.started", "subtask.completed"]
    )
    found: dict[tuple[str, str], ContextMeter] = {}
    for event in read_events(rows):
        scene = telling.scene_of(event)
        if isinstance(event, e.TurnStarted):
            key = ("" if scene.is_drawn else scene.title, event.agent_id or "")
            now = Meter(event.context_tokens, scene.names.context)
            before = found.get(key)
            most = max((now, before.most) if before else (now,), key=lambda one: one.used)
            speaker = scene.names.speaker(event.agent_id)
            found[key] = ContextMeter(
                speaker, now, most, (before.turns if before else 0) + 1, event.seq
            )
        telling.take(event, scene)
    return list(found.values())
