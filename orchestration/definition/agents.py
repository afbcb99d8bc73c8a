"""Agents and the cues of the scripted provider."""

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
    """A handoff that a scripted agent requests."""

    target: Name
    """An agent's id or name, an alias, a stage, or `human`."""
    phase: Name | None = None
    """The target stage, if the target serves several."""
    reason: Line = ""
    summary: Line = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Values of the fields of a typed handoff; the message supplies the missing ones."""


class Cue(Frozen):
    """Scripted reaction of an agent to a matching message: an answer, a tool call, a handoff.

    The first matching cue is used. `when` lists words or phrases; one of them must occur in the
    message as whole words, in any case. Without `when`, the cue matches any message. A cue with
    `after_handoff_from` matches only directly after a handoff from that agent.
    """

    when: Annotated[tuple[Line, ...], Field(max_length=50)] = ()
    after_handoff_from: Name | None = None
    in_phase: Name | None = None
    """Only while the agent serves this stage."""
    say: Text = ""
    call: CueCall | None = None
    hand_over: CueHandoff | None = None


class Agent(Frozen):
    """An agent: a name, instructions, a provider and model, tools.

    The agent's form shows titles as labels and docstrings as help texts.
    """

    id: Key
    name: Name
    instructions: Text = ""
    language: Annotated[str, StringConstraints(max_length=120)] = ""
    """The language of the agent's answers, such as French."""
    provider: Key = "default"
    """Name of a provider of the server; `default` is the one that the server was started with."""
    model: Annotated[str, StringConstraints(max_length=200)] = ""
    """The vendor's name of the model. Leave empty to use the provider's default."""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    """Reasoning effort of the model; None uses the model's default."""
    tool_choice: Literal["auto", "required", "none"] = "auto"
    """Permission for tool calls: allowed, required or not allowed."""
    response_schema: dict[str, Any] | None = None
    """A JSON Schema for all answers in words; None allows free text."""
    retries: Annotated[int, Field(ge=0, le=10)] | None = None
    """Maximum number of retries after a failure. Leave empty to use the provider's default."""
    retry_shown: bool = Field(default=False, title="Retry shown answers")
    """Retry even after a part of the answer was shown."""
    time_limit: Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)] | None = Field(
        default=None, title="Time limit of a turn"
    )
    """Maximum duration in seconds, and again for the fallback. Leave empty to use the provider's
    default.
    """
    fallback: Key | None = Field(default=None, title="Fallback provider")
    """Provider to use if the first one fails permanently."""
    fallback_model: Annotated[str, StringConstraints(max_length=200)] = ""
    """Model of the fallback provider. Leave empty to use its default."""
    tools: Annotated[
        tuple[ToolName, ...], Field(max_length=MAX_TOOLS), AfterValidator(distinct)
    ] = ()
    cues: Annotated[tuple[Cue, ...], Field(max_length=MAX_CUES)] = ()
    """Script of the agent for the scripted provider, in order of precedence."""

    @property
    def has_unused_fallback_model(self) -> bool:
        """True if a fallback model is named without a provider: it has no effect."""
        return self.fallback is None and bool(self.fallback_model)

    def with_fallback(self) -> Agent:
        """Return the agent with the fallback in place of its provider and model."""
        provider = self.fallback or self.provider
        return self.model_copy(
            update={"provider": provider, "model": self.fallback_model, "fallback": None}
        )


def fallback_fields(provider: str, model: str) -> dict[str, str]:
    """Return the fields of an agent with this fallback: the opposite of `Agent.with_fallback`."""
    return {"fallback": provider, "fallback_model": model}
