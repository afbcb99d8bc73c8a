"""Forms of notes and frames, on the canvas and in the inspector."""

from __future__ import annotations

from typing import Any, Self

from django import forms

from designer.core import JsonField, KeyField, PartForm, PickField, ProseField, WordedForm, number
from designer.editor.forms.canvas import OUT, PlaceForm
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
    """A row of colours to pick from."""

    def create_option(self, name: str, value: Any, *args: Any, **options: Any) -> dict[str, Any]:
        """One colour, which says its hue to the page."""
        option = super().create_option(name, value, *args, **options)
        if value:
            option["attrs"]["data-hue"] = str(value)
        option["attrs"]["title"] = option["label"]
        return option


class HueField(forms.TypedChoiceField):
    """A hue in degrees, or None: the colour of paper."""

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
        """Any hue: the form of a note may show one that a file brought."""
        degrees = number(str(value))
        return degrees is not None and degrees < 360


class AddNoteForm(PlaceForm):
    """A note to be: where."""


class WrittenForm(WordedForm):
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


class SizeNoteForm(WordedForm):
    """Width of a note."""

    note = KeyField()
    width = forms.FloatField(min_value=NARROWEST, max_value=WIDEST)


class FrameStagesForm(WordedForm):
    """Stages, and the frame that they are put in: an empty key is a new one, `:out` none."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    frame = PickField()

    def clean_stages(self) -> list[str]:
        """At least one."""
        stages: list[str] = self.cleaned_data["stages"]
        if not 1 <= len(stages) <= MAX_STAGES:
            raise forms.ValidationError("Select at least one stage to frame.")
        return stages

    @property
    def key(self) -> str | None:
        """The frame that is named; None: none."""
        named: str = self.cleaned_data["frame"]
        return None if named == OUT else named


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
        help_text="In pixels. Empty: as wide as notes are.",
    )

    @classmethod
    def showing(cls, note: Note, **options: Any) -> Self:
        """The form of a note as it is."""
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
        """The form of a frame as it is."""
        form = cls(initial={"title": frame.title, "hue": _hue(frame.hue)}, **options)
        form.set_choices("hue", _colours(frame.hue))
        return form


def _colours(hue: int | None) -> list[tuple[str, str]]:
    """The colours to choose from; a hue that has no name is one of them."""
    named = _hue(hue) in dict(COLOURS)
    return [*COLOURS] if named else [*COLOURS, (_hue(hue), "Its own")]


def _hue(hue: int | None) -> str:
    return "" if hue is None else str(hue)
