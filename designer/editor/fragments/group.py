"""Members of a group in the form of its stage."""

from __future__ import annotations

from dataclasses import dataclass

from designer.canvas import hue_of, initial
from designer.core import part_choices
from designer.editor.forms.group import GroupWidget
from orchestration.definition import Group, PipelineDefinition, Stage


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One member and its dependencies."""

    key: str
    name: str
    initial: str
    hue: int
    is_member: bool
    """False if only the dependencies of the group name it."""
    waits: tuple[tuple[str, str, bool], ...]
    """Possible dependencies: the value in the form, the name, and True if it is one."""


def show_group(widget: GroupWidget, definition: PipelineDefinition, stage: Stage) -> None:
    """Fill the group field in the form of a stage, if a group serves it."""
    if stage.kind != "group":
        return
    group = stage.group
    widget.members = member_rows(definition, group) if group else []
    widget.order = "parallel" if group is None or group.parallel else "ordered"
    others = part_choices(definition, "strangers", stage.phase)
    if others.is_long:
        widget.rest = others
    else:
        widget.others = others.choices


def member_rows(definition: PipelineDefinition, group: Group) -> list[MemberRow]:
    """Return the members in the order of registration, then those that only dependencies name."""
    unknown = [key for key in group.dependencies if key not in group.agents]
    return [_row(definition, group, key) for key in (*group.agents, *unknown)]


def _row(definition: PipelineDefinition, group: Group, key: str) -> MemberRow:
    needed = group.dependencies.get(key, ())
    others = dict.fromkeys([*(other for other in group.agents if other != key), *needed])
    name = _name(definition, key)
    return MemberRow(
        key=key,
        name=name,
        initial=initial(name),
        hue=hue_of(key, definition.layout.hues),
        is_member=key in group.agents,
        waits=tuple(
            (f"{key}:{other}", _name(definition, other), other in needed) for other in others
        ),
    )


def _name(definition: PipelineDefinition, key: str) -> str:
    agent = definition.agents_by_id.get(key)
    return agent.name if agent else key
