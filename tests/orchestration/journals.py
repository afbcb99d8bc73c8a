"""Golden journals: recorded conversations with their definitions and inputs.

A journal is a JSON file in `tests/journals/`: the definition, the pipelines of its subtasks, the
inputs in order (`steps`) and all recorded events. `play` runs the inputs against any models;
`Recorded` replays the recorded answers.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from orchestration import events as e
from orchestration.control import read_command
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import ProviderError
from orchestration.library import TaskSystem
from orchestration.messages import InboundMessage
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    Provider,
    TextPiece,
)
from orchestration.runtime import Session
from tests.orchestration.conversations import NOON

FOLDER = Path(__file__).parents[1] / "journals"

Step = dict[str, Any]
"""One input: `say` a message, issue a `command`, `queue` one for the next run, `resume`, `end` the
run, `restart` the process after a number of events, or `fork` after that number."""


@dataclass
class Journal:
    """A recorded conversation."""

    definition: PipelineDefinition
    steps: list[Step]
    templates: list[PipelineDefinition] = field(default_factory=list)
    cost: float | None = None
    """Cost of each model call."""
    events: list[e.Event] = field(default_factory=list)

    def dump(self) -> str:
        """Return the journal as a JSON text, one event a line."""
        head = {
            "definition": json.loads(self.definition.dump()),
            "templates": [json.loads(template.dump()) for template in self.templates],
            "cost": self.cost,
            "steps": self.steps,
        }
        lines = ",\n".join(e.encode(event).decode() for event in self.events)
        return json.dumps(head, ensure_ascii=False)[:-1] + f', "events": [\n{lines}\n]}}\n'


def load_journal(path: Path) -> Journal:
    """Return the journal of a file."""
    body = json.loads(path.read_text("utf-8"))
    return Journal(
        PipelineDefinition.model_validate(body["definition"]),
        body["steps"],
        [PipelineDefinition.model_validate(template) for template in body["templates"]],
        body["cost"],
        [e.decode(json.dumps(event)) for event in body["events"]],
    )


async def play(journal: Journal, provider: Provider) -> tuple[list[e.Event], Session]:
    """Run the steps of a journal; return the recorded events and the session at the end.

    The events that a fork leaves behind stay at their place. Tools answer with their examples.
    """
    clock, ids = ticking(), (f"run-{number}" for number in count(1))
    settings: dict[str, Any] = {
        "providers": defaultdict(lambda: provider, default=provider, scripted=provider),
        "ask_user": lambda request: None,
        "pipelines": TaskSystem(journal.templates).find,
        "clock": clock,
        "new_id": lambda: next(ids),
    }
    if journal.cost is not None:
        settings["call_cost"] = lambda *_: journal.cost
    recorded: list[e.Event] = []
    left_behind: list[e.Event] = []
    forked_at = 0
    session = Session(journal.definition, session_id="s", **settings)
    for step in journal.steps:
        if "fork" in step:
            forked_at = step["fork"]
            left_behind = recorded[forked_at:]
            del recorded[forked_at:]
        if "fork" in step or "restart" in step:
            session = Session(journal.definition, recorded, session_id="s", **settings)
        elif "end" in step:
            recorded += session.end_run(e.StopReason(step["end"]), by=step.get("by", ""))
        elif "queue" in step:
            session.queue(read_command(step["queue"]))
        elif "command" in step:
            recorded += session.steer(read_command(step["command"]))
        else:
            await _drive(session, step, recorded)
    return [*recorded[:forked_at], *left_behind, *recorded[forked_at:]], session


async def _drive(session: Session, step: Step, recorded: list[e.Event]) -> None:
    """Run until the end of the run, or until the number of events of the step is recorded."""
    if "say" in step:
        events = session.receive(InboundMessage(**step["say"]))
    else:
        events = session.go_on() if step.get("goes_on") else session.resume()
    async with aclosing(events):
        async for event in events:
            if not isinstance(event, e.MessageDelta):
                recorded.append(event)
            if len(recorded) == step.get("until"):
                return


def ticking() -> Callable[[], datetime]:
    """Return a clock that advances by a millisecond with every reading."""
    readings = count()
    return lambda: NOON + timedelta(milliseconds=next(readings))


class Recorded:
    """The models of a journal: they repeat their recorded answers."""

    def __init__(self, journal: Journal) -> None:
        turns = [event for event in journal.events if isinstance(event, e.TurnStarted)]
        self.name = turns[0].provider if turns else ""
        self._answers: dict[str, deque[e.Event]] = defaultdict(deque)
        self._models: dict[str, str] = {}
        started: dict[str, str] = {}
        for event in journal.events:
            if isinstance(event, e.TurnStarted):
                started[event.session_id] = agent_id = event.agent_id or ""
                self._models[agent_id] = event.model
            elif (
                isinstance(event, e.MessageCompleted | e.RunFailed)
                or getattr(event, "reason", "") == e.StopReason.TIME_LIMIT
            ) and (agent := started.pop(event.session_id, None)):
                self._answers[agent].append(event)

    def model_of(self, request: ModelRequest) -> str:
        return self._models.get(request.agent.id, "")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        answer = self._answers[request.agent.id].popleft()
        if isinstance(answer, e.RunCompleted):  # the deadline interrupts it again
            await asyncio.Future()
        if not isinstance(answer, e.MessageCompleted):
            raise ProviderError(getattr(answer, "message", ""))
        if answer.text:
            yield TextPiece(answer.text)
        for call in answer.tool_calls:
            yield CallPiece(call)
        usage = answer.usage
        yield Finished(usage.input_tokens, usage.output_tokens, reason=answer.ending)


def comparable(events: list[e.Event]) -> list[Any]:
    """Return events as JSON without times."""
    return [json.loads(e.encode(event), object_hook=_without_times) for event in events]


def _without_times(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in {"at", "milliseconds"}}
