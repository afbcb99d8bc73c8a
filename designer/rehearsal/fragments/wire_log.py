"""The wire log, as an opened turn shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec
from django.template.loader import render_to_string

from designer.models import Conversation, RecordedEvent
from orchestration.providers import WireExchange

TURNS = frozenset({"turn.started", "turn.retried", "message.completed"})
"""The events that are of one turn, and know its number."""


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """One exchange as the pane shows it."""

    exchange: WireExchange
    number: int

    @property
    def sent(self) -> str:
        """The request's body, indented where it is JSON."""
        return _indented(self.exchange.sent)

    @property
    def received(self) -> str:
        """The answer's body; a stream stands as it came."""
        return _indented(self.exchange.received)


def exchanges_of(conversation: Conversation, row: RecordedEvent) -> list[ShownExchange]:
    """The exchanges of the turn that an event is of, in their order; none where none are kept."""
    if row.type not in TURNS or not conversation.is_logged:
        return []
    body = row.body
    kept = conversation.exchanges.filter(
        session=body["session_id"], run=body["run_id"], turn=body["turn"]
    )
    found = [msgspec.convert(one.body, WireExchange) for one in kept]
    return [ShownExchange(one, number) for number, one in enumerate(found, start=1)]


def render_log_state(conversation: Conversation) -> str:
    """Render the state of the wire log for the socket."""
    context = {"conversation": conversation, "oob": True}
    return render_to_string("rehearsal/trace/_wire_log_state.html", context)


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
