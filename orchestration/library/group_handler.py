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
from orchestration.library.agent_specs import AnyAgent, AnyTool
from orchestration.library.runner import drive, known
from orchestration.runtime import ResultReader, RunResult


class GroupHandler(Handler[str, RunResult]):
    """Agents that answer the same input at once, or one after the other.

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
    ...     return [(one.agent, one.output) async for one in panel.handle(question)]
    >>> for agent, output in asyncio.run(outputs("Water boils at 100 °C.")):
    ...     print(agent, "|", " ".join(output.split()))
    facts | True.
    summary | In short: Water boils at 100 °C. True.

    In parallel all get the input, and the results come in the order of `agents`. One after the
    other they come as they are there: each after those it depends on; of several that could
    begin, the first of `agents`. An agent gets the input and the outputs of all that it depends
    on; where nobody depends on anybody, the output of the one before. In parallel, an agent that
    depends on others begins as soon as these have answered.
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
        self.dependencies = {name: tuple(on) for name, on in (dependencies or {}).items()}
        self._check()
        self._cast = Cast.of(self.agents, tools, provider)
        self.definition = self._define()

    async def handle(
        self,
        input: str,  # noqa: A002 - contract name
        **kwargs: Any,
    ) -> AsyncGenerator[RunResult, None]:
        """Every agent's result, with the reason for which its part ended.

        Where agents failed, those have results that say so, and in the end `HandlerError` names
        every one of them. `kwargs` are as `AgentHandler.handle` takes them.
        """
        reader = ResultReader(self._cast.names)
        order, held = list(self.agents), dict[str, RunResult]()
        failed: list[str] = []
        result = None
        events = drive(self._cast, self.definition, input, **known(kwargs))
        async with aclosing(events):
            async for event in events:
                if (result := reader.take(event)) is None or result.agent not in order:
                    continue
                if result.error is not None:
                    failed.append(f"{result.agent!r} ({result.error})")
                held[result.agent] = result
                while order and (next_one := self._next(order, held)) is not None:
                    order.remove(next_one)
                    yield held.pop(next_one)
        for name in order:
            if name in held:
                yield held[name]
        if failed:
            raise HandlerError(f"Agents of the group failed: {', '.join(failed)}.")
        if result is not None and result.reason != StopReason.REPLIED:
            raise HandlerError(f"The group did not answer: {result.error or result.reason}")

    def _next(self, order: Sequence[str], held: Mapping[str, RunResult]) -> str | None:
        """Return the member to yield next: in parallel the first in order, else any."""
        wanted = order[0] if self.parallel else next(iter(held), None)
        return wanted if wanted in held else None

    def _check(self) -> None:
        """Refuse dependencies that nobody could wait for."""
        if not self.agents:
            raise CastError("A group requires at least one agent.")
        for name, wanted in self.dependencies.items():
            for one in (name, *wanted):
                if one not in self.agents:
                    known_names = ", ".join(map(repr, self.agents))
                    raise CastError(
                        f"The dependencies of {name!r} name {one!r}, which is no agent of the "
                        f"group. There are: {known_names}."
                    )
            if name in wanted:
                raise CastError(f"Agent {name!r} depends on itself: leave that dependency out.")
        try:
            TopologicalSorter(self.dependencies).prepare()
        except CycleError as error:
            circle = " → ".join(map(repr, reversed(error.args[1])))
            raise CastError(
                f"Agents wait for each other: {circle}. Leave one of these dependencies out."
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
                keys[name]: tuple(keys[one] for one in wanted)
                for name, wanted in self.dependencies.items()
            },
        )
        stage = Stage(phase=phase, kind="group", group=group)
        return self._cast.define(
            "group", "pipeline", stages=(stage,), entry=phase, stints=len(keys)
        )
