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

    >>> import asyncio
    >>> from orchestration import InboundMessage, PipelineDefinition, ScriptedProvider
    >>> desk = PipelineDefinition.model_validate({
    ...     "name": "Desk",
    ...     "agents": [{"id": "clerk", "name": "Clerk", "cues": [{"say": "Good morning."}]}],
    ...     "stages": [{"phase": "desk", "agent_id": "clerk"}],
    ...     "entry": "desk",
    ... })
    >>> async def main():
    ...     model = ScriptedProvider(tokens_per_second=None)
    ...     session = Session(desk, session_id="one", providers={"default": model})
    ...     async for event in session.run(InboundMessage(id="1", text="Hello!")):
    ...         if event.type == "message.completed":
    ...             print(event.agent_id, "says:", event.text)
    ...     return session.metrics().turns.used, session.state.active_agent_id
    >>> asyncio.run(main())
    clerk says: Good morning.
    (1, 'clerk')
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
