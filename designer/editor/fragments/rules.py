"""Routing rules on the page: their table, their form, and their conditions as text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from designer.canvas import hue_of
from designer.core import PartForm, new_token
from designer.editor.forms.form_values import values_of, write_values
from designer.editor.forms.rule import (
    OPERATOR_NAMES,
    RuleForm,
    comparison_rows,
    field_name,
    unknown_channels_remark,
)
from designer.editor.fragments.field_issues import field_issues
from orchestration.definition import (
    AnyField,
    ComparedField,
    Comparison,
    Conditions,
    PipelineDefinition,
    Rule,
)
from orchestration.validation import Issue, validate


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition as text: `and` `channel is` `sms`."""

    joint: str
    """Conjunction with the previous condition."""
    words: str
    value: str
    name: str
    """Name of the condition in the router: `intents`, `rows[0]`, `custom`…"""
    field: AnyField | None
    """Compared field; None for an expression."""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One routing rule in its table."""

    rule: Rule
    agent_name: str
    hue: int
    clauses: Sequence[Clause]
    """Empty: the rule always matches."""
    remark: str
    """Remark about the conditions; empty: none."""
    above: str | None
    """Id of the rule before it."""
    below: str | None
    """Id of the rule after the next one. Empty: the next is the last. None: it is the last."""


def rules_panel(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of `editor/rules/_rules.html`."""
    are_checked = definition.topology in ("pipeline", "swarm")
    return {
        "rules": rule_rows(definition),
        "no_rules": _NO_RULES[are_checked],
        "checked_when": _CHECKED_WHEN if are_checked else "",
    }


def rule_rows(definition: PipelineDefinition) -> list[RuleRow]:
    """Return the routing rules in order of priority."""
    ids = [rule.id for rule in definition.rules]
    return [
        RuleRow(
            rule=rule,
            agent_name=agent.name
            if (agent := definition.agents_by_id.get(rule.agent_id))
            else rule.agent_id,
            hue=hue_of(rule.agent_id, definition.layout.hues),
            clauses=clauses(rule.conditions),
            remark=unknown_channels_remark(rule.conditions),
            above=ids[place - 1] if place else None,
            below=None if rule.id == ids[-1] else "".join(ids[place + 2 : place + 3]),
        )
        for place, rule in enumerate(definition.rules)
    ]


def rule_form(
    definition: PipelineDefinition, key: str, issues: Sequence[Issue] | None = None
) -> dict[str, Any] | None:
    """Return the context of a rule's form: empty for an empty key, None for a deleted rule.

    The issues of each field are shown next to it.
    """
    rule = next((rule for rule in definition.rules if rule.id == key), None)
    if key and rule is None:
        return None
    token = new_token()
    form = RuleForm.showing(definition, rule, auto_id=f"{token}-%s")
    rows = comparison_rows(definition, rule, token)
    if rule is not None:
        known = validate(definition) if issues is None else issues
        form.show_issues(field_issues(known, "rule", (key,), form.PATHS))
        for place, row in enumerate(rows.forms):
            path = {f"conditions.rows[{place}]": "value"}
            row.show_issues(field_issues(known, "rule", (key,), path))
    _focus(form, *rows.forms)
    shown: dict[str, Any] = {}
    if rule is not None:
        was = write_values(values_of([form, rows]))
        shown = {"rule_base": rule_base(rule), "rule_was": was, "priority": rule.priority}
    return {"form": form, "rows": rows, "token": token, "key": key, **shown}


def rule_base(rule: Rule) -> str:
    """Return a digest of a rule's values, without its position."""
    text = rule.model_dump_json(exclude={"priority"})
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def clauses(conditions: Conditions) -> list[Clause]:
    """Return the conditions as text, in the order of their evaluation."""
    result: list[Clause] = []
    for joint, words, value, name, field in _phrases(conditions):
        joined = "" if not result and joint == "and" else joint
        if not result and joint.startswith("and "):
            joined = joint.removeprefix("and ")
        result.append(Clause(joined, words, value, name, field))
    return result


_SETS: tuple[tuple[str, str, ComparedField], ...] = (
    ("phases", "stage", "state.phase"),
    ("channel_types", "channel", "event.channel_type"),
    ("intents", "intent", "event.intent"),
    ("source_channel_ids", "source channel", "event.source_channel_id"),
)

_MATCHES = {"any": "and any of:", "not": "and none of:"}


def _phrases(conditions: Conditions) -> Iterator[tuple[str, str, str, str, AnyField | None]]:
    for name, word, field in _SETS:
        values = getattr(conditions, name)
        if values is not None:
            yield "and", f"{word} is", " or ".join(values) or "never", name, field
    for place, row in enumerate(conditions.rows):
        together = conditions.match == "all" or (
            conditions.match == "any" and len(conditions.rows) == 1
        )
        joint = "and" if together else "or" if place else _MATCHES[conditions.match]
        yield joint, *_comparison(row), f"rows[{place}]", row.field
    if conditions.custom is not None:
        yield "and", "", conditions.custom, "custom", None


def _comparison(row: Comparison) -> tuple[str, str]:
    name = field_name(row.field).lower()
    values = row.value if isinstance(row.value, tuple) else (row.value,)
    operator = "is" if row.operator == "one_of" else OPERATOR_NAMES[row.operator]
    return f"{name} {operator}", " or ".join(map(str, values)) or "nothing"


def _focus(form: RuleForm, *rows: PartForm) -> None:
    """Focus the first field with an error; in a valid form the rule's id."""
    row_errors = [(row, name) for row in rows for name in row.errors]
    candidates = [*row_errors, *((form, name) for name in form.errors), (form, "id")]
    first, name = candidates[0]
    first.fields[name].widget.attrs["autofocus"] = True


_CHECKED_WHEN = (
    "Rules are checked only while no agent has the conversation: at its start, or when its agent"
    " was deleted. Otherwise the active agent answers."
)

_NO_RULES = {
    True: "No rules: the agent of the stage answers, or at the start of a conversation the default"
    " agent.",
    False: "No rules, and none would be checked: every message begins at the entry.",
}
