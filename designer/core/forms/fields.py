"""Form fields for values of definitions, and forms that build parts of definitions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import flatatt
from django.utils.html import format_html
from django.utils.safestring import SafeString
from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ShapeError

from designer.core.forms.choices import Choice, PartChoices, render_options
from designer.core.forms.error_messages import BatonForm
from designer.core.forms.slugs import slug
from orchestration.definition import KEY_PATTERN, MAX_TEXT, TOOL_NAME_PATTERN
from orchestration.exceptions import DefinitionError
from orchestration.loading import fault_from, read_json
from orchestration.routing import FUNCTIONS, Function, Variable
from orchestration.routing import MAX_LENGTH as MAX_EXPRESSION

Part = TypeVar("Part", bound=BaseModel)

INVALID_NAME = "A name contains only letters, digits, “_” and “-”, and begins with a letter or “_”."
"""Error text for a name that models would reject."""

_NEWLINE = re.compile(r"\r\n?")


class KeyField(forms.CharField):
    """A key, converted from free text: `My Stage` becomes `my-stage`."""

    def to_python(self, value: Any) -> str | None:
        """Convert the submitted text to a key."""
        text = super().to_python(value)
        if not text:
            return text
        if re.match(KEY_PATTERN, text) or "\x00" in text:
            return str(text)
        key = slug(text).strip("-_")
        if len(key) > 64:
            raise ValidationError(f"This has {len(key)} characters; at most 64 are allowed.")
        if not key:
            raise ValidationError("Use the letters a to z, digits, “-” and “_”.")
        return key


class ToolNameField(forms.RegexField):
    """Name of a tool or an argument in the format that models accept; None if empty.

    It is converted from free text: `Look up` becomes `look_up`.
    """

    def __init__(self, *, required: bool = False, **options: Any) -> None:
        super().__init__(
            TOOL_NAME_PATTERN,
            required=required,
            max_length=64,
            empty_value=None,
            error_messages={"invalid": INVALID_NAME},
            widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
            **options,
        )

    def to_python(self, value: Any) -> str | None:
        """Convert the submitted text to a name."""
        text = super().to_python(value)
        if not text or re.match(TOOL_NAME_PATTERN, text) or "\x00" in text:
            return text
        return slug(text).replace("-", "_").strip("_") or text


class PlaceholderField(forms.CharField):
    """A line of text with its label as placeholder."""

    has_hidden_label = True

    def __init__(self, *, label: str, max_length: int) -> None:
        attrs = {"placeholder": label, "autocomplete": "off"}
        widget = forms.TextInput(attrs=attrs)
        super().__init__(label=label, required=False, max_length=max_length, widget=widget)


class Completion(NamedTuple):
    """A completion at a position in an expression."""

    name: str
    of: str
    """Type of the value before the dot; empty for variables and plain functions."""
    kind: str
    """Type of the value or of the result."""
    written: str
    insert: str
    """Inserted text; the bar marks the position of the caret, which is otherwise at the end."""
    about: str


def completions(variables: Sequence[Variable]) -> list[Completion]:
    """Return completions for the variables and the functions."""
    return [
        *(Completion(v.name, "", v.kind, v.name, v.name, v.description) for v in variables),
        *(
            Completion(f.name, f.receiver, f.returns, f.signature, _insert(f), f.description)
            for f in FUNCTIONS
        ),
    ]


def _insert(function: Function) -> str:
    return function.signature.replace("…", "|")


class ExpressionField(forms.CharField):
    """A CEL expression over these variables, or None. The rules check its syntax."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})
        super().__init__(
            label="Condition (CEL)",
            required=False,
            max_length=MAX_EXPRESSION,
            empty_value=None,
            widget=widget,
        )
        self.variables = variables
        self.completions = completions(variables)

    def offer_declared(self, defaults: Mapping[str, str]) -> None:
        """Offer the variables that the pipeline declares, in addition to the variables of CEL."""
        declared = [
            Variable(
                f"variables.{name}", "text", f"A variable of the pipeline; default: {default}."
            )
            for name, default in defaults.items()
        ]
        self.variables = [*self.variables, *declared]
        self.completions = completions(self.variables)


class PickWidget(forms.Select):
    """A list of choices."""

    rest: PartChoices | None = None
    """Choices that the page loads when the list gets the focus, except the selected one."""
    position: int = 0
    """Position of the selected option if it is not among the choices."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """Render the element with its options."""
        selected = str(value or "")
        attributes = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        choices: list[Choice] = list(self.choices)  # type: ignore[arg-type]
        if selected not in dict(choices):
            rest = dict(self.rest.choices) if self.rest else {}
            choices.insert(self.position, (selected, rest.get(selected, selected)))
        options = render_options(choices, selected)
        return format_html("<select{}>{}</select>", flatatt(attributes), options)


class PickField(forms.CharField):
    """A key chosen from a list, or nothing. The action checks that it exists."""

    widget = PickWidget

    def __init__(self, *, has_hidden_label: bool = False, **options: Any) -> None:
        super().__init__(required=options.pop("required", False), max_length=64, **options)
        self.has_hidden_label = has_hidden_label


class MultiPickField(forms.Field):
    """Keys chosen from a list."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def to_python(self, value: Any) -> tuple[str, ...]:
        """Return each key once, in the order of the page."""
        keys = tuple(dict.fromkeys(map(str, value or ())))
        if any(len(key) > 120 or "\x00" in key for key in keys):
            raise ValidationError("This is not one of the choices.")
        return keys


class CheckList(forms.CheckboxSelectMultiple):
    """Check boxes below each other, each with a sentence."""


class CheckListField(forms.MultipleChoiceField):
    """Choices as check boxes; none of them is required."""

    widget = CheckList

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)


class ProseField(forms.CharField):
    """Text of several lines, stored unchanged except for normalised line breaks."""

    widget = forms.Textarea

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        options.setdefault("max_length", MAX_TEXT)
        super().__init__(
            required=False, strip=False, widget=self.widget(attrs={"rows": rows}), **options
        )

    def clean(self, value: Any) -> str:
        """Normalise line breaks before the length check: browsers send two characters for each."""
        return str(super().clean(_NEWLINE.sub("\n", value) if value else ""))


class PromptWidget(forms.Textarea):
    """A text area with a token count."""

    token_count = 0
    """Estimated tokens of the saved text."""


class PromptField(ProseField):
    """Text that the model reads, with a token count and completion of names after `@`."""

    widget = PromptWidget
    is_prompt = True


class ListField(ProseField):
    """Short texts, one per line; words may also be separated by commas."""

    def __init__(self, *, are_words: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.are_words = are_words

    def clean(self, value: Any) -> tuple[str, ...]:  # type: ignore[override]
        """Return the lines that are not blank."""
        text = super().clean(value)
        lines = (
            line.strip()
            for line in (text.replace(",", "\n") if self.are_words else text).splitlines()
        )
        return tuple(line for line in lines if line)

    def prepare_value(self, value: Any) -> Any:
        """Join the lines to a text."""
        return "\n".join(value) if isinstance(value, list | tuple) else value


class JsonField(ProseField):
    """A JSON value with a schema, parsed as strictly as a file."""

    def __init__(self, shape: Any, *, empty: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.shape: TypeAdapter[Any] = TypeAdapter(shape)
        self.empty = empty

    def clean(self, value: Any) -> Any:
        """Return the value, or raise its errors."""
        text = super().clean(value).strip() or self.empty
        try:
            return self.shape.validate_python(read_json(text))
        except DefinitionError as error:
            raise ValidationError([fault.sentence for fault in error.faults[:3]]) from None
        except ShapeError as error:
            raise ValidationError(error_sentences(error)[:3]) from None

    def prepare_value(self, value: Any) -> Any:
        """Return the value as indented JSON."""
        if value is None or isinstance(value, str):
            return value
        dumped = self.shape.dump_python(value, mode="json", exclude_defaults=True)
        return json.dumps(dumped, indent=2, ensure_ascii=False)


class PartForm(BatonForm):
    """A form with the values of a part of a definition."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {}
    """Fields that apply only to some choices of the form, by name, with these choices."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, choices in self.ONLY_FOR.items():
            self.fields[name].widget.attrs["data-only"] = choices

    def drop_unused(self, choice: object) -> set[str]:
        """Return the fields that do not apply to this choice, and drop their errors."""
        unused = {
            name for name, choices in self.ONLY_FOR.items() if str(choice) not in choices.split()
        }
        for name in unused & self.errors.keys():
            del self.errors[name]
        return unused

    @property
    def unfinished(self) -> set[str]:
        """Fields that a response leaves as submitted, because the user has to complete them."""
        return set()

    def set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Set the choices of a field."""
        self.fields[name].widget.choices = choices

    def set_part_choices(
        self,
        name: str,
        choices: PartChoices,
        *,
        before: Sequence[Choice] = (),
        after: Sequence[Choice] = (),
    ) -> None:
        """Set the choices of a field that grow with the pipeline.

        A present value that does not exist is a choice too, so that the form keeps it.
        """
        widget = self.fields[name].widget
        value = self.initial.get(name)
        if value and value not in {key for key, _ in (*before, *choices.choices, *after)}:
            before = [*before, (value, f"{value} (does not exist)")]
        if choices.is_long:
            widget.choices = [*before, *after]
            widget.rest, widget.position = choices, len(before)
        else:
            widget.choices = [*before, *choices.choices, *after]

    def hide(self, *names: str) -> None:
        """Hide fields that do not apply; their values are still submitted."""
        for name in names:
            self.fields[name].widget.is_unused = True

    def suggest(
        self,
        name: str,
        choices: Sequence[str] | PartChoices,
        *,
        unknown: str = "",
        is_open: bool = False,
    ) -> None:
        """List suggestions for a field that accepts any value.

        `unknown` is the beginning of the sentence that marks another value; with `is_open` only a
        value that is similar to a suggestion is marked.
        """
        widget = self.fields[name].widget
        if isinstance(choices, PartChoices):
            widget.suggestions, widget.suggestions_query = choices.choices, choices.query
        else:
            widget.suggestions = [(choice, choice) for choice in choices]
        self.use_suggestions(name, f"{self[name].auto_id}-list", unknown, is_open=is_open)

    def use_suggestions(
        self, name: str, list_id: str, unknown: str, *, is_open: bool = False
    ) -> None:
        """Let a field use the suggestions of a list, which several fields may share."""
        widget = self.fields[name].widget
        is_text = isinstance(widget, forms.Textarea)
        widget.attrs["data-list" if is_text else "list"] = list_id
        if unknown:
            widget.attrs["data-unknown"] = unknown
            widget.module = "list-completion" if is_text else "known-values"
        if is_open:
            widget.attrs["data-soft"] = ""

    def show_issues(self, messages: Mapping[str, str]) -> None:
        """Show the messages of issues next to their fields."""
        for name, message in messages.items():
            self.errors[name] = self.error_class([message])

    def build(
        self,
        shape: type[Part],
        values: Mapping[str, Any],
        *,
        names: Mapping[str, str] | None = None,
    ) -> Part | None:
        """Build a part; if the values are invalid, add errors to the fields and return None.

        `names` maps attributes of the part to fields with other names.
        """
        try:
            return shape.model_validate(dict(values))
        except ShapeError as error:
            for detail in error.errors(include_url=False):
                field = str(detail["loc"][0]) if detail["loc"] else ""
                field = (names or {}).get(field, field)
                message = fault_from(detail).message
                self.add_error(field if field in self.fields else None, message)
            return None


def error_sentences(error: ShapeError) -> list[str]:
    """Return pydantic's errors as plain sentences."""
    return [fault_from(detail).message for detail in error.errors(include_url=False)]
