"""First events of a run."""

from orchestration import events as e
from orchestration.messages import InboundMessage
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
