"""The agents of a program, as a definition and an engine know them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import PydanticUserError, ValidationError

from orchestration.conversation import offer
from orchestration.definition import (
    HUMAN,
    KEY_PATTERN,
    Agent,
    Limits,
    PipelineDefinition,
    Tool,
    Topology,
)
from orchestration.exceptions import CastError
from orchestration.handoff import distinct_names, key_of
from orchestration.library.agent_specs import SETTINGS, AgentSpec, AnyAgent, AnyTool
from orchestration.providers import Provider, ScriptedProvider
from orchestration.tools import FunctionTool, RunnableTool, ToolSpec, describe_faults, validate_call

Providers = Provider | Mapping[str, Provider]
"""Providers of the agents: one for all, or several by the names that agents use."""

MAX_TURNS, TURNS_EACH = 1_000, 24
"""Model responses of one run: so many for each time that an agent has the conversation."""


@dataclass(frozen=True)
class Cast:
    """Agents by the caller's names, in order, with all that a run needs of them.

    In a definition an agent's key is a slug of its name, and its stage has the same key. A name
    that is a slug already is its own key.
    """

    agents: Mapping[str, AnyAgent]
    keys: Mapping[str, str]
    """Name → key."""
    names: Mapping[str, str]
    """Key → name."""
    described: tuple[Agent, ...]
    """The agents as a definition has them."""
    tools: tuple[Tool, ...]
    functions: Mapping[str, RunnableTool]
    """Implementations of tools; a tool without one is answered by its examples."""
    providers: Mapping[str, Provider]

    @classmethod
    def of(
        cls,
        agents: Mapping[str, AnyAgent],
        tools: Iterable[AnyTool] = (),
        provider: Providers | None = None,
    ) -> Cast:
        """A cast of these agents, or `CastError`.

        `tools` are the ones that agents name. Without a provider the scripted one plays the
        agents' cues, offline.
        """
        for name in agents:
            _check_name(name)
        keys = _keys(tuple(agents))
        chest = _Chest()
        for tool in tools:
            chest.take(tool)
        described = tuple(
            _described(name, keys[name], agent, chest) for name, agent in agents.items()
        )
        return cls(
            agents=dict(agents),
            keys=keys,
            names={key: name for name, key in keys.items()},
            described=described,
            tools=tuple(chest.described.values()),
            functions=chest.running,
            providers=_providers(provider, described),
        )

    def name(self, key: str | None) -> str:
        """The caller's name for an agent; what is no agent's key is given back."""
        return self.names.get(key or "", key or "")

    def known(self) -> str:
        """The names, for an error that says which there are."""
        return ", ".join(map(repr, self.agents)) or "none"

    def define(
        self,
        name: str,
        topology: Topology,
        *,
        stints: int | None = None,
        limits: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> PipelineDefinition:
        """A definition of these agents; what cannot be one raises `CastError`.

        `stints`: how often in a run an agent has the conversation; None: as handoffs allow.
        """
        try:
            bounds = Limits(**limits or {})
            turns = min(MAX_TURNS, TURNS_EACH * (stints or bounds.max_handoffs + 1))
            definition = PipelineDefinition(
                name=name,
                topology=topology,
                agents=self.described,
                tools=self.tools,
                limits=bounds.model_copy(update={"max_turns": turns}),
                allow_human=False,
                **fields,
            )
        except ValidationError as error:
            raise CastError(f"This {name} cannot be: {describe_faults(error)}") from None
        self._check_tools(definition)
        return definition

    def _check_tools(self, definition: PipelineDefinition) -> None:
        """No agent is offered two tools of one name."""
        for stage in definition.stages:
            for key in stage.agent_ids:
                own = definition.agents_by_id[key].tools
                made = [
                    tool.name
                    for tool in offer(definition, stage.phase, key).tools
                    if tool.kind in ("handoff", "transfer", "delegate")
                ]
                twice = [name for name in made if made.count(name) > 1 or name in own]
                if twice:
                    raise CastError(
                        f"Agent {self.name(key)!r} would have two tools called {twice[0]!r}, "
                        "one of them for passing the conversation on: give one another name."
                    )


def _keys(names: Sequence[str]) -> dict[str, str]:
    """A key for each name: first those that are keys, so that no other takes one of them."""
    own = {name for name in names if _KEY.match(name)}
    others = [name for name in names if name not in own]
    made = distinct_names([key_of(name) for name in others], taken={HUMAN, *own})
    keys = dict(zip(others, made, strict=True)) | {name: name for name in own}
    return {name: keys[name] for name in names}


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise CastError(f"{name!r} is no name for an agent: give it a text without outer blanks.")
    if len(name) > _LONGEST_NAME:
        raise CastError(f"An agent's name has at most {_LONGEST_NAME} characters: {name!r}.")
    if name == HUMAN:
        raise CastError(
            f"{HUMAN!r} is who takes over where no agent does: name the agent otherwise."
        )


def _described(name: str, key: str, agent: object, chest: _Chest) -> Agent:
    """Return the agent's part of the definition, and add its tools to `chest`."""
    if isinstance(agent, Agent):
        chest.check(name, agent.tools)
        return agent.model_copy(update={"id": key, "name": name})
    if not isinstance(agent, AgentSpec):
        raise CastError(f"Agent {name!r} is a {type(agent).__name__}: give an AgentSpec.")
    named = [tool for tool in agent.tools if isinstance(tool, str)]
    chest.check(name, named)
    own = [chest.take(tool) for tool in agent.tools if not isinstance(tool, str)]
    settings = {setting: getattr(agent, setting) for setting in SETTINGS}
    try:
        return Agent(id=key, name=name, tools=(*named, *own), **settings)
    except ValidationError as error:
        raise CastError(f"Agent {name!r} cannot be: {describe_faults(error)}") from None


@dataclass(slots=True)
class _Chest:
    """The tools of a cast by their names."""

    given: dict[str, AnyTool] = field(default_factory=dict)
    described: dict[str, Tool] = field(default_factory=dict)
    running: dict[str, RunnableTool] = field(default_factory=dict)

    def take(self, tool: AnyTool) -> str:
        """Add a tool, if it is not the same as one that is there; its name."""
        described, running = _tool(tool)
        name = described.name
        if self.given.setdefault(name, tool) != tool:
            raise CastError(
                f"Two tools are called {name!r}: give one another name, as by FunctionTool('…', …)."
            )
        self.described[name] = described
        if running is not None:
            self.running[name] = running
        return name

    def check(self, agent: str, named: Iterable[str]) -> None:
        """Refuse names of tools that are not there."""
        for tool in named:
            if tool not in self.given:
                known = ", ".join(map(repr, self.given)) or "none"
                raise CastError(
                    f"Agent {agent!r} names tool {tool!r}, which is not given. Given: {known}."
                )


def _tool(tool: AnyTool) -> tuple[Tool, RunnableTool | None]:
    """The tool as a definition has it, and what answers its calls."""
    if isinstance(tool, Tool):
        return tool, None
    if not callable(tool) and not (hasattr(tool, "run") and hasattr(tool, "name")):
        raise CastError(f"{tool!r} is no tool: give a callable, a FunctionTool or a Tool.")
    name = tool.name if not callable(tool) else getattr(tool, "__name__", type(tool).__name__)
    try:
        running = FunctionTool(name, validate_call(name, tool)) if callable(tool) else tool
        spec = getattr(running, "spec", ToolSpec(name, "", {"type": "object"}))
        parameters = dict(spec.parameters)
        return Tool(name=name, description=spec.description, parameters=parameters), running
    except ValidationError as error:
        raise CastError(f"{name!r} cannot be a tool: {describe_faults(error)}") from None
    except (TypeError, ValueError, PydanticUserError) as error:
        raise CastError(f"The arguments of {name!r} cannot be described: {error}") from None


def _providers(given: Providers | None, agents: Iterable[Agent]) -> Mapping[str, Provider]:
    """Return the providers by the names that the agents use."""
    wanted = {agent.provider: agent for agent in agents}
    if not isinstance(given, Mapping):
        return dict.fromkeys(wanted, given or ScriptedProvider(tokens_per_second=0))
    for name, agent in wanted.items():
        if name not in given:
            known = ", ".join(map(repr, given)) or "none"
            raise CastError(
                f"Agent {agent.name!r} asks for provider {name!r}, which is not given. "
                f"Given: {known}."
            )
    return given


_KEY = re.compile(KEY_PATTERN)
_LONGEST_NAME = 120
