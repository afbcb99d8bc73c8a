"""The run of the protocol that answers one request of a front end.

The front end chooses the ids of its thread and run. The stream contains the events of the one run
of the engine that its message starts, or that its decisions continue, in one run of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    Message,
    MessagesSnapshotEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)

from orchestration.events import Event, MessageReceived, RunStarted

_TEXT = (TextMessageStartEvent, TextMessageContentEvent, TextMessageEndEvent)


@dataclass(slots=True)
class ChatRun:
    """A run of the protocol, and its part of the conversation."""

    thread_id: str
    run_id: str
    """Ids from the front end."""
    message_id: str = ""
    """Id of the message that starts the engine's run; empty if the run continues."""
    engine_run_id: str = ""
    """Id of the engine's run; empty until it starts."""
    history: Sequence[Message] = ()
    """Messages of the front end before the run, for a run that continues another."""
    is_over: bool = False

    @property
    def is_running(self) -> bool:
        """True between the start and the end of the engine's run."""
        return bool(self.engine_run_id) and not self.is_over

    def begin(self) -> Iterator[BaseEvent]:
        """Yield the start of the run, with the calls that its first results belong to."""
        yield RunStartedEvent(
            thread_id=self.thread_id, run_id=self.run_id, protocol_version=PROTOCOL_VERSION
        )
        if self.history:
            yield MessagesSnapshotEvent(messages=list(self.history))

    def select(self, event: Event, messages: Sequence[BaseEvent]) -> list[BaseEvent]:
        """Return the protocol's events that belong to this run, with the front end's ids."""
        if not self.engine_run_id and self._starts_with(event):
            self.engine_run_id = event.run_id
        if not self.engine_run_id or self.is_over:
            return []
        kept: list[BaseEvent] = []
        for message in messages:
            match message:
                case RunStartedEvent():
                    continue
                case RunFinishedEvent():
                    if not event.run_id:  # an event between two runs, in a run of its own
                        continue
                    self.is_over = True
                    ids = {"thread_id": self.thread_id, "run_id": self.run_id}
                    kept.append(message.model_copy(update=ids))
                case RunErrorEvent():
                    self.is_over = True
                    kept.append(message)
                case _ if isinstance(event, MessageReceived) and isinstance(message, _TEXT):
                    continue  # the front end has its own message already
                case _:
                    kept.append(message)
        return kept

    def _starts_with(self, event: Event) -> bool:
        return (
            isinstance(event, RunStarted)
            and event.message is not None
            and event.message.id == self.message_id
        )
