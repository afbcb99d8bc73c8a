"""One live conversation: what drives it, and what it has come to."""

from __future__ import annotations

from orchestration.engine import Engine
from orchestration.events import InputRequested
from orchestration.messages import Message
from orchestration.resources import ResourceMetrics
from orchestration.state import ConversationState


class Session(Engine):
    """A conversation that can be driven and looked at.

    A session is the fold of its events: of the same definition and the same events there is the
    same session, whichever process makes it.
    """

    @property
    def state(self) -> ConversationState:
        """Where the conversation stands."""
        return self._root.conversation.state

    @property
    def history(self) -> list[Message]:
        """What was said, called and answered, in order; not to be changed."""
        return self._root.conversation.history

    @property
    def asked(self) -> InputRequested | None:
        """What the user was asked and has not answered: the next message is the answer."""
        return self._root.conversation.asked

    @property
    def seq(self) -> int:
        """The number of the last recorded event."""
        return self._branches.trace.seq

    def metrics(self) -> ResourceMetrics:
        """What the conversation has spent of what it may (row T-6)."""
        return ResourceMetrics.of(self._root.conversation, self.definition.limits)

    get_resource_metrics = metrics
    """The same, under the name that the seeds have for it."""
