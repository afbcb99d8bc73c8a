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
    """A handoff that came about: agents by the caller's names."""

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
    """Author of the output, by the caller's name."""
    output: str = ""
    reason: e.StopReason | None = None
    """Why the run ended, or the agent's own part in it; None: the run goes on."""
    error: str | None = None
    """Error text, if the reason is `failed` or there is no answer."""
    usage: Usage = Usage()
    """Usage since the previous result, subtasks included."""
    handoffs: tuple[HandoffRecord, ...] = ()
    """The handoffs of the run so far."""
    loop: tuple[str, ...] = ()
    """The agents of the circle that ended the run, in order (contract S-5)."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls beside the output, such as a handoff."""


@dataclass(slots=True)
class ResultReader:
    """Reads the results off the events of one run, from its first on.

    An agent's result is there as soon as its model has answered without a call, or calls a tool
    that hands over: before anybody looks at the handoff. One with which the run stops is given when
    the run has ended, with the reason.
    """

    names: Mapping[str, str]
    """Key → the caller's name."""
    stops: Callable[[RunResult], bool] = lambda result: False
    """Predicate: a result ends the run."""
    passing: Callable[[str], Collection[str]] = lambda phase: ()
    """The tools by which an agent in this phase hands over."""
    _root: str | None = None
    _agent: str = ""
    _output: str = ""
    _spent: Usage = field(default_factory=Usage)
    _handoffs: tuple[HandoffRecord, ...] = ()
    _loop: tuple[str, ...] = ()
    _ends: dict[str, e.StopReason] = field(default_factory=dict)
    """Why the subtasks ended whose results are still to come."""

    def take(self, event: e.Event) -> RunResult | None:
        """The result that is there with this event, if one is."""
        if self._root is None:
            self._root = event.session_id
        session_id = event.session_id
        if self._root not in (session_id, session_id.rpartition(SWARM_MARK)[0]):
            self._take_of_subtask(event)
            return None
        match event:
            case e.MessageCompleted():
                return self._answered(event)
            case e.SubtaskCompleted(kind="subtask"):
                self._spent += event.usage
            case e.SubtaskCompleted():
                return self._worked(event)
            case e.HandoffAccepted():
                self._handoffs += (self._record(event),)
            case e.CycleDetected():
                self._loop = tuple(map(self._name, event.loop))
            case e.RunCompleted() | e.RunFailed():
                return self._ended(event)
        return None

    def _take_of_subtask(self, event: e.Event) -> None:
        if isinstance(event, e.RunCompleted):
            self._ends[event.session_id] = event.reason
        elif isinstance(event, e.RunFailed):
            self._ends[event.session_id] = e.StopReason.FAILED

    def _answered(self, event: e.MessageCompleted) -> RunResult | None:
        """The result of the active agent, unless it goes on when its calls are done."""
        self._agent, self._output = self._name(event.agent_id), event.text
        self._spent += event.usage
        passing = self.passing(event.phase) if event.tool_calls else ()
        if event.tool_calls and not any(call.name in passing for call in event.tool_calls):
            return None
        result = self._result(tool_calls=event.tool_calls)
        if self.stops(result):
            return None
        self._spent = Usage()
        return result

    def _worked(self, event: e.SubtaskCompleted) -> RunResult:
        """The result of a group's member, or of whom a lead delegated to."""
        ended = self._ends.pop(event.task_id, None)
        return RunResult(
            agent=self._name(event.title),
            output=event.output,
            reason=ended or (e.StopReason.FAILED if event.error else e.StopReason.REPLIED),
            error=event.error,
            usage=event.usage,
            handoffs=self._handoffs,
        )

    def _ended(self, event: e.RunCompleted | e.RunFailed) -> RunResult:
        self._agent = self._agent or self._name(event.agent_id)
        if isinstance(event, e.RunFailed):
            return self._result(reason=e.StopReason.FAILED, error=event.message)
        return self._result(reason=event.reason)

    def _result(self, **fields: Any) -> RunResult:
        return RunResult(
            agent=self._agent,
            output=self._output,
            usage=self._spent,
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
