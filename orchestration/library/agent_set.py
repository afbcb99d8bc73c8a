"""The agents of a handler or a swarm, prepared for a definition and an engine."""

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
"""Providers of the agents: one for all agents, or several by name."""

MAX_TURNS, TURNS_PER_ACTIVATION = 1_000, 24
"""Limits of model responses: in one run, and each time that an agent becomes active."""


@dataclass(frozen=True)
class Cast:
    """Agents by the caller's names, in order, with the data that a run needs.

    A definition is checked with keys: slugs of the names, for agents and their stages. It runs with
    the names (`CastPipeline`). A name that is a valid key is its own key.
    """

    agents: Mapping[str, AnyAgent]
    keys: Mapping[str, str]
    """Keys by name."""
    names: Mapping[str, str]
    """Names by key."""
    definitions: tuple[Agent, ...]
    """The agents as parts of a definition."""
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
        """Create a cast of these agents; raise `CastError` if they are invalid.

        `tools` are tools that agents use by name. Without a provider the scripted provider plays
        the agents' cues, offline.
        """
        for name in agents:
            _check_name(name)
        keys = _keys(tuple(agents))
        tool_set = _ToolSet()
        for tool in tools:
            tool_set.add(tool)
        definitions = tuple(
            _agent_definition(name, keys[name], agent, tool_set) for name, agent in agents.items()
        )
        return cls(
            agents=dict(agents),
            keys=keys,
            names={key: name for name, key in keys.items()},
            definitions=definitions,
            tools=tuple(tool_set.definitions.values()),
            functions=tool_set.functions,
            providers=_providers(provider, definitions),
        )

    def name(self, key: str | None) -> str:
        """Return the caller's name of an agent; an unknown key is returned unchanged."""
        return self.names.get(key or "", key or "")

    def known_names(self) -> str:
        """Return the names of all agents, for an error message."""
        return ", ".join(map(repr, self.agents)) or "none"

    def define(
        self,
        name: str,
        topology: Topology,
        *,
        activations: int | None = None,
        limits: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> PipelineDefinition:
        """Create a definition of these agents; raise `CastError` if it is invalid.

        `activations` is the number of times that an agent becomes active in a run; None derives it
        from the limit of handoffs.
        """
        try:
            run_limits = Limits(**limits or {})
            activations = activations or run_limits.max_handoffs + 1
            turns = min(MAX_TURNS, TURNS_PER_ACTIVATION * activations)
            calls = max(run_limits.max_calls, activations)
            definition = PipelineDefinition(
                name=name,
                topology=topology,
                agents=self.definitions,
                tools=self.tools,
                limits=run_limits.model_copy(update={"max_turns": turns, "max_calls": calls}),
                allow_human=False,
                **fields,
            )
        except ValidationError as error:
            raise CastError(f"This {name} is invalid: {describe_faults(error)}") from None
        self._check_tools(definition)
        return definition

    def _check_tools(self, definition: PipelineDefinition) -> None:
        """Refuse an agent with two tools of one name."""
        for stage in definition.stages:
            for key in stage.agent_ids:
                own = definition.agents_by_id[key].tools
                generated = [
                    tool.name
                    for tool in offer(definition, stage.phase, key).tools
                    if tool.kind in ("handoff", "transfer", "delegate")
                ]
                repeated = [n for n in generated if generated.count(n) > 1 or n in own]
                if repeated:
                    raise CastError(
                        f"Agent {self.name(key)!r} would have two tools called {repeated[0]!r}, "
                        "one of them for handoffs: give one of them another name."
                    )


def _keys(names: Sequence[str]) -> dict[str, str]:
    """Return a key for each name; a name that is a valid key is used unchanged."""
    valid = {name for name in names if _KEY.match(name)}
    others = [name for name in names if name not in valid]
    new_keys = distinct_names([key_of(name) for name in others], taken={HUMAN, *valid})
    keys = dict(zip(others, new_keys, strict=True)) | {name: name for name in valid}
    return {name: keys[name] for name in names}


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name or name != name.strip() or not name.isprintable():
        raise CastError(f"{name!r} is no agent name: use a text on one line without outer spaces.")
    if len(name) > _MAX_NAME:
        raise CastError(f"An agent's name has at most {_MAX_NAME} characters: {name!r}.")
    if name == HUMAN:
        raise CastError(
            f"The name {HUMAN!r} is reserved for the human: give the agent another name."
        )


def _agent_definition(name: str, key: str, agent: object, tool_set: _ToolSet) -> Agent:
    """Return the agent's part of the definition, and add its tools to `tool_set`."""
    if isinstance(agent, Agent):
        tool_set.check(name, agent.tools)
        return agent.model_copy(update={"id": key, "name": name})
    if not isinstance(agent, AgentSpec):
        raise CastError(f"Agent {name!r} is a {type(agent).__name__}: pass an AgentSpec.")
    names = [tool for tool in agent.tools if isinstance(tool, str)]
    tool_set.check(name, names)
    own = [tool_set.add(tool) for tool in agent.tools if not isinstance(tool, str)]
    settings = {setting: getattr(agent, setting) for setting in SETTINGS}
    try:
        return Agent(id=key, name=name, tools=(*names, *own), **settings)
    except ValidationError as error:
        raise CastError(f"Agent {name!r} is invalid: {describe_faults(error)}") from None


@dataclass(slots=True)
class _ToolSet:
    """The tools of a cast by name."""

    tools: dict[str, AnyTool] = field(default_factory=dict)
    definitions: dict[str, Tool] = field(default_factory=dict)
    functions: dict[str, RunnableTool] = field(default_factory=dict)

    def add(self, tool: AnyTool) -> str:
        """Add a tool and return its name; adding the same tool again has no effect."""
        definition, function = _tool(tool)
        name = definition.name
        if self.tools.setdefault(name, tool) != tool:
            raise CastError(
                f"Two tools are called {name!r}: rename one, for example with FunctionTool('…', …)."
            )
        self.definitions[name] = definition
        if function is not None:
            self.functions[name] = function
        return name

    def check(self, agent: str, names: Iterable[str]) -> None:
        """Refuse names of unknown tools."""
        for tool in names:
            if tool not in self.tools:
                known = ", ".join(map(repr, self.tools)) or "none"
                raise CastError(
                    f"Agent {agent!r} uses tool {tool!r}, which is not in tools. Known: {known}."
                )


def _tool(tool: AnyTool) -> tuple[Tool, RunnableTool | None]:
    """Return the tool's part of the definition, and its implementation if it has one."""
    if isinstance(tool, Tool):
        return tool, None
    if not callable(tool) and not (hasattr(tool, "run") and hasattr(tool, "name")):
        raise CastError(f"{tool!r} is no tool: pass a callable, a FunctionTool or a Tool.")
    name = tool.name if not callable(tool) else getattr(tool, "__name__", type(tool).__name__)
    try:
        function = FunctionTool(name, validate_call(name, tool)) if callable(tool) else tool
        spec = getattr(function, "spec", ToolSpec(name, "", {"type": "object"}))
        parameters = dict(spec.parameters)
        return Tool(name=name, description=spec.description, parameters=parameters), function
    except ValidationError as error:
        raise CastError(f"Tool {name!r} is invalid: {describe_faults(error)}") from None
    except (TypeError, ValueError, PydanticUserError) as error:
        raise CastError(f"The arguments of {name!r} have no JSON Schema: {error}") from None


def _providers(providers: Providers | None, agents: Iterable[Agent]) -> Mapping[str, Provider]:
    """Return the providers by the names that the agents use."""
    agents_by_provider = {agent.provider: agent for agent in agents}
    if not isinstance(providers, Mapping):
        return dict.fromkeys(agents_by_provider, providers or ScriptedProvider(tokens_per_second=0))
    for name, agent in agents_by_provider.items():
        if name not in providers:
            known = ", ".join(map(repr, providers)) or "none"
            raise CastError(
                f"Agent {agent.name!r} uses provider {name!r}, which does not exist. "
                f"Known: {known}."
            )
    return providers


_KEY = re.compile(KEY_PATTERN)
_MAX_NAME = 120
