"""The panels around the canvas: agents and tools on the left, tabs at the bottom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from designer.forms.fields import PartForm
from designer.forms.rule import FIELD_NAMES, OPERATOR_NAMES, RuleForm, comparison_rows
from designer.forms.shown import Shown, new_token
from designer.fragments.canvas import agent_id, hue_of, initial
from designer.fragments.problems import problems
from designer.fragments.remarks import remarks
from orchestration.definition import Comparison, Conditions, PipelineDefinition, Rule
from orchestration.validation import Issue, validate


@dataclass(frozen=True, slots=True)
class AgentItem:
    """One agent in the left panel."""

    key: str
    name: str
    initial: str
    hue: int
    stages: int
    dom_id: str


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One routing rule in its table."""

    rule: Rule
    agent_name: str
    hue: int
    conditions: tuple[tuple[str, str], ...]
    """What it asks for, and which values will do; none at all: it always holds."""


def left_panel(definition: PipelineDefinition) -> dict[str, Any]:
    """What `editor/_agents.html` shows."""
    items = agent_items(definition, definition.agents_by_id)
    return {"agents": items, "tools": definition.tools}


def agent_items(definition: PipelineDefinition, keys: Collection[str]) -> list[AgentItem]:
    """Those of the agents that have one of the keys."""
    served = Counter(agent_id for stage in definition.stages for agent_id in stage.agent_ids)
    return [
        AgentItem(
            key=agent.id,
            name=agent.name,
            initial=initial(agent.name),
            hue=hue_of(agent.id, definition.layout.hues),
            stages=served[agent.id],
            dom_id=agent_id(agent.id),
        )
        for agent in definition.agents
        if agent.id in keys
    ]


def bottom_panel(
    definition: PipelineDefinition, issues: Sequence[Issue], shown: Shown
) -> dict[str, Any]:
    """What `editor/_bottom.html` shows: the problems, and what else is open."""
    context: dict[str, Any] = {"panel": shown.panel, "problems": problems(definition, issues)}
    if shown.panel == "rules":
        context["rules"] = rule_rows(definition)
        are_asked = definition.topology in ("pipeline", "swarm")
        context["no_rules"] = _NO_RULES[are_asked]
        context["asked_when"] = _ASKED_WHEN if are_asked else ""
    elif shown.panel == "definition":
        context["text"] = definition.dump()
    return context


def rule_rows(definition: PipelineDefinition) -> list[RuleRow]:
    """The routing rules in the order in which they are asked."""
    return [
        RuleRow(
            rule=rule,
            agent_name=agent.name
            if (agent := definition.agents_by_id.get(rule.agent_id))
            else rule.agent_id,
            hue=hue_of(rule.agent_id, definition.layout.hues),
            conditions=tuple(_conditions(rule)),
        )
        for rule in definition.rules
    ]


def rule_form(
    definition: PipelineDefinition, key: str, issues: Sequence[Issue] | None = None
) -> dict[str, Any] | None:
    """What `editor/_rule_form.html` shows: an empty form for an empty key; None if it is gone.

    Beside its fields stands what the rules found there.
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
    return {"form": form, "rows": rows, "token": token, "key": key}


def _focus(form: RuleForm, *rows: PartForm) -> None:
    """Have the page begin at the first fault; in a sound form at the rule's id."""
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

_WORDS = {
    "phases": "stage",
    "channel_types": "channel",
    "intents": "intent",
    "source_channel_ids": "source",
}

_MATCHES = {"all": "all of", "any": "any of", "not": "none of"}


def _conditions(rule: Rule) -> list[tuple[str, str]]:
    asked = rule.conditions
    found = [
        (word, ", ".join(values) or "never")
        for name, word in _WORDS.items()
        if (values := getattr(asked, name)) is not None
    ]
    found += _comparisons(asked)
    return [*found, ("condition", asked.custom)] if asked.custom else found


def _comparisons(asked: Conditions) -> list[tuple[str, str]]:
    """Each comparison by itself where all must hold; else together, with how many must."""
    said = [(FIELD_NAMES[row.field].lower(), _compared(row)) for row in asked.rows]
    if asked.match == "all" or not said:
        return said
    return [(_MATCHES[asked.match], "; ".join(f"{field} {rest}" for field, rest in said))]


def _compared(row: Comparison) -> str:
    values = row.value if isinstance(row.value, tuple) else (row.value,)
    return f"{OPERATOR_NAMES[row.operator]} {', '.join(map(str, values))}"
