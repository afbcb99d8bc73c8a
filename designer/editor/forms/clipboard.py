"""Forms of copy, cut, paste and duplicate."""

from __future__ import annotations

from operator import gt
from typing import Any

from django import forms

from designer.core import BatonForm, JsonField
from designer.editor.forms.canvas import TOO_MANY, PlaceForm
from orchestration.definition import MAX_FRAMES, MAX_NOTES, MAX_STAGES
from orchestration.exceptions import DefinitionError
from orchestration.loading import MAX_BYTES, load_storable

NOT_JSON = (
    "The pasted text is not a pipeline. Paste the JSON of a pipeline that Baton copied or exported."
)


class SelectionForm(BatonForm):
    """Stages by phase, notes and frames by key."""

    stages = JsonField(list[str], empty="[]", max_length=200_000)
    notes = JsonField(list[str], empty="[]", max_length=50_000)
    frames = JsonField(list[str], empty="[]", max_length=50_000)

    def clean(self) -> dict[str, Any]:
        """Require at least one part."""
        values = self.cleaned_data
        parts = [values.get(name, []) for name in ("stages", "notes", "frames")]
        if not self.errors and not any(parts):
            raise forms.ValidationError(
                "Nothing is selected. Select a stage, note or frame to copy."
            )
        if any(map(gt, map(len, parts), (MAX_STAGES, MAX_NOTES, MAX_FRAMES))):
            raise forms.ValidationError(TOO_MANY)
        return values


class PasteForm(PlaceForm):
    """The text of the clipboard, and the center of the pasted parts."""

    text = forms.CharField(
        strip=False,
        error_messages={"required": "There is no text on the clipboard."},
    )

    def clean_text(self) -> Any:
        """Return the definition, or refuse the text with its first fault and the location."""
        text = self.cleaned_data["text"].replace("\r\n", "\n")
        if not text.lstrip("\ufeff \t\n").startswith("{"):
            raise forms.ValidationError(NOT_JSON)
        if len(text.encode()) > MAX_BYTES:
            size = f"{MAX_BYTES // 1024**2} MiB"
            raise forms.ValidationError(f"The pasted text is larger than {size}. Copy fewer parts.")
        try:
            return load_storable(text)
        except DefinitionError as error:
            first, *others = error.faults
            more = (
                f" (and {len(others)} more fault{'s' if len(others) > 1 else ''})" if others else ""
            )
            place = "" if first.path == "$" else f"at {first.path}: "
            raise forms.ValidationError(
                f"The pasted text is not a pipeline: {place}{first.message}{more}"
            ) from None
