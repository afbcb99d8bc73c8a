"""Preparation of a definition for a session: the tools in code, and the check for errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from orchestration.conversation import CompiledPipeline
from orchestration.definition import MAX_VARIABLE_VALUE, PipelineDefinition, Tool
from orchestration.exceptions import DefinitionError, Fault, SessionError, UnknownNameError
from orchestration.handoff import Filters, HandoffTool, add_handoff_transitions
from orchestration.messages import InboundMessage
from orchestration.state import ConversationState
from orchestration.tools import RunnableTool, spec_of

ToolsInCode = Mapping[str, RunnableTool | Callable[..., Any]]


def add_tools(
    definition: PipelineDefinition, tools: ToolsInCode
) -> tuple[PipelineDefinition, Filters]:
    """Return the definition with the tools that its agents name and that only exist in code.

    A `HandoffTool` becomes a transition, with its filter. A callable becomes a tool whose schema
    is its signature. Raises `UnknownNameError` for a handoff to an agent without a stage.
    """
    definition, filters = add_handoff_transitions(definition, tools)
    handoffs = {name for name, tool in tools.items() if isinstance(tool, HandoffTool)}
    named = {name for agent in definition.agents for name in agent.tools}
    missing = (named & tools.keys()) - definition.tools_by_name.keys() - handoffs
    if not missing and not named & handoffs:
        return definition, filters
    agents = tuple(
        agent.model_copy(update={"tools": tuple(n for n in agent.tools if n not in handoffs)})
        for agent in definition.agents
    )
    added = tuple(_tool_of(name, tools[name]) for name in sorted(missing))
    return (
        definition.model_copy(update={"agents": agents, "tools": (*definition.tools, *added)}),
        filters,
    )


def require_no_errors(definition: PipelineDefinition, *, finds_pipelines: bool) -> None:
    """Raise `DefinitionError` with all errors of the definition, if it has any.

    A search for the pipelines of subtasks (`finds_pipelines`) makes their names optional.
    """
    if issues := CompiledPipeline.of(definition).errors:
        optional = {"subtask-unnamed"} if finds_pipelines else set()
        if faults := [Fault(i.where.path, i.message) for i in issues if i.code not in optional]:
            raise DefinitionError(faults)


def check_variables(
    definition: PipelineDefinition, variables: Mapping[str, str]
) -> Mapping[str, str]:
    """Return values of the pipeline's variables.

    Raises `UnknownNameError` for a variable that the pipeline does not declare, and `ValueError`
    for a value that is no text or too long.
    """
    for name, value in variables.items():
        if name not in definition.variables:
            raise UnknownNameError("variable", name, known=list(definition.variables))
        if not isinstance(value, str):
            raise ValueError(f"The variable {name!r} is {value!r}: its value must be a text.")
        if len(value) > MAX_VARIABLE_VALUE:
            raise ValueError(
                f"The variable {name!r} has {len(value):,} characters; "
                f"{MAX_VARIABLE_VALUE} are allowed."
            )
    return variables


def with_defaults(state: ConversationState, definition: PipelineDefinition) -> ConversationState:
    """Return the state with the default values of the variables that it does not have."""
    unset = definition.variables.keys() - state.variables.keys()
    defaults = {name: definition.variables[name] for name in unset}
    return state.with_variables(defaults) if defaults else state


def prepare_message(
    message: InboundMessage,
    definition: PipelineDefinition,
    variables: Mapping[str, str],
    state: ConversationState,
) -> InboundMessage:
    """Return the message with the values that differ from those of the conversation.

    The message's own values take precedence over `variables`. Raises `SessionError` for an unknown
    start, and the errors of `check_variables`.
    """
    start = message.start_phase
    if start is not None and start not in definition.stages_by_phase:
        raise SessionError(f"There is no stage {start!r} at which a conversation can begin.")
    values = {**variables, **check_variables(definition, message.variables or {})}
    changed = {name: text for name, text in values.items() if state.variables.get(name) != text}
    if changed == (message.variables or {}):
        return message
    return msgspec.structs.replace(message, variables=changed or msgspec.UNSET)


def _tool_of(name: str, tool: RunnableTool | Callable[..., Any]) -> Tool:
    """Return the definition of a tool in code."""
    spec = getattr(tool, "spec", None) or spec_of(name, tool if callable(tool) else tool.run)
    return Tool(name=name, description=spec.description, parameters=dict(spec.parameters))
