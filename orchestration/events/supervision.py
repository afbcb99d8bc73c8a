"""Events of people's interventions: pause, note, take over, hand back.

Outside of a run these events have no `run_id`. `by` is the name of the person who asked, and
`command_id` the id of the command that asked for it, which counts once
(`orchestration.control.steering`).
"""

from __future__ import annotations

from typing import Literal

from orchestration.events.fact import Fact


class RunPaused(Fact, frozen=True, kw_only=True, tag="run.paused"):
    """The run stands still before its next step, until a person lets it go on."""

    why: Literal["asked", "break_point", "step", "approval"]
    ahead: Literal["turn", "handoff", "call"]
    """The next step: a model call, the decision about a handoff, or a call that needs approval
    after everything else is done.
    """
    target: str
    """The agent that would be asked, the target that the handoff names, or the tool."""
    to_phase: str | None = None
    """The stage that the handoff names, if it does."""
    waits_for: tuple[int, ...] = ()
    """The numbers of the events that asked for the approvals which are waited for."""
    by: str = ""
    """The person who asked for the pause."""
    command_id: str = ""


class RunResumed(Fact, frozen=True, kw_only=True, tag="run.resumed"):
    """A person let the run go on."""

    step: bool = False
    """To stand still again before the step after the next."""
    by: str = ""
    command_id: str = ""


class SupervisorNoted(Fact, frozen=True, kw_only=True, tag="supervisor.noted"):
    """The supervisor told an agent something that the user does not see."""

    text: str
    to_agent: str | None = None
    """The addressed agent; None: every agent that answers from here on."""
    by: str = ""
    command_id: str = ""


class HumanJoined(Fact, frozen=True, kw_only=True, tag="human.joined"):
    """A person took the conversation, and answers in the agents' place."""

    by: str
    command_id: str = ""


class HumanReplied(Fact, frozen=True, kw_only=True, tag="human.replied"):
    """The person who has the conversation said something to the user."""

    text: str
    by: str
    command_id: str = ""


class HumanLeft(Fact, frozen=True, kw_only=True, tag="human.left"):
    """The person gave the conversation back, and the handoff to an agent follows; or ended it.

    What is ended has no agent: who writes again waits for a person again.
    """

    by: str
    command_id: str = ""
    ended: bool = False
