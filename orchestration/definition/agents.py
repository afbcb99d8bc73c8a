"""Agents, and the cues by which the scripted provider plays them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from orchestration.definition.values import (
    MAX_CUES,
    MAX_TOOLS,
    Frozen,
    Key,
    Line,
    Name,
    Text,
    ToolName,
    distinct,
)


class CueCall(Frozen):
    """A tool call that a scripted agent makes."""

    tool: ToolName
    arguments: dict[str, Any] = Field(default_factory=dict)


class CueHandoff(Frozen):
    """A handoff that a scripted agent asks for."""

    target: Key
    """An agent's id, an alias, or `human`."""
    phase: Key | None = None
    """The stage meant, where the target serves several."""
    reason: Line = ""
    summary: Line = ""


class Cue(Frozen):
    """Scripted reaction of an agent to a matching message: say, call a tool, hand over.

    The first cue that matches plays. `when` holds words or phrases, any of which must occur in the
    message as whole words, whatever their case; none at all means any message. A cue with
    `after_handoff_from` plays only when the conversation has just come from that agent.
    """

    when: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    after_handoff_from: Key | None = None
    in_phase: Key | None = None
    """Only while the agent serves this stage."""
    say: Text = ""
    call: CueCall | None = None
    hand_over: CueHandoff | None = None


class Agent(Frozen):
    """An agent: a name, instructions, a provider and model, tools."""

    id: Key
    name: Name
    instructions: Text = ""
    provider: Key = "default"
    """The name of a provider on the server; `default` is the one the server was started with."""
    model: Annotated[str, StringConstraints(max_length=200)] = ""
    """The vendor's name of the model; empty: the provider's own default."""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    """Reasoning effort of the model; None uses the model's default."""
    tool_choice: Literal["auto", "required", "none"] = "auto"
    """Whether the model may, must or must not call a tool."""
    response_schema: dict[str, Any] | None = None
    """A JSON Schema that every answer in words has to follow; None: free text."""
    retries: Annotated[int, Field(ge=0, le=10)] | None = None
    """Maximum number of retries after a failure; None uses the provider's default."""
    retry_shown: bool = False
    """True to retry even after a part of the answer was shown."""
    time_limit: Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)] | None = None
    """Seconds that one turn may take, and as many for the fallback; None: as the provider has it.
    """
    fallback: Key | None = None
    """The name of the provider that is asked where the first one fails for good."""
    fallback_model: Annotated[str, StringConstraints(max_length=200)] = ""
    """The model there; empty: that provider's own default."""
    tools: Annotated[
        tuple[ToolName, ...], Field(max_length=MAX_TOOLS), AfterValidator(distinct)
    ] = ()
    cues: Annotated[tuple[Cue, ...], Field(max_length=MAX_CUES)] = ()
    """Script of the agent for the scripted provider, in order of precedence."""
