"""Rules about references to variables, in instructions, cues and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from orchestration.definition import VARIABLES, Agent, Conditions, variable_references
from orchestration.names import did_you_mean
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, Step
from orchestration.validation.issues import Issue, json_path, listed, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch


def prompt_variable_undeclared(draft: Draft) -> Iterator[Issue]:
    """Require declarations of the variables in the instructions and the cues of agents."""
    declared = draft.definition.variables
    for index, agent in draft.agents:
        if names := [name for name in _names_in_agent(agent) if name not in declared]:
            yield warning(
                "variable-undeclared",
                f"The texts of {draft.agent_label(agent.id)!r} use {listed(names)}, and the"
                " pipeline declares no such variable: the model receives the name in its brackets."
                f"{_question(names, declared)}",
                "agent",
                (agent.id,),
                f"$.agents[{index}].instructions",
            )


def condition_variable_undeclared(draft: Draft) -> Iterator[Issue]:
    """Require declarations of the variables in the conditions of routing rules."""
    declared = draft.definition.variables
    for index, rule in draft.rules:
        if names := _undeclared(_names_in_conditions(rule.conditions), declared):
            yield warning(
                "variable-undeclared",
                f"The routing rule {rule.id!r} uses {listed(names)}, and the pipeline declares no"
                f" such variable: the rule cannot match.{_question(names, declared)}",
                "rule",
                (rule.id,),
                f"$.rules[{index}].conditions",
            )


def filter_variable_undeclared(draft: Draft) -> Iterator[Issue]:
    """Require declarations of the variables in the message filters of transitions."""
    declared = draft.definition.variables
    for index, transition in draft.transitions:
        expression = transition.input_filter.expression or ""
        if names := _undeclared(_names_in_expression(expression), declared):
            yield warning(
                "variable-undeclared",
                f"The message filter of {transition.source} → {transition.target} uses"
                f" {listed(names)}, and the pipeline declares no such variable: the filter fails."
                f"{_question(names, declared)}",
                "transition",
                (transition.source, transition.target),
                f"$.transitions[{index}].input_filter",
            )


def _names_in_agent(agent: Agent) -> tuple[str, ...]:
    texts = [agent.instructions, *(cue.say for cue in agent.cues)]
    return variable_references("\n".join(texts)) if any("{{" in text for text in texts) else ()


def _names_in_conditions(conditions: Conditions) -> Iterator[str]:
    for row in conditions.rows:
        if row.field.startswith(VARIABLES):
            yield row.field.removeprefix(VARIABLES)
    yield from _names_in_expression(conditions.custom or "")


def _names_in_expression(expression: str) -> Iterator[str]:
    """Yield the names after `variables`: `.customer.name` or `['customer.name']`."""
    for match in _USE.finditer(expression):
        yield match["name"] or re.sub(r"\s", "", match["path"]).removeprefix(".")


# A part of the path is no method call: `variables.plan.contains('p')` uses `plan`.
_USE = re.compile(
    r"""\bvariables(?:\[\s*(?P<quote>['"])(?P<name>[^'"]+)(?P=quote)\s*\]"""
    r"""|(?P<path>(?:\s*\.\s*[A-Za-z_]\w*\b(?!\s*\())+))"""
)


def _undeclared(names: Iterable[str], declared: Mapping[str, str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name not in declared]


def _question(names: list[str], declared: Mapping[str, str]) -> str:
    question = did_you_mean(names[0], declared) if len(names) == 1 else ""
    return f"{question} Declare it, or correct the name."


def _declare(draft: Draft, issue: Issue) -> Fix | None:
    """Declare the variables without a default value, if their names are allowed."""
    definition = draft.definition
    kind, index, *_ = path_steps(issue.where.path)
    part = getattr(definition, str(kind))[index]
    match kind:
        case "agents":
            used: Iterable[str] = _names_in_agent(part)
        case "rules":
            used = _names_in_conditions(part.conditions)
        case _:
            used = _names_in_expression(part.input_filter.expression or "")
    names = _undeclared(used, definition.variables)
    if not all(_ALLOWED.fullmatch(name) for name in names):
        return None
    steps: tuple[Step, ...] = tuple(("set", json_path("variables", name), "") for name in names)
    return Fix(f"Declare {listed(names)}", steps)


_ALLOWED = re.compile(r"(?=.{1,64}$)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)

HELP: Mapping[str, RuleHelp] = {
    "variable-undeclared": RuleHelp(
        "An undeclared variable",
        "Only declared variables are replaced by their values. The table at the start of a"
        " rehearsal lists the declared variables.",
        "Declare the variable in the settings of the pipeline, or correct its name.",
        sketch(
            "intake > review",
            agents={"agent-intake": {"instructions": "Greet {{customer.name}}."}},
        ),
        _declare,
    ),
}
"""Help of the rules, by the code of the issue."""
