"""One task: a conversation with one agent (contract T-2 to T-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from orchestration import events as e
from orchestration.control import Approve
from orchestration.conversation import offer
from orchestration.definition import Agent, Limits, PipelineDefinition, Stage, Tool
from orchestration.exceptions import HandlerError, TaskError
from orchestration.library.agent_set import Providers
from orchestration.library.tasks.outcomes import outcome_of
from orchestration.library.tasks.registration import (
    AnySpec,
    create_tool,
    tool_from_function,
    tool_from_spec,
)
from orchestration.library.tasks.results import TaskResult, TaskStatus
from orchestration.library.tasks.system import TaskSystem
from orchestration.messages import InboundMessage, Message, SubtaskRequest
from orchestration.prompts import PromptPart, files_part
from orchestration.providers import Provider, ScriptedProvider
from orchestration.resources import ResourceMetrics
from orchestration.runtime import (
    AskTheUser,
    Engine,
    EngineSettings,
    Journal,
    MemoryJournal,
    NoJournal,
)
from orchestration.tools import ASK_USER, TASK_PARAMETERS, user_input_tool

AGENT_ID, PHASE = "assistant", "task"


def _now() -> datetime:
    return datetime.now(UTC)


class TaskHandler:
    """One agent, its tools, and one conversation: opened, executed, closed (contract T-2).

    The system prompt consists of `system_prompt` for every task, `template_prompt` for this task,
    and the files of the query (contract T-3).

    `tasks` runs the requests of subtask tools. Without `tasks` the caller runs them: the result is
    a `CONTINUATION`, and `resume` takes the result of the subtask.

    `approve` decides about calls in a template that require approval; without it, such a call ends
    the task with a `TaskError`.

    `events` are recorded events of the session: the conversation continues after them, without
    repeated calls. Without a `provider` the scripted provider is used.

    >>> import asyncio
    >>> async def main():
    ...     async with TaskHandler(system_prompt="You look up orders.") as handler:
    ...         handler.register_subtask_tool("search", ["archive"])
    ...         result = await handler.execute_prompt("Hello!")
    ...         return result.status, [message.role for message in handler.messages]
    >>> asyncio.run(main())
    (<TaskStatus.COMPLETE: 'COMPLETE'>, ['user', 'assistant'])
    """

    def __init__(
        self,
        *,
        provider: Providers | None = None,
        system_prompt: str = "",
        template_prompt: str = "",
        model: str = "",
        limits: Limits | None = None,
        tasks: TaskSystem | None = None,
        ask_user: AskTheUser | None = None,
        approve: Approve | None = None,
        session_id: str = "task",
        journal: Journal | None = None,
        events: Iterable[e.Event] = (),
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._provider, self._model = provider, model
        self._system_prompt, self._template_prompt = system_prompt, template_prompt
        self._limits = limits or Limits()
        self._tasks, self._ask_user, self._approve = tasks, ask_user, approve
        self._clock = clock
        self._journal = journal or NoJournal()
        self._tools: dict[str, Tool] = {}
        self._executors: dict[str, Callable[..., Any]] = {}
        self._busy = self._closed = False
        self._begin(session_id, events)

    def _begin(self, session_id: str, events: Iterable[e.Event] = ()) -> None:
        """Begin or continue this session."""
        self.session_id = session_id
        self._record = _Record(self._journal, events)
        self._engine: Engine | None = None

    # Tools

    def register_direct_tool(
        self,
        name: str,
        executor: Callable[..., Any],
        *,
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """Register a plain or async function as a tool; its signature defines the parameters.

        A repeated or invalid name raises `HandlerError`.
        """
        tool = create_tool(name, description, parameters)
        if parameters is None:
            tool, executor = tool_from_function(tool, executor)
        self._register(tool, executor)

    def register_subtask_tool(
        self,
        name: str,
        template_hints: Iterable[str] = (),
        *,
        description: str = "",
        parameters: Mapping[str, Any] | None = None,
        pipeline: str | None = None,
    ) -> None:
        """Register a tool that another pipeline answers, found by name or by hints.

        A repeated or invalid name raises `HandlerError`.
        """
        hints = tuple(template_hints)
        tool = create_tool(
            name,
            description or f"Have others do this: {', '.join(hints) or name}.",
            parameters or TASK_PARAMETERS,
            kind="subtask",
            template_hints=hints,
            pipeline=pipeline,
        )
        self._register(tool)

    def register_user_input_tool(self, name: str = ASK_USER) -> None:
        """Register a tool for questions to the user (contract T-10)."""
        self._register(user_input_tool(name))

    def register_tool(self, spec: AnySpec, executor: Callable[..., Any]) -> bool:
        """Register a function as a tool, specified in the format of OpenAI, Anthropic or MCP.

        Return false without a change if the name is repeated or the specification is invalid.
        """
        try:
            self._register(tool_from_spec(spec), executor)
        except HandlerError:
            return False
        return True

    def _register(self, tool: Tool, executor: Callable[..., Any] | None = None) -> None:
        if tool.name in self._tools:
            raise HandlerError(f"Duplicate tool '{tool.name}' in TaskHandler")
        self._tools[tool.name] = tool
        if executor is not None:
            self._executors[tool.name] = executor
        self._engine = None

    # Data

    @property
    def definition(self) -> PipelineDefinition:
        """The task as a pipeline of one stage, for the engine."""
        agent = Agent(
            id=AGENT_ID,
            name="Assistant",
            instructions=self._system_prompt,
            model=self._model,
            tools=tuple(self._tools),
        )
        return PipelineDefinition(
            name="Task",
            agents=(agent,),
            stages=(Stage(phase=PHASE, agent_id=AGENT_ID, description=self._template_prompt),),
            tools=tuple(self._tools.values()),
            limits=self._limits,
            entry=PHASE,
        )

    def system_parts(self, files: Mapping[str, str] | None = None) -> tuple[PromptPart, ...]:
        """Return the parts of the system prompt in order (contract T-3)."""
        parts = offer(self.definition, PHASE).system_parts
        return (*parts, files_part(files)) if files else parts

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, tool calls and results, with role and time (contract T-2)."""
        return tuple(self._open().conversation.history)

    @property
    def events(self) -> tuple[e.Event, ...]:
        """All recorded events."""
        return tuple(self._record.events)

    @property
    def waits_for(self) -> SubtaskRequest | None:
        """The subtask that the task waits for; None if it does not wait for one."""
        started = self._pending_subtask()
        return started.request if started is not None else None

    def get_resource_metrics(self) -> ResourceMetrics:
        """Return the usage and the limits of the conversation (contract T-6)."""
        return ResourceMetrics.of(self._open().conversation, self._limits)

    # The conversation

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the conversation; an unfinished run is recorded as cancelled."""
        self._refuse_while_busy()
        engine = self._open()
        if not self._closed and engine.unfinished:
            for event in engine.end_run(e.StopReason.CANCELLED):
                await self._record.record(event)
        self._closed = True

    async def execute_prompt(
        self, prompt: str, *, files: Mapping[str, str] | None = None
    ) -> TaskResult:
        """Send a message; return its answer as `COMPLETE`, or a `CONTINUATION`.

        `files` are texts by file name; they become part of the system prompt of this query. A limit
        raises `ResourceExhausted`, a failed run `TaskError`.
        """
        if self.waits_for is not None:
            raise HandlerError("The task waits for a subtask: call resume with its result.")
        message = InboundMessage(
            id=f"{self.session_id}-{len(self._record.events) + 1}",
            text=prompt,
            channel_type="task",
            files=dict(files or {}),
        )
        return await self._run(message)

    async def resume(self, result: TaskResult | str | None = None) -> TaskResult:
        """Continue with the result of the subtask, or with the user's answer.

        A `FAILED` subtask is an error of its tool, for the model. Without a result, the unfinished
        run of the recorded events continues.
        """
        outcome = TaskResult(TaskStatus.COMPLETE, result) if isinstance(result, str) else result
        engine, started = self._open(), self._pending_subtask()
        if outcome is None and started is None and engine.unfinished:
            return await self._run(None)
        if outcome is None or outcome.status is TaskStatus.CONTINUATION:
            raise HandlerError("A result is required to resume: pass a text or a TaskResult.")
        if started is not None:
            await self._record.record(self._subtask_completed(started, outcome))
            self._engine = None
            return await self._run(None)
        if engine.conversation.open_question is None:
            raise HandlerError("The task does not wait for a result: call execute_prompt.")
        return await self.execute_prompt(outcome.content)

    # Runs

    def _open(self) -> Engine:
        """Return the engine with the recorded conversation."""
        if self._engine is None:
            self._engine = Engine(
                self.definition,
                self._record.events,
                session_id=self.session_id,
                settings=self._settings(),
            )
        return self._engine

    def _settings(self) -> EngineSettings:
        settings = EngineSettings(
            providers=self._providers(),
            tools=self._executors,
            pipelines=self._tasks.find if self._tasks is not None else _external_pipeline,
            journal=self._record,
            clock=self._clock,
        )
        if self._ask_user is not None:
            settings["ask_user"] = self._ask_user
        if self._approve is not None:
            settings["approve"] = self._approve
        return settings

    def _providers(self) -> Mapping[str, Provider]:
        """Return the providers of the agent and of the templates, by name."""
        if isinstance(self._provider, Mapping):
            return self._provider
        templates = self._tasks.templates if self._tasks is not None else ()
        names = {agent.provider for template in templates for agent in template.agents}
        return dict.fromkeys(
            {"default", *names}, self._provider or ScriptedProvider(tokens_per_second=None)
        )

    async def _run(self, message: InboundMessage | None) -> TaskResult:
        """Run the engine to the end of the run or to a subtask for the caller."""
        if self._closed:
            raise HandlerError("The task is closed: create another handler for another task.")
        engine, done = self._open(), False
        self._refuse_while_busy()
        self._busy = True
        try:
            async with aclosing(engine.run(message, until=self._is_external_subtask)) as events:
                async for _ in events:
                    pass
            done = not engine.unfinished
        finally:
            self._busy = False
            self._engine = engine if done else None
        try:
            return outcome_of(self._last_run(), self.get_resource_metrics())
        except TaskError as error:
            error.messages = tuple(self._open().conversation.history)
            raise

    def _refuse_while_busy(self) -> None:
        if self._busy:
            raise HandlerError("The task is running: wait for its answer.")

    def _is_external_subtask(self, event: e.Event) -> bool:
        return self._tasks is None and isinstance(event, e.SubtaskStarted)

    def _pending_subtask(self) -> e.SubtaskStarted | None:
        """Return the last event if it is the start of a subtask for the caller."""
        last = self._record.events[-1] if self._record.events else None
        return last if isinstance(last, e.SubtaskStarted) and self._tasks is None else None

    def _subtask_completed(self, started: e.SubtaskStarted, result: TaskResult) -> e.Event:
        failed = result.status is TaskStatus.FAILED
        return e.SubtaskCompleted(
            seq=started.seq + 1,
            at=self._clock(),
            session_id=started.session_id,
            run_id=started.run_id,
            phase=started.phase,
            agent_id=started.agent_id,
            task_id=started.task_id,
            kind=started.kind,
            title=started.title,
            call_id=started.call_id,
            output="" if failed else result.content,
            error=(result.content or "The subtask failed.") if failed else None,
            usage=result.usage,
        )

    def _last_run(self) -> list[e.Event]:
        """Return the events of the last run, without those of its subtasks."""
        run: list[e.Event] = []
        for event in reversed(self._record.events):
            if event.session_id == self.session_id:
                run.append(event)
                if isinstance(event, e.RunStarted):
                    break
        return run[::-1]


class _Record(MemoryJournal):
    """Recorded events, also written to a journal."""

    def __init__(self, journal: Journal, events: Iterable[e.Event]) -> None:
        super().__init__(events)
        self._journal = journal

    async def record(self, event: e.Event) -> None:
        """Record an event in the journal, then in memory."""
        await self._journal.record(event)
        await super().record(event)


def _external_pipeline(request: SubtaskRequest) -> PipelineDefinition:
    """Return a placeholder for the pipeline of a subtask that the caller runs."""
    return PipelineDefinition(name="Elsewhere")
