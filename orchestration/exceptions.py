"""The error tree.

    BatonError
    ├── DefinitionError        a file or text that is no definition; carries every fault
    ├── TraceError             a file that is no trace; says on which line, and why
    ├── DocumentError          a document of another format that cannot be taken in; says why
    ├── UnknownNameError       a name that the pipeline does not hold
    ├── HandlerError           a handler was built or called wrongly (contract H-1 … H-9, T-8)
    │   └── CastError          agents that do not go together: a name, a target, a tool
    ├── RoutingError           a rule's own condition failed (contract O-4)
    │   └── ConditionError     a CEL expression that does not compile; says at which column
    ├── SchemaError            a JSON Schema that is none, or describes no object
    │   └── SchemaTooComplexError     it may be sound, and is not safe to check values by
    ├── FilterError            what a handoff is to keep could not be told (contract S-4)
    ├── SessionError           a session was driven wrongly: two runs at once, or none to end
    │   └── SteeringError      a person asked for what the conversation is in no state for
    ├── ProviderError          a model could not be reached, or answered what is no answer
    │   └── ProviderTimeout
    ├── ToolError              a tool refused or failed; says which tool and which call
    │   └── ToolUnavailableError   it may answer the next time
    └── TaskError              a task ended without an answer, and why (contract T-11 and T-12)
        └── ResourceExhausted  it had spent what it may; says of what (contract T-7)

Errors are raised for callers' mistakes and failed I/O. What a conversation may well do (a refused
handoff, a tool that fails, a limit that is reached) is an event. Only where a caller asks for an
answer and for nothing else, as of a task, its absence is an error.

Every error has `type`, `reason`, `message`, `details` and `metrics` (contract T-12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import msgspec

from orchestration.resources import ResourceMetrics


class BatonError(Exception):
    """Root of everything this package raises.

    >>> error = UnknownNameError("agent", "triag", known=["triage"])
    >>> error.dump()["type"], error.reason, error.message
    ('UnknownNameError', 'unknown_name', "No agent 'triag'. Known: 'triage'.")
    """

    reason = "error"
    """Kind of the error, in one word for programs."""
    metrics: ResourceMetrics | None = None
    """Usage and limits of the conversation that failed, if known."""

    @property
    def type(self) -> str:
        """The error's class by its name, as `run.failed` has it too."""
        return type(self).__name__

    @property
    def message(self) -> str:
        """Description of the problem for people."""
        return str(self)

    @property
    def details(self) -> Mapping[str, Any]:
        """Further details for programs: JSON values."""
        return {}

    def dump(self) -> dict[str, Any]:
        """The whole structure as values of JSON."""
        return {
            "type": self.type,
            "reason": self.reason,
            "message": self.message,
            "details": dict(self.details),
            "metrics": msgspec.to_builtins(self.metrics),
        }


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a file, and where: `path` is a JSON path (`$.stages[2].phase`)."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class DefinitionError(BatonError):
    """A text that is no definition. `faults` names every fault with its JSON path."""

    reason = "malformed"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))

    @property
    def details(self) -> Mapping[str, Any]:
        """The faults."""
        return {"faults": [{"path": one.path, "message": one.message} for one in self.faults]}


class TraceError(BatonError):
    """A file that is no trace. `line` counts from 1; None: it is the file as a whole."""

    reason = "malformed"

    def __init__(self, why: str, *, line: int | None = None) -> None:
        self.why, self.line = why, line
        super().__init__(why if line is None else f"Line {line}: {why}")

    @property
    def details(self) -> Mapping[str, Any]:
        """The line."""
        return {"line": self.line}


class DocumentError(BatonError, ValueError):
    """A document of another format, or a part of one, that cannot be taken in."""

    reason = "malformed"


class UnknownNameError(BatonError, LookupError):
    """A name that is not there; the message lists the ones that are."""

    reason = "unknown_name"

    def __init__(self, noun: str, name: str, *, known: Sequence[str]) -> None:
        self.noun, self.name, self.known = noun, name, tuple(known)
        listed = ", ".join(repr(one) for one in self.known) or "none"
        super().__init__(f"No {noun} {name!r}. Known: {listed}.")

    @property
    def details(self) -> Mapping[str, Any]:
        """The requested name and the existing ones."""
        return {"noun": self.noun, "name": self.name, "known": list(self.known)}


class HandlerError(BatonError):
    """A handler was built or called wrongly."""

    reason = "misuse"


class CastError(HandlerError, ValueError):
    """Agents that do not go together: the message names the culprit, and says what to do."""


class RoutingError(BatonError):
    """A routing rule could not be evaluated."""

    reason = "routing"


class FilterError(BatonError):
    """The filter of a handoff failed; the handoff is refused with its message."""

    reason = "filter_failed"


class ConditionError(RoutingError, ValueError):
    """A CEL expression that does not compile. `column` counts from 1; None: no one place."""

    reason = "expression"

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message)

    @property
    def details(self) -> Mapping[str, Any]:
        """Location of the error."""
        return {"column": self.column}


class SchemaError(BatonError, ValueError):
    """A JSON Schema that is none, or describes no object: the message says why."""

    reason = "schema"


class SchemaTooComplexError(SchemaError):
    """A JSON Schema that may be sound, and is not safe to check values by."""


class SessionError(BatonError):
    """A session was driven wrongly: a message while a run is unfinished, no run to end."""

    reason = "misuse"


class SteeringError(SessionError):
    """A person asked for what the conversation is not in a state for; says so in one sentence."""


class ProviderError(BatonError):
    """A model could not be reached, or answered what is no answer.

    `request_id` is what the vendor calls the request. Where it is `transient`, asking again may
    help, after so many seconds as the vendor asks to `wait`.
    """

    reason = "provider"

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        transient: bool = False,
        wait: float | None = None,
    ) -> None:
        self.status, self.request_id = status, request_id
        self.transient, self.wait = transient, wait
        super().__init__(f"{message} (request {request_id})" if request_id else message)

    def again(self, message: str, *, request_id: str | None) -> Self:
        """The same error in other words."""
        return type(self)(
            message,
            status=self.status,
            request_id=request_id,
            transient=self.transient,
            wait=self.wait,
        )

    @property
    def details(self) -> Mapping[str, Any]:
        """Response of the server."""
        return {"status": self.status, "request_id": self.request_id}


class ProviderTimeout(ProviderError):  # noqa: N818 - a time-out is what it is called
    """A model did not answer in time."""

    reason = "timeout"


class ToolError(BatonError):
    """A tool's refusal or failure: its message goes to the model as it stands.

    A tool raises it with a message alone; which tool and which call it was is known to whoever
    made the call.
    """

    reason = "tool_failed"

    def __init__(self, message: str, *, tool: str = "", call_id: str = "") -> None:
        self.tool, self.call_id = tool, call_id
        super().__init__(message)

    @property
    def details(self) -> Mapping[str, Any]:
        """Tool name and call id."""
        return {"tool": self.tool, "call_id": self.call_id}


class ToolUnavailableError(ToolError):
    """A tool could not answer just now: where it is idempotent, it is called again."""

    reason = "tool_unavailable"


class TaskError(BatonError):
    """A task ended without an answer. `reason` is the run's stop reason, or the kind of failure."""

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        details: Mapping[str, Any] | None = None,
        metrics: ResourceMetrics | None = None,
    ) -> None:
        self.reason, self.metrics, self._details = reason, metrics, dict(details or {})
        super().__init__(message)

    @property
    def details(self) -> Mapping[str, Any]:
        """Known details of the end."""
        return self._details


class ResourceExhausted(TaskError):  # noqa: N818 - public name in the contract
    """A task had spent what it may, and ended cleanly; nobody tries again (contract T-7)."""

    def __init__(
        self, resource: str, metrics: ResourceMetrics | None = None, *, used: int, limit: int
    ) -> None:
        self.resource = resource
        super().__init__(
            f"The limit on {resource} is reached: {used} of {limit}.",
            reason=f"{resource.removesuffix('s')}_limit",
            details={"resource": resource, "used": used, "limit": limit},
            metrics=metrics,
        )
