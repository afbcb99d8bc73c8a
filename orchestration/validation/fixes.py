"""Fixes of issues: the steps that a tool can offer as one button.

A fix is a few steps on the definition's JSON values, most of them at the very path that the issue
points to. `offer` finds it, `mend` takes the steps; neither changes what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from orchestration import graph
from orchestration.definition import HttpCall, PipelineDefinition, Transition
from orchestration.network import may_be_set
from orchestration.tools import names_in, schema_fault
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue, json_path, path_steps
from orchestration.validation.rules.cue_rules import goal_of
from orchestration.validation.rules.prompts import missing_targets
from orchestration.validation.rules.remote_tools import known_arguments, templates_of

Step = tuple[Literal["set", "append", "remove"], str, Any]
"""A change: its kind, the JSON path, and the value; appending is to the list at the path."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix of an issue: a title for a button (`Make it a return`), and the steps."""

    title: str
    steps: tuple[Step, ...]


def offer(definition: PipelineDefinition, issue: Issue) -> Fix | None:
    """The fix of an issue of this definition; None where a person has to choose."""
    return offers(definition, [issue])[0]


def offers(
    definition: PipelineDefinition, issues: Iterable[Issue], draft: Draft | None = None
) -> list[Fix | None]:
    """The fix of each issue of this definition: `offer` for all of them at once.

    `draft` is the definition's, where the rules have one.
    """
    draft = draft or Draft(definition)
    makers = ((_FIXES.get(issue.code), issue) for issue in issues)
    return [make(draft, issue) if make else None for make, issue in makers]


def mend(definition: PipelineDefinition, fix: Fix) -> PipelineDefinition:
    """The definition with the steps taken.

    Raises pydantic's `ValidationError` where the outcome would be none (too many agents, say).
    """
    data = definition.model_dump(mode="json")
    for action, path, value in fix.steps:
        *way, last = path_steps(path)
        place: Any = data
        for step in way:
            place = place[step]
        match action:
            case "set":
                place[last] = value
            case "append":
                place[last].append(value)
            case "remove":
                del place[last]
    return PipelineDefinition.model_validate(data)


_Make = Callable[[Draft, Issue], Fix | None]


def _setting(title: str, value: Any) -> _Make:
    """Set what the issue points to."""
    return lambda _, issue: Fix(title, (("set", issue.where.path, value),))


def _removing(title: str, depth: int = 0) -> _Make:
    """Remove what the issue points to, or the part `depth` steps down that holds it."""

    def make(_: Draft, issue: Issue) -> Fix:
        steps = path_steps(issue.where.path)
        return Fix(title, (("remove", json_path(*steps[: depth or None]), None),))

    return make


def _entry(draft: Draft, _: Issue) -> Fix | None:
    """Begin at the first of the stages that nothing leads to, or of all of them.

    Where they stand does not count: who moves one hears nothing of the problems.
    """
    definition = draft.definition
    led_to = {way.target for way in definition.transitions}
    phases = [stage.phase for stage in definition.stages]
    firsts = [phase for phase in phases if phase not in led_to] or phases
    if not firsts:
        return None
    return Fix(f"Begin at {firsts[0]}", (("set", "$.entry", firsts[0]),))


def _arguments(draft: Draft, issue: Issue) -> Fix:
    """Add to the schema of a tool's arguments what its request has places for."""
    _, index, *_ = path_steps(issue.where.path)
    tool = draft.definition.tools[int(index)]
    known = known_arguments(tool)
    wanted = [name for _, text in templates_of(tool.http or HttpCall()) for name in names_in(text)]
    added = {name: {"type": "string"} for name in wanted if name not in known}
    properties = {name: tool.parameters["properties"][name] for name in known} | added
    schema = {"type": "object", **tool.parameters, "properties": properties}
    many = f"{len(added)} arguments" if len(added) > 1 else next(iter(added), "")
    return Fix(f"Add {many}", (("set", f"$.tools[{index}].parameters", schema),))


def _of_an_object(draft: Draft, issue: Issue) -> Fix | None:
    """Say that the schema describes an object, where nothing else is wrong with it."""
    found: Any = draft.definition
    for step in path_steps(issue.where.path):
        found = found[step] if isinstance(step, int) else getattr(found, step)
    mended = {"type": "object", **found} | {"type": "object"}
    if found.get("type") in _OTHER_TYPES or schema_fault(mended) is not None:
        return None
    return Fix("Describe an object", (("set", issue.where.path, mended),))


_OTHER_TYPES = ("array", "string", "number", "integer", "boolean", "null")


def _headers(draft: Draft, issue: Issue) -> Fix:
    """Leave out the headers that no tool may send."""
    _, index, *_ = path_steps(issue.where.path)
    call = draft.definition.tools[int(index)].http or HttpCall()
    kept = {name: value for name, value in call.headers.items() if may_be_set(name)}
    return Fix("Take the header away", (("set", issue.where.path, kept),))


def _new_agent(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    (phase,) = issue.where.keys
    key, number = f"agent-{phase}"[:60], 2
    while key in definition.agents_by_id:
        key, number = f"agent-{phase}"[:60] + f"-{number}", number + 1
    agent = {"id": key, "name": phase.replace("-", " ").replace("_", " ").capitalize()}
    served = {"agents": [key]} if issue.where.path.endswith(".group") else key
    steps: tuple[Step, ...] = (
        ("append", "$.agents", agent),
        ("set", issue.where.path, served),
    )
    return Fix("Add an agent", steps)


def _define_tool(draft: Draft, issue: Issue) -> Fix:
    definition = draft.definition
    *_, agent, _, place = path_steps(issue.where.path)
    name = definition.agents[int(agent)].tools[int(place)]
    return Fix("Define tool", (("append", "$.tools", {"name": name}),))


def _delete_agent(draft: Draft, issue: Issue) -> Fix:
    """Delete the agent and all that leads to it, last things first, as places of a list move up."""
    definition = draft.definition
    (key,) = issue.where.keys
    rules = [index for index, rule in enumerate(definition.rules) if rule.agent_id == key]
    aliases = [alias for alias, target in definition.aliases.items() if target == key]
    gone = [
        issue.where.path,
        *(json_path("rules", index) for index in reversed(rules)),
        *(json_path("aliases", alias) for alias in aliases),
        *([json_path("layout", "hues", key)] if key in definition.layout.hues else []),
    ]
    steps: list[Step] = [("remove", path, None) for path in gone]
    if definition.default_agent_id == key:
        steps.append(("set", "$.default_agent_id", None))
    return Fix("Delete the agent", tuple(steps))


def _from_entry(draft: Draft, issue: Issue) -> Fix | None:
    definition = draft.definition
    source, target = definition.entry, issue.where.keys[0]
    return _connecting(definition, source, target) if source else None


def _as_the_cue_says(draft: Draft, issue: Issue) -> Fix | None:
    if not draft.hands_over:
        return None
    definition = draft.definition
    _, agent, _, place, *_ = path_steps(issue.where.path)
    who = definition.agents[int(agent)]
    cue = who.cues[int(place)]
    goal = goal_of(draft, cue)
    sources = [cue.in_phase] if cue.in_phase else draft.phases_of.get(who.id, ())
    targets = draft.phases_of.get(goal[0], ()) if goal else ()
    target = goal[1] if goal and goal[1] else targets[0] if targets else None
    known = definition.stages_by_phase
    if not target or target not in known or not sources or sources[0] not in known:
        return None
    return _connecting(definition, sources[0], target)


def _as_the_prompt_says(draft: Draft, issue: Issue) -> Fix | None:
    definition = draft.definition
    (key,) = issue.where.keys
    source = draft.phases_of[key][0]
    targets = next(iter(missing_targets(draft, definition.agents_by_id[key]).values()), None)
    return _connecting(definition, source, min(targets)) if targets else None


def _connecting(definition: PipelineDefinition, source: str, target: str) -> Fix | None:
    """Lead from a stage to another where that is taken: its next, else one more way."""
    ways = definition.transitions_from.get(source, ())
    if any(way.target == target for way in ways):
        return None
    has_next = any(way.kind == "next" for way in ways)
    way = Transition(source=source, target=target, kind="return" if has_next else "next")
    if not graph.can_be_taken(definition, way):
        return None
    data = way.model_dump(mode="json")
    return Fix(f"Connect {source} → {target}", (("append", "$.transitions", data),))


def _more_handoffs(draft: Draft, issue: Issue) -> Fix:
    needed = draft.handoffs_needed or 1
    return Fix(f"Allow {needed} handoffs", (("set", issue.where.path, needed),))


_delete_rule = _removing("Delete the rule", 2)
_delete_transition = _removing("Delete the transition", 2)
_delete_cue = _removing("Delete the cue", 4)
_choose_none = _setting("Choose none", None)
_take_out = _removing("Take it out")

_FIXES: Mapping[str, _Make] = {
    "response-schema-invalid": _of_an_object,
    "tool-schema-invalid": _of_an_object,
    "http-argument-unknown": _arguments,
    "http-header-wrong": _headers,
    "entry-missing": _entry,
    "entry-unknown": _entry,
    "stage-agentless": _new_agent,
    "human-stage-agent": _setting("Leave it to the human", None),
    "group-stage-agent": _setting("Leave it to the group", None),
    "group-misplaced": _setting("Take the group away", None),
    "group-agent-unknown": _take_out,
    "group-dependency-self": _take_out,
    "group-dependency-unknown": _take_out,
    "group-cycle": _removing("Take one dependency away"),
    "transition-unknown": _delete_transition,
    "transition-duplicate": _delete_transition,
    "transition-unused": _delete_transition,
    "next-duplicate": _setting("Make it a return", "return"),
    "ping-pong": _setting("Make it a return", "return"),
    "human-unreachable": lambda *_: Fix(
        "Let agents call a human", (("set", "$.allow_human", True),)
    ),
    "stage-unreachable": _from_entry,
    "team-stage-unasked": _from_entry,
    "max-handoffs-low": _more_handoffs,
    "agent-idle": _delete_agent,
    "supervisor-unknown": _choose_none,
    "default-agent-unknown": _choose_none,
    "default-agent-unused": _choose_none,
    "alias-unknown": _removing("Delete the alias"),
    "tool-unknown": _define_tool,
    "tool-name-clash": _removing("Take the tool from the agent"),
    "handoff-name-clash": _setting("Use the usual name", None),
    "handoff-setting-unused": _removing("Take it away"),
    "stand-in-without-examples": _setting("Let the tool itself answer", False),
    "approval-unused": _setting("Take the approval away", False),
    "tool-setting-unused": _removing("Take it away"),
    "prompt-way-missing": _as_the_prompt_says,
    "rule-agent-unknown": _delete_rule,
    "rule-phase-unknown": _take_out,
    "rule-never": _delete_rule,
    "rule-shadowed": _delete_rule,
    "rule-unused": _delete_rule,
    "cue-never": _delete_cue,
    "cue-tool-unknown": _delete_cue,
    "cue-target-unknown": _delete_cue,
    "cue-way-missing": _as_the_cue_says,
}
