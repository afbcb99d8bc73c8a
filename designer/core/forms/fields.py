"""Fields for what definitions hold, and the way from a form's values to a part."""

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
from django.utils.text import slugify
from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as ShapeError

from designer.core.forms.choices import Choice, Many, written
from designer.core.forms.error_messages import WordedForm
from orchestration.definition import KEY_PATTERN, MAX_TEXT, TOOL_NAME_PATTERN
from orchestration.exceptions import DefinitionError
from orchestration.loading.error_messages import fault_from
from orchestration.loading.text import decode, parse
from orchestration.routing import FUNCTIONS, Function, Variable
from orchestration.routing import MAX_LENGTH as MAX_EXPRESSION

Part = TypeVar("Part", bound=BaseModel)

NAME_IS_MADE_OF = "A name has letters, digits, “_” and “-” alone, and begins with a letter or “_”."
"""Error text for a name that models would reject."""

_NEWLINE = re.compile(r"\r\n?")


class KeyField(forms.CharField):
    """A key, written as a person likes: `My Stage` becomes `my-stage`."""

    def to_python(self, value: Any) -> str | None:
        """Make a key of what was typed."""
        typed = super().to_python(value)
        if not typed:
            return typed
        if re.match(KEY_PATTERN, typed) or "\x00" in typed:
            return str(typed)
        key = slugify(typed).strip("-_")
        if len(key) > 64:
            raise ValidationError(f"A key has at most 64 characters; this one has {len(key)}.")
        if typed and not key:
            raise ValidationError("A key is made of the letters a to z, digits, “-” and “_”.")
        return key


class ToolNameField(forms.RegexField):
    """A name as models accept it, for a tool or for one of its arguments; None: it has none."""

    def __init__(self, **options: Any) -> None:
        attrs = {"autocomplete": "off", "spellcheck": "false"}
        super().__init__(
            TOOL_NAME_PATTERN,
            required=False,
            max_length=64,
            empty_value=None,
            error_messages={"invalid": NAME_IS_MADE_OF},
            widget=forms.TextInput(attrs=attrs),
            **options,
        )


class HintedField(forms.CharField):
    """A line of text that says inside itself what it is for."""

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
    """The variables, and all that can be done with them."""
    named = [
        Completion(one.name, "", one.kind, one.name, one.name, one.description) for one in variables
    ]
    return named + [
        Completion(
            one.name, one.receiver, one.returns, one.signature, _insert(one), one.description
        )
        for one in FUNCTIONS
    ]


def _insert(function: Function) -> str:
    return function.signature.replace("…", "|")


class ExpressionField(forms.CharField):
    """A CEL expression over these variables, or None. Whether it compiles is for the rules."""

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


class PickWidget(forms.Select):
    """A list to pick from."""

    rest: Many | None = None
    """The choices that are left out until somebody turns to the list, but for the picked one."""
    place: int = 0
    """Position of the picked option if it is not among the choices."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The element with its options."""
        picked = str(value or "")
        attributes = self.build_attrs(self.attrs, {"name": name, **(attrs or {})})
        choices: list[Choice] = list(self.choices)  # type: ignore[arg-type]
        if picked not in dict(choices):
            left_out = dict(self.rest.choices) if self.rest else {}
            choices.insert(self.place, (picked, left_out.get(picked, picked)))
        options = written(choices, picked)
        return format_html("<select{}>{}</select>", flatatt(attributes), options)


class PickField(forms.CharField):
    """A key that was picked from a list, or nothing. The action knows whether it is there."""

    widget = PickWidget

    def __init__(self, *, has_hidden_label: bool = False, **options: Any) -> None:
        super().__init__(required=options.pop("required", False), max_length=64, **options)
        self.has_hidden_label = has_hidden_label


class PicksField(forms.Field):
    """Keys that were picked from a list."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def to_python(self, value: Any) -> tuple[str, ...]:
        """Each pick once, in the order of the page."""
        picked = tuple(dict.fromkeys(str(one) for one in value or ()))
        if any(len(one) > 120 or "\x00" in one for one in picked):
            raise ValidationError("This is not one of the choices.")
        return picked


class ProseField(forms.CharField):
    """Text of several lines, kept as it was typed, with one kind of line break."""

    widget = forms.Textarea

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        options.setdefault("max_length", MAX_TEXT)
        super().__init__(
            required=False, strip=False, widget=forms.Textarea(attrs={"rows": rows}), **options
        )

    def clean(self, value: Any) -> str:
        """Count what is kept: a browser sends two characters for each line break."""
        return str(super().clean(_NEWLINE.sub("\n", value) if value else ""))


class ListField(ProseField):
    """Short texts, one to a line or, where they are words, between commas too."""

    def __init__(self, *, are_words: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.are_words = are_words

    def clean(self, value: Any) -> tuple[str, ...]:  # type: ignore[override]
        """The lines that hold anything."""
        text = super().clean(value)
        lines = (
            line.strip()
            for line in (text.replace(",", "\n") if self.are_words else text).splitlines()
        )
        return tuple(line for line in lines if line)

    def prepare_value(self, value: Any) -> Any:
        """The lines as a text."""
        return "\n".join(value) if isinstance(value, list | tuple) else value


class JsonField(ProseField):
    """A JSON value of a given shape, read as strictly as a file is."""

    def __init__(self, shape: Any, *, empty: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.shape: TypeAdapter[Any] = TypeAdapter(shape)
        self.empty = empty

    def clean(self, value: Any) -> Any:
        """The value, or every fault that it has."""
        text = super().clean(value).strip() or self.empty
        try:
            return self.shape.validate_python(parse(decode(text)))
        except DefinitionError as error:
            raise ValidationError([str(fault.message) for fault in error.faults[:3]]) from None
        except ShapeError as error:
            raise ValidationError(sentences(error)[:3]) from None

    def prepare_value(self, value: Any) -> Any:
        """The value as a person reads it."""
        if value is None or isinstance(value, str):
            return value
        dumped = self.shape.dump_python(value, mode="json", exclude_defaults=True)
        return json.dumps(dumped, indent=2, ensure_ascii=False)


class PartForm(WordedForm):
    """A form whose values become a part of a definition."""

    ONLY_FOR: ClassVar[Mapping[str, str]] = {}
    """Fields that mean something only while one of these choices is made in the form."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name, choices in self.ONLY_FOR.items():
            self.fields[name].widget.attrs["data-only"] = choices

    def idle(self, chosen: object) -> set[str]:
        """The fields that mean nothing with this choice: nobody sees what is wrong with them."""
        idle = {
            name for name, choices in self.ONLY_FOR.items() if str(chosen) not in choices.split()
        }
        for name in idle & self.errors.keys():
            del self.errors[name]
        return idle

    @property
    def unfinished(self) -> set[str]:
        """The fields that an answer leaves as they were sent: somebody is to go on with them."""
        return set()

    def offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        """Say what can be picked in a field."""
        self.fields[name].widget.choices = choices

    def offer_many(
        self, name: str, many: Many, *, before: Sequence[Choice] = (), after: Sequence[Choice] = ()
    ) -> None:
        """Say what can be picked in a field where it grows with the pipeline."""
        widget = self.fields[name].widget
        if many.are_left_out:
            widget.choices = [*before, *after]
            widget.rest, widget.place = many, len(before)
        else:
            widget.choices = [*before, *many.choices, *after]

    def hide(self, *names: str) -> None:
        """Leave fields out of sight that mean nothing here: what they hold is sent all the same."""
        for name in names:
            self.fields[name].widget.is_out_of_sight = True

    def suggest(self, name: str, choices: Sequence[str]) -> None:
        """List suggestions for a field that accepts any value."""
        self.fields[name].widget.suggestions = choices
        self.fields[name].widget.attrs["list"] = f"{self[name].auto_id}-list"

    def remark(self, sentences: Mapping[str, str]) -> None:
        """Say beside the fields of a form that shows a part what the rules found there."""
        for name, sentence in sentences.items():
            self.errors[name] = self.error_class([sentence])

    def build(
        self,
        shape: type[Part],
        values: Mapping[str, Any],
        *,
        names: Mapping[str, str] | None = None,
    ) -> Part | None:
        """The part of these values; None, and errors beside the fields, where they do not fit.

        `names` says which field holds what, where it is not called the same.
        """
        try:
            return shape.model_validate(dict(values))
        except ShapeError as error:
            for found in error.errors(include_url=False):
                field = str(found["loc"][0]) if found["loc"] else ""
                field = (names or {}).get(field, field)
                sentence = fault_from(found).message
                self.add_error(field if field in self.fields else None, sentence)
            return None


def sentences(error: ShapeError) -> list[str]:
    """Return pydantic's errors as plain sentences."""
    return [fault_from(found).message for found in error.errors(include_url=False)]
