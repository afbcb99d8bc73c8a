"""Thread of an AG-UI client: its position in the trace, with the elements that are open there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ag_ui.core import (
    BaseEvent,
    StepFinishedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)

from designer.rehearsal.agui.agui_text import AnswerPart, AnswerProgress, message_id
from designer.rehearsal.agui.interrupts import ProtocolRun
from designer.rehearsal.fragments.names import Names
from orchestration import events as e
from orchestration.conversation import SWARM_MARK

TurnKey = tuple[str, int]
"""Run and turn."""


@dataclass(slots=True)
class AguiThread:
    """Position of an AG-UI client in the trace."""

    thread_id: str
    names: Names
    state: dict[str, Any] = field(default_factory=dict)
    answers: dict[TurnKey, AnswerProgress] = field(default_factory=dict)
    steps: dict[TurnKey, str] = field(default_factory=dict)
    """Names of the open steps."""
    tasks: dict[str, SubagentStartedEvent] = field(default_factory=dict)
    """Start events of the subtasks in progress, the outer ones first."""
    runs_of_calls: dict[tuple[str, str], str] = field(default_factory=dict)
    """Run of each call, by session and the call's own id."""
    supervision: str | None = None
    """Call of the supervisor in progress: the user does not see it."""
    question: e.InputRequested | None = None
    """Open question to the user."""
    run: ProtocolRun = field(init=False)

    def __post_init__(self) -> None:
        self.run = ProtocolRun(self.thread_id, "")

    def hides(self, event: e.Event) -> bool:
        """Report whether an event belongs to a call of the supervisor, and move past it."""
        match event:
            case e.SubtaskStarted(kind="supervision"):
                self.supervision = event.task_id
            case e.SubtaskCompleted(kind="supervision"):
                self.supervision = None
            case _:
                return event.session_id == self.supervision
        return True

    def answer_part(self, part: AnswerPart) -> list[BaseEvent]:
        """Return the protocol's events for a part of an answer, without the text already sent."""
        key = (part.run_id, part.turn)
        if key not in self.steps:
            return []  # complete already, or its turn has not started here yet
        answer = self.answers.get(key)
        events: list[BaseEvent] = []
        if answer is None or part.fence > answer.fence:
            if part.offset:
                return []  # its beginning was lost: the next frame from the beginning has it
            if answer is not None:
                events.append(TextMessageEndEvent(**self._text_fields(key, answer)))
            answer = AnswerProgress(message_id(*key, part.fence), part.fence, 0)
            self.answers[key] = answer
            events.append(self._text_start(key, answer))
        if part.fence < answer.fence or part.offset > answer.sent:
            return events
        if text := part.text[answer.sent - part.offset :]:
            answer.sent += len(text)
            events.append(TextMessageContentEvent(**self._text_fields(key, answer), delta=text))
        return events

    def subtask_of(self, event: e.Event) -> str | None:
        """Return the id of the event's subtask; None in the main conversation."""
        session_id = event.session_id
        if session_id not in self.tasks:
            session_id = session_id.rpartition(SWARM_MARK)[0]
        return session_id if session_id in self.tasks else None

    def begin_call(self, event: e.MessageCompleted, call_id: str) -> str:
        """Return the protocol's id of a new call, and remember its run."""
        self.runs_of_calls[event.session_id, call_id] = event.run_id
        return self.call_id(event, call_id)

    def call_id(self, event: e.Event, call_id: str) -> str:
        """Return the protocol's id of a call: models use ids again in other runs and subtasks."""
        run_id = self.runs_of_calls.get((event.session_id, call_id), event.run_id)
        return f"{run_id}.{call_id}"

    def finish_answer(self, event: e.MessageCompleted) -> Iterator[BaseEvent]:
        """Yield the rest of an answer; its beginning may have been sent already."""
        key = (event.run_id, event.turn)
        answer = self.answers.pop(key, None)
        if answer is None:
            answer = AnswerProgress(message_id(*key), 0, 0)
            yield self._text_start(key, answer, event.agent_id)
        if rest := event.text[answer.sent :]:
            yield TextMessageContentEvent(**self._text_fields(key, answer), delta=rest)
        yield TextMessageEndEvent(**self._text_fields(key, answer))

    def finish_open(self, run_id: str) -> Iterator[BaseEvent]:
        """Yield the ends of a run's open answers and steps."""
        for key in [key for key in self.answers if key[0] == run_id]:
            yield TextMessageEndEvent(**self._text_fields(key, self.answers.pop(key)))
        for key in [key for key in self.steps if key[0] == run_id]:
            name = self.steps.pop(key)
            yield StepFinishedEvent(step_name=name, subagent_run_id=self._task(key))

    def suspend(self) -> Iterator[BaseEvent]:
        """Yield the ends of all open elements and of a run that waits for a person."""
        for run_id in dict.fromkeys(run_id for run_id, _ in [*self.answers, *self.steps]):
            yield from self.finish_open(run_id)
        yield from self.run.suspend(self.tasks.values())

    def _text_start(
        self, key: TurnKey, answer: AnswerProgress, agent_id: str | None = None
    ) -> TextMessageStartEvent:
        name = self.names.speaker(agent_id).name if agent_id else self.steps[key].split(",")[0]
        return TextMessageStartEvent(**self._text_fields(key, answer), role="assistant", name=name)

    def _text_fields(self, key: TurnKey, answer: AnswerProgress) -> dict[str, Any]:
        return {"message_id": answer.message_id, "subagent_run_id": self._task(key)}

    def _task(self, key: TurnKey) -> str | None:
        """Return the subtask of a run, which has the same id."""
        return key[0] if key[0] in self.tasks else None
