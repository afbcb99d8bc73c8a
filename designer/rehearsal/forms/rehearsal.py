"""Forms of a whole conversation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms

from designer.core import BatonForm, part_choices
from designer.rehearsal.actions.break_points import MAX_POINTS
from orchestration.control import MAX_TEXT
from orchestration.definition import PipelineDefinition


class ConversationNameForm(BatonForm):
    """Name of a conversation; empty: its title is its number."""

    name = forms.CharField(
        required=False,
        max_length=120,
        error_messages={"max_length": "A name has at most 120 characters."},
    )


class ResendForm(BatonForm):
    """Message in place of an earlier one, with the number of its event."""

    sending = forms.CharField(required=False, max_length=64)
    """The page's id of the request, so that a repeated request has no effect."""

    seq = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    text = forms.CharField(
        max_length=MAX_TEXT,
        error_messages={
            "required": "Write something first.",
            "max_length": "The message is too long: 8,000 characters are allowed.",
        },
    )


class StartForm(BatonForm):
    """Stage at which a new conversation begins, and its first break points."""

    start_phase = forms.ChoiceField(
        label="Begin at",
        required=False,
        error_messages={
            "invalid_choice": "There is no stage %(value)s any more. Choose where to begin."
        },
    )

    def __init__(self, data: Any, *, definition: PipelineDefinition) -> None:
        """Offer the stages of the pipeline, the entry first."""
        super().__init__(data)
        self._stages = definition.stages_by_phase
        self._points: list[str] = data.getlist("break_point")
        field = self.fields["start_phase"]
        if isinstance(field, forms.ChoiceField):
            field.choices = list(_start_choices(definition))
            field.widget.attrs |= {"form": "composer", "autocomplete": "off"}

    def break_points(self) -> dict[str, list[Any]]:
        """Return the break points as a conversation stores them, without those of missing stages.

        Each is sent as the phase of a stage, or as the two phases of a transition with a space.
        """
        points = [value.split(" ", 1) for value in dict.fromkeys(self._points)]
        points = [each for each in points if self._stages.keys() >= set(each)][:MAX_POINTS]
        return {
            "stages": [each[0] for each in points if len(each) == 1],
            "ways": [each for each in points if len(each) == 2],
        }


def _start_choices(definition: PipelineDefinition) -> Iterator[tuple[str, str]]:
    entry = definition.entry
    yield "", f"{entry} (the entry)" if entry else "the first stage"
    for phase, label in part_choices(definition, "stages").choices:
        if phase != entry:
            yield phase, label
