"""Routing rules on the page: their table, their form, their conditions in words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from designer.canvas import hue_of
from designer.core import PartForm, new_token
from designer.editor.forms.form_values import values_of, write_values
from designer.editor.forms.rule import (
    FIELD_NAMES,
    OPERATOR_NAMES,
    RuleForm,
    comparison_rows,
    unknown_channels_remark,
)
from designer.editor.fragments.field_issues import remarks
from orchestration.definition import (
    ComparedField,
    Comparison,
    Conditions,
    PipelineDefinition,
    Rule,
)
from orchestration.validation import Issue, validate


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition in words: `and` `channel is` `sms`."""

    joint: str
    """Conjunction with the previous condition."""
    words: str
    value: str
    name: str
    """Name of the condition in the router: `intents`, `rows[0]`, `custom`…"""
    field: ComparedField | None
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
    are_asked = definition.topology in ("pipeline", "swarm")
    return {
        "rules": rule_rows(definition),
        "no_rules": _NO_RULES[are_asked],
        "asked_when": _ASKED_WHEN if are_asked else "",
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
    rows = comparison_rows(rule, token)
    if rule is not None:
        found = validate(definition) if issues is None else issues
        form.remark(remarks(found, "rule", (key,), form.PATHS))
        for place, row in enumerate(rows.forms):
            path = {f"conditions.rows[{place}]": "value"}
            row.remark(remarks(found, "rule", (key,), path))
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
    """Return the conditions in words, in the order of their evaluation."""
    found: list[Clause] = []
    for joint, words, value, name, field in _said(conditions):
        joined = "" if not found and joint == "and" else joint
        if not found and joint.startswith("and "):
            joined = joint.removeprefix("and ")
        found.append(Clause(joined, words, value, name, field))
    return found


_SETS: tuple[tuple[str, str, ComparedField], ...] = (
    ("phases", "stage", "state.phase"),
    ("channel_types", "channel", "event.channel_type"),
    ("intents", "intent", "event.intent"),
    ("source_channel_ids", "source channel", "event.source_channel_id"),
)

_MATCHES = {"any": "and any of:", "not": "and none of:"}


def _said(conditions: Conditions) -> Iterator[tuple[str, str, str, str, ComparedField | None]]:
    for name, word, field in _SETS:
        wanted = getattr(conditions, name)
        if wanted is not None:
            yield "and", f"{word} is", " or ".join(wanted) or "never", name, field
    for place, row in enumerate(conditions.rows):
        together = conditions.match == "all" or (
            conditions.match == "any" and len(conditions.rows) == 1
        )
        joint = "and" if together else "or" if place else _MATCHES[conditions.match]
        yield joint, *_compared(row), f"rows[{place}]", row.field
    if conditions.custom is not None:
        yield "and", "", conditions.custom, "custom", None


def _compared(row: Comparison) -> tuple[str, str]:
    name = FIELD_NAMES[row.field].lower()
    values = row.value if isinstance(row.value, tuple) else (row.value,)
    how = "is" if row.operator == "one_of" else OPERATOR_NAMES[row.operator]
    return f"{name} {how}", " or ".join(map(str, values)) or "nothing"


def _focus(form: RuleForm, *rows: PartForm) -> None:
    """Focus the first field with an error; in a valid form the rule's id."""
    of_the_rows = [(row, name) for row in rows for name in row.errors]
    wrong = [*of_the_rows, *((form, name) for name in form.errors), (form, "id")]
    first, name = wrong[0]
    first.fields[name].widget.attrs["autofocus"] = True


_ASKED_WHEN = (
    "Rules are asked only while nobody has the conversation: as it begins, or when whoever had it"
    " is gone. Whoever has it answers without them."
)

_NO_RULES = {
    True: "No rules: the agent of the stage answers, and the default agent where a conversation"
    " begins.",
    False: "No rules, and none would be asked: every message begins at the entry.",
}
