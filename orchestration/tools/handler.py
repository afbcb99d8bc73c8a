"""Running the tool calls of a turn (contract H-7 and H-8)."""

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
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from orchestration.definition import Tool
from orchestration.exceptions import HandlerError, ToolError, ToolUnavailableError
from orchestration.handler import Handler
from orchestration.messages import SubtaskRequest, ToolCall, ToolResult, clean
from orchestration.tools.arguments import read_arguments
from orchestration.tools.cancellation import being_cancelled
from orchestration.tools.function import (
    CallContext,
    ExampleTool,
    FunctionTool,
    RunnableTool,
    text_of,
)
from orchestration.tools.subtask import CONTINUATION, notes_of

TOOL_TIMEOUT = 60.0
"""Seconds that one tool call may take."""

GRACE = 1.0
"""Seconds that a cancelled call has to end."""

MAX_RESULT = 100_000
"""Characters of a tool's result; what is over is cut off."""

MAX_TRIES = 3
"""Maximum number of attempts of a repeatable tool."""

FIRST_PAUSE, MAX_PAUSE = 0.2, 2.0
"""Seconds before it is called for the second time, twice as many each time after; and at most."""


@dataclass(slots=True)
class _Call:
    """A call under way."""

    call: ToolCall
    limit: float | None
    """Seconds that it may take."""
    tries: int = 1


class ToolHandler(Handler[Mapping[str, Any], ToolResult]):
    """Runs tool calls all at once; one that fails harms no other (contract H-7 and H-8)."""

    def __init__(
        self,
        *,
        tools: Mapping[str, RunnableTool | Callable[..., Any]] | None = None,
        manners: Mapping[str, Tool] | None = None,
        timeout: float | None = TOOL_TIMEOUT,
        grace: float = GRACE,
        pause: float = FIRST_PAUSE,
    ) -> None:
        """`manners`: what a definition says of tools: limits, and which may be called again."""
        self._tools: dict[str, RunnableTool] = {}
        if timeout is not None and timeout <= 0:
            raise HandlerError(f"timeout is {timeout:g}: give a call some seconds, or None.")
        self._timeout, self._grace, self._pause = timeout, grace, pause
        self._manners = manners or {}
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
        input: Mapping[str, Any],  # noqa: A002 - contract name
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
        running: dict[asyncio.Task[ToolResult], _Call] = {}
        for call in calls:
            one = _Call(call, self._limit_of(call.name))
            running[asyncio.create_task(self._run(one, known, agent_id, key))] = one
        waiting = set(running)
        try:
            while waiting:
                # One timer for all, as all began at once.
                limits = [limit for task in waiting if (limit := running[task].limit) is not None]
                left = began + min(limits) - perf_counter() if limits else None
                done, waiting = await asyncio.wait(
                    waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    done = {task for task in waiting if running[task].limit == min(limits)}
                    waiting -= done
                    await _cancel(done, self._grace)
                for task, one in running.items():
                    if task in done:
                        there = task.done() and not task.cancelled()
                        yield task.result() if there else _late(one, began)
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
        self, one: _Call, known: Iterable[str], agent_id: str | None, key: str
    ) -> ToolResult:
        began = perf_counter()
        call, manners = one.call, self._manners.get(one.call.name)
        content, error, notes, stood_in = "", None, None, False
        try:
            tool = self._find(call.name, known)
            stood_in = isinstance(tool, ExampleTool)
            arguments = read_arguments(call)
            if isinstance(arguments, str):
                raise ToolError(arguments)
            context = CallContext(f"{key}/{call.id}", agent_id)
            if manners is not None and manners.idempotent:
                given = await self._try(tool, arguments, context, one)
            else:
                given = await tool.run(arguments, context)
            if isinstance(given, SubtaskRequest):
                content, notes = CONTINUATION, notes_of(given)
            else:
                most = manners.max_answer if manners else None
                content = _bounded(text_of(given), most or MAX_RESULT)
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
            error=None if error is None else _bounded(error, MAX_RESULT),
            notes=notes,
            milliseconds=round((perf_counter() - began) * 1000),
            tries=one.tries,
            stood_in=stood_in,
        )

    async def _try(
        self, tool: RunnableTool, arguments: dict[str, Any], context: CallContext, one: _Call
    ) -> str | SubtaskRequest:
        """Call a tool that may be called again, until it answers or has had its tries."""
        import stamina  # only where it is wanted: it takes a while

        tries = stamina.retry_context(
            on=_may_pass,
            attempts=MAX_TRIES,
            timeout=None,  # the limit of the call is for all of its tries
            wait_initial=self._pause,
            wait_jitter=self._pause,
            wait_max=MAX_PAUSE,
        )
        async for attempt in tries:
            one.tries = attempt.num
            with attempt:
                return await tool.run(dict(arguments), context)
        raise AssertionError("stamina tries at least once")

    def _limit_of(self, name: str) -> float | None:
        manners = self._manners.get(name)
        return self._timeout if manners is None else manners.time_limit or self._timeout

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


def _bounded(text: str, most: int) -> str:
    text = clean(text)
    return text if len(text) <= most else text[:most] + " … (cut off: too long)"


def _late(one: _Call, began: float) -> ToolResult:
    """Return the result of a call that exceeded its time limit."""
    call = one.call
    return ToolResult(
        call_id=call.id,
        name=call.name,
        error=f"{call.name} did not answer within {one.limit:g} seconds.",
        milliseconds=round((perf_counter() - began) * 1000),
        tries=one.tries,
    )


def _may_pass(failure: BaseException) -> bool:
    """Report whether a retry may succeed: not if the tool refuses the call itself."""
    if not isinstance(failure, Exception):
        return False  # it was cancelled
    return not isinstance(failure, ToolError) or isinstance(failure, ToolUnavailableError)


def as_tool(name: str, tool: RunnableTool | Callable[..., Any]) -> RunnableTool:
    """A tool as it is, or a plain callable made one."""
    if hasattr(tool, "run") and hasattr(tool, "name"):
        return tool
    return FunctionTool(name, tool)
