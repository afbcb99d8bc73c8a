"""References of a patch to parts of a pipeline that has changed in the meantime.

A patch of a person's history is written onto a pipeline that others have gone on with. What it
takes away may be referred to by now, and what it brings back may refer to what is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import Q

from designer.definitions import Patch, transition_key
from designer.models import Pipeline

Changed = Callable[[str], bool]
"""Report whether somebody else changed a stage, by its phase, since the patch was made."""


def obstacle(pipeline: Pipeline, patch: Patch, *, changed_since: Changed) -> str | None:
    """Return the obstacle to writing a patch as half a sentence; None if there is none.

    A group's members may lead nowhere, so a group is in the way only where it has `changed_since`.
    """
    found = _obstacles(pipeline, patch, changed_since)
    return next(found, None)


def _obstacles(pipeline: Pipeline, patch: Patch, changed_since: Changed) -> Iterator[str]:
    yield from _missing(pipeline, patch)
    yield from _taken(pipeline, patch)
    if stages := {phase for phase, part in patch.stages.items() if part is None}:
        yield from _referring_to_stages(pipeline, patch, stages)
    if agents := {key for key, part in patch.agents.items() if part is None}:
        yield from _referring_to_agents(pipeline, patch, agents)
        yield from _groups(pipeline, patch, agents, changed_since)


def _missing(pipeline: Pipeline, patch: Patch) -> Iterator[str]:
    """Yield missing parts to which the patch refers."""
    settings = patch.settings
    ways = [way for way in patch.transitions.values() if way]
    phases: set[str | None] = {phase for way in ways for phase in (way.source, way.target)}
    phases |= {phase for frame in patch.frames.values() if frame for phase in frame.stages}
    phases |= {phase for phase, at in patch.positions.items() if at}
    phases |= {settings.touched.get("entry")}
    agents: set[str | None] = {part.agent_id for part in patch.stages.values() if part}
    agents |= {rule.agent_id for rule in patch.rules.values() if rule}
    agents |= {key for key, hue in patch.hues.items() if hue is not None}
    agents |= {settings.touched.get("default_agent_id"), settings.touched.get("supervisor_id")}
    named = {phase for phase in phases if phase and not patch.stages.get(phase)}
    yield from _gone("stage", named - _values(pipeline.stages, "phase", named))
    named = {key for key in agents if key and not patch.agents.get(key)}
    yield from _gone("agent", named - _values(pipeline.agents, "key", named))


def _taken(pipeline: Pipeline, patch: Patch) -> Iterator[str]:
    """Yield unique places that are occupied: a stage's `next`, and a stage's frame."""
    sources = {way.source for way in patch.transitions.values() if way and way.kind == "next"}
    if sources:
        rows = pipeline.transitions.filter(source__phase__in=sources, kind="next")
        for source, target in rows.values_list("source__phase", "target__phase"):
            if transition_key(source, target) not in patch.transitions:
                yield f"the next stage of “{source}” is “{target}” by now"
    held = {phase for frame in patch.frames.values() if frame for phase in frame.stages}
    if held:
        framed = pipeline.stages.filter(phase__in=held, frame__isnull=False)
        framed = framed.exclude(frame__key__in=patch.frames)
        for phase, title in framed.values_list("phase", "frame__title"):
            yield f"stage “{phase}” is in the frame “{title}” by now"


def _referring_to_stages(pipeline: Pipeline, patch: Patch, gone: set[str]) -> Iterator[str]:
    ends = Q(source__phase__in=gone) | Q(target__phase__in=gone)
    ways = pipeline.transitions.filter(ends).values_list("source__phase", "target__phase")
    for source, target in ways:
        if transition_key(source, target) not in patch.transitions:
            yield _still(f"the transition “{source} → {target}”", "stage", {source, target} & gone)
    framed = pipeline.stages.filter(phase__in=gone, frame__isnull=False)
    framed = framed.exclude(frame__key__in=patch.frames)
    for phase, title in framed.values_list("phase", "frame__title"):
        yield _still(f"the frame “{title}”", "stage", [phase])
    entry = pipeline.entry.phase if pipeline.entry else None
    if entry in gone and "entry" not in patch.settings.model_fields_set:
        yield _still("the pipeline's entry", "stage", [entry])


def _referring_to_agents(pipeline: Pipeline, patch: Patch, gone: set[str]) -> Iterator[str]:
    served = pipeline.stages.filter(agent__key__in=gone).exclude(phase__in=patch.stages)
    for phase, agent in served.values_list("phase", "agent__key"):
        yield _still(f"stage “{phase}”", "agent", [agent])
    rules = pipeline.rules.filter(agent__key__in=gone).exclude(key__in=patch.rules)
    for key, agent in rules.values_list("key", "agent__key"):
        yield _still(f"the rule “{key}”", "agent", [agent])
    for name, what, chosen in (
        ("default_agent_id", "the pipeline's default agent", pipeline.default_agent),
        ("supervisor_id", "the pipeline's supervisor", pipeline.supervisor),
    ):
        if chosen and chosen.key in gone and name not in patch.settings.model_fields_set:
            yield _still(what, "agent", [chosen.key])


def _groups(
    pipeline: Pipeline, patch: Patch, gone: set[str], changed_since: Changed
) -> Iterator[str]:
    rows = pipeline.stages.filter(kind="group", group__isnull=False)
    for phase, group in rows.exclude(phase__in=patch.stages).values_list("phase", "group"):
        members = gone.intersection(group["agents"] if group else ())
        if members and changed_since(phase):
            yield _still(f"the group of stage “{phase}”", "agent", members)


def _gone(kind: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{kind} “{name}” is not there any more" for name in sorted(names))


def _still(what: str, kind: str, gone: Iterable[str]) -> str:
    return f"{what} still refers to {kind} “{min(gone)}”"


def _values(rows: Any, field: str, names: set[str]) -> set[str]:
    """Return the names that have rows; without names no query is made."""
    found = rows.filter(**{f"{field}__in": names}).values_list(field, flat=True) if names else ()
    return set(found)
