"""Running the tool calls of a turn (contract H-7 and H-8)."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from orchestration.cancellation import being_cancelled, end_tasks
from orchestration.definition import Tool
from orchestration.exceptions import HandlerError, ToolError, ToolUnavailableError
from orchestration.handler import Handler
from orchestration.messages import SubtaskRequest, ToolCall, ToolResult, clean
from orchestration.tools.arguments import read_arguments, read_call
from orchestration.tools.function import (
    CallContext,
    ExampleTool,
    FunctionTool,
    RunnableTool,
    text_of,
)
from orchestration.tools.subtask import CONTINUATION, notes_of

TOOL_TIMEOUT = 60.0
"""Maximum seconds of one tool call."""

GRACE = 1.0
"""Seconds to wait for a cancelled call to end."""

MAX_RESULT = 100_000
"""Maximum characters of a tool's result; a longer result is cut off."""

MAX_TRIES = 3
"""Maximum number of attempts of an idempotent tool."""

FIRST_PAUSE, MAX_PAUSE = 0.2, 2.0
"""Seconds before the second attempt, doubled for each further attempt; and the maximum."""


@dataclass(slots=True)
class _Call:
    """A call in progress."""

    call: ToolCall
    limit: float | None
    """Maximum seconds of the call."""
    tries: int = 1


class ToolHandler(Handler[Mapping[str, Any], ToolResult]):
    """Runs tool calls in parallel; a failed call does not affect the others (H-7 and H-8)."""

    def __init__(
        self,
        *,
        tools: Mapping[str, RunnableTool | Callable[..., Any]] | None = None,
        definitions: Mapping[str, Tool] | None = None,
        timeout: float | None = TOOL_TIMEOUT,
        grace: float = GRACE,
        pause: float = FIRST_PAUSE,
    ) -> None:
        """Create a handler; `definitions` supplies the limits of tools and their retries."""
        self._tools: dict[str, RunnableTool] = {}
        if timeout is not None and timeout <= 0:
            raise HandlerError(
                f"timeout is {timeout:g}: use a positive number of seconds, or None."
            )
        self._timeout, self._grace, self._pause = timeout, grace, pause
        self._definitions = definitions or {}
        for name, tool in (tools or {}).items():
            self._tools[name] = as_tool(name, tool)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in order of registration."""
        return tuple(self._tools)

    def register(self, tool: RunnableTool) -> None:
        """Add a tool; raise `HandlerError` if its name is in use."""
        self.register_many([tool])

    def register_many(self, tools: Sequence[RunnableTool]) -> None:
        """Add all of these tools, or none if a name is in use."""
        added: dict[str, RunnableTool] = {}
        for tool in tools:
            if tool.name in self._tools or tool.name in added:
                raise HandlerError(f"Duplicate tool '{tool.name}' in ToolHandler")
            added[tool.name] = tool
        self._tools.update(added)

    async def handle(
        self,
        input: Mapping[str, Any],  # noqa: A002 - contract name
        **kwargs: Any,
    ) -> AsyncIterator[ToolResult]:
        """Run `{call id: {"name", "arguments"}}` and yield the results in the order of the ids.

        A malformed call is an error of this call only.
        """
        calls = {call_id: read_call(call_id, entry) for call_id, entry in input.items()}
        valid = [call for call in calls.values() if isinstance(call, ToolCall)]
        results = {result.call_id: result for result in await self.run(valid)}
        for call_id, call in calls.items():
            if isinstance(call, ToolCall):
                yield results[call_id]
            else:
                yield ToolResult(call_id=call_id, name=_name_of(input[call_id]), error=call)

    async def run(
        self,
        calls: Sequence[ToolCall],
        *,
        offered: Iterable[str] | None = None,
        agent_id: str | None = None,
        key: str = "",
    ) -> list[ToolResult]:
        """Return the results of all calls, in the order of the calls.

        `offered` lists the names that may be called; None allows all tools.
        """
        results = self.stream(calls, offered=offered, agent_id=agent_id, key=key)
        async with aclosing(results):
            by_id = {result.call_id: result async for result in results}
        return [by_id[call.id] for call in calls]

    async def stream(
        self,
        calls: Sequence[ToolCall],
        *,
        offered: Iterable[str] | None = None,
        agent_id: str | None = None,
        key: str = "",
    ) -> AsyncGenerator[ToolResult, None]:
        """Yield each result when its call ends, so that it can be recorded before slower calls.

        Results available at the same time are yielded in the order of the calls.
        """
        allowed = self._tools if offered is None else set(offered)
        began = perf_counter()
        running: dict[asyncio.Task[ToolResult], _Call] = {}
        for call in calls:
            entry = _Call(call, self._limit_of(call.name))
            running[asyncio.create_task(self._run(entry, allowed, agent_id, key))] = entry
        pending = set(running)
        try:
            while pending:
                # One timer is enough: all calls began at the same time.
                limits = [limit for task in pending if (limit := running[task].limit) is not None]
                remaining = began + min(limits) - perf_counter() if limits else None
                done, pending = await asyncio.wait(
                    pending, timeout=remaining, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    done = {task for task in pending if running[task].limit == min(limits)}
                    pending -= done
                    await end_tasks(done, within=self._grace)
                for task, entry in running.items():
                    if task in done:
                        has_result = task.done() and not task.cancelled()
                        yield task.result() if has_result else _timeout_result(entry, began)
        finally:
            if pending:
                await end_tasks(pending, within=self._grace)

    def aggregate(self, results: Sequence[ToolResult]) -> dict[str, str]:
        """Return the content or the error of each call by its id."""
        return {
            result.call_id: result.content if result.error is None else result.error
            for result in results
        }

    async def _run(
        self, entry: _Call, allowed: Iterable[str], agent_id: str | None, key: str
    ) -> ToolResult:
        began = perf_counter()
        call, definition = entry.call, self._definitions.get(entry.call.name)
        content, error, notes, stood_in = "", None, None, False
        try:
            tool = self._find(call.name, allowed)
            stood_in = isinstance(tool, ExampleTool)
            arguments = read_arguments(call)
            if isinstance(arguments, str):
                raise ToolError(arguments)
            context = CallContext(f"{key}/{call.id}", agent_id)
            if definition is not None and definition.idempotent:
                returned = await self._run_with_retries(tool, arguments, context, entry)
            else:
                returned = await tool.run(arguments, context)
            if isinstance(returned, SubtaskRequest):
                content, notes = CONTINUATION, notes_of(returned)
            else:
                limit = definition.max_answer if definition else None
                content = _shortened(text_of(returned), limit or MAX_RESULT)
        except ToolError as refusal:
            error = str(refusal)
        except asyncio.CancelledError:
            if being_cancelled():
                raise
            error = f"{call.name} was cancelled."
        except Exception as failure:  # noqa: BLE001 - foreign code: its exception is a result
            error = f"{type(failure).__name__}: {failure}"
        return ToolResult(
            call_id=call.id,
            name=call.name,
            content=content,
            error=None if error is None else _shortened(error, MAX_RESULT),
            notes=notes,
            milliseconds=round((perf_counter() - began) * 1000),
            tries=entry.tries,
            stood_in=stood_in,
        )

    async def _run_with_retries(
        self, tool: RunnableTool, arguments: dict[str, Any], context: CallContext, entry: _Call
    ) -> str | SubtaskRequest:
        """Run an idempotent tool until it succeeds or has no attempts left."""
        import stamina  # here because the import is slow

        attempts = stamina.retry_context(
            on=_is_transient,
            attempts=MAX_TRIES,
            timeout=None,  # the call's time limit covers all attempts
            wait_initial=self._pause,
            wait_jitter=self._pause,
            wait_max=MAX_PAUSE,
        )
        async for attempt in attempts:
            entry.tries = attempt.num
            with attempt:
                return await tool.run(dict(arguments), context)
        raise AssertionError("stamina makes at least one attempt")

    def _limit_of(self, name: str) -> float | None:
        definition = self._definitions.get(name)
        return self._timeout if definition is None else definition.time_limit or self._timeout

    def _find(self, name: str, allowed: Iterable[str]) -> RunnableTool:
        if name in allowed and name in self._tools:
            return self._tools[name]
        listed = ", ".join(sorted(allowed)) or "none"
        raise ToolError(f"There is no tool {name!r}. Your tools: {listed}.")


def _name_of(entry: Any) -> str:
    """Return the name in a malformed call, if it has one."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return name if isinstance(name, str) else ""


def _shortened(text: str, limit: int) -> str:
    text = clean(text)
    return text if len(text) <= limit else text[:limit] + " … (cut off: too long)"


def _timeout_result(entry: _Call, began: float) -> ToolResult:
    """Return the result of a call that exceeded its time limit."""
    call = entry.call
    return ToolResult(
        call_id=call.id,
        name=call.name,
        error=f"{call.name} did not answer within {entry.limit:g} seconds.",
        milliseconds=round((perf_counter() - began) * 1000),
        tries=entry.tries,
    )


def _is_transient(failure: BaseException) -> bool:
    """Report whether a retry may succeed: not if the tool refused the call."""
    if not isinstance(failure, Exception):
        return False  # the call was cancelled
    return not isinstance(failure, ToolError) or isinstance(failure, ToolUnavailableError)


def as_tool(name: str, tool: RunnableTool | Callable[..., Any]) -> RunnableTool:
    """Return a tool unchanged, or wrap a plain callable as one."""
    if hasattr(tool, "run") and hasattr(tool, "name"):
        return tool
    return FunctionTool(name, tool)
