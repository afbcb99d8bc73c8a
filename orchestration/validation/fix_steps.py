"""Building blocks of fixes: steps that a button can apply.

A fix is a few steps on the definition's JSON, most of them at the path of the issue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from orchestration import graph
from orchestration.definition import PipelineDefinition, Transition
from orchestration.tools import schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, json_path, path_steps

Step = tuple[Literal["set", "append", "remove"], str, Any]
"""A change: its kind, the JSON path, and the value; appending is to the list at the path."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix of an issue: a title for a button (`Make it a return`), and the steps."""

    title: str
    steps: tuple[Step, ...]


FixMaker = Callable[[Draft, Issue], Fix | None]
"""Return the fix of an issue, or None if a person has to choose."""


def setting(title: str, value: Any) -> FixMaker:
    """Set the value that the issue points to."""
    return lambda _, issue: Fix(title, (("set", issue.where.path, value),))


def removing(title: str, depth: int = 0) -> FixMaker:
    """Remove the value that the issue points to, or its ancestor `depth` steps down the path."""

    def make(_: Draft, issue: Issue) -> Fix:
        steps = path_steps(issue.where.path)
        return Fix(title, (("remove", json_path(*steps[: depth or None]), None),))

    return make


def describe_object(draft: Draft, issue: Issue) -> Fix | None:
    """Make a schema describe an object, if it has no other error."""
    schema: Any = draft.definition
    for step in path_steps(issue.where.path):
        schema = schema[step] if isinstance(step, int) else getattr(schema, step)
    fixed = {"type": "object", **schema} | {"type": "object"}
    if schema.get("type") in _OTHER_TYPES or schema_fault(fixed) is not None:
        return None
    return Fix("Describe an object", (("set", issue.where.path, fixed),))


def connect_from_entry(draft: Draft, issue: Issue) -> Fix | None:
    """Connect the entry to the stage, if the transition can be taken."""
    definition = draft.definition
    source, target = definition.entry, issue.where.keys[0]
    return connect_stages(definition, source, target) if source else None


def connect_stages(definition: PipelineDefinition, source: str, target: str) -> Fix | None:
    """Connect two stages if the transition can be taken: as next, else as a return."""
    outgoing = definition.transitions_from.get(source, ())
    if any(transition.target == target for transition in outgoing):
        return None
    has_next = any(transition.kind == "next" for transition in outgoing)
    new = Transition(source=source, target=target, kind="return" if has_next else "next")
    if not graph.can_be_taken(definition, new):
        return None
    data = new.model_dump(mode="json")
    return Fix(f"Connect {source} → {target}", (("append", "$.transitions", data),))


_OTHER_TYPES = ("array", "string", "number", "integer", "boolean", "null")

delete_rule = removing("Delete the rule", 2)
delete_transition = removing("Delete the transition", 2)
choose_none = setting("Choose none", None)
remove_value = removing("Remove it")
