"""Python callables as tools, and stand-ins that return a definition's examples."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import msgspec

from orchestration.definition import PipelineDefinition, Tool, ToolExample
from orchestration.exceptions import ToolError
from orchestration.messages import SubtaskRequest
from orchestration.tools.signature import spec_of
from orchestration.tools.spec import ToolSpec


class CallContext(msgspec.Struct, frozen=True):
    """Identity of a call. A call repeated after a crash has the same key."""

    key: str
    """The idempotency key: session, run, turn and call id."""
    agent_id: str | None = None


class RunnableTool(Protocol):
    """A tool that the tool handler can run."""

    @property
    def name(self) -> str:
        """Name of the tool for models."""

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str | SubtaskRequest:
        """Return the result for the model, or a subtask that produces it (contract T-9).

        An exception becomes the error of the call; for a `ToolError`, only its message.
        """


class ToolSource(Protocol):
    """Implementations of tools outside the process, such as `RemoteTools`."""

    def tools(self, definition: PipelineDefinition) -> Mapping[str, RunnableTool]:
        """Return the definition's tools that this source implements, by name."""


def text_of(result: object) -> str:
    """Return a tool's result as text for the model: text unchanged, anything else as JSON."""
    return (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    )


class CallableSignature(msgspec.Struct, frozen=True):
    """Arguments of a callable, read from its signature once and shared by all sessions."""

    signature: inspect.Signature | None
    """None: a builtin without a signature."""
    names: frozenset[str]
    required: frozenset[str]
    """The names of the arguments without a default."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> CallableSignature:
        """Return the signature of a callable, from the cache if possible."""
        try:
            signature = _SIGNATURES.get(function)
            if signature is None:
                signature = _SIGNATURES[function] = cls._read(function)
        except TypeError:  # a weak dictionary cannot hold this callable
            return cls._read(function)
        return signature

    @classmethod
    def _read(cls, function: Callable[..., Any]) -> CallableSignature:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return cls(None, frozenset(), frozenset())
        named = [
            parameter
            for parameter in signature.parameters.values()
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        ]
        names = frozenset(parameter.name for parameter in named)
        required = (parameter.name for parameter in named if parameter.default is parameter.empty)
        return cls(signature, names, frozenset(required))

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise `TypeError` if the callable cannot be called with these arguments by name."""
        if self.signature is not None and not self.required <= arguments.keys() <= self.names:
            self.signature.bind(**arguments)


_SIGNATURES: WeakKeyDictionary[Callable[..., Any], CallableSignature] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A Python callable as a tool: `async`, or a plain function if it is quick.

    The callable receives the arguments by name, and the `CallContext` if it has a parameter
    `context`.
    """

    name: str
    function: Callable[..., Any]
    _signature: CallableSignature = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_signature", CallableSignature.of(self.function))

    @property
    def spec(self) -> ToolSpec:
        """Specification for models: the function's docstring and a JSON Schema of its arguments.

        >>> FunctionTool("double", lambda number: 2 * number).spec.parameters["required"]
        ['number']
        """
        return spec_of(self.name, self.function)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Call the function; return its text unchanged, and any other result as JSON."""
        if "context" in self._signature.names:
            arguments = {**arguments, "context": context}
        try:
            self._signature.check(arguments)
        except TypeError as error:
            raise ToolError(f"The arguments of {self.name} are wrong: {error}") from None
        result = self.function(**arguments)
        if inspect.isawaitable(result):
            result = await result
        return text_of(result)


@dataclass(frozen=True, slots=True)
class ExampleTool:
    """A stand-in for a tool: returns the result of the first example that matches the call."""

    name: str
    examples: Sequence[ToolExample] = ()

    @classmethod
    def from_definition(cls, tool: Tool) -> ExampleTool:
        """Create the stand-in of a definition's tool."""
        return cls(tool.name, tool.examples)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Return the result of the matching example, or raise `ToolError`."""
        for example in self.examples:
            if _matches(arguments, example.arguments):
                return example.result
        if not self.examples:
            raise ToolError(f"{self.name} is not connected and has no examples.")
        raise ToolError(f"No example of {self.name} matches these arguments.")


def _matches(arguments: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Report whether a call has at least these arguments; texts are compared without case."""
    return all(name in arguments and _is_same(arguments[name], expected[name]) for name in expected)


def _is_same(value: object, expected: object) -> bool:
    if isinstance(value, str) and isinstance(expected, str):
        return value.strip().casefold() == expected.strip().casefold()
    return value == expected
