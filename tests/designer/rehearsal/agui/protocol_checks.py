"""Events of a conversation for a front end, and checks of the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ag_ui.core import Event as ProtocolEvent
from pydantic import TypeAdapter

from designer.models import Conversation
from designer.rehearsal.agui.events import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names

PROTOCOL: TypeAdapter[Any] = TypeAdapter(ProtocolEvent)


def thread_of(conversation: Conversation) -> AguiThread:
    return AguiThread("thread", Names.of(conversation.snapshot()))


def heard(conversation: Conversation) -> list[dict[str, Any]]:
    """All that a front end hears of a conversation that is over, as it is sent."""
    thread = thread_of(conversation)
    told = [one for event in conversation.events() for one in protocol_events(event, thread)]
    return [json.loads(one.model_dump_json(by_alias=True)) for one in told]


def assert_follows_the_protocol(events: Iterable[dict[str, Any]]) -> None:
    """Each is an event of the protocol's own types, and stands where the protocol lets it.

    Everything is within a run; what begins ends, within the run, and once; contents and results
    belong to what has begun.
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
            calls |= {event["toolCallId"]} if how == "START" else set()
            assert event["toolCallId"] in calls
        elif kind in begun:
            name = event[NAMED_BY[kind]]
            if how in {"START", "STARTED"}:
                assert name not in begun[kind]
                begun[kind].add(name)
            assert name in begun[kind]
            if how in {"END", "FINISHED", "ERROR"}:
                begun[kind].remove(name)


NAMED_BY = {"TEXT_MESSAGE": "messageId", "STEP": "stepName", "SUBAGENT": "subagentRunId"}


def said(events: Iterable[dict[str, Any]]) -> str:
    """What agents have said."""
    content = [one for one in events if one["type"] == "TEXT_MESSAGE_CONTENT"]
    return "".join(one["delta"] for one in content if not one["messageId"].startswith("user-"))
