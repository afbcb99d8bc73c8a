"""The error tree.

    BatonError
    ├── DefinitionError        a file or text that is no definition; carries every fault
    ├── UnknownNameError       a name that the pipeline does not hold
    ├── HandlerError           a handler was built or called wrongly (rows H-1 … H-9)
    ├── RoutingError           a rule's own condition failed (row O-4)
    │   └── ConditionError     a CEL expression that does not compile; says at which column
    ├── SchemaError            a JSON Schema that describes no object, or is not safe to use
    ├── FilterError            what a handoff is to keep could not be told (row S-4)
    ├── SessionError           a session was driven wrongly: two runs at once, or none to end
    └── ProviderError          a model could not be reached, or answered what is no answer
        └── ProviderTimeout

Errors are raised for callers' mistakes and failed I/O. What a conversation may well do (a refused
handoff, a tool that fails, a limit that is reached) is an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class BatonError(Exception):
    """Root of everything this package raises."""


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a file, and where: `path` is a JSON path (`$.stages[2].phase`)."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class DefinitionError(BatonError):
    """A text that is no definition. `faults` names every fault with its JSON path."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


class UnknownNameError(BatonError, LookupError):
    """A name that is not there; the message lists the ones that are."""

    def __init__(self, noun: str, name: str, *, known: Sequence[str]) -> None:
        self.noun, self.name, self.known = noun, name, tuple(known)
        listed = ", ".join(repr(one) for one in self.known) or "none"
        super().__init__(f"No {noun} {name!r}. Known: {listed}.")


class HandlerError(BatonError):
    """A handler was built or called wrongly."""


class RoutingError(BatonError):
    """A routing rule could not be evaluated."""


class FilterError(BatonError):
    """The filter of a handoff failed; the handoff is refused with its message."""


class ConditionError(RoutingError, ValueError):
    """A CEL expression that does not compile. `column` counts from 1; None: no one place."""

    def __init__(self, message: str, column: int | None = None) -> None:
        self.column = column
        super().__init__(message)


class SchemaError(BatonError, ValueError):
    """A JSON Schema that describes no object, or is not safe to use: the message says why."""


class SessionError(BatonError):
    """A session was driven wrongly: a message while a run is unfinished, no run to end."""


class ProviderError(BatonError):
    """A model could not be reached, or answered what is no answer."""

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        self.status, self.request_id = status, request_id
        super().__init__(message)


class ProviderTimeout(ProviderError):  # noqa: N818 - a time-out is what it is called
    """A model did not answer in time."""
