"""Running the tool calls of a turn (rows H-7 and H-8)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from time import perf_counter
from typing import Any

from orchestration.cancellation import being_cancelled
from orchestration.exceptions import HandlerError, ToolError
from orchestration.handler import Handler
from orchestration.messages import SubtaskRequest, ToolCall, ToolResult, clean
from orchestration.tools.arguments import read_arguments
from orchestration.tools.function import CallContext, FunctionTool, RunnableTool, text_of
from orchestration.tools.subtask import CONTINUATION, notes_of

TOOL_TIMEOUT = 60.0
"""Seconds that one tool call may take."""

GRACE = 1.0
"""Seconds that a cancelled call has to end."""

MAX_RESULT = 100_000
"""Characters of a tool's result; what is over is cut off."""


class ToolHandler(Handler[Mapping[str, Any], ToolResult]):
    """Runs tool calls all at once; one that fails harms no other (rows H-7 and H-8)."""

    def __init__(
        self,
        *,
        tools: Mapping[str, RunnableTool | Callable[..., Any]] | None = None,
        timeout: float | None = TOOL_TIMEOUT,
        grace: float = GRACE,
    ) -> None:
        self._tools: dict[str, RunnableTool] = {}
        if timeout is not None and timeout <= 0:
            raise HandlerError(f"timeout is {timeout:g}: give a call some seconds, or None.")
        self._timeout, self._grace = timeout, grace
        for name, tool in (tools or {}).items():
            self._tools[name] = as_tool(name, tool)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that can be called, in order of registration."""
        return tuple(self._tools)

    def register(self, tool: RunnableTool) -> None:
        """Add a tool; a name that is taken raises `HandlerError`."""
        self.register_many([tool])

    def register_many(self, tools: Sequence[RunnableTool]) -> None:
        """Add all of these tools, or none."""
        added: dict[str, RunnableTool] = {}
        for tool in tools:
            if tool.name in self._tools or tool.name in added:
                raise HandlerError(f"Duplicate tool '{tool.name}' in ToolHandler")
            added[tool.name] = tool
        self._tools.update(added)

    async def handle(
        self,
        input: Mapping[str, Any],  # noqa: A002 - the seeds' name
        **kwargs: Any,
    ) -> AsyncIterator[ToolResult]:
        """Run `{call id: {"name", "arguments"}}` and yield the results in the order of the ids."""
        calls = []
        for call_id, call in input.items():
            arguments = call.get("arguments", {})
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls.append(ToolCall(id=call_id, name=call["name"], arguments=text))
        for result in await self.run(calls):
            yield result

    async def run(
        self,
        calls: Sequence[ToolCall],
        *,
        offered: Iterable[str] | None = None,
        agent_id: str | None = None,
        key: str = "",
    ) -> list[ToolResult]:
        """The results of all calls, in their order. `offered` narrows what may be called."""
        results = self.finished(calls, offered=offered, agent_id=agent_id, key=key)
        async with aclosing(results):
            there = {result.call_id: result async for result in results}
        return [there[call.id] for call in calls]

    async def finished(
        self,
        calls: Sequence[ToolCall],
        *,
        offered: Iterable[str] | None = None,
        agent_id: str | None = None,
        key: str = "",
    ) -> AsyncGenerator[ToolResult, None]:
        """The results as they are there, so that each can be kept before the slowest has come.

        Those that are there at once come in the order of the calls.
        """
        known = self._tools if offered is None else set(offered)
        began = perf_counter()
        running = {
            asyncio.create_task(self._run(call, known, agent_id, key)): call for call in calls
        }
        waiting = set(running)
        try:
            while waiting:
                # One timer for all, as all began at once.
                left = None if self._timeout is None else began + self._timeout - perf_counter()
                done, waiting = await asyncio.wait(
                    waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    await _cancel(waiting, self._grace)
                    done, waiting = waiting, set()
                for task, call in running.items():
                    if task in done:
                        there = task.done() and not task.cancelled()
                        yield task.result() if there else self._late(call, began)
        finally:
            if waiting:
                await _cancel(waiting, self._grace)

    def aggregate(self, results: Sequence[ToolResult]) -> dict[str, str]:
        """Call id → content, or the error."""
        return {
            result.call_id: result.content if result.error is None else result.error
            for result in results
        }

    async def _run(
        self, call: ToolCall, known: Iterable[str], agent_id: str | None, key: str
    ) -> ToolResult:
        began = perf_counter()
        content, error, notes = "", None, None
        try:
            tool = self._find(call.name, known)
            arguments = read_arguments(call)
            if isinstance(arguments, str):
                raise ToolError(arguments)
            given = await tool.run(arguments, CallContext(f"{key}/{call.id}", agent_id))
            if isinstance(given, SubtaskRequest):
                content, notes = CONTINUATION, notes_of(given)
            else:
                content = _bounded(text_of(given))
        except ToolError as refusal:
            error = str(refusal)
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            error = f"{call.name} was cancelled."
        except Exception as failure:  # noqa: BLE001 - a tool is not ours: its error is a result
            error = f"{type(failure).__name__}: {failure}"
        return ToolResult(
            call_id=call.id,
            name=call.name,
            content=content,
            error=None if error is None else _bounded(error),
            notes=notes,
            milliseconds=round((perf_counter() - began) * 1000),
        )

    def _late(self, call: ToolCall, began: float) -> ToolResult:
        """What is told of a call that was cancelled for its timeout."""
        return ToolResult(
            call_id=call.id,
            name=call.name,
            error=f"{call.name} did not answer within {self._timeout:g} seconds.",
            milliseconds=round((perf_counter() - began) * 1000),
        )

    def _find(self, name: str, known: Iterable[str]) -> RunnableTool:
        if name in known and name in self._tools:
            return self._tools[name]
        listed = ", ".join(sorted(known)) or "none"
        raise ToolError(f"There is no tool {name!r}. Your tools: {listed}.")


async def _cancel(tasks: Collection[asyncio.Task[ToolResult]], grace: float) -> None:
    """Cancel calls, and wait until they have ended; not for ever for one that will not."""
    for task in tasks:
        task.cancel()
    _, stubborn = await asyncio.wait(tasks, timeout=grace)
    for task in stubborn:
        _STUBBORN.add(task)
        task.add_done_callback(_STUBBORN.discard)


_STUBBORN: set[asyncio.Task[ToolResult]] = set()
"""Calls that go on although they were cancelled: nobody waits for them any more."""


def _bounded(text: str) -> str:
    text = clean(text)
    return text if len(text) <= MAX_RESULT else text[:MAX_RESULT] + " … (cut off: too long)"


def as_tool(name: str, tool: RunnableTool | Callable[..., Any]) -> RunnableTool:
    """A tool as it is, or a plain callable made one."""
    if hasattr(tool, "run") and hasattr(tool, "name"):
        return tool
    return FunctionTool(name, tool)
