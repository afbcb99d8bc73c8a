"""Events of people's interventions: pause, note, take over, hand back.

Outside of a run these events have an empty `run_id`. `by` is the name of the person, and
`command_id` the id of the command, which takes effect once (`orchestration.control.steering`).
"""

from __future__ import annotations

from typing import Literal

from orchestration.events.event_base import EventBase


class RunPaused(EventBase, frozen=True, kw_only=True, tag="run.paused"):
    """The run paused before its next step, until a person resumes it."""

    why: Literal["asked", "break_point", "step", "approval"]
    ahead: Literal["turn", "handoff", "call"]
    """The next step: a model call, the decision about a handoff, or a call that needs approval
    after everything else is done.
    """
    target: str
    """The next agent, the requested target of the handoff, or the tool."""
    to_phase: str | None = None
    """Requested phase of the handoff, if any."""
    waits_for: tuple[int, ...] = ()
    """`seq` of each pending approval request."""
    by: str = ""
    """Name of the person who paused the run."""
    command_id: str = ""
    reason: str = ""
    """Reason of the supervisor that paused the run."""


class RunResumed(EventBase, frozen=True, kw_only=True, tag="run.resumed"):
    """The run resumed."""

    step: bool = False
    """True if the run pauses again before the step after the next."""
    by: str = ""
    command_id: str = ""


class SupervisorNoted(EventBase, frozen=True, kw_only=True, tag="supervisor.noted"):
    """The supervisor sent agents a note that the user does not see."""

    text: str
    to_agent: str | None = None
    """Recipient; None: every agent that answers from now on."""
    by: str = ""
    command_id: str = ""


class SupervisionLimited(EventBase, frozen=True, kw_only=True, tag="supervision.limited"):
    """The supervisor reached its own limit: the rest of the run continues without its calls."""

    used: int
    """Model calls of the supervisor in this run."""
    limit: int


class HumanJoined(EventBase, frozen=True, kw_only=True, tag="human.joined"):
    """A person took over the conversation and answers in place of the agents."""

    by: str
    command_id: str = ""


class HumanReplied(EventBase, frozen=True, kw_only=True, tag="human.replied"):
    """The person who has the conversation sent the user a message."""

    text: str
    by: str
    command_id: str = ""


class HumanLeft(EventBase, frozen=True, kw_only=True, tag="human.left"):
    """The person handed the conversation back, or ended it.

    A handoff to an agent follows a hand-back. After an end no agent is active: the next message
    waits for a person again.
    """

    by: str
    command_id: str = ""
    ended: bool = False
