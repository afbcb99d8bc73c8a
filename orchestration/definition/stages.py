"""Stages, groups and transitions."""

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
    unique,
)


class Group(Frozen):
    """Several agents that serve one stage together (contract H-9)."""

    agents: Annotated[
        tuple[Key, ...], Field(min_length=1, max_length=MAX_GROUP), AfterValidator(unique)
    ]
    """Members in the order of registration."""
    parallel: bool = True
    """True if all members answer in parallel, otherwise one after the other."""
    dependencies: Annotated[
        dict[Key, Keys], Field(max_length=MAX_GROUP), AfterValidator(by_key)
    ] = Field(default_factory=dict)
    """For each member, the members that answer before it and whose outputs it gets."""


class Stage(Frozen):
    """A node of the design, served by an agent, a group or the human. Its key is the phase."""

    phase: Key
    kind: Literal["agent", "group", "human"] = "agent"
    agent_id: Key | None = None
    """The agent of an `agent` stage; None if none is chosen yet, and for other kinds."""
    group: Group | None = None
    """The group of a `group` stage; None if none is chosen yet, and for other kinds."""
    description: Text = ""

    @property
    def agent_ids(self) -> tuple[str, ...]:
        """Agents of the stage: its agent, the members of its group, or none."""
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
    """All messages; the last ones; only the user's question and the text of the handoff; all
    without tool calls and results; or those that match `expression`."""
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
    """Name of that tool; None: `transfer_to_` and the target's key."""
    input_filter: InputFilter = InputFilter()
