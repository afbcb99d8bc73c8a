"""Spans of runs, as a pure function of recorded events.

The engine measures nothing: the events have their times. The same events always give the same spans
with the same ids, so a trace can be exported again without doubling it.

    invoke_workflow PIPELINE            a run
      invoke_agent AGENT                a turn with everything that it causes
        chat MODEL                      one attempt to call the model
        execute_tool TOOL               a tool call; a subtask is inside its call
        execute_tool TOOL TARGET        a handoff, accepted or refused
      pause                             waiting for a person
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from orchestration.definition import PipelineDefinition
from orchestration.events import Event, RunCompleted, RunFailed, RunStarted
from orchestration.telemetry.run_spans import RunSpans
from orchestration.telemetry.trace_span import Attribute, TraceSpan


@dataclass(frozen=True)
class RunTrace:
    """Spans of an ended run, the run's own first."""

    trace_id: int
    """128 bits."""
    first_seq: int
    last_seq: int
    ended: datetime
    spans: tuple[TraceSpan, ...]

    def span_id(self, key: str) -> int:
        """Return the id of a span: 64 bits, never 0."""
        return _number(f"{self.trace_id:032x} {key}", bits=64)


def traces_of(
    events: Iterable[Event],
    *,
    session_id: str,
    definition: PipelineDefinition,
    attributes: Mapping[str, Attribute] | None = None,
    with_content: bool = False,
) -> list[RunTrace]:
    """Return the traces of the ended runs among the events of a conversation.

    `attributes` are added to the span of each run. Without `with_content` no message, argument or
    result is part of a span.
    """
    traces: list[RunTrace] = []
    run: RunSpans | None = None
    for event in events:
        is_own = event.session_id == session_id
        if is_own and isinstance(event, RunStarted):
            run = RunSpans(event, definition, dict(attributes or {}), with_content=with_content)
        elif run is not None and event.run_id:  # without: between two runs
            run.add(event)
            if is_own and isinstance(event, RunCompleted | RunFailed):
                traces.append(_trace(run.started, event, run.spans))
                run = None
    return traces


def _trace(started: RunStarted, ended: Event, spans: Iterable[TraceSpan]) -> RunTrace:
    identity = f"{started.session_id} {started.run_id} {started.at.isoformat()}"
    return RunTrace(_number(identity, bits=128), started.seq, ended.seq, ended.at, tuple(spans))


def _number(text: str, *, bits: int) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[: bits // 8], "big") or 1
