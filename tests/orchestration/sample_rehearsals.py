"""Rehearsals of the samples: a conversation with the events of each message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import designer
from orchestration import events as e
from orchestration.definition import PipelineDefinition
from orchestration.library import TaskSystem
from orchestration.loading import load_storable
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session

SAMPLES = Path(designer.__file__).parent / "pipelines" / "samples"


_WITHIN = re.compile("__(team|task|supervisor)_")


async def _no_answer(_: e.InputRequested) -> None:
    """Leave the answer to the next message."""


def names() -> list[str]:
    """Return the names of the samples."""
    return sorted(path.stem for path in SAMPLES.glob("*.json"))


def sample(name: str) -> PipelineDefinition:
    return load_storable((SAMPLES / f"{name}.json").read_bytes())


@dataclass
class Run:
    """The events of one user message."""

    said: list[tuple[str | None, str]]
    """Agent and phase of every answer to the user with text, in order; members of groups too."""
    texts: list[str]
    worked: list[str | None]
    """Agent of every message with text within subtasks, in order."""
    handoffs: list[str]
    told: list[dict[str, Any] | None]
    """Payload of each handoff; None without one."""
    rejected: list[str]
    results: list[str]
    errors: list[str]
    routed: e.MessageRouted
    end: e.StopReason | str


class Rehearsal:
    """A conversation with a sample, without pauses."""

    def __init__(self, name: str) -> None:
        self.definition = sample(name)
        self.session = Session(
            self.definition,
            session_id="rehearsal",
            providers={"default": ScriptedProvider(tokens_per_second=None)},
            ask_user=_no_answer,
            pipelines=TaskSystem(map(sample, names())).find,
        )
        self.count = 0

    async def say(self, text: str, *, channel: str = "web", intent: str | None = None) -> Run:
        return run_of(await self.events_of(text, channel=channel, intent=intent))

    async def events_of(
        self, text: str, *, channel: str = "web", intent: str | None = None
    ) -> list[e.Event]:
        """Return the events of a message."""
        message = self.message(text, channel=channel, intent=intent)
        return [event async for event in self.session.receive(message)]

    def message(
        self, text: str, *, channel: str = "web", intent: str | None = None
    ) -> InboundMessage:
        """Return the next message of the user."""
        self.count += 1
        message_id = f"message-{self.count}"
        return InboundMessage(id=message_id, text=text, channel_type=channel, intent=intent)

    async def say_all(self, texts: Sequence[str]) -> list[Run]:
        return [await self.say(text) for text in texts]


def run_of(events: Sequence[e.Event]) -> Run:
    said = [event for event in events if isinstance(event, e.MessageCompleted) and event.text]
    answers = [event for event in said if not _WITHIN.search(event.session_id)]
    results = [event.result for event in events if isinstance(event, e.ToolReturned)]
    handoffs = [event for event in events if isinstance(event, e.HandoffAccepted)]
    last = events[-1]
    return Run(
        said=[(answer.agent_id, answer.phase) for answer in answers],
        texts=[answer.text for answer in answers],
        worked=[event.agent_id for event in said if event not in answers],
        handoffs=[f"{event.from_phase} > {event.to_phase}" for event in handoffs],
        told=[event.payload for event in handoffs],
        rejected=[event.why for event in events if isinstance(event, e.HandoffRejected)],
        results=[result.content for result in results if result.error is None],
        errors=[result.error for result in results if result.error is not None],
        routed=next(event for event in events if isinstance(event, e.MessageRouted)),
        end=last.reason if isinstance(last, e.RunCompleted) else last.type,
    )


def assert_smooth(runs: Sequence[Run]) -> None:
    """Check that every run ended with an answer, without a refusal or a failed tool."""
    for run in runs:
        assert (run.rejected, run.errors) == ([], [])
        assert run.end is e.StopReason.REPLIED
        assert "{result}" not in "".join(run.texts)
