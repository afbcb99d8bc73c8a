"""States of conversations whose events a supervisor receives."""

from __future__ import annotations

from orchestration import events as e
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.supervision.log import SupervisionLog


class SupervisedState(ReducedState):
    """State of a supervised main conversation."""

    __slots__ = ()

    def apply(self, event: e.Event) -> e.Event:
        """Apply an event, and pass it to the supervisor."""
        ReducedState.apply(self, event)
        log = self.supervision
        if log is not None and type(event) is not e.MessageDelta:
            log.observe(event)
            if log.requested_pause is not None and log.running is None and self.run is not None:
                self.run.requested_pause, log.requested_pause = log.requested_pause, None
        return event


class ObservedState(ReducedState):
    """State of a subtask in a supervised conversation, or of the supervisor's own conversation."""

    __slots__ = ("is_supervisor", "log")

    log: SupervisionLog
    is_supervisor: bool

    def apply(self, event: e.Event) -> e.Event:
        """Apply an event, and pass it to the supervisor."""
        ReducedState.apply(self, event)
        if type(event) is e.MessageDelta:
            return event
        if self.is_supervisor:
            self.log.observe_supervisor(event)
        else:
            self.log.observe_subtask(event)
        return event
