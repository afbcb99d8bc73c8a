"""The form with which a trace is opened."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from designer.core import WordedForm
from orchestration.exceptions import TraceError
from orchestration.runtime import MAX_BYTES, TraceFile, read_trace


class TraceFileForm(WordedForm):
    """A file that holds a conversation; cleaned, it is the conversation."""

    file = forms.FileField(
        label="File",
        error_messages={"required": "Choose a file.", "empty": "The file is empty."},
        widget=forms.FileInput(attrs={"accept": ".jsonl,application/jsonl,application/x-ndjson"}),
    )

    def clean_file(self) -> TraceFile:
        """The conversation in it, or one sentence that says what is wrong with it, and where."""
        file: Any = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise ValidationError(f"The file is larger than {MAX_BYTES // 1024**2} MiB.")
        try:
            return read_trace(file.read())
        except TraceError as error:
            raise ValidationError(str(error)) from None
