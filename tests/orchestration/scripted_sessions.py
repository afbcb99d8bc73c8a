"""Sessions whose agents follow a script."""

from __future__ import annotations

from typing import Any

from orchestration.definition import Cue, PipelineDefinition
from orchestration.events import MessageCompleted
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session
from tests.orchestration.conversations import every, four_stages, session_with


def scripted(definition: PipelineDefinition | None = None, **options: Any) -> Session:
    return session_with(
        None, definition, providers={"default": ScriptedProvider(tokens_per_second=0)}, **options
    )


def with_cues(agent_id: str, *cues: Cue, **changes: Any) -> PipelineDefinition:
    definition = four_stages(**changes)
    agents = [
        agent.model_copy(
            update={"cues": cues, "tools": tuple(tool.name for tool in definition.tools)}
        )
        if agent.id == agent_id
        else agent
        for agent in definition.agents
    ]
    return definition.model_copy(update={"agents": tuple(agents)})


def texts(events: Any) -> list[str]:
    return [event.text for event in every(MessageCompleted, events)]
