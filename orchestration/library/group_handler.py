"""Agents that answer the same input together (contract H-9)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from graphlib import CycleError, TopologicalSorter
from typing import Any

from orchestration.definition import MAX_GROUP, Group, PipelineDefinition, Stage
from orchestration.events import StopReason
from orchestration.exceptions import CastError, HandlerError
from orchestration.handler import Handler
from orchestration.handoff import distinct_names
from orchestration.library.agent_set import Cast, Providers
from orchestration.library.agent_specs import AnyAgent, AnyTool, cast_names
from orchestration.library.cast_pipeline import CastPipeline
from orchestration.library.runner import run_engine, run_options
from orchestration.runtime import ResultReader, RunResult


class GroupHandler(Handler[str, RunResult]):
    """Agents that answer the same input, in parallel or one after the other.

    >>> import asyncio
    >>> from orchestration import AgentSpec, GroupHandler
    >>> from orchestration.definition import Cue
    >>> panel = GroupHandler(
    ...     agents={
    ...         "summary": AgentSpec(cues=[Cue(say="In short: {message}")]),
    ...         "facts": AgentSpec(cues=[Cue(say="True.")]),
    ...     },
    ...     parallel=False,
    ...     dependencies={"summary": ["facts"]},
    ... )
    >>> async def outputs(question):
    ...     return [(each.agent, each.output) async for each in panel.handle(question)]
    >>> for agent, output in asyncio.run(outputs("Water boils at 100 °C.")):
    ...     print(agent, "|", " ".join(output.split()))
    facts | True.
    summary | In short: Water boils at 100 °C. True.

    In parallel, the results come in the order of `agents`. One after the other, each agent follows
    its dependencies, in the order of `agents` otherwise, and results come as soon as they exist. An
    agent gets the input and the outputs of its dependencies; without any dependencies in the group,
    it gets the output of the previous agent. In parallel, an agent with dependencies begins as soon
    as these have answered.
    """

    def __init__(
        self,
        *,
        agents: Mapping[str, AnyAgent],
        provider: Providers | None = None,
        parallel: bool = True,
        dependencies: Mapping[str, Sequence[str]] | None = None,
        tools: Iterable[AnyTool] = (),
    ) -> None:
        self.agents, self.parallel = dict(agents), parallel
        self.dependencies = {
            name: cast_names(names, f"dependencies[{name!r}]")
            for name, names in (dependencies or {}).items()
        }
        self._check()
        self._cast = Cast.of(self.agents, tools, provider)
        self._pipeline = CastPipeline.of(self._cast, self._define())
        self.definition = self._pipeline.definition

    async def handle(
        self,
        input: str,  # noqa: A002 - contract name
        **kwargs: Any,
    ) -> AsyncGenerator[RunResult, None]:
        """Yield each agent's result with its stop reason.

        A failed agent has a result with its error; at the end `HandlerError` lists all failed
        agents. `kwargs` are the same as in `AgentHandler.handle`.
        """
        reader = ResultReader(self._cast.names)
        order, ready = list(self.agents), dict[str, RunResult]()
        failed: list[str] = []
        result = None
        events = run_engine(self._pipeline, input, **run_options(kwargs))
        async with aclosing(events):
            async for event in events:
                if (result := reader.take(event)) is None or result.agent not in order:
                    continue
                if result.error is not None:
                    failed.append(f"{result.agent!r} ({result.error})")
                ready[result.agent] = result
                while order and (member := self._next(order, ready)) is not None:
                    order.remove(member)
                    yield ready.pop(member)
        for name in order:
            if name in ready:
                yield ready[name]
        if failed:
            raise HandlerError(f"Agents of the group failed: {', '.join(failed)}.")
        if result is not None and result.reason != StopReason.REPLIED:
            raise HandlerError(f"The group did not answer: {result.error or result.reason}")

    def _next(self, order: Sequence[str], ready: Mapping[str, RunResult]) -> str | None:
        """Return the member to yield next: in parallel the first in order, otherwise any."""
        member = order[0] if self.parallel else next(iter(ready), None)
        return member if member in ready else None

    def _check(self) -> None:
        """Refuse unknown, circular and missing members."""
        if not self.agents:
            raise CastError("A group requires at least one agent.")
        for name, needed in self.dependencies.items():
            for member in (name, *needed):
                if member not in self.agents:
                    known_names = ", ".join(map(repr, self.agents))
                    raise CastError(
                        f"The dependencies of {name!r} name {member!r}, which is no agent of the "
                        f"group. Known: {known_names}."
                    )
            if name in needed:
                raise CastError(f"Agent {name!r} depends on itself: remove that dependency.")
        try:
            TopologicalSorter(self.dependencies).prepare()
        except CycleError as error:
            cycle = " → ".join(map(repr, reversed(error.args[1])))
            raise CastError(
                f"The dependencies form a cycle: {cycle}. Remove one of these dependencies."
            ) from None

    def _define(self) -> PipelineDefinition:
        keys = self._cast.keys
        (phase,) = distinct_names(["group"], taken=keys.values())
        if len(keys) > MAX_GROUP:
            raise CastError(f"A group has at most {MAX_GROUP} agents, not {len(keys)}.")
        group = Group(
            agents=tuple(keys.values()),
            parallel=self.parallel,
            dependencies={
                keys[name]: tuple(keys[member] for member in needed)
                for name, needed in self.dependencies.items()
            },
        )
        stage = Stage(phase=phase, kind="group", group=group)
        return self._cast.define(
            "group", "pipeline", stages=(stage,), entry=phase, activations=len(keys)
        )
