"""Stages, who serves them, and the transitions between them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from orchestration.definition.values import (
    MAX_GROUP,
    Frozen,
    Key,
    Keys,
    Line,
    Text,
    ToolName,
    by_key,
    once,
)


class Group(Frozen):
    """Several agents that serve one stage together (contract H-9)."""

    agents: Annotated[
        tuple[Key, ...], Field(min_length=1, max_length=MAX_GROUP), AfterValidator(once)
    ]
    """Its members in the order of registration, each once."""
    parallel: bool = True
    """True if all members answer the same input at once, otherwise one after the other."""
    dependencies: Annotated[
        dict[Key, Keys], Field(max_length=MAX_GROUP), AfterValidator(by_key)
    ] = Field(default_factory=dict)
    """For a member, the members whose outputs it is given: they answer before it."""


class Stage(Frozen):
    """A place in the design, which an agent, a group or the human serves. Its key is the phase."""

    phase: Key
    kind: Literal["agent", "group", "human"] = "agent"
    agent_id: Key | None = None
    """The agent of an `agent` stage; None if none is chosen yet, and for other kinds."""
    group: Group | None = None
    """The group of a `group` stage; None if none is chosen yet, and for other kinds."""
    description: Text = ""

    @property
    def agent_ids(self) -> tuple[str, ...]:
        """Every agent that serves it: the one, all of the group, or none."""
        match self.kind:
            case "agent":
                return (self.agent_id,) if self.agent_id is not None else ()
            case "group":
                return self.group.agents if self.group is not None else ()
            case "human":
                return ()


class InputFilter(Frozen):
    """Selection of the earlier messages for the target of a handoff (contract S-4)."""

    keep: Literal["full", "last", "summary", "no_tools", "matching"] = "full"
    """All of it; the last messages; only the user's question and the handoff's own words; all
    but tools' calls and results; or the messages for which `expression` holds."""
    count: Annotated[int, Field(ge=1, le=1_000)] = 10
    """Number of messages that `last` keeps."""
    expression: Annotated[str, StringConstraints(max_length=1_000)] | None = None
    """For `matching`: a CEL expression over `message`, `payload` and `state`."""


class Transition(Frozen):
    """An allowed edge from stage to stage: the one `next`, or a `return` (`can_return_to`)."""

    source: Key
    target: Key
    kind: Literal["next", "return"] = "next"
    description: Line = ""
    """Condition of the transition in words: part of the handoff tool that the model sees."""
    input_schema: dict[str, Any] | None = None
    """JSON Schema of the handoff's payload (contract S-3). With a schema, the transition has its
    own tool, whose arguments are checked against it; None: the common handoff tool."""
    tool_name: ToolName | None = None
    """The name of that tool; None: `transfer_to_` and the target's key."""
    input_filter: InputFilter = InputFilter()
