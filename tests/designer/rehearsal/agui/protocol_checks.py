"""Events of a conversation for a front end, and checks of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ag_ui.core import Event as ProtocolEvent
from pydantic import TypeAdapter

from designer.models import Conversation
from designer.rehearsal.agui.event_stream import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names

PROTOCOL: TypeAdapter[Any] = TypeAdapter(ProtocolEvent)


def thread_of(conversation: Conversation) -> AguiThread:
    return AguiThread("thread", Names.of(conversation.snapshot()))


def protocol_messages(conversation: Conversation) -> list[dict[str, Any]]:
    """Return the protocol's events of a finished conversation, as they are sent."""
    thread = thread_of(conversation)
    messages = [one for event in conversation.events() for one in protocol_events(event, thread)]
    return [json.loads(one.model_dump_json(by_alias=True)) for one in messages]


def assert_follows_the_protocol(
    events: Iterable[dict[str, Any]], *, continues: bool = False
) -> None:
    """Check that each event has a type of the protocol, and is allowed at its position.

    All events are in a run; each started element ends once, in the same run; contents and results
    belong to a started element; no two calls have the same id. In a run that continues another
    one, results may belong to a call of that run.
    """
    run: str | None = None
    begun: dict[str, set[str]] = {"TEXT_MESSAGE": set(), "STEP": set(), "SUBAGENT": set()}
    calls: set[str] = set()
    for event in events:
        PROTOCOL.validate_json(json.dumps(event), strict=True)
        kind, _, how = event["type"].rpartition("_")
        assert (run is None) == (event["type"] == "RUN_STARTED"), event
        if event["type"] == "RUN_STARTED":
            run = event["runId"]
        elif kind == "RUN":
            assert not any(begun.values()), begun
            assert event.get("runId", run) == run
            run = None
        elif kind == "TOOL_CALL":
            if how == "START":
                assert event["toolCallId"] not in calls, event
                calls.add(event["toolCallId"])
            assert event["toolCallId"] in calls or (continues and how == "RESULT")
        elif kind in begun:
            name = event[NAMED_BY[kind]]
            if how in {"START", "STARTED"}:
                assert name not in begun[kind]
                begun[kind].add(name)
            assert name in begun[kind]
            if how in {"END", "FINISHED", "ERROR"}:
                begun[kind].remove(name)


NAMED_BY = {"TEXT_MESSAGE": "messageId", "STEP": "stepName", "SUBAGENT": "subagentRunId"}


def answer_text(events: Iterable[dict[str, Any]]) -> str:
    """Return the text of the agents' answers."""
    content = [one for one in events if one["type"] == "TEXT_MESSAGE_CONTENT"]
    return "".join(one["delta"] for one in content if not one["messageId"].startswith("user-"))
