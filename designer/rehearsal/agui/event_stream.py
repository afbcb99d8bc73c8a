"""Events of the AG-UI protocol, version 1.0, for the events of a trace.

A conversation is a thread, and a run is a run. The protocol has its own events for texts, tool
calls, steps (one per turn), subagents (one per subtask) and state (phase and agent). Any other
event is a `CUSTOM` event with our name and fields. In the protocol everything happens in a run, so
an event between two runs gets a run of its own, and a run that waits for approval becomes several
(`interrupts`). Nothing may follow a `RUN_ERROR`: the stream ends, and the client reconnects. The
calls of a supervisor are not sent, only the effects of its commands.
"""

from __future__ import annotations

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    RunFinishedEvent,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
)

from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.trace.event_table import TABLE
from orchestration import events as e

_RUN_STATES = (e.RunResumed, e.RunPaused, e.RunCompleted, e.RunFailed)
"""Events that change a waiting run; after any other event it still waits."""


def protocol_events(event: e.Event, thread: AguiThread) -> list[BaseEvent]:
    """Return the protocol's events for an event, and move the thread past it."""
    events: list[BaseEvent] = []
    if thread.hides(event):
        return events
    if was_suspended := thread.run.is_suspended and bool(event.run_id):
        events += thread.run.resume(event.seq, thread.tasks.values())
    events += TABLE[type(event)].agui(event, thread)
    if was_suspended and thread.run.interrupts and not isinstance(event, _RUN_STATES):
        events += thread.suspend()
    if events and not event.run_id:
        events = _in_own_run(event, events, thread.thread_id)
    timestamp = int(event.at.timestamp() * 1000)
    for protocol_event in events:
        protocol_event.timestamp = timestamp
    return events


def _in_own_run(event: e.Event, events: list[BaseEvent], thread_id: str) -> list[BaseEvent]:
    ids = {"thread_id": thread_id, "run_id": f"aside-{event.seq}"}
    return [
        RunStartedEvent(**ids, protocol_version=PROTOCOL_VERSION),
        *events,
        RunFinishedEvent(**ids, outcome=RunFinishedSuccessOutcome()),
    ]
