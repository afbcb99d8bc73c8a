"""First events of a run."""

import msgspec

from designer.models import Conversation
from designer.rehearsal.actions.conversations import record_event
from orchestration import events as e
from orchestration.messages import InboundMessage, Usage
from tests.designer.leases import begin_run
from tests.orchestration.conversations import NOON


def run_started(number: int = 1) -> e.RunStarted:
    return e.RunStarted(
        seq=1,
        at=NOON,
        session_id="conversation-1",
        run_id="run-1",
        phase="intake",
        message=InboundMessage(id=f"message-{number}", text="Hello <b>"),
    )


def received(seq: int) -> e.MessageReceived:
    message = InboundMessage(id="message-1", text="Hi")
    return e.MessageReceived(seq, NOON, "conversation-1", "run-1", "intake", message=message)


def record_answered_run(conversation: Conversation, *, answer_in: str, end_in: str) -> None:
    """Record a run that answers in one stage and ends in the same or another one."""
    head = (NOON, conversation.session_id, "run-1")
    usage = Usage()
    started = msgspec.structs.replace(run_started(), session_id=conversation.session_id)
    lease = begin_run(conversation_id=conversation.pk, event=started)
    events: list[e.Event] = [
        e.MessageCompleted(2, *head, answer_in, "agent", turn=1, text="Done.", usage=usage),
        e.RunCompleted(
            3, *head, end_in, reason=e.StopReason.REPLIED, usage=usage, turns=1, handoffs=0
        ),
    ]
    for event in events:
        record_event(lease=lease, event=event)
