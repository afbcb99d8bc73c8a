"""Tools with a JSON Schema: check of the arguments, limits, and errors for the model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from jsonschema import Draft202012Validator
from langchain_core.tools import BaseTool, ToolException
from langgraph.errors import GraphBubbleUp


class CheckedTool(BaseTool):
    """A function as a tool. Its errors go to the model, except that it is not implemented."""

    function: Callable[..., Awaitable[Any]]
    time_limit: float = 60
    max_answer: int = 100_000
    attempts: int = 1

    def _run(self, /, **arguments: Any) -> str:
        return asyncio.run(self._arun(**arguments))

    async def _arun(self, /, **arguments: Any) -> str:
        if error := first_error(self.args_schema, arguments):
            raise ToolException(error)
        try:
            async with asyncio.timeout(self.time_limit):
                return (await self.repeated(arguments))[: self.max_answer]
        except TimeoutError:
            raise ToolException(f"{self.name} took longer than {self.time_limit} s.") from None

    async def repeated(self, arguments: dict[str, Any]) -> str:
        """Call the function with the allowed number of attempts."""
        for attempt in range(self.attempts):
            try:
                return str(await self.function(**arguments))
            except (NotImplementedError, GraphBubbleUp):
                raise
            except Exception as error:
                if attempt == self.attempts - 1:
                    raise ToolException(f"{type(error).__name__}: {error}") from error
        raise AssertionError(self.attempts)


def function_tool(
    function: Callable[..., Awaitable[Any]],
    name: str,
    description: str,
    schema: dict[str, Any],
    **limits: Any,
) -> CheckedTool:
    """Return the tool of a function; `limits` are `time_limit`, `max_answer` and `attempts`."""
    return CheckedTool(
        name=name,
        description=description,
        args_schema=schema,
        function=function,
        handle_tool_error=True,
        **limits,
    )


def first_error(schema: Any, value: Any) -> str | None:
    """Return the first error of a value by a JSON Schema in one sentence."""
    error = next(iter(Draft202012Validator(schema).iter_errors(value)), None)
    return f"The arguments are wrong: {error.message}" if error else None
