"""References of a patch to parts of a pipeline that has changed in the meantime.

Undo and redo write an old patch to a pipeline that others may have edited since. Parts that the
patch deletes may be referenced by now, and parts that it restores may refer to deleted parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db.models import Q

from designer.definitions import Patch, transition_key
from designer.models import Pipeline

Changed = Callable[[str], bool]
"""Function that reports whether another user changed a stage, by its phase, after the patch."""


def find_obstacle(pipeline: Pipeline, patch: Patch, *, changed_since: Changed) -> str | None:
    """Return the first obstacle to writing a patch, as a clause; None if there is none.

    A group may have missing members, so it is an obstacle only if it has `changed_since`.
    """
    return next(_obstacles(pipeline, patch, changed_since), None)


def _obstacles(pipeline: Pipeline, patch: Patch, changed_since: Changed) -> Iterator[str]:
    yield from _missing(pipeline, patch)
    yield from _conflicts(pipeline, patch)
    if stages := {phase for phase, part in patch.stages.items() if part is None}:
        yield from _referring_to_stages(pipeline, patch, stages)
    if agents := {key for key, part in patch.agents.items() if part is None}:
        yield from _referring_to_agents(pipeline, patch, agents)
        yield from _referring_groups(pipeline, patch, agents, changed_since)


def _missing(pipeline: Pipeline, patch: Patch) -> Iterator[str]:
    """Yield missing parts to which the patch refers."""
    settings = patch.settings
    transitions = [part for part in patch.transitions.values() if part]
    phases: set[str | None] = {part.source for part in transitions}
    phases |= {part.target for part in transitions}
    phases |= {phase for frame in patch.frames.values() if frame for phase in frame.stages}
    phases |= {phase for phase, at in patch.positions.items() if at}
    phases |= {settings.touched.get("entry")}
    agents: set[str | None] = {part.agent_id for part in patch.stages.values() if part}
    agents |= {rule.agent_id for rule in patch.rules.values() if rule}
    agents |= {key for key, hue in patch.hues.items() if hue is not None}
    agents |= {settings.touched.get("default_agent_id"), settings.touched.get("supervisor_id")}
    unknown = set(pipeline.unresolved.get("names", ()))  # the file named them without parts
    referenced = {phase for phase in phases if phase and not patch.stages.get(phase)} - unknown
    yield from _gone("stage", referenced - _values(pipeline.stages, "phase", referenced))
    referenced = {key for key in agents if key and not patch.agents.get(key)} - unknown
    yield from _gone("agent", referenced - _values(pipeline.agents, "key", referenced))


def _conflicts(pipeline: Pipeline, patch: Patch) -> Iterator[str]:
    """Yield conflicts over unique relations: the `next` transition and the frame of a stage."""
    parts = patch.transitions.values()
    sources = {part.source for part in parts if part and part.kind == "next"}
    if sources:
        rows = pipeline.transitions.filter(source__phase__in=sources, kind="next")
        for source, target in rows.values_list("source__phase", "target__phase"):
            if transition_key(source, target) not in patch.transitions:
                yield f"the next stage of “{source}” is now “{target}”"
    framed = {phase for frame in patch.frames.values() if frame for phase in frame.stages}
    if framed:
        stages = pipeline.stages.filter(phase__in=framed, frame__isnull=False)
        stages = stages.exclude(frame__key__in=patch.frames)
        for phase, title in stages.values_list("phase", "frame__title"):
            yield f"stage “{phase}” is now in the frame “{title}”"


def _referring_to_stages(pipeline: Pipeline, patch: Patch, gone: set[str]) -> Iterator[str]:
    ends = Q(source__phase__in=gone) | Q(target__phase__in=gone)
    pairs = pipeline.transitions.filter(ends).values_list("source__phase", "target__phase")
    for source, target in pairs:
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
    for name, role, agent_row in (
        ("default_agent_id", "the pipeline's default agent", pipeline.default_agent),
        ("supervisor_id", "the pipeline's supervisor", pipeline.supervisor),
    ):
        if agent_row and agent_row.key in gone and name not in patch.settings.model_fields_set:
            yield _still(role, "agent", [agent_row.key])


def _referring_groups(
    pipeline: Pipeline, patch: Patch, gone: set[str], changed_since: Changed
) -> Iterator[str]:
    rows = pipeline.stages.filter(kind="group", group__isnull=False)
    for phase, group in rows.exclude(phase__in=patch.stages).values_list("phase", "group"):
        members = gone.intersection(group["agents"] if group else ())
        if members and changed_since(phase):
            yield _still(f"the group of stage “{phase}”", "agent", members)


def _gone(kind: str, names: Iterable[str]) -> Iterator[str]:
    return (f"{kind} “{name}” no longer exists" for name in sorted(names))


def _still(referrer: str, kind: str, gone: Iterable[str]) -> str:
    return f"{referrer} still refers to {kind} “{min(gone)}”"


def _values(rows: Any, field: str, names: set[str]) -> set[str]:
    """Return the names that exist as rows; without names there is no query."""
    return (
        set(rows.filter(**{f"{field}__in": names}).values_list(field, flat=True))
        if names
        else set()
    )
