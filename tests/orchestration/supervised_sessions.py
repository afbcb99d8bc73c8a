"""Supervised conversations, and the calls of their supervisor."""

from __future__ import annotations

from collections.abc import Iterable

from orchestration.definition import Agent, PipelineDefinition, Supervision
from orchestration.events import Event, SubtaskCompleted, SubtaskStarted
from orchestration.providers.provider import ModelRequest
from orchestration.runtime import Session
from tests.orchestration.conversations import PlayedModel, Turn, every, four_stages, session_with

WATCHER = "agent-watcher"
ALL_ACTIONS = ("note", "pause", "redirect", "escalate")


def supervised(
    *ask_at: str, may: Iterable[str] = ALL_ACTIONS, max_calls: int = 20, **changes: object
) -> PipelineDefinition:
    """Return the four stages with a supervisor."""
    definition = four_stages(**changes)
    watcher = Agent(id=WATCHER, name="Watcher", instructions="You look for angry customers.")
    supervision = Supervision.model_validate(
        {"ask_at": ask_at, "may": tuple(may), "max_calls": max_calls}
    )
    return definition.model_copy(
        update={
            "agents": (*definition.agents, watcher),
            "supervisor_id": WATCHER,
            "supervision": supervision,
        }
    )


def model_with(agents: Iterable[Turn], supervisor: Iterable[Turn] = ()) -> PlayedModel:
    """Return a model with the turns of the agents, and those of the supervisor."""
    turns = {False: iter(agents), True: iter(supervisor)}
    defaults: dict[bool, Turn] = {False: ("Done.",), True: ("Nothing to do.",)}

    def play(request: ModelRequest) -> Turn:
        supervises = request.agent.id == WATCHER
        return next(turns[supervises], defaults[supervises])

    return PlayedModel(play)


def supervised_session(
    agents: Iterable[Turn],
    supervisor: Iterable[Turn] = (),
    *ask_at: str,
    definition: PipelineDefinition | None = None,
    **options: object,
) -> tuple[Session, PlayedModel]:
    """Return a session and its model."""
    model = model_with(agents, supervisor)
    definition = definition or supervised(*ask_at)
    return session_with(model, definition, **options), model


def supervisor_inputs(model: PlayedModel) -> list[str]:
    """Return the last message of each request of the supervisor that began a call."""
    return [
        request.messages[-1].text
        for request in model.requests
        if request.agent.id == WATCHER and request.messages[-1].role == "user"
    ]


def calls_of(events: Iterable[Event]) -> list[SubtaskStarted]:
    """Return the starts of the supervisor's calls."""
    return [each for each in every(SubtaskStarted, events) if each.kind == "supervision"]


def ends_of(events: Iterable[Event]) -> list[SubtaskCompleted]:
    """Return the ends of the supervisor's calls."""
    return [each for each in every(SubtaskCompleted, events) if each.kind == "supervision"]


def of_conversation(events: Iterable[Event]) -> list[Event]:
    """Return the events outside of the supervisor's calls."""
    return [
        event
        for event in events
        if "__supervisor_" not in event.session_id and getattr(event, "kind", "") != "supervision"
    ]
