"""The group that serves a stage: its members, their order, and whom each waits for."""

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
    """Drawn by `editor/inspector/_group.html`, from what the inspector knows of each member."""

    use_fieldset = True
    members: Sequence[Any] | None = None
    """None: no group serves the stage."""
    others: Sequence[tuple[str, str]] = ()
    """The agents that are no members, by key and name; none where they are left out."""
    rest: PartChoices | None = None
    """Options that are loaded when the list is used."""
    order = "parallel"
    orders = ORDERS

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> SubmittedGroup:
        """Return the submitted group, in the form of `submitted_group`."""
        sent = data if isinstance(data, QueryDict) else QueryDict()
        said = {
            "order": sent.get("order", ""),
            "drawn_order": sent.get("drawn_order", ""),
            "members": sent.getlist("member"),
            "waits": sorted(sent.getlist("waits")),
        }
        todo = {what: sent.get(f"{what}_member") for what in ("add", "take_out", *_STEPS)}
        return said | {what: member for what, member in todo.items() if member}


class GroupField(forms.Field):
    """A group, or None: nobody is in it yet."""

    widget = GroupWidget

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def clean(self, value: SubmittedGroup) -> Group | None:
        """The group as it is to be, once what is to be done is done."""
        members = list(dict.fromkeys([*value["members"], *_asked(value, "add")]))
        gone = _asked(value, "take_out")
        pairs = [pair.partition(":") for pair in value["waits"]]
        for what, by in _STEPS.items():
            for member in _asked(value, what):
                members = _moved(members, member, by)
        waits: dict[str, list[str]] = {}
        for member, _, needed in pairs:
            if member not in gone and needed not in gone:
                waits.setdefault(member, []).append(needed)
        left = [member for member in members if member not in gone]
        if not left:
            return None
        parts = {
            "agents": left, "parallel": value["order"] != "ordered", "dependencies": waits
        }  # fmt: skip
        try:
            return Group.model_validate(parts)
        except ShapeError as error:
            raise ValidationError(error_sentences(error)[:3]) from None


def submitted_group(group: Group | None) -> SubmittedGroup:
    """Return the values that a page submits for an unchanged group."""
    if group is None:
        return {"order": "", "drawn_order": "", "members": [], "waits": []}
    waits = (
        f"{member}:{needed}" for member, wanted in group.dependencies.items() for needed in wanted
    )
    order = "parallel" if group.parallel else "ordered"
    return {
        "order": order,
        "drawn_order": order,
        "members": list(group.agents),
        "waits": sorted(waits),
    }


_STEPS = {"move_up": -1, "move_down": 1}


def _asked(value: SubmittedGroup, what: str) -> list[str]:
    return [value[what]] if what in value else []


def _moved(members: list[str], member: str, by: int) -> list[str]:
    """The members with one of them a step up or down; it stops at either end."""
    if member not in members:
        return members
    others = [other for other in members if other != member]
    place = max(0, members.index(member) + by)
    return [*others[:place], member, *others[place:]]
