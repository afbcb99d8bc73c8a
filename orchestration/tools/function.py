"""Tools that answer: Python callables, and stand-ins that play a definition's examples."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from orchestration.definition import Tool, ToolExample
from orchestration.exceptions import ToolError
from orchestration.messages import SubtaskRequest
from orchestration.tools.signature import spec_of
from orchestration.tools.spec import ToolSpec


class CallContext(msgspec.Struct, frozen=True):
    """Which call it is. A call cut off by a crash is made again with the same key."""

    key: str
    """The idempotency key: session, run, turn and call id."""
    agent_id: str | None = None


class RunnableTool(Protocol):
    """What the tool handler runs."""

    @property
    def name(self) -> str:
        """What models call it."""

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str | SubtaskRequest:
        """The result for the model, or what is to be had done for it (row T-9).

        What it raises is the call's error; of a `ToolError` the model is told the message alone.
        """


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A Python callable as a tool: `async`, or plain if it is quick.

    It gets the arguments by name, and the `CallContext` too if it takes a `context`.
    """

    name: str
    function: Callable[..., Any]
    _signature: inspect.Signature | None = field(init=False, repr=False, compare=False)
    _taken: frozenset[str] = field(init=False, repr=False, compare=False)
    """The names of its arguments."""
    _needed: frozenset[str] = field(init=False, repr=False, compare=False)
    """Those among them that have no default."""

    def __post_init__(self) -> None:
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # a builtin that does not say
            signature = None
        parameters = signature.parameters.values() if signature else ()
        named = [
            one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
        ]
        object.__setattr__(self, "_signature", signature)
        object.__setattr__(self, "_taken", frozenset(one.name for one in named))
        needed = frozenset(one.name for one in named if one.default is one.empty)
        object.__setattr__(self, "_needed", needed)

    @property
    def spec(self) -> ToolSpec:
        """What a model is told of it: the function's docstring and a JSON Schema of its arguments.

        >>> FunctionTool("double", lambda number: 2 * number).spec.parameters["required"]
        ['number']
        """
        return spec_of(self.name, self.function)

    async def run(self, arguments: dict[str, Any], context: CallContext) -> str:
        """Call it. Text is the result as it stands, anything else its JSON."""
        if "context" in self._taken:
            arguments = {**arguments, "context": context}
        if self._signature is not None and not self._needed <= arguments.keys() <= self._taken:
            try:
                self._signature.bind(**arguments)
            except TypeError as error:
                raise ToolError(f"The arguments of {self.name} are wrong: {error}") from None
        result = self.function(**arguments)
        if inspect.isawaitable(result):
            result = await result
        if isinstance(result, str):
            return result
        return json.dumps(result, ensure_ascii=False, default=str)


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
    """Whether a call has at least these arguments; words are compared without their case."""
    return all(name in arguments and _same(arguments[name], wanted[name]) for name in wanted)


def _same(given: object, wanted: object) -> bool:
    if isinstance(given, str) and isinstance(wanted, str):
        return given.strip().casefold() == wanted.strip().casefold()
    return given == wanted
