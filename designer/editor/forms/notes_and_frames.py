"""Forms of notes and frames, on the canvas and in the inspector."""

from __future__ import annotations

from typing import Any, Self

from django import forms

from designer.core import BatonForm, JsonField, KeyField, PartForm, PickField, ProseField, number
from designer.editor.forms.canvas import NO_FRAME, PlaceForm
from orchestration.definition import MAX_STAGES, Frame, Note

COLOURS = (
    ("", "Paper"),
    ("25", "Red"),
    ("65", "Orange"),
    ("95", "Yellow"),
    ("150", "Green"),
    ("210", "Cyan"),
    ("260", "Blue"),
    ("300", "Violet"),
    ("345", "Pink"),
)
"""Names of hues. A file may contain any other hue."""

NARROWEST, WIDEST = 40, 2_000
"""Minimum and maximum width of a note in CSS pixels."""


class HueWidget(forms.RadioSelect):
    """A row of colours to choose from."""

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        """Return the option of one colour, with its hue as an attribute."""
        option = super().create_option(name, value, *args, **options)
        if value:
            option["attrs"]["data-hue"] = str(value)
        option["attrs"]["title"] = option["label"]
        return option


class HueField(forms.TypedChoiceField):
    """A hue in degrees; None for the default colour."""

    def __init__(self) -> None:
        super().__init__(
            label="Colour",
            required=False,
            choices=COLOURS,
            coerce=int,
            empty_value=None,
            widget=HueWidget,
        )

    def valid_value(self, value: Any) -> bool:
        """Accept any hue, because an imported note may have a hue without a name."""
        degrees = number(str(value))
        return degrees is not None and degrees < 360


class AddNoteForm(PlaceForm):
    """Position of a new note."""


class WrittenForm(BatonForm):
    """Text written on the canvas, with the old text."""

    @property
    def old_text(self) -> str | None:
        """Return the text when the writing began; None if the page does not send it."""
        return self.cleaned_data["was"] if "was" in self.data else None


class WriteNoteForm(WrittenForm):
    """Text of a note."""

    note = KeyField()
    was = ProseField(max_length=None)
    text = ProseField(
        error_messages={
            "max_length": "A note holds at most %(limit_value)d characters;"
            " this has %(show_value)d."
        }
    )


class SizeNoteForm(BatonForm):
    """Width of a note."""

    note = KeyField()
    width = forms.FloatField(min_value=NARROWEST, max_value=WIDEST)


class FrameStagesForm(BatonForm):
    """Stages and their new frame: an empty key for a new frame, `:out` for none."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    frame = PickField()

    def clean_stages(self) -> list[str]:
        """Require at least one stage."""
        stages: list[str] = self.cleaned_data["stages"]
        if not 1 <= len(stages) <= MAX_STAGES:
            raise forms.ValidationError("Select at least one stage to frame.")
        return stages

    @property
    def key(self) -> str | None:
        """Return the key of the frame; None for no frame."""
        key: str = self.cleaned_data["frame"]
        return None if key == NO_FRAME else key


class RenameFrameForm(WrittenForm):
    """Name of a frame."""

    frame = KeyField()
    was = forms.CharField(required=False)
    title = forms.CharField(
        max_length=120,
        error_messages={
            "required": "A frame needs a title.",
            "max_length": "A title has at most %(limit_value)d characters;"
            " this has %(show_value)d.",
        },
    )


class NoteForm(PartForm):
    """A note in the inspector."""

    text = ProseField(rows=8)
    hue = HueField()
    width = forms.FloatField(
        required=False,
        min_value=NARROWEST,
        max_value=WIDEST,
        help_text="In pixels. Leave empty for the default width.",
    )

    @classmethod
    def showing(cls, note: Note, **options: Any) -> Self:
        """Return the form of a saved note."""
        width = int(note.width) if note.width and note.width.is_integer() else note.width
        form = cls(initial={"text": note.text, "hue": _hue(note.hue), "width": width}, **options)
        form.set_choices("hue", _colours(note.hue))
        return form


class FrameForm(PartForm):
    """A frame in the inspector."""

    title = forms.CharField(max_length=120)
    hue = HueField()

    @classmethod
    def showing(cls, frame: Frame, **options: Any) -> Self:
        """Return the form of a saved frame."""
        form = cls(initial={"title": frame.title, "hue": _hue(frame.hue)}, **options)
        form.set_choices("hue", _colours(frame.hue))
        return form


def _colours(hue: int | None) -> list[tuple[str, str]]:
    """Return the colours to choose from, including the current hue if it has no name."""
    has_name = _hue(hue) in dict(COLOURS)
    return [*COLOURS] if has_name else [*COLOURS, (_hue(hue), "Custom")]


def _hue(hue: int | None) -> str:
    return "" if hue is None else str(hue)
