"""Module `route.py` of a project: the rules of the definition as data, and `route`."""

from __future__ import annotations

from typing import Any

from orchestration.definition import Comparison, PipelineDefinition, Rule
from orchestration.exceptions import ConditionError
from orchestration.interchange.project.source import ROUTING, module
from orchestration.interchange.python_code import Call, assignment, comment
from orchestration.routing import compile_row

_SETS = ("phases", "channel_types", "intents", "source_channel_ids")

_ROUTE = '''\
def route(message: IncomingMessage, state: State) -> str | None:
    """Return the stage that answers a message, or None if no agent answers.

    An agent without a stage is returned by its id.
    """
    return ROUTER.route(message, state)'''


def uses_routing(definition: PipelineDefinition) -> bool:
    """Report whether a message may begin at another stage than the entry."""
    return is_sticky(definition) and bool(definition.rules or definition.default_agent_id)


def is_sticky(definition: PipelineDefinition) -> bool:
    """Report whether the active agent answers again, and rules apply."""
    return definition.topology in ("pipeline", "swarm")


def route_module(definition: PipelineDefinition) -> str:
    """Return the module: it selects the same stage for a message as Baton does."""
    stages: dict[str, list[str]] = {}
    for stage in definition.stages_by_phase.values():
        if server := _server(definition, stage.phase):
            stages.setdefault(server, []).append(stage.phase)
    known = {*definition.agents_by_id, *stages}
    default, rules = _server(definition, definition.entry), list[Rule]()
    if is_sticky(definition):
        default = definition.default_agent_id or default
        rules = [each for each in definition.rules if each.agent_id in known]
    router = Call(
        "Router",
        (),
        {
            "rules": [_rule(each) for each in rules if not _fault(each)],
            "default": default if default in known else None,
            "entry": definition.entry,
            "stages": stages,
            "targets": {
                phase: [each.target for each in transitions]
                for phase, transitions in definition.transitions_from.items()
            },
            **({} if is_sticky(definition) else {"sticky": False}),
        },
    )
    notes = [
        comment(f"The rule {each.id} is left out, because Baton skips it: {fault}")
        for each in rules
        if (fault := _fault(each))
    ]
    return module(ROUTING, "\n".join([*notes, assignment("ROUTER", router)]), _ROUTE)


def _server(definition: PipelineDefinition, phase: str | None) -> str | None:
    """Return the agent of a stage, or the key of a stage with a group."""
    stage = definition.stages_by_phase.get(phase or "")
    if stage is None:
        return None
    return stage.agent_id if stage.kind == "agent" else stage.phase if stage.group else None


def _rule(rule: Rule) -> Call:
    conditions = rule.conditions
    fields: dict[str, Any] = {"id": rule.id, "agent": rule.agent_id}
    if rule.priority:
        fields["priority"] = rule.priority
    for name in _SETS:
        if (allowed := getattr(conditions, name)) is not None:
            fields[name] = allowed
    if conditions.rows:
        if conditions.match != "all":
            fields["match"] = conditions.match
        fields["rows"] = [
            Call("FieldComparison", (each.field, each.operator, each.value))
            for each in conditions.rows
        ]
    if conditions.custom is not None:
        fields["expression"] = conditions.custom
    return Call("RouteRule", (), fields)


def _fault(rule: Rule) -> str:
    """Return the reason for which a rule never holds, or an empty text."""
    return next(filter(None, map(_row_fault, rule.conditions.rows)), "")


def _row_fault(row: Comparison) -> str:
    try:
        compile_row(row)
    except ConditionError as error:
        return str(error)
    return ""
