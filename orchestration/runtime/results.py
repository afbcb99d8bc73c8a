"""Results of runs, read from their events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestration import events as e
from orchestration.conversation import SWARM_MARK
from orchestration.definition import HUMAN
from orchestration.messages import ToolCall, Usage, Value


class HandoffRecord(Value, frozen=True, kw_only=True):
    """An accepted handoff; agents have the caller's names."""

    from_agent: str
    to_agent: str
    count: int
    """Number of the handoff within the run, from 1."""
    payload: dict[str, Any] | None = None
    """Payload of a typed handoff."""


class RunResult(Value, frozen=True, kw_only=True):
    """Output of an agent and the status of the run.

    If a run yields several results, the last has the stop reason of the run (contract D-2). The
    sum of their `usage` is the usage of the run (contract D-6).
    """

    agent: str
    """Author of the output, with the caller's name."""
    output: str = ""
    reason: e.StopReason | None = None
    """Stop reason of the run or of the agent's part in it; None: the run continues."""
    error: str | None = None
    """Error text, if the reason is `failed` or there is no answer."""
    usage: Usage = Usage()
    """Usage since the previous result, subtasks included."""
    handoffs: tuple[HandoffRecord, ...] = ()
    """The handoffs of the run so far."""
    loop: tuple[str, ...] = ()
    """Agents of the cycle that ended the run, in order (contract S-5)."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls in addition to the output, such as a handoff."""


@dataclass(slots=True)
class ResultReader:
    """Reader of the results of one run, fed with all its events in order.

    The result of an agent is available as soon as its model answers without a call or calls a
    handoff tool, before the handoff is decided. A result that stops the run is returned at the end
    of the run, with the stop reason.
    """

    names: Mapping[str, str]
    """Agent id → the caller's name."""
    stops: Callable[[RunResult], bool] = lambda result: False
    """Returns True if a result ends the run."""
    handoff_tools: Callable[[str], Collection[str]] = lambda phase: ()
    """Names of the handoff tools in a phase."""
    _root: str | None = None
    _agent: str = ""
    _output: str = ""
    _usage: Usage = field(default_factory=Usage)
    _handoffs: tuple[HandoffRecord, ...] = ()
    _loop: tuple[str, ...] = ()
    _subtask_ends: dict[str, e.StopReason] = field(default_factory=dict)
    """Stop reasons of subtasks whose result is not reported yet."""

    def take(self, event: e.Event) -> RunResult | None:
        """Process an event; return the result that it completes, if any."""
        if self._root is None:
            self._root = event.session_id
        session_id = event.session_id
        if self._root not in (session_id, session_id.rpartition(SWARM_MARK)[0]):
            self._take_subtask_event(event)
            return None
        match event:
            case e.MessageCompleted():
                return self._turn_result(event)
            case e.SubtaskCompleted(kind="subtask" | "supervision"):
                self._usage += event.usage
            case e.SubtaskCompleted():
                return self._subtask_result(event)
            case e.HandoffAccepted():
                self._handoffs += (self._record(event),)
            case e.CycleDetected():
                self._loop = tuple(map(self._name, event.loop))
            case e.RunCompleted() | e.RunFailed():
                return self._last_result(event)
        return None

    def _take_subtask_event(self, event: e.Event) -> None:
        if isinstance(event, e.RunCompleted):
            self._subtask_ends[event.session_id] = event.reason
        elif isinstance(event, e.RunFailed):
            self._subtask_ends[event.session_id] = e.StopReason.FAILED

    def _turn_result(self, event: e.MessageCompleted) -> RunResult | None:
        """Return the result of the active agent, unless it continues after its calls."""
        self._agent, self._output = self._name(event.agent_id), event.text
        self._usage += event.usage
        names = self.handoff_tools(event.phase) if event.tool_calls else ()
        if event.tool_calls and not any(call.name in names for call in event.tool_calls):
            return None
        result = self._result(tool_calls=event.tool_calls)
        if self.stops(result):
            return None
        self._usage = Usage()
        return result

    def _subtask_result(self, event: e.SubtaskCompleted) -> RunResult:
        """Return the result of a group's member or of a delegate."""
        reason = self._subtask_ends.pop(event.task_id, None)
        return RunResult(
            agent=self._name(event.title),
            output=event.output,
            reason=reason or (e.StopReason.FAILED if event.error else e.StopReason.REPLIED),
            error=event.error,
            usage=event.usage,
            handoffs=self._handoffs,
        )

    def _last_result(self, event: e.RunCompleted | e.RunFailed) -> RunResult:
        self._agent = self._agent or self._name(event.agent_id)
        if isinstance(event, e.RunFailed):
            return self._result(reason=e.StopReason.FAILED, error=event.message)
        return self._result(reason=event.reason)

    def _result(self, **fields: Any) -> RunResult:
        return RunResult(
            agent=self._agent,
            output=self._output,
            usage=self._usage,
            handoffs=self._handoffs,
            loop=self._loop,
            **fields,
        )

    def _record(self, event: e.HandoffAccepted) -> HandoffRecord:
        return HandoffRecord(
            from_agent=self._name(event.from_agent),
            to_agent=self._name(event.to_agent or HUMAN),
            count=event.hop,
            payload=event.payload,
        )

    def _name(self, key: str | None) -> str:
        return self.names.get(key or "", key or "")
