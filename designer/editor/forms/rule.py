"""Forms of a routing rule: its target and its conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count
from typing import Any, ClassVar, Self, cast, get_args

from django import forms
from django.http import QueryDict

from designer.core import (
    ExpressionField,
    KeyField,
    ListField,
    PartForm,
    PickField,
    ProseField,
    RowForms,
    part_choices,
)
from designer.editor.forms.sent_forms import SentForms
from orchestration.definition import (
    MAX_COMPARISONS,
    NUMERIC_FIELDS,
    VARIABLE_FIELD_PATTERN,
    VARIABLES,
    ComparedField,
    Comparison,
    Conditions,
    Operator,
    PipelineDefinition,
    Rule,
)
from orchestration.messages import CHANNELS, channel_key
from orchestration.routing import CONDITION_VARIABLES

FIELD_NAMES: dict[ComparedField, str] = {
    "event.text": "Message",
    "event.channel_type": "Channel",
    "event.intent": "Intent",
    "event.source_channel_id": "Source channel",
    "conversation.messages": "Messages so far",
    "state.phase": "Stage",
    "state.active_agent_id": "Active agent",
    "state.handoff_count": "Handoffs so far",
    "state.channel": "Channel escalated to",
}


def field_name(field: str) -> str:
    """Return the label of a field of a comparison, which may be a variable."""
    if field.startswith(VARIABLES):
        return f"Variable {field.removeprefix(VARIABLES)}"
    return FIELD_NAMES[cast("ComparedField", field)]


OPERATOR_NAMES: dict[Operator, str] = {
    operator: operator.replace("_", " ") for operator in get_args(Operator)
}

MATCHES = (("all", "All of them"), ("any", "Any of them"), ("not", "None of them"))


def unknown_channels_remark(conditions: Conditions) -> str:
    """Return a remark about a channel that no message uses, perhaps a typo; otherwise empty.

    A served conversation may have channels of its own, so that the rule is no problem.
    """
    compared: list[str] = []
    for row in conditions.rows:
        if row.field == "event.channel_type" and row.operator in ("is", "one_of"):
            compared += row.value if isinstance(row.value, tuple) else [str(row.value)]
    names = [name for name in conditions.channel_types or () if name not in CHANNELS]
    names += [name for name in compared if name.casefold() not in CHANNELS]  # case does not matter
    unknown = [f"“{name}”" for name in dict.fromkeys(names)]
    if not unknown:
        return ""
    return f"No rehearsal uses {' or '.join(unknown)}: Baton has {', '.join(CHANNELS)}."


def free_name(definition: PipelineDefinition) -> str:
    """Return the name of a new rule that was left without one: the first free `rule-1`."""
    taken = {rule.id for rule in definition.rules}
    return next(name for number in count(1) if (name := f"rule-{number}") not in taken)


class RuleForm(PartForm):
    """A routing rule without its comparisons. An empty condition always holds."""

    id = KeyField(label="Rule")
    agent_id = PickField(label="Agent", required=True)
    priority = forms.IntegerField(
        min_value=-1_000_000, max_value=1_000_000, initial=0, help_text="The lowest comes first."
    )
    phases = ListField(
        rows=2, are_words=True, label="Stages", help_text="One per line, or between commas."
    )
    channel_types = ListField(
        rows=2,
        are_words=True,
        label="Channels",
        help_text=f"One per line, or between commas. Baton has {', '.join(CHANNELS)}.",
    )
    intents = ListField(rows=2, help_text="One per line.")
    source_channel_ids = ListField(rows=2, label="Source channels", help_text="One per line.")
    match = forms.ChoiceField(label="Required comparisons", choices=MATCHES, required=False)
    custom = ExpressionField(CONDITION_VARIABLES)

    PATHS: ClassVar[dict[str, str]] = {"conditions.custom": "custom", "conditions.rows": "match"}
    """Field that shows the issues of a path of the rule."""

    @classmethod
    def showing(
        cls, definition: PipelineDefinition, rule: Rule | None = None, **options: Any
    ) -> Self:
        """Return the form of a rule, or an empty one."""
        initial = (
            {"id": rule.id, "agent_id": rule.agent_id, "priority": rule.priority}
            | rule.conditions.model_dump()
            if rule
            else {}
        )
        form = cls(initial=initial, **options)
        form.set_part_choices(
            "agent_id", part_choices(definition, "agents"), before=[("", "Choose…")]
        )
        key = rule.id if rule else ""
        if not rule:
            form.fields["id"].widget.attrs["placeholder"] = free_name(definition)
        form.suggest("phases", part_choices(definition, "stages"), unknown="There is no stage")
        form.suggest("channel_types", list(CHANNELS), unknown="No rehearsal uses the channel")
        form.suggest(
            "intents",
            part_choices(definition, "intents", key),
            unknown="No other rule uses the intent",
            is_open=True,
        )
        if isinstance(expression := form.fields["custom"], ExpressionField):
            expression.offer_declared(definition.variables)
        return form

    def clean_channel_types(self) -> list[str]:
        """Return the channels by their keys, also if they were typed by name or in another case."""
        names = self.cleaned_data["channel_types"]
        return list(dict.fromkeys(channel_key(name) for name in names))

    def rule(self, comparisons: tuple[Comparison, ...], was: Rule | None = None) -> Rule | None:
        """Build the rule. An existing condition that never holds stays."""
        values = self.cleaned_data
        conditions: dict[str, Any] = {}
        for name in ("phases", "channel_types", "intents", "source_channel_ids"):
            never = was is not None and getattr(was.conditions, name) == ()
            conditions[name] = values[name] or (() if never else None)
        conditions["match"] = values["match"] or "all"
        conditions["rows"] = comparisons
        conditions["custom"] = values["custom"]
        built = self.build(Conditions, conditions)
        parts = {name: values[name] for name in ("id", "agent_id", "priority")}
        return self.build(Rule, {**parts, "conditions": built}) if built else None


class ComparedFieldChoice(forms.ChoiceField):
    """A field of a comparison; every variable is valid, and a rule reports undeclared ones."""

    def valid_value(self, value: object) -> bool:
        """Accept the fields of the list and all variables."""
        return super().valid_value(value) or bool(_VARIABLE.match(str(value)))


_VARIABLE = re.compile(VARIABLE_FIELD_PATTERN)


class ComparisonRow(PartForm):
    """One comparison; empty without a field."""

    field = ComparedFieldChoice(
        choices=[("", "Choose…"), *FIELD_NAMES.items()], required=False, label="Compare"
    )
    operator = forms.ChoiceField(choices=[*OPERATOR_NAMES.items()], label="Operator")
    value = ProseField(rows=1, label="With", max_length=MAX_COMPARISONS * 500)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        own = str(self["field"].value() or "")
        self.offer_variables([own.removeprefix(VARIABLES)] if _VARIABLE.match(own) else [])

    def offer_variables(self, names: Iterable[str]) -> None:
        """Add variables to the fields to choose from."""
        choice = cast("ComparedFieldChoice", self.fields["field"])
        known = dict(cast("list[tuple[str, str]]", choice.choices))
        fields = [f"{VARIABLES}{name}" for name in names]
        choice.choices = [*known.items(), *((f, field_name(f)) for f in fields if f not in known)]

    @staticmethod
    def values(comparison: Comparison) -> dict[str, Any]:
        """Return the values of a comparison for the fields."""
        value = comparison.value
        shown = "\n".join(value) if isinstance(value, tuple) else str(value)
        return {"field": comparison.field, "operator": comparison.operator, "value": shown}

    def clean(self) -> dict[str, Any]:
        """Build the comparison; None for an empty row."""
        values = self.cleaned_data
        if self.errors:
            return values
        if not values["field"]:
            if values["value"].strip():
                self.add_error("field", "Choose the field to compare with this value.")
            return values | {"part": None}
        value = self._value(values)
        if not self.errors:
            parts = {"field": values["field"], "operator": values["operator"], "value": value}
            values["part"] = self.build(Comparison, parts)
        return values

    def _value(self, values: dict[str, Any]) -> str | int | tuple[str, ...]:
        text: str = values["value"].strip("\n")
        if values["operator"] == "one_of":
            return tuple(line.strip() for line in text.splitlines() if line.strip())
        if values["field"] not in NUMERIC_FIELDS:
            return text
        try:
            return int(text)
        except ValueError:
            self.add_error("value", "Write a whole number: this field contains a number.")
            return 0


class ComparisonRows(RowForms):
    """Comparisons of a rule."""

    PREFIX = "comparison"

    def offering(self, variables: Iterable[str]) -> Self:
        """Offer the variables of the pipeline in each row, and return the rows."""
        names = list(variables)
        for row in cast("list[ComparisonRow]", self.forms):
            row.offer_variables(names)
        return self

    BLANK: ClassVar[dict[str, Any]] = {"operator": next(iter(OPERATOR_NAMES))}

    def as_typed(self, token: str, *, without: int | None = None) -> Self:
        """Return the rows as typed, without validation and without the removed one."""
        names = list(ComparisonRow.base_fields)
        shown = [{name: form[name].value() or "" for name in names} for form in self.forms]
        remaining = [row for place, row in enumerate(shown) if place != without]
        return self.showing(remaining, token)


COMPARISONS: type[ComparisonRows] = ComparisonRows.of(ComparisonRow, max_rows=MAX_COMPARISONS)


def sent_comparisons(data: QueryDict) -> ComparisonRows:
    """Return the submitted comparisons of a rule; none if the page submits no rows."""
    counted = data if f"{ComparisonRows.PREFIX}-TOTAL_FORMS" in data else _NONE
    return COMPARISONS.sent(counted)


class SentRule(SentForms[RuleForm]):
    """Submitted rule: its fields and its comparisons."""

    rows: ComparisonRows
    rule: Rule
    """The result, once it is valid."""

    def __init__(self, data: QueryDict, was: Rule | None = None, *, name: str = "") -> None:
        """Read the rule; `name` is used for a rule without one."""
        if name and not data.get("id", "").strip():
            data = data.copy()
            data["id"] = name
        super().__init__(data, RuleForm(data), sent_comparisons(data))
        self.was = was

    def are_valid(self) -> bool:
        """Report whether fields and comparisons make a rule."""
        if not super().are_valid():
            return False
        rule = self.fields.rule(self.row_parts, self.was)
        if rule is not None:
            self.rule = rule
        return rule is not None


def comparison_rows(
    definition: PipelineDefinition, rule: Rule | None, token: str
) -> ComparisonRows:
    """Return the rows of a rule's comparisons."""
    rows = rule.conditions.rows if rule else ()
    shown = COMPARISONS.showing([ComparisonRow.values(row) for row in rows], token)
    return shown.offering(definition.variables)


_NONE = QueryDict("comparison-TOTAL_FORMS=0&comparison-INITIAL_FORMS=0")
