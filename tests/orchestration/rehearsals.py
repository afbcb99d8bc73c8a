"""Rehearsals of the samples: a conversation, and what each message brought about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import designer
from orchestration import events as e
from orchestration.definition import PipelineDefinition
from orchestration.loading import load_storable
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.session import Session

SAMPLES = Path(designer.__file__).parent / "samples"


def sample(name: str) -> PipelineDefinition:
    return load_storable((SAMPLES / f"{name}.json").read_bytes())


@dataclass
class Run:
    """What one user message brought about."""

    said: list[tuple[str | None, str]]
    """Agent and phase of every answer with text, in order."""
    texts: list[str]
    handoffs: list[str]
    rejected: list[str]
    results: list[str]
    errors: list[str]
    routed: e.MessageRouted
    end: e.StopReason | str


class Rehearsal:
    """A conversation with a sample, by the engine that runs it and without pauses."""

    def __init__(self, name: str) -> None:
        self.definition = sample(name)
        self.session = Session(
            self.definition,
            session_id="rehearsal",
            providers={"default": ScriptedProvider(tokens_per_second=None)},
        )
        self.count = 0

    async def say(self, text: str, *, channel: str = "web", intent: str | None = None) -> Run:
        self.count += 1
        message = InboundMessage(
            id=f"message-{self.count}", text=text, channel_type=channel, intent=intent
        )
        return run_of([event async for event in self.session.receive(message)])

    async def say_all(self, texts: Sequence[str]) -> list[Run]:
        return [await self.say(text) for text in texts]


def run_of(events: Sequence[e.Event]) -> Run:
    answers = [event for event in events if isinstance(event, e.MessageCompleted) and event.text]
    results = [event.result for event in events if isinstance(event, e.ToolReturned)]
    last = events[-1]
    return Run(
        said=[(answer.agent_id, answer.phase) for answer in answers],
        texts=[answer.text for answer in answers],
        handoffs=[
            f"{event.from_phase} > {event.to_phase}"
            for event in events
            if isinstance(event, e.HandoffAccepted)
        ],
        rejected=[event.why for event in events if isinstance(event, e.HandoffRejected)],
        results=[result.content for result in results if result.error is None],
        errors=[result.error for result in results if result.error is not None],
        routed=next(event for event in events if isinstance(event, e.MessageRouted)),
        end=last.reason if isinstance(last, e.RunCompleted) else last.type,
    )


def assert_smooth(runs: Sequence[Run]) -> None:
    """Every run ended with an answer; nothing was refused and no tool failed."""
    for run in runs:
        assert (run.rejected, run.errors) == ([], [])
        assert run.end is e.StopReason.REPLIED
        assert "{result}" not in "".join(run.texts)
