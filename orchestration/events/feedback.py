"""Event of people's feedback on answers."""

from __future__ import annotations

from typing import Literal

from orchestration.events.event_base import EventBase

Rating = Literal["up", "down", ""]
"""Thumbs up, thumbs down, or no rating."""


class FeedbackGiven(EventBase, frozen=True, kw_only=True, tag="feedback.given"):
    """A person rated an answer or commented on it; `agent_id` is the agent that gave the answer.

    The last feedback on an answer counts. Without a rating and a comment it is withdrawn. Outside
    of a run `run_id` is empty.
    """

    about: int
    """`seq` of the answer."""
    rating: Rating = ""
    comment: str = ""
    by: str = ""
    """Name of the person."""
    command_id: str = ""
