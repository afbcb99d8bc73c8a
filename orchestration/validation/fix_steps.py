"""Building blocks of fixes: steps that a button can apply.

A fix is a few steps on the definition's JSON, most of them at the path of the issue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from orchestration import graph
from orchestration.definition import PipelineDefinition, Transition
from orchestration.names import closest_names
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
    is_repair: bool = True
    """True if nothing is removed."""


FixMaker = Callable[[Draft, Issue], Fix | None]
"""Return the fix of an issue, or None if a person has to choose."""


NameMaker = Callable[[Draft, Issue], Mapping[str, str]]
"""Return the values that can replace the value of an issue, by the names to compare with."""


def setting(title: str, value: Any) -> FixMaker:
    """Set the value that the issue points to."""
    return lambda _, issue: Fix(title, (("set", issue.where.path, value),))


def removing(title: str, depth: int = 0) -> FixMaker:
    """Remove the value that the issue points to, or its ancestor `depth` steps down the path."""

    def make(_: Draft, issue: Issue) -> Fix:
        steps = path_steps(issue.where.path)
        step: Step = ("remove", json_path(*steps[: depth or None]), None)
        return Fix(title, (step,), is_repair=False)

    return make


def pointing(names: NameMaker, otherwise: FixMaker | None = None) -> FixMaker:
    """Replace the unknown name that the issue points to by the most similar one.

    Without a similar name the result is the fix `otherwise`.
    """

    def make(draft: Draft, issue: Issue) -> Fix | None:
        known = names(draft, issue)
        similar = closest_names(str(value_at(draft.definition, issue.where.path)), known)
        if not similar:
            return otherwise(draft, issue) if otherwise else None
        return Fix(f"Use “{similar[0]}”", (("set", issue.where.path, known[similar[0]]),))

    return make


def agent_names(draft: Draft, _: Issue) -> dict[str, str]:
    """Return the ids of the agents by their ids and names."""
    agents = draft.definition.agents
    return {agent.name: agent.id for agent in agents} | {agent.id: agent.id for agent in agents}


def value_at(definition: PipelineDefinition, path: str) -> Any:
    """Return the value at a JSON path of a definition."""
    value: Any = definition
    for step in path_steps(path):
        is_item = isinstance(step, int) or isinstance(value, Mapping)
        value = value[step] if is_item else getattr(value, str(step))
    return value


def describe_object(draft: Draft, issue: Issue) -> Fix | None:
    """Make a schema describe an object, if it has no other error."""
    schema = value_at(draft.definition, issue.where.path)
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
    # Lists instead of generators: the fix of each issue is built after each edit.
    if target in [transition.target for transition in outgoing]:
        return None
    has_next = "next" in [transition.kind for transition in outgoing]
    kind: Literal["next", "return"] = "return" if has_next else "next"
    if not graph.can_be_taken(definition, Transition(source=source, target=target, kind=kind)):
        return None
    data = {"source": source, "target": target, "kind": kind}
    return Fix(f"Connect {source} → {target}", (("append", "$.transitions", data),))


_OTHER_TYPES = ("array", "string", "number", "integer", "boolean", "null")

delete_rule = removing("Delete the rule", 2)
delete_transition = removing("Delete the transition", 2)
choose_none = setting("Choose none", None)
remove_value = removing("Remove it")
