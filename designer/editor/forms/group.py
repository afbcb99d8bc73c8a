"""The group of a stage: its members, their order and their dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from pydantic import ValidationError as ShapeError

from designer.core import PartChoices, error_sentences
from orchestration.definition import Group

SubmittedGroup = dict[str, Any]
"""Submitted group: `order`, ordered `members`, dependencies in `waits` (`a:b`: a waits for b), and
one of the actions `add`, `take_out`, `move_up` and `move_down`. `drawn_order` is the order when
the page was rendered.
"""

ORDERS = (("parallel", "All at once"), ("ordered", "One after the other"))


class GroupWidget(forms.Widget):
    """Widget of `editor/inspector/_group.html`. The inspector sets the members and choices."""

    use_fieldset = True
    members: Sequence[Any] | None = None
    """Members with their details; None if the stage has no group."""
    others: Sequence[tuple[str, str]] = ()
    """Keys and names of the agents that can be added; empty if `rest` loads them."""
    rest: PartChoices | None = None
    """Options that are loaded when the list is used."""
    order = "parallel"
    orders = ORDERS

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> SubmittedGroup:
        """Return the submitted group, in the form of `submitted_group`."""
        sent = data if isinstance(data, QueryDict) else QueryDict()
        values = {
            "order": sent.get("order", ""),
            "drawn_order": sent.get("drawn_order", ""),
            "members": sent.getlist("member"),
            "waits": sorted(sent.getlist("waits")),
        }
        actions = {name: sent.get(f"{name}_member") for name in ("add", "take_out", *_STEPS)}
        return values | {name: member for name, member in actions.items() if member}


class GroupField(forms.Field):
    """A group; None for a group without members."""

    widget = GroupWidget

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def clean(self, value: SubmittedGroup) -> Group | None:
        """Return the group after the submitted action."""
        members = list(dict.fromkeys([*value["members"], *_members_of(value, "add")]))
        removed = _members_of(value, "take_out")
        for action, step in _STEPS.items():
            for member in _members_of(value, action):
                members = _moved(members, member, step)
        dependencies: dict[str, list[str]] = {}
        for member, _, required in (pair.partition(":") for pair in value["waits"]):
            if member not in removed and required not in removed:
                dependencies.setdefault(member, []).append(required)
        agents = [member for member in members if member not in removed]
        if not agents:
            return None
        is_parallel = value["order"] != "ordered"
        parts = {"agents": agents, "parallel": is_parallel, "dependencies": dependencies}
        try:
            return Group.model_validate(parts)
        except ShapeError as error:
            raise ValidationError(error_sentences(error)[:3]) from None


def submitted_group(group: Group | None) -> SubmittedGroup:
    """Return the values that a page submits for an unchanged group."""
    if group is None:
        return {"order": "", "drawn_order": "", "members": [], "waits": []}
    waits = (
        f"{member}:{required}"
        for member, others in group.dependencies.items()
        for required in others
    )
    order = "parallel" if group.parallel else "ordered"
    return {
        "order": order,
        "drawn_order": order,
        "members": list(group.agents),
        "waits": sorted(waits),
    }


_STEPS = {"move_up": -1, "move_down": 1}


def _members_of(value: SubmittedGroup, action: str) -> list[str]:
    return [value[action]] if action in value else []


def _moved(members: list[str], member: str, step: int) -> list[str]:
    """Return the members with one of them moved up or down, but not beyond the ends."""
    if member not in members:
        return members
    others = [other for other in members if other != member]
    place = max(0, members.index(member) + step)
    return [*others[:place], member, *others[place:]]
