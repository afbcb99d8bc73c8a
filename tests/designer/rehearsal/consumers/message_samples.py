"""One message of each type that a conversation's socket accepts."""

from typing import Any, get_args

from designer.core.socket_messages import Operation, ReaderMessage
from orchestration.control import Command

MESSAGES: dict[str, dict[str, Any]] = {
    "resume": {"after": 0},
    "seen": {"n": 0},
    "say": {"id": "message-1", "text": "Hello"},
    "stop": {},
    "end": {},
    "withdraw": {"key": "message-1"},
    "break_point": {"stage": "intake", "on": True},
    "pause": {},
    "go_on": {"step": True},
    "note": {"text": "Be kind."},
    "hand_over": {"target": "agent-handler"},
    "take_over": {},
    "reply": {"text": "Hello"},
    "hand_back": {"target": "agent-triage"},
    "approve": {"asked": 7},
    "change": {"asked": 7, "arguments": "{}"},
    "feedback": {"about": 7, "rating": "up"},
    "refuse": {"asked": 7, "reason": "No."},
}


def names(union: Any) -> set[str]:
    """Return the names of the operations of a union."""
    return {_name(one) for one in get_args(union)}


def _name(operation: Any) -> str:
    if issubclass(operation, Command):
        return str(operation.kind)
    return str(get_args(operation.model_fields["op"].annotation)[0])


DOING = sorted(names(Operation) - names(ReaderMessage))
"""Operations that change a conversation."""
