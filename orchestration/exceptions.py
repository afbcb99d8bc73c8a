"""The error tree.

    BatonError
    ├── DefinitionError        a definition or document that is refused, with all faults
    ├── TraceError             a file that is no trace, with the line
    ├── DocumentError          a document of another format that cannot be imported
    ├── UnknownNameError       a name that does not exist in the pipeline
    ├── HandlerError           wrong use of a handler (contract H-1 … H-9, T-8)
    │   └── CastError          invalid agents: a name, a target, a tool
    ├── RoutingError           a condition of a rule failed (contract O-4)
    │   └── ConditionError     a CEL expression that does not compile, with the column
    ├── SchemaError            an invalid JSON Schema, or one that describes no object
    │   └── SchemaTooComplexError     a JSON Schema that is not safe to check values with
    ├── FilterError            the filter of a handoff failed (contract S-4)
    ├── SessionError           wrong use of a session: two runs at once, or no run to end
    │   └── SteeringError      a command that the conversation's state does not allow
    ├── ProviderError          a model could not be reached or sent an invalid answer
    │   └── ProviderTimeout
    ├── ToolError              a tool refused or failed, with tool and call id
    │   └── ToolUnavailableError   a temporary failure of a tool
    └── TaskError              a task ended without an answer (contract T-11 and T-12)
        └── ResourceExhausted  a task reached a limit (contract T-7)

Errors are raised for callers' mistakes and failed I/O. Expected outcomes of a conversation (a
refused handoff, a failed tool, a limit) are events. Only a task raises an error if it has no
answer, because its caller asks for the answer alone.

Every error has `type`, `reason`, `message`, `details` and `metrics` (contract T-12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import msgspec

from orchestration.messages import Message
from orchestration.resources import ResourceMetrics


class BatonError(Exception):
    """Base class of all errors of this package.

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
        """Class name of the error, the same as in `run.failed`."""
        return type(self).__name__

    @property
    def message(self) -> str:
        """Description of the problem for people."""
        return str(self)

    @property
    def details(self) -> Mapping[str, Any]:
        """Further details for programs, as JSON values."""
        return {}

    def dump(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {
            "type": self.type,
            "reason": self.reason,
            "message": self.message,
            "details": dict(self.details),
            "metrics": msgspec.to_builtins(self.metrics),
        }


@dataclass(frozen=True)
class Fault:
    """A problem in a file; `path` is its JSON path (`$.stages[2].phase`)."""

    path: str
    message: str
    line: int | None = field(default=None, compare=False)
    """Line of the value in the file, from 1; None if unknown."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"

    @property
    def sentence(self) -> str:
        """The message, with the path unless it is the whole file."""
        return self.message if self.path == "$" else str(self)


class DefinitionError(BatonError):
    """A definition or another document that is refused. `faults` has all problems with paths."""

    reason = "malformed"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))

    @property
    def details(self) -> Mapping[str, Any]:
        """The faults."""
        return {"faults": [{"path": fault.path, "message": fault.message} for fault in self.faults]}


class TraceError(BatonError):
    """A file that is no trace. `line` counts from 1; None refers to the whole file."""

    reason = "malformed"

    def __init__(self, why: str, *, line: int | None = None) -> None:
        self.why, self.line = why, line
        super().__init__(why if line is None else f"Line {line}: {why}")

    @property
    def details(self) -> Mapping[str, Any]:
        """The line."""
        return {"line": self.line}


class DocumentError(BatonError, ValueError):
    """A document of another format that cannot be imported, or a part of it."""

    reason = "malformed"


class UnknownNameError(BatonError, LookupError):
    """A name that does not exist; the message lists the existing names."""

    reason = "unknown_name"

    def __init__(self, noun: str, name: str, *, known: Sequence[str]) -> None:
        self.noun, self.name, self.known = noun, name, tuple(known)
        listed = ", ".join(repr(each) for each in self.known) or "none"
        super().__init__(f"No {noun} {name!r}. Known: {listed}.")

    @property
    def details(self) -> Mapping[str, Any]:
        """The requested name and the existing ones."""
        return {"noun": self.noun, "name": self.name, "known": list(self.known)}


class HandlerError(BatonError):
    """Wrong use of a handler."""

    reason = "misuse"


class CastError(HandlerError, ValueError):
    """Invalid agents; the message names the agent and the next step."""


class RoutingError(BatonError):
    """A routing rule could not be evaluated."""

    reason = "routing"


class FilterError(BatonError):
    """The filter of a handoff failed; the handoff is refused with its message."""

    reason = "filter_failed"


class ConditionError(RoutingError, ValueError):
    """A CEL expression that does not compile. `column` counts from 1; None if unknown."""

    reason = "expression"

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message)

    @property
    def details(self) -> Mapping[str, Any]:
        """Location of the error."""
        return {"column": self.column}


class SchemaError(BatonError, ValueError):
    """An invalid JSON Schema, or one that describes no object."""

    reason = "schema"


class SchemaTooComplexError(SchemaError):
    """A JSON Schema that may be valid, but is not safe to check values with."""


class SessionError(BatonError):
    """Wrong use of a session: a message during an unfinished run, or no run to end."""

    reason = "misuse"


class SteeringError(SessionError):
    """A command of a person that the conversation's state does not allow."""


class ProviderError(BatonError):
    """A model could not be reached, or sent an invalid answer.

    `request_id` is the vendor's id of the request. If the error is `transient`, a retry may help,
    after `wait` seconds if the vendor requests a delay.
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

    def with_message(self, message: str, *, request_id: str | None) -> Self:
        """Return the same error with another message."""
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


class ProviderTimeout(ProviderError):  # noqa: N818 - public name
    """A model did not answer in time."""

    reason = "timeout"


class ToolError(BatonError):
    """A refusal or failure of a tool; the model gets the message unchanged.

    A tool raises it with a message only; its caller adds the tool's name and the call id.
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
    """A temporary failure of a tool: the call is repeated if the tool is idempotent."""

    reason = "tool_unavailable"


class TaskError(BatonError):
    """A task ended without an answer. `reason` is the run's stop reason, or the kind of failure."""

    messages: tuple[Message, ...] = ()
    """History of the conversation up to the end: messages, calls and results."""

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
        """Details of the end of the task."""
        return self._details


class ResourceExhausted(TaskError):  # noqa: N818 - public name in the contract
    """A task reached a limit and ended cleanly, without a retry (contract T-7)."""

    def __init__(
        self, resource: str, metrics: ResourceMetrics | None = None, *, used: float, limit: float
    ) -> None:
        self.resource = resource
        amounts = f"{_short(used)} of {_short(limit)}"
        super().__init__(
            f"The limit on {resource} is reached: {amounts}.",
            reason=f"{resource.removesuffix('s')}_limit",
            details={"resource": resource, "used": used, "limit": limit},
            metrics=metrics,
        )


def _short(amount: float) -> str:
    """Return an amount without needless decimal places."""
    return str(int(amount)) if amount == int(amount) else f"{amount:.4f}".rstrip("0")
