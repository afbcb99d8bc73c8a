"""Tools that answer: Python callables, and stand-ins that play a definition's examples."""

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
        """The result for the model, or what is to be had done for it (contract T-9).

        What it raises is the call's error; of a `ToolError` the model is told the message alone.
        """


class ToolSource(Protocol):
    """Implementations of tools outside the process: `orchestration.tools.outside`."""

    def tools(self, definition: PipelineDefinition) -> Mapping[str, RunnableTool]:
        """The tools that it answers, by their names."""


def text_of(result: object) -> str:
    """Return a tool's result as text for the model: text unchanged, anything else as JSON."""
    return (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    )


class CallableSignature(msgspec.Struct, frozen=True):
    """Arguments of a callable, read from its signature once and shared by all sessions."""

    signature: inspect.Signature | None
    """None: a builtin that does not say."""
    names: frozenset[str]
    needed: frozenset[str]
    """The names of the arguments without a default."""

    @classmethod
    def by(cls, function: Callable[..., Any]) -> CallableSignature:
        """Return the signature of this callable."""
        try:
            found = _ASKED.get(function)
            if found is None:
                found = _ASKED[function] = cls._read(function)
        except TypeError:  # nothing that a weak dictionary can hold
            return cls._read(function)
        return found

    @classmethod
    def _read(cls, function: Callable[..., Any]) -> CallableSignature:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return cls(None, frozenset(), frozenset())
        named = [
            one
            for one in signature.parameters.values()
            if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ]
        needed = frozenset(one.name for one in named if one.default is one.empty)
        return cls(signature, frozenset(one.name for one in named), needed)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raises `TypeError` where a call by these names would not do."""
        if self.signature is not None and not self.needed <= arguments.keys() <= self.names:
            self.signature.bind(**arguments)


_ASKED: WeakKeyDictionary[Callable[..., Any], CallableSignature] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A Python callable as a tool: `async`, or plain if it is quick.

    It gets the arguments by name, and the `CallContext` too if it takes a `context`.
    """

    name: str
    function: Callable[..., Any]
    _asked: CallableSignature = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_asked", CallableSignature.by(self.function))

    @property
    def spec(self) -> ToolSpec:
        """Specification for models: the function's docstring and a JSON Schema of its arguments.

        >>> FunctionTool("double", lambda number: 2 * number).spec.parameters["required"]
        ['number']
        """
        return spec_of(self.name, self.function)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Call it. Text is the result as it stands, anything else its JSON."""
        if "context" in self._asked.names:
            arguments = {**arguments, "context": context}
        try:
            self._asked.check(arguments)
        except TypeError as error:
            raise ToolError(f"The arguments of {self.name} are wrong: {error}") from None
        result = self.function(**arguments)
        if inspect.isawaitable(result):
            result = await result
        return text_of(result)


@dataclass(frozen=True, slots=True)
class ExampleTool:
    """A stand-in: gives the result of the first example whose arguments the call has."""

    name: str
    examples: Sequence[ToolExample] = ()

    @classmethod
    def from_definition(cls, tool: Tool) -> ExampleTool:
        """The stand-in of a definition's tool."""
        return cls(tool.name, tool.examples)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Play the example, or say that none fits."""
        for example in self.examples:
            if _has(arguments, example.arguments):
                return example.result
        if not self.examples:
            raise ToolError(f"{self.name} is not connected, and has no example to stand in for it.")
        raise ToolError(f"No example of {self.name} fits these arguments.")


def _has(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Report whether a call has at least these arguments; texts are compared without case."""
    return all(name in arguments and _same(arguments[name], wanted[name]) for name in wanted)


def _same(given: object, wanted: object) -> bool:
    if isinstance(given, str) and isinstance(wanted, str):
        return given.strip().casefold() == wanted.strip().casefold()
    return given == wanted
