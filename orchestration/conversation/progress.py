"""Progress of a run and usage of its last turns, as the reducer keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from orchestration import events as e
from orchestration.messages import InboundMessage, Message, ToolCall, Usage


class RunProgress(msgspec.Struct):
    """Progress of the current run."""

    id: str
    announced: InboundMessage | None
    """The message that set it going."""
    received: bool = False
    began: int = 0
    """Length of the history when the message arrived."""
    goes_on: str | None = None
    """The agent whose question the message answered."""
    given_back: bool = False
    """No message set it going: a person gave the conversation back."""
    failed_rules: set[str] = msgspec.field(default_factory=set)
    routed: e.MessageRouted | None = None
    turns: int = 0
    handoffs: int = 0
    requests: int = 0
    """Number of handoff requests."""
    path: list[str] = []
    """Agents that had the conversation, beginning with the router's choice."""
    usage: Usage = Usage()
    asking: bool = False
    """A turn has started and its answer is not complete."""
    asked_in: str = ""
    """The phase in which the last turn started."""
    spoken: list[str] = []
    """The pieces of that answer which came to this process."""
    caller: str | None = None
    """The agent whose turn it is or was."""
    open_calls: dict[str, ToolCall] = {}
    """Calls of the last turn that have no result yet, in order."""
    results: dict[str, Message] = {}
    """Results of the other calls; they join the history in the order of the calls."""
    calls: tuple[ToolCall, ...] = ()
    """All calls of the last turn."""
    going: set[str] = msgspec.field(default_factory=set)
    """Calls among them that were set going."""
    approvals: dict[str, e.ApprovalRequested] = {}
    """Calls among them that wait for a person to decide."""
    decided: dict[str, e.ApprovalGiven] = {}
    """Decisions about the other calls."""
    tasks: dict[str, e.SubtaskStarted] = {}
    """Subtasks under way, by the call that asked for each, or their own ids."""
    members: dict[str, e.SubtaskCompleted] = {}
    """Members of the present stage's group that have answered or failed."""
    begun: list[str] = []
    """The members of groups that were asked, in order."""
    requested: e.HandoffRequested | None = None
    """A handoff that is not decided yet."""
    looked: bool = False
    """The last answer was looked at for the name of a target (contract H-4)."""
    won: e.HandoffRequested | None = None
    """The request that caused this turn's handoff."""
    winner: e.HandoffAccepted | None = None
    """The handoff of this turn."""
    refused: e.HandoffRejected | None = None
    """A handoff that was refused for the limit or for a circle: the run is to end."""
    circled: bool = False
    phase_left: str | None = None
    """The phase that the last handoff left, while nobody was told."""
    limit: e.LimitReached | None = None
    stint: int = 0
    """Number of handoffs in the conversation when the last turn started."""
    said: bool = False
    """Some agent has said something."""
    speaker: str | None = None
    """Author of the last message."""
    answered: bool = False
    """The stage has answered: its last turn ended without a call."""
    output: str = ""
    """Output of the stage that answered last."""
    given: str | None = None
    """Output of the previous stage, the input of the current one."""
    paused: e.RunPaused | None = None
    """The run stands still, and waits for a person."""
    stepping: bool = False
    """It is to stand still again before the step after the next."""
    passed: bool = False
    """A person let the next turn or handoff pass."""
    last: e.Event | None = None


@dataclass(slots=True)
class TurnUsage:
    """Usage of the last turns (contract T-6)."""

    turns: int = 0
    """Turns of the current run, or of the last one."""
    last_turn_at: datetime | None = None
    context: int = 0
    """Estimated tokens of what was sent last."""
    peak: int = 0
