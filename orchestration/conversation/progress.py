"""Progress of a run, and usage of the last turns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import msgspec

from orchestration import events as e
from orchestration.conversation.supervision.log import PauseRequest
from orchestration.messages import NO_USAGE, InboundMessage, Message, ToolCall, Usage


class RunProgress(msgspec.Struct):
    """Progress of the current run."""

    id: str
    message: InboundMessage | None
    """The message that started the run."""
    from_agent: bool = False
    """True if an agent sent the message: it is recorded and ignored (contract O-3)."""
    received: bool = False
    history_start: int = 0
    """Length of the history at the arrival of the message."""
    start_phase: str | None = None
    """Stage at which this first run begins instead of the entry."""
    continuing_agent: str | None = None
    """The agent whose question the message answered."""
    handed_back: bool = False
    """True if the run started without a message, after a person handed back."""
    failed_rules: list[str] = []
    routing: e.MessageRouted | None = None
    turns: int = 0
    handoffs: int = 0
    requests: int = 0
    """Number of handoff requests."""
    path: list[str] = []
    """Active agents in order, beginning with the router's choice."""
    usage: Usage = NO_USAGE
    in_turn: bool = False
    """True while a turn has started and its answer is not complete."""
    asked_model: tuple[str, str] = ("", "")
    """Provider and model of the last call."""
    turn_phase: str = ""
    """Phase in which the last turn started."""
    text_pieces: list[str] = []
    """Text of the answer so far, as received by this process."""
    caller: str | None = None
    """Agent of the last turn."""
    open_calls: dict[str, ToolCall] = {}
    """Calls of the last turn without a result, in order."""
    results: dict[str, Message] = {}
    """Results of the other calls; they are added to the history in the order of the calls."""
    calls: tuple[ToolCall, ...] = ()
    """All calls of the last turn."""
    started_calls: list[str] = []
    """Ids of the calls that have started."""
    approvals: dict[str, e.ApprovalRequested] = {}
    """Calls that wait for approval."""
    decisions: dict[str, e.ApprovalGiven] = {}
    """Decisions about calls."""
    tasks: dict[str, e.SubtaskStarted] = {}
    """Running subtasks by the id of their call, or by their own id without a call."""
    members: dict[str, e.SubtaskCompleted] = {}
    """Members of the current group that have answered or failed."""
    started_members: list[str] = []
    """Members of groups that have started, in order."""
    handoff_request: e.HandoffRequested | None = None
    """Handoff request without a decision."""
    target_checked: bool = False
    """True if the last answer was checked for the name of a target (contract H-4)."""
    accepted_request: e.HandoffRequested | None = None
    """Request of the handoff of this turn."""
    handoff: e.HandoffAccepted | None = None
    """Handoff of this turn."""
    rejection: e.HandoffRejected | None = None
    """Rejection because of the limit or a cycle, which ends the run."""
    in_cycle: bool = False
    previous_phase: str | None = None
    """Phase before the last handoff, until `phase.changed` is recorded."""
    limit: e.LimitReached | None = None
    handoffs_at_turn: int = 0
    """Number of handoffs in the conversation at the start of the last turn."""
    has_text: bool = False
    """True if an agent has written text in this run."""
    speaker: str | None = None
    """Author of the last message."""
    answered: bool = False
    """True if the last turn of the stage ended without a call."""
    truncated: bool = False
    """True if an answer of the stage was cut off at its maximum length."""
    output: str = ""
    """Output of the stage that answered last."""
    previous_output: str | None = None
    """Output of the previous stage: the input of the current one."""
    pause: e.RunPaused | None = None
    """Pause of the run, while it is paused."""
    stepping: bool = False
    """True if the run pauses again before the step after the next."""
    pause_passed: bool = False
    """True if the next turn or handoff does not pause."""
    requested_pause: PauseRequest | None = None
    """Pause that the supervisor requested, before the next turn."""
    last_event: e.Event | None = None


@dataclass(slots=True)
class TurnUsage:
    """Usage of the last turns (contract T-6)."""

    turns: int = 0
    """Turns of the current run, or of the last one."""
    last_turn_at: datetime | None = None
    context: int = 0
    """Estimated tokens of the last request."""
    peak: int = 0
