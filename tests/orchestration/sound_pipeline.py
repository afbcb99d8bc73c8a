"""A pipeline without issues, for tests that add one to it."""

import re
from collections.abc import Iterator
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue, validate

SOUND: dict[str, Any] = {
    "name": "Support",
    "entry": "intake",
    "supervisor_id": "watcher",
    "aliases": {"desk": "human", "refunds": "handler"},
    "agents": [
        {"id": "triage", "name": "Triage"},
        {"id": "handler", "name": "Handler", "tools": ["lookup"]},
        {"id": "reviewer", "name": "Reviewer"},
        {"id": "watcher", "name": "Watcher"},
    ],
    "stages": [
        {"phase": "intake", "agent_id": "triage"},
        {"phase": "handling", "agent_id": "handler"},
        {"phase": "review", "agent_id": "reviewer"},
        {"phase": "desk", "kind": "human"},
    ],
    "transitions": [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "desk"},
        {"source": "review", "target": "handling", "kind": "return"},
    ],
    "rules": [
        {"id": "billing", "agent_id": "handler", "conditions": {"intents": ["billing"]}},
    ],
    "tools": [{"name": "lookup"}],
}


def sound(**changes: Any) -> PipelineDefinition:
    """A definition without issues, apart from `changes`."""
    return PipelineDefinition.model_validate(SOUND | changes)


def workflow(**changes: Any) -> PipelineDefinition:
    """The same agents one after the other, without issues, apart from `changes`."""
    follows = [way for way in SOUND["transitions"] if way.get("kind") != "return"]
    return sound(**{"topology": "workflow", "transitions": follows, "rules": []} | changes)


def team(**changes: Any) -> PipelineDefinition:
    """The same agents led by the first, without issues, apart from `changes`."""
    led = [
        {"source": "intake", "target": "handling"},
        {"source": "intake", "target": "review", "kind": "return"},
    ]
    stages = [stage for stage in SOUND["stages"] if stage.get("kind") != "human"]
    parts = {"topology": "team", "stages": stages, "transitions": led, "rules": []}
    return sound(**parts | changes)


def with_transition(source: str, target: str, **changes: Any) -> PipelineDefinition:
    """A definition without issues, apart from changes of one of its transitions."""
    return sound(
        transitions=[
            way | (changes if (way["source"], way["target"]) == (source, target) else {})
            for way in SOUND["transitions"]
        ]
    )


def with_more(name: str, *parts: dict[str, Any]) -> PipelineDefinition:
    """A definition without issues, apart from parts added to one of its lists."""
    return sound(**{name: [*SOUND[name], *parts]})


def with_cue(agent_id: str, **cue: Any) -> PipelineDefinition:
    """A definition without issues, apart from a cue of one of its agents."""
    return sound(
        agents=[
            agent | ({"cues": [cue]} if agent["id"] == agent_id else {})
            for agent in SOUND["agents"]
        ]
    )


def only_issue(definition: PipelineDefinition) -> Issue:
    """Return the only issue of a definition."""
    (issue,) = validate(definition)
    return issue


def codes(definition: PipelineDefinition) -> list[str]:
    return [issue.code for issue in validate(definition)]


def value_at(definition: PipelineDefinition, path: str) -> Any:
    """Return the value at a JSON path, which must exist in the definition."""
    value: Any = definition.model_dump(mode="json")
    for step in steps(path):
        value = value[step]
    return value


def steps(path: str) -> Iterator[str | int]:
    """The keys and places of a JSON path."""
    for name, place, key in re.findall(r"\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^']*)'\]", path):
        yield int(place) if place else name or key
