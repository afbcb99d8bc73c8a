"""Wire log of a turn and state of the log."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec
from django.template.loader import render_to_string

from designer.models import Conversation, RecordedEvent
from designer.rehearsal.trace.event_table import TURN_TYPES
from orchestration.exceptions import DefinitionError
from orchestration.loading import TOOL_JSON, read_json
from orchestration.providers import WireExchange


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """Exchange with a model, for the pane."""

    exchange: WireExchange
    number: int

    @property
    def sent(self) -> str:
        """Body of the request, indented if it is JSON."""
        return _indented(self.exchange.sent)

    @property
    def received(self) -> str:
        """Body of the answer, indented if it is JSON and not a stream."""
        return _indented(self.exchange.received)


def exchanges_of(conversation: Conversation, row: RecordedEvent) -> list[ShownExchange]:
    """Return the exchanges of an event's turn, in order; none if the log is off."""
    if row.type not in TURN_TYPES or not conversation.is_logged:
        return []
    body = row.body
    rows = conversation.exchanges.filter(
        session=body["session_id"], run=body["run_id"], turn=body["turn"]
    )
    return [
        ShownExchange(msgspec.convert(exchange.body, WireExchange), number)
        for number, exchange in enumerate(rows, start=1)
    ]


def render_log_state(conversation: Conversation) -> str:
    """Render the state of the wire log for the socket."""
    context = {"conversation": conversation, "oob": True}
    return render_to_string("rehearsal/trace/_wire_log_state.html", context)


def _indented(text: str) -> str:
    try:
        return json.dumps(read_json(text, TOOL_JSON), indent=2, ensure_ascii=False)
    except DefinitionError:
        return text
