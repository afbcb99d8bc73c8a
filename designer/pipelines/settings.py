"""Action that changes the settings of a pipeline."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer import definitions
from designer.canvas import supervisor_position
from designer.core import Change, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch, Settings
from designer.models import Pipeline
from orchestration.definition import NEW_SUPERVISION


@edit_action
def update_settings(*, pipeline: Pipeline, user: User, settings: Settings) -> Change:
    """Change the given settings of a pipeline."""
    pipeline = current_row(pipeline)
    touched = settings.touched
    # An unknown name from an imported file stays until another one is chosen.
    kept = {
        name for name, part in touched.items() if part and pipeline.unresolved.get(name) == part
    }
    entry = None if "entry" in kept else touched.get("entry")
    if entry and not pipeline.stages.filter(phase=entry).exists():
        raise RefusedError(f"The stage “{entry}” no longer exists: choose another.", field="entry")
    for field in ("default_agent_id", "supervisor_id"):
        key = None if field in kept else touched.get(field)
        if key and not pipeline.agents.filter(key=key).exists():
            raise RefusedError(f"The agent “{key}” no longer exists: choose another.", field=field)
    settings = _with_supervision(pipeline, settings)
    touched = settings.touched
    label = _label(pipeline, settings)
    if touched.get("supervisor_id") and pipeline.supervisor_x is None:
        # The card keeps its first position when stages move.
        position = supervisor_position(definitions.read(pipeline).layout.stages.values())
        settings = Settings(**touched, supervisor_position=position)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(settings=settings))


_LABELS = {
    "name": "the name",
    "description": "the description",
    "topology": "the topology",
    "limits": "the limits",
    "entry": "the entry",
    "default_agent_id": "the default agent",
    "supervisor_id": "the supervisor",
    "supervision": "the supervision",
    "aliases": "the aliases",
    "variables": "the variables",
    "handoff_tool_name": "the handoff tool",
    "on_handoff": "the behaviour after a handoff",
    "allow_human": "handoffs to a person",
}


def _with_supervision(pipeline: Pipeline, settings: Settings) -> Settings:
    """Add the usual supervision for a new supervisor, and remove it with the supervisor."""
    touched = settings.touched
    if "supervisor_id" not in touched:
        return settings
    had, has = pipeline.supervisor_id is not None, touched["supervisor_id"] is not None
    if had and not has:
        touched["supervision"] = None
    elif has and not had and touched.get("supervision") is None:
        touched["supervision"] = NEW_SUPERVISION
    return Settings(**touched)


def _label(pipeline: Pipeline, settings: Settings) -> str:
    """Return the label of the edit, with the changed settings."""
    old = definitions.read_parts(pipeline, Patch(settings=settings)).settings.touched
    changed = [name for name, part in settings.touched.items() if part != old[name]]
    names = [_LABELS[name] for name in changed if name in _LABELS]
    return f"Change {' and '.join(names) or 'the pipeline'}"
